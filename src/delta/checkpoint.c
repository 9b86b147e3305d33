/*
 * Reading a checkpoint: the table's state as Parquet, or as JSON with its files in Parquet sidecars (protocol:
 * "Checkpoints", "V1 Spec", "V2 Spec", "Sidecar File Information").
 *
 * 1. Columns are read by name and every one may be missing, at any depth; then it is NULL. Types that cannot be cast
 * are CORRUPT. `partitionValues_parsed` repeats what `partitionValues` says and is not read; of `stats_parsed` only the
 * number of rows, where there is no `stats`.
 * 2. One row is one action. Tombstones are read only for a new checkpoint: what is not added does not stand.
 * 3. Actions of a checkpoint are older than those of every commit that was replayed before it, and it names a file
 * once, so its files are not noted as seen.
 * 4. A checkpoint of any name may name sidecars; their files belong to it. A sidecar lies in `_delta_log/_sidecars` and
 * nowhere else.
 * 5. Files are read one by one, so that an error has the name of the one that is broken.
 */
#include "delta/delta_int.h"

#include <string.h>

static const struct str NAMES[] = {
    {"add", 3}, {"remove", 6}, {"metaData", 8}, {"protocol", 8}, {"txn", 3}, {"domainMetadata", 14}, {"sidecar", 7},
};
/* The member without which the action is not there. */
static const char *const MEMBERS[] = {"path", "path", "schemaString", "minReaderVersion", "appId", "domain", "path"};
enum { COLUMN_ADD, COLUMN_REMOVE, COLUMN_METADATA, COLUMNS = sizeof NAMES / sizeof NAMES[0] };

#define VECTOR_TYPE                                                                                                    \
    "\"deletionVector\" STRUCT(\"storageType\" VARCHAR, \"pathOrInlineDv\" VARCHAR, \"offset\" BIGINT, "               \
    "\"sizeInBytes\" BIGINT, cardinality BIGINT), "
static const char *const TYPES[] = {
    "STRUCT(path VARCHAR, \"partitionValues\" MAP(VARCHAR, VARCHAR), size BIGINT, \"modificationTime\" BIGINT, "
    "tags MAP(VARCHAR, VARCHAR), " VECTOR_TYPE "\"baseRowId\" BIGINT, \"defaultRowCommitVersion\" BIGINT, "
    "\"clusteringProvider\" VARCHAR, stats VARCHAR, stats_parsed STRUCT(\"numRecords\" BIGINT))",
    "STRUCT(path VARCHAR, \"deletionTimestamp\" BIGINT, \"dataChange\" BOOLEAN, \"extendedFileMetadata\" BOOLEAN, "
    "\"partitionValues\" MAP(VARCHAR, VARCHAR), size BIGINT, " VECTOR_TYPE
    "\"baseRowId\" BIGINT, \"defaultRowCommitVersion\" BIGINT)",
    "STRUCT(id VARCHAR, \"name\" VARCHAR, description VARCHAR, format STRUCT(provider VARCHAR, options MAP(VARCHAR, "
    "VARCHAR)), \"schemaString\" VARCHAR, \"partitionColumns\" VARCHAR[], configuration MAP(VARCHAR, VARCHAR), "
    "\"createdTime\" BIGINT)",
    "STRUCT(\"minReaderVersion\" BIGINT, \"minWriterVersion\" BIGINT, \"readerFeatures\" VARCHAR[], "
    "\"writerFeatures\" VARCHAR[])",
    "STRUCT(\"appId\" VARCHAR, \"version\" BIGINT, \"lastUpdated\" BIGINT)",
    "STRUCT(domain VARCHAR, configuration VARCHAR, removed BOOLEAN)",
    "STRUCT(path VARCHAR)",
};

struct reading {
    struct delta_replay *replay;
    struct arena scratch;
};

/* ---- files ---- */

/* The cells of an add, in the order of the query. */
enum { PATH, SIZE, MODIFIED, STATS, ROWS, STORAGE, PLACE, OFFSET, VECTOR_SIZE, CARDINALITY, REST };
/* The action as a commit has it: dataChange is false in a state. */
static const char ADD_SQL[] =
    "SELECT \"add\".path, \"add\".size, \"add\".\"modificationTime\", \"add\".stats, "
    "\"add\".stats_parsed.\"numRecords\", \"add\".\"deletionVector\".\"storageType\", "
    "\"add\".\"deletionVector\".\"pathOrInlineDv\", \"add\".\"deletionVector\".\"offset\", "
    "\"add\".\"deletionVector\".\"sizeInBytes\", \"add\".\"deletionVector\".cardinality, "
    "to_json({path: \"add\".path, \"partitionValues\": coalesce(\"add\".\"partitionValues\", MAP{}), "
    "size: \"add\".size, \"modificationTime\": \"add\".\"modificationTime\", \"dataChange\": FALSE, "
    "tags: \"add\".tags, \"deletionVector\": "
    "CASE WHEN \"add\".\"deletionVector\".\"storageType\" <> '' THEN \"add\".\"deletionVector\" END, "
    "\"baseRowId\": \"add\".\"baseRowId\", \"defaultRowCommitVersion\": \"add\".\"defaultRowCommitVersion\", "
    "\"clusteringProvider\": \"add\".\"clusteringProvider\"})::VARCHAR FROM ";

static enum assay_code take_vector(struct reading *reading, const struct engine_cell *cells, struct str path,
                                   const struct delta_vector **out, struct assay_error *err) {
    struct arena *arena = reading->replay->arena;
    *out = NULL;
    if (cells[STORAGE].text.len == 0) return ASSAY_OK;
    struct delta_vector vector = {str_copy(arena, cells[STORAGE].text), str_copy(arena, cells[PLACE].text),
                                  engine_cell_int(&cells[OFFSET], -1), engine_cell_int(&cells[VECTOR_SIZE], 0),
                                  engine_cell_int(&cells[CARDINALITY], 0)};
    if (vector.offset < -1 || vector.size_bytes < 0 || vector.cardinality < 0)
        return error_set(err, ASSAY_CORRUPT, reading->replay->where,
                         "the deletion vector of '%.*s' has a negative offset, size or count", STR_ARG(path));
    struct delta_vector *copy = ARENA_NEW(arena, struct delta_vector);
    *copy = vector;
    *out = copy;
    return ASSAY_OK;
}

static struct str copy_stats(struct arena *arena, const struct engine_cell *cells) {
    if (!cells[STATS].is_null || cells[ROWS].is_null) return str_copy(arena, cells[STATS].text);
    return str_printf(arena, "{\"numRecords\":%.*s}", STR_ARG(cells[ROWS].text));
}

static enum assay_code take_add(void *context, const struct engine_cell *cells, size_t column_count,
                                struct assay_error *err) {
    struct reading *reading = context;
    struct delta_replay *replay = reading->replay;
    (void)column_count;
    arena_reset(&reading->scratch);
    struct delta_file file = {.size_bytes = engine_cell_int(&cells[SIZE], -1),
                              .modified_ms = engine_cell_int(&cells[MODIFIED], 0)};
    struct str path;
    TRY(delta_path_decode(cells[PATH].text, replay->folder, &reading->scratch, &path, err));
    if (file.size_bytes < 0)
        return error_set(err, ASSAY_CORRUPT, replay->where, "the file '%.*s' has no size", STR_ARG(path));
    TRY(take_vector(reading, cells, path, &file.vector, err));
    if (delta_replay_is_seen(replay, delta_file_key(&reading->scratch, path, file.vector))) return ASSAY_OK;
    file.path = str_copy(replay->arena, path);
    file.stats = copy_stats(replay->arena, cells);
    file.raw = str_copy(replay->arena, cells[REST].text);
    delta_replay_add(replay, &file);
    return ASSAY_OK;
}

/* ---- the other actions, as the lines of a commit ---- */

static enum assay_code take_line(void *context, const struct engine_cell *cells, size_t column_count,
                                 struct assay_error *err) {
    struct reading *reading = context;
    struct delta_replay *replay = reading->replay;
    (void)column_count;
    return delta_actions_each(cells[0].text, replay->where, replay->folder, delta_replay_action, replay, err);
}

/* ---- files of a checkpoint ---- */

/* Columns from `first` on, as many as asked for; a column that is not asked for is not read. */
static void print_from(struct buf *sql, struct str path, size_t first, size_t count) {
    struct str types[COLUMNS];
    for (size_t i = 0; i < count; i++) types[i] = str_of(TYPES[first + i]);
    delta_sql_parquet(sql, &path, 1, NAMES + first, types, count);
}

/* A line for every row that has an action of the columns from `first` on. A row with two becomes a line with two, which
 * is refused. */
static void print_state_query(struct buf *sql, struct str path, size_t first) {
    struct buf has_action = {0};
    buf_addz(sql, "SELECT to_json({");
    for (size_t i = first; i < COLUMNS; i++) {
        const char *separator = i > first ? ", " : "", *name = NAMES[i].ptr;
        buf_printf(sql, "%s\"%s\": CASE WHEN \"%s\".\"%s\" IS NOT NULL THEN \"%s\" END", separator, name, name,
                   MEMBERS[i], name);
        buf_printf(&has_action, "%s\"%s\".\"%s\"::VARCHAR", separator, name, MEMBERS[i]);
    }
    buf_addz(sql, "})::VARCHAR FROM ");
    print_from(sql, path, first, COLUMNS - first);
    buf_printf(sql, " WHERE coalesce(%s) IS NOT NULL", has_action.data);
    buf_free(&has_action);
}

static enum assay_code read_parquet(struct engine *engine, struct store *store, struct str key, struct reading *reading,
                                    struct assay_error *err) {
    struct delta_replay *replay = reading->replay;
    struct str path;
    if (!engine) return error_set(err, ASSAY_INTERNAL, replay->where, "reading a checkpoint needs the engine");
    TRY(store_local_path(store, key, replay->arena, &path, err));
    struct buf sql = {0};
    print_state_query(&sql, path, replay->remains ? COLUMN_REMOVE : COLUMN_METADATA);
    enum assay_code rc = engine_query_each(engine, buf_str(&sql), take_line, reading, err);
    buf_clear(&sql);
    buf_addz(&sql, ADD_SQL);
    print_from(&sql, path, COLUMN_ADD, 1);
    buf_addz(&sql, " WHERE \"add\".path IS NOT NULL");
    if (rc == ASSAY_OK) rc = engine_query_each(engine, buf_str(&sql), take_add, reading, err);
    buf_free(&sql);
    return rc;
}

static enum assay_code read_json(struct store *store, struct str key, struct reading *reading,
                                 struct assay_error *err) {
    struct delta_replay *replay = reading->replay;
    struct arena bytes = {0};
    struct str text;
    enum assay_code rc = store_get(store, key, &bytes, &text, err);
    if (rc == ASSAY_OK) rc = delta_actions_each(text, replay->where, replay->folder, delta_replay_action, replay, err);
    arena_reset(&bytes);
    return rc;
}

static enum assay_code read_part(struct engine *engine, struct store *store, struct str key, struct reading *reading,
                                 struct assay_error *err) {
    struct delta_replay *replay = reading->replay;
    replay->where = str_c(replay->arena, key);
    enum assay_code rc = str_ends(key, STR(".json")) ? read_json(store, key, reading, err)
                                                     : read_parquet(engine, store, key, reading, err);
    if (rc == ASSAY_NOT_FOUND)
        rc = error_set(err, ASSAY_CORRUPT, NULL, "this part of a checkpoint is missing");
    else if (rc == ASSAY_INTERNAL && engine) /* the engine could not make sense of the file */
        rc = error_set(err, ASSAY_CORRUPT, NULL, "the checkpoint cannot be read: %s",
                       err ? str_copy(&reading->scratch, str_of(err->message)).ptr : "");
    if (rc && err && !strstr(err->where, replay->where)) error_prepend(err, "%s", replay->where);
    return rc;
}

/* The store key of a sidecar: its name, or its whole path if that is just there. */
static enum assay_code find_sidecar(const struct delta_replay *replay, struct str raw, struct str *key,
                                    struct assay_error *err) {
    struct arena *arena = replay->arena;
    struct str folder = str_path(arena, replay->snapshot->root, STR("_delta_log/_sidecars"));
    struct str absolute = str_path(arena, replay->folder, STR("_delta_log/_sidecars/"));
    struct str name = raw, decoded;
    if (str_starts(name, STR("file:/")))
        name = str_sub(name, str_starts(name, STR("file:///")) ? strlen("file://") : strlen("file:"), name.len);
    if (replay->folder.len && str_starts(name, absolute)) name = str_sub(name, absolute.len, name.len);
    TRY(delta_path_decode(name, (struct str){0}, arena, &decoded, err));
    if (str_find_char(decoded, '/') != SIZE_MAX)
        return error_set(err, ASSAY_CORRUPT, replay->where,
                         "the sidecar '%.*s' is not in the table's own _delta_log/_sidecars", STR_ARG(raw));
    *key = str_path(arena, folder, decoded);
    return ASSAY_OK;
}

enum assay_code delta_checkpoint_read(struct engine *engine, struct store *store,
                                      const struct delta_checkpoint *checkpoint, struct delta_replay *replay,
                                      struct assay_error *err) {
    struct reading reading = {.replay = replay};
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < checkpoint->count && rc == ASSAY_OK; i++)
        rc = read_part(engine, store, checkpoint->keys[i], &reading, err);
    size_t count = replay->sidecar_count; /* a sidecar names no others */
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) {
        struct str key;
        rc = find_sidecar(replay, replay->sidecars[i], &key, err);
        if (rc == ASSAY_OK) rc = read_part(engine, store, key, &reading, err);
    }
    if (rc == ASSAY_OK && replay->sidecar_count != count)
        rc = error_set(err, ASSAY_CORRUPT, replay->where, "a sidecar of the checkpoint names sidecars itself");
    arena_reset(&reading.scratch);
    return rc;
}
