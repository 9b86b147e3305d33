#include "support/test.h"

#include <string.h>

static void test_memory_is_zeroed_and_aligned(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    for (size_t size = 0; size < 300; size++) {
        char *bytes = arena_alloc(&arena, size);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    arena_reset(&arena);
}

static void test_growing_keeps_the_elements(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    int *list = NULL;
    size_t count = 0, capacity = 0;
    for (int i = 0; i < 10000; i++) LIST_PUSH(&arena, list, count, capacity) = i;
    assert_int_equal(count, 10000);
    for (int i = 0; i < 10000; i++) assert_int_equal(list[i], i);
    arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 0);
}

static void test_arena_is_used_again_after_reset(void **state) {
    UNUSED(state);
    struct arena arena = {0};
    for (int round = 0; round < 3; round++) {
        assert_str(str_printf(&arena, "round %d", round), round == 0 ? "round 0" : round == 1 ? "round 1" : "round 2");
        assert_non_null(arena_alloc(&arena, 10 * 1000 * 1000));
        arena_reset(&arena);
    }
}

TEST_MAIN(cmocka_unit_test(test_memory_is_zeroed_and_aligned), cmocka_unit_test(test_growing_keeps_the_elements),
          cmocka_unit_test(test_arena_is_used_again_after_reset))
