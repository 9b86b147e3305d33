/**
 * JSON, over jansson (the one place that knows the library).
 *
 * A parsed document is a `struct json` tree of the library, closed with json_close; strings got from it are borrowed
 * from it. Integers are exact int64. A text that must survive unchanged (the `stats` of an add) is a JSON string and
 * stays one.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/str.h"

struct json; /* a node; the root owns all */

/** Parse one document; duplicate keys, depth over LIMIT_JSON_DEPTH and text after the end are CORRUPT, with line and
 * column. NUL in strings is allowed. `where` names the source in the error. */
enum assay_code json_parse(struct str text, const char *where, struct json **out, struct assay_error *err) NODISCARD;
void json_close(struct json **root);

enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_INT,
    JSON_KIND_REAL,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT
};
enum json_kind json_kind_of(const struct json *node); /* NULL pointer counts as JSON_KIND_NULL */
/** Member of an object, or NULL (also if node is NULL or no object). */
const struct json *json_member(const struct json *node, const char *key);
size_t json_count(const struct json *node); /* of array or object, else 0 */
const struct json *json_at(const struct json *array, size_t index);
/** The index-th member of an object, in source order; false beyond the end. */
bool json_member_at(const struct json *object, size_t index, struct str *key, const struct json **value);

/** Typed members. Absent or JSON null: NOT_FOUND without message; another type: CORRUPT with message naming the key. */
enum assay_code json_get_str(const struct json *object, const char *key, struct str *out,
                             struct assay_error *err) NODISCARD;
enum assay_code json_get_int(const struct json *object, const char *key, int64_t *out,
                             struct assay_error *err) NODISCARD;
enum assay_code json_get_bool(const struct json *object, const char *key, bool *out, struct assay_error *err) NODISCARD;
/** The value of a string node; empty for others. */
struct str json_str(const struct json *node);
int64_t json_int(const struct json *node);
double json_number(const struct json *node); /* of INT or REAL */
bool json_bool(const struct json *node);
/** The node as compact JSON text, keys in source order. */
void json_print(struct buf *out, const struct json *node);

/** Writing: text straight into a buffer. The writer puts the commas; unbalanced use is a programming error (assert). */
struct json_writer {
    struct buf *out;
    unsigned depth;
    bool need_comma;
};
void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_key_str(struct json_writer *w, struct str key);
void json_put_str(struct json_writer *w, struct str value); /* escapes; invalid UTF-8 bytes become U+FFFD */
void json_put_int(struct json_writer *w, int64_t value);
/** The fewest digits that read back equal; NaN and infinities as null. */
void json_put_real(struct json_writer *w, double value);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);
/** A piece of JSON that is known to be valid. */
void json_put_raw(struct json_writer *w, struct str json);

#endif
