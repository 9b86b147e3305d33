#include "support/test.h"

#include "base/limits.h"
#include "base/yaml.h"

#include <string.h>

static const struct yaml_node *parse(struct arena *arena, struct str text) {
    struct yaml_node *root = NULL;
    struct assay_error err = {0};
    assert_ok(yaml_parse(text, "t.yaml", arena, &root, &err), &err);
    return root;
}

static void test_every_node_knows_its_place(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const struct yaml_node *root = parse(&arena, STR("# head\n"
                                                     "name: orders\n"
                                                     "cols:\n"
                                                     "  - id: 1\n"
                                                     "    \"\u00FC\": {k: 'v', l: x}\n"
                                                     "empty:\n"
                                                     "text: |\n"
                                                     "  a\n"
                                                     "  b\n"));
    assert_int_equal(root->kind, YAML_MAPPING);
    assert_int_equal(root->count, 4);
    assert_int_equal(root->line, 2);
    const struct yaml_member *name = yaml_member(root, STR("name"));
    assert_int_equal(name->line, 2);
    assert_int_equal(name->column, 1);
    assert_int_equal(name->value->column, 7);
    const struct yaml_node *cols = yaml_get(root, STR("cols"));
    assert_int_equal(cols->kind, YAML_SEQUENCE);
    const struct yaml_member *umlaut = yaml_member(cols->items[0], STR("\u00FC"));
    assert_int_equal(umlaut->line, 5);
    assert_int_equal(umlaut->column, 5);
    const struct yaml_member *l = yaml_member(umlaut->value, STR("l"));
    assert_int_equal(l->column, 20); /* bytes: the umlaut has two */
    assert_true(yaml_get(umlaut->value, STR("k"))->is_quoted);
    assert_true(yaml_is_null(yaml_get(root, STR("empty"))));
    assert_str(yaml_get(root, STR("text"))->text, "a\nb\n");
    assert_true(yaml_get(root, STR("text"))->is_quoted);
    assert_null(yaml_get(root, STR("nothing")));
    assert_null(yaml_get(cols, STR("name")));
    assert_null(yaml_get(NULL, STR("name")));
    arena_reset(&arena);
}

static void test_lines_end_as_in_an_editor(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const struct yaml_node *root = parse(&arena, STR("\xEF\xBB\xBF"
                                                     "a: 1\r\nb: 2\rc: 3\nd: \"x\u2028y\"\ne: 5"));
    assert_int_equal(yaml_member(root, STR("a"))->column, 1); /* the byte order mark takes no room */
    assert_int_equal(yaml_member(root, STR("b"))->line, 2);
    assert_int_equal(yaml_member(root, STR("c"))->line, 3);
    assert_int_equal(yaml_member(root, STR("e"))->line, 5); /* U+2028 ends no line of an editor */
    arena_reset(&arena);
}

/** what: a text of the message */
static const struct {
    const char *text, *where, *what;
} hostile[] = {
    {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1", "\"a\" is here a second time; the first is on line 1"},
    {"a: {x: 1, \"x\": 2}", "t.yaml:1:11", "second time"},
    {"z: 1\nb: 1\nb: 2\nz: 2", "t.yaml:3:1", "\"b\""}, /* the first in the text */
    {"a: &x 1", "t.yaml:1:4", "anchor &x"},
    {"a: &x\n  b: 1", "t.yaml:1:4", "anchor &x"},
    {"\u00FC: *x", "t.yaml:1:5", "alias *x"},
    {"- *x", "t.yaml:1:3", "alias *x"},
    {"*x : 1", "t.yaml:1:1", "alias *x"},
    {"a: !!str 3", "t.yaml:1:4", "tag"},
    {"a: !custom [1]", "t.yaml:1:4", "tag !custom"},
    {"a: ! x", "t.yaml:1:4", "tag"},
    {"%TAG !e! tag:e,2000:\n---\na: 1", "t.yaml:1:1", "%TAG"},
    {"b:\n  <<: {x: 1}", "t.yaml:2:3", "merge key"},
    {"a: 1\n---\nb: 2", "t.yaml:2:1", "second document"},
    {"a: 1\n...\nb: 2", "t.yaml:3:1", "document"},
    {"? [a]\n: 1", "t.yaml:1:3", "key"},
    {"? {a: 1}\n: 1", "t.yaml:1:3", "key"},
    {"\ta: 1", "t.yaml:1:1", "tab"},
    {"a:\n\t- b", "t.yaml:2:1", "tab"},
    {"a: [1,\n  2", "t.yaml:2:4", "not valid YAML"},
    {"a: b: c", "t.yaml:1:5", "mapping values are not allowed"},
    {"a: 'x", "t.yaml:1:6", "unexpected end of stream"},
    {"a: \"\\q\"", "t.yaml:1:5", "escape"},
    {"a:\n  - b\n c: 1", "t.yaml:3:2", "not valid YAML"},
    {"ok: 1\nx: \xC3\x28", "t.yaml:2:4", "0xC3"},
    {"x: \xED\xA0\x80", "t.yaml:1:4", "not UTF-8"},
    {"a: \x01", "t.yaml:1:4", "control characters"},
    {"\xFF\xFE"
     "a",
     "t.yaml:1:1", "not UTF-8"}, /* UTF-16 */
};

static void test_what_is_refused_is_placed(void **state) {
    UNUSED(state);
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        struct arena arena = {0};
        struct yaml_node *root = NULL;
        struct assay_error err = {0};
        assert_code(ASSAY_INVALID, yaml_parse(str_of(hostile[i].text), "t.yaml", &arena, &root, &err), &err);
        assert_null(root);
        assert_string_equal(err.where, hostile[i].where);
        assert_err_has(&err, hostile[i].what);
        arena_reset(&arena);
    }
}

static void test_nul_bytes_are_refused_but_may_be_escaped(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct yaml_node *root = NULL;
    struct assay_error err = {0};
    assert_code(ASSAY_INVALID, yaml_parse((struct str){"a: b\0c", 6}, "t.yaml", &arena, &root, &err), &err);
    assert_int_equal(yaml_get(parse(&arena, STR("quote: \"\\0\"")), STR("quote"))->text.len, 1);
    arena_reset(&arena);
}

static enum assay_code parse_nested(int depth, const char *open, struct assay_error *err) {
    struct arena arena = {0};
    struct buf text = {0};
    for (int i = 0; i < depth; i++) buf_addz(&text, open);
    struct yaml_node *root;
    enum assay_code rc = yaml_parse(buf_str(&text), "t.yaml", &arena, &root, err);
    buf_free(&text);
    arena_reset(&arena);
    return rc;
}

static void test_depth_and_size_have_limits(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    assert_ok(parse_nested(LIMIT_YAML_DEPTH, "- ", &err), &err);
    assert_code(ASSAY_LIMIT, parse_nested(LIMIT_YAML_DEPTH + 1, "- ", &err), &err);
    assert_string_equal(err.where, "t.yaml:1:129");
    assert_code(ASSAY_LIMIT, parse_nested(100000, "[", &err), &err);
    assert_code(ASSAY_LIMIT, parse_nested(100000, "{a: ", &err), &err);
    assert_code(ASSAY_LIMIT, parse_nested(LIMIT_YAML_BYTES / 4 + 1, "# x\n", &err), &err);
    assert_ok(parse_nested(LIMIT_YAML_BYTES / 4, "# x\n", &err), &err);
}

static void test_many_keys_are_checked_in_time(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct buf text = {0};
    for (int i = 0; i < 100000; i++) buf_printf(&text, "k%d: v\n", i);
    assert_int_equal(parse(&arena, buf_str(&text))->count, 100000);
    buf_addz(&text, "k5: again\n");
    struct yaml_node *root;
    struct assay_error err = {0};
    assert_code(ASSAY_INVALID, yaml_parse(buf_str(&text), "t.yaml", &arena, &root, &err), &err);
    assert_string_equal(err.where, "t.yaml:100001:1");
    buf_free(&text);
    arena_reset(&arena);
}

static void test_scalars_mean_what_yaml_12_says(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    const struct yaml_node *root = parse(&arena, STR("n: [~, null, NULL, Null, \"null\", '', nil]\n"
                                                     "b: [true, False, TRUE, yes, NO, 'true', on]\n"
                                                     "i: [7, -7, 007, '7', 1.0, 1_000, 0x10, 9223372036854775808]\n"));
    const struct yaml_node *n = yaml_get(root, STR("n")), *b = yaml_get(root, STR("b")), *i = yaml_get(root, STR("i"));
    for (size_t at = 0; at < 7; at++) assert_int_equal(yaml_is_null(n->items[at]), at < 4);
    bool flag;
    assert_true(yaml_bool(b->items[0], &flag) && flag);
    assert_true(yaml_bool(b->items[1], &flag) && !flag);
    assert_true(yaml_bool(b->items[2], &flag) && flag);
    for (size_t at = 3; at < 7; at++) assert_false(yaml_bool(b->items[at], &flag));
    int64_t number;
    assert_true(yaml_int(i->items[0], &number) && number == 7);
    assert_true(yaml_int(i->items[1], &number) && number == -7);
    assert_true(yaml_int(i->items[2], &number) && number == 7);
    for (size_t at = 3; at < 8; at++) assert_false(yaml_int(i->items[at], &number));
    assert_false(yaml_int(n, &number));
    assert_false(yaml_is_null(n));
    assert_true(yaml_is_null(parse(&arena, STR("# nothing\n"))));
    assert_true(yaml_is_null(parse(&arena, STR(""))));
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_every_node_knows_its_place), cmocka_unit_test(test_lines_end_as_in_an_editor),
          cmocka_unit_test(test_what_is_refused_is_placed),
          cmocka_unit_test(test_nul_bytes_are_refused_but_may_be_escaped),
          cmocka_unit_test(test_depth_and_size_have_limits), cmocka_unit_test(test_many_keys_are_checked_in_time),
          cmocka_unit_test(test_scalars_mean_what_yaml_12_says))
