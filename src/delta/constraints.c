/*
 * CHECK constraints put on a table and taken off it (protocol: "CHECK Constraints"; Spark's ALTER TABLE ADD and DROP
 * CONSTRAINT).
 *
 * 1. A constraint stands only after every row of the table was seen to keep it; a NULL answer breaks it.
 * 2. The commit has read the whole table, so any other commit that changed data or metadata in between is a conflict,
 * after which the rows are looked at again.
 * 3. Names are lower case, as Spark stores them; delta-rs stores them as given, so they are compared without case.
 * 4. What is stored is Spark SQL of the parsed text: the rule language reads `''` in a text as a quote, Spark 3.5 does
 * not.
 */
#include "delta/delta_int.h"

#include "expr/expr.h"

enum { SHOWN_ROWS = 10 };

#define CONSTRAINT_PREFIX "delta.constraints."

struct adding {
    struct store *store;
    struct engine *engine;
    struct str root, name, text;
    struct arena *arena;
    const struct delta_snapshot *snapshot;
    struct expr *rule;
    struct str stored; /* Spark SQL */
    struct delta_breaking *breaking;
    int64_t *version;
};

static const char *place_of(const struct delta_snapshot *s, struct arena *arena) {
    return str_printf(arena, "%.*s version %lld", STR_ARG(s->root), (long long)s->version).ptr;
}

static enum assay_code check_name(struct str name, struct assay_error *err) {
    bool is_good = name.len > 0 && name.len <= 255;
    for (size_t i = 0; i < name.len && is_good; i++) {
        char c = name.ptr[i];
        is_good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    }
    if (is_good && !str_eq(name, STR("__char_varchar_string_length_check__"))) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, NULL, "`%.*s` is no name of a constraint; letters, digits, _ and - make one",
                     STR_ARG(name));
}

static const struct delta_property *find_constraint(const struct delta_metadata *m, struct str name,
                                                    struct arena *arena) {
    struct str property = str_printf(arena, CONSTRAINT_PREFIX "%.*s", STR_ARG(name));
    for (size_t i = 0; i < m->property_count; i++)
        if (str_eq_nocase(m->properties[i].name, property)) return &m->properties[i];
    return NULL;
}

/* ---- add ---- */

static enum assay_code parse_rule(struct adding *adding, struct assay_error *err) {
    const struct delta_schema *schema = &adding->snapshot->metadata.schema;
    struct expr_column *columns = ARENA_ARRAY(adding->arena, schema->count, struct expr_column);
    size_t count = 0;
    for (size_t i = 0; i < schema->count; i++)
        if (schema->fields[i].type.kind != TYPE_NONE)
            columns[count++] = (struct expr_column){schema->fields[i].name, schema->fields[i].type};
    enum assay_code rc = expr_parse(adding->text, adding->arena, &adding->rule, err);
    if (rc == ASSAY_OK) rc = expr_check_predicate(adding->rule, columns, count, adding->arena, err);
    if (rc) return error_prepend(err, "%.*s", STR_ARG(adding->text));
    struct type *types;
    size_t type_count;
    expr_decimals(adding->rule, adding->arena, &types, &type_count);
    for (size_t i = 0; i < type_count; i++)
        TRY(engine_need_decimal(adding->engine, types[i].precision, types[i].scale, err));
    struct buf text = {0};
    expr_print_spark(&text, adding->rule);
    adding->stored = str_copy(adding->arena, buf_str(&text));
    buf_free(&text);
    return ASSAY_OK;
}

/* Columns that the rule asks first, then the others. */
static void print_columns(const struct adding *adding, struct buf *sql) {
    const struct delta_schema *schema = &adding->snapshot->metadata.schema;
    struct str *used;
    size_t used_count;
    expr_columns(adding->rule, adding->arena, &used, &used_count);
    for (size_t i = 0; i < used_count; i++) {
        if (i) buf_addz(sql, ", ");
        engine_sql_name(sql, used[i]);
    }
    for (size_t i = 0; i < schema->count; i++) {
        bool is_used = false;
        for (size_t k = 0; k < used_count; k++) is_used |= str_eq_nocase(used[k], schema->fields[i].name);
        if (is_used) continue;
        if (i || used_count) buf_addz(sql, ", ");
        engine_sql_name(sql, schema->fields[i].name);
    }
}

static enum assay_code query_breaking(const struct adding *adding, bool is_count, struct engine_result *out,
                                      struct assay_error *err) {
    struct buf sql = {0};
    buf_addz(&sql, "SELECT ");
    if (is_count)
        buf_addz(&sql, "count(*)");
    else
        print_columns(adding, &sql);
    buf_addz(&sql, " FROM ");
    enum assay_code rc = delta_scan_sql(adding->snapshot, NULL, 0, false, adding->arena, &sql, err);
    buf_addz(&sql, " WHERE (");
    expr_print_engine(&sql, adding->rule, (struct str){0});
    buf_addz(&sql, ") IS NOT TRUE");
    if (!is_count) buf_printf(&sql, " LIMIT %d", SHOWN_ROWS);
    if (rc == ASSAY_OK) rc = engine_query(adding->engine, buf_str(&sql), SHOWN_ROWS, adding->arena, out, err);
    buf_free(&sql);
    return rc ? delta_read_failed(adding->snapshot, rc, err) : ASSAY_OK;
}

static enum assay_code check_rows(struct adding *adding, struct assay_error *err) {
    struct engine_result counted;
    TRY(query_breaking(adding, true, &counted, err));
    adding->breaking->count = engine_cell_int(engine_cell_at(&counted, 0, 0), 0);
    if (adding->breaking->count == 0) return ASSAY_OK;
    TRY(query_breaking(adding, false, &adding->breaking->rows, err));
    return error_set(err, ASSAY_REFUSED, place_of(adding->snapshot, adding->arena),
                     "%lld row%s in the table break%s %.*s (%.*s); the constraint was not added",
                     (long long)adding->breaking->count, adding->breaking->count == 1 ? "" : "s",
                     adding->breaking->count == 1 ? "s" : "", STR_ARG(adding->name), STR_ARG(adding->stored));
}

/* Whether the table has the rule already; another one of its name is INVALID. */
static enum assay_code find_same(const struct adding *adding, bool *is_same, struct assay_error *err) {
    const struct delta_property *there = find_constraint(&adding->snapshot->metadata, adding->name, adding->arena);
    struct expr *e;
    *is_same = there && expr_parse(there->value, adding->arena, &e, NULL) == ASSAY_OK && expr_eq(e, adding->rule);
    if (!there || *is_same) return ASSAY_OK;
    return error_set(
        err, ASSAY_INVALID, place_of(adding->snapshot, adding->arena),
        "the constraint %.*s is there with another text: %.*s\nnext: drop it first, or choose another name",
        STR_ARG(adding->name), STR_ARG(there->value));
}

static struct str name_and_text(struct arena *arena, struct str name, struct str text, bool is_drop) {
    struct buf out = {0};
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, "name"), json_put_str(&w, name);
    json_key(&w, "expr"), json_put_str(&w, text);
    if (is_drop) json_key(&w, "existed"), json_put_str(&w, STR("true"));
    json_end_object(&w);
    struct str copy = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return copy;
}

static enum assay_code add_once(void *context, struct assay_error *err) {
    struct adding *adding = context;
    int64_t *version = adding->version;
    struct delta_snapshot *snapshot;
    bool is_same;
    TRY(delta_snapshot_load(adding->store, adding->engine, adding->root, DELTA_LATEST, adding->arena, &snapshot, err));
    adding->snapshot = snapshot;
    *version = snapshot->version;
    TRY(delta_writable(snapshot, err));
    TRY(parse_rule(adding, err));
    TRY(find_same(adding, &is_same, err));
    if (is_same) return ASSAY_OK;
    TRY(check_rows(adding, err));
    struct delta_metadata *metadata = delta_metadata_copy(&snapshot->metadata, adding->arena);
    delta_property_set(metadata, adding->arena,
                       str_printf(adding->arena, CONSTRAINT_PREFIX "%.*s", STR_ARG(adding->name)), adding->stored);
    struct delta_commit commit = {.base = snapshot,
                                  .metadata = metadata,
                                  .scope = DELTA_READ_TABLE,
                                  .operation = "ADD CONSTRAINT",
                                  .parameters = name_and_text(adding->arena, adding->name, adding->stored, false)};
    return delta_commit(adding->store, adding->engine, adding->root, &commit, version, err);
}

enum assay_code delta_constraint_add(struct store *store, struct engine *engine, struct str root, struct str name,
                                     struct str text, struct arena *arena, struct delta_breaking *breaking,
                                     int64_t *version, struct assay_error *err) {
    struct adding adding = {store, engine,   root,   str_lower(arena, name), text, arena, NULL, NULL,
                            {0},   breaking, version};
    *breaking = (struct delta_breaking){0};
    TRY(check_name(adding.name, err));
    return delta_redo(add_once, &adding, err);
}

/* ---- drop ---- */

static enum assay_code no_constraint(const struct delta_snapshot *s, struct str name, struct arena *arena,
                                     struct assay_error *err) {
    struct str *names = NULL, there, text;
    size_t count = 0, capacity = 0;
    for (size_t index = 0; delta_constraint_next(&s->metadata, &index, &there, &text);)
        LIST_PUSH(arena, names, count, capacity) = there;
    struct str near = str_nearest(name, names, count);
    return error_set(err, ASSAY_INVALID, place_of(s, arena), "the table has no constraint %.*s%s%.*s%s", STR_ARG(name),
                     near.len ? "; did you mean " : "", STR_ARG(near), near.len ? "?" : "");
}

struct dropping {
    struct store *store;
    struct engine *engine;
    struct str root, name;
    struct arena *arena;
    int64_t *version;
};

static enum assay_code drop_once(void *context, struct assay_error *err) {
    const struct dropping *d = context;
    struct str name = d->name;
    struct arena *arena = d->arena;
    struct delta_snapshot *snapshot;
    TRY(delta_snapshot_load(d->store, d->engine, d->root, DELTA_LATEST, arena, &snapshot, err));
    const struct delta_property *there = find_constraint(&snapshot->metadata, name, arena);
    if (!there) return no_constraint(snapshot, name, arena, err);
    struct delta_metadata *metadata = delta_metadata_copy(&snapshot->metadata, arena);
    size_t kept = 0;
    for (size_t i = 0; i < metadata->property_count; i++)
        if (!str_eq(metadata->properties[i].name, there->name)) metadata->properties[kept++] = metadata->properties[i];
    metadata->property_count = kept;
    struct delta_commit commit = {.base = snapshot,
                                  .metadata = metadata,
                                  .operation = "DROP CONSTRAINT",
                                  .parameters = name_and_text(arena, str_lower(arena, name), there->value, true)};
    return delta_commit(d->store, d->engine, d->root, &commit, d->version, err);
}

enum assay_code delta_constraint_drop(struct store *store, struct engine *engine, struct str root, struct str name,
                                      struct arena *arena, int64_t *version, struct assay_error *err) {
    struct dropping dropping = {store, engine, root, name, arena, version};
    return delta_redo(drop_once, &dropping, err);
}
