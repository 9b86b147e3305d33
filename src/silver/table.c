/**
 * The silver table as the plan wants it: columns with NOT NULL, lineage, one CHECK per rule that is true by definition.
 * And whether a table that is there still fits.
 *
 * 1. A constraint is put on an existing table only after all its rows were seen to pass.
 * 2. Constraints of other names belong to somebody else and stay.
 */
#include "silver/silver_int.h"

#include <stdio.h>

#define CONSTRAINT_PREFIX "delta.constraints."

static void add_constraints(const struct plan *plan, struct delta_metadata *m, struct arena *arena) {
    for (size_t i = 0; i < plan->constraint_count; i++) {
        const struct plan_constraint *c = &plan->constraints[i];
        delta_property_set(m, arena, str_printf(arena, CONSTRAINT_PREFIX "%.*s", STR_ARG(c->name)), c->text);
    }
}

struct delta_metadata *table_metadata(const struct plan *plan, struct arena *arena) {
    static const struct type string = {.kind = TYPE_STRING}, timestamp = {.kind = TYPE_TIMESTAMP};
    struct delta_metadata *m = ARENA_NEW(arena, struct delta_metadata);
    m->description = plan->purpose;
    for (size_t i = 0; i < plan->column_count; i++) {
        const struct plan_column *c = &plan->columns[i];
        delta_field_add(m, arena, c->name, c->type, !c->is_required, c->description);
    }
    delta_field_add(m, arena, STR(LINEAGE_SOURCE_FILE), string, true, (struct str){0});
    delta_field_add(m, arena, STR(LINEAGE_BATCH_ID), string, true, (struct str){0});
    delta_field_add(m, arena, STR(LINEAGE_LOADED_AT), timestamp, true, (struct str){0});
    add_constraints(plan, m, arena);
    return m;
}

static enum assay_code misfit(const struct plan *plan, const struct delta_snapshot *s, struct str name, struct str want,
                              struct str have, struct assay_error *err) {
    char where[512];
    snprintf(where, sizeof where, "%.*s version %lld", STR_ARG(plan->table), (long long)s->version);
    return error_set(err, ASSAY_INVALID, where,
                     "column %.*s is %.*s in the table, %.*s in the contract (%.*s); nothing was written to silver\n"
                     "next: change the contract back, or give the new shape a table of its own",
                     STR_ARG(name), STR_ARG(have), STR_ARG(want), STR_ARG(plan->contract_path));
}

static enum assay_code check_columns(const struct silver_load *load, const struct delta_snapshot *s,
                                     const struct delta_metadata *want, struct assay_error *err) {
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < want->schema.count && rc == ASSAY_OK; i++) {
        const struct delta_field *field = &want->schema.fields[i];
        struct buf wanted = {0}, found = {0};
        size_t at = delta_field_find(&s->metadata.schema, field->name);
        type_print(&wanted, field->type);
        if (at == SIZE_MAX) {
            rc = misfit(load->in->plan, s, field->name, buf_str(&wanted), STR("absent"), err);
        } else if (!type_eq(s->metadata.schema.fields[at].type, field->type)) {
            const struct delta_field *have = &s->metadata.schema.fields[at];
            if (have->type.kind == TYPE_NONE)
                buf_add(&found, have->type_json);
            else
                type_print(&found, have->type);
            rc = misfit(load->in->plan, s, field->name, buf_str(&wanted), buf_str(&found), err);
        }
        buf_free(&wanted);
        buf_free(&found);
    }
    return rc;
}

/** Whether the table already has this rule: the same name and an equal tree. */
static bool has_constraint(const struct delta_snapshot *s, const struct plan_constraint *c, struct arena *arena) {
    struct str name = str_printf(arena, CONSTRAINT_PREFIX "%.*s", STR_ARG(c->name));
    struct str text = delta_property_get(&s->metadata, name);
    struct expr *there;
    if (text.len == 0) return false;
    return str_eq(text, c->text) || (expr_parse(text, arena, &there, NULL) == ASSAY_OK && expr_eq(there, c->predicate));
}

/** Rows of the table that break any of the new constraints. */
static enum assay_code check_rows(const struct silver_load *load, const struct delta_snapshot *s,
                                  const struct plan_constraint *c, struct assay_error *err) {
    struct buf sql = {0};
    struct engine_result r = {0};
    buf_addz(&sql, "SELECT count(*) FROM ");
    enum assay_code rc = delta_scan_sql(s, NULL, s->file_count, false, load->arena, &sql, err);
    if (rc == ASSAY_OK) {
        buf_addz(&sql, " t WHERE (");
        expr_print_engine(&sql, c->predicate, STR("t"));
        buf_addz(&sql, ") IS NOT TRUE");
        rc = engine_query(load->in->engine, buf_str(&sql), 1, load->arena, &r, err);
    }
    buf_free(&sql);
    if (rc) return rc;
    int64_t count = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    if (count == 0) return ASSAY_OK;
    char where[512];
    snprintf(where, sizeof where, "%.*s version %lld", STR_ARG(load->in->plan->table), (long long)s->version);
    return error_set(
        err, ASSAY_REFUSED, where,
        "%lld rows that are in the table break the contract's rule %.*s: %.*s; nothing was written to silver\n"
        "next: mend those rows, or give a rule under quality the property assayConstraint: false",
        (long long)count, STR_ARG(c->name), STR_ARG(c->text));
}

enum assay_code table_fit(const struct silver_load *load, const struct delta_snapshot *snapshot,
                          struct delta_metadata **changed, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    *changed = NULL;
    TRY(check_columns(load, snapshot, table_metadata(plan, load->arena), err));
    for (size_t i = 0; i < plan->constraint_count; i++) {
        const struct plan_constraint *c = &plan->constraints[i];
        if (has_constraint(snapshot, c, load->arena)) continue;
        TRY(check_rows(load, snapshot, c, err));
        if (!*changed) *changed = delta_metadata_copy(&snapshot->metadata, load->arena);
        delta_property_set(*changed, load->arena, str_printf(load->arena, CONSTRAINT_PREFIX "%.*s", STR_ARG(c->name)),
                           c->text);
    }
    return ASSAY_OK;
}
