/**
 * The tables in which assay remembers its runs: plain Delta tables that only grow, a commit for each run.
 *
 * 1. A table of an earlier version gets the columns that it lacks; columns that somebody added stay, as NULL.
 * 2. They are compacted like every table that asks for it, so that a table of many runs stays quick to read.
 */
#include "run/run_int.h"

static struct delta_metadata *complete(struct delta_metadata *m, const struct memory_column *columns, size_t count,
                                       struct arena *arena, bool *is_changed) {
    for (size_t i = 0; i < count; i++) {
        if (delta_field_find(&m->schema, str_of(columns[i].name)) != SIZE_MAX) continue;
        delta_field_add(m, arena, str_of(columns[i].name), (struct type){.kind = columns[i].type}, true,
                        (struct str){0});
        *is_changed = true;
    }
    return m;
}

/** Metadata of the table as the rows need it; *is_changed when the table is to get it. */
static struct delta_metadata *needed_metadata(const struct delta_snapshot *snapshot, const char *description,
                                              const struct memory_column *columns, size_t count, struct arena *arena,
                                              bool *is_changed) {
    *is_changed = false;
    if (snapshot) return complete(delta_metadata_copy(&snapshot->metadata, arena), columns, count, arena, is_changed);
    struct delta_metadata *m = ARENA_NEW(arena, struct delta_metadata);
    m->description = str_of(description);
    delta_property_set(m, arena, STR("delta.autoOptimize.autoCompact"), STR("true"));
    return complete(m, columns, count, arena, is_changed);
}

struct append {
    struct session *session;
    struct str root, select;
    const char *description;
    const struct memory_column *columns;
    size_t column_count;
    const struct run_result *result;
    struct arena *arena;
};

static enum assay_code append_once(void *context, struct assay_error *err) {
    const struct append *a = context;
    struct arena *arena = a->arena;
    struct session *session = a->session;
    struct delta_snapshot *snapshot = NULL;
    struct delta_new_files files;
    int64_t version;
    bool is_changed;
    enum assay_code rc =
        delta_snapshot_load(session->store, session->engine, a->root, DELTA_LATEST, arena, &snapshot, err);
    if (rc && rc != ASSAY_NOT_FOUND) return rc;
    if (rc == ASSAY_NOT_FOUND) snapshot = NULL;
    struct delta_metadata *metadata =
        needed_metadata(snapshot, a->description, a->columns, a->column_count, arena, &is_changed);
    TRY(delta_write_files(session->engine, session->staging, metadata, a->select, &(struct engine_write_options){0},
                          arena, &files, err));
    struct delta_commit commit = {
        .base = snapshot,
        .metadata = is_changed ? metadata : NULL,
        .adds = files.files,
        .add_count = files.count,
        .scope = DELTA_READ_NOTHING,
        .operation = "WRITE",
        .parameters = STR("{\"mode\":\"Append\",\"partitionBy\":\"[]\"}"),
        .user_metadata = run_user_metadata(a->result, arena),
    };
    return delta_commit(session->store, session->engine, a->root, &commit, &version, err);
}

enum assay_code memory_append(struct session *session, struct str root, const char *description,
                              const struct memory_column *columns, size_t column_count, struct str select,
                              const struct run_result *result, struct arena *arena, struct assay_error *err) {
    struct append a = {session, root, select, description, columns, column_count, result, arena};
    return delta_redo(append_once, &a, err);
}
