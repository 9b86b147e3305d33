/*
 * What a table is, in numbers (Spark's DESCRIBE DETAIL; protocol: "Table Features", "Clustered Table").
 *
 * 1. Nothing is read but the log: rows are those of the stats, so a file without them makes the count unknown.
 * 2. Features of legacy versions are those that the protocol says the versions stand for.
 */
#include "delta/delta_int.h"

#include <stdlib.h>

static int compare_names(const void *a, const void *b) {
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void add_feature(struct arena *arena, struct delta_detail *out, struct str name) {
    for (size_t i = 0; i < out->feature_count; i++)
        if (str_eq(out->features[i], name)) return;
    out->features = arena_grow(arena, out->features, out->feature_count, out->feature_count + 1, sizeof *out->features);
    out->features[out->feature_count++] = name;
}

static void list_features(const struct delta_protocol *p, struct arena *arena, struct delta_detail *out) {
    static const struct {
        const char *name;
        int reader, writer;
    } LEGACY[] = {{"appendOnly", 0, 2},     {"invariants", 0, 2},       {"checkConstraints", 0, 3},
                  {"changeDataFeed", 0, 4}, {"generatedColumns", 0, 4}, {"columnMapping", 2, 5},
                  {"identityColumns", 0, 6}};
    for (size_t i = 0; i < sizeof LEGACY / sizeof LEGACY[0] && p->min_writer < 7; i++)
        if (p->min_writer >= LEGACY[i].writer && p->min_reader >= LEGACY[i].reader)
            add_feature(arena, out, str_of(LEGACY[i].name));
    for (size_t i = 0; i < p->reader_feature_count; i++) add_feature(arena, out, p->reader_features[i]);
    for (size_t i = 0; i < p->writer_feature_count; i++) add_feature(arena, out, p->writer_features[i]);
    if (out->feature_count) qsort(out->features, out->feature_count, sizeof *out->features, compare_names);
}

static void count_files(const struct delta_snapshot *s, struct delta_detail *out) {
    for (size_t i = 0; i < s->file_count; i++) {
        const struct delta_file *file = &s->files[i];
        out->size_bytes += file->size_bytes;
        if (file->size_bytes < DELTA_SMALL_FILE_BYTES) {
            out->small_file_count++;
            out->small_file_bytes += file->size_bytes;
        }
        if (file->vector) {
            out->vector_count++;
            out->deleted_row_count += file->vector->cardinality;
        }
        if (file->row_count < 0) out->row_count = -1;
        if (out->row_count >= 0) out->row_count += file->row_count - (file->vector ? file->vector->cardinality : 0);
    }
}

/* The name that users know of a column that the domain names as the files do; nested names stay as they are. */
static struct str logical_name(const struct delta_schema *schema, struct str physical) {
    for (size_t i = 0; i < schema->count; i++)
        if (str_eq(schema->fields[i].physical_name, physical)) return schema->fields[i].name;
    return physical;
}

static enum assay_code list_clustering(const struct delta_snapshot *s, struct arena *arena, struct delta_detail *out,
                                       struct assay_error *err) {
    for (size_t d = 0; d < s->domain_count; d++) {
        if (!str_eq(s->domains[d].name, STR("delta.clustering"))) continue;
        struct json *tree = NULL;
        TRY(json_parse(s->domains[d].configuration, "delta.clustering", &tree, err));
        const struct json *columns = json_member(tree, "clusteringColumns");
        out->clustering_count = json_count(columns);
        out->clustering = ARENA_ARRAY(arena, out->clustering_count, struct str);
        for (size_t i = 0; i < out->clustering_count; i++) {
            const struct json *path = json_at(columns, i);
            struct str name = json_str(path);
            for (size_t k = 0; k < json_count(path); k++) {
                struct str part = json_str(json_at(path, k));
                if (k == 0) part = logical_name(&s->metadata.schema, part);
                name = k ? str_printf(arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(part)) : part;
            }
            out->clustering[i] = str_copy(arena, name);
        }
        json_close(&tree);
    }
    return ASSAY_OK;
}

/* When the version and the newest checkpoint up to it were written. */
static enum assay_code find_times(const struct delta_snapshot *s, struct arena *arena, struct delta_detail *out,
                                  struct assay_error *err) {
    struct delta_log log;
    TRY(delta_log_list(s->store, s->root, arena, &log, err));
    const int64_t *times = delta_log_times(&log, arena);
    for (size_t i = 0; i < log.commit_count; i++)
        if (log.commits[i] == s->version) out->last_modified_ms = times[i];
    if (s->in_commit_timestamp_ms > 0) out->last_modified_ms = s->in_commit_timestamp_ms;
    for (size_t i = log.checkpoint_count; i-- > 0 && out->checkpoint_version < 0;) {
        if (log.checkpoints[i].version > s->version) continue;
        struct store_entry entry;
        TRY(store_stat(s->store, log.checkpoints[i].keys[0], &entry, err));
        out->checkpoint_version = log.checkpoints[i].version;
        out->checkpoint_ms = entry.modified_us / 1000;
    }
    return ASSAY_OK;
}

enum assay_code delta_detail(const struct delta_snapshot *s, struct arena *arena, struct delta_detail *out,
                             struct assay_error *err) {
    *out = (struct delta_detail){.last_modified_ms = -1, .checkpoint_version = -1, .checkpoint_ms = -1};
    count_files(s, out);
    list_features(&s->protocol, arena, out);
    TRY(list_clustering(s, arena, out, err));
    return find_times(s, arena, out, err);
}
