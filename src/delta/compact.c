/*
 * Small files become few (Spark's OPTIMIZE without clustering, and its auto compaction).
 *
 * 1. The rows are the same before and after, in their order inside of a file: the commit says dataChange=false, and is
 * not made when the new files do not hold as many rows as the old ones.
 * 2. Files are put together in the order in which they were written, so rows of one time stay together; never over
 * partitions.
 * 3. A candidate is a small file, or one of whose rows more than a twentieth is deleted (as many cannot be counted:
 * any); deleted rows go for good.
 * 4. It reads nothing that a writer could change under it but the files that it takes away: if another writer removed
 * one of them the commit is a conflict, and nothing was done.
 * Source: Delta 3.2, OptimizeTableCommand, AutoCompact; Fabric, "Table compaction" and "Tune file size".
 */
#include "delta/delta_int.h"

#include <stdlib.h>

enum { TARGET_BYTES = 128 * 1024 * 1024, AUTO_FILES = 50, VECTOR_SHARE = 20 };

/* ---- what the table asks for ---- */

/** `256m`, `1g`, `134217728`, `134217728b`, `128mb`, as Spark writes sizes; -1: not understood. */
static int64_t read_size(struct str text) {
    static const struct str units[] = {{"b", 1}, {"k", 1}, {"m", 1}, {"g", 1}, {"t", 1}};
    int64_t number, unit = 1;
    size_t digits = 0;
    text = str_trim(text);
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') digits++;
    if (str_int64(str_sub(text, 0, digits), &number) != ASSAY_OK || number <= 0) return -1;
    struct str rest = str_trim(str_sub(text, digits, text.len));
    if (rest.len == 2 && (rest.ptr[1] == 'b' || rest.ptr[1] == 'B')) rest.len = 1;
    if (rest.len == 0) return number;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++, unit *= 1024)
        if (str_eq_nocase(rest, units[i])) return __builtin_mul_overflow(number, unit, &number) ? -1 : number;
    return -1;
}

int64_t delta_target_bytes(const struct delta_metadata *metadata) {
    int64_t bytes = read_size(delta_property_get(metadata, STR("delta.targetFileSize")));
    return bytes > 0 ? bytes : TARGET_BYTES;
}

static bool is_property_true(const struct delta_metadata *metadata, struct str name) {
    return str_eq_nocase(delta_property_get(metadata, name), STR("true"));
}

static bool is_auto(const struct delta_metadata *metadata) {
    return is_property_true(metadata, STR("delta.autoOptimize")) ||
           is_property_true(metadata, STR("delta.autoOptimize.autoCompact"));
}

static size_t auto_files(const struct delta_metadata *metadata) {
    int64_t count;
    struct str text = delta_property_get(metadata, STR("spark.databricks.delta.autoCompact.minNumFiles"));
    return str_int64(text, &count) == ASSAY_OK && count > 1 ? (size_t)count : AUTO_FILES;
}

/* ---- which files ---- */

struct candidate {
    size_t index; /* into the snapshot's files */
    const struct delta_file *file;
    size_t partition_column_count;
};

static int compare_partition(const struct candidate *a, const struct candidate *b) {
    for (size_t i = 0; i < a->partition_column_count; i++) {
        struct str left = a->file->partition_values[i], right = b->file->partition_values[i];
        if (!left.ptr || !right.ptr) {
            if (left.ptr || right.ptr) return left.ptr ? 1 : -1;
            continue;
        }
        int order = str_cmp(left, right);
        if (order) return order;
    }
    return 0;
}

static int compare_candidate(const void *x, const void *y) {
    const struct candidate *a = x, *b = y;
    int order = compare_partition(a, b);
    if (order) return order;
    if (a->file->modified_ms != b->file->modified_ms) return a->file->modified_ms > b->file->modified_ms ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool is_candidate(const struct delta_file *file, int64_t small_bytes) {
    if (file->size_bytes < small_bytes) return true;
    if (!file->vector) return false;
    return file->row_count < 0 || file->vector->cardinality > file->row_count / VECTOR_SHARE;
}

/** Files that become one. */
struct bin {
    size_t first, count; /* in the list of candidates */
};

struct compacting {
    const struct delta_snapshot *snapshot;
    struct staging *staging;
    struct arena *arena;
    struct candidate *candidates;
    size_t candidate_count;
    struct bin *bins;
    size_t bin_count, bin_capacity;
    struct delta_new_file *adds;
    size_t add_count, add_capacity;
    size_t *removes;
    struct delta_compact_result *out;
};

static void find_candidates(struct compacting *c, int64_t small_bytes) {
    const struct delta_snapshot *s = c->snapshot;
    c->candidates = ARENA_ARRAY(c->arena, s->file_count, struct candidate);
    for (size_t i = 0; i < s->file_count; i++)
        if (is_candidate(&s->files[i], small_bytes))
            c->candidates[c->candidate_count++] =
                (struct candidate){i, &s->files[i], s->metadata.partition_column_count};
    if (c->candidate_count) qsort(c->candidates, c->candidate_count, sizeof *c->candidates, compare_candidate);
}

static void close_bin(struct compacting *c, struct bin bin) {
    if (bin.count > 1 || (bin.count == 1 && c->candidates[bin.first].file->vector))
        LIST_PUSH(c->arena, c->bins, c->bin_count, c->bin_capacity) = bin;
}

static void fill_bins(struct compacting *c, int64_t target_bytes) {
    struct bin bin = {0};
    int64_t bytes = 0;
    for (size_t i = 0; i < c->candidate_count; i++) {
        const struct candidate *next = &c->candidates[i];
        bool is_full = bin.count && (bytes + next->file->size_bytes > target_bytes ||
                                     compare_partition(&c->candidates[bin.first], next) != 0);
        if (is_full || bin.count == 0) {
            close_bin(c, bin);
            bin = (struct bin){.first = i};
            bytes = 0;
        }
        bin.count++;
        bytes += next->file->size_bytes;
    }
    close_bin(c, bin);
}

/* ---- new files for old ---- */

/** Rows that the bin's files have; -1: not known. */
static int64_t count_rows(const struct compacting *c, struct bin bin) {
    int64_t count = 0;
    for (size_t i = 0; i < bin.count; i++) {
        const struct delta_file *file = c->candidates[bin.first + i].file;
        if (file->row_count < 0) return -1;
        count += file->row_count - (file->vector ? file->vector->cardinality : 0);
    }
    return count;
}

static enum assay_code write_bin(struct compacting *c, struct bin bin, struct assay_error *err) {
    struct engine_write_options options = {.keep_order = true, .file_bytes = INT64_MAX};
    struct delta_writing writing = {
        c->snapshot->engine, c->staging, &c->snapshot->metadata, "compact", false, c->arena, &options};
    struct delta_new_files files = {0};
    struct buf sql = {0};
    size_t *indexes = ARENA_ARRAY(c->arena, bin.count, size_t);
    for (size_t i = 0; i < bin.count; i++) indexes[i] = c->candidates[bin.first + i].index;
    buf_addz(&sql, "SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(c->snapshot, indexes, bin.count, false, c->arena, &sql, err);
    if (rc == ASSAY_OK) rc = delta_write_rows(&writing, buf_str(&sql), &files, err);
    buf_free(&sql);
    if (rc) return delta_read_failed(c->snapshot, rc, err);
    int64_t expected = count_rows(c, bin);
    if (expected >= 0 && files.row_count != expected)
        return error_set(err, ASSAY_INTERNAL, c->snapshot->root.ptr,
                         "%zu files have %lld rows by their statistics and %lld when they are read; they stay as they "
                         "are",
                         bin.count, (long long)expected, (long long)files.row_count);
    for (size_t i = 0; i < files.count; i++) {
        LIST_PUSH(c->arena, c->adds, c->add_count, c->add_capacity) = files.files[i];
        c->out->added_bytes += files.files[i].file.size_bytes;
    }
    for (size_t i = 0; i < bin.count; i++) {
        const struct delta_file *file = c->candidates[bin.first + i].file;
        c->removes[c->out->removed_count++] = indexes[i];
        c->out->removed_bytes += file->size_bytes;
        c->out->vector_count += file->vector != NULL;
    }
    c->out->added_count = c->add_count;
    return ASSAY_OK;
}

static int compare_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/** operationMetrics as Spark's OPTIMIZE has them. */
static size_t make_metrics(const struct compacting *c, struct delta_property *metrics) {
    const struct delta_compact_result *out = c->out;
    int64_t *sizes = ARENA_ARRAY(c->arena, c->add_count + 1, int64_t);
    size_t n = c->add_count, count = 0;
    for (size_t i = 0; i < n; i++) sizes[i] = c->adds[i].file.size_bytes;
    if (n) qsort(sizes, n, sizeof *sizes, compare_size);
    const struct {
        const char *name;
        int64_t value;
    } list[] = {{"numRemovedFiles", (int64_t)out->removed_count},
                {"numRemovedBytes", out->removed_bytes},
                {"numAddedFiles", (int64_t)out->added_count},
                {"numAddedBytes", out->added_bytes},
                {"numDeletionVectorsRemoved", (int64_t)out->vector_count},
                {"minFileSize", sizes[0]},
                {"p25FileSize", sizes[n / 4]},
                {"p50FileSize", sizes[n / 2]},
                {"p75FileSize", sizes[n * 3 / 4]},
                {"maxFileSize", sizes[n ? n - 1 : 0]}};
    for (; count < sizeof list / sizeof list[0]; count++)
        metrics[count] = (struct delta_property){str_of(list[count].name),
                                                 str_printf(c->arena, "%lld", (long long)list[count].value)};
    return count;
}

static enum assay_code commit_bins(struct compacting *c, bool is_automatic, int64_t *version, struct assay_error *err) {
    enum { METRICS_MAX = 16 };
    struct delta_property metrics[METRICS_MAX];
    struct delta_commit commit = {
        .base = c->snapshot,
        .adds = c->adds,
        .add_count = c->add_count,
        .removes = c->removes,
        .remove_count = c->out->removed_count,
        .is_rearranged = true,
        .operation = "OPTIMIZE",
        .parameters =
            str_printf(c->arena, "{\"predicate\":\"[]\",\"zOrderBy\":\"[]\",\"clusterBy\":\"[]\",\"auto\":%s}",
                       is_automatic ? "true" : "false"),
        .metrics = metrics,
        .metric_count = make_metrics(c, metrics),
    };
    return delta_commit(c->snapshot->store, c->snapshot->engine, c->snapshot->root, &commit, version, err);
}

enum assay_code delta_compact(const struct delta_snapshot *snapshot, struct staging *staging,
                              const struct delta_compact_options *options, struct arena *arena,
                              struct delta_compact_result *out, int64_t *version, struct assay_error *err) {
    struct compacting c = {.snapshot = snapshot, .staging = staging, .arena = arena, .out = out};
    int64_t target = options->target_bytes ? options->target_bytes : delta_target_bytes(&snapshot->metadata);
    *out = (struct delta_compact_result){0};
    *version = snapshot->version;
    find_candidates(&c, options->small_bytes ? options->small_bytes : target / 2);
    fill_bins(&c, target);
    if (c.bin_count == 0) return ASSAY_OK;
    TRY(delta_writable(snapshot, err));
    c.removes = ARENA_ARRAY(arena, c.candidate_count, size_t);
    for (size_t i = 0; i < c.bin_count; i++) TRY(write_bin(&c, c.bins[i], err));
    return commit_bins(&c, options->is_auto, version, err);
}

/* ---- after a write ---- */

/** Small files of the version that the commit made, if nobody came between: enough to know whether to look closer. */
static size_t count_small(const struct delta_commit *commit, int64_t small_bytes) {
    size_t count = 0;
    for (size_t i = 0; i < commit->add_count; i++)
        count += commit->adds[i].file.row_count > 0 && commit->adds[i].file.size_bytes < small_bytes;
    if (!commit->base) return count;
    for (size_t i = 0; i < commit->base->file_count; i++) count += commit->base->files[i].size_bytes < small_bytes;
    for (size_t i = 0; i < commit->remove_count; i++)
        count -= commit->base->files[commit->removes[i]].size_bytes < small_bytes;
    return count;
}

void delta_compact_after(const struct delta_attempt *attempt, struct engine *engine) {
    const struct delta_commit *commit = attempt->commit;
    const struct delta_metadata *metadata = commit->metadata ? commit->metadata : &commit->base->metadata;
    if (!engine || commit->is_rearranged || commit->add_count == 0 || !is_auto(metadata)) return;
    if (count_small(commit, delta_target_bytes(metadata) / 2) < auto_files(metadata)) return;
    struct arena arena = {0};
    struct staging *staging = NULL;
    struct delta_snapshot *snapshot;
    struct delta_compact_result done;
    int64_t version;
    enum assay_code rc =
        delta_snapshot_load(attempt->store, engine, attempt->root, DELTA_LATEST, &arena, &snapshot, NULL);
    if (rc == ASSAY_OK) rc = staging_open(attempt->store, &staging, NULL);
    if (rc == ASSAY_OK)
        rc = delta_compact(snapshot, staging, &(struct delta_compact_options){.is_auto = true}, &arena, &done, &version,
                           NULL);
    (void)rc;
    staging_close(&staging);
    arena_reset(&arena);
}
