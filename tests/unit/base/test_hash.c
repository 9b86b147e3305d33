#include "support/test.h"

#include "base/hash.h"

/* FIPS 180-4 examples. */
static void test_sha256_of_the_standards_examples(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    assert_str(hash_sha256(&arena, STR("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_str(hash_sha256(&arena, STR("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_str(hash_sha256(&arena, (struct str){0}),
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    arena_reset(&arena);
}

static void test_pieces_add_up(void **state) {
    UNUSED(state);
    char hex[HASH_SHA256_HEX + 1];
    struct hash *h = hash_open();
    for (int i = 0; i < 1000; i++) {
        char piece[1000];
        for (size_t j = 0; j < sizeof piece; j++) piece[j] = 'a';
        hash_add(h, piece, sizeof piece);
        hash_add(h, NULL, 0);
    }
    hash_close(&h, hex);
    assert_null(h);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"); /* a million a */
}

static void test_uuids_are_version_4_and_new(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    struct str first = hash_uuid(&arena);
    for (int i = 0; i < 200; i++) {
        struct str id = hash_uuid(&arena);
        assert_int_equal(id.len, 36);
        for (size_t at = 0; at < 36; at++) {
            bool is_dash = at == 8 || at == 13 || at == 18 || at == 23;
            assert_true(is_dash ? id.ptr[at] == '-' : str_find_char(STR("0123456789abcdef"), id.ptr[at]) != SIZE_MAX);
        }
        assert_int_equal(id.ptr[14], '4');
        assert_int_not_equal(str_find_char(STR("89ab"), id.ptr[19]), SIZE_MAX);
        assert_false(str_eq(id, first));
    }
    arena_reset(&arena);
}

TEST_MAIN(cmocka_unit_test(test_sha256_of_the_standards_examples), cmocka_unit_test(test_pieces_add_up),
          cmocka_unit_test(test_uuids_are_version_4_and_new))
