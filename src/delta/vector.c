/*
 * Deletion vectors: which rows of a data file are deleted (protocol: "Deletion Vectors").
 *
 * 1. `u`: a file named by a UUID below the table's root, after an optional folder; `p`: a file at an absolute path
 * inside the allowed folders; `i`: in the log itself. UUIDs and inline vectors are Z85, four bytes as five characters.
 * 2. In a file: at `offset` the length, the vector, its CRC-32, the numbers big-endian; the file's first byte is 1.
 * 3. Length, checksum and the number of rows are those of the log and no row lies behind the file's last one; else the
 * vector is CORRUPT and the table's rows are not known.
 * 4. A vector is read when a scan comes to its file, not before: a table may have many.
 */
#include "delta/delta_int.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct deleted {
    struct arena arena;
    struct delta_bitmap bitmap;
};

enum { UUID_CHARS = 20, FILE_VERSION = 1, VECTOR_BYTES_MAX = 1 << 30 };

static enum assay_code decode_z85(struct str text, struct arena *arena, struct str *out, struct assay_error *err) {
    static const char DIGITS[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    unsigned char *bytes = arena_alloc(arena, text.len / 5 * 4 + 1);
    bool is_z85 = text.len % 5 == 0;
    for (size_t i = 0; i < text.len && is_z85; i += 5) {
        uint64_t value = 0;
        for (size_t k = i; k < i + 5; k++) {
            const char *digit = memchr(DIGITS, text.ptr[k], sizeof DIGITS - 1);
            if (!digit) is_z85 = false;
            value = value * 85 + (digit ? (uint64_t)(digit - DIGITS) : 0);
        }
        is_z85 &= value <= UINT32_MAX;
        for (size_t k = 0; k < 4; k++) bytes[i / 5 * 4 + k] = (unsigned char)(value >> (24 - 8 * k));
    }
    if (!is_z85)
        return error_set(err, ASSAY_CORRUPT, NULL, "the deletion vector '%.*s' is not Z85",
                         (int)(text.len < 80 ? text.len : 80), text.len ? text.ptr : "");
    *out = (struct str){(char *)bytes, text.len / 5 * 4};
    return ASSAY_OK;
}

static enum assay_code read_inline(const struct delta_vector *vector, struct arena *arena, struct str *out,
                                   struct assay_error *err) {
    TRY(decode_z85(vector->path_or_inline, arena, out, err));
    if (vector->size_bytes > (int64_t)out->len || vector->size_bytes + 4 <= (int64_t)out->len)
        return error_set(err, ASSAY_CORRUPT, NULL, "the deletion vector in the log has %zu bytes, not %lld", out->len,
                         (long long)vector->size_bytes);
    out->len = (size_t)vector->size_bytes; /* the rest is padding */
    return ASSAY_OK;
}

static uint32_t big_endian(struct str bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) value = value << 8 | (unsigned char)bytes.ptr[i];
    return value;
}

static enum assay_code read_object(struct store *store, struct str key, const struct delta_vector *vector,
                                   struct arena *arena, struct str *out, struct assay_error *err) {
    struct str version, frame;
    int64_t offset = vector->offset < 0 ? 1 : vector->offset;
    TRY(store_get_range(store, key, 0, 1, arena, &version, err));
    if (version.len != 1 || version.ptr[0] != FILE_VERSION)
        return error_set(err, ASSAY_UNSUPPORTED, key.ptr, "this file of deletion vectors is not of version 1");
    TRY(store_get_range(store, key, offset, vector->size_bytes + 8, arena, &frame, err));
    if (frame.len != (size_t)vector->size_bytes + 8 || big_endian(frame) != vector->size_bytes)
        return error_set(err, ASSAY_CORRUPT, key.ptr, "there is no deletion vector of %lld bytes at byte %lld",
                         (long long)vector->size_bytes, (long long)offset);
    *out = str_sub(frame, 4, frame.len - 4);
    if (big_endian(str_sub(frame, frame.len - 4, frame.len)) != hash_crc32(*out))
        return error_set(err, ASSAY_CORRUPT, key.ptr, "the checksum of the deletion vector at byte %lld is wrong",
                         (long long)offset);
    return ASSAY_OK;
}

static enum assay_code read_relative(const struct delta_snapshot *s, const struct delta_vector *vector,
                                     struct arena *arena, struct str *out, struct assay_error *err) {
    struct str text = vector->path_or_inline, id = {0};
    if (text.len >= UUID_CHARS) TRY(decode_z85(str_sub(text, text.len - UUID_CHARS, text.len), arena, &id, err));
    if (id.len != 16)
        return error_set(err, ASSAY_CORRUPT, NULL, "the deletion vector '%.*s' is no UUID", STR_ARG(text));
    struct buf name = {0};
    buf_addz(&name, "deletion_vector_");
    for (size_t i = 0; i < id.len; i++)
        buf_printf(&name, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", (unsigned char)id.ptr[i]);
    buf_addz(&name, ".bin");
    struct str folder = str_path(arena, s->root, str_sub(text, 0, text.len - UUID_CHARS));
    struct str key = str_path(arena, folder, buf_str(&name));
    buf_free(&name);
    return read_object(s->store, key, vector, arena, out, err);
}

static enum assay_code read_absolute(const struct delta_snapshot *s, const struct delta_vector *vector,
                                     struct arena *arena, struct str *out, struct assay_error *err) {
    struct delta_places places = delta_places_of(s->engine, arena);
    struct str path;
    TRY(delta_path_decode(vector->path_or_inline, STR(""), arena, &path, err));
    TRY(delta_places_check(&places, path, arena, err));
    struct str name = str_basename(path);
    struct store *other = NULL;
    TRY(store_open_local(str_sub(path, 0, path.len - name.len - 1), false, &other, err));
    enum assay_code rc = read_object(other, str_copy(arena, name), vector, arena, out, err);
    store_close(&other);
    return rc;
}

static enum assay_code read_vector(const struct delta_snapshot *s, const struct delta_vector *vector,
                                   struct arena *arena, struct str *out, struct assay_error *err) {
    if (vector->size_bytes < 0 || vector->size_bytes > VECTOR_BYTES_MAX || vector->offset < -1)
        return error_set(err, ASSAY_CORRUPT, NULL, "the log gives the deletion vector %lld bytes at byte %lld",
                         (long long)vector->size_bytes, (long long)vector->offset);
    if (str_eq(vector->storage_type, STR("u"))) return read_relative(s, vector, arena, out, err);
    if (str_eq(vector->storage_type, STR("p"))) return read_absolute(s, vector, arena, out, err);
    if (str_eq(vector->storage_type, STR("i"))) return read_inline(vector, arena, out, err);
    return error_set(err, ASSAY_UNSUPPORTED, NULL,
                     "the deletion vector is stored as '%.*s' (feature deletionVectors); assay knows u, p and i",
                     STR_ARG(vector->storage_type));
}

static enum assay_code check_rows(const struct delta_file *file, const struct delta_bitmap *bitmap,
                                  struct assay_error *err) {
    if (bitmap->cardinality != file->vector->cardinality)
        return error_set(err, ASSAY_CORRUPT, NULL, "the deletion vector has %lld rows, the log says %lld",
                         (long long)bitmap->cardinality, (long long)file->vector->cardinality);
    int64_t last = delta_bitmap_last(bitmap);
    if (file->row_count >= 0 && last >= file->row_count)
        return error_set(err, ASSAY_CORRUPT, NULL, "the deletion vector has the row %lld of a file of %lld rows",
                         (long long)last, (long long)file->row_count);
    return ASSAY_OK;
}

enum assay_code delta_vector_rows(const struct delta_snapshot *snapshot, const struct delta_file *file,
                                  struct arena *arena, struct delta_bitmap *out, struct assay_error *err) {
    struct str bytes = {0};
    enum assay_code rc = read_vector(snapshot, file->vector, arena, &bytes, err);
    if (rc == ASSAY_OK) rc = delta_bitmap_parse(bytes, arena, out, err);
    if (rc == ASSAY_OK) rc = check_rows(file, out, err);
    if (rc == ASSAY_NOT_FOUND)
        rc = error_set(err, ASSAY_CORRUPT, NULL, "the file of the deletion vector is gone; was it vacuumed?");
    if (rc) error_prepend(err, "%.*s/%.*s", STR_ARG(snapshot->root), STR_ARG(file->path));
    return rc;
}

/* ---- for the engine ---- */

static enum assay_code open_file(void *context, int64_t index, void **opened, struct assay_error *err) {
    const struct delta_vector_scan *scan = context;
    const struct delta_file *file = &scan->snapshot->files[scan->files ? scan->files[index] : (size_t)index];
    if (!file->vector) return ASSAY_OK;
    struct deleted *deleted = memory_alloc(sizeof *deleted);
    *deleted = (struct deleted){0};
    enum assay_code rc = delta_vector_rows(scan->snapshot, file, &deleted->arena, &deleted->bitmap, err);
    *opened = deleted;
    if (rc == ASSAY_OK) return ASSAY_OK;
    arena_reset(&deleted->arena);
    free(deleted);
    *opened = NULL;
    return rc;
}

static void test_rows(const void *opened, const int64_t *rows, size_t count, bool *answers) {
    delta_bitmap_test(&((const struct deleted *)opened)->bitmap, rows, count, answers);
}

static void close_file(void *opened) {
    struct deleted *deleted = opened;
    arena_reset(&deleted->arena);
    free(deleted);
}

enum assay_code delta_vector_register(const struct delta_vector_scan *scan, struct arena *arena, struct str *name,
                                      struct assay_error *err) {
    if (!scan->snapshot->engine)
        return error_set(err, ASSAY_INTERNAL, NULL, "reading deletion vectors needs the engine");
    struct delta_vector_scan *kept = ARENA_NEW(arena, struct delta_vector_scan);
    *kept = *scan;
    if (scan->files) {
        size_t *files = ARENA_ARRAY(arena, scan->file_count, size_t);
        for (size_t i = 0; i < scan->file_count; i++) files[i] = scan->files[i];
        kept->files = files;
    }
    struct engine_row_test test = {kept, open_file, test_rows, close_file};
    return engine_add_row_test(scan->snapshot->engine, &test, arena, name, err);
}
