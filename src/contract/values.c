/*
 * Values that a contract names: bounds and allowed values.
 *
 * 1. A value must be one of the column's type, or the rule could never be met; dates and timestamps are ISO, also in a
 * column with a format.
 * 2. In a column of text every value is the text as written, so `NO` is never false and `007` never 7. Tools that read
 * YAML 1.1 see them otherwise: an unquoted word of that kind is a warning.
 */
#include "contract/reader.h"

#include <stdlib.h>

static bool parses(const struct reader *r, struct str text) {
    struct expr *e;
    struct assay_error unused = {0};
    return expr_parse(text, r->arena, &e, &unused) == ASSAY_OK;
}

static bool integer_fits(enum type_kind kind, struct str text) {
    int64_t value;
    if (str_int64(text, &value) != ASSAY_OK) return false;
    if (kind == TYPE_TINYINT) return value >= INT8_MIN && value <= INT8_MAX;
    if (kind == TYPE_SMALLINT) return value >= INT16_MIN && value <= INT16_MAX;
    if (kind == TYPE_INT) return value >= INT32_MIN && value <= INT32_MAX;
    return true;
}

static bool is_float(struct str text) {
    struct str mantissa, exponent = str_split(text, 'e', &mantissa);
    if (mantissa.len == text.len) exponent = str_split(text, 'E', &mantissa);
    if (mantissa.len == text.len) return decimal_text_is(text);
    int64_t power;
    if (exponent.len && exponent.ptr[0] == '+') exponent = str_sub(exponent, 1, exponent.len);
    return decimal_text_is(mantissa) && str_int64(exponent, &power) == ASSAY_OK && power >= -400 && power <= 400;
}

bool value_fits(const struct reader *r, struct type type, struct str text) {
    bool is_plain = str_find_char(text, '\'') == SIZE_MAX && str_find_char(text, '\\') == SIZE_MAX;
    switch (type.kind) {
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
        return integer_fits(type.kind, text);
    case TYPE_DECIMAL:
        return decimal_text_is(text) && parses(r, text);
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return is_float(text) && parses(r, text);
    case TYPE_BOOLEAN:
        return str_eq_nocase(text, STR("true")) || str_eq_nocase(text, STR("false"));
    case TYPE_DATE:
        return is_plain && parses(r, str_printf(r->arena, "DATE '%.*s'", STR_ARG(text)));
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NTZ:
        return is_plain && parses(r, str_printf(r->arena, "TIMESTAMP '%.*s'", STR_ARG(text)));
    case TYPE_BINARY: /* no literal of the rule language is one */
        return false;
    case TYPE_NONE: /* reported with the column */
    case TYPE_STRING:
        return true;
    }
    return true;
}

static bool is_word_of_yaml_11(struct str s) {
    static const char *const words[] = {"yes", "no", "on", "off", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq_nocase(s, str_of(words[i]))) return true;
    return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_date(struct str s) {
    enum { LENGTH = 10, YEAR_END = 4, MONTH_END = 7 };
    for (size_t i = 0; i < s.len; i++)
        if (i == YEAR_END || i == MONTH_END ? s.ptr[i] != '-' : !is_digit(s.ptr[i])) return false;
    return s.len == LENGTH;
}

/* A number that another reader may print differently: 007, 1.10, 1_000, 0x1F, 12:30. */
static bool is_number_of_yaml_11(struct str s) {
    size_t marks = 0;
    if (s.len < 2 || !is_digit(s.ptr[0])) return false;
    if (s.ptr[0] == '0' && s.ptr[1] == 'x') return true;
    for (size_t i = 0; i < s.len; i++) {
        bool is_mark = s.ptr[i] == '.' || s.ptr[i] == '_' || s.ptr[i] == ':';
        if (!is_mark && !is_digit(s.ptr[i])) return false;
        marks += is_mark;
    }
    return marks == 1 || (marks == 0 && s.ptr[0] == '0');
}

bool is_ambiguous(const struct yaml_node *node) {
    return !node->is_quoted &&
           (is_word_of_yaml_11(node->text) || is_number_of_yaml_11(node->text) || is_date(node->text));
}

void warn_ambiguous(struct reader *r, const struct yaml_node *node) {
    report_warning(r, mark_node(r, node), "ambiguous-value",
                   str_printf(r->arena, "write '%.*s' in quotes", STR_ARG(shown(r, node->text))),
                   "assay reads the text %.*s; other tools may read a boolean, a number or a date",
                   STR_ARG(shown(r, node->text)));
}

static int by_text(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

static void check_repeated(struct reader *r, const struct yaml_node *list, const struct str *values, size_t count) {
    if (count < 2) return;
    struct str *sorted = ARENA_ARRAY(r->arena, count, struct str);
    for (size_t i = 0; i < count; i++) sorted[i] = values[i];
    qsort(sorted, count, sizeof(*sorted), by_text);
    for (size_t i = 1; i < count; i++)
        if (str_eq(sorted[i - 1], sorted[i])) {
            report_warning(r, mark_node(r, list), "repeated-value", (struct str){0}, "'%.*s' is listed twice",
                           STR_ARG(shown(r, sorted[i])));
            return;
        }
}

static const struct yaml_node *allowed_value(const struct yaml_node *item) {
    return item->kind == YAML_MAPPING ? yaml_get(item, STR("value")) : item;
}

void read_allowed(struct reader *r, const struct yaml_node *list, size_t index, struct str **out, size_t *count) {
    const struct contract_column *column = &r->contract->columns[index];
    struct buf type = {0};
    type_print(&type, column->type);
    *out = ARENA_ARRAY(r->arena, list->count, struct str);
    for (size_t i = 0; i < list->count; i++) {
        const struct yaml_node *value = allowed_value(list->items[i]);
        if (!value) continue; /* an enum item without value, reported */
        if (value->kind != YAML_SCALAR || yaml_is_null(value)) {
            report_error(r, mark_node(r, value), "bad-value", STR("a column without a value is a question of required"),
                         "an allowed value must be a single value, not null");
            continue;
        }
        if (!value_fits(r, column->type, value->text))
            report_error(r, mark_node(r, value), "bad-value", (struct str){0}, "'%.*s' is no %s",
                         STR_ARG(shown(r, value->text)), type.data);
        if (column->type.kind == TYPE_STRING && is_ambiguous(value)) warn_ambiguous(r, value);
        (*out)[(*count)++] = value->text;
    }
    buf_free(&type);
    if (list->count == 0)
        report_error(r, mark_node(r, list), "empty-range", STR("name the values, or take the rule out"),
                     "no value is allowed: no row can pass");
    check_repeated(r, list, *out, *count);
}

void read_missing(struct reader *r, const struct yaml_node *list, size_t index, struct str **out, size_t *count) {
    const struct contract_column *column = &r->contract->columns[index];
    *out = ARENA_ARRAY(r->arena, list->count, struct str);
    for (size_t i = 0; i < list->count; i++) {
        const struct yaml_node *value = list->items[i];
        if (value->kind == YAML_SCALAR && yaml_is_null(value)) continue; /* missing anyway */
        if (value->kind == YAML_SCALAR && value_fits(r, column->type, value->text))
            (*out)[(*count)++] = value->text;
        else if (value->kind == YAML_SCALAR && str_trim(value->text).len > 0)
            report_warning(r, mark_node(r, value), "unused-value",
                           str_printf(r->arena, "transformLogic: nullif(%.*s, '%.*s') makes it no value",
                                      STR_ARG(column->source), STR_ARG(shown(r, value->text))),
                           "'%.*s' cannot be read as the column's type, so it is unparseable and not missing",
                           STR_ARG(shown(r, value->text)));
    }
    check_repeated(r, list, *out, *count);
}
