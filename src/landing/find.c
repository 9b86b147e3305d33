/** Batches as they lie in the lake, whoever put them there. */
#include "landing/landing_int.h"

#include <stdlib.h>

static bool is_own(struct str name) {
    return str_eq(name, STR(MANIFEST_NAME)) || str_starts(name, STR(REPLACED_NAME "/"));
}

/** Names of a folder's objects, of which none or all belong to a Delta table. */
static bool has_log(const struct store_entry *entries, size_t count, size_t folder_len) {
    for (size_t i = 0; i < count; i++)
        if (landing_is_log_file(str_sub(entries[i].key, folder_len + 1, entries[i].key.len))) return true;
    return false;
}

static void add_file(const struct plan *plan, bool has_table, const struct store_entry *entry, struct str name,
                     struct landing_batch *batch) {
    if (is_own(name)) return;
    bool is_data = plan->source.format == CONTRACT_DELTA
                       ? has_table && landing_is_table_file(name)
                       : str_find_char(name, '/') == SIZE_MAX && landing_is_data(plan, name);
    if (is_data) {
        batch->files[batch->file_count++] =
            (struct landing_file){name, entry->key, entry->size_bytes, entry->modified_us, {0}};
        if (entry->modified_us > batch->landed_at_us) batch->landed_at_us = entry->modified_us;
        return;
    }
    batch->left_out[batch->left_out_count++] = name;
    if (!landing_has_mark(name)) batch->misfit_count++;
}

/** The batch of a folder whose objects are given. */
static struct landing_batch make_batch(struct store *store, const struct plan *plan, struct str id,
                                       const struct store_entry *entries, size_t count, struct arena *arena) {
    struct landing_batch batch = {.id = id, .folder = landing_folder(plan, id, arena), .landed_at_us = INT64_MIN};
    bool has_manifest = false, has_table = has_log(entries, count, batch.folder.len);
    batch.files = ARENA_ARRAY(arena, count, struct landing_file);
    batch.left_out = ARENA_ARRAY(arena, count, struct str);
    for (size_t i = 0; i < count; i++) {
        struct str name = str_sub(entries[i].key, batch.folder.len + 1, entries[i].key.len);
        has_manifest = has_manifest || str_eq(name, STR(MANIFEST_NAME));
        add_file(plan, has_table, &entries[i], name, &batch);
    }
    struct arena scratch = {0};
    struct landing_manifest manifest = {0};
    if (has_manifest) landing_manifest_read(store, batch.folder, &scratch, &manifest);
    if (manifest.is_there) batch.landed_at_us = manifest.landed_at_us;
    batch.manifest_sha256 = str_copy(arena, manifest.sha256);
    arena_reset(&scratch);
    return batch;
}

enum assay_code landing_find(struct store *store, const struct plan *plan, struct str batch_id, struct arena *arena,
                             struct landing_batch *out, struct assay_error *err) {
    struct store_entry *entries;
    size_t entry_count;
    TRY(plan_batch_check(batch_id, err));
    TRY(store_list(store, landing_folder(plan, batch_id, arena), arena, &entries, &entry_count, err));
    *out = make_batch(store, plan, batch_id, entries, entry_count, arena);
    if (out->file_count) return ASSAY_OK;
    const char *where = str_c(arena, out->folder);
    if (out->left_out_count)
        return error_set(err, ASSAY_NOT_FOUND, where, "none of the %zu files in the folder %.*s", out->left_out_count,
                         STR_ARG(landing_unread_text(plan, arena)));
    return error_set(err, ASSAY_NOT_FOUND, where,
                     "no such batch folder, or it is empty\nnext: assay land %.*s FILE... --batch %.*s",
                     STR_ARG(plan->table), STR_ARG(batch_id));
}

static int by_landing(const void *a, const void *b) {
    const struct landing_batch *x = a, *y = b;
    if (x->landed_at_us != y->landed_at_us) return x->landed_at_us < y->landed_at_us ? -1 : 1;
    return str_cmp(x->id, y->id);
}

/** The id in a path `batch_id=<id>/<name>` below the source's folder; empty for anything else. */
static struct str id_of(struct str path) {
    struct str name, rest = str_split(path, '/', &name);
    if (!str_starts(name, STR(BATCH_PREFIX)) || rest.len == 0) return (struct str){0};
    struct str id = str_sub(name, sizeof BATCH_PREFIX - 1, name.len);
    return plan_batch_check(id, NULL) ? (struct str){0} : id;
}

static void add_leftover(struct landing_zone *zone, size_t *capacity, struct str source, struct str folder,
                         struct arena *arena) {
    struct str key = str_path(arena, source, folder);
    if (zone->leftover_count && str_eq(zone->leftovers[zone->leftover_count - 1], key)) return;
    LIST_PUSH(arena, zone->leftovers, zone->leftover_count, *capacity) = key;
}

enum assay_code landing_list(struct store *store, const struct plan *plan, struct arena *arena,
                             struct landing_zone *out, struct assay_error *err) {
    struct store_entry *entries;
    size_t count, batch_capacity = 0, stray_capacity = 0, leftover_capacity = 0;
    struct str source = landing_source(plan, arena);
    *out = (struct landing_zone){0};
    TRY(store_list(store, source, arena, &entries, &count, err));
    for (size_t i = 0, next; i < count; i = next) { /* sorted by key: a batch's files are neighbours */
        struct str folder, path = str_sub(entries[i].key, source.len + 1, entries[i].key.len), id = id_of(path);
        str_split(path, '/', &folder);
        next = i + 1;
        if (id.len) {
            while (next < count && str_eq(id_of(str_sub(entries[next].key, source.len + 1, SIZE_MAX)), id)) next++;
            LIST_PUSH(arena, out->batches, out->batch_count, batch_capacity) =
                make_batch(store, plan, id, entries + i, next - i, arena);
        } else if (str_starts(folder, STR(INCOMING_PREFIX))) {
            add_leftover(out, &leftover_capacity, source, folder, arena);
        } else if (!landing_has_mark(path) && landing_is_data(plan, str_basename(path))) {
            strays_add(plan, out, &stray_capacity, path, arena);
        }
    }
    if (out->batch_count) qsort(out->batches, out->batch_count, sizeof *out->batches, by_landing);
    return ASSAY_OK;
}
