/*
 * What every row of a table must satisfy, as SQL (protocol: "CHECK Constraints", "Column Invariants", `nullable` of the
 * schema).
 *
 * 1. A row keeps a rule only if it is TRUE; NULL breaks it, unlike in SQL's own CHECK.
 * 2. NOT NULL inside of structs binds their parents too; inside of arrays and maps Delta does not check it.
 * 3. Rule texts are Spark SQL. They are parsed by the rule language and printed for the engine; a text outside of it is
 * refused by name, so a rule of the table is never silently not checked.
 */
#include "delta/delta_int.h"

#include "expr/expr.h"

struct rules {
    const struct delta_metadata *metadata;
    struct engine *engine;
    struct arena *arena;
    struct expr_column *columns;
    size_t column_count;
    struct delta_rule *list;
    size_t count, capacity;
};

static void add_rule(struct rules *rules, struct str name, struct str sql) {
    LIST_PUSH(rules->arena, rules->list, rules->count, rules->capacity) = (struct delta_rule){name, sql};
}

static struct str take_text(struct arena *arena, struct buf *text) {
    struct str copy = str_copy(arena, buf_str(text));
    buf_free(text);
    return copy;
}

/* ---- NOT NULL ---- */

static void add_not_null(struct rules *rules, struct str sql, struct str name) {
    add_rule(rules, str_printf(rules->arena, "NOT NULL of column '%.*s'", STR_ARG(name)),
             str_printf(rules->arena, "%.*s IS NOT NULL", STR_ARG(sql)));
}

static void add_nested_not_null(struct rules *rules, const struct json *type, struct str sql, struct str name) {
    if (!str_eq(json_str(json_member(type, "type")), STR("struct"))) return;
    const struct json *fields = json_member(type, "fields");
    for (size_t i = 0; i < json_count(fields); i++) {
        const struct json *field = json_at(fields, i), *nullable = json_member(field, "nullable");
        struct str part = json_str(json_member(field, "name"));
        struct buf text = {0};
        buf_printf(&text, "%.*s.", STR_ARG(sql));
        engine_sql_name(&text, part);
        struct str field_sql = take_text(rules->arena, &text);
        struct str path = str_printf(rules->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(part));
        if (json_kind_of(nullable) == JSON_KIND_BOOL && !json_bool(nullable)) add_not_null(rules, field_sql, path);
        add_nested_not_null(rules, json_member(field, "type"), field_sql, path);
    }
}

static enum assay_code load_not_null(struct rules *rules, const struct delta_field *field, struct assay_error *err) {
    struct buf text = {0};
    engine_sql_name(&text, field->name);
    struct str sql = take_text(rules->arena, &text);
    if (!field->is_nullable) add_not_null(rules, sql, field->name);
    if (field->type.kind != TYPE_NONE) return ASSAY_OK;
    struct json *type = NULL;
    TRY(json_parse(field->type_json, "type", &type, err));
    add_nested_not_null(rules, type, sql, field->name);
    json_close(&type);
    return ASSAY_OK;
}

/* ---- Spark SQL texts ---- */

enum assay_code delta_need_decimals(struct engine *engine, const struct expr *e, struct arena *arena,
                                    struct assay_error *err) {
    struct type *types;
    size_t count;
    expr_decimals(e, arena, &types, &count);
    for (size_t i = 0; i < count; i++) TRY(engine_need_decimal(engine, types[i].precision, types[i].scale, err));
    return ASSAY_OK;
}

/* What Spark reads as a text in double quotes, delta-rs reads as a column: a rule over one would be two. */
static struct str find_ambiguous(const struct rules *rules, struct str text) {
    for (size_t i = 0; i < rules->column_count; i++) {
        struct str quoted = str_printf(rules->arena, "\"%.*s\"", STR_ARG(rules->columns[i].name));
        if (str_find(str_lower(rules->arena, text), str_lower(rules->arena, quoted)) != SIZE_MAX) return quoted;
    }
    return (struct str){0};
}

static enum assay_code add_text(struct rules *rules, struct str name, struct str text, struct assay_error *err) {
    struct str ambiguous = find_ambiguous(rules, text);
    if (ambiguous.len)
        return error_set(
            err, ASSAY_UNSUPPORTED, NULL,
            "%.*s (%.*s) has %.*s, which delta-rs reads as the column and Spark as a text; assay only reads "
            "such a table\nnext: drop the constraint (assay constraints drop) and add it with `%.*s`",
            STR_ARG(name), STR_ARG(text), STR_ARG(ambiguous), STR_ARG(str_sub(ambiguous, 1, ambiguous.len - 1)));
    struct expr *e;
    struct assay_error why = {0};
    enum assay_code rc = expr_parse(text, rules->arena, &e, &why);
    if (rc == ASSAY_OK) rc = expr_check_predicate(e, rules->columns, rules->column_count, rules->arena, &why);
    if (rc)
        return error_set(
            err, ASSAY_UNSUPPORTED, NULL,
            "%.*s (%.*s) is outside of assay's rule language: %s%s%s. assay only reads such a table\nnext: "
            "assay constraints show tells which; one that is dropped can be added again in other words",
            STR_ARG(name), STR_ARG(text), why.where, why.where[0] ? ": " : "", why.message);
    if (rules->engine) TRY(delta_need_decimals(rules->engine, e, rules->arena, err));
    struct buf sql = {0};
    buf_addc(&sql, '(');
    expr_print_engine(&sql, e, (struct str){0});
    buf_addz(&sql, ") IS TRUE");
    add_rule(rules, str_printf(rules->arena, "%.*s (%.*s)", STR_ARG(name), STR_ARG(text)),
             take_text(rules->arena, &sql));
    return ASSAY_OK;
}

/* `delta.invariants`: {"expression":{"expression":"..."}}, as a text inside of the field's metadata. */
static enum assay_code load_invariant(struct rules *rules, const struct delta_field *field, struct assay_error *err) {
    struct str text;
    if (field->type.kind == TYPE_NONE && str_find(field->type_json, STR("\"delta.invariants\"")) != SIZE_MAX)
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "a field inside of the column '%.*s' has an invariant (delta.invariants), which assay cannot "
                         "check. assay only reads such a table",
                         STR_ARG(field->name));
    if (!delta_field_meta(field, "delta.invariants", rules->arena, &text)) return ASSAY_OK;
    struct json *invariant = NULL;
    TRY(json_parse(text, "delta.invariants", &invariant, err));
    struct str rule = str_copy(rules->arena, json_str(json_member(json_member(invariant, "expression"), "expression")));
    json_close(&invariant);
    return add_text(rules, str_printf(rules->arena, "invariant of column '%.*s'", STR_ARG(field->name)), rule, err);
}

/* n of `kind(n)` in the mark that Spark leaves on a string; -1 if the mark is another. */
static int64_t marked_length(struct str mark, struct str kind) {
    int64_t length;
    struct str rest = str_starts(mark, kind) ? str_sub(mark, kind.len, mark.len) : (struct str){0};
    bool is_whole = rest.len > 2 && rest.ptr[0] == '(' && rest.ptr[rest.len - 1] == ')';
    return is_whole && str_int64(str_sub(rest, 1, rest.len - 1), &length) == ASSAY_OK ? length : -1;
}

int64_t delta_char_length(const struct delta_field *field, struct arena *arena) {
    struct str mark;
    bool is_marked =
        field->type.kind == TYPE_STRING && delta_field_meta(field, "__CHAR_VARCHAR_TYPE_STRING", arena, &mark);
    return is_marked ? marked_length(mark, STR("char")) : -1;
}

/* A char(n) was filled up to n before it is looked at. */
static enum assay_code load_length(struct rules *rules, const struct delta_field *field, struct assay_error *err) {
    struct str mark;
    if (!delta_field_meta(field, "__CHAR_VARCHAR_TYPE_STRING", rules->arena, &mark)) return ASSAY_OK;
    int64_t length = marked_length(mark, STR("varchar"));
    if (length < 0) length = marked_length(mark, STR("char"));
    if (length < 0 || field->type.kind != TYPE_STRING)
        return error_set(err, ASSAY_UNSUPPORTED, NULL, "the column '%.*s' is a %.*s, which assay does not write",
                         STR_ARG(field->name), STR_ARG(mark));
    struct buf sql = {0};
    buf_addz(&sql, "coalesce(length(");
    engine_sql_name(&sql, field->name);
    buf_printf(&sql, ") <= %lld, TRUE)", (long long)length);
    add_rule(rules, str_printf(rules->arena, "%.*s of column '%.*s'", STR_ARG(mark), STR_ARG(field->name)),
             take_text(rules->arena, &sql));
    return ASSAY_OK;
}

static void load_columns(struct rules *rules) {
    const struct delta_schema *schema = &rules->metadata->schema;
    rules->columns = ARENA_ARRAY(rules->arena, schema->count, struct expr_column);
    for (size_t i = 0; i < schema->count; i++)
        if (schema->fields[i].type.kind != TYPE_NONE)
            rules->columns[rules->column_count++] =
                (struct expr_column){schema->fields[i].name, schema->fields[i].type};
}

enum assay_code delta_rules_load(const struct delta_metadata *m, struct engine *engine, struct arena *arena,
                                 struct delta_rule **out, size_t *count, struct assay_error *err) {
    struct rules rules = {.metadata = m, .engine = engine, .arena = arena};
    load_columns(&rules);
    for (size_t i = 0; i < m->schema.count; i++) {
        TRY(load_not_null(&rules, &m->schema.fields[i], err));
        TRY(load_invariant(&rules, &m->schema.fields[i], err));
        TRY(load_length(&rules, &m->schema.fields[i], err));
    }
    struct str name, text;
    for (size_t index = 0; delta_constraint_next(m, &index, &name, &text);)
        TRY(add_text(&rules, str_printf(arena, "CHECK constraint '%.*s'", STR_ARG(name)), text, err));
    *out = rules.list;
    *count = rules.count;
    return ASSAY_OK;
}
