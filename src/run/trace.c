/**
 * From a row of silver, bronze or quarantine back to its record in a landed file.
 *
 * 1. The rows that are asked for are put into TRACED_TABLE first, so that what follows works on a few rows.
 * 2. Where a record stands is found by reading its file, once for all rows of it; nothing is stored for that.
 * 3. A file that is gone, changed or cannot be read is told beside the row, and ends nothing.
 */
#include "run/run_int.h"

#include <stdlib.h>

#define TRACED_TABLE "assay_traced"

enum { ROWS_MAX = 1000000 };

struct context {
    struct session *session;
    const struct plan *plan;
    enum run_trace_table table;
    struct arena *arena;
    struct delta_snapshot *snapshot;
    struct run_trace *out;
    size_t file_capacity;
    struct run_record *records; /* loaded at first need */
    size_t record_count;
};

/* ---- the rows ---- */

static enum assay_code load_table(struct context *c, struct assay_error *err) {
    const struct str names[] = {[RUN_TRACE_SILVER] = c->plan->table,
                                [RUN_TRACE_BRONZE] = c->plan->bronze_table,
                                [RUN_TRACE_QUARANTINE] = c->plan->quarantine_table};
    struct str root;
    TRY(plan_table_root(names[c->table], c->arena, &root, err));
    TRY(delta_snapshot_load(c->session->store, c->session->engine, root, DELTA_LATEST, c->arena, &c->snapshot, err));
    static const char *const needed[] = {LINEAGE_BATCH_ID, LINEAGE_SOURCE_FILE, LINEAGE_SOURCE_LINE, LINEAGE_LOADED_AT};
    for (size_t i = 0; i < 4; i++) {
        bool is_kept = i < 2 || (i == 2 ? c->table != RUN_TRACE_SILVER : c->table != RUN_TRACE_QUARANTINE);
        if (is_kept && delta_field_find(&c->snapshot->metadata.schema, str_of(needed[i])) == SIZE_MAX)
            return error_set(err, ASSAY_INVALID, str_c(c->arena, names[c->table]),
                             "the table has no column %s, so its rows cannot be traced; somebody else made it",
                             needed[i]);
    }
    return ASSAY_OK;
}

/** ` WHERE (...)`, checked against the table's columns. */
static enum assay_code print_where(const struct context *c, struct str where, struct buf *sql,
                                   struct assay_error *err) {
    const struct delta_schema *schema = &c->snapshot->metadata.schema;
    struct expr_column *columns = ARENA_ARRAY(c->arena, schema->count, struct expr_column);
    struct type *types = NULL;
    struct expr *e;
    size_t column_count = 0, type_count = 0;
    if (where.len == 0) return ASSAY_OK;
    for (size_t i = 0; i < schema->count; i++)
        if (schema->fields[i].type.kind != TYPE_NONE)
            columns[column_count++] = (struct expr_column){schema->fields[i].name, schema->fields[i].type};
    enum assay_code rc = expr_parse(where, c->arena, &e, err);
    if (rc == ASSAY_OK) rc = expr_check_predicate(e, columns, column_count, c->arena, err);
    if (rc) {
        struct assay_error said = *err;
        return error_set(err, rc, str_c(c->arena, str_printf(c->arena, "--where: %s", said.where)),
                         "%s\nnext: write it as in \"%.*s = 'VALUE'\"; texts stand in single quotes", said.message,
                         STR_ARG(schema->count ? schema->fields[0].name : STR("COLUMN")));
    }
    expr_decimals(e, c->arena, &types, &type_count);
    for (size_t i = 0; i < type_count; i++)
        TRY(engine_need_decimal(c->session->engine, types[i].precision, types[i].scale, err));
    buf_addz(sql, " WHERE (");
    expr_print_engine(sql, e, STR("t"));
    buf_addc(sql, ')');
    return ASSAY_OK;
}

static struct str key_name(const struct plan *plan, size_t k) { return plan->columns[plan->keys[k]].name; }

static void print_order(const struct context *c, struct buf *sql) {
    buf_addz(sql, " ORDER BY ");
    for (size_t k = 0; c->table == RUN_TRACE_SILVER && k < c->plan->key_count; k++) {
        engine_sql_name(sql, key_name(c->plan, k));
        buf_addz(sql, ", ");
    }
    buf_addz(sql, "\"_batch_id\", \"_source_file\"");
    if (c->table != RUN_TRACE_SILVER) buf_addz(sql, ", \"_source_line\"");
}

/** Count the rows and put as many as are wanted into TRACED_TABLE. */
static enum assay_code take_rows(struct context *c, struct str where, size_t limit, struct assay_error *err) {
    struct engine_result r = {0};
    struct buf from = {0}, sql = {0};
    enum assay_code rc = delta_scan_sql(c->snapshot, NULL, c->snapshot->file_count, false, c->arena, &from, err);
    buf_addz(&from, " t");
    if (rc == ASSAY_OK) rc = print_where(c, where, &from, err);
    if (rc) goto done;
    buf_printf(&sql, "SELECT count(*) FROM %s", from.data);
    if ((rc = engine_query(c->session->engine, buf_str(&sql), 1, c->arena, &r, err))) goto done;
    c->out->matched = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    buf_clear(&sql);
    buf_printf(&sql,
               "CREATE OR REPLACE TEMP TABLE " TRACED_TABLE
               " AS SELECT *, row_number() OVER () - 1 AS \"=n\" FROM (SELECT * FROM %s",
               from.data);
    print_order(c, &sql);
    if (limit) buf_printf(&sql, " LIMIT %zu", limit);
    buf_addc(&sql, ')');
    rc = engine_run(c->session->engine, buf_str(&sql), err);
done:
    buf_free(&from);
    buf_free(&sql);
    return rc;
}

/** The columns of a row before its values. */
enum { AT_BATCH, AT_FILE, AT_LINE, AT_LOADED, AT_REASON, AT_VALUES };

static void print_read(const struct context *c, struct buf *sql) {
    bool is_silver = c->table == RUN_TRACE_SILVER, is_quarantine = c->table == RUN_TRACE_QUARANTINE;
    buf_printf(sql, "SELECT \"_batch_id\", \"_source_file\", %s, %s, %s",
               is_silver ? "NULL::BIGINT" : "\"_source_line\"",
               is_quarantine ? "NULL::BIGINT" : "epoch_us(\"_loaded_at\")",
               is_quarantine ? "\"" QUARANTINE_REASON "\"" : "NULL::VARCHAR");
    for (size_t k = 0; is_silver && k < c->plan->key_count; k++) {
        buf_addz(sql, ", ");
        engine_sql_name(sql, key_name(c->plan, k));
    }
    buf_addz(sql, " FROM " TRACED_TABLE " ORDER BY \"=n\"");
}

/** The index of a file among those that are looked at. */
static size_t add_file(struct context *c, struct str key, struct str batch_id) {
    struct run_trace *out = c->out;
    for (size_t i = out->file_count; i > 0; i--)
        if (str_eq(out->files[i - 1].key, key) && str_eq(out->files[i - 1].batch_id, batch_id)) return i - 1;
    LIST_PUSH(c->arena, out->files, out->file_count, c->file_capacity) =
        (struct run_trace_file){.key = key, .batch_id = batch_id};
    return out->file_count - 1;
}

static enum assay_code read_rows(struct context *c, struct assay_error *err) {
    struct engine_result r;
    struct buf sql = {0};
    print_read(c, &sql);
    enum assay_code rc = engine_query(c->session->engine, buf_str(&sql), ROWS_MAX, c->arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    c->out->rows = ARENA_ARRAY(c->arena, r.row_count, struct run_trace_row);
    c->out->row_count = r.row_count;
    for (size_t i = 0; i < r.row_count; i++) {
        const struct engine_cell *cells = engine_cell_at(&r, i, 0);
        struct run_trace_row *row = &c->out->rows[i];
        *row = (struct run_trace_row){.batch_id = cells[AT_BATCH].text,
                                      .loaded_at_us = engine_cell_int(&cells[AT_LOADED], INT64_MIN),
                                      .reason = cells[AT_REASON].text};
        row->values = ARENA_ARRAY(c->arena, r.column_count - AT_VALUES, struct str);
        for (size_t k = AT_VALUES; k < r.column_count; k++)
            row->values[k - AT_VALUES] = cells[k].is_null ? (struct str){0} : str_copy(c->arena, cells[k].text);
        if (cells[AT_LINE].is_null || cells[AT_FILE].is_null) continue;
        row->lines = ARENA_NEW(c->arena, struct run_trace_line);
        row->line_count = 1;
        row->has_source = true;
        row->lines->file = add_file(c, cells[AT_FILE].text, row->batch_id);
        row->lines->place.line = engine_cell_int(&cells[AT_LINE], -1);
    }
    return ASSAY_OK;
}

/* ---- silver's rows in bronze ---- */

static void add_origin(struct context *c, const struct silver_origin *origin) {
    struct run_trace_row *row = &c->out->rows[origin->row];
    if (!row->lines) row->lines = ARENA_ARRAY(c->arena, (size_t)origin->total, struct run_trace_line);
    struct run_trace_line *line = &row->lines[row->line_count++];
    line->file = add_file(c, origin->source_file, row->batch_id);
    line->place.line = origin->source_line;
    row->lost_count = origin->total;
    if (!origin->is_row) return;
    row->has_source = true;
    row->is_equal = origin->is_equal;
    row->is_loaded_again = origin->loaded_at_us != row->loaded_at_us;
}

static enum assay_code find_origins(struct context *c, struct assay_error *err) {
    for (size_t i = 0; i < c->out->row_count; i++) {
        struct silver_origin *origins;
        size_t count;
        bool is_done = c->out->rows[i].batch_id.len == 0;
        for (size_t k = 0; k < i && !is_done; k++) is_done = str_eq(c->out->rows[k].batch_id, c->out->rows[i].batch_id);
        if (is_done) continue;
        struct silver_input in = {.store = c->session->store,
                                  .engine = c->session->engine,
                                  .plan = c->plan,
                                  .batch_id = c->out->rows[i].batch_id};
        enum assay_code rc = silver_origins(&in, &c->snapshot->metadata.schema, STR(TRACED_TABLE), c->out->row_count,
                                            c->arena, &origins, &count, err);
        if (rc == ASSAY_NOT_FOUND) return ASSAY_OK; /* bronze is gone, which each row says */
        if (rc) return rc;
        for (size_t k = 0; k < count; k++) add_origin(c, &origins[k]);
    }
    for (size_t i = 0; i < c->out->row_count; i++)
        if (c->out->rows[i].has_source) c->out->rows[i].lost_count--;
    return ASSAY_OK;
}

/* ---- the files ---- */

static int by_line(const void *a, const void *b) {
    const struct bronze_place *x = *(struct bronze_place *const *)a, *y = *(struct bronze_place *const *)b;
    return (x->line > y->line) - (x->line < y->line);
}

/** The places in one file, by line. */
static struct bronze_place **collect_places(const struct context *c, size_t file, size_t *count) {
    const struct run_trace *out = c->out;
    size_t capacity = 0;
    struct bronze_place **places = NULL;
    *count = 0;
    for (size_t i = 0; i < out->row_count; i++)
        for (size_t k = 0; k < out->rows[i].line_count; k++)
            if (out->rows[i].lines[k].file == file)
                LIST_PUSH(c->arena, places, *count, capacity) = &out->rows[i].lines[k].place;
    if (*count) qsort(places, *count, sizeof(struct bronze_place *), by_line);
    return places;
}

static enum assay_code locate_in_file(const struct context *c, size_t file, int64_t size_bytes,
                                      struct assay_error *err) {
    struct str path;
    size_t count;
    struct bronze_place **found = collect_places(c, file, &count);
    struct bronze_place *places = ARENA_ARRAY(c->arena, count, struct bronze_place);
    for (size_t i = 0; i < count; i++) places[i] = *found[i];
    TRY(store_local_path(c->session->store, c->out->files[file].key, c->arena, &path, err));
    enum assay_code rc = bronze_locate(c->plan, str_c(c->arena, path), size_bytes, places, count, c->arena, err);
    for (size_t i = 0; i < count; i++) *found[i] = places[i]; /* what was found before it failed counts */
    return rc;
}

/** Its hash as the last run recorded it, else as its manifest has it. */
static void find_recorded(struct context *c, struct run_trace_file *file) {
    struct landing_file *files = NULL;
    struct landing_manifest manifest;
    size_t count = 0;
    struct str folder = landing_folder(c->plan, file->batch_id, c->arena), name = str_basename(file->key);
    if (str_starts(file->key, str_printf(c->arena, "%.*s/", STR_ARG(folder))))
        name = str_sub(file->key, folder.len + 1, file->key.len);
    const struct run_record *record = records_find(c->records, c->record_count, file->batch_id);
    if (!record || !record_read_files(record->known_files, c->arena, &files, &count)) {
        landing_manifest_read(c->session->store, str_sub(file->key, 0, file->key.len - name.len - 1), c->arena,
                              &manifest);
        files = manifest.files;
        count = manifest.file_count;
    }
    for (size_t i = 0; i < count; i++)
        if (str_eq(files[i].name, name)) file->recorded_sha256 = files[i].sha256;
}

static enum assay_code look_at_file(struct context *c, size_t at, struct assay_error *err) {
    struct run_trace_file *file = &c->out->files[at];
    struct store_entry entry;
    TRY(store_stat(c->session->store, file->key, &entry, err));
    struct landing_file one = {.key = file->key, .size_bytes = entry.size_bytes};
    struct landing_batch batch = {.files = &one, .file_count = 1};
    find_recorded(c, file);
    TRY(landing_hash(c->session->store, &batch, 1, c->arena, err));
    file->sha256 = one.sha256;
    return locate_in_file(c, at, entry.size_bytes, err);
}

enum assay_code run_trace_rows(struct session *session, const struct plan *plan, enum run_trace_table table,
                               struct str where, size_t limit, struct arena *arena, struct run_trace *out,
                               struct assay_error *err) {
    struct context c = {.session = session, .plan = plan, .table = table, .arena = arena, .out = out};
    *out = (struct run_trace){0};
    TRY(load_table(&c, err));
    TRY(take_rows(&c, where, limit, err));
    TRY(read_rows(&c, err));
    if (table == RUN_TRACE_SILVER) TRY(find_origins(&c, err));
    if (out->file_count) TRY(records_load(session, plan, arena, &c.records, &c.record_count, err));
    for (size_t i = 0; i < out->file_count; i++) {
        struct assay_error said = {0};
        if (look_at_file(&c, i, &said))
            out->files[i].problem = str_printf(arena, "%s%s%s", said.where, said.where[0] ? ": " : "", said.message);
    }
    return ASSAY_OK;
}
