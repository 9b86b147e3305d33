/*
 * Rows of a SELECT become staged data files of a table (protocol: "Writer Requirements").
 *
 * 1. A file holds exactly the columns of the schema, in its order and types; a nullable column that the SELECT lacks is
 * NULL, one that the table lacks is an error, never dropped in silence.
 * 2. Every row is checked on its way into the file, in the projection of the outermost SELECT: the engine moves no
 * projection below a filter, so only rows that are written are judged. The first row that breaks a rule ends the write.
 * 3. Nothing is written for tables that assay may not write (see protocol.c).
 */
#include "delta/delta_int.h"

#include <stdio.h>
#include <string.h>

#define RULE_MARK "assay-rule:"
enum { VALUES_SHOWN = 6, VALUE_LENGTH = 60 };

struct writing {
    struct engine *engine;
    const struct delta_metadata *metadata;
    struct arena *arena;
    struct engine_result columns; /* names of the SELECT's columns */
    struct str *sources;          /* of each column of the table; ptr NULL: none */
    struct delta_rule *rules;
    size_t rule_count;
};

static enum assay_code describe(struct writing *writing, struct str select, struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT column_name FROM (DESCRIBE ");
    buf_add(&sql, select);
    buf_addc(&sql, ')');
    enum assay_code rc = engine_query(writing->engine, buf_str(&sql), SIZE_MAX, writing->arena, &writing->columns, err);
    buf_free(&sql);
    return rc;
}

static void put_names(const struct delta_schema *schema, struct delta_keyset *names, struct arena *arena) {
    for (size_t i = 0; i < schema->count; i++)
        delta_keyset_put(names, str_lower(arena, schema->fields[i].name), arena)->value = i;
}

/* Which column of the SELECT fills which column of the table. */
static enum assay_code match_sources(struct writing *writing, struct assay_error *err) {
    const struct delta_schema *schema = &writing->metadata->schema;
    struct delta_keyset names = {0};
    enum assay_code rc = ASSAY_OK;
    put_names(schema, &names, writing->arena);
    writing->sources = ARENA_ARRAY(writing->arena, schema->count, struct str);
    for (size_t i = 0; i < writing->columns.row_count && rc == ASSAY_OK; i++) {
        struct str name = engine_cell_at(&writing->columns, i, 0)->text;
        const struct delta_key *field = delta_keyset_find(&names, str_lower(writing->arena, name));
        if (!field || writing->sources[field->value].ptr)
            rc = error_set(err, ASSAY_INTERNAL, NULL,
                           "the rows to be written have a column '%.*s' that the table does not have, or have it twice",
                           STR_ARG(name));
        else
            writing->sources[field->value] = name;
    }
    delta_keyset_free(&names);
    return rc;
}

/* (SELECT CAST("a" AS T) AS "a", ... FROM (select)) */
static enum assay_code print_shaped(const struct writing *writing, struct buf *sql, struct str select,
                                    struct assay_error *err) {
    const struct delta_schema *schema = &writing->metadata->schema;
    buf_addz(sql, "(SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        buf_addz(sql, i ? ", CAST(" : "CAST(");
        if (!writing->sources[i].ptr)
            buf_addz(sql, "NULL");
        else
            engine_sql_name(sql, writing->sources[i]);
        buf_addz(sql, " AS ");
        TRY(delta_field_type_engine(&schema->fields[i], sql, err));
        buf_addz(sql, ") AS ");
        engine_sql_name(sql, schema->fields[i].name);
    }
    buf_addz(sql, " FROM (");
    buf_add(sql, select);
    buf_addz(sql, "))");
    return ASSAY_OK;
}

/* 'assay-rule:' || number of the first broken rule || ':' || first values of the row */
static void print_complaint(const struct writing *writing, struct buf *sql) {
    const struct delta_schema *schema = &writing->metadata->schema;
    buf_addz(sql, "'" RULE_MARK "' || CASE");
    for (size_t i = 0; i < writing->rule_count; i++)
        buf_printf(sql, " WHEN (%.*s) IS NOT TRUE THEN '%zu'", STR_ARG(writing->rules[i].sql), i);
    buf_addz(sql, " END || ':' || concat_ws(', '");
    for (size_t i = 0; i < schema->count && i < VALUES_SHOWN; i++) {
        buf_addz(sql, ", concat(");
        engine_sql_text(sql, schema->fields[i].name);
        buf_addz(sql, ", ' = ', coalesce(left(CAST(");
        engine_sql_name(sql, schema->fields[i].name);
        buf_printf(sql, " AS VARCHAR), %d), 'NULL'))", VALUE_LENGTH);
    }
    buf_addc(sql, ')');
}

/* The first column, which is an error for a row that breaks a rule. */
static enum assay_code print_guarded(const struct writing *writing, struct buf *sql, struct assay_error *err) {
    const struct delta_field *field = &writing->metadata->schema.fields[0];
    buf_addz(sql, "CASE WHEN ");
    for (size_t i = 0; i < writing->rule_count; i++)
        buf_printf(sql, "%s(%.*s)", i ? " AND " : "", STR_ARG(writing->rules[i].sql));
    buf_addz(sql, " THEN ");
    engine_sql_name(sql, field->name);
    buf_addz(sql, " ELSE CAST(error(");
    print_complaint(writing, sql);
    buf_addz(sql, ") AS ");
    TRY(delta_field_type_engine(field, sql, err));
    buf_addz(sql, ") END AS ");
    engine_sql_name(sql, field->name);
    return ASSAY_OK;
}

static enum assay_code print_select(const struct writing *writing, struct buf *sql, struct str select,
                                    struct assay_error *err) {
    const struct delta_schema *schema = &writing->metadata->schema;
    if (writing->rule_count == 0) {
        buf_addz(sql, "SELECT * FROM ");
        return print_shaped(writing, sql, select, err);
    }
    buf_addz(sql, "SELECT ");
    TRY(print_guarded(writing, sql, err));
    for (size_t i = 1; i < schema->count; i++) {
        buf_addz(sql, ", ");
        engine_sql_name(sql, schema->fields[i].name);
    }
    buf_addz(sql, " FROM ");
    return print_shaped(writing, sql, select, err);
}

/* A complaint of our own in the engine's error becomes REFUSED; other errors stay. */
static enum assay_code name_rule(const struct writing *writing, enum assay_code rc, struct assay_error *err) {
    const char *mark = err ? strstr(err->message, RULE_MARK) : NULL;
    if (!mark) return rc;
    char text[sizeof err->message];
    snprintf(text, sizeof text, "%s", mark + sizeof RULE_MARK - 1);
    struct str number, values = str_split(str_of(text), ':', &number);
    int64_t index;
    if (str_int64(number, &index) != ASSAY_OK || index < 0 || (size_t)index >= writing->rule_count) return rc;
    return error_set(err, ASSAY_REFUSED, NULL,
                     "a row breaks the %.*s; the row: %.*s. Nothing of this write is in the table",
                     STR_ARG(writing->rules[index].name), STR_ARG(values));
}

enum assay_code delta_write_files(struct engine *engine, struct staging *staging, const struct delta_metadata *metadata,
                                  struct str select, const struct engine_write_options *options, struct arena *arena,
                                  struct engine_files *out, struct assay_error *err) {
    struct writing writing = {.engine = engine, .metadata = metadata, .arena = arena};
    struct assay_error local = {0};
    if (!err) err = &local;
    TRY(delta_metadata_check(metadata, err));
    TRY(delta_rules_load(metadata, engine, arena, &writing.rules, &writing.rule_count, err));
    TRY(describe(&writing, select, err));
    TRY(match_sources(&writing, err));
    struct buf sql = {0};
    enum assay_code rc = print_select(&writing, &sql, select, err);
    if (rc == ASSAY_OK)
        rc = name_rule(&writing,
                       engine_write_parquet(engine, buf_str(&sql), staging_path(staging, arena, STR("part")), options,
                                            arena, out, err),
                       err);
    buf_free(&sql);
    return rc;
}
