/**
 * Landing a delivery: the whole batch or nothing.
 *
 * 1. Files are copied to the staging folder and hashed on the way, published into `_landing-<random>` beside the batch
 * folders, which no list shows, then the folder is renamed to `batch_id=<id>`: before that nothing is there, after it
 * everything.
 * 2. An id that is there with equal content (names and hashes) changes nothing.
 * 3. Nothing is ever deleted: a batch that is replaced changes places with the new one in a single step, so that one of
 * them is there at any time; then it moves into `_replaced/<time>/` of the new one. After a crash in between it lies in
 * `_landing-<random>`.
 * 4. Storage behind a link is somebody else's and is not written.
 */
#include "landing/landing_int.h"

#include "base/hash.h"
#include "base/time.h"

#include <sys/stat.h>
#include <unistd.h>

/** Invariant 4. The path is the root's, which has no links, and the key. */
static enum assay_code check_links(struct store *store, struct str folder, struct arena *arena,
                                   struct assay_error *err) {
    struct str path;
    TRY(store_local_path(store, folder, arena, &path, err));
    if (!str_ends(path, folder)) return ASSAY_OK;
    size_t start = path.len - folder.len;
    for (size_t end = start; end <= path.len; end++) {
        struct stat st;
        char target[1024];
        if (end < path.len && path.ptr[end] != '/') continue;
        const char *part = str_c(arena, str_sub(path, 0, end));
        if (lstat(part, &st) || !S_ISLNK(st.st_mode)) continue;
        ssize_t len = readlink(part, target, sizeof target);
        return error_set(err, ASSAY_DENIED, str_c(arena, str_sub(path, start, end)),
                         "is a link to %.*s: storage of somebody else, which is read and never written; nothing was "
                         "landed\nnext: let its owner deliver there, or land into a source folder of the lake itself",
                         len > 0 ? (int)len : 0, target);
    }
    return ASSAY_OK;
}

/** Copy all files into the staging folder; their keys are their staged paths for now. */
static enum assay_code stage_all(struct staging *staging, const struct delivery_file *files, size_t count,
                                 struct arena *arena, struct landing_batch *out, struct assay_error *err) {
    out->files = ARENA_ARRAY(arena, count, struct landing_file);
    out->file_count = count;
    for (size_t i = 0; i < count; i++) {
        struct landing_file *file = &out->files[i];
        file->name = str_copy(arena, files[i].name);
        file->key = staging_path(staging, arena, STR("landing"));
        TRY(delivery_copy(&files[i], file->key, arena, file, err));
    }
    return ASSAY_OK;
}

/** Bring the staged files into `folder` of the lake, with their manifest. */
static enum assay_code publish_all(struct store *store, struct str folder, const struct landing_batch *batch,
                                   struct arena *arena, struct assay_error *err) {
    for (size_t i = 0; i < batch->file_count; i++)
        TRY(store_publish(store, batch->files[i].key, str_path(arena, folder, batch->files[i].name), err));
    return store_put(store, str_path(arena, folder, STR(MANIFEST_NAME)), manifest_print(batch, arena), err);
}

/** Names and hashes of both, compared; *difference gets the first that differs. */
static bool is_same(const struct landing_file *old, size_t old_count, const struct landing_batch *new,
                    struct arena *arena, struct str *difference) {
    for (size_t i = 0, k = 0; i < old_count || k < new->file_count; i++, k++) {
        const struct landing_file *was = i < old_count ? &old[i] : NULL;
        const struct landing_file *is = k < new->file_count ? &new->files[k] : NULL;
        int order = !was ? 1 : !is ? -1 : str_cmp(was->name, is->name);
        if (order == 0 && str_eq(was->sha256, is->sha256)) continue;
        if (order == 0)
            *difference =
                str_printf(arena, "%.*s has sha256 %.*s there, %.*s now", STR_ARG(landing_shown(was->name, arena)),
                           STR_ARG(was->sha256), STR_ARG(is->sha256));
        else if (order < 0)
            *difference =
                str_printf(arena, "%.*s is there and not in this delivery", STR_ARG(landing_shown(was->name, arena)));
        else
            *difference = str_printf(arena, "%.*s is not there yet", STR_ARG(landing_shown(is->name, arena)));
        return false;
    }
    return true;
}

/** Whether the folder's manifest is the new batch's. */
static bool has_manifest(struct store *store, struct str folder, const struct landing_batch *new, struct arena *arena) {
    struct str text;
    return store_get(store, str_path(arena, folder, STR(MANIFEST_NAME)), arena, &text, NULL) == ASSAY_OK &&
           str_eq(text, manifest_print(new, arena));
}

/** The batch that was there, now in `aside`, moves below the new one, and so do those that it had replaced. */
static enum assay_code keep_replaced(struct store *store, struct str aside, const struct landing_batch *new,
                                     struct arena *arena, struct assay_error *err) {
    struct str kept = str_path(arena, new->folder, STR(REPLACED_NAME));
    enum assay_code rc = store_move(store, str_path(arena, aside, STR(REPLACED_NAME)), kept, err);
    if (rc == ASSAY_OK || rc == ASSAY_NOT_FOUND || rc == ASSAY_EXISTS)
        rc = store_move(store, aside, str_printf(arena, "%.*s/%lld", STR_ARG(kept), (long long)new->landed_at_us), err);
    if (rc) error_prepend(err, "the batch is replaced; as it was before it is kept in %.*s", STR_ARG(aside));
    return rc;
}

/** Invariant 3. An answer may be lost when the work was done, so a failure is looked into. */
static enum assay_code swap_folders(struct store *store, struct str incoming, const struct landing_batch *new,
                                    struct arena *arena, struct assay_error *err) {
    enum assay_code rc = store_exchange(store, incoming, new->folder, err);
    if (rc == ASSAY_OK || has_manifest(store, new->folder, new, arena))
        return keep_replaced(store, incoming, new, arena, err);
    if (rc == ASSAY_UNSUPPORTED)
        return error_set(err, rc, str_c(arena, new->folder),
                         "this file system cannot replace a folder in one step, and a batch must never be absent; "
                         "nothing was changed\nnext: land the correction as a batch of its own");
    return rc;
}

/** What to do with an id that is there already: nothing, refuse, or replace it. A batch that is not what its manifest
 * says can be landed again to mend that. */
static enum assay_code judge_existing(struct store *store, struct landing_batch *old, const struct landing_batch *new,
                                      bool replace, struct arena *arena, enum landing_outcome *outcome,
                                      struct assay_error *err) {
    struct str difference = {0}, ignored;
    struct landing_manifest manifest;
    TRY(landing_hash(store, old, 1, arena, err));
    landing_manifest_read(store, old->folder, arena, &manifest);
    bool is_equal = is_same(old->files, old->file_count, new, arena, &difference);
    bool is_true = !manifest.is_there || is_same(manifest.files, manifest.file_count, new, arena, &ignored);
    *outcome = is_equal && (is_true || !replace) ? LANDING_SAME : LANDING_REPLACED;
    if (is_equal || replace) return ASSAY_OK;
    return error_set(err, ASSAY_REFUSED, str_c(arena, old->folder),
                     "batch %.*s was landed before with other content: %.*s\n"
                     "next: land a correction as a batch of its own, or say --replace (the old files are kept)",
                     STR_ARG(old->id), STR_ARG(difference));
}

/** Take away what was published of a batch that did not come to be. */
static void remove_incoming(struct store *store, struct str incoming, struct arena *arena) {
    struct store_entry *entries;
    size_t count;
    if (store_list(store, incoming, arena, &entries, &count, NULL)) return;
    for (size_t i = 0; i < count; i++)
        if (store_remove(store, entries[i].key, NULL)) return;
}

/** A folder that is there all the same holds no data, so what it holds may be replaced. */
static enum assay_code put_new(struct store *store, struct str incoming, const struct landing_batch *new, bool replace,
                               struct arena *arena, struct assay_error *err) {
    enum assay_code rc = store_move(store, incoming, new->folder, err);
    if (rc == ASSAY_EXISTS && replace) return swap_folders(store, incoming, new, arena, err);
    if (rc != ASSAY_EXISTS) return rc;
    return error_set(err, ASSAY_CONFLICT, str_c(arena, new->folder),
                     "the folder is there already, without a file that the contract reads, or was landed at the same "
                     "time; look at it, then land again, with --replace if it may move to _replaced/");
}

/** Publish the staged batch and give it its place. */
static enum assay_code put_staged(struct store *store, const struct plan *plan, enum landing_outcome outcome,
                                  bool replace, const struct landing_batch *new, struct arena *arena,
                                  struct assay_error *err) {
    struct str incoming = str_printf(arena, "%.*s/" INCOMING_PREFIX "%.*s", STR_ARG(landing_source(plan, arena)),
                                     STR_ARG(hash_uuid(arena)));
    enum assay_code rc = publish_all(store, incoming, new, arena, err);
    bool is_published = rc == ASSAY_OK;
    if (is_published)
        rc = outcome == LANDING_REPLACED ? swap_folders(store, incoming, new, arena, err)
                                         : put_new(store, incoming, new, replace, arena, err);
    /* Once the folders may have changed places, only what is surely the new batch may go. */
    if (rc && (!is_published || has_manifest(store, incoming, new, arena))) remove_incoming(store, incoming, arena);
    return rc;
}

static enum assay_code put_batch(struct store *store, struct staging *staging, const struct plan *plan,
                                 const struct landing_delivery *delivery, struct arena *arena,
                                 struct landing_batch *out, enum landing_outcome *outcome, struct assay_error *err) {
    struct landing_batch old;
    struct delivery_file *files;
    size_t count;
    TRY(delivery_list(plan, delivery, out->folder, arena, &files, &count, out, err));
    TRY(stage_all(staging, files, count, arena, out, err));
    *outcome = LANDING_DONE;
    enum assay_code rc = landing_find(store, plan, out->id, arena, &old, err);
    if (rc && rc != ASSAY_NOT_FOUND) return rc;
    if (rc == ASSAY_OK) TRY(judge_existing(store, &old, out, delivery->is_replacing, arena, outcome, err));
    if (*outcome == LANDING_SAME) return ASSAY_OK;
    return put_staged(store, plan, *outcome, delivery->is_replacing, out, arena, err);
}

enum assay_code landing_put(struct store *store, const struct plan *plan, struct str batch_id,
                            const struct landing_delivery *delivery, struct arena *arena, struct landing_batch *out,
                            enum landing_outcome *outcome, struct assay_error *err) {
    struct staging *staging;
    TRY(plan_batch_check(batch_id, err));
    *out = (struct landing_batch){
        .id = batch_id, .folder = landing_folder(plan, batch_id, arena), .landed_at_us = time_now_us()};
    TRY(check_links(store, out->folder, arena, err));
    TRY(staging_open(store, &staging, err));
    enum assay_code rc = put_batch(store, staging, plan, delivery, arena, out, outcome, err);
    staging_close(&staging);
    if (rc) return rc;
    for (size_t i = 0; i < out->file_count; i++) out->files[i].key = str_path(arena, out->folder, out->files[i].name);
    return ASSAY_OK;
}
