/* Any bytes as the only commit of a table: a snapshot that can be asked everything, or an error with a message. No data
 * file is touched. */
#include "delta/delta_int.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A table that was accepted has only paths below its root, and can be pruned, scanned and judged without a fault. */
static void ask(const struct delta_snapshot *t, struct arena *arena) {
    struct assay_error err = {0};
    struct buf sql = {0};
    size_t *files, count;
    struct delta_range ranges[] = {{STR("id"), STR("1"), STR("2")}, {STR("name"), STR("a"), {0}}};
    for (size_t i = 0; i < t->file_count; i++) {
        struct str key = str_path(arena, t->root, t->files[i].path);
        if (str_find(key, STR("..")) != SIZE_MAX && store_key_check(key, &err) != ASSAY_OK) abort();
        delta_file_is_all(t, i, STR("name"), STR("a"));
    }
    if (delta_writable(t, &err) != ASSAY_OK && err.message[0] == '\0') abort();
    if (delta_prune(t, ranges, 2, arena, &files, &count, &err) != ASSAY_OK || count > t->file_count) abort();
    if (delta_scan_sql(t, files, count, true, arena, &sql, &err) != ASSAY_OK && err.message[0] == '\0') abort();
    buf_free(&sql);
}

static void judge(struct store *store, struct delta_snapshot *t, struct str bytes, struct arena *arena) {
    struct assay_error err = {0};
    struct delta_commit commit = {.base = t, .scope = DELTA_READ_TABLE};
    struct delta_attempt attempt = {.store = store, .root = STR("t"), .commit = &commit, .arena = arena};
    if (delta_conflict_check(&attempt, 1, bytes, &err) != ASSAY_OK && err.message[0] == '\0') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    struct assay_error err = {0};
    struct store *store = NULL;
    struct delta_snapshot *t = NULL;
    struct delta_history_entry *entries;
    size_t count;
    struct str bytes = {(const char *)data, size};
    if (store_open_memory(&store, &err) || store_put(store, STR("t/_delta_log/00000000000000000000.json"), bytes, &err))
        abort();
    enum assay_code rc = delta_snapshot_load(store, NULL, STR("t"), DELTA_LATEST, &arena, &t, &err);
    if (rc == ASSAY_OK ? t == NULL : err.message[0] == '\0') abort();
    if (rc == ASSAY_OK) ask(t, &arena), judge(store, t, bytes, &arena);
    if (delta_history(store, STR("t"), 9, &arena, &entries, &count, &err) == ASSAY_OK && count != 1) abort();
    store_close(&store);
    arena_reset(&arena);
    return 0;
}
