/**
 * Columns of bronze that are no text: Parquet lands typed as it is.
 *
 * 1. A value is cast as Spark's try_cast does it. Where the type of the files already says what the contract's type
 * says, it is cast at once; where a cast may fail on a value (a bigint that has to be an int), it goes the way of all
 * texts, which equals Spark's there.
 * 2. What Spark would answer by cutting or guessing (a double as an int, a number as a moment), and what cannot be had
 * equally (a double as text), is refused by name before a row is looked at.
 * 3. Cleaning is text to text, so it sees the value as Spark's cast to string writes it.
 * 4. Raw values in quarantine are text, for people: where Spark's text cannot be had, the engine's.
 */
#include "silver/silver_int.h"

/** How a column of the contract is made of one of bronze. */
enum way { WAY_TEXT, WAY_DIRECT, WAY_NONE };

static bool is_moment(struct type t) {
    return t.kind == TYPE_DATE || t.kind == TYPE_TIMESTAMP || t.kind == TYPE_TIMESTAMP_NTZ;
}

static enum way way_of_whole(struct type from, const struct plan_column *c) {
    if (type_is_integer(c->type)) return c->type.kind >= from.kind ? WAY_DIRECT : WAY_TEXT;
    if (type_is_number(c->type)) return WAY_DIRECT;
    return c->type.kind == TYPE_STRING || (is_moment(c->type) && c->format.len) ? WAY_TEXT : WAY_NONE;
}

static enum way way_of_decimal(struct type from, struct type to) {
    enum { SCALE_PLAIN = 6 }; /* beyond it Java writes some with an exponent */
    if (type_is_integer(to)) return from.scale == 0 ? WAY_TEXT : WAY_NONE;
    if (type_is_number(to)) return WAY_DIRECT;
    return to.kind == TYPE_STRING && from.scale <= SCALE_PLAIN ? WAY_TEXT : WAY_NONE;
}

/** Without cleaning. */
static enum way way_of(struct type from, const struct plan_column *c) {
    struct type to = c->type;
    if (from.kind == TYPE_STRING) return WAY_TEXT;
    if (from.kind == TYPE_NONE) return WAY_NONE;
    if (type_eq(from, to)) return WAY_DIRECT;
    if (type_is_integer(from)) return way_of_whole(from, c);
    if (from.kind == TYPE_DECIMAL) return way_of_decimal(from, to);
    if (from.kind == TYPE_FLOAT || from.kind == TYPE_DOUBLE)
        return to.kind == TYPE_DECIMAL || (to.kind == TYPE_DOUBLE && from.kind == TYPE_FLOAT) ? WAY_DIRECT : WAY_NONE;
    if (is_moment(from)) return is_moment(to) ? WAY_DIRECT : to.kind == TYPE_STRING ? WAY_TEXT : WAY_NONE;
    return from.kind == TYPE_BOOLEAN && to.kind == TYPE_STRING ? WAY_TEXT : WAY_NONE;
}

static struct type source_type(const struct silver_load *load, size_t i) {
    return load->source_types[load->in->plan->columns[i].source];
}

static enum way way_of_column(const struct silver_load *load, size_t i) {
    const struct plan_column *c = &load->in->plan->columns[i];
    const struct plan_column text = {.type = {.kind = TYPE_STRING}};
    return way_of(source_type(load, i), c->clean ? &text : c);
}

bool typed_is_text(const struct silver_load *load, size_t i) { return source_type(load, i).kind == TYPE_STRING; }
bool typed_is_direct(const struct silver_load *load, size_t i) {
    return !typed_is_text(load, i) && !load->in->plan->columns[i].clean && way_of_column(load, i) == WAY_DIRECT;
}

/** CAST(column AS type); false: the rule language cannot say it. */
static bool print_cast(const struct silver_load *load, struct expr_column column, struct str prefix, struct type to,
                       struct buf *sql) {
    struct expr *e = expr_cast(load->arena, expr_column(load->arena, column.name), to);
    if (expr_check(e, &column, 1, load->arena, NULL) != ASSAY_OK) return false;
    expr_print_engine(sql, e, prefix);
    return true;
}

void typed_cast_sql(const struct silver_load *load, size_t i, struct buf *sql) {
    struct expr_column column = {str_printf(load->arena, "=v%zu", load->in->plan->columns[i].source),
                                 source_type(load, i)};
    struct type to = load->in->plan->columns[i].type;
    if (type_eq(column.type, to) || !print_cast(load, column, STR("t"), to, sql)) { /* way_of asks for no other */
        buf_addz(sql, "t.");
        engine_sql_name(sql, column.name);
    }
}

/** A value of bronze as text. */
static void print_text(const struct silver_load *load, struct expr_column column, struct buf *sql) {
    if (print_cast(load, column, STR("b"), (struct type){.kind = TYPE_STRING}, sql)) return;
    buf_addz(sql, column.type.kind == TYPE_BINARY ? "lower(hex(b." : "CAST(b.");
    engine_sql_name(sql, column.name);
    buf_addz(sql, column.type.kind == TYPE_BINARY ? "))" : " AS VARCHAR)");
}

static void print_relation(struct silver_load *load, bool has_corrupt_record) {
    const struct plan *plan = load->in->plan;
    struct buf sql = {0};
    const char *comma = "";
    buf_addz(&sql, "(SELECT *");
    for (size_t i = 0; i < plan->source_column_count; i++) {
        struct expr_column column = {plan->source_columns[i], load->source_types[i]};
        if (column.type.kind == TYPE_STRING) continue;
        buf_addz(&sql, *comma ? comma : " REPLACE (");
        print_text(load, column, &sql);
        buf_addz(&sql, " AS ");
        engine_sql_name(&sql, column.name);
        comma = ", ";
    }
    if (*comma) buf_addc(&sql, ')');
    for (size_t i = 0; i < plan->source_column_count; i++) {
        if (load->source_types[i].kind == TYPE_STRING) continue;
        buf_addz(&sql, ", b.");
        engine_sql_name(&sql, plan->source_columns[i]);
        buf_printf(&sql, " AS \"=v%zu\"", i);
    }
    if (!has_corrupt_record) buf_addz(&sql, ", NULL::VARCHAR AS \"" BRONZE_CORRUPT_RECORD "\"");
    buf_printf(&sql, " FROM %.*s b)", STR_ARG(load->raw));
    load->raw = str_copy(load->arena, buf_str(&sql));
    buf_free(&sql);
}

static enum assay_code refuse(struct silver_load *load, size_t i, struct str found, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    const struct plan_column *c = &plan->columns[i];
    struct buf wanted = {0};
    type_print(&wanted, c->type);
    load->out->gate = STR("column_type");
    load->out->gate_measured = str_copy(load->arena, found);
    load->out->gate_limit = str_copy(load->arena, buf_str(&wanted));
    load->out->gate_detail = str_printf(
        load->arena, "column %.*s is %.*s in the files, which does not become %s%s without changing values",
        STR_ARG(plan->source_columns[c->source]), STR_ARG(found), wanted.data, c->clean ? " by cleaning text" : "");
    buf_free(&wanted);
    return error_set(err, ASSAY_REFUSED, plan->table.ptr,
                     "refused: %.*s; silver is unchanged\nnext: give %.*s in %.*s "
                     "the type of the files, or ask the source for another",
                     STR_ARG(load->out->gate_detail), STR_ARG(c->name), STR_ARG(plan->contract_path));
}

enum assay_code typed_prepare(struct silver_load *load, const struct delta_snapshot *bronze, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    const struct delta_schema *schema = &bronze->metadata.schema;
    bool is_all_text = true;
    struct type *types = ARENA_ARRAY(load->arena, plan->source_column_count, struct type);
    for (size_t i = 0; i < plan->source_column_count; i++) {
        types[i] = schema->fields[delta_field_find(schema, plan->source_columns[i])].type;
        is_all_text &= types[i].kind == TYPE_STRING;
    }
    load->source_types = types;
    for (size_t i = 0; i < plan->column_count; i++) {
        size_t field = delta_field_find(schema, plan->source_columns[plan->columns[i].source]);
        if (way_of_column(load, i) == WAY_NONE) return refuse(load, i, schema->fields[field].type_json, err);
    }
    bool has_corrupt_record = delta_field_find(schema, STR(BRONZE_CORRUPT_RECORD)) != SIZE_MAX;
    if (!is_all_text || !has_corrupt_record) print_relation(load, has_corrupt_record);
    return ASSAY_OK;
}
