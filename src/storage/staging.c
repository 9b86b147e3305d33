/*
 * Folders for files that are not yet in the lake.
 *
 * 1. A staging folder belongs to one process, which holds a lock on it while it lives; the kernel lets go of it when
 * the process ends, however it ends. So a folder without a lock is rubbish, on every host and in every container.
 * 2. A folder is removed only by its owner or under its lock, and a new one counts only when it is still there after
 * locking.
 */
#include "base/hash.h"
#include "storage/storage_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 20 };

struct staging {
    struct arena arena;
    const char *parent;
    struct str folder;
    int lock_fd;
    atomic_uint_fast64_t last;
};

/** Below TMPDIR the name is known to everybody, so the folder must be ours alone. */
static enum assay_code check_owner(const char *path, struct assay_error *err) {
    struct stat st;
    if (lstat(path, &st)) return error_errno(err, errno, path, "look at the staging folder");
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 0022))
        return error_set(err, ASSAY_DENIED, path,
                         "the staging folder is not ours alone; remove it or set TMPDIR to another folder");
    return ASSAY_OK;
}

static enum assay_code make_parent(const struct store *store, struct staging *s, struct assay_error *err) {
    if (store->staging_root.len) {
        s->parent = str_c(&s->arena, store->staging_root);
        return files_make_folders(s->parent, err);
    }
    const char *temporary = getenv("TMPDIR");
    s->parent = str_printf(&s->arena, "%s/" HIDDEN_PREFIX "staging-%u", temporary && *temporary ? temporary : "/tmp",
                           (unsigned)geteuid())
                    .ptr;
    if (mkdir(s->parent, 0700) && errno != EEXIST) return error_errno(err, errno, s->parent, "make the staging folder");
    return check_owner(s->parent, err);
}

static int open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

/** Remove the folder if no living process has locked it. */
static void remove_if_dead(const char *path) {
    int fd = open_folder(path);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) files_remove_tree(path);
    close(fd);
}

static void remove_dead(struct staging *s) {
    DIR *dir = opendir(s->parent);
    if (!dir) return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') remove_if_dead(str_path(&s->arena, str_of(s->parent), str_of(entry->d_name)).ptr);
    closedir(dir);
}

static bool is_still_there(const char *path, int fd) {
    struct stat by_path, by_fd;
    return lstat(path, &by_path) == 0 && fstat(fd, &by_fd) == 0 && by_path.st_ino == by_fd.st_ino &&
           by_path.st_dev == by_fd.st_dev;
}

/** One attempt; false with ENOENT when another process cleaned our folder away before it was locked. */
static bool make_folder(struct staging *s) {
    struct str name = str_printf(&s->arena, "%d-%s", (int)getpid(), hash_uuid(&s->arena).ptr);
    s->folder = str_path(&s->arena, str_of(s->parent), name);
    if (mkdir(s->folder.ptr, 0700)) return false;
    s->lock_fd = open_folder(s->folder.ptr);
    if (s->lock_fd < 0) return false;
    bool is_taken =
        flock(s->lock_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; /* being removed; without locks nobody does */
    if (!is_taken && is_still_there(s->folder.ptr, s->lock_fd)) return true;
    close(s->lock_fd);
    errno = ENOENT;
    return false;
}

static enum assay_code open_staging(struct store *store, struct staging *s, struct assay_error *err) {
    for (int attempt = 1;; attempt++) {
        TRY(make_parent(store, s, err));
        if (make_folder(s)) break;
        if (errno != ENOENT || attempt == ATTEMPTS)
            return error_errno(err, errno, s->folder.ptr, "make the staging folder");
    }
    remove_dead(s);
    return ASSAY_OK;
}

enum assay_code staging_open(struct store *store, struct staging **out, struct assay_error *err) {
    struct staging *s = memory_alloc(sizeof *s);
    *s = (struct staging){.lock_fd = -1};
    enum assay_code rc = open_staging(store, s, err);
    if (rc) {
        arena_reset(&s->arena);
        free(s);
        return rc;
    }
    *out = s;
    return ASSAY_OK;
}

struct str staging_folder(const struct staging *staging) {
    return staging->folder;
}

struct str staging_path(struct staging *staging, struct arena *arena, struct str hint) {
    unsigned long long number = atomic_fetch_add(&staging->last, 1) + 1;
    return str_printf(arena, "%.*s/%llu-%.*s", STR_ARG(staging->folder), number, STR_ARG(str_basename(hint)));
}

void staging_close(struct staging **staging) {
    struct staging *s = *staging;
    if (!s) return;
    files_remove_tree(s->folder.ptr);
    rmdir(s->parent); /* only when it is empty */
    close(s->lock_fd);
    arena_reset(&s->arena);
    free(s);
    *staging = NULL;
}
