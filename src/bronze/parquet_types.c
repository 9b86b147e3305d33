/*
 * The engine's types of Parquet columns as types of a Delta table, and the type that holds two of them.
 *
 * 1. Whatever changes, no value does: unsigned numbers are stored in the next wider signed type, as Spark does, and a
 * column that has two types in two files gets one that holds all values of both, or is refused.
 * 2. Nested types are joined only where they are the same.
 * Source: Spark 3.5, ParquetToSparkSchemaConverter; the protocol's list of lossless changes of types.
 */
#include "bronze/parquet.h"

#include "base/json.h"

#include <string.h>

enum { DEPTH_MAX = 100 };

struct reading {
    struct str rest;
    bool is_instant;
    int depth;
    struct str refused;
};

static const struct {
    struct str name;
    const char *delta;
} PRIMITIVES[] = {
    {{"BOOLEAN", 7}, "boolean"},
    {{"TINYINT", 7}, "byte"},
    {{"SMALLINT", 8}, "short"},
    {{"INTEGER", 7}, "integer"},
    {{"BIGINT", 6}, "long"},
    {{"UTINYINT", 8}, "short"},
    {{"USMALLINT", 9}, "integer"},
    {{"UINTEGER", 8}, "long"},
    {{"UBIGINT", 7}, "decimal(20,0)"},
    {{"FLOAT", 5}, "float"},
    {{"DOUBLE", 6}, "double"},
    {{"VARCHAR", 7}, "string"},
    {{"JSON", 4}, "string"},
    {{"UUID", 4}, "string"},
    {{"BLOB", 4}, "binary"},
    {{"DATE", 4}, "date"},
    {{"TIMESTAMP", 9}, "timestamp_ntz"},
};

static bool take(struct reading *r, const char *text) {
    if (!str_starts(r->rest, str_of(text))) return false;
    r->rest = str_sub(r->rest, strlen(text), r->rest.len);
    return true;
}

/** A field's name, which the engine quotes when it is more than letters. */
static bool take_name(struct reading *r, struct buf *name) {
    buf_clear(name);
    if (!take(r, "\"")) {
        struct str bare;
        size_t blank = str_find_char(r->rest, ' ');
        if (blank == SIZE_MAX) return false;
        bare = str_sub(r->rest, 0, blank);
        r->rest = str_sub(r->rest, blank + 1, r->rest.len);
        buf_add(name, bare);
        return true;
    }
    while (r->rest.len) {
        if (take(r, "\"\"")) {
            buf_addc(name, '"');
        } else if (take(r, "\"")) {
            return take(r, " ");
        } else {
            buf_addc(name, r->rest.ptr[0]);
            r->rest = str_sub(r->rest, 1, r->rest.len);
        }
    }
    return false;
}

static bool read_type(struct reading *r, struct buf *json);

/** Behind `STRUCT(`. */
static bool read_fields(struct reading *r, struct buf *json) {
    struct buf name = {0};
    bool is_good = true;
    buf_addz(json, "{\"type\":\"struct\",\"fields\":[");
    for (bool is_first = true; is_good; is_first = false) {
        is_good = take_name(r, &name);
        if (is_good && column_name_fault(buf_str(&name))) {
            r->refused = STR("a field whose name Delta does not take");
            is_good = false;
        }
        if (!is_good) break;
        struct json_writer w = {.out = json};
        buf_addz(json, is_first ? "{\"name\":" : ",{\"name\":");
        json_put_str(&w, buf_str(&name));
        buf_addz(json, ",\"type\":");
        is_good = read_type(r, json);
        buf_addz(json, ",\"nullable\":true,\"metadata\":{}}");
        if (!is_good || take(r, ")")) break;
        is_good = take(r, ", ");
    }
    buf_free(&name);
    buf_addz(json, "]}");
    return is_good;
}

/** Behind `MAP(`. */
static bool read_map(struct reading *r, struct buf *json) {
    buf_addz(json, "{\"type\":\"map\",\"keyType\":");
    if (!read_type(r, json) || !take(r, ", ")) return false;
    buf_addz(json, ",\"valueType\":");
    if (!read_type(r, json) || !take(r, ")")) return false;
    buf_addz(json, ",\"valueContainsNull\":true}");
    return true;
}

static bool read_primitive(struct reading *r, struct buf *json) {
    size_t end = 0;
    while (end < r->rest.len && !strchr(",()[]", r->rest.ptr[end])) end++;
    struct str name = str_sub(r->rest, 0, end), parameters = {0};
    r->rest = str_sub(r->rest, end, r->rest.len);
    if (take(r, "(")) {
        size_t close = str_find_char(r->rest, ')');
        if (close == SIZE_MAX) return false;
        parameters = str_sub(r->rest, 0, close);
        r->rest = str_sub(r->rest, close + 1, r->rest.len);
    }
    if (str_eq(name, STR("DECIMAL"))) {
        buf_printf(json, "\"decimal(%.*s)\"", STR_ARG(parameters));
        return true;
    }
    if (str_eq(name, STR("TIMESTAMP WITH TIME ZONE")) || (r->is_instant && str_eq(name, STR("TIMESTAMP")))) {
        buf_addz(json, "\"timestamp\"");
        return true;
    }
    for (size_t i = 0; i < sizeof PRIMITIVES / sizeof PRIMITIVES[0]; i++) {
        if (!str_eq(name, PRIMITIVES[i].name)) continue;
        buf_printf(json, "\"%s\"", PRIMITIVES[i].delta);
        return true;
    }
    r->refused = name;
    return false;
}

/** `[]` or `[3]` behind a type makes a list of what was written since `start`. */
static void read_lists(struct reading *r, size_t start, struct buf *json) {
    while (take(r, "[")) {
        size_t close = str_find_char(r->rest, ']');
        r->rest = close == SIZE_MAX ? (struct str){0} : str_sub(r->rest, close + 1, r->rest.len);
        struct buf element = {0};
        buf_add(&element, str_sub(buf_str(json), start, json->len));
        json->len = start;
        buf_addz(json, "{\"type\":\"array\",\"elementType\":");
        buf_add(json, buf_str(&element));
        buf_addz(json, ",\"containsNull\":true}");
        buf_free(&element);
    }
}

static bool read_type(struct reading *r, struct buf *json) {
    size_t start = json->len;
    if (r->depth == DEPTH_MAX) {
        r->refused = STR("more than 100 levels");
        return false;
    }
    r->depth++;
    bool is_good = take(r, "STRUCT(") ? read_fields(r, json)
                   : take(r, "MAP(")  ? read_map(r, json)
                                      : read_primitive(r, json);
    r->depth--;
    if (is_good) read_lists(r, start, json);
    return is_good;
}

bool parquet_type_delta(struct str engine_type, bool is_instant, struct buf *json, struct str *refused) {
    struct reading r = {.rest = engine_type, .is_instant = is_instant};
    size_t start = json->len;
    if (read_type(&r, json) && r.rest.len == 0) return true;
    json->len = start;
    *refused = r.refused.len ? r.refused : engine_type;
    return false;
}

/* ---- the type that holds two ---- */

/** Digits that a whole number of the type may have, 0 for others. */
static int digits_of(enum type_kind kind) {
    switch (kind) {
    case TYPE_TINYINT:
        return 3;
    case TYPE_SMALLINT:
        return 5;
    case TYPE_INT:
        return 10;
    case TYPE_BIGINT:
        return 19;
    default:
        return 0;
    }
}

static bool read_primitive_json(struct str json, struct type *out) {
    return json.len > 2 && json.ptr[0] == '"' && type_parse_delta(str_sub(json, 1, json.len - 1), out);
}

static struct type as_decimal(struct type type) {
    if (type.kind == TYPE_DECIMAL) return type;
    return (struct type){.kind = TYPE_DECIMAL, .precision = digits_of(type.kind)};
}

/** Of two numbers, the first of the lower kind or of the same. */
static bool join_numbers(struct type a, struct type b, struct type *out) {
    enum { DIGITS_MAX = 38 };
    *out = b;
    if (type_is_integer(a) && type_is_integer(b)) return true;
    if (b.kind == TYPE_DOUBLE) return a.kind == TYPE_FLOAT || (type_is_integer(a) && a.kind != TYPE_BIGINT);
    if (b.kind == TYPE_FLOAT) return a.kind == TYPE_TINYINT || a.kind == TYPE_SMALLINT;
    if (b.kind != TYPE_DECIMAL || (!type_is_integer(a) && a.kind != TYPE_DECIMAL)) return false;
    struct type x = as_decimal(a), y = as_decimal(b);
    int whole = x.precision - x.scale > y.precision - y.scale ? x.precision - x.scale : y.precision - y.scale;
    out->scale = x.scale > y.scale ? x.scale : y.scale;
    out->precision = whole + out->scale;
    return out->precision <= DIGITS_MAX;
}

struct str parquet_type_join(struct str a, struct str b, struct arena *arena) {
    struct type x, y, joined;
    if (a.len == 0 || str_eq(a, b)) return b;
    if (b.len == 0) return a;
    if (!read_primitive_json(a, &x) || !read_primitive_json(b, &y)) return (struct str){0};
    if (!type_is_number(x) || !type_is_number(y)) return (struct str){0};
    bool is_joined = x.kind <= y.kind ? join_numbers(x, y, &joined) : join_numbers(y, x, &joined);
    if (!is_joined) return (struct str){0};
    struct buf text = {0};
    buf_addc(&text, '"');
    type_print_delta(&text, joined);
    buf_addc(&text, '"');
    struct str json = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return json;
}
