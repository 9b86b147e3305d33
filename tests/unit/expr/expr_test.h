/** Helpers of the rule language's tests: columns of every type, and texts parsed, checked and printed. */
#ifndef TESTS_UNIT_EXPR_TEST_H
#define TESTS_UNIT_EXPR_TEST_H

#include "support/test.h"

#include "expr/expr.h"

#include <string.h>

static struct arena arena;

static const struct expr_column columns[] = {
    {{"id", 2}, {.kind = TYPE_BIGINT}},
    {{"i", 1}, {.kind = TYPE_INT}},
    {{"t", 1}, {.kind = TYPE_TINYINT}},
    {{"d", 1}, {.kind = TYPE_DOUBLE}},
    {{"f", 1}, {.kind = TYPE_FLOAT}},
    {{"amount", 6}, {TYPE_DECIMAL, 18, 2}},
    {{"wide", 4}, {TYPE_DECIMAL, 38, 10}},
    {{"name", 4}, {.kind = TYPE_STRING}},
    {{"currency", 8}, {.kind = TYPE_STRING}},
    {{"is_open", 7}, {.kind = TYPE_BOOLEAN}},
    {{"day_of", 6}, {.kind = TYPE_DATE}},
    {{"at", 2}, {.kind = TYPE_TIMESTAMP}},
    {{"local", 5}, {.kind = TYPE_TIMESTAMP_NTZ}},
    {{"raw", 3}, {.kind = TYPE_BINARY}},
    {{"tags", 4}, {.kind = TYPE_NONE}},
    {{"date", 4}, {.kind = TYPE_DATE}},
    {{"na me", 5}, {.kind = TYPE_STRING}},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static int reset_arena(void **state) {
    UNUSED(state);
    arena_reset(&arena);
    return 0;
}

static inline struct expr *parse(const char *text) {
    struct assay_error err = {0};
    struct expr *e = NULL;
    enum assay_code rc = expr_parse(str_of(text), &arena, &e, &err);
    if (rc) print_error("%s\n", text);
    assert_ok(rc, &err);
    return e;
}

static inline struct expr *checked(const char *text) {
    struct assay_error err = {0};
    struct expr *e = parse(text);
    enum assay_code rc = expr_check(e, columns, COLUMNS, &arena, &err);
    if (rc) print_error("%s\n", text);
    assert_ok(rc, &err);
    return e;
}

static inline struct str taken(struct buf *text) {
    struct str copy = str_copy(&arena, buf_str(text));
    buf_free(text);
    return copy;
}

static inline struct str spark(const struct expr *e) {
    struct buf text = {0};
    expr_print_spark(&text, e);
    return taken(&text);
}

static inline struct str engine_text(const char *text) {
    struct buf sql = {0};
    expr_print_engine(&sql, checked(text), (struct str){0});
    return taken(&sql);
}

static inline struct str type_text(const char *text) {
    struct buf name = {0};
    type_print(&name, checked(text)->type);
    return taken(&name);
}

/** The text is refused, by parse or by check, at this column, with this in the message. */
static inline void assert_refused(const char *text, const char *where, const char *part) {
    struct assay_error err = {0};
    struct expr *e;
    enum assay_code rc = expr_parse(str_of(text), &arena, &e, &err);
    if (rc == ASSAY_OK) rc = expr_check(e, columns, COLUMNS, &arena, &err);
    if (rc != ASSAY_INVALID || strcmp(err.where, where) != 0 || !strstr(err.message, part))
        print_error("%s\n  is '%s' at '%s'\n  not '%s' at '%s'\n", text, err.message, err.where, part, where);
    assert_code(ASSAY_INVALID, rc, &err);
    assert_string_equal(err.where, where);
    assert_err_has(&err, part);
}

#define RUN(test) cmocka_unit_test_teardown(test, reset_arena)

#endif
