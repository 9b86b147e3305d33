/*
 * A lake in a folder: opening it, reading, removing. Writing is in local_write.c, listing in local_list.c.
 *
 * 1. An object is a regular file. A folder or anything else at its place is said to be that, never read.
 * 2. Paths are joined from the root's real path and a checked key, so nothing depends on the current folder.
 */
#include "storage/storage_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *local_file(struct store *store, struct str key, struct arena *arena) {
    const struct local *local = (const struct local *)store;
    return str_c(arena, str_path(arena, local->path, key));
}

enum assay_code local_fail(struct store *store, struct str key, int errnum, const char *doing,
                           struct assay_error *err) {
    enum assay_code rc = error_errno(err, errnum, NULL, doing);
    error_prepend(err, "%.*s/%.*s", STR_ARG(store->root), STR_ARG(key));
    return rc;
}

static enum assay_code refuse_kind(struct store *store, struct str key, mode_t mode, struct assay_error *err) {
    enum assay_code code = S_ISDIR(mode) ? ASSAY_NOT_FOUND : ASSAY_DENIED;
    error_set(err, code, NULL, "%s, expected a file", S_ISDIR(mode) ? "a folder" : "a device, pipe or socket");
    error_prepend(err, "%.*s/%.*s", STR_ARG(store->root), STR_ARG(key));
    return code;
}

static int64_t modified_us(const struct stat *st) {
    return (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000;
}

static enum assay_code local_get(struct store *store, struct str key, int64_t offset, int64_t length,
                                 struct arena *arena, struct str *out, struct assay_error *err) {
    struct arena scratch = {0};
    int fd = open(local_file(store, key, &scratch), O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hang us */
    int failed = fd < 0 ? errno : 0;
    arena_reset(&scratch);
    if (failed) return local_fail(store, key, failed, "read", err);

    enum assay_code rc = ASSAY_OK;
    struct stat st;
    if (fstat(fd, &st)) {
        rc = local_fail(store, key, errno, "read", err);
    } else if (!S_ISREG(st.st_mode)) {
        rc = refuse_kind(store, key, st.st_mode, err);
    } else {
        range_cut(st.st_size, &offset, &length);
        failed = files_read_all(fd, offset, length, arena, out);
        if (failed) rc = local_fail(store, key, failed, "read", err);
    }
    close(fd);
    return rc;
}

static enum assay_code local_stat(struct store *store, struct str key, struct store_entry *out,
                                  struct assay_error *err) {
    struct arena scratch = {0};
    struct stat st;
    int failed = stat(local_file(store, key, &scratch), &st) ? errno : 0;
    arena_reset(&scratch);
    if (failed) return local_fail(store, key, failed, "look at", err);
    if (!S_ISREG(st.st_mode)) return refuse_kind(store, key, st.st_mode, err);
    *out = (struct store_entry){.key = key, .size_bytes = st.st_size, .modified_us = modified_us(&st)};
    return ASSAY_OK;
}

static enum assay_code local_remove(struct store *store, struct str key, struct assay_error *err) {
    struct arena scratch = {0};
    int failed = unlink(local_file(store, key, &scratch)) ? errno : 0;
    arena_reset(&scratch);
    if (failed == 0 || failed == ENOENT || failed == ENOTDIR) return ASSAY_OK;
    if (failed == EISDIR) return refuse_kind(store, key, S_IFDIR, err);
    return local_fail(store, key, failed, "remove", err);
}

static enum assay_code local_path(struct store *store, struct str key, struct arena *arena, struct str *out,
                                  struct assay_error *err) {
    (void)err;
    *out = str_of(local_file(store, key, arena));
    return ASSAY_OK;
}

static void local_close(struct store *store) {
    struct local *local = (struct local *)store;
    arena_reset(&local->arena);
    free(local);
}

static const struct store_ops local_ops = {
    .name = "local",
    .get = local_get,
    .put = local_put,
    .publish = local_publish,
    .list = local_list,
    .remove = local_remove,
    .stat = local_stat,
    .local_path = local_path,
    .move = local_move,
    .exchange = local_exchange,
    .close = local_close,
};

/** The real path of the root in *out (free it), after making it if asked to. */
static enum assay_code find_root(const char *root, bool create, char **out, struct assay_error *err) {
    if (create) TRY(files_make_folders(root, err));
    char *real = realpath(root, NULL);
    if (!real && errno == ENOENT) return error_set(err, ASSAY_NOT_FOUND, root, "there is no such folder");
    if (!real) return error_errno(err, errno, root, "open the lake");
    struct stat st;
    int failed = stat(real, &st) ? errno : 0;
    enum assay_code rc = ASSAY_OK;
    if (failed)
        rc = error_errno(err, failed, root, "open the lake");
    else if (!S_ISDIR(st.st_mode))
        rc = error_set(err, ASSAY_INVALID, root, "this is a file, expected a folder");
    else if (access(real, R_OK | X_OK))
        rc = error_errno(err, errno, root, "open the lake");
    if (rc)
        free(real);
    else
        *out = real;
    return rc;
}

enum assay_code store_open_local(struct str root, bool create, struct store **out, struct assay_error *err) {
    if (root.len == 0) return error_set(err, ASSAY_INVALID, NULL, "the lake has no folder; name one");
    struct arena arena = {0};
    struct str named = str_copy(&arena, root);
    while (named.len > 1 && named.ptr[named.len - 1] == '/') named.len--;
    named = str_copy(&arena, named);
    char *real = NULL;
    enum assay_code rc = find_root(named.ptr, create, &real, err);
    if (rc) {
        arena_reset(&arena);
        return rc;
    }
    struct local *local = memory_alloc(sizeof *local);
    struct str path = str_copy(&arena, str_of(real));
    free(real);
    struct str staging_root = str_path(&arena, path, STR(HIDDEN_PREFIX "staging"));
    *local = (struct local){
        .store = {.ops = &local_ops, .root = named, .staging_root = staging_root}, .path = path, .arena = arena};
    *out = &local->store;
    return ASSAY_OK;
}
