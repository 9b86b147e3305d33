/*
 * Rows of a SELECT become staged data files of a table (protocol: "Writer Requirements", "Default Columns", "Column
 * Mapping", "Partition Values").
 *
 * 1. A row has exactly the columns of the schema, in its order and types; one that the SELECT lacks gets its default,
 * else NULL; one that the table lacks is an error, never dropped in silence.
 * 2. Every row is checked as the table will have it, in a projection above all filters: the engine moves no projection
 * below a filter, so only rows that are written are judged. The first row that breaks a rule ends the write.
 * 3. Files have the columns that are no partition columns, by their names in files, with field ids where columns are
 * mapped.
 * 4. Nothing is written for tables that assay may not write (see protocol.c).
 */
#include "delta/delta_int.h"

#include <stdio.h>
#include <string.h>

#define RULE_MARK "assay-rule:"
enum { VALUES_SHOWN = 6, VALUE_LENGTH = 60 };

struct shaping {
    struct engine *engine;
    const struct delta_metadata *metadata;
    struct arena *arena;
    struct engine_result columns; /* names of the SELECT's columns */
    struct str *sources;          /* of each column of the table; ptr NULL: none */
    struct delta_rule *rules;
    size_t rule_count;
};

static enum assay_code describe(struct shaping *shaping, struct str select, struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT column_name FROM (DESCRIBE ");
    buf_add(&sql, select);
    buf_addc(&sql, ')');
    enum assay_code rc = engine_query(shaping->engine, buf_str(&sql), SIZE_MAX, shaping->arena, &shaping->columns, err);
    buf_free(&sql);
    return rc;
}

static void put_names(const struct delta_schema *schema, struct delta_keyset *names, struct arena *arena) {
    for (size_t i = 0; i < schema->count; i++)
        delta_keyset_put(names, str_lower(arena, schema->fields[i].name), arena)->value = i;
}

/* Which column of the SELECT fills which column of the table. */
static enum assay_code match_sources(struct shaping *shaping, struct assay_error *err) {
    const struct delta_schema *schema = &shaping->metadata->schema;
    struct delta_keyset names = {0};
    enum assay_code rc = ASSAY_OK;
    put_names(schema, &names, shaping->arena);
    shaping->sources = ARENA_ARRAY(shaping->arena, schema->count, struct str);
    for (size_t i = 0; i < shaping->columns.row_count && rc == ASSAY_OK; i++) {
        struct str name = engine_cell_at(&shaping->columns, i, 0)->text;
        const struct delta_key *field = delta_keyset_find(&names, str_lower(shaping->arena, name));
        if (!field || shaping->sources[field->value].ptr)
            rc = error_set(err, ASSAY_INTERNAL, NULL,
                           "the rows to be written have a column '%.*s' that the table does not have, or have it twice",
                           STR_ARG(name));
        else
            shaping->sources[field->value] = name;
    }
    delta_keyset_free(&names);
    return rc;
}

/* A char(n) has its spaces, and a partition column no empty text. */
static void print_value(const struct shaping *shaping, size_t i, struct buf *sql) {
    const struct delta_field *field = &shaping->metadata->schema.fields[i];
    int64_t length = delta_char_length(field, shaping->arena);
    struct buf value = {0};
    engine_sql_name(&value, shaping->sources[i]);
    if (length >= 0)
        buf_printf(sql, "CASE WHEN length(%s) < %lld THEN rpad(%s, %lld, ' ') ELSE %s END", value.data,
                   (long long)length, value.data, (long long)length, value.data);
    else if (field->type.kind == TYPE_STRING && delta_is_partition_column(shaping->metadata, field->name))
        buf_printf(sql, "nullif(%s, '')", value.data);
    else
        buf_add(sql, buf_str(&value));
    buf_free(&value);
}

/* (SELECT CAST("a" AS T) AS "a", ... FROM (select)) */
static enum assay_code print_shaped(const struct shaping *shaping, struct buf *sql, struct str select,
                                    struct assay_error *err) {
    const struct delta_schema *schema = &shaping->metadata->schema;
    buf_addz(sql, "(SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        buf_addz(sql, i ? ", CAST(" : "CAST(");
        if (shaping->sources[i].ptr)
            print_value(shaping, i, sql);
        else
            TRY(delta_default_sql(shaping->metadata, i, shaping->engine, shaping->arena, sql, err));
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
static void print_complaint(const struct shaping *shaping, struct buf *sql) {
    const struct delta_schema *schema = &shaping->metadata->schema;
    buf_addz(sql, "'" RULE_MARK "' || CASE");
    for (size_t i = 0; i < shaping->rule_count; i++)
        buf_printf(sql, " WHEN (%.*s) IS NOT TRUE THEN '%zu'", STR_ARG(shaping->rules[i].sql), i);
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
static enum assay_code print_guarded(const struct shaping *shaping, struct buf *sql, struct assay_error *err) {
    const struct delta_field *field = &shaping->metadata->schema.fields[0];
    buf_addz(sql, "CASE WHEN ");
    for (size_t i = 0; i < shaping->rule_count; i++)
        buf_printf(sql, "%s(%.*s)", i ? " AND " : "", STR_ARG(shaping->rules[i].sql));
    buf_addz(sql, " THEN ");
    engine_sql_name(sql, field->name);
    buf_addz(sql, " ELSE CAST(error(");
    print_complaint(shaping, sql);
    buf_addz(sql, ") AS ");
    TRY(delta_field_type_engine(field, sql, err));
    buf_addz(sql, ") END AS ");
    engine_sql_name(sql, field->name);
    return ASSAY_OK;
}

static enum assay_code print_select(const struct shaping *shaping, struct buf *sql, struct str select,
                                    struct assay_error *err) {
    const struct delta_schema *schema = &shaping->metadata->schema;
    if (shaping->rule_count == 0) {
        buf_addz(sql, "SELECT * FROM ");
        return print_shaped(shaping, sql, select, err);
    }
    buf_addz(sql, "SELECT ");
    TRY(print_guarded(shaping, sql, err));
    for (size_t i = 1; i < schema->count; i++) {
        buf_addz(sql, ", ");
        engine_sql_name(sql, schema->fields[i].name);
    }
    buf_addz(sql, " FROM ");
    return print_shaped(shaping, sql, select, err);
}

/* A complaint of our own in the engine's error becomes REFUSED; other errors stay. */
static enum assay_code name_rule(const struct shaping *shaping, enum assay_code rc, struct assay_error *err) {
    const char *mark = err ? strstr(err->message, RULE_MARK) : NULL;
    if (!mark) return rc;
    char text[sizeof err->message];
    snprintf(text, sizeof text, "%s", mark + sizeof RULE_MARK - 1);
    struct str number, values = str_split(str_of(text), ':', &number);
    int64_t index;
    if (str_int64(number, &index) != ASSAY_OK || index < 0 || (size_t)index >= shaping->rule_count) return rc;
    return error_set(err, ASSAY_REFUSED, NULL,
                     "a row breaks the %.*s; the row: %.*s. Nothing of this write is in the table",
                     STR_ARG(shaping->rules[index].name), STR_ARG(values));
}

/* ---- into files ---- */

static bool is_stored_as_is(const struct delta_metadata *m) {
    enum delta_mapping mapping;
    return m->partition_column_count == 0 && delta_mapping_parse(m, &mapping, NULL) == ASSAY_OK &&
           mapping == DELTA_MAPPING_NONE;
}

enum assay_code delta_print_stored(const struct delta_metadata *m, const char *more, const char *source,
                                   struct buf *sql, struct assay_error *err) {
    enum delta_mapping mapping;
    bool is_first = true;
    TRY(delta_mapping_parse(m, &mapping, err));
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < m->schema.count; i++) {
        const struct delta_field *field = &m->schema.fields[i];
        if (delta_is_partition_column(m, field->name)) continue;
        struct buf name = {0};
        if (!is_first) buf_addz(sql, ", ");
        is_first = false;
        engine_sql_name(&name, field->name);
        enum assay_code rc = delta_field_print_renamed(field, mapping, DELTA_TO_FILES, buf_str(&name), sql, err);
        buf_free(&name);
        if (rc) return rc;
        buf_addz(sql, " AS ");
        engine_sql_name(sql, field->physical_name);
    }
    if (is_first) return error_set(err, ASSAY_INVALID, NULL, "a table needs a column that is no partition column");
    buf_printf(sql, "%s FROM %s", more, source);
    return ASSAY_OK;
}

static enum assay_code write_whole(const struct delta_writing *writing, struct str select,
                                   const struct engine_write_options *options, struct delta_new_files *out,
                                   struct assay_error *err) {
    struct engine_files files = {0};
    struct buf sql = {0};
    enum assay_code rc = ASSAY_OK;
    if (is_stored_as_is(writing->metadata)) {
        buf_add(&sql, select);
    } else {
        struct str source = str_printf(writing->arena, "(%.*s)", STR_ARG(select));
        rc = delta_print_stored(writing->metadata, "", source.ptr, &sql, err);
    }
    struct str prefix = staging_path(writing->staging, writing->arena, str_of(writing->stem));
    if (rc == ASSAY_OK)
        rc = engine_write_parquet(writing->engine, buf_str(&sql), prefix, options, writing->arena, &files, err);
    buf_free(&sql);
    if (rc) return rc;
    *out = (struct delta_new_files){ARENA_ARRAY(writing->arena, files.count, struct delta_new_file), files.count,
                                    files.row_count};
    for (size_t i = 0; i < files.count; i++) out->files[i].file = files.files[i];
    return ASSAY_OK;
}

enum assay_code delta_write_rows(const struct delta_writing *writing, struct str select, struct delta_new_files *out,
                                 struct assay_error *err) {
    const struct delta_metadata *m = writing->metadata;
    struct shaping shaping = {.engine = writing->engine, .metadata = m, .arena = writing->arena};
    struct engine_write_options options = *writing->options;
    struct assay_error local = {0};
    if (!err) err = &local;
    if (options.file_bytes == 0) options.file_bytes = delta_target_bytes(m);
    if (writing->is_checked) {
        TRY(delta_metadata_check(m, err));
        TRY(delta_rules_load(m, writing->engine, writing->arena, &shaping.rules, &shaping.rule_count, err));
    }
    TRY(delta_mapping_field_ids(m, writing->arena, &options.field_ids, err));
    TRY(describe(&shaping, select, err));
    TRY(match_sources(&shaping, err));
    struct buf sql = {0};
    enum assay_code rc = print_select(&shaping, &sql, select, err);
    if (rc == ASSAY_OK)
        rc = m->partition_column_count ? delta_write_parts(writing, buf_str(&sql), &options, out, err)
                                       : write_whole(writing, buf_str(&sql), &options, out, err);
    if (rc) rc = name_rule(&shaping, rc, err);
    buf_free(&sql);
    return rc;
}

enum assay_code delta_write_files(struct engine *engine, struct staging *staging, const struct delta_metadata *metadata,
                                  struct str select, const struct engine_write_options *options, struct arena *arena,
                                  struct delta_new_files *out, struct assay_error *err) {
    struct delta_writing writing = {engine, staging, metadata, "part", true, arena, options};
    return delta_write_rows(&writing, select, out, err);
}

enum assay_code delta_staged_sql(struct store *store, struct engine *engine, const struct delta_metadata *metadata,
                                 const struct delta_new_files *files, bool with_place, struct arena *arena,
                                 struct buf *sql, struct assay_error *err) {
    struct delta_snapshot staged = {
        .store = store, .engine = engine, .metadata = *metadata, .file_count = files->count};
    staged.files = ARENA_ARRAY(arena, files->count, struct delta_file);
    for (size_t i = 0; i < files->count; i++) {
        const struct delta_new_file *file = &files->files[i];
        struct str *values = ARENA_ARRAY(arena, metadata->partition_column_count, struct str);
        for (size_t p = 0; p < metadata->partition_column_count; p++) values[p] = file->partition_values[p];
        staged.files[i] = (struct delta_file){.path = file->file.path,
                                              .partition_values = values,
                                              .size_bytes = file->file.size_bytes,
                                              .row_count = file->file.row_count};
    }
    return delta_scan_sql(&staged, NULL, 0, with_place, arena, sql, err);
}
