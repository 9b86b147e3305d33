/*
 * Questions about rows by their place in a file, asked of C code: `NOT <name>(file, row)` leaves rows out of a scan.
 *
 * 1. What is open for a file is used by one thread at a time. A thread that finds it in use opens it a second time, so
 * no thread waits for another while it answers.
 * 2. Memory is bounded: at most two a thread are open, those of every test together; the one unused for longest makes
 * room.
 * 3. The first error of an open ends the statement with its code and message (failure.c).
 */
#include "engine/engine_int.h"

#include <stdio.h>
#include <stdlib.h>

/** A registered test, in the engine's arena. */
struct test {
    struct engine *engine;
    struct engine_row_test test;
};

struct opened {
    const struct test *test; /* NULL: a free place */
    int64_t file;
    void *state;
    uint64_t used_at;
};

struct row_tests {
    pthread_mutex_t lock;
    struct opened *idle; /* nobody is using them now */
    size_t count;
    uint64_t clock;
    unsigned registered;
};

static void close_opened(struct opened *o) {
    if (o->test && o->state) o->test->test.close(o->state);
    *o = (struct opened){0};
}

/** Take what is open for the file, or open it. */
static enum assay_code take(const struct test *test, int64_t file, struct opened *out, struct assay_error *err) {
    struct row_tests *tests = test->engine->row_tests;
    *out = (struct opened){.test = test, .file = file};
    bool is_found = false;
    pthread_mutex_lock(&tests->lock);
    for (size_t i = 0; i < tests->count && !is_found; i++) {
        struct opened *o = &tests->idle[i];
        is_found = o->test == test && o->file == file;
        if (is_found) *out = *o, *o = (struct opened){0};
    }
    pthread_mutex_unlock(&tests->lock);
    return is_found ? ASSAY_OK : test->test.open(test->test.context, file, &out->state, err);
}

static void give_back(const struct opened *used) {
    struct row_tests *tests = used->test->engine->row_tests;
    pthread_mutex_lock(&tests->lock);
    struct opened *place = &tests->idle[0];
    for (size_t i = 0; i < tests->count && place->test; i++)
        if (!tests->idle[i].test || tests->idle[i].used_at < place->used_at) place = &tests->idle[i];
    struct opened old = *place;
    *place = *used;
    place->used_at = ++tests->clock;
    pthread_mutex_unlock(&tests->lock);
    close_opened(&old);
}

static enum assay_code answer(const struct test *test, const int64_t *files, const int64_t *rows, size_t count,
                              bool *answers, struct assay_error *err) {
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && files[end] == files[start];) end++;
        struct opened opened;
        TRY(take(test, files[start], &opened, err));
        if (opened.state)
            test->test.test(opened.state, rows + start, end - start, answers + start);
        else
            memset(answers + start, false, end - start);
        give_back(&opened);
    }
    return ASSAY_OK;
}

static void run_test(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const struct test *test = duckdb_scalar_function_get_extra_info(info);
    struct assay_error err = {0};
    enum assay_code rc = answer(test, duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0)),
                                duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 1)),
                                duckdb_data_chunk_get_size(input), duckdb_vector_get_data(output), &err);
    if (!rc) return;
    err.code = rc;
    failure_keep(test->engine, &err);
    duckdb_scalar_function_set_error(info, err.message);
}

enum assay_code engine_add_row_test(struct engine *engine, const struct engine_row_test *test, struct arena *arena,
                                    struct str *name, struct assay_error *err) {
    struct test *entry = ARENA_NEW(&engine->arena, struct test);
    *entry = (struct test){engine, *test};
    char text[32];
    snprintf(text, sizeof text, "assay_row_test_%u", ++engine->row_tests->registered);
    const struct function function = {.name = text,
                                      .parameters = {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT},
                                      .returns = DUCKDB_TYPE_BOOLEAN,
                                      .run = run_test,
                                      .extra = entry};
    TRY(function_add(engine, &function, err));
    *name = str_copy(arena, str_of(text));
    return ASSAY_OK;
}

void row_tests_open(struct engine *engine) {
    struct row_tests *tests = memory_alloc(sizeof *tests);
    *tests = (struct row_tests){.count = engine->threads > 0 ? 2 * (size_t)engine->threads : 2};
    tests->idle = memory_alloc(tests->count * sizeof *tests->idle);
    memset(tests->idle, 0, tests->count * sizeof *tests->idle);
    pthread_mutex_init(&tests->lock, NULL);
    engine->row_tests = tests;
}

void row_tests_close(struct engine *engine) {
    struct row_tests *tests = engine->row_tests;
    if (!tests) return;
    for (size_t i = 0; i < tests->count; i++) close_opened(&tests->idle[i]);
    free(tests->idle);
    pthread_mutex_destroy(&tests->lock);
    free(tests);
}
