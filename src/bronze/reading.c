/*
 * The one place where bronze asks which format a batch has.
 *
 * 1. No column is lost: CSV says in its headers which columns there are, Parquet in its schemas; the keys of JSON are
 * known only when all of it was read, so a batch with new ones is read again.
 * 2. Rows of CSV and JSON come from C code, rows of Parquet and Delta from the engine; what assay adds to them is the
 * same.
 * 3. A Delta table is never read as a folder of Parquet files, some of which are no longer its.
 */
#include "bronze/reading.h"

struct json_settings reading_json_settings(const struct contract_source *source) {
    return (struct json_settings){.is_multi_line = source->is_multi_line,
                                  .max_record_bytes = (size_t)source->max_record_bytes,
                                  .encoding = source->encoding};
}

/* ---- columns ---- */

static enum assay_code refuse_absent(const struct reading *r, size_t column, struct assay_error *err) {
    const struct plan *plan = r->in->plan;
    bool is_delta = plan->source.format == CONTRACT_DELTA;
    struct buf found = {0};
    for (size_t i = 0; i < r->parquet.column_count; i++) {
        buf_addz(&found, i ? ", " : "");
        buf_add_printable(&found, str_sub(r->parquet.columns[i].name, 0, 100));
    }
    enum assay_code rc = error_set(
        err, ASSAY_REFUSED, is_delta ? r->table->root.ptr : r->files[0].key.ptr,
        "%s the column `%.*s`; found: %.400s; no row of the batch was loaded\nnext: ask "
        "the source for the agreed columns, or change the contract %.*s; with header: byName an absent "
        "column is NULL",
        is_delta ? "the Delta table lacks" : "no file of the batch has", STR_ARG(plan->source_columns[column]),
        found.data ? found.data : "nothing", STR_ARG(plan->contract_path));
    buf_free(&found);
    return rc;
}

/** Types of nulls alone stay empty; reading_fit finds some. */
static enum assay_code take_typed_columns(struct reading *r, struct assay_error *err) {
    const struct plan *plan = r->in->plan;
    bool *is_there = ARENA_ARRAY(r->arena, plan->source_column_count, bool);
    for (size_t i = 0; i < r->parquet.column_count; i++) {
        const struct parquet_column *column = &r->parquet.columns[i];
        size_t at = columns_find(&r->columns, column->name);
        if (at == SIZE_MAX && column->type_json.len == 0) continue;
        if (at == SIZE_MAX) at = columns_add(&r->columns, column->name);
        r->columns.list[at].type_json = column->type_json;
        if (at < plan->source_column_count) is_there[at] = true;
    }
    for (size_t i = 0; i < plan->source_column_count && plan->source.header == CONTRACT_HEADER_STRICT; i++)
        if (!is_there[i]) return refuse_absent(r, i, err);
    return ASSAY_OK;
}

/** Invariant 3. */
static enum assay_code check_no_table(const struct landing_batch *batch, struct assay_error *err) {
    for (size_t i = 0; i < batch->left_out_count; i++)
        if (str_starts(batch->left_out[i], STR("_delta_log/")))
            return error_set(err, ASSAY_REFUSED, batch->folder.ptr,
                             "the batch's folder is a Delta table: only its log says which of its files are read; no "
                             "row of the batch was loaded\nnext: say `format: delta` in the contract");
    return ASSAY_OK;
}

enum assay_code reading_open(struct reading *r, const struct bronze_input *in, struct bronze_file *files,
                             struct arena *arena, struct assay_error *err) {
    const struct contract_source *source = &in->plan->source;
    size_t count = in->batch->file_count;
    *r = (struct reading){.in = in, .files = files, .arena = arena};
    columns_open(&r->columns, in->plan, arena);
    TRY(mismatch_twins(files, count, err));
    switch (source->format) {
    case CONTRACT_CSV:
        TRY(csv_dialect_of(source, &r->dialect, err));
        return header_check(in->plan, &r->dialect, files, count, &r->columns, err);
    case CONTRACT_JSON:
        r->json = reading_json_settings(source);
        return ASSAY_OK;
    case CONTRACT_PARQUET:
        TRY(check_no_table(in->batch, err));
        TRY(parquet_open(in->engine, files, count, arena, &r->parquet, err));
        return take_typed_columns(r, err);
    case CONTRACT_DELTA:
        TRY(delta_source_open(in, arena, &r->table, &r->parquet, err));
        return take_typed_columns(r, err);
    }
    return ASSAY_OK;
}

/** Of a contract's column that no file gives a type: its own, but for text that is cleaned. */
static struct str type_of_contract(const struct reading *r, size_t source) {
    const struct plan *plan = r->in->plan;
    struct type type = {.kind = TYPE_STRING};
    for (size_t i = plan->column_count; i-- > 0;)
        if (plan->columns[i].source == source && !plan->columns[i].clean) type = plan->columns[i].type;
    struct buf text = {0};
    buf_addc(&text, '"');
    type_print_delta(&text, type);
    buf_addc(&text, '"');
    struct str json = str_copy(r->arena, buf_str(&text));
    buf_free(&text);
    return json;
}

static void fit_typed(struct reading *r, const struct delta_schema *table) {
    for (size_t i = 0; i < r->columns.count; i++) {
        struct bronze_column *column = &r->columns.list[i];
        size_t at = table ? delta_field_find(table, column->name) : SIZE_MAX;
        struct str kept = at == SIZE_MAX ? (struct str){0} : table->fields[at].type_json;
        if (kept.len && str_eq(parquet_type_join(kept, column->type_json, r->arena), kept)) column->type_json = kept;
        if (column->type_json.len == 0) column->type_json = type_of_contract(r, i);
    }
}

void reading_fit(struct reading *r, const struct delta_snapshot *table) {
    const struct delta_schema *schema = table ? &table->metadata.schema : NULL;
    if (contract_format_is_typed(r->in->plan->source.format)) fit_typed(r, schema);
    if (r->in->plan->source.format != CONTRACT_JSON || !schema) return;
    for (size_t i = 0; i < schema->count; i++) {
        const struct delta_field *field = &schema->fields[i];
        if (field->type.kind == TYPE_STRING && !column_name_fault(field->name) &&
            columns_find(&r->columns, field->name) == SIZE_MAX)
            columns_add(&r->columns, field->name);
    }
}

/* ---- rows ---- */

static void print_select(const struct reading *r, struct str rows, int64_t loaded_at_us, bool with_bytes,
                         struct buf *sql) {
    bool is_typed = contract_format_is_typed(r->in->plan->source.format);
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < r->columns.count && !is_typed; i++) {
        engine_sql_name(sql, r->columns.list[i].name);
        buf_addz(sql, ", ");
    }
    buf_addz(sql, is_typed ? "*, " : "\"_corrupt_record\", \"_source_file\", \"_source_line\", ");
    engine_sql_text(sql, r->in->batch->id);
    buf_printf(sql, " AS \"_batch_id\", make_timestamptz(%lld) AS \"_loaded_at\"", (long long)loaded_at_us);
    if (with_bytes && !is_typed) buf_addz(sql, ", \"_corrupt_bytes\"");
    buf_printf(sql, " FROM %.*s", STR_ARG(rows));
}

static enum assay_code write_select(const struct reading *r, const struct delta_metadata *metadata, struct str rows,
                                    int64_t loaded_at_us, bool with_bytes, struct delta_new_files *files,
                                    struct assay_error *err) {
    struct buf sql = {0};
    print_select(r, rows, loaded_at_us, with_bytes, &sql);
    enum assay_code rc = delta_write_files(r->in->engine, r->in->staging, metadata, buf_str(&sql),
                                           &(struct engine_write_options){0}, r->arena, files, err);
    buf_free(&sql);
    return rc;
}

/** A table function's name of its own, and the call of it. */
static struct str call_of(const struct reading *r, struct str *name) {
    struct buf call = {0};
    *name = str_basename(staging_path(r->in->staging, r->arena, STR("rows")));
    engine_sql_name(&call, *name);
    buf_addz(&call, "()");
    struct str text = str_copy(r->arena, buf_str(&call));
    buf_free(&call);
    return text;
}

static enum assay_code write_csv(struct reading *r, const struct delta_metadata *metadata, int64_t loaded_at_us,
                                 bool with_bytes, struct delta_new_files *files, struct bronze_findings *findings,
                                 struct assay_error *err) {
    struct str name, call = call_of(r, &name);
    struct bronze_rows *rows =
        rows_open(&r->columns, &r->dialect, r->files, r->in->batch->file_count, CSV_BLOCK_BYTES, findings);
    enum assay_code rc = rows_add_source(rows, r->in->engine, name, r->in->threads, err);
    if (rc == ASSAY_OK) rc = write_select(r, metadata, call, loaded_at_us, with_bytes, files, err);
    rows_close(&rows);
    return rc;
}

static enum assay_code write_json(struct reading *r, const struct delta_metadata *metadata, int64_t loaded_at_us,
                                  bool with_bytes, struct delta_new_files *files, struct bronze_findings *findings,
                                  bool *is_whole, struct assay_error *err) {
    struct str name, call = call_of(r, &name);
    struct json_rows *rows =
        json_rows_open(&r->json, &r->columns, r->files, r->in->batch->file_count, CSV_BLOCK_BYTES, findings);
    enum assay_code rc = json_rows_add_source(rows, r->in->engine, name, r->in->threads, err);
    if (rc == ASSAY_OK) rc = write_select(r, metadata, call, loaded_at_us, with_bytes, files, err);
    r->is_refused = json_rows_is_refused(rows);
    *is_whole = !json_rows_add_columns(rows, &r->columns);
    json_rows_close(&rows);
    return rc;
}

static enum assay_code write_typed(struct reading *r, const struct delta_metadata *metadata, int64_t loaded_at_us,
                                   struct delta_new_files *files, struct bronze_findings *findings,
                                   struct assay_error *err) {
    struct buf rows = {0};
    enum assay_code rc = parquet_check_values(r->in->engine, &r->parquet, r->arena, err);
    r->is_refused = rc == ASSAY_REFUSED;
    if (rc) return rc;
    buf_addc(&rows, '(');
    if (r->in->plan->source.format == CONTRACT_DELTA)
        rc = delta_source_rows_sql(r->table, &r->parquet, r->arena, &rows, err);
    else
        parquet_rows_sql(&r->parquet, &rows);
    buf_addc(&rows, ')');
    if (rc == ASSAY_OK) rc = write_select(r, metadata, buf_str(&rows), loaded_at_us, false, files, err);
    buf_free(&rows);
    if (rc) {
        enum assay_code found = parquet_blame(r->in->engine, &r->parquet, rc, err);
        r->is_refused = found == ASSAY_REFUSED && rc != ASSAY_REFUSED;
        return found;
    }
    findings->row_count = files->row_count;
    return ASSAY_OK;
}

enum assay_code reading_write(struct reading *r, const struct delta_metadata *metadata, int64_t loaded_at_us,
                              bool with_bytes, struct delta_new_files *files, struct bronze_findings *findings,
                              bool *is_whole, struct assay_error *err) {
    *findings = (struct bronze_findings){0};
    *is_whole = true;
    r->is_refused = false;
    switch (r->in->plan->source.format) {
    case CONTRACT_CSV:
        return write_csv(r, metadata, loaded_at_us, with_bytes, files, findings, err);
    case CONTRACT_JSON:
        return write_json(r, metadata, loaded_at_us, with_bytes, files, findings, is_whole, err);
    default:
        return write_typed(r, metadata, loaded_at_us, files, findings, err);
    }
}
