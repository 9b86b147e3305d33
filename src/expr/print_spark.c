/*
 * A tree as Spark SQL. Brackets stand only where the grammar of parse.c would read another tree without them, or where
 * a reader would stumble (a comparison inside of a comparison or of a predicate).
 */
#include "expr/expr_int.h"

enum level {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_PREDICATE,
    LEVEL_COMPARE,
    LEVEL_ADD,
    LEVEL_MULTIPLY,
    LEVEL_UNARY,
    LEVEL_PRIMARY
};

static const struct {
    const char *text;
    enum level level;
} operators[] = {
    [EXPR_NOT] = {"NOT ", LEVEL_NOT},
    [EXPR_NEGATE] = {"-", LEVEL_UNARY},
    [EXPR_IS_NULL] = {" IS NULL", LEVEL_PREDICATE},
    [EXPR_IS_NOT_NULL] = {" IS NOT NULL", LEVEL_PREDICATE},
    [EXPR_IS_TRUE] = {" IS TRUE", LEVEL_PREDICATE},
    [EXPR_IS_NOT_TRUE] = {" IS NOT TRUE", LEVEL_PREDICATE},
    [EXPR_IS_FALSE] = {" IS FALSE", LEVEL_PREDICATE},
    [EXPR_IS_NOT_FALSE] = {" IS NOT FALSE", LEVEL_PREDICATE},
    [EXPR_AND] = {" AND ", LEVEL_AND},
    [EXPR_OR] = {" OR ", LEVEL_OR},
    [EXPR_EQ] = {" = ", LEVEL_COMPARE},
    [EXPR_NE] = {" <> ", LEVEL_COMPARE},
    [EXPR_LT] = {" < ", LEVEL_COMPARE},
    [EXPR_LE] = {" <= ", LEVEL_COMPARE},
    [EXPR_GT] = {" > ", LEVEL_COMPARE},
    [EXPR_GE] = {" >= ", LEVEL_COMPARE},
    [EXPR_NULL_SAFE_EQ] = {" <=> ", LEVEL_COMPARE},
    [EXPR_LIKE] = {" LIKE ", LEVEL_PREDICATE},
    [EXPR_RLIKE] = {" RLIKE ", LEVEL_PREDICATE},
    [EXPR_ADD] = {" + ", LEVEL_ADD},
    [EXPR_SUBTRACT] = {" - ", LEVEL_ADD},
    [EXPR_MULTIPLY] = {" * ", LEVEL_MULTIPLY},
    [EXPR_DIVIDE] = {" / ", LEVEL_MULTIPLY},
    [EXPR_MODULO] = {" % ", LEVEL_MULTIPLY},
    [EXPR_CONCAT] = {" || ", LEVEL_ADD},
};

static enum level level_of(const struct expr *e) {
    if (e->kind == EXPR_OPERATOR) return operators[e->op].level;
    return e->kind == EXPR_IN || e->kind == EXPR_BETWEEN ? LEVEL_PREDICATE : LEVEL_PRIMARY;
}

/** In brackets when it binds less closely than the place asks for. */
static void print_operand(struct buf *out, const struct expr *e, enum level least) {
    bool has_brackets = level_of(e) < least;
    if (has_brackets) buf_addc(out, '(');
    expr_print_spark(out, e);
    if (has_brackets) buf_addc(out, ')');
}

static void print_unary(struct buf *out, const struct expr *e) {
    const struct expr *a = e->args[0];
    enum level level = operators[e->op].level;
    if (level == LEVEL_PREDICATE) {
        print_operand(out, a, LEVEL_ADD);
        buf_addz(out, operators[e->op].text);
        return;
    }
    buf_addz(out, operators[e->op].text);
    /* two minus signs start a comment */
    if (e->op == EXPR_NEGATE && a->kind == EXPR_OPERATOR && a->op == EXPR_NEGATE) buf_addc(out, ' ');
    print_operand(out, a, level);
}

static void print_binary(struct buf *out, const struct expr *e) {
    enum level level = operators[e->op].level;
    bool is_compare = level == LEVEL_PREDICATE || level == LEVEL_COMPARE;
    print_operand(out, e->args[0], is_compare ? LEVEL_ADD : level);
    if (e->is_negated) buf_addz(out, " NOT");
    buf_addz(out, operators[e->op].text);
    print_operand(out, e->args[1], is_compare ? LEVEL_ADD : level + 1);
}

static void print_list(struct buf *out, struct expr *const *items, size_t count) {
    buf_addc(out, '(');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_addz(out, ", ");
        expr_print_spark(out, items[i]);
    }
    buf_addc(out, ')');
}

static void print_between(struct buf *out, const struct expr *e) {
    print_operand(out, e->args[0], LEVEL_ADD);
    buf_addz(out, e->is_negated ? " NOT BETWEEN " : " BETWEEN ");
    print_operand(out, e->args[1], LEVEL_ADD);
    buf_addz(out, " AND ");
    print_operand(out, e->args[2], LEVEL_ADD);
}

static void print_case(struct buf *out, const struct expr *e) {
    buf_addz(out, "CASE");
    for (size_t i = 0; i + 1 < e->count; i += 2) {
        buf_addz(out, " WHEN ");
        expr_print_spark(out, e->args[i]);
        buf_addz(out, " THEN ");
        expr_print_spark(out, e->args[i + 1]);
    }
    if (e->count % 2) {
        buf_addz(out, " ELSE ");
        expr_print_spark(out, e->args[e->count - 1]);
    }
    buf_addz(out, " END");
}

static void print_cast(struct buf *out, const struct expr *e) {
    buf_addz(out, "CAST(");
    expr_print_spark(out, e->args[0]);
    buf_addz(out, " AS ");
    size_t start = out->len;
    type_print(out, e->type);
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] >= 'a' && out->data[i] <= 'z') out->data[i] = (char)(out->data[i] - 'a' + 'A');
    buf_addc(out, ')');
}

void expr_print_spark(struct buf *out, const struct expr *e) {
    switch (e->kind) {
    case EXPR_NULL:
        buf_addz(out, "NULL");
        break;
    case EXPR_BOOL:
        buf_addz(out, str_eq(e->text, STR("true")) ? "TRUE" : "FALSE");
        break;
    case EXPR_NUMBER:
        buf_add(out, e->text);
        break;
    case EXPR_DATE:
    case EXPR_TIMESTAMP:
        buf_addz(out, e->kind == EXPR_DATE ? "DATE " : "TIMESTAMP ");
        spark_text_print(out, e->text);
        break;
    case EXPR_TEXT:
        spark_text_print(out, e->text);
        break;
    case EXPR_COLUMN:
        spark_name_print(out, e->text);
        break;
    case EXPR_OPERATOR:
        if (e->count == 1)
            print_unary(out, e);
        else
            print_binary(out, e);
        break;
    case EXPR_IN:
        print_operand(out, e->args[0], LEVEL_ADD);
        buf_addz(out, e->is_negated ? " NOT IN " : " IN ");
        print_list(out, e->args + 1, e->count - 1);
        break;
    case EXPR_BETWEEN:
        print_between(out, e);
        break;
    case EXPR_CASE:
        print_case(out, e);
        break;
    case EXPR_CAST:
        print_cast(out, e);
        break;
    case EXPR_CALL:
        buf_add(out, e->text);
        print_list(out, e->args, e->count);
        break;
    }
}
