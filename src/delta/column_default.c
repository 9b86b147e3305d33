/*
 * What a column gets in rows whose writer leaves it out (protocol: "Default Columns").
 *
 * 1. `CURRENT_DEFAULT` of the field's metadata is an expression of Spark SQL without columns. It is parsed by the rule
 * language and printed for the engine; a text outside of it is refused when it would be needed, never taken for NULL.
 * 2. It is a value of new rows only: rows of files that lack the column are NULL there.
 */
#include "delta/delta_int.h"

#include "expr/expr.h"

/* As Spark stores it: cast to the column's type. */
static enum assay_code parse_default(const struct delta_field *field, struct str text, struct arena *arena,
                                     struct expr **out, struct assay_error *err) {
    struct expr *e;
    TRY(expr_parse(text, arena, &e, err));
    TRY(expr_check(e, NULL, 0, arena, err));
    if (e->kind == EXPR_NULL || type_eq(e->type, field->type)) {
        *out = e;
        return ASSAY_OK;
    }
    if (field->type.kind == TYPE_NONE) return error_set(err, ASSAY_UNSUPPORTED, NULL, "the column has a nested type");
    *out = expr_cast(arena, e, field->type);
    return expr_check(*out, NULL, 0, arena, err);
}

enum assay_code delta_default_sql(const struct delta_metadata *m, size_t field, struct engine *engine,
                                  struct arena *arena, struct buf *sql, struct assay_error *err) {
    const struct delta_field *f = &m->schema.fields[field];
    struct str text;
    struct expr *e = NULL;
    struct assay_error why = {0};
    if (!delta_field_meta(f, "CURRENT_DEFAULT", arena, &text)) {
        buf_addz(sql, "NULL");
        return ASSAY_OK;
    }
    if (parse_default(f, text, arena, &e, &why) != ASSAY_OK)
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the rows to be written lack the column '%.*s', whose default (%.*s) is outside of assay's "
                         "rule language: %s%s%s. Give the column a value, or change its default",
                         STR_ARG(f->name), STR_ARG(text), why.where, why.where[0] ? ": " : "", why.message);
    TRY(delta_need_decimals(engine, e, arena, err));
    expr_print_engine(sql, e, (struct str){0});
    return ASSAY_OK;
}
