/*
 * Files and folders of the operating system, for the stores.
 *
 * 1. A folder made here is durable: the folder above it is synced before the call returns.
 * 2. Removing a tree never follows a link.
 */
#include "storage/storage_int.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *parent_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    char *parent = memory_alloc(len + 2);
    if (len) memcpy(parent, path, len);
    if (!len) parent[len++] = slash ? '/' : '.';
    parent[len] = '\0';
    return parent;
}

enum assay_code files_sync_folder(const char *path, struct assay_error *err) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return error_errno(err, errno, path, "open the folder to make it durable");
    int failed = fsync(fd) ? errno : 0;
    close(fd);
    if (failed && failed != EINVAL) /* a file system without it has nothing to sync */
        return error_errno(err, failed, path, "make the folder durable");
    return ASSAY_OK;
}

enum assay_code files_sync_parent(const char *path, struct assay_error *err) {
    char *parent = parent_of(path);
    enum assay_code rc = files_sync_folder(parent, err);
    free(parent);
    return rc;
}

/** What mkdir found in its place: 0 a folder, ENOENT gone again, ENOTDIR something else. */
static int look_at_folder(const char *path) {
    struct stat st;
    if (stat(path, &st)) return errno;
    return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

enum assay_code files_make_folders(const char *path, struct assay_error *err) {
    enum { ATTEMPTS = 20 }; /* others may remove an empty folder while we make what is below it */
    int failed = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (mkdir(path, 0777) == 0) return files_sync_parent(path, err);
        failed = errno == EEXIST ? look_at_folder(path) : errno;
        if (failed == 0) return ASSAY_OK;
        if (failed != ENOENT || !strchr(path, '/')) break;
        TRY(files_make_parents(path, err));
    }
    if (failed == ENOTDIR) return error_set(err, ASSAY_DENIED, path, "cannot make this folder: a file is in the way");
    if (failed == ENOENT)
        return error_set(err, ASSAY_DENIED, path, "cannot make this folder: a link to nothing is in the way");
    return error_errno(err, failed, path, "make the folder");
}

enum assay_code files_make_parents(const char *path, struct assay_error *err) {
    char *parent = parent_of(path);
    enum assay_code rc = files_make_folders(parent, err);
    free(parent);
    return rc;
}

int files_write_all(int fd, struct str bytes) {
    while (bytes.len) {
        ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        bytes = str_sub(bytes, (size_t)n, bytes.len);
    }
    return 0;
}

int files_read_all(int fd, int64_t offset, int64_t most, struct arena *arena, struct str *out) {
    char *bytes = arena_alloc(arena, (size_t)most + 1);
    size_t have = 0;
    while (have < (size_t)most) {
        ssize_t n = pread(fd, bytes + have, (size_t)most - have, (off_t)(offset + (int64_t)have));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) break;
        have += (size_t)n;
    }
    *out = (struct str){bytes, have};
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place) {
    (void)st;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

void files_remove_tree(const char *path) { (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }
