/*
 * Objects in memory, for tests: the semantics of an object store (no folders, only keys) without a disk. Linear search:
 * tests have few objects. One lock around every call, so that threads may race.
 */
#include "base/time.h"
#include "storage/storage_int.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct object {
    struct buf key, bytes;
    int64_t modified_us;
};

struct memory {
    struct store store;
    pthread_mutex_t lock;
    struct object *objects;
    size_t count, capacity;
    char *folder; /* of the files local_path writes; NULL before the first */
};

static struct memory *enter(struct store *store) {
    struct memory *m = (struct memory *)store;
    pthread_mutex_lock(&m->lock);
    return m;
}

static enum assay_code leave(struct memory *m, enum assay_code rc) {
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static struct object *find(struct memory *m, struct str key) {
    for (size_t i = 0; i < m->count; i++)
        if (str_eq(buf_str(&m->objects[i].key), key)) return &m->objects[i];
    return NULL;
}

static void set_text(struct buf *b, struct str text) {
    buf_clear(b);
    buf_reserve(b, text.len);
    buf_add(b, text);
}

static void set_object(struct memory *m, struct str key, struct str bytes) {
    struct object *object = find(m, key);
    if (!object) {
        if (m->count == m->capacity) {
            m->capacity = m->capacity ? 2 * m->capacity : 16;
            m->objects = memory_realloc(m->objects, m->capacity * sizeof *m->objects);
        }
        object = &m->objects[m->count++];
        *object = (struct object){0};
        set_text(&object->key, key);
    }
    set_text(&object->bytes, bytes);
    object->modified_us = time_now_us();
}

static enum assay_code not_found(struct str key, struct assay_error *err) {
    error_set(err, ASSAY_NOT_FOUND, NULL, "there is no such object");
    error_prepend(err, "memory/%.*s", STR_ARG(key));
    return ASSAY_NOT_FOUND;
}

static enum assay_code exists(struct str key, struct assay_error *err) {
    error_set(err, ASSAY_EXISTS, NULL, "there is an object already");
    error_prepend(err, "memory/%.*s", STR_ARG(key));
    return ASSAY_EXISTS;
}

static enum assay_code memory_get(struct store *store, struct str key, int64_t offset, int64_t length,
                                  struct arena *arena, struct str *out, struct assay_error *err) {
    struct memory *m = enter(store);
    const struct object *object = find(m, key);
    if (!object) return leave(m, not_found(key, err));
    range_cut((int64_t)object->bytes.len, &offset, &length);
    *out = str_copy(arena, str_sub(buf_str(&object->bytes), (size_t)offset, (size_t)(offset + length)));
    return leave(m, ASSAY_OK);
}

static enum assay_code memory_put(struct store *store, struct str key, struct str bytes, bool if_absent,
                                  struct assay_error *err) {
    struct memory *m = enter(store);
    if (if_absent && find(m, key)) return leave(m, exists(key, err));
    set_object(m, key, bytes);
    return leave(m, ASSAY_OK);
}

static enum assay_code read_staged(const char *path, struct arena *arena, struct str *out, struct assay_error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error_errno(err, errno, path, "open the staged file");
    off_t size = lseek(fd, 0, SEEK_END);
    int failed = size < 0 ? errno : files_read_all(fd, 0, size, arena, out);
    close(fd);
    return failed ? error_errno(err, failed, path, "read the staged file") : ASSAY_OK;
}

static enum assay_code memory_publish(struct store *store, struct str staged_path, struct str key,
                                      struct assay_error *err) {
    struct arena arena = {0};
    struct str bytes;
    const char *path = str_c(&arena, staged_path);
    enum assay_code rc = read_staged(path, &arena, &bytes, err);
    if (!rc) rc = memory_put(store, key, bytes, true, err);
    if (!rc) unlink(path);
    arena_reset(&arena);
    return rc;
}

/** What follows the folder in the key; false if the key is not below it. */
static bool is_below(struct str key, struct str folder, struct str *rest) {
    *rest = key;
    if (folder.len == 0) return true;
    if (!str_starts(key, folder) || key.len == folder.len || key.ptr[folder.len] != '/') return false;
    *rest = str_sub(key, folder.len + 1, key.len);
    return true;
}

static bool has_hidden_part(struct str key) {
    return str_starts(key, STR(HIDDEN_PREFIX)) || str_find(key, STR("/" HIDDEN_PREFIX)) != SIZE_MAX;
}

static enum assay_code memory_list(struct store *store, struct str prefix, bool is_flat, struct arena *arena,
                                   struct store_entry **out, size_t *count, struct assay_error *err) {
    (void)err;
    struct memory *m = enter(store);
    *out = ARENA_ARRAY(arena, m->count, struct store_entry);
    *count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct object *object = &m->objects[i];
        struct str rest;
        if (!is_below(buf_str(&object->key), prefix, &rest) || has_hidden_part(rest)) continue;
        if (is_flat && str_find_char(rest, '/') != SIZE_MAX) continue;
        (*out)[(*count)++] = (struct store_entry){.key = str_copy(arena, buf_str(&object->key)),
                                                  .size_bytes = (int64_t)object->bytes.len,
                                                  .modified_us = object->modified_us};
    }
    entries_sort(*out, *count);
    return leave(m, ASSAY_OK);
}

static void free_object(struct object *object) {
    buf_free(&object->key);
    buf_free(&object->bytes);
}

static enum assay_code memory_remove(struct store *store, struct str key, struct assay_error *err) {
    (void)err;
    struct memory *m = enter(store);
    struct object *object = find(m, key);
    if (object) {
        free_object(object);
        *object = m->objects[--m->count];
    }
    return leave(m, ASSAY_OK);
}

static enum assay_code memory_stat(struct store *store, struct str key, struct store_entry *out,
                                   struct assay_error *err) {
    struct memory *m = enter(store);
    const struct object *object = find(m, key);
    if (!object) return leave(m, not_found(key, err));
    *out =
        (struct store_entry){.key = key, .size_bytes = (int64_t)object->bytes.len, .modified_us = object->modified_us};
    return leave(m, ASSAY_OK);
}

static enum assay_code write_file(const char *path, struct str bytes, struct assay_error *err) {
    TRY(files_make_parents(path, err));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return error_errno(err, errno, path, "write a copy of an object");
    int failed = files_write_all(fd, bytes);
    close(fd);
    return failed ? error_errno(err, failed, path, "write a copy of an object") : ASSAY_OK;
}

static enum assay_code make_folder(struct memory *m, struct assay_error *err) {
    if (m->folder) return ASSAY_OK;
    const char *parent = getenv("TMPDIR");
    struct buf name = {0};
    buf_printf(&name, "%s/assay-memory-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(name.data)) {
        enum assay_code rc = error_errno(err, errno, name.data, "make a folder");
        buf_free(&name);
        return rc;
    }
    m->folder = name.data;
    return ASSAY_OK;
}

static enum assay_code memory_local_path(struct store *store, struct str key, struct arena *arena, struct str *out,
                                         struct assay_error *err) {
    struct memory *m = enter(store);
    enum assay_code rc = make_folder(m, err);
    if (rc) return leave(m, rc);
    *out = str_path(arena, str_of(m->folder), key);
    const struct object *object = find(m, key);
    return leave(m, object ? write_file(out->ptr, buf_str(&object->bytes), err) : ASSAY_OK);
}

/** The object or folder `from` as it is below `to`. */
static bool is_at_or_below(struct str key, struct str folder) {
    struct str rest;
    return str_eq(key, folder) || is_below(key, folder, &rest);
}

static bool holds(const struct memory *m, struct str folder) {
    for (size_t i = 0; i < m->count; i++)
        if (is_at_or_below(buf_str(&m->objects[i].key), folder)) return true;
    return false;
}

/** The name of one object, with `to` in the place of `from`. */
static void rename_object(struct object *object, struct str from, struct str to) {
    struct buf renamed = {0};
    buf_add(&renamed, to);
    buf_add(&renamed, str_sub(buf_str(&object->key), from.len, object->key.len));
    buf_free(&object->key);
    object->key = renamed;
}

static enum assay_code memory_move(struct store *store, struct str from_key, struct str to_key,
                                   struct assay_error *err) {
    struct memory *m = enter(store);
    if (!holds(m, from_key)) return leave(m, not_found(from_key, err));
    if (holds(m, to_key)) return leave(m, exists(to_key, err));
    for (size_t i = 0; i < m->count; i++)
        if (is_at_or_below(buf_str(&m->objects[i].key), from_key)) rename_object(&m->objects[i], from_key, to_key);
    return leave(m, ASSAY_OK);
}

static enum assay_code memory_exchange(struct store *store, struct str a_key, struct str b_key,
                                       struct assay_error *err) {
    struct memory *m = enter(store);
    if (!holds(m, a_key)) return leave(m, not_found(a_key, err));
    if (!holds(m, b_key)) return leave(m, not_found(b_key, err));
    for (size_t i = 0; i < m->count; i++) {
        struct str key = buf_str(&m->objects[i].key);
        if (is_at_or_below(key, a_key))
            rename_object(&m->objects[i], a_key, b_key);
        else if (is_at_or_below(key, b_key))
            rename_object(&m->objects[i], b_key, a_key);
    }
    return leave(m, ASSAY_OK);
}

static void memory_close(struct store *store) {
    struct memory *m = (struct memory *)store;
    for (size_t i = 0; i < m->count; i++) free_object(&m->objects[i]);
    if (m->folder) files_remove_tree(m->folder);
    free(m->folder);
    free(m->objects);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static const struct store_ops memory_ops = {
    .name = "memory",
    .get = memory_get,
    .put = memory_put,
    .publish = memory_publish,
    .list = memory_list,
    .remove = memory_remove,
    .stat = memory_stat,
    .local_path = memory_local_path,
    .move = memory_move,
    .exchange = memory_exchange,
    .close = memory_close,
};

enum assay_code store_open_memory(struct store **out, struct assay_error *err) {
    (void)err;
    struct memory *m = memory_alloc(sizeof *m);
    *m = (struct memory){.store = {.ops = &memory_ops, .root = STR("memory")}};
    pthread_mutex_init(&m->lock, NULL);
    *out = &m->store;
    return ASSAY_OK;
}
