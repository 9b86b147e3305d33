/*
 * SQL's primitive types: one table of names, read and printed. Only decimal has parameters that mean something; the
 * lengths of varchar and char are read and dropped, as both are strings to Spark's casts.
 */
#include "base/type.h"

enum { PRECISION_MAX = 38, PRECISION_DEFAULT = 10 };

struct names {
    const char *spark, *delta, *engine;
};

static const struct names names[] = {
    [TYPE_NONE] = {"none", "none", "none"},
    [TYPE_STRING] = {"string", "string", "VARCHAR"},
    [TYPE_BOOLEAN] = {"boolean", "boolean", "BOOLEAN"},
    [TYPE_TINYINT] = {"tinyint", "byte", "TINYINT"},
    [TYPE_SMALLINT] = {"smallint", "short", "SMALLINT"},
    [TYPE_INT] = {"int", "integer", "INTEGER"},
    [TYPE_BIGINT] = {"bigint", "long", "BIGINT"},
    [TYPE_FLOAT] = {"float", "float", "FLOAT"},
    [TYPE_DOUBLE] = {"double", "double", "DOUBLE"},
    [TYPE_DECIMAL] = {"decimal", "decimal", "DECIMAL"},
    [TYPE_DATE] = {"date", "date", "DATE"},
    [TYPE_TIMESTAMP] = {"timestamp", "timestamp", "TIMESTAMPTZ"},
    [TYPE_TIMESTAMP_NTZ] = {"timestamp_ntz", "timestamp_ntz", "TIMESTAMP"},
    [TYPE_BINARY] = {"binary", "binary", "BLOB"},
};

enum { KINDS = sizeof names / sizeof names[0] };

static const struct {
    const char *name;
    enum type_kind kind;
} synonyms[] = {
    {"text", TYPE_STRING},  {"varchar", TYPE_STRING}, {"char", TYPE_STRING},     {"bool", TYPE_BOOLEAN},
    {"byte", TYPE_TINYINT}, {"short", TYPE_SMALLINT}, {"integer", TYPE_INT},     {"long", TYPE_BIGINT},
    {"real", TYPE_FLOAT},   {"dec", TYPE_DECIMAL},    {"numeric", TYPE_DECIMAL}, {"timestamp_ltz", TYPE_TIMESTAMP},
};

enum { SYNONYMS = sizeof synonyms / sizeof synonyms[0] };

static enum type_kind kind_of_name(struct str name) {
    for (int kind = TYPE_NONE + 1; kind < KINDS; kind++)
        if (str_eq_nocase(name, str_of(names[kind].spark))) return (enum type_kind)kind;
    for (size_t i = 0; i < SYNONYMS; i++)
        if (str_eq_nocase(name, str_of(synonyms[i].name))) return synonyms[i].kind;
    return TYPE_NONE;
}

/** A plain number without sign, blanks around it allowed. */
static bool parse_number(struct str text, int64_t *out) {
    struct str digits = str_trim(text);
    return digits.len && digits.ptr[0] >= '0' && digits.ptr[0] <= '9' && str_int64(digits, out) == ASSAY_OK;
}

/** What stands in the brackets of decimal. */
static bool parse_precision(struct str parameters, struct type *out) {
    struct str first, second = str_split(parameters, ',', &first);
    int64_t precision, scale = 0;
    if (!parse_number(first, &precision)) return false;
    if (first.len < parameters.len && !parse_number(second, &scale)) return false;
    if (precision < 1 || precision > PRECISION_MAX || scale > precision) return false;
    out->precision = (int)precision;
    out->scale = (int)scale;
    return true;
}

/** Cut `name ( parameters )`; false if the brackets do not match. */
static bool split_parameters(struct str text, struct str *name, struct str *parameters, bool *has_parameters) {
    text = str_trim(text);
    size_t open = str_find_char(text, '(');
    *has_parameters = open != SIZE_MAX;
    *name = str_trim(str_sub(text, 0, open));
    *parameters = (struct str){0};
    if (!*has_parameters) return true;
    if (text.ptr[text.len - 1] != ')') return false;
    *parameters = str_sub(text, open + 1, text.len - 1);
    return true;
}

bool type_parse(struct str text, struct type *out) {
    struct str name, parameters;
    bool has_parameters;
    if (!split_parameters(text, &name, &parameters, &has_parameters)) return false;
    struct type type = {.kind = kind_of_name(name)};
    if (type.kind == TYPE_NONE) return false;
    if (type.kind == TYPE_DECIMAL) {
        type.precision = PRECISION_DEFAULT;
        if (has_parameters && !parse_precision(parameters, &type)) return false;
    } else if (has_parameters) {
        int64_t length;
        bool has_length = str_eq_nocase(name, STR("varchar")) || str_eq_nocase(name, STR("char"));
        if (!has_length || !parse_number(parameters, &length) || length == 0) return false;
    }
    *out = type;
    return true;
}

bool type_parse_delta(struct str text, struct type *out) {
    struct str name, parameters;
    bool has_parameters;
    if (!split_parameters(text, &name, &parameters, &has_parameters)) return false;
    struct type type = {0};
    for (int kind = TYPE_NONE + 1; kind < KINDS; kind++)
        if (str_eq(name, str_of(names[kind].delta))) type.kind = (enum type_kind)kind;
    if (type.kind == TYPE_NONE || (has_parameters && type.kind != TYPE_DECIMAL)) return false;
    if (type.kind == TYPE_DECIMAL) type.precision = PRECISION_DEFAULT;
    if (has_parameters && !parse_precision(parameters, &type)) return false;
    *out = type;
    return true;
}

static void print(struct buf *out, const char *name, struct type type) {
    buf_addz(out, name);
    if (type.kind == TYPE_DECIMAL) buf_printf(out, "(%d,%d)", type.precision, type.scale);
}

void type_print(struct buf *out, struct type type) { print(out, names[type.kind].spark, type); }

void type_print_delta(struct buf *out, struct type type) { print(out, names[type.kind].delta, type); }

void type_print_engine(struct buf *out, struct type type) { print(out, names[type.kind].engine, type); }

bool type_eq(struct type a, struct type b) {
    return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale;
}

bool type_is_integer(struct type type) { return type.kind >= TYPE_TINYINT && type.kind <= TYPE_BIGINT; }

bool type_is_number(struct type type) { return type.kind >= TYPE_TINYINT && type.kind <= TYPE_DECIMAL; }
