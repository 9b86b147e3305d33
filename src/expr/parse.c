/*
 * Tokens to a tree: Spark 3.5's grammar of expressions (SqlBaseParser.g4), as far as the language goes.
 *
 *     or         := and (OR and)*
 *     and        := not (AND not)*
 *     not        := (NOT | !) not | predicate
 *     predicate  := value [[NOT] BETWEEN value AND value | [NOT] IN (or, ...) | [NOT] LIKE value | [NOT] RLIKE value
 *                          | IS [NOT] (NULL | TRUE | FALSE | UNKNOWN | DISTINCT FROM value)]
 *     value      := operands joined by comparisons, then + - ||, then * / %, each from left to right; unary - and +
 * bind closest
 *
 * 1. One predicate a value, as in Spark: `a IS NULL IS TRUE` needs brackets.
 * 2. What has a shorter form is that form in the tree: CASE x WHEN y is CASE WHEN x = y; IS NOT DISTINCT FROM is <=>.
 * 3. No tree is higher than LIMIT_RULE_DEPTH, however it is written; recursion is bounded by it too.
 */
#include "base/limits.h"
#include "expr/expr_int.h"

struct parser {
    struct token *tokens;
    size_t at;
    unsigned depth;
    struct arena *arena;
    struct assay_error *err;
};

static enum assay_code parse_or(struct parser *p, struct expr **out) NODISCARD;
static enum assay_code parse_not(struct parser *p, struct expr **out) NODISCARD;
static enum assay_code parse_unary(struct parser *p, struct expr **out) NODISCARD;

static const struct token *peek(const struct parser *p) { return &p->tokens[p->at]; }

static const struct token *peek_next(const struct parser *p) {
    return peek(p)->kind == TOKEN_END ? peek(p) : &p->tokens[p->at + 1];
}

static bool is_word(const struct token *t, const char *word) {
    return t->kind == TOKEN_WORD && str_eq_nocase(t->text, str_of(word));
}

static bool is_symbol(const struct token *t, const char *symbol) {
    return t->kind == TOKEN_SYMBOL && str_eq(t->text, str_of(symbol));
}

static bool take_word(struct parser *p, const char *word) {
    bool is_there = is_word(peek(p), word);
    if (is_there) p->at++;
    return is_there;
}

static bool take_symbol(struct parser *p, const char *symbol) {
    bool is_there = is_symbol(peek(p), symbol);
    if (is_there) p->at++;
    return is_there;
}

/* ---- mistakes ---- */

/** What stands in Spark's SQL or in other languages, and what to write here. */
static const char *hint_of(const struct token *t) {
    static const struct {
        const char *found, *hint;
    } hints[] = {
        {"&&", "; write AND"},
        {"div", "; write floor(a / b)"},
        {"ilike", "; write lower(x) LIKE '...'"},
        {"escape", "; the escape of LIKE is the backslash"},
        {"over", "; a rule sees one row, windows are not part of the language"},
        {"select", "; a rule sees one row, queries are not part of the language"},
        {"exists", "; a rule sees one row, queries are not part of the language"},
        {"interval", "; write date_add, date_sub or add_months"},
        {".", "; fields of structs are not part of the language, a name with a dot is written in back quotes"},
        {"[", "; items of lists are not part of the language"},
        {";", "; a rule is one expression without an end mark"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (is_word(t, hints[i].found) || is_symbol(t, hints[i].found)) return hints[i].hint;
    return "";
}

static enum assay_code fail_expected(struct parser *p, const char *expected) {
    const struct token *t = peek(p);
    if (t->kind == TOKEN_END) return fail_at(p->err, t->offset, "the expression ends where %s is expected", expected);
    const char *quote = t->kind == TOKEN_STRING ? "'" : t->kind == TOKEN_NAME ? "`" : "";
    struct str shown = str_sub(t->text, 0, 40);
    while (shown.len && str_utf8_error(shown) != SIZE_MAX) shown.len--;
    return fail_at(p->err, t->offset, "found %s%.*s%s, expected %s%s", quote, STR_ARG(shown), quote, expected,
                   hint_of(t));
}

static enum assay_code expect_symbol(struct parser *p, const char *symbol, const char *expected) {
    return take_symbol(p, symbol) ? ASSAY_OK : fail_expected(p, expected);
}

static enum assay_code expect_word(struct parser *p, const char *word) {
    return take_word(p, word) ? ASSAY_OK : fail_expected(p, word);
}

static enum assay_code fail_limit(struct parser *p, const char *what, int limit) {
    fail_at(p->err, peek(p)->offset, "the expression %s %d; a long chain of OR is written as IN (...)", what, limit);
    if (p->err) p->err->code = ASSAY_LIMIT;
    return ASSAY_LIMIT;
}

static enum assay_code fail_deep(struct parser *p) { return fail_limit(p, "is nested deeper than", LIMIT_RULE_DEPTH); }

/** Give the node its place, and refuse it when its tree is too high or too large. */
static enum assay_code put(struct parser *p, size_t offset, struct expr *e, struct expr **out) {
    e->offset = offset;
    *out = e;
    if (e->size > LIMIT_RULE_BYTES) return fail_limit(p, "has more parts than", LIMIT_RULE_BYTES);
    return e->height > LIMIT_RULE_DEPTH ? fail_deep(p) : ASSAY_OK;
}

static enum assay_code put_binary(struct parser *p, size_t offset, enum expr_op op, struct expr *a, struct expr *b,
                                  struct expr **out) {
    return put(p, offset, expr_binary(p->arena, op, a, b), out);
}

struct list {
    struct expr **items;
    size_t count, capacity;
};

static void push(struct parser *p, struct list *list, struct expr *e) {
    LIST_PUSH(p->arena, list->items, list->count, list->capacity) = e;
}

/* ---- primary ---- */

/** `or, or, ...)` after the opening bracket. */
static enum assay_code parse_list(struct parser *p, struct list *list) {
    do {
        struct expr *item;
        TRY(parse_or(p, &item));
        push(p, list, item);
    } while (take_symbol(p, ","));
    return expect_symbol(p, ")", "an operator, `,` or `)`");
}

static enum assay_code parse_case(struct parser *p, size_t offset, struct expr **out) {
    struct list list = {0};
    struct expr *subject = NULL, *e;
    if (!is_word(peek(p), "when")) TRY(parse_or(p, &subject));
    if (!is_word(peek(p), "when")) return fail_expected(p, "WHEN");
    while (take_word(p, "when")) {
        size_t at = peek(p)->offset;
        TRY(parse_or(p, &e));
        if (subject) TRY(put_binary(p, at, EXPR_EQ, subject, e, &e));
        push(p, &list, e);
        TRY(expect_word(p, "THEN"));
        TRY(parse_or(p, &e));
        push(p, &list, e);
    }
    if (take_word(p, "else")) {
        TRY(parse_or(p, &e));
        push(p, &list, e);
    }
    if (!take_word(p, "end")) return fail_expected(p, "WHEN, ELSE or END");
    return put(p, offset, expr_many(p->arena, EXPR_CASE, list.items, list.count), out);
}

/** A type's name with its parameters, put together again from tokens. */
static enum assay_code parse_type(struct parser *p, struct type *out) {
    const struct token *first = peek(p);
    if (first->kind != TOKEN_WORD) return fail_expected(p, "a type");
    p->at++;
    struct buf text = {0};
    buf_add(&text, first->text);
    if (is_symbol(peek(p), "(")) {
        while (peek(p)->kind != TOKEN_END && !is_symbol(peek(p), ")")) buf_add(&text, p->tokens[p->at++].text);
        if (take_symbol(p, ")")) buf_addc(&text, ')');
    }
    enum assay_code rc = ASSAY_OK;
    if (!type_parse(buf_str(&text), out))
        rc = fail_at(p->err, first->offset, "'%.*s' is no type that is known here",
                     STR_ARG(str_sub(buf_str(&text), 0, 60)));
    buf_free(&text);
    return rc;
}

/** After `CAST (`. */
static enum assay_code parse_cast(struct parser *p, size_t offset, struct expr **out) {
    struct expr *e;
    struct type type;
    TRY(parse_or(p, &e));
    TRY(expect_word(p, "AS"));
    TRY(parse_type(p, &type));
    TRY(expect_symbol(p, ")", "`)`"));
    return put(p, offset, expr_cast(p->arena, e, type), out);
}

/** After `arrow_cast (`: how delta-rs writes a timestamp, arrow_cast('2024-01-01T00:00:00.000000',
 * 'Timestamp(Microsecond, Some("UTC"))'), in UTC whether it says so or not. Other casts of that name are Arrow's and
 * not Spark's. */
static enum assay_code parse_arrow(struct parser *p, const struct token *name, struct expr **out) {
    const struct token *value = peek(p), *type = value->kind == TOKEN_STRING ? &p->tokens[p->at + 2] : value;
    bool is_timestamp = value->kind == TOKEN_STRING && is_symbol(&p->tokens[p->at + 1], ",") &&
                        type->kind == TOKEN_STRING && str_starts(type->text, STR("Timestamp(")) &&
                        (str_find(type->text, STR("None")) != SIZE_MAX || str_find(type->text, STR("UTC")) != SIZE_MAX);
    struct str text = value->text;
    size_t point = str_find_char(text, '.');
    while (point != SIZE_MAX && text.len > point + 7 && str_ends(text, STR("0"))) text.len--;
    int64_t us;
    if (!is_timestamp || !literal_timestamp(text, &us))
        return fail_at(
            p->err, name->offset,
            "arrow_cast is read only where it makes a timestamp in UTC, with at most six digits of a second, "
            "from a text");
    p->at += 3;
    TRY(expect_symbol(p, ")", "`)`"));
    return put(p, name->offset, expr_literal(p->arena, EXPR_TIMESTAMP, text), out);
}

/** After `name (`. */
static enum assay_code parse_call(struct parser *p, const struct token *name, struct expr **out) {
    struct list list = {0};
    if (is_word(peek(p), "distinct") || is_symbol(peek(p), "*"))
        return fail_at(p->err, peek(p)->offset, "a rule sees one row; aggregates are not part of the language");
    if (!take_symbol(p, ")")) TRY(parse_list(p, &list));
    return put(p, name->offset, expr_call(p->arena, name->text, list.items, list.count), out);
}

static enum assay_code parse_dated(struct parser *p, const struct token *type, struct expr **out) {
    struct str text = p->tokens[p->at++].text;
    bool is_date = is_word(type, "date");
    int64_t value;
    if (is_date ? !literal_date(text, &value) : !literal_timestamp(text, &value))
        return fail_at(p->err, type->offset, "'%.*s' is no %s", STR_ARG(str_sub(text, 0, 40)),
                       is_date ? "date; expected yyyy-mm-dd"
                               : "timestamp; expected yyyy-mm-dd hh:mm:ss with a fraction and Z or +hh:mm if need be");
    return put(p, type->offset, expr_literal(p->arena, is_date ? EXPR_DATE : EXPR_TIMESTAMP, text), out);
}

/** Whether the word cannot be a column's bare name: it belongs to the grammar around. */
static bool is_reserved(const struct token *t) {
    static const char *const words[] = {"and",  "or",   "not",  "in", "is",   "like", "rlike",    "regexp", "between",
                                        "when", "then", "else", "as", "from", "case", "distinct", "select", "interval"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_word(t, words[i])) return true;
    return false;
}

static enum assay_code parse_word(struct parser *p, struct expr **out) {
    const struct token *t = peek(p), *next = peek_next(p);
    static const struct {
        const char *word;
        enum expr_kind kind;
        const char *text;
    } words[] = {{"null", EXPR_NULL, ""}, {"true", EXPR_BOOL, "true"}, {"false", EXPR_BOOL, "false"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (take_word(p, words[i].word))
            return put(p, t->offset, expr_literal(p->arena, words[i].kind, str_of(words[i].text)), out);
    if (take_word(p, "case")) return parse_case(p, t->offset, out);
    if (is_reserved(t)) return fail_expected(p, "a value");
    p->at++;
    if (next->kind == TOKEN_STRING && (is_word(t, "date") || is_word(t, "timestamp"))) return parse_dated(p, t, out);
    if (take_symbol(p, "(")) {
        if (is_word(t, "arrow_cast")) return parse_arrow(p, t, out);
        return is_word(t, "cast") ? parse_cast(p, t->offset, out) : parse_call(p, t, out);
    }
    return put(p, t->offset, expr_column(p->arena, t->text), out);
}

static enum assay_code parse_plain(struct parser *p, struct expr **out) {
    const struct token *t = peek(p);
    switch (t->kind) {
    case TOKEN_WORD:
        return parse_word(p, out);
    case TOKEN_NAME:
        p->at++;
        return put(p, t->offset, expr_column(p->arena, t->text), out);
    case TOKEN_STRING:
        p->at++;
        return put(p, t->offset, expr_text(p->arena, t->text), out);
    case TOKEN_NUMBER:
        p->at++;
        return put(p, t->offset, expr_number(p->arena, t->text), out);
    case TOKEN_SYMBOL:
    case TOKEN_END:
        break;
    }
    if (!take_symbol(p, "(")) return fail_expected(p, "a value");
    TRY(parse_or(p, out));
    return expect_symbol(p, ")", "an operator or `)`");
}

/** A value and the casts behind it: `x::date`, as Databricks and delta-rs write CAST(x AS DATE). */
static enum assay_code parse_primary(struct parser *p, struct expr **out) {
    TRY(parse_plain(p, out));
    for (size_t offset = peek(p)->offset; take_symbol(p, "::"); offset = peek(p)->offset) {
        struct type type;
        TRY(parse_type(p, &type));
        TRY(put(p, offset, expr_cast(p->arena, *out, type), out));
    }
    return ASSAY_OK;
}

/* ---- operators ---- */

static enum assay_code enter(struct parser *p) { return ++p->depth > LIMIT_RULE_DEPTH ? fail_deep(p) : ASSAY_OK; }

static enum assay_code parse_unary(struct parser *p, struct expr **out) {
    size_t offset = peek(p)->offset;
    /* Spark asks for a number after a plus; one that is written out is all that anybody writes */
    if (is_symbol(peek(p), "+") && peek_next(p)->kind == TOKEN_NUMBER) p->at++;
    if (!take_symbol(p, "-")) return parse_primary(p, out);
    TRY(enter(p));
    TRY(parse_unary(p, out));
    p->depth--;
    return put(p, offset, expr_unary(p->arena, EXPR_NEGATE, *out), out);
}

static const struct {
    const char *symbol;
    enum expr_op op;
    int level;
} operators[] = {
    {"=", EXPR_EQ, 1},       {"==", EXPR_EQ, 1},      {"<>", EXPR_NE, 1},
    {"!=", EXPR_NE, 1},      {"<", EXPR_LT, 1},       {"<=", EXPR_LE, 1},
    {">", EXPR_GT, 1},       {">=", EXPR_GE, 1},      {"<=>", EXPR_NULL_SAFE_EQ, 1},
    {"+", EXPR_ADD, 2},      {"-", EXPR_SUBTRACT, 2}, {"||", EXPR_CONCAT, 2},
    {"*", EXPR_MULTIPLY, 3}, {"/", EXPR_DIVIDE, 3},   {"%", EXPR_MODULO, 3},
};

enum { LEVEL_VALUE = 1, LEVEL_UNARY = 4 };

/** Operands joined by operators of this level and closer ones. */
static enum assay_code parse_level(struct parser *p, int level, struct expr **out) {
    if (level == LEVEL_UNARY) return parse_unary(p, out);
    TRY(parse_level(p, level + 1, out));
    for (;;) {
        const struct token *t = peek(p);
        size_t i = 0, count = sizeof operators / sizeof operators[0];
        while (i < count && !(operators[i].level == level && is_symbol(t, operators[i].symbol))) i++;
        if (i == count) return ASSAY_OK;
        p->at++;
        struct expr *right;
        TRY(parse_level(p, level + 1, &right));
        TRY(put_binary(p, t->offset, operators[i].op, *out, right, out));
    }
}

static enum assay_code parse_value(struct parser *p, struct expr **out) { return parse_level(p, LEVEL_VALUE, out); }

static enum assay_code parse_in(struct parser *p, size_t offset, struct expr **out) {
    struct list list = {0};
    push(p, &list, *out);
    TRY(expect_symbol(p, "(", "`(` and a list of values"));
    TRY(parse_list(p, &list));
    return put(p, offset, expr_in(p->arena, list.items, list.count), out);
}

static enum assay_code parse_between(struct parser *p, size_t offset, struct expr **out) {
    struct list list = {0};
    struct expr *bound;
    push(p, &list, *out);
    TRY(parse_value(p, &bound));
    push(p, &list, bound);
    TRY(expect_word(p, "AND"));
    TRY(parse_value(p, &bound));
    push(p, &list, bound);
    return put(p, offset, expr_many(p->arena, EXPR_BETWEEN, list.items, list.count), out);
}

static enum assay_code parse_pattern(struct parser *p, size_t offset, enum expr_op op, struct expr **out) {
    struct expr *pattern;
    TRY(parse_value(p, &pattern));
    return put_binary(p, offset, op, *out, pattern, out);
}

/** After IS. */
static enum assay_code parse_is(struct parser *p, size_t offset, struct expr **out) {
    static const struct {
        const char *word;
        enum expr_op op, not_op;
    } words[] = {{"null", EXPR_IS_NULL, EXPR_IS_NOT_NULL},
                 {"true", EXPR_IS_TRUE, EXPR_IS_NOT_TRUE},
                 {"false", EXPR_IS_FALSE, EXPR_IS_NOT_FALSE},
                 {"unknown", EXPR_IS_NULL, EXPR_IS_NOT_NULL}};
    bool is_not = take_word(p, "not");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (take_word(p, words[i].word))
            return put(p, offset, expr_unary(p->arena, is_not ? words[i].not_op : words[i].op, *out), out);
    if (!take_word(p, "distinct")) return fail_expected(p, is_not ? "NULL, TRUE or FALSE" : "NULL, TRUE, FALSE or NOT");
    TRY(expect_word(p, "FROM"));
    struct expr *right;
    TRY(parse_value(p, &right));
    TRY(put_binary(p, offset, EXPR_NULL_SAFE_EQ, *out, right, out));
    return is_not ? ASSAY_OK : put(p, offset, expr_unary(p->arena, EXPR_NOT, *out), out);
}

static enum assay_code parse_predicate(struct parser *p, struct expr **out) {
    TRY(parse_value(p, out));
    size_t offset = peek(p)->offset;
    if (take_word(p, "is")) return parse_is(p, offset, out);
    bool is_negated = take_word(p, "not");
    if (take_word(p, "in"))
        TRY(parse_in(p, offset, out));
    else if (take_word(p, "between"))
        TRY(parse_between(p, offset, out));
    else if (take_word(p, "like"))
        TRY(parse_pattern(p, offset, EXPR_LIKE, out));
    else if (take_word(p, "rlike") || take_word(p, "regexp"))
        TRY(parse_pattern(p, offset, EXPR_RLIKE, out));
    else
        return is_negated ? fail_expected(p, "IN, BETWEEN, LIKE or RLIKE") : ASSAY_OK;
    (*out)->is_negated = is_negated;
    return ASSAY_OK;
}

static enum assay_code parse_not(struct parser *p, struct expr **out) {
    size_t offset = peek(p)->offset;
    /* not(...) is no function: it reads the same */
    if (!take_word(p, "not") && !take_symbol(p, "!")) return parse_predicate(p, out);
    TRY(enter(p));
    TRY(parse_not(p, out));
    p->depth--;
    return put(p, offset, expr_unary(p->arena, EXPR_NOT, *out), out);
}

static enum assay_code parse_and(struct parser *p, struct expr **out) {
    TRY(parse_not(p, out));
    for (size_t offset = peek(p)->offset; take_word(p, "and"); offset = peek(p)->offset) {
        struct expr *right;
        TRY(parse_not(p, &right));
        TRY(put_binary(p, offset, EXPR_AND, *out, right, out));
    }
    return ASSAY_OK;
}

static enum assay_code parse_or(struct parser *p, struct expr **out) {
    TRY(enter(p));
    TRY(parse_and(p, out));
    for (size_t offset = peek(p)->offset; take_word(p, "or"); offset = peek(p)->offset) {
        struct expr *right;
        TRY(parse_and(p, &right));
        TRY(put_binary(p, offset, EXPR_OR, *out, right, out));
    }
    p->depth--;
    return ASSAY_OK;
}

enum assay_code expr_parse(struct str text, struct arena *arena, struct expr **out, struct assay_error *err) {
    struct parser p = {.arena = arena, .err = err};
    struct expr *e;
    TRY(tokens_of(text, arena, &p.tokens, err));
    TRY(parse_or(&p, &e));
    if (peek(&p)->kind != TOKEN_END) return fail_expected(&p, "an operator or the end");
    *out = e;
    return ASSAY_OK;
}
