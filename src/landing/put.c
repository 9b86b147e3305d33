/**
 * Landing a delivery: the whole batch or nothing.
 *
 * 1. Files are copied to the staging folder and hashed on the way, published into `_landing-<random>` beside the batch
 * folders, which no list shows, then the folder is renamed to `batch_id=<id>`: before that nothing is there, after it
 * everything.
 * 2. An id that is there with equal content (names and hashes) changes nothing.
 * 3. Nothing is ever deleted: a batch that is replaced moves, as it is, to `_replaced/<time>/` in the new one. In
 * between the batch is absent for a moment, but never half of one and half of the other; after a crash then, the old
 * one lies in `_landing-<random>-replaced` and the delivery is landed again.
 */
#include "landing/landing_int.h"

#include "base/hash.h"
#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20 };

static enum assay_code check_names(const struct plan *plan, const struct str *paths, size_t count,
                                   struct assay_error *err) {
    for (size_t i = 0; i < count; i++) {
        struct str name = str_basename(paths[i]);
        if (!landing_is_data(plan, name))
            return error_set(
                err, ASSAY_INVALID, paths[i].ptr,
                "the file would not be read: names must match the contract's pattern %.*s and not start with _ or .",
                STR_ARG(plan->source.pattern));
        for (size_t k = 0; k < i; k++)
            if (str_eq(str_basename(paths[k]), name))
                return error_set(err, ASSAY_INVALID, paths[i].ptr,
                                 "two files are named %.*s; a batch needs one name per file", STR_ARG(name));
    }
    return ASSAY_OK;
}

static enum assay_code write_all(int fd, const char *bytes, size_t count) {
    while (count) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ASSAY_UNAVAILABLE;
        bytes += n;
        count -= (size_t)n;
    }
    return ASSAY_OK;
}

/** Copy between open files, hashing on the way. */
static enum assay_code copy_bytes(int from, int to, const char *from_name, const char *to_name,
                                  struct landing_file *file, char *hex, struct assay_error *err) {
    struct hash *h = hash_open();
    char *block = memory_alloc(COPY_BYTES);
    enum assay_code rc = ASSAY_OK;
    ssize_t n;
    while ((n = read(from, block, COPY_BYTES)) > 0 && rc == ASSAY_OK) {
        hash_add(h, block, (size_t)n);
        file->size_bytes += n;
        if (write_all(to, block, (size_t)n)) rc = error_errno(err, errno, to_name, "write");
    }
    if (n < 0 && rc == ASSAY_OK) rc = error_errno(err, errno, from_name, "read");
    hash_close(&h, hex);
    free(block);
    return rc;
}

/** Copy one file to a staged path; fills size and hash. */
static enum assay_code copy_file(struct str from_path, struct str to_path, struct arena *arena,
                                 struct landing_file *file, struct assay_error *err) {
    const char *from_name = str_c(arena, from_path), *to_name = str_c(arena, to_path);
    char hex[HASH_SHA256_HEX + 1];
    struct stat st;
    int to = -1, from = open(from_name, O_RDONLY | O_CLOEXEC);
    if (from < 0) return error_errno(err, errno, from_name, "read");
    enum assay_code rc = ASSAY_OK;
    if (fstat(from, &st) || !S_ISREG(st.st_mode)) {
        rc = error_set(err, ASSAY_INVALID, from_name, "is no file; name the files of the delivery one by one");
        goto done;
    }
    to = open(to_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0) {
        rc = error_errno(err, errno, to_name, "create");
        goto done;
    }
    rc = copy_bytes(from, to, from_name, to_name, file, hex, err);
    if (rc == ASSAY_OK) file->sha256 = str_copy(arena, str_of(hex));
done:
    if (to >= 0 && close(to) && rc == ASSAY_OK) rc = error_errno(err, errno, to_name, "write");
    close(from);
    return rc;
}

static int by_name(const void *a, const void *b) {
    return str_cmp(((const struct landing_file *)a)->name, ((const struct landing_file *)b)->name);
}

/** Copy all files into the staging folder, sorted by name; file i is staged as staged[i]. */
static enum assay_code stage_all(struct staging *staging, const struct str *paths, size_t count, struct arena *arena,
                                 struct landing_batch *out, struct assay_error *err) {
    out->files = ARENA_ARRAY(arena, count, struct landing_file);
    out->file_count = count;
    for (size_t i = 0; i < count; i++) {
        struct landing_file *file = &out->files[i];
        file->name = str_copy(arena, str_basename(paths[i]));
        file->key = staging_path(staging, arena, STR("landing")); /* its path for now */
        TRY(copy_file(paths[i], file->key, arena, file, err));
    }
    qsort(out->files, count, sizeof *out->files, by_name);
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
static bool is_same(const struct landing_batch *old, const struct landing_batch *new, struct arena *arena,
                    struct str *difference) {
    for (size_t i = 0; i < old->file_count || i < new->file_count; i++) {
        bool has_old = i < old->file_count, has_new = i < new->file_count;
        if (has_old && has_new && str_eq(old->files[i].name, new->files[i].name) &&
            str_eq(old->files[i].sha256, new->files[i].sha256))
            continue;
        if (has_old && has_new && str_eq(old->files[i].name, new->files[i].name))
            *difference = str_printf(arena, "%.*s has sha256 %.*s there, %.*s now", STR_ARG(old->files[i].name),
                                     STR_ARG(old->files[i].sha256), STR_ARG(new->files[i].sha256));
        else if (has_old && (!has_new || str_cmp(old->files[i].name, new->files[i].name) < 0))
            *difference = str_printf(arena, "%.*s is there and not in this delivery", STR_ARG(old->files[i].name));
        else
            *difference = str_printf(arena, "%.*s is not there yet", STR_ARG(new->files[i].name));
        return false;
    }
    return true;
}

/** The batch folder goes aside, the new one takes its place, and keeps the old one in `_replaced/<time>/`. */
static enum assay_code swap_folders(struct store *store, struct str incoming, const struct landing_batch *old,
                                    int64_t now_us, struct arena *arena, struct assay_error *err) {
    struct str aside = str_printf(arena, "%.*s-replaced", STR_ARG(incoming));
    struct str kept = str_printf(arena, "%.*s/_replaced/%lld", STR_ARG(old->folder), (long long)now_us);
    enum assay_code rc = store_move(store, old->folder, aside, err);
    if (rc == ASSAY_OK) rc = store_move(store, incoming, old->folder, err);
    if (rc) { /* also when the move was done and only its answer is lost */
        enum assay_code back = store_move(store, aside, old->folder, NULL);
        if (back && back != ASSAY_NOT_FOUND) error_prepend(err, "the batch as it was is kept in %.*s", STR_ARG(aside));
        return rc;
    }
    rc = store_move(store, aside, kept, err);
    if (rc) error_prepend(err, "the batch is replaced; as it was before it is kept in %.*s", STR_ARG(aside));
    return rc;
}

/** What to do with an id that is there already: nothing, refuse, or replace it. */
static enum assay_code judge_existing(struct store *store, struct landing_batch *old, const struct landing_batch *new,
                                      bool replace, struct arena *arena, enum landing_outcome *outcome,
                                      struct assay_error *err) {
    struct str difference = {0};
    TRY(landing_hash(store, old, 1, arena, err));
    bool is_equal = is_same(old, new, arena, &difference);
    *outcome = is_equal ? LANDING_SAME : LANDING_REPLACED;
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

static enum assay_code put_new(struct store *store, struct str incoming, const struct landing_batch *new,
                               struct arena *arena, struct assay_error *err) {
    enum assay_code rc = store_move(store, incoming, new->folder, err);
    if (rc != ASSAY_EXISTS) return rc;
    return error_set(err, ASSAY_CONFLICT, str_c(arena, new->folder),
                     "the folder is there already, without a file that the contract reads, or was landed at the same "
                     "time; look at it, then land again");
}

static enum assay_code put_batch(struct store *store, struct staging *staging, const struct plan *plan,
                                 const struct str *paths, size_t count, bool replace, struct arena *arena,
                                 struct landing_batch *out, enum landing_outcome *outcome, struct assay_error *err) {
    struct landing_batch old;
    struct str incoming =
        str_printf(arena, "%.*s/_landing-%.*s", STR_ARG(landing_source_key(plan, arena)), STR_ARG(hash_uuid(arena)));
    TRY(stage_all(staging, paths, count, arena, out, err));
    *outcome = LANDING_DONE;
    enum assay_code rc = landing_find(store, plan, out->id, arena, &old, err);
    if (rc && rc != ASSAY_NOT_FOUND) return rc;
    if (rc == ASSAY_OK) TRY(judge_existing(store, &old, out, replace, arena, outcome, err));
    if (*outcome == LANDING_SAME) return ASSAY_OK;
    rc = publish_all(store, incoming, out, arena, err);
    if (rc == ASSAY_OK)
        rc = *outcome == LANDING_REPLACED ? swap_folders(store, incoming, &old, out->landed_at_us, arena, err)
                                          : put_new(store, incoming, out, arena, err);
    if (rc) remove_incoming(store, incoming, arena);
    return rc;
}

enum assay_code landing_put(struct store *store, const struct plan *plan, struct str batch_id, const struct str *paths,
                            size_t path_count, bool replace, struct arena *arena, struct landing_batch *out,
                            enum landing_outcome *outcome, struct assay_error *err) {
    struct staging *staging;
    TRY(plan_batch_check(batch_id, err));
    TRY(check_names(plan, paths, path_count, err));
    *out = (struct landing_batch){
        .id = batch_id, .folder = landing_folder_key(plan, batch_id, arena), .landed_at_us = time_now_us()};
    TRY(staging_open(store, &staging, err));
    enum assay_code rc = put_batch(store, staging, plan, paths, path_count, replace, arena, out, outcome, err);
    staging_close(&staging);
    if (rc) return rc;
    for (size_t i = 0; i < out->file_count; i++) out->files[i].key = str_path(arena, out->folder, out->files[i].name);
    return ASSAY_OK;
}
