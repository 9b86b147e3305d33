/*
 * What a user's SQL may do: read the lake's tables, nothing else.
 *
 * 1. The engine's own parser says what the text is; a text that it cannot give back as a tree of SELECTs is refused.
 * 2. Every table in the tree, at any depth, is a name of two parts or a WITH of the text, which has no point in it. So
 * no name reaches the engine's search for files of that name, and none of its catalogs.
 * 3. A function in the place of a table is on a list of those that make rows of their arguments: none reads a file, a
 * setting or another table.
 */
#include "query/query_int.h"

#include "base/json.h"

enum { TREE_BYTES_MAX = 64 * 1024 * 1024 };

struct check {
    struct arena *arena;
    struct str *with; /* names that WITH gives */
    size_t with_count, with_capacity;
    struct query_table *tables;
    size_t table_count, table_capacity;
};

static struct str member_text(const struct json *node, const char *key) { return json_str(json_member(node, key)); }

static enum assay_code note_table(struct check *check, const struct json *node, struct assay_error *err) {
    struct str schema = member_text(node, "schema_name"), name = member_text(node, "table_name");
    if (member_text(node, "catalog_name").len)
        return error_set(err, ASSAY_INVALID, NULL, "a table has two names, schema.table; found %.*s.%.*s.%.*s",
                         STR_ARG(member_text(node, "catalog_name")), STR_ARG(schema), STR_ARG(name));
    if (json_kind_of(json_member(node, "at_clause")) != JSON_KIND_NULL)
        return error_set(err, ASSAY_INVALID, NULL,
                         "an older state is written %.*s.%.*s@v12 or @2026-04-05, not with AT", STR_ARG(schema),
                         STR_ARG(name));
    for (size_t i = 0; i < check->with_count && schema.len == 0; i++)
        if (str_eq_nocase(check->with[i], name)) return ASSAY_OK;
    if (schema.len == 0 && str_find_char(name, '.') == SIZE_MAX)
        return error_set(err, ASSAY_INVALID, NULL,
                         "the table %.*s has no schema; write it as schema.table, such as silver.%.*s", STR_ARG(name),
                         STR_ARG(name));
    for (size_t i = 0; i < check->table_count; i++)
        if (str_eq_nocase(check->tables[i].schema, schema) && str_eq_nocase(check->tables[i].name, name))
            return ASSAY_OK;
    LIST_PUSH(check->arena, check->tables, check->table_count, check->table_capacity) =
        (struct query_table){.schema = str_copy(check->arena, schema), .name = str_copy(check->arena, name)};
    return ASSAY_OK;
}

static enum assay_code check_function(const struct json *node, struct assay_error *err) {
    static const char *const ALLOWED[] = {"unnest",    "range",  "generate_series", "json_each",
                                          "json_tree", "repeat", "repeat_row"};
    struct str name = member_text(json_member(node, "function"), "function_name");
    for (size_t i = 0; i < sizeof ALLOWED / sizeof ALLOWED[0]; i++)
        if (str_eq_nocase(name, str_of(ALLOWED[i]))) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, NULL,
                     "the function %.*s cannot stand for a table here: a query reads the lake's tables by name "
                     "(schema.table), no files and no settings",
                     STR_ARG(name));
}

/* Called for every object of the tree; an object of another kind with such a type does not exist. */
static enum assay_code check_node(struct check *check, const struct json *node, struct assay_error *err) {
    struct str type = member_text(node, "type");
    if (str_eq(type, STR("BASE_TABLE"))) return note_table(check, node, err);
    if (str_eq(type, STR("TABLE_FUNCTION"))) return check_function(node, err);
    if (str_eq(type, STR("SHOW_REF")) && member_text(node, "table_name").len)
        return error_set(err, ASSAY_INVALID, NULL,
                         "SHOW does not know the lake; ask for a table: DESCRIBE schema.table");
    return ASSAY_OK;
}

/* Depth is that of the parsed JSON, which has a limit. */
static enum assay_code walk(struct check *check, const struct json *node, struct assay_error *err) {
    if (json_kind_of(node) == JSON_KIND_ARRAY)
        for (size_t i = 0; i < json_count(node); i++) TRY(walk(check, json_at(node, i), err));
    if (json_kind_of(node) != JSON_KIND_OBJECT) return ASSAY_OK;
    TRY(check_node(check, node, err));
    struct str key;
    const struct json *value;
    for (size_t i = 0; json_member_at(node, i, &key, &value); i++) TRY(walk(check, value, err));
    return ASSAY_OK;
}

/* Names of every WITH, wherever it stands. A name out of its scope must be an error of the engine's, not one that it
 * finds as a file: files have a point in their names. */
static enum assay_code collect_with(struct check *check, const struct json *node, struct assay_error *err) {
    const struct json *map = json_member(json_member(node, "cte_map"), "map");
    for (size_t i = 0; i < json_count(map); i++) {
        struct str name = member_text(json_at(map, i), "key");
        if (str_find_char(name, '.') != SIZE_MAX)
            return error_set(err, ASSAY_INVALID, NULL, "WITH cannot give the name %.*s: a point is not allowed in it",
                             STR_ARG(name));
        LIST_PUSH(check->arena, check->with, check->with_count, check->with_capacity) = str_copy(check->arena, name);
    }
    if (json_kind_of(node) == JSON_KIND_ARRAY)
        for (size_t i = 0; i < json_count(node); i++) TRY(collect_with(check, json_at(node, i), err));
    struct str key;
    const struct json *value;
    for (size_t i = 0; json_kind_of(node) == JSON_KIND_OBJECT && json_member_at(node, i, &key, &value); i++)
        TRY(collect_with(check, value, err));
    return ASSAY_OK;
}

/* The engine's tree of the text. Places in it that are unknown are 2^64 - 1, which no JSON integer of ours holds. */
static enum assay_code load_tree(struct engine *engine, struct str sql, struct arena *arena, struct json **out,
                                 struct assay_error *err) {
    struct buf text = {0};
    struct engine_result r;
    buf_addz(&text, "SELECT replace(CAST(json_serialize_sql(");
    engine_sql_text(&text, sql);
    buf_addz(&text, ") AS VARCHAR), ':18446744073709551615', ':-1')");
    enum assay_code rc = engine_query(engine, buf_str(&text), 1, arena, &r, err);
    buf_free(&text);
    if (rc) return rc;
    struct str tree = engine_cell_at(&r, 0, 0)->text;
    rc = tree.len > TREE_BYTES_MAX ? ASSAY_LIMIT : json_parse(tree, "query", out, NULL);
    if (rc) return error_set(err, ASSAY_LIMIT, NULL, "the query is too long, or nested too deep");
    return ASSAY_OK;
}

static enum assay_code check_statement(const struct json *tree, struct assay_error *err) {
    struct str message = member_text(tree, "error_message");
    if (json_bool(json_member(tree, "error"))) {
        bool is_syntax = str_eq(member_text(tree, "error_type"), STR("parser"));
        return is_syntax
                   ? error_set(err, ASSAY_INVALID, NULL, "%.*s", STR_ARG(message))
                   : error_set(err, ASSAY_INVALID, NULL,
                               "a query only reads: it is one SELECT, or WITH ... SELECT; found another statement");
    }
    size_t count = json_count(json_member(tree, "statements"));
    if (count == 1) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, NULL, "a query is one SELECT; found %zu statements", count);
}

enum assay_code query_check(struct engine *engine, struct str sql, struct arena *arena, struct query_table **tables,
                            size_t *count, struct assay_error *err) {
    struct check check = {.arena = arena};
    struct json *tree = NULL;
    TRY(load_tree(engine, sql, arena, &tree, err));
    enum assay_code rc = check_statement(tree, err);
    if (rc == ASSAY_OK) rc = collect_with(&check, tree, err);
    if (rc == ASSAY_OK) rc = walk(&check, tree, err);
    json_close(&tree);
    *tables = check.tables;
    *count = check.table_count;
    return rc;
}
