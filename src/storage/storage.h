/**
 * The lake's objects behind one struct of functions. Keys are relative to the store's root, '/'-separated, UTF-8,
 * without a leading slash; a key with an empty, `.` or `..` part, a NUL, a backslash or bytes that are not UTF-8 is
 * INVALID (store_key_check), so no key leaves the root. Links inside the root are followed: a landing folder may be a
 * link to another team's storage.
 *
 * Every touch of the lake is one call here, so that it can be counted, failed or stopped in a test
 * (store_open_fault). Durability: when put, put_if_absent or publish return OK, the object and its name survive a
 * power cut.
 */
#ifndef STORAGE_STORAGE_H
#define STORAGE_STORAGE_H

#include "base/str.h"

struct store_entry {
    struct str key; /* whole key */
    int64_t size_bytes;
    int64_t modified_us; /* since the epoch */
};

struct store;

/** What a backend provides; each function as its store_* wrapper below says. */
struct store_ops {
    const char *name; /* "local", "memory", "fault" */
    enum assay_code (*get)(struct store *, struct str key, int64_t offset, int64_t length, struct arena *,
                           struct str *out, struct assay_error *);
    enum assay_code (*put)(struct store *, struct str key, struct str bytes, bool if_absent, struct assay_error *);
    enum assay_code (*publish)(struct store *, struct str staged_path, struct str key, struct assay_error *);
    enum assay_code (*list)(struct store *, struct str prefix, bool is_flat, struct arena *, struct store_entry **out,
                            size_t *count, struct assay_error *);
    enum assay_code (*remove)(struct store *, struct str key, struct assay_error *);
    enum assay_code (*stat)(struct store *, struct str key, struct store_entry *out, struct assay_error *);
    enum assay_code (*local_path)(struct store *, struct str key, struct arena *, struct str *out,
                                  struct assay_error *);
    enum assay_code (*move)(struct store *, struct str from_key, struct str to_key, struct assay_error *);
    enum assay_code (*exchange)(struct store *, struct str a_key, struct str b_key, struct assay_error *);
    void (*close)(struct store *);
};

/** Backends embed this as their first member. */
struct store {
    const struct store_ops *ops;
    struct str root;         /* as the user named it, for messages; owned by the backend */
    struct str staging_root; /* where staging folders are made, on the store's own file system; empty: below TMPDIR */
};

/**
 * A folder. It is created if absent only when `create` is set. Put-if-absent is write to a temporary name, fsync, link,
 * fsync of the folder. Temporary names start with `.assay-` and are never listed.
 * @return OK; NOT_FOUND; DENIED; INVALID root is not a folder
 */
enum assay_code store_open_local(struct str root, bool create, struct store **out, struct assay_error *err) NODISCARD;

/** Objects in memory, for tests; staged files are read when published. local_path writes them to a temp folder. */
enum assay_code store_open_memory(struct store **out, struct assay_error *err) NODISCARD;

/**
 * A decorator over `inner` (which it then owns, but not when this call fails) for tests. Calls that touch the lake are
 * counted from 1. The spec says what happens:
 *
 *     fail:N        the N-th call fails with UNAVAILABLE and touches nothing
 *     fail-after:N  it does its work, then says UNAVAILABLE (put_if_absent: UNKNOWN, the lost answer of a commit)
 *     stop:N        the process ends (_exit 137) before the N-th call
 *     stop-after:N  the process ends after it
 *     full:N        DENIED (no space) from the N-th put, put_if_absent or publish on
 *     count         only counts
 *
 * At close the count goes to the file named by ASSAY_TEST_FAULT_COUNT, if that is set.
 */
enum assay_code store_open_fault(struct store *inner, struct str spec, struct store **out,
                                 struct assay_error *err) NODISCARD;

void store_close(struct store **store);

/** The whole object, ended by a NUL that is not counted. NOT_FOUND (also a folder); DENIED; UNAVAILABLE. */
enum assay_code store_get(struct store *store, struct str key, struct arena *arena, struct str *out,
                          struct assay_error *err) NODISCARD;
/** Bytes [offset, offset+length), fewer at the end of the object. A negative offset counts from the end. */
enum assay_code store_get_range(struct store *store, struct str key, int64_t offset, int64_t length,
                                struct arena *arena, struct str *out, struct assay_error *err) NODISCARD;
/** Create or replace, atomically: readers see the old or the new object. */
enum assay_code store_put(struct store *store, struct str key, struct str bytes, struct assay_error *err) NODISCARD;
/**
 * Create, never replace.
 * @return OK it is there and is ours; EXISTS somebody's object is there, untouched; UNKNOWN it could not be found out
 * whether it was created (fsync of the folder failed after the link...); others: certainly not created
 */
enum assay_code store_put_if_absent(struct store *store, struct str key, struct str bytes,
                                    struct assay_error *err) NODISCARD;
/**
 * Bring a finished local file into the store under a new key: fsync, then link or rename inside the file system (an
 * upload elsewhere), fsync of the folder. The staged file is gone afterwards. Publishing over an existing key is
 * EXISTS.
 */
enum assay_code store_publish(struct store *store, struct str staged_path, struct str key,
                              struct assay_error *err) NODISCARD;
/** Every object below the folder `prefix` ("" for all), recursively, sorted by key bytes. A missing folder is an empty
 * list. Folders themselves are not entries. A link to nothing is one, of no bytes: reading it fails. Names starting
 * with
 * `.assay-` are left out. */
enum assay_code store_list(struct store *store, struct str prefix, struct arena *arena, struct store_entry **out,
                           size_t *count, struct assay_error *err) NODISCARD;
/** Like store_list, but only the objects directly in the folder. */
enum assay_code store_list_flat(struct store *store, struct str prefix, struct arena *arena, struct store_entry **out,
                                size_t *count, struct assay_error *err) NODISCARD;
/** OK also if it was not there. */
enum assay_code store_remove(struct store *store, struct str key, struct assay_error *err) NODISCARD;
/** NOT_FOUND also for a folder. The key in out is the one passed in. */
enum assay_code store_stat(struct store *store, struct str key, struct store_entry *out,
                           struct assay_error *err) NODISCARD;
/** A path that the engine and readers can open (read only): locally the file itself. Need not exist. */
enum assay_code store_local_path(struct store *store, struct str key, struct arena *arena, struct str *out,
                                 struct assay_error *err) NODISCARD;
/** Rename an object or a whole folder inside the store; the target must not exist (EXISTS). */
enum assay_code store_move(struct store *store, struct str from_key, struct str to_key,
                           struct assay_error *err) NODISCARD;

/** Two objects or folders change places in one step: at no time is either name absent. NOT_FOUND one of them is not
 * there; UNSUPPORTED the file system cannot do it. */
enum assay_code store_exchange(struct store *store, struct str a_key, struct str b_key,
                               struct assay_error *err) NODISCARD;

/** OK; INVALID with the key and what is wrong with it; LIMIT. */
enum assay_code store_key_check(struct str key, struct assay_error *err) NODISCARD;

/**
 * A folder for staged files on the file system of the store (local: `<root>/.assay-staging/<pid>-<random>/`; elsewhere
 * below TMPDIR), made now, removed with all it holds by staging_close. Opening also removes folders left by processes
 * that are no more: a living one holds a lock on its folder.
 */
struct staging;
enum assay_code staging_open(struct store *store, struct staging **out, struct assay_error *err) NODISCARD;
struct str staging_folder(const struct staging *staging);
/** A new path in it, `<folder>/<n>-<hint>`; hint is a plain name such as "bronze.parquet". Nothing is created. */
struct str staging_path(struct staging *staging, struct arena *arena, struct str hint);
void staging_close(struct staging **staging);

#endif
