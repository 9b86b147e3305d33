/*
 * A query from its text to its rows.
 *
 * 1. Every table is loaded once, at one version, before anything runs: the rows of a query are of one moment a table.
 * 2. Tables are views of the engine's own memory, by the names that the text uses; the text itself runs unchanged.
 * 3. Types without a text here are cast by a SELECT around it, which keeps the order of the rows.
 */
#include "query/query_int.h"

#include <string.h>

static const char ENGINE_PREFIX[] = "the SQL engine: ";

/* An error of the engine over a user's text is the text's, unless a file of a table is gone. */
static enum assay_code tell_failure(const struct query *query, enum assay_code rc, struct assay_error *err) {
    if (!err) return rc;
    for (size_t i = 0; i < query->table_count && rc != ASSAY_INTERNAL; i++) {
        struct assay_error before = *err;
        if (query->tables[i].snapshot && delta_read_failed(query->tables[i].snapshot, rc, err) == ASSAY_NOT_FOUND)
            return ASSAY_NOT_FOUND;
        *err = before;
    }
    if (rc != ASSAY_INTERNAL) return rc;
    char message[sizeof err->message];
    memcpy(message, err->message, sizeof message);
    bool has_prefix = strncmp(message, ENGINE_PREFIX, sizeof ENGINE_PREFIX - 1) == 0;
    return error_set(err, ASSAY_INVALID, err->where, "%s", message + (has_prefix ? sizeof ENGINE_PREFIX - 1 : 0));
}

/* ---- tables ---- */

static enum assay_code find_version(struct store *store, struct str root, struct str state, struct arena *arena,
                                    int64_t *version, struct assay_error *err) {
    int64_t us;
    *version = DELTA_LATEST;
    if (state.len == 0) return ASSAY_OK;
    if ((state.ptr[0] == 'v' || state.ptr[0] == 'V') && str_int64(str_sub(state, 1, state.len), version) == ASSAY_OK)
        return ASSAY_OK;
    TRY(delta_time_parse(state, &us, err));
    return delta_version_at(store, root, us, arena, version, err);
}

static enum assay_code load_table(struct store *store, struct engine *engine, struct query_table *table,
                                  struct arena *arena, struct assay_error *err) {
    struct str name, root, state = str_split(table->name, '@', &name);
    struct delta_snapshot *snapshot;
    int64_t version;
    if (table->schema.len) name = str_printf(arena, "%.*s.%.*s", STR_ARG(table->schema), STR_ARG(name));
    if (table->name.len > 0 && str_find_char(table->name, '@') != SIZE_MAX && state.len == 0)
        return error_set(err, ASSAY_INVALID, NULL, "after `%.*s@` comes v and a version, or a moment", STR_ARG(name));
    TRY(query_table_find(store, name, arena, &root, err));
    TRY(find_version(store, root, state, arena, &version, err));
    TRY(delta_snapshot_load(store, engine, root, version, arena, &snapshot, err));
    table->snapshot = snapshot;
    return ASSAY_OK;
}

static enum assay_code make_view(struct engine *engine, const struct query_table *table, struct arena *arena,
                                 struct assay_error *err) {
    struct buf sql = {0};
    if (table->schema.len) {
        buf_addz(&sql, "CREATE SCHEMA IF NOT EXISTS ");
        engine_sql_name(&sql, table->schema);
        buf_addz(&sql, "; ");
    }
    buf_addz(&sql, "CREATE OR REPLACE VIEW ");
    if (table->schema.len) engine_sql_name(&sql, table->schema), buf_addc(&sql, '.');
    engine_sql_name(&sql, table->name);
    buf_addz(&sql, " AS SELECT * FROM ");
    enum assay_code rc = delta_scan_sql(table->snapshot, NULL, 0, false, arena, &sql, err);
    if (rc == ASSAY_OK) {
        rc = engine_run(engine, buf_str(&sql), err);
        if (rc) rc = delta_read_failed(table->snapshot, rc, err);
    }
    buf_free(&sql);
    return rc;
}

/* ---- columns ---- */

static enum assay_code describe(struct engine *engine, struct query *query, struct arena *arena,
                                struct assay_error *err) {
    enum { COLUMNS_MAX = 100000 };
    struct engine_result r;
    struct buf sql = {0};
    buf_printf(&sql, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM (%.*s\n))", STR_ARG(query->sql));
    enum assay_code rc = engine_query(engine, buf_str(&sql), COLUMNS_MAX, arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    query->column_count = r.row_count;
    query->columns = ARENA_ARRAY(arena, r.row_count, struct query_column);
    for (size_t i = 0; i < r.row_count; i++)
        query->columns[i] = (struct query_column){engine_cell_at(&r, i, 0)->text, engine_cell_at(&r, i, 1)->text};
    return ASSAY_OK;
}

/* The type in which a value of `type` is printed; empty: as it is. */
static const char *printed_type(struct str type) {
    static const char *const KNOWN[] = {
        "BOOLEAN",     "TINYINT",   "SMALLINT", "INTEGER", "BIGINT",    "HUGEINT",
        "UTINYINT",    "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT",     "DOUBLE",
        "VARCHAR",     "JSON",      "BLOB",     "DATE",    "TIMESTAMP", "TIMESTAMP WITH TIME ZONE",
        "TIMESTAMP_NS"};
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
        if (str_eq(type, str_of(KNOWN[i]))) return "";
    if (str_eq(type, STR("TIMESTAMP_S")) || str_eq(type, STR("TIMESTAMP_MS"))) return "TIMESTAMP";
    bool is_nested = str_starts(type, STR("DECIMAL(")) || str_starts(type, STR("STRUCT(")) ||
                     str_starts(type, STR("MAP(")) || str_starts(type, STR("ENUM(")) || str_ends(type, STR("[]"));
    return is_nested ? "" : "VARCHAR";
}

static const char *parquet_type(struct str type) {
    static const struct {
        const char *from, *to;
    } TYPES[] = {{"HUGEINT", "DECIMAL(38,0)"}, {"UTINYINT", "SMALLINT"},     {"USMALLINT", "INTEGER"},
                 {"UINTEGER", "BIGINT"},       {"UBIGINT", "DECIMAL(20,0)"}, {"TIMESTAMP_NS", "TIMESTAMP"},
                 {"JSON", "VARCHAR"}};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
        if (str_eq(type, str_of(TYPES[i].from))) return TYPES[i].to;
    return str_starts(type, STR("ENUM(")) ? "VARCHAR" : printed_type(type);
}

/* The query with its columns cast where `type_of` says so. */
static void print_shaped(const struct query *query, const char *(*type_of)(struct str), struct buf *sql) {
    bool is_plain = true;
    for (size_t i = 0; i < query->column_count; i++) is_plain &= !*type_of(query->columns[i].type);
    if (is_plain) {
        buf_add(sql, query->sql);
        return;
    }
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < query->column_count; i++) {
        const char *type = type_of(query->columns[i].type);
        buf_addz(sql, i ? ", " : "");
        if (*type) buf_addz(sql, "CAST(");
        engine_sql_name(sql, query->columns[i].name);
        if (*type) buf_printf(sql, " AS %s) AS ", type), engine_sql_name(sql, query->columns[i].name);
    }
    buf_printf(sql, " FROM (%.*s\n)", STR_ARG(query->sql));
}

/* ---- the whole ---- */

/* Without the blanks and semicolons at its end: it stands in brackets. */
static struct str trim_end(struct str sql) {
    sql = str_trim(sql);
    while (str_ends(sql, STR(";"))) sql = str_trim(str_sub(sql, 0, sql.len - 1));
    return sql;
}

enum assay_code query_open(struct store *store, struct engine *engine, struct str sql, struct arena *arena,
                           struct query *out, struct assay_error *err) {
    *out = (struct query){0};
    if (str_find_char(sql, '\0') != SIZE_MAX || str_utf8_error(sql) != SIZE_MAX)
        return error_set(err, ASSAY_INVALID, NULL, "the query is no valid UTF-8 text");
    TRY(query_quote_states(trim_end(sql), arena, &out->sql, err));
    if (out->sql.len == 0) return error_set(err, ASSAY_INVALID, NULL, "the query is empty");
    TRY(query_check(engine, out->sql, arena, &out->tables, &out->table_count, err));
    for (size_t i = 0; i < out->table_count; i++) TRY(load_table(store, engine, &out->tables[i], arena, err));
    for (size_t i = 0; i < out->table_count; i++) TRY(make_view(engine, &out->tables[i], arena, err));
    enum assay_code rc = describe(engine, out, arena, err);
    return rc ? tell_failure(out, rc, err) : ASSAY_OK;
}

enum assay_code query_each(struct engine *engine, const struct query *query, engine_row_fn *row, void *context,
                           struct assay_error *err) {
    struct buf sql = {0};
    print_shaped(query, printed_type, &sql);
    enum assay_code rc = engine_query_each(engine, buf_str(&sql), row, context, err);
    buf_free(&sql);
    return rc ? tell_failure(query, rc, err) : ASSAY_OK;
}

enum assay_code query_write_parquet(struct engine *engine, const struct query *query, struct str path_prefix,
                                    struct arena *arena, struct engine_files *out, struct assay_error *err) {
    struct buf sql = {0};
    print_shaped(query, parquet_type, &sql);
    struct engine_write_options options = {.file_bytes = INT64_MAX / 2, .keep_order = true};
    enum assay_code rc = engine_write_parquet(engine, buf_str(&sql), path_prefix, &options, arena, out, err);
    buf_free(&sql);
    return rc ? tell_failure(query, rc, err) : ASSAY_OK;
}
