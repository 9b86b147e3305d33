/*
 * Texts of a contract (bounds, allowed values) as literals of a column's type.
 *
 * 1. The literal is what the rule language itself would read: whatever is built here is printed, parsed again and must
 * be equal, so a text can never become anything but one literal.
 * 2. FLOAT is cast: 0.1 as a decimal is not the float nearest to 0.1, and a bound has to accept its own value.
 */
#include "plan/plan_int.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_digits(struct str s, size_t at) {
    while (at < s.len && is_digit(s.ptr[at])) at++;
    return at;
}

/* digits [. digits] [e [sign] digits], no sign in front; at least one digit before or after the point. */
static bool is_number(struct str s) {
    size_t at = skip_digits(s, 0), digits = at;
    if (at < s.len && s.ptr[at] == '.') {
        size_t fraction = skip_digits(s, at + 1);
        digits += fraction - at - 1;
        at = fraction;
    }
    if (digits == 0) return false;
    if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
        at++;
        if (at < s.len && (s.ptr[at] == '+' || s.ptr[at] == '-')) at++;
        size_t end = skip_digits(s, at);
        if (end == at) return false;
        at = end;
    }
    return at == s.len;
}

static struct expr *build_number(struct str text, struct arena *arena) {
    bool is_negative = text.len && text.ptr[0] == '-';
    if (text.len && (text.ptr[0] == '-' || text.ptr[0] == '+')) text = str_sub(text, 1, text.len);
    if (!is_number(text)) return NULL;
    struct expr *number = expr_number(arena, text);
    return is_negative ? expr_unary(arena, EXPR_NEGATE, number) : number;
}

static struct expr *build_float(struct str text, struct arena *arena) {
    struct expr *number = build_number(text, arena);
    if (!number) return NULL;
    struct expr *cast = ARENA_NEW(arena, struct expr);
    cast->kind = EXPR_CAST;
    cast->args = ARENA_ARRAY(arena, 1, struct expr *);
    cast->args[0] = number;
    cast->count = 1;
    cast->type.kind = TYPE_FLOAT;
    return cast;
}

static struct expr *build_bool(struct str text, struct arena *arena) {
    if (str_eq_nocase(text, STR("true"))) return expr_literal(arena, EXPR_BOOL, STR("true"));
    if (str_eq_nocase(text, STR("false"))) return expr_literal(arena, EXPR_BOOL, STR("false"));
    return NULL;
}

/* NULL: the text is no value of the type, or the type has no literals. */
static struct expr *build_literal(struct str text, struct type type, struct arena *arena) {
    switch (type.kind) {
    case TYPE_STRING:
        return expr_text(arena, text);
    case TYPE_BOOLEAN:
        return build_bool(text, arena);
    case TYPE_FLOAT:
        return build_float(text, arena);
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_DOUBLE:
    case TYPE_DECIMAL:
        return build_number(text, arena);
    case TYPE_DATE:
        return expr_literal(arena, EXPR_DATE, text);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NTZ:
        return expr_literal(arena, EXPR_TIMESTAMP, text);
    case TYPE_NONE:
    case TYPE_BINARY:
        return NULL;
    }
    return NULL;
}

static bool reads_back(const struct expr *literal, struct arena *arena) {
    struct buf text = {0};
    struct assay_error unused = {0};
    struct expr *again;
    expr_print_spark(&text, literal);
    bool is_same =
        expr_parse(str_copy(arena, buf_str(&text)), arena, &again, &unused) == ASSAY_OK && expr_eq(literal, again);
    buf_free(&text);
    return is_same;
}

enum assay_code plan_literal(struct str text, struct type type, struct arena *arena, struct expr **out,
                             struct assay_error *err) {
    struct expr *literal = build_literal(text, type, arena);
    if (literal && reads_back(literal, arena)) {
        *out = literal;
        return ASSAY_OK;
    }
    struct buf name = {0};
    type_print(&name, type);
    enum assay_code rc = error_set(err, ASSAY_INVALID, NULL, "'%.*s' is no %s", STR_ARG(text), name.data);
    buf_free(&name);
    return rc;
}
