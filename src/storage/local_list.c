/*
 * Listing a folder.
 *
 * 1. One folder is open at a time, so depth costs no file handles.
 * 2. Links to folders are followed; a folder that is its own ancestor is not entered again.
 * 3. What goes away while we list is not listed; a folder that may not be read is an error, never a shorter list.
 * 4. A link to nothing is listed as an object of no bytes: the storage behind it may be away, and who needs the object
 * must fail to read it rather than do without it.
 */
#include "base/limits.h"
#include "storage/storage_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/** A folder to list, or one that is above such a folder. */
struct folder {
    const struct folder *parent;
    struct folder *next; /* to be listed */
    struct str key;
    dev_t device;
    ino_t inode;
};

struct listing {
    struct store *store;
    bool is_flat;
    struct arena scratch;
    struct folder *pending;
    struct arena *arena;
    struct store_entry *entries;
    size_t count, capacity;
    struct assay_error *err;
};

static bool is_own_ancestor(const struct folder *folder) {
    for (const struct folder *above = folder->parent; above; above = above->parent)
        if (above->device == folder->device && above->inode == folder->inode) return true;
    return false;
}

static enum assay_code add_name(struct listing *l, const struct folder *folder, int fd, const char *name) {
    struct stat st;
    bool is_link_to_nothing = false;
    if (fstatat(fd, name, &st, 0)) {
        if (errno != ENOENT && errno != ELOOP)
            return local_fail(l->store, folder->key, errno, "look at a file of the folder", l->err);
        is_link_to_nothing = fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
        if (!is_link_to_nothing) return ASSAY_OK;
        st.st_size = 0;
    }
    if (S_ISDIR(st.st_mode) && !l->is_flat) {
        struct str key = str_path(&l->scratch, folder->key, str_of(name));
        if (key.len > LIMIT_KEY_BYTES)
            return error_set(l->err, ASSAY_LIMIT, l->store->root.ptr,
                             "folders nested so deep that names exceed %d bytes", LIMIT_KEY_BYTES);
        struct folder *below = ARENA_NEW(&l->scratch, struct folder);
        *below = (struct folder){.parent = folder, .next = l->pending, .key = key};
        l->pending = below;
    } else if (S_ISREG(st.st_mode) || is_link_to_nothing) {
        LIST_PUSH(l->arena, l->entries, l->count, l->capacity) = (struct store_entry){
            .key = str_path(l->arena, folder->key, str_of(name)),
            .size_bytes = st.st_size,
            .modified_us = (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000,
        };
    }
    return ASSAY_OK;
}

static bool is_hidden(struct str name) {
    return str_eq(name, STR(".")) || str_eq(name, STR("..")) || str_starts(name, STR(HIDDEN_PREFIX));
}

static enum assay_code read_names(struct listing *l, struct folder *folder, DIR *dir) {
    struct stat st;
    if (fstat(dirfd(dir), &st)) return local_fail(l->store, folder->key, errno, "list", l->err);
    folder->device = st.st_dev;
    folder->inode = st.st_ino;
    if (is_own_ancestor(folder)) return ASSAY_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry && errno) return local_fail(l->store, folder->key, errno, "list", l->err);
        if (!entry) return ASSAY_OK;
        if (!is_hidden(str_of(entry->d_name))) TRY(add_name(l, folder, dirfd(dir), entry->d_name));
    }
}

/** A missing folder is empty, but not when the whole lake went away. */
static enum assay_code check_root(struct listing *l) {
    if (access(local_file(l->store, (struct str){0}, &l->scratch), F_OK) == 0) return ASSAY_OK;
    return error_errno(l->err, errno, l->store->root.ptr, "list the lake");
}

static enum assay_code list_folder(struct listing *l, struct folder *folder) {
    DIR *dir = opendir(local_file(l->store, folder->key, &l->scratch));
    if (!dir && (errno == ENOENT || errno == ENOTDIR)) return check_root(l);
    if (!dir) return local_fail(l->store, folder->key, errno, "list", l->err);
    enum assay_code rc = read_names(l, folder, dir);
    closedir(dir);
    return rc;
}

enum assay_code local_list(struct store *store, struct str prefix, bool is_flat, struct arena *arena,
                           struct store_entry **out, size_t *count, struct assay_error *err) {
    struct listing l = {.store = store, .is_flat = is_flat, .arena = arena, .err = err};
    struct folder first = {.key = prefix};
    enum assay_code rc = list_folder(&l, &first);
    while (!rc && l.pending) {
        struct folder *folder = l.pending;
        l.pending = folder->next;
        rc = list_folder(&l, folder);
    }
    arena_reset(&l.scratch);
    if (rc) return rc;
    entries_sort(l.entries, l.count);
    *out = l.entries;
    *count = l.count;
    return ASSAY_OK;
}
