/*
 * Reading JSON, over jansson.
 *
 * 1. A `struct json *` is a `json_t *`; only `library` and `ours` cross the border.
 * 2. Depth is checked before the library sees the text, so neither its parser nor our recursion goes deeper than the
 * limit.
 * 3. A byte 0 is nowhere part of JSON; the library would take one behind a number for a blank.
 * 4. Members are walked in source order, which jansson keeps.
 */
#include "base/json.h"

#include "base/limits.h"

#include <jansson.h>
#include <stdatomic.h>

/** Walking members by index is a common loop, nested in itself, and the library has no index: each thread remembers the
 * last place in a few objects. A place counts only while no document was closed anywhere: a new one may get the same
 * address. */
struct walk {
    const struct json *object;
    void *iterator;
    size_t index;
    uint_fast64_t closed_count;
};

enum { WALKS = 16 };
static atomic_uint_fast64_t closed_count;
static _Thread_local struct walk walks[WALKS];

static json_t *library(const struct json *node) {
    union {
        const struct json *ours;
        json_t *theirs;
    } pointer = {node}; /* jansson's readers do not all say const */
    return pointer.theirs;
}

static const struct json *ours(const json_t *node) { return (const struct json *)node; }

/** Byte at which brackets nest deeper than allowed, or SIZE_MAX. */
static size_t find_too_deep(struct str text) {
    size_t depth = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (is_quoted) {
            if (c == '\\') i++;
            is_quoted = c != '"';
        } else if (c == '"') {
            is_quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > LIMIT_JSON_DEPTH) return i;
        } else if ((c == ']' || c == '}') && depth) {
            depth--;
        }
    }
    return SIZE_MAX;
}

static enum assay_code refuse(struct assay_error *err, const char *where, size_t line, size_t column,
                              const char *what) {
    error_set(err, ASSAY_CORRUPT, NULL, "not valid JSON: %s", what);
    error_prepend(err, "%s:%zu:%zu", where, line, column);
    return ASSAY_CORRUPT;
}

static enum assay_code refuse_at(struct assay_error *err, const char *where, struct str text, size_t at,
                                 const char *what) {
    size_t line = 1, line_start = 0;
    for (size_t i = 0; i < at; i++) {
        if (text.ptr[i] != '\n') continue;
        line++;
        line_start = i + 1;
    }
    return refuse(err, where, line, at - line_start + 1, what);
}

enum assay_code json_parse(struct str text, const char *where, struct json **out, struct assay_error *err) {
    size_t deep = find_too_deep(text), zero = str_find_char(text, '\0');
    char too_deep[64];
    snprintf(too_deep, sizeof too_deep, "nested deeper than %d", LIMIT_JSON_DEPTH);
    if (deep != SIZE_MAX) return refuse_at(err, where, text, deep, too_deep);
    if (zero != SIZE_MAX) return refuse_at(err, where, text, zero, "a byte 0");

    json_error_t problem;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL;
    json_t *root = json_loadb(text.ptr ? text.ptr : "", text.len, flags, &problem);
    if (!root) {
        size_t column = problem.column > 0 ? (size_t)problem.column : 1;
        return refuse(err, where, (size_t)problem.line, column, problem.text);
    }
    *out = (struct json *)root;
    return ASSAY_OK;
}

void json_close(struct json **root) {
    if (!*root) return;
    atomic_fetch_add(&closed_count, 1);
    json_decref(library(*root));
    *root = NULL;
}

enum json_kind json_kind_of(const struct json *node) {
    if (!node) return JSON_KIND_NULL;
    switch (json_typeof(library(node))) {
    case JSON_OBJECT:
        return JSON_KIND_OBJECT;
    case JSON_ARRAY:
        return JSON_KIND_ARRAY;
    case JSON_STRING:
        return JSON_KIND_STRING;
    case JSON_INTEGER:
        return JSON_KIND_INT;
    case JSON_REAL:
        return JSON_KIND_REAL;
    case JSON_TRUE:
    case JSON_FALSE:
        return JSON_KIND_BOOL;
    case JSON_NULL:
        return JSON_KIND_NULL;
    }
    return JSON_KIND_NULL;
}

const struct json *json_member(const struct json *node, const char *key) {
    return ours(json_object_get(library(node), key));
}

size_t json_count(const struct json *node) {
    return json_kind_of(node) == JSON_KIND_OBJECT ? json_object_size(library(node)) : json_array_size(library(node));
}

const struct json *json_at(const struct json *array, size_t index) {
    return ours(json_array_get(library(array), index));
}

bool json_member_at(const struct json *object, size_t index, struct str *key, const struct json **value) {
    if (json_kind_of(object) != JSON_KIND_OBJECT || index >= json_count(object)) return false;
    struct walk *walk = &walks[(uintptr_t)object / 64 % WALKS];
    uint_fast64_t closed = atomic_load(&closed_count);
    if (walk->object != object || walk->closed_count != closed || walk->index > index)
        *walk = (struct walk){.object = object, .closed_count = closed, .iterator = json_object_iter(library(object))};
    for (; walk->index < index; walk->index++) walk->iterator = json_object_iter_next(library(object), walk->iterator);
    *key = (struct str){json_object_iter_key(walk->iterator), json_object_iter_key_len(walk->iterator)};
    *value = ours(json_object_iter_value(walk->iterator));
    return true;
}

/** The member in the kind asked for; what is said of the others is in the header. */
static enum assay_code get_member(const struct json *object, const char *key, enum json_kind expected,
                                  const struct json **out, struct assay_error *err) {
    static const char *const kind_names[] = {"null",     "a boolean", "an integer", "a number",
                                             "a string", "an array",  "an object"};
    const struct json *value = json_member(object, key);
    enum json_kind found = json_kind_of(value);
    if (found == JSON_KIND_NULL) return ASSAY_NOT_FOUND;
    if (found != expected)
        return error_set(err, ASSAY_CORRUPT, NULL, "\"%s\" is %s, expected %s", key, kind_names[found],
                         kind_names[expected]);
    *out = value;
    return ASSAY_OK;
}

enum assay_code json_get_str(const struct json *object, const char *key, struct str *out, struct assay_error *err) {
    const struct json *value = NULL;
    TRY(get_member(object, key, JSON_KIND_STRING, &value, err));
    *out = json_str(value);
    return ASSAY_OK;
}

enum assay_code json_get_int(const struct json *object, const char *key, int64_t *out, struct assay_error *err) {
    const struct json *value = NULL;
    TRY(get_member(object, key, JSON_KIND_INT, &value, err));
    *out = json_int(value);
    return ASSAY_OK;
}

enum assay_code json_get_bool(const struct json *object, const char *key, bool *out, struct assay_error *err) {
    const struct json *value = NULL;
    TRY(get_member(object, key, JSON_KIND_BOOL, &value, err));
    *out = json_bool(value);
    return ASSAY_OK;
}

struct str json_str(const struct json *node) {
    return (struct str){json_string_value(library(node)), json_string_length(library(node))};
}

int64_t json_int(const struct json *node) { return json_integer_value(library(node)); }

double json_number(const struct json *node) { return json_number_value(library(node)); }

bool json_bool(const struct json *node) { return json_is_true(library(node)); }
