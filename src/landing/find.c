/** Batches as they lie in the lake, whoever put them there. */
#include "landing/landing_int.h"

#include <stdlib.h>

/** Take the data files of one folder out of its entries. */
static void take_files(const struct plan *plan, const struct store_entry *entries, size_t count, struct arena *arena,
                       struct landing_batch *batch) {
    batch->files = ARENA_ARRAY(arena, count, struct landing_file);
    for (size_t i = 0; i < count; i++) {
        struct str name = str_basename(entries[i].key);
        if (!landing_is_data(plan, name)) continue;
        batch->files[batch->file_count++] =
            (struct landing_file){name, entries[i].key, entries[i].size_bytes, entries[i].modified_us, {0}};
        if (entries[i].modified_us > batch->landed_at_us) batch->landed_at_us = entries[i].modified_us;
    }
}

static enum assay_code read_folder(struct store *store, const struct plan *plan, struct str id, struct arena *arena,
                                   struct landing_batch *out, size_t *entry_count, struct assay_error *err) {
    struct store_entry *entries;
    *out = (struct landing_batch){.id = id, .folder = landing_folder_key(plan, id, arena), .landed_at_us = INT64_MIN};
    TRY(store_list_flat(store, out->folder, arena, &entries, entry_count, err));
    take_files(plan, entries, *entry_count, arena, out);
    int64_t landed_at = manifest_landed_at(store, out->folder);
    if (landed_at >= 0) out->landed_at_us = landed_at;
    return ASSAY_OK;
}

enum assay_code landing_find(struct store *store, const struct plan *plan, struct str batch_id, struct arena *arena,
                             struct landing_batch *out, struct assay_error *err) {
    size_t entry_count;
    TRY(plan_batch_check(batch_id, err));
    TRY(read_folder(store, plan, batch_id, arena, out, &entry_count, err));
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
    for (size_t i = 0; i < entry_count; i++) { /* sorted by key: a batch's files are neighbours */
        struct str id = id_of(source, entries[i].key);
        if (id.len == 0 || (*count && str_eq((*out)[*count - 1].id, id))) continue;
        struct landing_batch batch;
        size_t in_folder;
        TRY(read_folder(store, plan, id, arena, &batch, &in_folder, err));
        if (batch.file_count) LIST_PUSH(arena, *out, *count, capacity) = batch;
    }
    if (*count) qsort(*out, *count, sizeof **out, by_landing);
    return ASSAY_OK;
}
