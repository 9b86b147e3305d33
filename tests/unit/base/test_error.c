#include "support/test.h"

#include <errno.h>
#include <string.h>

static void test_every_code_has_its_name_and_exit(void **state) {
    UNUSED(state);
    assert_string_equal(assay_code_name(ASSAY_OK), "ok");
    assert_string_equal(assay_code_name(ASSAY_CONFLICT), "conflict");
    assert_string_equal(assay_code_name((enum assay_code)999), "unknown code");
    assert_int_equal(assay_code_exit(ASSAY_OK), 0);
    assert_int_equal(assay_code_exit(ASSAY_REFUSED), 1);
    assert_int_equal(assay_code_exit(ASSAY_INVALID), 2);
    assert_int_equal(assay_code_exit(ASSAY_DENIED), 3);
    assert_int_equal(assay_code_exit(ASSAY_BREAKING), 4);
    assert_int_equal(assay_code_exit(ASSAY_UNKNOWN), 5);
    assert_int_equal(assay_code_exit(ASSAY_CONFLICT), 6);
    assert_int_equal(assay_code_exit((enum assay_code)999), 3);
}

static void test_errno_becomes_what_the_caller_can_do(void **state) {
    UNUSED(state);
    static const struct {
        int errnum;
        enum assay_code code;
    } cases[] = {{EACCES, ASSAY_DENIED},     {EROFS, ASSAY_DENIED},  {ENOSPC, ASSAY_DENIED},
                 {EFBIG, ASSAY_DENIED},      {EDQUOT, ASSAY_DENIED}, {ENOENT, ASSAY_NOT_FOUND},
                 {ENOTDIR, ASSAY_NOT_FOUND}, {EEXIST, ASSAY_EXISTS}, {EIO, ASSAY_UNAVAILABLE},
                 {ESTALE, ASSAY_UNAVAILABLE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_error err = {0};
        assert_code(cases[i].code, error_errno(&err, cases[i].errnum, "a/b", "read"), &err);
        assert_err_has(&err, "cannot read: ");
        assert_err_has(&err, strerror(cases[i].errnum));
        assert_string_equal(err.where, "a/b");
    }
}

static void test_prepend_puts_the_outer_place_first(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    error_set(&err, ASSAY_CORRUPT, "line 3", "bad");
    assert_int_equal(error_prepend(&err, "%s version %d", "orders", 7), ASSAY_CORRUPT);
    assert_string_equal(err.where, "orders version 7: line 3");
    error_set(&err, ASSAY_CORRUPT, NULL, "bad");
    error_prepend(&err, "orders");
    assert_string_equal(err.where, "orders");
}

static void test_long_texts_are_cut_at_a_character(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    for (size_t lead = 0; lead < 4; lead++) {
        struct buf text = {0};
        for (size_t i = 0; i < lead; i++) buf_addc(&text, 'x');
        for (int i = 0; i < 2000; i++) buf_addz(&text, "\xF0\x9F\x98\x80");
        struct assay_error err = {0};
        error_set(&err, ASSAY_INVALID, text.data, "%s", text.data);
        assert_int_equal(str_utf8_error(str_of(err.message)), SIZE_MAX);
        assert_int_equal(str_utf8_error(str_of(err.where)), SIZE_MAX);
        assert_in_range(strlen(err.message), sizeof err.message - 5, sizeof err.message - 1);
        buf_free(&text);
    }
    arena_reset(&arena);
}

static void test_nobody_has_to_want_the_message(void **state) {
    UNUSED(state);
    assert_int_equal(error_set(NULL, ASSAY_LIMIT, "x", "y"), ASSAY_LIMIT);
    assert_int_equal(error_errno(NULL, ENOENT, NULL, "read"), ASSAY_NOT_FOUND);
}

TEST_MAIN(cmocka_unit_test(test_every_code_has_its_name_and_exit),
          cmocka_unit_test(test_errno_becomes_what_the_caller_can_do),
          cmocka_unit_test(test_prepend_puts_the_outer_place_first),
          cmocka_unit_test(test_long_texts_are_cut_at_a_character),
          cmocka_unit_test(test_nobody_has_to_want_the_message))
