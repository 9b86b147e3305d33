/*
 * The files of `_delta_log` (protocol: "Delta Log Entries", "Checkpoints").
 *
 * 1. A commit is `<20 digits>.json`; versions that a read needs are contiguous, a gap is CORRUPT and named.
 * 2. A classic checkpoint is `<20 digits>.checkpoint.parquet`; one in parts counts only when all its parts are there.
 * 3. Everything else in the folder is passed over. `_last_checkpoint` is a hint that a listing makes unnecessary: it is
 * not read.
 */
#include "delta/delta_int.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_DIGITS = 20, PART_DIGITS = 10 };

struct str delta_log_commit_key(struct arena *arena, struct str root, int64_t version) {
    return str_path(arena, root, str_printf(arena, "_delta_log/%020lld.json", (long long)version));
}

/* A number of exactly `digits` digits at the start of *name, which is moved behind it. */
static bool take_number(struct str *name, size_t digits, int64_t *out) {
    if (name->len < digits) return false;
    struct str number = str_sub(*name, 0, digits);
    for (size_t i = 0; i < digits; i++)
        if (number.ptr[i] < '0' || number.ptr[i] > '9') return false;
    *name = str_sub(*name, digits, name->len);
    return str_int64(number, out) == ASSAY_OK;
}

struct part {
    int64_t version, number, total;
    struct str key;
};

static int compare_parts(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    if (x->version != y->version) return x->version < y->version ? -1 : 1;
    if (x->total != y->total) return x->total < y->total ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_commits(const void *a, const void *b) {
    return str_cmp(((const struct store_entry *)a)->key, ((const struct store_entry *)b)->key);
}

/* The parts are sorted; a run of the same version and total makes a checkpoint if it is complete. */
static void collect_checkpoints(struct delta_log *log, struct part *parts, size_t count, struct arena *arena) {
    size_t capacity = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && parts[end].version == parts[i].version && parts[end].total == parts[i].total;)
            end++;
        if ((int64_t)(end - i) != parts[i].total || parts[end - 1].number != parts[i].total) continue;
        struct delta_checkpoint checkpoint = {.version = parts[i].version, .count = end - i};
        checkpoint.keys = ARENA_ARRAY(arena, checkpoint.count, struct str);
        for (size_t k = i; k < end; k++) checkpoint.keys[k - i] = parts[k].key;
        LIST_PUSH(arena, log->checkpoints, log->checkpoint_count, capacity) = checkpoint;
    }
}

struct found {
    struct part *parts;
    size_t part_count, part_capacity, commit_capacity;
};

static void take_checkpoint_name(struct delta_log *log, struct found *found, struct str key, struct str rest,
                                 int64_t version, struct arena *arena) {
    struct part part = {.version = version, .number = 1, .total = 1, .key = key};
    bool is_classic = str_eq(rest, STR("parquet"));
    bool is_part = take_number(&rest, PART_DIGITS, &part.number) && str_starts(rest, STR(".")) &&
                   (rest = str_sub(rest, 1, rest.len), take_number(&rest, PART_DIGITS, &part.total)) &&
                   str_eq(rest, STR(".parquet"));
    if (is_classic || is_part)
        LIST_PUSH(arena, found->parts, found->part_count, found->part_capacity) = part;
    else if ((str_ends(rest, STR(".json")) || str_ends(rest, STR(".parquet"))) && version > log->v2_version)
        log->v2_version = version;
}

static void take_name(struct delta_log *log, struct found *found, const struct store_entry *entry,
                      struct arena *arena) {
    struct str rest = str_basename(entry->key);
    int64_t version;
    if (!take_number(&rest, VERSION_DIGITS, &version)) return;
    if (str_eq(rest, STR(".json")))
        LIST_PUSH(arena, log->entries, log->commit_count, found->commit_capacity) = *entry;
    else if (str_starts(rest, STR(".checkpoint.")))
        take_checkpoint_name(log, found, entry->key, str_sub(rest, strlen(".checkpoint."), rest.len), version, arena);
}

enum assay_code delta_log_list(struct store *store, struct str root, struct arena *arena, struct delta_log *out,
                               struct assay_error *err) {
    struct delta_log log = {.prefix = str_path(arena, root, STR("_delta_log")), .v2_version = -1};
    struct store_entry *entries;
    size_t count;
    TRY(store_list_flat(store, log.prefix, arena, &entries, &count, err));
    struct found found = {0};
    for (size_t i = 0; i < count; i++) take_name(&log, &found, &entries[i], arena);
    if (log.commit_count) qsort(log.entries, log.commit_count, sizeof *log.entries, compare_commits);
    log.commits = ARENA_ARRAY(arena, log.commit_count, int64_t);
    for (size_t i = 0; i < log.commit_count; i++) {
        struct str name = str_basename(log.entries[i].key);
        take_number(&name, VERSION_DIGITS, &log.commits[i]);
    }
    if (found.part_count) qsort(found.parts, found.part_count, sizeof *found.parts, compare_parts);
    collect_checkpoints(&log, found.parts, found.part_count, arena);
    *out = log;
    return ASSAY_OK;
}

int64_t delta_log_newest(const struct delta_log *log) {
    int64_t newest = log->commit_count ? log->commits[log->commit_count - 1] : -1;
    int64_t checkpoint = log->checkpoint_count ? log->checkpoints[log->checkpoint_count - 1].version : -1;
    if (checkpoint > newest) newest = checkpoint;
    return log->v2_version > newest ? log->v2_version : newest;
}

enum assay_code delta_log_contiguous(const struct delta_log *log, int64_t from, int64_t to, struct assay_error *err) {
    int64_t expected = from + 1;
    for (size_t i = 0; i < log->commit_count && expected <= to; i++) {
        if (log->commits[i] < expected) continue;
        if (log->commits[i] > expected) break;
        expected++;
    }
    if (expected > to) return ASSAY_OK;
    if (log->v2_version >= expected && log->v2_version <= to)
        return error_set(
            err, ASSAY_UNSUPPORTED, log->prefix.ptr,
            "version %lld can only be read from a V2 checkpoint (feature v2Checkpoint), which assay does not read yet",
            (long long)to);
    return error_set(err, ASSAY_CORRUPT, log->prefix.ptr,
                     "the log has no %020lld.json, which version %lld needs; a commit is missing or was cleaned up",
                     (long long)expected, (long long)to);
}
