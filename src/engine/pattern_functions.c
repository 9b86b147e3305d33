/*
 * Functions whose second argument is a constant pattern or path, compiled once when the statement is planned:
 * spark_to_date, spark_to_timestamp, java_regexp_find, spark_get_json_object.
 *
 * 1. A pattern that is not constant, NULL or refused by its language ends the planning with its own error (failure.c).
 * 2. DuckDB copies a planned expression as it likes; the copies share the compiled pattern and the last one frees it.
 * 3. A regular expression that gives up on a text (too many steps) says NULL: no row is accepted on a guess, and no
 * statement fails because of one row.
 */
#include "engine/engine_int.h"

#include "base/json_path.h"
#include "base/regex.h"
#include "engine/cast.h"

#include <stdlib.h>

struct compiled {
    atomic_int users;
    struct regex *regex;
    struct datetime_pattern *datetime;
    struct json_path *path;
};

enum language { REGEX, DATETIME, JSON_PATH };

static void release(void *data) {
    struct compiled *c = data;
    if (atomic_fetch_sub(&c->users, 1) != 1) return;
    regex_close(&c->regex);
    datetime_pattern_close(&c->datetime);
    json_path_close(&c->path);
    free(c);
}

static void *share(void *data) {
    atomic_fetch_add(&((struct compiled *)data)->users, 1);
    return data;
}

/** The constant text of argument 1; *text is DuckDB's to free. */
static enum assay_code constant_text(duckdb_bind_info info, char **text, struct assay_error *err) {
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, 1);
    duckdb_client_context context;
    duckdb_value value = NULL;
    *text = NULL;
    duckdb_scalar_function_get_client_context(info, &context);
    if (duckdb_expression_is_foldable(argument)) {
        duckdb_error_data failed = duckdb_expression_fold(context, argument, &value);
        if (failed) duckdb_destroy_error_data(&failed);
    }
    if (value && !duckdb_is_null_value(value)) *text = duckdb_get_varchar(value);
    if (value) duckdb_destroy_value(&value);
    duckdb_destroy_client_context(&context);
    duckdb_destroy_expression(&argument);
    if (!*text) return error_set(err, ASSAY_INTERNAL, NULL, "a pattern in our SQL is not a constant text");
    return ASSAY_OK;
}

static enum assay_code compile(struct compiled *c, enum language language, struct str text, struct assay_error *err) {
    switch (language) {
    case REGEX:
        return regex_open(text, &c->regex, err);
    case DATETIME:
        return datetime_pattern_open(text, &c->datetime, err);
    case JSON_PATH:
        break;
    }
    return json_path_open(text, &c->path, err);
}

static void bind_compiled(duckdb_bind_info info, enum language language) {
    struct engine *engine = duckdb_scalar_function_bind_get_extra_info(info);
    struct assay_error err = {0};
    struct compiled *c = memory_alloc(sizeof *c);
    *c = (struct compiled){.users = 1};
    char *text;
    enum assay_code rc = constant_text(info, &text, &err);
    if (!rc) rc = compile(c, language, str_of(text), &err);
    duckdb_free(text);
    if (rc) {
        err.code = rc;
        failure_keep(engine, &err);
        duckdb_scalar_function_bind_set_error(info, err.message);
        release(c);
        return;
    }
    duckdb_scalar_function_set_bind_data(info, c, release);
    duckdb_scalar_function_set_bind_data_copy(info, share);
}

static void bind_regex(duckdb_bind_info info) { bind_compiled(info, REGEX); }
static void bind_datetime(duckdb_bind_info info) { bind_compiled(info, DATETIME); }
static void bind_json_path(duckdb_bind_info info) { bind_compiled(info, JSON_PATH); }

static void run_to_date(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const struct compiled *c = duckdb_scalar_function_get_bind_data(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0);
    struct writer out = writer_of(output);
    for (idx_t i = 0; i < count; i++)
        if (column_is_null(&in, i) ||
            !datetime_pattern_date(c->datetime, string_view((const duckdb_string_t *)in.data + i),
                                   (int32_t *)out.data + i))
            writer_put_null(&out, i);
}

static void run_to_timestamp(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const struct compiled *c = duckdb_scalar_function_get_bind_data(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0);
    struct writer out = writer_of(output);
    for (idx_t i = 0; i < count; i++)
        if (column_is_null(&in, i) ||
            !datetime_pattern_timestamp(c->datetime, string_view((const duckdb_string_t *)in.data + i),
                                        (int64_t *)out.data + i) ||
            !engine_is_instant(((const int64_t *)out.data)[i]))
            writer_put_null(&out, i);
}

static void run_regex(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const struct compiled *c = duckdb_scalar_function_get_bind_data(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0);
    struct writer out = writer_of(output);
    for (idx_t i = 0; i < count; i++)
        if (column_is_null(&in, i) ||
            regex_find(c->regex, string_view((const duckdb_string_t *)in.data + i), (bool *)out.data + i) != ASSAY_OK)
            writer_put_null(&out, i);
}

static void run_json_path(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const struct compiled *c = duckdb_scalar_function_get_bind_data(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0);
    struct writer out = writer_of(output);
    struct buf found = {0};
    for (idx_t i = 0; i < count; i++) {
        buf_clear(&found);
        if (column_is_null(&in, i) ||
            !json_path_find(c->path, string_view((const duckdb_string_t *)in.data + i), &found))
            writer_put_null(&out, i);
        else
            writer_put_text(&out, i, buf_str(&found));
    }
    buf_free(&found);
}

enum assay_code pattern_functions_add(struct engine *engine, struct assay_error *err) {
    const struct function functions[] = {
        {.name = "spark_to_date",
         .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
         .returns = DUCKDB_TYPE_DATE,
         .run = run_to_date,
         .bind = bind_datetime,
         .extra = engine},
        {.name = "spark_to_timestamp",
         .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
         .returns = DUCKDB_TYPE_TIMESTAMP_TZ,
         .run = run_to_timestamp,
         .bind = bind_datetime,
         .extra = engine},
        {.name = "java_regexp_find",
         .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
         .returns = DUCKDB_TYPE_BOOLEAN,
         .run = run_regex,
         .bind = bind_regex,
         .extra = engine},
        {.name = "spark_get_json_object",
         .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
         .returns = DUCKDB_TYPE_VARCHAR,
         .run = run_json_path,
         .bind = bind_json_path,
         .extra = engine},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) TRY(function_add(engine, &functions[i], err));
    return ASSAY_OK;
}
