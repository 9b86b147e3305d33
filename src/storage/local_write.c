/*
 * Writing into a lake on a file system.
 *
 * States of a put: temporary file written and synced -> name given (link or rename) -> folder synced. Only the second
 * step is seen by readers, and it is one atomic call of the file system.
 *
 * 1. Nothing is named before its bytes are durable; nothing is reported before its name is.
 * 2. put_if_absent says EXISTS only when the object is somebody else's, and an error other than UNKNOWN only when the
 * object was certainly not created. When the call that names it fails in doubt, the link count of our own file tells.
 * 3. A temporary file is removed on every way out; only a killed process leaves one, under a name that is never listed.
 */
#include "base/hash.h"
#include "storage/storage_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
    struct store *store;
    struct str key;
    struct arena arena;
    char *path;
    char *temporary; /* in the same folder */
    struct assay_error *err;
};

static void target_init(struct target *t, struct store *store, struct str key, struct assay_error *err) {
    *t = (struct target){.store = store, .key = key, .err = err};
    t->path = local_file(store, key, &t->arena);
    size_t folder_len = (size_t)(strrchr(t->path, '/') - t->path);
    t->temporary = str_c(&t->arena, str_printf(&t->arena, "%.*s/" HIDDEN_PREFIX "%d-%s", (int)folder_len, t->path,
                                               (int)getpid(), hash_uuid(&t->arena).ptr));
}

static enum assay_code fail(struct target *t, int errnum, const char *doing) {
    return local_fail(t->store, t->key, errnum, doing, t->err);
}

/** Open the temporary file, making the folders above it when they are missing. */
static enum assay_code open_temporary(struct target *t, int *fd) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    *fd = open(t->temporary, flags, 0666);
    if (*fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        TRY(files_make_parents(t->path, t->err));
        *fd = open(t->temporary, flags, 0666);
    }
    return *fd < 0 ? fail(t, errno, "create") : ASSAY_OK;
}

static enum assay_code write_temporary(struct target *t, struct str bytes) {
    int fd;
    TRY(open_temporary(t, &fd));
    int failed = files_write_all(fd, bytes);
    if (!failed && fsync(fd)) failed = errno;
    close(fd);
    if (!failed) return ASSAY_OK;
    unlink(t->temporary);
    return fail(t, failed, "write");
}

static bool is_linked_twice(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && st.st_nlink == 2;
}

/** Failures after which a network file system may have done it all the same. */
static bool is_in_doubt(int errnum) {
    return errnum == EIO || errnum == ETIMEDOUT || errnum == ESTALE || errnum == EINTR;
}

static bool has_no_links(int errnum) {
    return errnum == EPERM || errnum == EOPNOTSUPP || errnum == ENOSYS || errnum == EMLINK;
}

/** Name `from` as the target where hard links are not to be had; `from` is gone afterwards. */
static enum assay_code rename_no_replace(struct target *t, const char *from) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, t->path, RENAME_NOREPLACE) == 0) return ASSAY_OK;
    if (is_in_doubt(errno))
        return error_set(t->err, ASSAY_UNKNOWN, t->path, "it is not known whether it was created: %s", strerror(errno));
    if (errno == EINVAL || errno == ENOSYS)
        return error_set(
            t->err, ASSAY_UNSUPPORTED, t->path,
            "this file system can neither link nor rename without replacing, so two writers would not be safe; "
            "keep the lake on another");
    return fail(t, errno, "create");
}

/** Name the temporary file as the target if there is none; the temporary name is gone afterwards. */
static enum assay_code link_no_replace(struct target *t, const char *from) {
    if (link(from, t->path) == 0) {
        unlink(from);
        return ASSAY_OK;
    }
    int failed = errno;
    if (has_no_links(failed)) return rename_no_replace(t, from);
    bool is_ours = is_linked_twice(from);
    if (is_ours) unlink(from);
    if (is_ours) return ASSAY_OK;
    if (is_in_doubt(failed))
        return error_set(t->err, ASSAY_UNKNOWN, t->path, "it is not known whether it was created: %s",
                         strerror(failed));
    return fail(t, failed, "create");
}

static enum assay_code put_new(struct target *t) {
    enum assay_code rc = link_no_replace(t, t->temporary);
    if (rc) {
        unlink(t->temporary);
        return rc;
    }
    rc = files_sync_parent(t->path, t->err);
    if (!rc) return ASSAY_OK;
    char why[sizeof t->err->message] = "";
    if (t->err) memcpy(why, t->err->message, sizeof why);
    return error_set(t->err, ASSAY_UNKNOWN, t->path, "it was created, but may not survive a power cut: %.800s", why);
}

static enum assay_code put_over(struct target *t) {
    if (rename(t->temporary, t->path) == 0) return files_sync_parent(t->path, t->err);
    int failed = errno;
    unlink(t->temporary);
    if (failed == EISDIR)
        return error_set(t->err, ASSAY_DENIED, t->path, "a folder is here, expected a file or nothing");
    return fail(t, failed, "replace");
}

enum assay_code local_put(struct store *store, struct str key, struct str bytes, bool if_absent,
                          struct assay_error *err) {
    struct target t;
    target_init(&t, store, key, err);
    enum assay_code rc = write_temporary(&t, bytes);
    if (!rc) rc = if_absent ? put_new(&t) : put_over(&t);
    arena_reset(&t.arena);
    return rc;
}

static enum assay_code sync_staged(struct target *t, const char *staged) {
    int fd = open(staged, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error_errno(t->err, errno, staged, "open the staged file");
    int failed = fsync(fd) ? errno : 0;
    close(fd);
    return failed ? error_errno(t->err, failed, staged, "make the staged file durable") : ASSAY_OK;
}

/** Give the staged file its name in the lake, inside one file system. */
static int rename_staged(struct target *t, const char *staged) {
    if (renameat2(AT_FDCWD, staged, AT_FDCWD, t->path, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (link(staged, t->path)) return errno;
    unlink(staged);
    return 0;
}

static int copy_bytes(int from, int to) {
    char bytes[128 * 1024];
    for (;;) {
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : 0;
        int failed = files_write_all(to, (struct str){bytes, (size_t)n});
        if (failed) return failed;
    }
}

/** The table's folder is on another file system (a link, a mount): copy, then name the copy. */
static enum assay_code copy_staged(struct target *t, const char *staged) {
    int from = open(staged, O_RDONLY | O_CLOEXEC);
    if (from < 0) return error_errno(t->err, errno, staged, "open the staged file");
    int to = -1;
    enum assay_code rc = open_temporary(t, &to);
    int failed = rc ? 0 : copy_bytes(from, to);
    if (!rc && !failed && fsync(to)) failed = errno;
    close(from);
    if (to >= 0) close(to);
    if (failed) rc = fail(t, failed, "write");
    if (!rc) rc = link_no_replace(t, t->temporary);
    if (rc && to >= 0) unlink(t->temporary);
    if (!rc) unlink(staged);
    return rc;
}

static enum assay_code publish(struct target *t, const char *staged) {
    TRY(sync_staged(t, staged));
    int failed = rename_staged(t, staged);
    if (failed == ENOENT || failed == ENOTDIR) {
        TRY(files_make_parents(t->path, t->err));
        failed = rename_staged(t, staged);
    }
    if (failed == EXDEV)
        TRY(copy_staged(t, staged));
    else if (failed)
        return fail(t, failed, "publish");
    return files_sync_parent(t->path, t->err);
}

enum assay_code local_publish(struct store *store, struct str staged_path, struct str key, struct assay_error *err) {
    struct target t;
    target_init(&t, store, key, err);
    enum assay_code rc = publish(&t, str_c(&t.arena, staged_path));
    arena_reset(&t.arena);
    return rc;
}

/** rename for file systems without RENAME_NOREPLACE. It never replaces a folder that holds something, nor a file by a
 * folder. */
static int move_by_rename(const char *from, const char *to) {
    struct stat st;
    if (lstat(to, &st) == 0) return EEXIST;
    if (rename(from, to) == 0) return 0;
    return errno == ENOTEMPTY || errno == ENOTDIR ? EEXIST : errno;
}

static int move_no_replace(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    return errno == EINVAL || errno == ENOSYS ? move_by_rename(from, to) : errno;
}

static enum assay_code move(struct target *t, struct str from_key) {
    const char *from = local_file(t->store, from_key, &t->arena);
    struct stat st;
    if (lstat(from, &st)) return local_fail(t->store, from_key, errno, "move", t->err);
    TRY(files_make_parents(t->path, t->err));
    int failed = move_no_replace(from, t->path);
    if (failed == EEXIST) return fail(t, failed, "move something here");
    if (failed) return local_fail(t->store, from_key, failed, "move", t->err);
    TRY(files_sync_parent(t->path, t->err));
    return files_sync_parent(from, t->err);
}

enum assay_code local_move(struct store *store, struct str from_key, struct str to_key, struct assay_error *err) {
    struct target t;
    target_init(&t, store, to_key, err);
    enum assay_code rc = move(&t, from_key);
    arena_reset(&t.arena);
    return rc;
}

static enum assay_code exchange(struct target *t, struct str other_key) {
    const char *other = local_file(t->store, other_key, &t->arena);
    if (renameat2(AT_FDCWD, t->path, AT_FDCWD, other, RENAME_EXCHANGE)) {
        if (errno == EINVAL || errno == ENOSYS)
            return error_set(t->err, ASSAY_UNSUPPORTED, t->path,
                             "this file system cannot let two folders change places in one step");
        return fail(t, errno, "exchange");
    }
    TRY(files_sync_parent(t->path, t->err));
    return files_sync_parent(other, t->err);
}

enum assay_code local_exchange(struct store *store, struct str a_key, struct str b_key, struct assay_error *err) {
    struct target t;
    target_init(&t, store, a_key, err);
    enum assay_code rc = exchange(&t, b_key);
    arena_reset(&t.arena);
    return rc;
}
