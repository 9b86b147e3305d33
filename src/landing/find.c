/** Batches as they lie in the lake, whoever put them there. */
#include "landing/landing_int.h"

#include <stdlib.h>

/** The batch of a folder whose objects are given; those in folders below it are not looked at. */
static struct landing_batch make_batch(struct store *store, const struct plan *plan, struct str id,
                                       const struct store_entry *entries, size_t count, struct arena *arena) {
    struct landing_batch batch = {.id = id, .folder = landing_folder_key(plan, id, arena), .landed_at_us = INT64_MIN};
    bool has_manifest = false;
    batch.files = ARENA_ARRAY(arena, count, struct landing_file);
    for (size_t i = 0; i < count; i++) {
        const struct store_entry *entry = &entries[i];
        struct str name = str_sub(entry->key, batch.folder.len + 1, entry->key.len);
        has_manifest = has_manifest || str_eq(name, STR(MANIFEST_NAME));
        if (str_find_char(name, '/') != SIZE_MAX || !landing_is_data(plan, name)) continue;
        batch.files[batch.file_count++] =
            (struct landing_file){name, entry->key, entry->size_bytes, entry->modified_us, {0}};
        if (entry->modified_us > batch.landed_at_us) batch.landed_at_us = entry->modified_us;
    }
    int64_t landed_at_us = has_manifest ? manifest_landed_at(store, batch.folder) : -1;
    if (landed_at_us >= 0) batch.landed_at_us = landed_at_us;
    return batch;
}

enum assay_code landing_find(struct store *store, const struct plan *plan, struct str batch_id, struct arena *arena,
                             struct landing_batch *out, struct assay_error *err) {
    struct store_entry *entries;
    size_t entry_count;
    TRY(plan_batch_check(batch_id, err));
    TRY(store_list_flat(store, landing_folder_key(plan, batch_id, arena), arena, &entries, &entry_count, err));
    *out = make_batch(store, plan, batch_id, entries, entry_count, arena);
    if (out->file_count) return ASSAY_OK;
    const char *where = str_c(arena, out->folder);
    if (entry_count)
        return error_set(err, ASSAY_NOT_FOUND, where,
                         "none of the %zu files in the folder matches the contract's pattern %.*s", entry_count,
                         STR_ARG(plan->source.pattern));
    return error_set(err, ASSAY_NOT_FOUND, where,
                     "no such batch folder, or it is empty\nnext: assay land %.*s FILE... --batch %.*s",
                     STR_ARG(plan->table), STR_ARG(batch_id));
}

static int by_landing(const void *a, const void *b) {
    const struct landing_batch *x = a, *y = b;
    if (x->landed_at_us != y->landed_at_us) return x->landed_at_us < y->landed_at_us ? -1 : 1;
    return str_cmp(x->id, y->id);
}

/** The id in a key `<source>/batch_id=<id>/<name>`; empty for anything else. */
static struct str id_of(struct str source, struct str key) {
    struct str name, rest = str_split(str_sub(key, source.len + 1, key.len), '/', &name);
    if (!str_starts(name, STR(BATCH_PREFIX)) || rest.len == 0) return (struct str){0};
    struct str id = str_sub(name, sizeof BATCH_PREFIX - 1, name.len);
    return plan_batch_check(id, NULL) ? (struct str){0} : id;
}

enum assay_code landing_list(struct store *store, const struct plan *plan, struct arena *arena,
                             struct landing_batch **out, size_t *count, struct assay_error *err) {
    struct store_entry *entries;
    size_t entry_count, capacity = 0;
    struct str source = landing_source_key(plan, arena);
    *out = NULL;
    *count = 0;
    TRY(store_list(store, source, arena, &entries, &entry_count, err));
    for (size_t i = 0, next; i < entry_count; i = next) { /* sorted by key: a batch's files are neighbours */
        struct str id = id_of(source, entries[i].key);
        for (next = i + 1; next < entry_count && str_eq(id_of(source, entries[next].key), id);) next++;
        if (id.len == 0) continue;
        struct landing_batch batch = make_batch(store, plan, id, entries + i, next - i, arena);
        if (batch.file_count) LIST_PUSH(arena, *out, *count, capacity) = batch;
    }
    if (*count) qsort(*out, *count, sizeof **out, by_landing);
    return ASSAY_OK;
}
