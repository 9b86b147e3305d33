/** Helpers of the engine's tests: an engine on a scratch folder, and its answers. */
#ifndef TESTS_UNIT_ENGINE_TEST_H
#define TESTS_UNIT_ENGINE_TEST_H

#include "support/test.h"

#include "engine/engine.h"

#include <string.h>

/** Opened by open_engine; closed by close_engine. */
static struct engine *engine;
static const char *folder;
static struct arena arena;

static int open_engine(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    folder = test_dir();
    struct str folders[] = {str_of(folder)};
    struct engine_options options = {
        .temp_folder = str_of(folder), .folders = folders, .folder_count = 1, .threads = 2};
    assert_ok(engine_open(&options, &engine, &err), &err);
    return 0;
}

static int close_engine(void **state) {
    UNUSED(state);
    engine_close(&engine);
    arena_reset(&arena);
    return 0;
}

/** The rows of a query: cells with `|` between them, a newline after each row, NULL as `NULL`. */
static inline struct str ask(const char *sql) {
    struct assay_error err = {0};
    struct engine_result r;
    struct buf text = {0};
    assert_ok(engine_query(engine, str_of(sql), 100000, &arena, &r, &err), &err);
    for (size_t row = 0; row < r.row_count; row++) {
        for (size_t column = 0; column < r.column_count; column++) {
            const struct engine_cell *cell = engine_cell_at(&r, row, column);
            if (column) buf_addc(&text, '|');
            buf_add(&text, cell->is_null ? STR("NULL") : cell->text);
        }
        if (row + 1 < r.row_count) buf_addc(&text, '\n');
    }
    struct str out = str_copy(&arena, buf_str(&text));
    buf_free(&text);
    return out;
}

/** printf into the tests' arena, as a C string. */
#define text_of(...) str_printf(&arena, __VA_ARGS__).ptr

#endif
