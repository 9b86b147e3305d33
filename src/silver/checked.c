/**
 * A row's way from bronze text to typed columns and answers, as SQL in four layers: raw and cleaned text, typed values,
 * one answer a rule, the verdict. Layers are nested so that each value is computed once and named; as_computed keeps
 * filters on the verdict from being moved below, where they would compute it all again.
 *
 * 1. An answer "=f<k>" is never NULL: broken (TRUE) or not.
 * 2. A column without a value (missing or unparseable) has one reason; its other rules are not asked.
 * 3. A rule that is asked accepts only when its predicate is TRUE.
 * 4. Values of bronze that are no text (Parquet) are text here too; typed.c says which are cast as they are.
 * Source: the design, "Semantics decided"; the oracle's table of rules.
 */
#include "silver/silver_int.h"

enum assay_code checked_need(const struct silver_load *load, const struct expr *e, struct assay_error *err) {
    struct type *types = NULL;
    size_t count = 0;
    if (e) expr_decimals(e, load->arena, &types, &count);
    for (size_t i = 0; i < count; i++)
        TRY(engine_need_decimal(load->in->engine, types[i].precision, types[i].scale, err));
    return ASSAY_OK;
}

enum assay_code checked_prepare(const struct silver_load *load, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    for (size_t i = 0; i < plan->column_count; i++) {
        struct type type = plan->columns[i].type;
        if (type.kind == TYPE_DECIMAL) TRY(engine_need_decimal(load->in->engine, type.precision, type.scale, err));
        TRY(checked_need(load, plan->columns[i].clean, err));
    }
    for (size_t k = 0; k < plan->rule_count; k++) TRY(checked_need(load, plan->rules[k].predicate, err));
    for (size_t k = 0; k < plan->check_count; k++) TRY(checked_need(load, plan->checks[k].predicate, err));
    for (size_t k = 0; k < plan->constraint_count; k++) TRY(checked_need(load, plan->constraints[k].predicate, err));
    return checked_need(load, plan->update_when, err);
}

static void print_text_layer(const struct silver_load *load, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < plan->column_count; i++) {
        const struct plan_column *c = &plan->columns[i];
        buf_addz(sql, "b.");
        engine_sql_name(sql, plan->source_columns[c->source]);
        buf_printf(sql, " AS \"=r%zu\", ", i);
        if (c->clean) {
            expr_print_engine(sql, c->clean, STR("b"));
        } else {
            buf_addz(sql, "b.");
            engine_sql_name(sql, plan->source_columns[c->source]);
        }
        buf_printf(sql, " AS \"=c%zu\", ", i);
    }
    for (size_t i = 0; i < plan->source_column_count; i++)
        if (load->source_types[i].kind != TYPE_STRING) buf_printf(sql, "b.\"=v%zu\", ", i);
    buf_addz(sql, "b.\"_corrupt_record\", b.\"_source_file\", b.\"_source_line\", b.\"_batch_id\", b.\"_loaded_at\", ");
    buf_addz(sql, load->has_corrupt_bytes ? "b.\"_corrupt_bytes\"" : "NULL::BLOB AS \"_corrupt_bytes\"");
    buf_printf(sql, " FROM %.*s b", STR_ARG(load->raw));
}

/** The cleaned text "=c<i>" of layer `alias` as a cast reads it: numbers as the source writes them become plain ones.
 */
static void print_cast_text(const struct silver_load *load, char alias, size_t i, struct buf *sql) {
    const struct contract_source *s = &load->in->plan->source;
    bool has_separators = (s->decimal_separator.len || s->thousands_separator.len) && typed_is_text(load, i);
    if (!has_separators || !type_is_number(load->in->plan->columns[i].type)) {
        buf_printf(sql, "%c.\"=c%zu\"", alias, i);
        return;
    }
    buf_printf(sql, "plain_number(%c.\"=c%zu\", ", alias, i);
    engine_sql_text(sql, s->decimal_separator.len ? s->decimal_separator : STR("."));
    buf_addz(sql, ", ");
    engine_sql_text(sql, s->thousands_separator);
    buf_addc(sql, ')');
}

static void print_exact(const struct silver_load *load, size_t i, struct buf *sql) {
    buf_addz(sql, " IS NOT NULL AND NOT spark_decimal_exact(");
    print_cast_text(load, 'v', i, sql);
    buf_printf(sql, ", %d))", load->in->plan->columns[i].type.scale);
}

/** The cast of the cleaned text "=c<i>". */
static void print_cast(const struct silver_load *load, size_t i, struct buf *sql) {
    const struct plan_column *c = &load->in->plan->columns[i];
    static const char *const functions[] = {
        [TYPE_BOOLEAN] = "spark_boolean",     [TYPE_TINYINT] = "spark_tinyint",
        [TYPE_SMALLINT] = "spark_smallint",   [TYPE_INT] = "spark_int",
        [TYPE_BIGINT] = "spark_bigint",       [TYPE_FLOAT] = "spark_float",
        [TYPE_DOUBLE] = "spark_double",       [TYPE_DATE] = "spark_date",
        [TYPE_TIMESTAMP] = "spark_timestamp", [TYPE_TIMESTAMP_NTZ] = "spark_timestamp_ntz",
    };
    bool is_date = c->type.kind == TYPE_DATE;
    if (typed_is_direct(load, i)) {
        typed_cast_sql(load, i, sql);
    } else if (c->type.kind == TYPE_STRING) {
        buf_printf(sql, "t.\"=c%zu\"", i);
    } else if (c->type.kind == TYPE_BINARY) {
        buf_printf(sql, "CASE WHEN spark_trim(t.\"=c%zu\") <> '' THEN encode(t.\"=c%zu\") END", i, i);
    } else if (c->format.len && (is_date || c->type.kind == TYPE_TIMESTAMP)) {
        buf_printf(sql, "%s(t.\"=c%zu\", ", is_date ? "spark_to_date" : "spark_to_timestamp", i);
        engine_sql_text(sql, c->format);
        buf_addc(sql, ')');
    } else if (c->type.kind == TYPE_DECIMAL) {
        buf_printf(sql, "spark_decimal_%d_%d(", c->type.precision, c->type.scale);
        print_cast_text(load, 't', i, sql);
        buf_addc(sql, ')');
    } else {
        buf_printf(sql, "%s(", functions[c->type.kind]);
        print_cast_text(load, 't', i, sql);
        buf_addc(sql, ')');
    }
}

static void print_typed_layer(const struct silver_load *load, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "SELECT *");
    for (size_t i = 0; i < plan->column_count; i++) {
        buf_addz(sql, ", ");
        print_cast(load, i, sql);
        buf_addz(sql, " AS ");
        engine_sql_name(sql, plan->columns[i].name);
    }
    buf_addz(sql, " FROM (");
    print_text_layer(load, sql);
    buf_addz(sql, ") t");
}

/** TRUE when the cleaned text counts as no value: NULL; '' in a required string; blanks in other types. */
static void print_missing(const struct plan_column *c, size_t i, struct buf *sql) {
    if (c->type.kind != TYPE_STRING)
        buf_printf(sql, "(v.\"=c%zu\" IS NULL OR spark_trim(v.\"=c%zu\") = '')", i, i);
    else if (c->is_required)
        buf_printf(sql, "(v.\"=c%zu\" IS NULL OR v.\"=c%zu\" = '')", i, i);
    else
        buf_printf(sql, "(v.\"=c%zu\" IS NULL)", i);
}

static void print_value(const struct plan_column *c, struct buf *sql) {
    buf_addz(sql, "v.");
    engine_sql_name(sql, c->name);
}

/** TRUE when the column has a value whose other rules may be asked. */
static void print_has_value(const struct plan_column *c, struct buf *sql) {
    buf_addc(sql, '(');
    print_value(c, sql);
    buf_addz(sql, " IS NOT NULL");
    if (c->type.kind == TYPE_STRING && c->is_required) {
        buf_addz(sql, " AND ");
        print_value(c, sql);
        buf_addz(sql, " <> ''");
    }
    buf_addc(sql, ')');
}

static void print_reference(const struct plan *plan, const struct plan_rule *rule, struct buf *sql) {
    buf_addz(sql, "v.");
    engine_sql_name(sql, plan->columns[rule->column].name);
    buf_addz(sql, " IN (SELECT \"=key\" FROM ");
    struct buf name = {0};
    buf_printf(&name, "assay_reference_%.*s", STR_ARG(rule->id));
    engine_sql_name(sql, buf_str(&name));
    buf_free(&name);
    buf_addc(sql, ')');
}

/** TRUE when the rule is broken. */
static void print_answer(const struct silver_load *load, const struct plan_rule *rule, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    const struct plan_column *c = rule->column == SIZE_MAX ? NULL : &plan->columns[rule->column];
    switch (rule->kind) {
    case CONTRACT_REQUIRED:
        if (c->type.kind != TYPE_STRING) { /* the text is looked at only where there is no value */
            buf_addc(sql, '(');
            print_value(c, sql);
            buf_addz(sql, " IS NULL AND ");
        }
        print_missing(c, rule->column, sql);
        if (c->type.kind != TYPE_STRING) buf_addc(sql, ')');
        break;
    case CONTRACT_CAST:
        buf_addc(sql, '(');
        print_value(c, sql);
        buf_addz(sql, " IS NULL AND NOT ");
        print_missing(c, rule->column, sql);
        buf_addc(sql, ')');
        break;
    case CONTRACT_SCALE:
        buf_addc(sql, '(');
        print_value(c, sql);
        print_exact(load, rule->column, sql);
        break;
    case CONTRACT_PRESENT: /* asked also where there is no value, but not of what cannot be read */
        buf_addc(sql, '(');
        if (c->is_required) {
            print_has_value(c, sql);
        } else {
            buf_addc(sql, '(');
            print_value(c, sql);
            buf_addz(sql, " IS NOT NULL OR ");
            print_missing(c, rule->column, sql);
            buf_addc(sql, ')');
        }
        buf_addz(sql, " AND (");
        expr_print_engine(sql, rule->predicate, STR("v"));
        buf_addz(sql, ") IS NOT TRUE)");
        break;
    default: /* a rule under a column is asked where the column has a value, one over the row always */
        buf_addc(sql, '(');
        if (c) {
            print_has_value(c, sql);
            buf_addz(sql, " AND ");
        }
        buf_addc(sql, '(');
        if (rule->kind == CONTRACT_REFERENCE)
            print_reference(plan, rule, sql);
        else
            expr_print_engine(sql, rule->predicate, STR("v"));
        buf_addz(sql, ") IS NOT TRUE)");
    }
}

/** TRUE when the check counts the row. */
static void print_counted(const struct plan *plan, const struct plan_check *check, struct buf *sql) {
    bool is_of_column = check->metric != CONTRACT_MATCHING_ROWS;
    const struct plan_column *c = is_of_column ? &plan->columns[check->columns[0]] : NULL;
    size_t column = c ? check->columns[0] : 0;
    if (check->metric == CONTRACT_INVALID_VALUES) {
        buf_addz(sql, "NOT ");
        print_missing(c, column, sql);
        buf_addz(sql, " AND (");
        print_value(c, sql);
        buf_addz(sql, " IS NULL");
    } else if (c) {
        buf_addc(sql, '(');
        print_missing(c, column, sql);
    } else {
        buf_addc(sql, '(');
    }
    if (check->predicate) {
        buf_addz(sql, c ? " OR (" : "(");
        expr_print_engine(sql, check->predicate, STR("v"));
        buf_addz(sql, check->metric == CONTRACT_INVALID_VALUES ? ") IS NOT TRUE" : ") IS TRUE");
    }
    buf_addc(sql, ')');
}

bool checked_measures_rows(const struct plan_check *check) {
    return check->metric == CONTRACT_NULL_VALUES || check->metric == CONTRACT_MISSING_VALUES ||
           check->metric == CONTRACT_INVALID_VALUES || check->metric == CONTRACT_MATCHING_ROWS ||
           check->metric == CONTRACT_AGE;
}

/** Seconds since the epoch of the newest value; a date is the end of its day. */
static void print_newest(const struct plan_column *column, struct buf *sql) {
    buf_addz(sql, "epoch_us(max(");
    print_value(column, sql);
    buf_addz(sql, column->type.kind == TYPE_DATE ? ")::TIMESTAMP + INTERVAL 1 DAY" : ")");
    buf_addz(sql, ") // 1000000");
}

void checked_checks_sql(const struct silver_load *load, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    size_t count = 0;
    buf_addz(sql, "SELECT ");
    for (size_t k = 0; k < plan->check_count; k++) {
        const struct plan_check *check = &plan->checks[k];
        if (!checked_measures_rows(check)) continue;
        buf_addz(sql, count++ ? ", " : "");
        if (check->metric == CONTRACT_AGE) {
            print_newest(&plan->columns[check->columns[0]], sql);
            continue;
        }
        buf_addz(sql, "count(*) FILTER (");
        print_counted(plan, check, sql);
        buf_addc(sql, ')');
    }
    buf_addz(sql, " FROM (");
    print_typed_layer(load, sql);
    buf_addz(sql, ") v WHERE v.\"_corrupt_record\" IS NULL");
}

/** hash("k1", "k2", ...) of the grain keys. */
static void print_key_hash(const struct plan *plan, struct buf *sql) {
    buf_addz(sql, "hash(");
    for (size_t k = 0; k < plan->key_count; k++) {
        if (k) buf_addz(sql, ", ");
        engine_sql_name(sql, plan->columns[plan->keys[k]].name);
    }
    buf_addc(sql, ')');
}

static void print_repeated(const struct silver_load *load, struct buf *sql) {
    if (load->keeps_all || !load->has_repeated) {
        buf_addz(sql, load->keeps_all ? "true" : "false");
        return;
    }
    buf_addz(sql, "key_is_repeated(");
    print_key_hash(load->in->plan, sql);
    buf_addc(sql, ')');
}

static void print_answer_layer(const struct silver_load *load, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "SELECT *, (v.\"_corrupt_record\" IS NOT NULL) AS \"=corrupt\"");
    for (size_t k = 0; k < plan->rule_count; k++) {
        buf_addz(sql, ", ");
        print_answer(load, &plan->rules[k], sql);
        buf_printf(sql, " AS \"=f%zu\"", k);
    }
    for (size_t i = 0; i < plan->column_count; i++) {
        const struct plan_column *c = &plan->columns[i];
        if (!c->is_rounded) continue;
        buf_addz(sql, ", (");
        print_value(c, sql);
        print_exact(load, i, sql);
        buf_printf(sql, " AS \"=n%zu\"", i);
    }
    buf_addz(sql, ", ");
    print_repeated(load, sql);
    buf_addz(sql, " AS \"=repeated\"");
    buf_addz(sql, " FROM (");
    print_typed_layer(load, sql);
    buf_addz(sql, ") v");
}

void checked_sql(const struct silver_load *load, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "(SELECT *, as_computed(\"=corrupt\"");
    for (size_t k = 0; k < plan->rule_count; k++)
        if (plan->rules[k].severity == CONTRACT_ERROR) buf_printf(sql, " OR \"=f%zu\"", k);
    buf_addz(sql, ") AS \"=rejected\" FROM (");
    print_answer_layer(load, sql);
    buf_addz(sql, ") a)");
}

void checked_hashes_sql(const struct silver_load *load, struct buf *sql) {
    buf_addz(sql, "SELECT ");
    print_key_hash(load->in->plan, sql);
    buf_addz(sql, " FROM (");
    print_typed_layer(load, sql);
    buf_addz(sql, ") k");
}
