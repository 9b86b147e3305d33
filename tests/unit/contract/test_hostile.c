/* Files that nobody meant well: nothing may be read out of bounds, no place may be wrong enough to crash, and time
 * stays sane. */
#include "base/limits.h"
#include "contract_support.h"

static void parse_and_print(struct str text) {
    struct parsed p;
    struct buf out = {0};
    parse_text(&p, text);
    diagnostics_print(&p.diagnostics, DIAGNOSTIC_NOTE, &out);
    for (size_t i = 0; i < p.diagnostics.count; i++) {
        assert_true(p.diagnostics.list[i].line >= 1);
        assert_true(p.diagnostics.list[i].column >= 1);
        assert_true(p.diagnostics.list[i].code.len > 0);
        assert_true(p.diagnostics.list[i].message.len > 0);
    }
    buf_free(&out);
    arena_reset(&p.arena);
}

static void test_every_prefix(void **state) {
    UNUSED(state);
    struct str all = str_of(good_contract);
    for (size_t n = 0; n <= all.len; n += 3) {
        struct arena arena = {0};
        parse_and_print(str_copy(&arena, str_sub(all, 0, n)));
        arena_reset(&arena);
    }
}

/* Lines taken out, doubled, indented otherwise; bytes changed. A fixed generator, so a failure can be repeated. */
static void test_damaged_copies(void **state) {
    UNUSED(state);
    static const char spice[] = "{}[]:,#'\"|>-&*!%@`\n\t \\0a~?.";
    uint32_t seed = 12345;
    for (int round = 0; round < 1500; round++) {
        struct buf text = {0};
        buf_addz(&text, good_contract);
        for (int change = 0; change < 1 + round % 4; change++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (seed >> 8) % text.len;
            seed = seed * 1664525u + 1013904223u;
            text.data[at] = spice[(seed >> 8) % (sizeof spice - 1)];
        }
        parse_and_print(buf_str(&text));
        buf_free(&text);
    }
}

static void test_wrong_kinds_everywhere(void **state) {
    UNUSED(state);
    static const char *const values[] = {"{}", "[]", "x", "~", "[[]]", "{ a: b }", "[{}]", "''"};
    struct str all = str_of(good_contract), rest = all, line;
    for (size_t at = 0; at < all.len; at += line.len + 1) {
        rest = str_sub(all, at, all.len);
        str_split(rest, '\n', &line);
        size_t colon = str_find(line, STR(": "));
        for (size_t i = 0; colon != SIZE_MAX && i < sizeof values / sizeof values[0]; i++) {
            struct arena arena = {0};
            struct str head = str_sub(all, 0, at + colon + 1), tail = str_sub(all, at + line.len, all.len);
            parse_and_print(str_printf(&arena, "%.*s %s%.*s", STR_ARG(head), values[i], STR_ARG(tail)));
            arena_reset(&arena);
        }
    }
}

static void test_not_a_contract(void **state) {
    UNUSED(state);
    static const char *const texts[] = {
        "", "~", "x", "[]", "{}", "- a", "a: b", "\xEF\xBB\xBF", "schema: [~, x, {}]\n", "schema: {}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct parsed p;
        parse_text(&p, str_of(texts[i]));
        assert_true(p.diagnostics.error_count > 0);
        arena_reset(&p.arena);
        parse_and_print(str_of(texts[i]));
    }
    parse_and_print(STR("a: \0b"));
    parse_and_print(STR("a: \xFF\xFE"));
}

static void test_very_long_names(void **state) {
    UNUSED(state);
    struct buf text = {0};
    buf_addz(&text, good_contract);
    buf_addz(&text, "      - name: ");
    for (int i = 0; i < 100000; i++) buf_addc(&text, 'x');
    buf_addz(&text, "\n        logicalType: ");
    for (int i = 0; i < 100000; i++) buf_addc(&text, 'y');
    buf_addc(&text, '\n');
    struct parsed p;
    struct buf out = {0};
    parse_text(&p, buf_str(&text));
    diagnostics_print(&p.diagnostics, DIAGNOSTIC_NOTE, &out);
    assert_int_equal(p.diagnostics.error_count, 2);
    assert_true(out.len < 2000);
    buf_free(&out);
    buf_free(&text);
    arena_reset(&p.arena);
}

static void test_thousands_of_columns(void **state) {
    UNUSED(state);
    struct buf text = {0};
    buf_addz(&text, good_contract);
    for (int i = 0; i < LIMIT_COLUMNS - 6; i++)
        buf_printf(&text, "      - { name: c%d, logicalType: string, required: true }\n", i);
    struct parsed p;
    parse_text(&p, buf_str(&text));
    assert_clean(&p, "as many columns as are allowed");
    assert_int_equal(p.list[0].column_count, LIMIT_COLUMNS);
    arena_reset(&p.arena);
    buf_addz(&text, "      - { name: one_more, logicalType: string }\n");
    parse_text(&p, buf_str(&text));
    assert_true(p.diagnostics.error_count > 0);
    arena_reset(&p.arena);
    buf_free(&text);
}

static void test_thousands_of_mistakes(void **state) {
    UNUSED(state);
    struct buf text = {0};
    buf_addz(&text, good_contract);
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, "      - { name: c%d, logicalTpye: string, physicalType: strng }\n", i);
    struct parsed p;
    parse_text(&p, buf_str(&text));
    assert_int_equal(p.diagnostics.count, LIMIT_DIAGNOSTICS);
    assert_int_equal(p.diagnostics.error_count, 10000);
    arena_reset(&p.arena);
    buf_free(&text);
}

TEST_MAIN(cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_damaged_copies),
          cmocka_unit_test(test_wrong_kinds_everywhere), cmocka_unit_test(test_not_a_contract),
          cmocka_unit_test(test_very_long_names), cmocka_unit_test(test_thousands_of_columns),
          cmocka_unit_test(test_thousands_of_mistakes))
