/*
 * Making trees by hand, comparing them, and what they use.
 *
 * 1. Every node knows the height and the size of its tree, so that no walk has to fear for its stack or its time: parse
 * and check refuse more than LIMIT_RULE_DEPTH and LIMIT_RULE_BYTES. (CASE x WHEN shares x between its conditions.)
 */
#include "expr/expr_int.h"

#include <limits.h>

static struct expr *add_node(struct arena *arena, enum expr_kind kind, struct str text, struct expr **args,
                             size_t count) {
    struct expr *e = ARENA_NEW(arena, struct expr);
    e->kind = kind;
    e->text = str_copy(arena, text);
    e->args = args;
    e->count = count;
    for (size_t i = 0; i < count; i++) {
        if (args[i]->height > e->height) e->height = args[i]->height;
        e->size = args[i]->size > UINT_MAX / 2 - e->size ? UINT_MAX / 2 : e->size + args[i]->size;
    }
    e->height++;
    e->size++;
    return e;
}

struct expr *expr_column(struct arena *arena, struct str name) {
    return add_node(arena, EXPR_COLUMN, name, NULL, 0);
}

struct expr *expr_text(struct arena *arena, struct str value) {
    return add_node(arena, EXPR_TEXT, value, NULL, 0);
}

struct expr *expr_number(struct arena *arena, struct str digits) {
    return add_node(arena, EXPR_NUMBER, digits, NULL, 0);
}

struct expr *expr_literal(struct arena *arena, enum expr_kind kind, struct str text) {
    return add_node(arena, kind, text, NULL, 0);
}

struct expr *expr_unary(struct arena *arena, enum expr_op op, struct expr *a) {
    struct expr **args = ARENA_ARRAY(arena, 1, struct expr *);
    args[0] = a;
    struct expr *e = add_node(arena, EXPR_OPERATOR, (struct str){0}, args, 1);
    e->op = op;
    return e;
}

struct expr *expr_binary(struct arena *arena, enum expr_op op, struct expr *a, struct expr *b) {
    struct expr **args = ARENA_ARRAY(arena, 2, struct expr *);
    args[0] = a;
    args[1] = b;
    struct expr *e = add_node(arena, EXPR_OPERATOR, (struct str){0}, args, 2);
    e->op = op;
    return e;
}

struct expr *expr_cast(struct arena *arena, struct expr *a, struct type type) {
    struct expr **args = ARENA_ARRAY(arena, 1, struct expr *);
    args[0] = a;
    struct expr *e = add_node(arena, EXPR_CAST, (struct str){0}, args, 1);
    e->type = type;
    return e;
}

struct expr *expr_call(struct arena *arena, struct str function, struct expr **args, size_t count) {
    return add_node(arena, EXPR_CALL, str_lower(arena, function), args, count);
}

struct expr *expr_in(struct arena *arena, struct expr **args, size_t count) {
    return add_node(arena, EXPR_IN, (struct str){0}, args, count);
}

struct expr *expr_many(struct arena *arena, enum expr_kind kind, struct expr **args, size_t count) {
    return add_node(arena, kind, (struct str){0}, args, count);
}

bool expr_eq(const struct expr *a, const struct expr *b) {
    if (a->kind != b->kind || a->op != b->op || a->is_negated != b->is_negated || a->count != b->count) return false;
    if (a->kind == EXPR_COLUMN ? !str_eq_nocase(a->text, b->text) : !str_eq(a->text, b->text)) return false;
    if (a->kind == EXPR_CAST && !type_eq(a->type, b->type)) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!expr_eq(a->args[i], b->args[i])) return false;
    return true;
}

struct names {
    struct arena *arena;
    struct str *list;
    size_t count, capacity;
};

static void add_columns(const struct expr *e, struct names *names) {
    if (e->kind == EXPR_COLUMN) {
        for (size_t i = 0; i < names->count; i++)
            if (str_eq_nocase(names->list[i], e->text)) return;
        LIST_PUSH(names->arena, names->list, names->count, names->capacity) = e->text;
    }
    for (size_t i = 0; i < e->count; i++) add_columns(e->args[i], names);
}

void expr_columns(const struct expr *e, struct arena *arena, struct str **out, size_t *count) {
    struct names names = {.arena = arena};
    add_columns(e, &names);
    *out = names.list;
    *count = names.count;
}
