/*
 * The files of `_delta_log` (protocol: "Delta Log Entries", "Checkpoints", "Log Compaction Files").
 *
 * 1. A commit is `<20 digits>.json`.
 * 2. A checkpoint is `<20 digits>.checkpoint.parquet`, or `<20 digits>.checkpoint.<uuid>.json` or `.parquet` (V2), or
 * in parts, which counts only when all its parts are there. A version may have several.
 * 3. A compaction is `<20 digits>.<20 digits>.compacted.json`. It never makes a version newer than the commits do.
 * 4. Everything else in the folder is passed over. `_last_checkpoint` is a hint that a listing makes unnecessary: it is
 * not read, so a missing, stale or lying one does no harm.
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
    enum delta_checkpoint_kind kind;
    struct str key;
};

static int compare_numbers(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int compare_parts(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    int order = compare_numbers(x->version, y->version);
    if (order == 0) order = compare_numbers(x->kind, y->kind);
    if (order == 0) order = compare_numbers(x->total, y->total);
    if (order == 0) order = compare_numbers(x->number, y->number);
    return order ? order : str_cmp(x->key, y->key);
}

static int compare_commits(const void *a, const void *b) {
    return str_cmp(((const struct store_entry *)a)->key, ((const struct store_entry *)b)->key);
}

static int compare_compactions(const void *a, const void *b) {
    const struct delta_compaction *x = a, *y = b;
    int order = compare_numbers(x->to, y->to);
    return order ? order : compare_numbers(x->from, y->from);
}

static bool is_same_checkpoint(const struct part *a, const struct part *b) {
    return a->kind == DELTA_CHECKPOINT_PARTS && b->kind == a->kind && a->version == b->version && a->total == b->total;
}

/* The parts are sorted; a run of the same version and total makes a checkpoint if it is complete. */
static void collect_checkpoints(struct delta_log *log, struct part *parts, size_t count, struct arena *arena) {
    size_t capacity = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_checkpoint(&parts[i], &parts[end]);) end++;
        if ((int64_t)(end - i) != parts[i].total || parts[end - 1].number != parts[i].total) continue;
        struct delta_checkpoint checkpoint = {parts[i].version, parts[i].kind, NULL, end - i};
        checkpoint.keys = ARENA_ARRAY(arena, checkpoint.count, struct str);
        for (size_t k = i; k < end; k++) checkpoint.keys[k - i] = parts[k].key;
        LIST_PUSH(arena, log->checkpoints, log->checkpoint_count, capacity) = checkpoint;
    }
}

struct found {
    struct part *parts;
    size_t part_count, part_capacity, commit_capacity, compaction_capacity;
};

/* `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` at the start of *name, which is moved behind it. */
static bool take_uuid(struct str *name) {
    enum { UUID_LENGTH = 36 };
    if (name->len < UUID_LENGTH) return false;
    for (size_t i = 0; i < UUID_LENGTH; i++) {
        char c = name->ptr[i];
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (is_dash ? c != '-' : !is_hex) return false;
    }
    *name = str_sub(*name, UUID_LENGTH, name->len);
    return true;
}

static void take_checkpoint_name(struct found *found, struct str key, struct str rest, int64_t version,
                                 struct arena *arena) {
    struct part part = {.version = version, .number = 1, .total = 1, .key = key};
    if (str_eq(rest, STR("parquet"))) {
        part.kind = DELTA_CHECKPOINT_SINGLE;
    } else if (take_uuid(&rest)) {
        part.kind = DELTA_CHECKPOINT_V2;
        if (!str_eq(rest, STR(".json")) && !str_eq(rest, STR(".parquet"))) return;
    } else {
        part.kind = DELTA_CHECKPOINT_PARTS;
        if (!take_number(&rest, PART_DIGITS, &part.number) || !str_starts(rest, STR("."))) return;
        rest = str_sub(rest, 1, rest.len);
        if (!take_number(&rest, PART_DIGITS, &part.total) || !str_eq(rest, STR(".parquet"))) return;
    }
    LIST_PUSH(arena, found->parts, found->part_count, found->part_capacity) = part;
}

static void take_compaction_name(struct delta_log *log, struct found *found, struct str key, struct str rest,
                                 int64_t from, struct arena *arena) {
    struct delta_compaction compaction = {.from = from, .key = key};
    if (!str_starts(rest, STR("."))) return;
    rest = str_sub(rest, 1, rest.len);
    if (!take_number(&rest, VERSION_DIGITS, &compaction.to) || !str_eq(rest, STR(".compacted.json"))) return;
    if (compaction.to <= from) return;
    LIST_PUSH(arena, log->compactions, log->compaction_count, found->compaction_capacity) = compaction;
}

static void take_name(struct delta_log *log, struct found *found, const struct store_entry *entry,
                      struct arena *arena) {
    struct str rest = str_basename(entry->key);
    int64_t version;
    if (!take_number(&rest, VERSION_DIGITS, &version)) return;
    if (str_eq(rest, STR(".json")))
        LIST_PUSH(arena, log->entries, log->commit_count, found->commit_capacity) = *entry;
    else if (str_starts(rest, STR(".checkpoint.")))
        take_checkpoint_name(found, entry->key, str_sub(rest, strlen(".checkpoint."), rest.len), version, arena);
    else
        take_compaction_name(log, found, entry->key, rest, version, arena);
}

enum assay_code delta_log_list(struct store *store, struct str root, struct arena *arena, struct delta_log *out,
                               struct assay_error *err) {
    struct delta_log log = {.prefix = str_path(arena, root, STR("_delta_log"))};
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
    if (log.compaction_count)
        qsort(log.compactions, log.compaction_count, sizeof *log.compactions, compare_compactions);
    *out = log;
    return ASSAY_OK;
}

int64_t delta_log_newest(const struct delta_log *log) {
    int64_t newest = log->commit_count ? log->commits[log->commit_count - 1] : -1;
    int64_t checkpoint = log->checkpoint_count ? log->checkpoints[log->checkpoint_count - 1].version : -1;
    return checkpoint > newest ? checkpoint : newest;
}

static int compare_versions(const void *a, const void *b) {
    return compare_numbers(*(const int64_t *)a, *(const int64_t *)b);
}

bool delta_log_has_commit(const struct delta_log *log, int64_t version) {
    return log->commit_count &&
           bsearch(&version, log->commits, log->commit_count, sizeof *log->commits, compare_versions) != NULL;
}

const struct delta_compaction *delta_log_compaction(const struct delta_log *log, int64_t base, int64_t to) {
    size_t low = 0, high = log->compaction_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->compactions[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < log->compaction_count && log->compactions[low].to == to && log->compactions[low].from <= base) low++;
    return low < log->compaction_count && log->compactions[low].to == to ? &log->compactions[low] : NULL;
}

bool delta_log_is_before(struct str name, int64_t version) {
    int64_t first, last;
    struct str rest = name;
    if (!take_number(&rest, VERSION_DIGITS, &first)) return false;
    if (str_eq(rest, STR(".json")) || str_eq(rest, STR(".crc")) || str_starts(rest, STR(".checkpoint.")))
        return first < version;
    if (!str_starts(rest, STR("."))) return false;
    rest = str_sub(rest, 1, rest.len);
    return take_number(&rest, VERSION_DIGITS, &last) && str_eq(rest, STR(".compacted.json")) && first <= version;
}
