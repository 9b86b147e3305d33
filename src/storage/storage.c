/*
 * The calls on a store: check the key, then ask the backend. No backend sees a key that was not checked here.
 */
#include "storage/storage.h"

#include "base/limits.h"
#include "storage/storage_int.h"

#include <stdlib.h>

static enum assay_code refuse_key(struct str key, const char *what, struct assay_error *err) {
    return error_set(err, ASSAY_INVALID, NULL, "the object name \"%.*s\" %s", STR_ARG(key), what);
}

static enum assay_code check_part(struct str key, struct str part, struct assay_error *err) {
    if (part.len == 0) return refuse_key(key, "begins or ends with '/', or has two in a row", err);
    if (str_eq(part, STR(".")) || str_eq(part, STR("..")))
        return refuse_key(key, "has a part '.' or '..'; names must stay inside the lake", err);
    if (part.len > LIMIT_KEY_PART_BYTES)
        return error_set(err, ASSAY_LIMIT, NULL, "the object name \"%.*s\" has a part of %zu bytes, more than %d",
                         STR_ARG(key), part.len, LIMIT_KEY_PART_BYTES);
    return ASSAY_OK;
}

enum assay_code store_key_check(struct str key, struct assay_error *err) {
    if (key.len == 0) return error_set(err, ASSAY_INVALID, NULL, "the object name is empty");
    if (key.len > LIMIT_KEY_BYTES)
        return error_set(err, ASSAY_LIMIT, NULL, "an object name of %zu bytes is longer than %d: %.*s...", key.len,
                         LIMIT_KEY_BYTES, 80, key.ptr);
    if (str_utf8_error(key) != SIZE_MAX) return refuse_key(key, "is not UTF-8", err);
    if (str_find_char(key, '\0') != SIZE_MAX) return refuse_key(key, "has a NUL character", err);
    if (str_find_char(key, '\\') != SIZE_MAX)
        return refuse_key(key, "has a backslash; parts are separated by '/'", err);
    for (struct str part, rest = key;;) {
        size_t slash = str_find_char(rest, '/');
        part = str_sub(rest, 0, slash);
        TRY(check_part(key, part, err));
        if (slash == SIZE_MAX) return ASSAY_OK;
        rest = str_sub(rest, slash + 1, rest.len);
    }
}

void store_close(struct store **store) {
    if (!*store) return;
    (*store)->ops->close(*store);
    *store = NULL;
}

enum assay_code store_get(struct store *store, struct str key, struct arena *arena, struct str *out,
                          struct assay_error *err) {
    return store_get_range(store, key, 0, INT64_MAX, arena, out, err);
}

enum assay_code store_get_range(struct store *store, struct str key, int64_t offset, int64_t length,
                                struct arena *arena, struct str *out, struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->get(store, key, offset, length, arena, out, err);
}

enum assay_code store_put(struct store *store, struct str key, struct str bytes, struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->put(store, key, bytes, false, err);
}

enum assay_code store_put_if_absent(struct store *store, struct str key, struct str bytes, struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->put(store, key, bytes, true, err);
}

enum assay_code store_publish(struct store *store, struct str staged_path, struct str key, struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->publish(store, staged_path, key, err);
}

static enum assay_code list(struct store *store, struct str prefix, bool is_flat, struct arena *arena,
                            struct store_entry **out, size_t *count, struct assay_error *err) {
    if (str_ends(prefix, STR("/"))) prefix.len--;
    if (prefix.len) TRY(store_key_check(prefix, err));
    return store->ops->list(store, prefix, is_flat, arena, out, count, err);
}

enum assay_code store_list(struct store *store, struct str prefix, struct arena *arena, struct store_entry **out,
                           size_t *count, struct assay_error *err) {
    return list(store, prefix, false, arena, out, count, err);
}

enum assay_code store_list_flat(struct store *store, struct str prefix, struct arena *arena, struct store_entry **out,
                                size_t *count, struct assay_error *err) {
    return list(store, prefix, true, arena, out, count, err);
}

enum assay_code store_remove(struct store *store, struct str key, struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->remove(store, key, err);
}

enum assay_code store_stat(struct store *store, struct str key, struct store_entry *out, struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->stat(store, key, out, err);
}

enum assay_code store_local_path(struct store *store, struct str key, struct arena *arena, struct str *out,
                                 struct assay_error *err) {
    TRY(store_key_check(key, err));
    return store->ops->local_path(store, key, arena, out, err);
}

static bool is_at_or_below(struct str key, struct str folder) {
    return str_starts(key, folder) && (key.len == folder.len || key.ptr[folder.len] == '/');
}

enum assay_code store_move(struct store *store, struct str from_key, struct str to_key, struct assay_error *err) {
    TRY(store_key_check(from_key, err));
    TRY(store_key_check(to_key, err));
    if (is_at_or_below(to_key, from_key))
        return error_set(err, ASSAY_INVALID, NULL, "cannot move %.*s into itself (%.*s)", STR_ARG(from_key),
                         STR_ARG(to_key));
    return store->ops->move(store, from_key, to_key, err);
}

enum assay_code store_exchange(struct store *store, struct str a_key, struct str b_key, struct assay_error *err) {
    TRY(store_key_check(a_key, err));
    TRY(store_key_check(b_key, err));
    if (is_at_or_below(a_key, b_key) || is_at_or_below(b_key, a_key))
        return error_set(err, ASSAY_INVALID, NULL, "cannot exchange %.*s with itself or what it holds (%.*s)",
                         STR_ARG(a_key), STR_ARG(b_key));
    return store->ops->exchange(store, a_key, b_key, err);
}

void range_cut(int64_t size, int64_t *offset, int64_t *length) {
    if (*offset < 0) *offset = *offset < -size ? 0 : size + *offset;
    if (*offset > size) *offset = size;
    if (*length < 0) *length = 0;
    if (*length > size - *offset) *length = size - *offset;
}

static int order_entries(const void *a, const void *b) {
    return str_cmp(((const struct store_entry *)a)->key, ((const struct store_entry *)b)->key);
}

void entries_sort(struct store_entry *entries, size_t count) {
    if (count > 1) qsort(entries, count, sizeof *entries, order_entries);
}
