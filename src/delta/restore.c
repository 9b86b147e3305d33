/*
 * A table brought back to an older version, as a new one (Spark's RESTORE; protocol: "Add File and Remove File").
 *
 * 1. Logical files (path and deletion vector) of the old version that are not in the table are named again, those that
 * the old version has not are removed; both are changes of data. The metadata becomes the old one's.
 * 2. Nothing is committed unless every file to be named again is there, and its deletion vector can be read.
 * 3. The protocol is never lowered: the table keeps the features that it has gained.
 * 4. The commit conflicts with every other one that changed data or metadata since the plan: what is restored is what
 * was shown.
 * 5. txn actions stay, as Spark leaves them.
 */
#include "delta/delta_int.h"

static struct str key_of(const struct delta_file *file, struct arena *arena) {
    return delta_file_key(arena, file->path, file->vector);
}

/* Indexes of the files of `a` that are not in `b`. */
static size_t *difference(const struct delta_snapshot *a, const struct delta_snapshot *b, struct arena *arena,
                          size_t *count) {
    struct delta_keyset set = {0};
    size_t *out = ARENA_ARRAY(arena, a->file_count, size_t);
    *count = 0;
    for (size_t i = 0; i < b->file_count; i++) delta_keyset_put(&set, key_of(&b->files[i], arena), arena)->value = i;
    for (size_t i = 0; i < a->file_count; i++)
        if (!delta_keyset_find(&set, key_of(&a->files[i], arena))) out[(*count)++] = i;
    delta_keyset_free(&set);
    return out;
}

static void count_files(const struct delta_snapshot *s, const size_t *files, size_t count, int64_t *bytes,
                        int64_t *rows) {
    *bytes = *rows = 0;
    for (size_t i = 0; i < count; i++) {
        const struct delta_file *file = &s->files[files[i]];
        *bytes += file->size_bytes;
        if (file->row_count < 0) *rows = -1;
        if (*rows >= 0) *rows += file->row_count - (file->vector ? file->vector->cardinality : 0);
    }
}

/* A vector that cannot be read would bring back a file whose deleted rows nobody knows. */
static enum assay_code check_vector(const struct delta_snapshot *s, const struct delta_file *file,
                                    struct assay_error *err) {
    if (!file->vector) return ASSAY_OK;
    struct arena scratch = {0};
    struct delta_bitmap bitmap;
    enum assay_code rc = delta_vector_rows(s, file, &scratch, &bitmap, err);
    arena_reset(&scratch);
    return rc;
}

static enum assay_code find_missing(struct delta_restore *r, struct arena *arena, struct assay_error *err) {
    size_t capacity = 0;
    for (size_t i = 0; i < r->add_count; i++) {
        struct store_entry entry;
        struct str key = str_path(arena, r->to->root, r->to->files[r->adds[i]].path);
        enum assay_code rc = store_stat(r->to->store, key, &entry, err);
        if (rc == ASSAY_NOT_FOUND)
            LIST_PUSH(arena, r->missing, r->missing_count, capacity) = key;
        else if (rc)
            return rc;
        else
            TRY(check_vector(r->to, &r->to->files[r->adds[i]], err));
    }
    return ASSAY_OK;
}

static struct str print_metadata(const struct delta_metadata *m, struct arena *arena) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    delta_metadata_print(&w, m);
    struct str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

/* Features can be dropped, so an old version may need what the table no longer has. */
static enum assay_code check_features(const struct delta_restore *r, const char *where, struct assay_error *err) {
    const struct delta_protocol *old = &r->to->protocol, *now = &r->from->protocol;
    for (size_t i = 0; i < old->writer_feature_count; i++) {
        bool is_there = now->min_writer < 7 && old->min_writer < 7;
        for (size_t k = 0; k < now->writer_feature_count; k++)
            is_there |= str_eq(now->writer_features[k], old->writer_features[i]);
        if (!is_there)
            return error_set(
                err, ASSAY_UNSUPPORTED, where,
                "version %lld needs the feature '%.*s', which the table has dropped since; restore it with "
                "Spark",
                (long long)r->to->version, STR_ARG(old->writer_features[i]));
    }
    return ASSAY_OK;
}

static struct str clustering_of(const struct delta_snapshot *s) {
    for (size_t i = 0; i < s->domain_count; i++)
        if (str_eq(s->domains[i].name, STR("delta.clustering"))) return s->domains[i].configuration;
    return (struct str){0};
}

static enum assay_code check_restore(const struct delta_restore *r, struct arena *arena, struct assay_error *err) {
    const struct delta_snapshot *from = r->from;
    const char *where = str_printf(arena, "%.*s version %lld", STR_ARG(from->root), (long long)from->version).ptr;
    if (r->remove_count && str_eq_nocase(delta_property_get(&from->metadata, STR("delta.appendOnly")), STR("true")))
        return error_set(err, ASSAY_UNSUPPORTED, where,
                         "the table is append-only (delta.appendOnly = true), and version %lld has not all of its rows",
                         (long long)r->to->version);
    if (!str_eq(clustering_of(from), clustering_of(r->to)))
        return error_set(err, ASSAY_UNSUPPORTED, where,
                         "the table was clustered by other columns at version %lld (CLUSTER BY), which assay does not "
                         "bring back; restore it with Spark",
                         (long long)r->to->version);
    return check_features(r, where, err);
}

enum assay_code delta_restore_plan(struct store *store, struct engine *engine, struct str root, int64_t version,
                                   struct arena *arena, struct delta_restore *out, struct assay_error *err) {
    struct delta_snapshot *from, *to;
    TRY(delta_snapshot_load(store, engine, root, DELTA_LATEST, arena, &from, err));
    TRY(delta_snapshot_load(store, engine, root, version, arena, &to, err));
    *out = (struct delta_restore){.from = from, .to = to};
    out->adds = difference(to, from, arena, &out->add_count);
    out->removes = difference(from, to, arena, &out->remove_count);
    count_files(to, out->adds, out->add_count, &out->add_bytes, &out->add_rows);
    count_files(from, out->removes, out->remove_count, &out->remove_bytes, &out->remove_rows);
    out->is_metadata_changed = !str_eq(print_metadata(&from->metadata, arena), print_metadata(&to->metadata, arena));
    TRY(check_restore(out, arena, err));
    return find_missing(out, arena, err);
}

/* ---- commit ---- */

static struct str parameters_of(const struct delta_restore *r, struct str time, struct arena *arena) {
    struct buf out = {0};
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, "version");
    if (time.len)
        json_put_null(&w);
    else
        json_put_int(&w, r->to->version);
    json_key(&w, "timestamp");
    if (time.len)
        json_put_str(&w, time);
    else
        json_put_null(&w);
    json_end_object(&w);
    struct str copy = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return copy;
}

static struct delta_property metric(struct arena *arena, struct str name, int64_t value) {
    return (struct delta_property){name, str_printf(arena, "%lld", (long long)value)};
}

static struct delta_property *metrics_of(const struct delta_restore *r, struct arena *arena, size_t *count) {
    int64_t bytes = 0;
    for (size_t i = 0; i < r->to->file_count; i++) bytes += r->to->files[i].size_bytes;
    enum { METRICS = 6 };
    struct delta_property *m = ARENA_ARRAY(arena, METRICS, struct delta_property);
    m[0] = metric(arena, STR("tableSizeAfterRestore"), bytes);
    m[1] = metric(arena, STR("numOfFilesAfterRestore"), (int64_t)r->to->file_count);
    m[2] = metric(arena, STR("numRemovedFiles"), (int64_t)r->remove_count);
    m[3] = metric(arena, STR("numRestoredFiles"), (int64_t)r->add_count);
    m[4] = metric(arena, STR("removedFilesSize"), r->remove_bytes);
    m[5] = metric(arena, STR("restoredFilesSize"), r->add_bytes);
    *count = METRICS;
    return m;
}

static enum assay_code refuse_missing(const struct delta_restore *r, struct arena *arena, struct assay_error *err) {
    enum { NAMED = 10 };
    struct buf names = {0};
    for (size_t i = 0; i < r->missing_count && i < NAMED; i++) buf_printf(&names, "\n  %.*s", STR_ARG(r->missing[i]));
    if (r->missing_count > NAMED) buf_printf(&names, "\n  and %zu more", r->missing_count - NAMED);
    const char *where = str_printf(arena, "%.*s version %lld", STR_ARG(r->to->root), (long long)r->to->version).ptr;
    enum assay_code rc = error_set(err, ASSAY_NOT_FOUND, where,
                                   "%zu of the %zu files to bring back %s gone, probably by VACUUM; nothing was "
                                   "written:%s",
                                   r->missing_count, r->add_count, r->missing_count == 1 ? "is" : "are", names.data);
    buf_free(&names);
    return rc;
}

enum assay_code delta_restore_commit(struct engine *engine, const struct delta_restore *r, struct str time,
                                     struct arena *arena, int64_t *version, struct assay_error *err) {
    if (r->missing_count) return refuse_missing(r, arena, err);
    struct delta_commit commit = {.base = r->from,
                                  .metadata = r->is_metadata_changed ? &r->to->metadata : NULL,
                                  .removes = r->removes,
                                  .remove_count = r->remove_count,
                                  .restored_of = r->to,
                                  .restored = r->adds,
                                  .restored_count = r->add_count,
                                  .scope = DELTA_READ_TABLE,
                                  .operation = "RESTORE",
                                  .parameters = parameters_of(r, time, arena)};
    commit.metrics = metrics_of(r, arena, &commit.metric_count);
    return delta_commit(r->from->store, engine, r->from->root, &commit, version, err);
}
