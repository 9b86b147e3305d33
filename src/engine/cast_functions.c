/*
 * Spark's casts as SQL functions: loops over vectors around the pure functions of cast.h.
 *
 * 1. NULL in, NULL out; what the cast refuses is NULL. No value makes a statement fail.
 * 2. spark_decimal_<p>_<s> is registered when it is first needed; the catalog takes functions after the settings are
 * locked.
 */
#include "engine/engine_int.h"

#include "engine/cast.h"

#include <stdio.h>

enum assay_code function_add(struct engine *engine, const struct function *f, struct assay_error *err) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_name(function, f->name);
    for (const duckdb_type *p = f->parameters; *p != DUCKDB_TYPE_INVALID; p++) {
        duckdb_logical_type type = duckdb_create_logical_type(*p);
        duckdb_scalar_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_logical_type made = f->returns_type ? NULL : duckdb_create_logical_type(f->returns);
    duckdb_scalar_function_set_return_type(function, f->returns_type ? f->returns_type : made);
    if (made) duckdb_destroy_logical_type(&made);
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_function(function, f->run);
    if (f->is_volatile) duckdb_scalar_function_set_volatile(function);
    if (f->bind) duckdb_scalar_function_set_bind(function, f->bind);
    if (f->extra) duckdb_scalar_function_set_extra_info(function, f->extra, NULL);
    duckdb_state state = duckdb_register_scalar_function(engine->connection, function);
    duckdb_destroy_scalar_function(&function);
    if (state != DuckDBSuccess)
        return error_set(err, ASSAY_INTERNAL, NULL, "the SQL function %s cannot be registered", f->name);
    return ASSAY_OK;
}

/* suffix, type of the value in C, type in SQL, which values the engine takes */
#define ANY(value) true
#define CASTS(X)                                                                                                       \
    X(date, int32_t, DUCKDB_TYPE_DATE, ANY)                                                                            \
    X(timestamp, int64_t, DUCKDB_TYPE_TIMESTAMP_TZ, engine_is_instant)                                                 \
    X(timestamp_ntz, int64_t, DUCKDB_TYPE_TIMESTAMP, engine_is_instant)                                                \
    X(tinyint, int8_t, DUCKDB_TYPE_TINYINT, ANY)                                                                       \
    X(smallint, int16_t, DUCKDB_TYPE_SMALLINT, ANY)                                                                    \
    X(int, int32_t, DUCKDB_TYPE_INTEGER, ANY)                                                                          \
    X(bigint, int64_t, DUCKDB_TYPE_BIGINT, ANY)                                                                        \
    X(float, float, DUCKDB_TYPE_FLOAT, ANY)                                                                            \
    X(double, double, DUCKDB_TYPE_DOUBLE, ANY)                                                                         \
    X(boolean, bool, DUCKDB_TYPE_BOOLEAN, ANY)

#define CAST_LOOP(suffix, c_type, sql_type, is_taken)                                                                  \
    static void run_##suffix(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {               \
        (void)info;                                                                                                    \
        idx_t count = duckdb_data_chunk_get_size(input);                                                               \
        struct column in = column_of(input, 0);                                                                        \
        struct writer out = writer_of(output);                                                                         \
        const duckdb_string_t *texts = in.data;                                                                        \
        c_type *values = out.data;                                                                                     \
        for (idx_t i = 0; i < count; i++)                                                                              \
            if (column_is_null(&in, i) || !cast_##suffix(string_view(&texts[i]), &values[i]) || !is_taken(values[i]))  \
                writer_put_null(&out, i);                                                                              \
    }
CASTS(CAST_LOOP)

static void run_decimal(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    uintptr_t type = (uintptr_t)duckdb_scalar_function_get_extra_info(info); /* both numbers, no memory */
    int precision = (int)(type >> 8), scale = (int)(type & 255);
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0);
    struct writer out = writer_of(output);
    const duckdb_string_t *texts = in.data;
    for (idx_t i = 0; i < count; i++) {
        int128 value = 0;
        if (column_is_null(&in, i) || !cast_decimal(string_view(&texts[i]), precision, scale, &value, NULL))
            writer_put_null(&out, i);
        else if (precision <= 4)
            ((int16_t *)out.data)[i] = (int16_t)value;
        else if (precision <= 9)
            ((int32_t *)out.data)[i] = (int32_t)value;
        else if (precision <= 18)
            ((int64_t *)out.data)[i] = (int64_t)value;
        else
            ((duckdb_hugeint *)out.data)[i] = (duckdb_hugeint){(uint64_t)value, (int64_t)(value >> 64)};
    }
}

static void run_decimal_exact(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0), scales = column_of(input, 1);
    struct writer out = writer_of(output);
    const duckdb_string_t *texts = in.data;
    for (idx_t i = 0; i < count; i++) {
        int128 value;
        bool is_exact = false;
        int32_t scale = ((const int32_t *)scales.data)[i];
        if (column_is_null(&in, i) || column_is_null(&scales, i) || scale < 0 || scale > 38 ||
            !cast_decimal(string_view(&texts[i]), 38, scale, &value, &is_exact))
            writer_put_null(&out, i);
        else
            ((bool *)out.data)[i] = is_exact;
    }
}

enum assay_code engine_need_decimal(struct engine *engine, int precision, int scale, struct assay_error *err) {
    if (precision < 1 || precision > 38 || scale < 0 || scale > precision)
        return error_set(err, ASSAY_INVALID, NULL,
                         "decimal(%d,%d): the precision is 1 to 38, the scale 0 to the precision", precision, scale);
    if (engine->decimals[precision] >> scale & 1) return ASSAY_OK;
    char name[32];
    snprintf(name, sizeof name, "spark_decimal_%d_%d", precision, scale);
    duckdb_logical_type type = duckdb_create_decimal_type((uint8_t)precision, (uint8_t)scale);
    struct function function = {.name = name,
                                .parameters = {DUCKDB_TYPE_VARCHAR},
                                .returns_type = type,
                                .run = run_decimal,
                                .extra = (void *)((uintptr_t)precision << 8 | (uintptr_t)scale)};
    enum assay_code rc = function_add(engine, &function, err);
    duckdb_destroy_logical_type(&type);
    if (!rc) engine->decimals[precision] |= (uint64_t)1 << scale;
    return rc;
}

enum assay_code cast_functions_add(struct engine *engine, struct assay_error *err) {
#define CAST_FUNCTION(suffix, c_type, sql_type, is_taken)                                                              \
    {.name = "spark_" #suffix, .parameters = {DUCKDB_TYPE_VARCHAR}, .returns = sql_type, .run = run_##suffix},
    static const struct function functions[] = {
        CASTS(CAST_FUNCTION){.name = "spark_decimal_exact",
                             .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_INTEGER},
                             .returns = DUCKDB_TYPE_BOOLEAN,
                             .run = run_decimal_exact},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) TRY(function_add(engine, &functions[i], err));
    return ASSAY_OK;
}
