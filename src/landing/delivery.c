/**
 * A delivery before it lands: which files it has, and copying one.
 *
 * 1. A delivered folder gives the files directly in it that match the pattern. The others are named in the answer, and
 * a folder in it, which may hold a part of the delivery, refuses it.
 * 2. A file that changes while it is copied is not landed.
 * 3. A Delta table is delivered as its folder, with every file that readers of the table may need. One that is written
 * to meanwhile may lack files of its newest version; the run that reads the batch sees that and refuses it.
 */
#include "landing/landing_int.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20 };

struct listing {
    const struct plan *plan;
    struct str batch_folder; /* key */
    struct arena *arena;
    struct delivery_file *files;
    size_t count, capacity, left_out_capacity;
    struct landing_batch *batch;
};

/** A name must be one that the lake can hold and a run reads. */
static enum assay_code check_name(const struct listing *l, struct str path, struct str name, struct assay_error *err) {
    if (!landing_is_data(l->plan, name))
        return error_set(
            err, ASSAY_INVALID, str_c(l->arena, path),
            "the file would not be read: names must match the contract's pattern %.*s and not start with _ or .",
            STR_ARG(l->plan->source.pattern));
    enum assay_code rc = store_key_check(str_path(l->arena, l->batch_folder, name), err);
    if (rc) error_prepend(err, "%s", str_c(l->arena, path));
    return rc;
}

static enum assay_code add_file(struct listing *l, struct str path, struct assay_error *err) {
    struct str name = str_basename(path);
    TRY(check_name(l, path, name, err));
    LIST_PUSH(l->arena, l->files, l->count, l->capacity) = (struct delivery_file){path, name, false};
    return ASSAY_OK;
}

/** One name in a delivered folder. */
static enum assay_code add_name(struct listing *l, struct str folder, struct str name, struct assay_error *err) {
    struct stat st;
    struct str path = str_path(l->arena, folder, name);
    bool is_there = stat(str_c(l->arena, path), &st) == 0;
    bool is_folder = is_there && S_ISDIR(st.st_mode);
    if (is_folder && str_eq(name, STR(LOG_NAME)))
        return error_set(err, ASSAY_INVALID, str_c(l->arena, folder),
                         "the folder is a Delta table: only its log says which of its files are read\nnext: say "
                         "`format: delta` in the contract, or ask the source for the files alone");
    if (is_folder && !landing_is_marked(name))
        return error_set(err, ASSAY_INVALID, str_c(l->arena, path),
                         "the delivered folder has a folder in it, whose files would not be landed: a batch has its "
                         "files directly in it\nnext: name the files themselves, or each folder as a batch of its own");
    if (!is_folder && landing_is_data(l->plan, name)) return add_file(l, path, err);
    LIST_PUSH(l->arena, l->batch->left_out, l->batch->left_out_count, l->left_out_capacity) = path;
    if (!landing_is_marked(name)) l->batch->misfit_count++;
    return ASSAY_OK;
}

/** The names in a folder, in the order in which the system gives them. */
static enum assay_code read_names(struct arena *arena, const char *path, struct str **names, size_t *count,
                                  struct assay_error *err) {
    size_t capacity = 0;
    enum assay_code rc = ASSAY_OK;
    *names = NULL;
    *count = 0;
    DIR *dir = opendir(path);
    if (!dir) return error_errno(err, errno, path, "list");
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry && errno) rc = error_errno(err, errno, path, "list");
        if (!entry) break;
        struct str name = str_copy(arena, str_of(entry->d_name));
        if (str_eq(name, STR(".")) || str_eq(name, STR(".."))) continue;
        LIST_PUSH(arena, *names, *count, capacity) = name;
    }
    closedir(dir);
    return rc;
}

static enum assay_code add_folder(struct listing *l, struct str folder, struct assay_error *err) {
    const char *path = str_c(l->arena, folder);
    struct str *names;
    size_t before = l->count, seen;
    TRY(read_names(l->arena, path, &names, &seen, err));
    for (size_t i = 0; i < seen; i++) TRY(add_name(l, folder, names[i], err));
    if (l->count > before) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, path,
                     "none of the %zu names in the folder matches the contract's pattern %.*s", seen,
                     STR_ARG(l->plan->source.pattern));
}

/* ---- a Delta table ---- */

static enum assay_code add_table_folder(struct listing *l, struct str root, struct str below, struct assay_error *err);

/** One name in a folder of the table; `path` is below the table's. */
static enum assay_code add_table_name(struct listing *l, struct str root, struct str path, struct assay_error *err) {
    struct stat st;
    struct str file = str_path(l->arena, root, path);
    if (stat(str_c(l->arena, file), &st) == 0 && S_ISDIR(st.st_mode)) return add_table_folder(l, root, path, err);
    if (!landing_is_table_file(path)) {
        LIST_PUSH(l->arena, l->batch->left_out, l->batch->left_out_count, l->left_out_capacity) = file;
        return ASSAY_OK;
    }
    enum assay_code rc = store_key_check(str_path(l->arena, l->batch_folder, path), err);
    if (rc) return error_prepend(err, "%s", str_c(l->arena, file));
    LIST_PUSH(l->arena, l->files, l->count, l->capacity) = (struct delivery_file){file, path, false};
    return ASSAY_OK;
}

static enum assay_code add_table_folder(struct listing *l, struct str root, struct str below, struct assay_error *err) {
    struct str *names;
    size_t count;
    TRY(read_names(l->arena, str_c(l->arena, below.len ? str_path(l->arena, root, below) : root), &names, &count, err));
    for (size_t i = 0; i < count; i++)
        TRY(add_table_name(l, root, below.len ? str_path(l->arena, below, names[i]) : names[i], err));
    return ASSAY_OK;
}

/** Invariant 3. */
static enum assay_code add_table(struct listing *l, const struct landing_delivery *delivery, struct assay_error *err) {
    struct stat st;
    struct str root = delivery->paths[0];
    const char *log = str_c(l->arena, str_path(l->arena, root, STR(LOG_NAME)));
    if (delivery->path_count > 1 || stat(log, &st) || !S_ISDIR(st.st_mode))
        return error_set(err, ASSAY_INVALID, str_c(l->arena, delivery->paths[delivery->path_count - 1]),
                         "a batch of this contract is one Delta table (format: delta)\nnext: name the table's folder, "
                         "which has a folder " LOG_NAME " in it");
    return add_table_folder(l, root, (struct str){0}, err);
}

/* ---- all ---- */

static enum assay_code add_path(struct listing *l, const struct landing_delivery *delivery, struct str path,
                                struct assay_error *err) {
    struct stat st;
    if (str_eq(path, STR("-"))) {
        TRY(check_name(l, delivery->stdin_name, delivery->stdin_name, err));
        LIST_PUSH(l->arena, l->files, l->count, l->capacity) =
            (struct delivery_file){STR("standard input"), delivery->stdin_name, true};
        return ASSAY_OK;
    }
    if (stat(str_c(l->arena, path), &st) == 0 && S_ISDIR(st.st_mode)) return add_folder(l, path, err);
    return add_file(l, path, err);
}

static int by_name(const void *a, const void *b) {
    const struct delivery_file *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order ? order : str_cmp(x->path, y->path);
}

static int by_text(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

enum assay_code delivery_list(const struct plan *plan, const struct landing_delivery *delivery, struct str folder,
                              struct arena *arena, struct delivery_file **out, size_t *count,
                              struct landing_batch *batch, struct assay_error *err) {
    struct listing l = {.plan = plan, .batch_folder = folder, .arena = arena, .batch = batch};
    bool is_table = plan->source.format == CONTRACT_DELTA;
    if (is_table) TRY(add_table(&l, delivery, err));
    for (size_t i = 0; i < delivery->path_count && !is_table; i++) TRY(add_path(&l, delivery, delivery->paths[i], err));
    if (l.count) qsort(l.files, l.count, sizeof *l.files, by_name);
    if (batch->left_out_count) qsort(batch->left_out, batch->left_out_count, sizeof *batch->left_out, by_text);
    for (size_t i = 1; i < l.count; i++)
        if (str_eq(l.files[i - 1].name, l.files[i].name))
            return error_set(err, ASSAY_INVALID, str_c(arena, l.files[i].path),
                             "two files are named %.*s, the other is %.*s; a batch needs one name per file",
                             STR_ARG(landing_shown(l.files[i].name, arena)),
                             STR_ARG(landing_shown(l.files[i - 1].path, arena)));
    *out = l.files;
    *count = l.count;
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
    while (rc == ASSAY_OK) {
        ssize_t n = read(from, block, COPY_BYTES);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) rc = error_errno(err, errno, from_name, "read");
        if (n <= 0) break;
        hash_add(h, block, (size_t)n);
        file->size_bytes += n;
        if (write_all(to, block, (size_t)n)) rc = error_errno(err, errno, to_name, "write");
    }
    hash_close(&h, hex);
    free(block);
    return rc;
}

static enum assay_code check_unchanged(int fd, const struct stat *before, const char *name, int64_t copied,
                                       struct assay_error *err) {
    struct stat st;
    if (fstat(fd, &st)) return error_errno(err, errno, name, "look at");
    if (st.st_size == before->st_size && copied == st.st_size && st.st_mtim.tv_sec == before->st_mtim.tv_sec &&
        st.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
        return ASSAY_OK;
    return error_set(err, ASSAY_UNAVAILABLE, name,
                     "the file changed while it was copied (%lld bytes, then %lld); nothing was landed\nnext: land "
                     "again when the delivery is complete",
                     (long long)before->st_size, (long long)st.st_size);
}

/** From an open file into a new one. */
static enum assay_code copy_open(int from, const struct delivery_file *file, struct str to_path, struct arena *arena,
                                 struct landing_file *out, struct assay_error *err) {
    const char *name = str_c(arena, file->path), *to_name = str_c(arena, to_path);
    char hex[HASH_SHA256_HEX + 1];
    struct stat st = {0};
    if (!file->is_stdin && (fstat(from, &st) || !S_ISREG(st.st_mode)))
        return error_set(err, ASSAY_INVALID, name,
                         "is neither a file nor a folder; - lands what comes by standard input");
    int to = open(to_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0) return error_errno(err, errno, to_name, "create");
    enum assay_code rc = copy_bytes(from, to, name, to_name, out, hex, err);
    if (close(to) && rc == ASSAY_OK) rc = error_errno(err, errno, to_name, "write");
    if (rc == ASSAY_OK && !file->is_stdin) rc = check_unchanged(from, &st, name, out->size_bytes, err);
    if (rc == ASSAY_OK) out->sha256 = str_copy(arena, str_of(hex));
    return rc;
}

enum assay_code delivery_copy(const struct delivery_file *from, struct str to_path, struct arena *arena,
                              struct landing_file *file, struct assay_error *err) {
    if (from->is_stdin) return copy_open(STDIN_FILENO, from, to_path, arena, file, err);
    const char *name = str_c(arena, from->path);
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hang us */
    if (fd < 0) return error_errno(err, errno, name, "read");
    enum assay_code rc = copy_open(fd, from, to_path, arena, file, err);
    close(fd);
    return rc;
}
