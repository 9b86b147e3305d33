/** What the files of this module share: calls on files and folders, and the local store. */
#ifndef STORAGE_STORAGE_INT_H
#define STORAGE_STORAGE_INT_H

#include "storage/storage.h"

/** Names of files that are not objects: temporary ones and the staging folder. */
#define HIDDEN_PREFIX ".assay-"

/** Make the folder and those above it; each new name is durable. OK also if it is there. `path` is only borrowed. */
enum assay_code files_make_folders(const char *path, struct assay_error *err) NODISCARD;
/** The same for the folder that will hold `path`. */
enum assay_code files_make_parents(const char *path, struct assay_error *err) NODISCARD;
/** Make the names in a folder durable. */
enum assay_code files_sync_folder(const char *path, struct assay_error *err) NODISCARD;
enum assay_code files_sync_parent(const char *path, struct assay_error *err) NODISCARD;
/** 0, or the errno. */
int files_write_all(int fd, struct str bytes);
/** The rest of an open file, at most `most` bytes, from `offset`; 0 or the errno. */
int files_read_all(int fd, int64_t offset, int64_t most, struct arena *arena, struct str *out);
/** Remove a folder with all it holds; links in it are removed, not followed. What cannot be removed stays. */
void files_remove_tree(const char *path);

/** The part [*offset, *offset + *length) as store_get_range means it, cut to an object of this size. */
void range_cut(int64_t size, int64_t *offset, int64_t *length);

/** Entries in the order of their keys. */
void entries_sort(struct store_entry *entries, size_t count);

struct local {
    struct store store;
    struct str path; /* of the root, absolute, without links */
    struct arena arena;
};

/** The absolute path of a key ("" for the root). */
char *local_file(struct store *store, struct str key, struct arena *arena);
/** error_errno that names the object. */
enum assay_code local_fail(struct store *store, struct str key, int errnum, const char *doing, struct assay_error *err);

enum assay_code local_list(struct store *store, struct str prefix, bool is_flat, struct arena *arena,
                           struct store_entry **out, size_t *count, struct assay_error *err) NODISCARD;
enum assay_code local_put(struct store *store, struct str key, struct str bytes, bool if_absent,
                          struct assay_error *err) NODISCARD;
enum assay_code local_publish(struct store *store, struct str staged_path, struct str key,
                              struct assay_error *err) NODISCARD;
enum assay_code local_move(struct store *store, struct str from_key, struct str to_key,
                           struct assay_error *err) NODISCARD;
enum assay_code local_exchange(struct store *store, struct str a_key, struct str b_key,
                               struct assay_error *err) NODISCARD;

#endif
