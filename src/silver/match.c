/**
 * Matching: incoming rows against the table's rows of the same keys, one pass over the files that may hold them.
 *
 * 1. Only files whose key range meets the incoming one are read.
 * 2. A row is updated when it is newer (by the contract's condition) and a contract column differs; it is unchanged
 * when it is newer and equal; it is older otherwise. Keys that are not met are new.
 * 3. MET_TABLE holds places, not values: "n" of the incoming row, file "f" and place "p" of the table's; only of
 * updated rows "x<i>", the table's value of its column i that the contract does not know. Such columns keep their
 * values in updated rows and have their defaults, else NULL, in inserted ones.
 */
#include "silver/silver_int.h"

/** A file and a row in it as one number, which joins faster than two: 2^40 rows are more than a file holds. */
#define PLACE(file, row) "CAST(" file " AS BIGINT) * 1099511627776 + CAST(" row " AS BIGINT)"

static enum assay_code print_incoming(const struct silver_load *load, struct buf *sql, struct assay_error *err) {
    const struct silver_input *in = load->in;
    if (load->incoming.is_table) {
        buf_addz(sql, INCOMING_TABLE);
        return ASSAY_OK;
    }
    buf_addz(sql, "(SELECT * EXCLUDE (" DELTA_SCAN_FILE ", " DELTA_SCAN_ROW
                  "), " PLACE(DELTA_SCAN_FILE, DELTA_SCAN_ROW) " AS " INCOMING_PLACE " FROM ");
    TRY(delta_staged_sql(in->store, in->engine, load->incoming.metadata, &load->incoming.files, true, load->arena, sql,
                         err));
    buf_addc(sql, ')');
    return ASSAY_OK;
}

static struct str key_name(const struct plan *plan, size_t k) { return plan->columns[plan->keys[k]].name; }

void match_keys_sql(const struct plan *plan, const char *a, const char *b, struct buf *sql) {
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_printf(sql, "%s%s.", k ? " AND " : "", a);
        engine_sql_name(sql, key_name(plan, k));
        buf_printf(sql, " = %s.", b);
        engine_sql_name(sql, key_name(plan, k));
    }
}

/** Keys of the pairs. Both zeros are one key: made one, since the engine skips row groups of plain columns by filters
 * that tell them apart. Bytes are compared as their hex: by filters on plain BLOB columns it skips row groups that hold
 * the value. */
static void print_same_keys(const struct plan *plan, struct buf *sql) {
    for (size_t k = 0; k < plan->key_count; k++) {
        enum type_kind kind = plan->columns[plan->keys[k]].type.kind;
        bool has_zeros = kind == TYPE_FLOAT || kind == TYPE_DOUBLE;
        struct buf name = {0};
        engine_sql_name(&name, key_name(plan, k));
        if (k) buf_addz(sql, " AND ");
        if (kind == TYPE_BINARY)
            buf_printf(sql, "hex(i.%s) = hex(t.%s)", name.data, name.data);
        else if (has_zeros)
            buf_printf(sql, "CASE WHEN i.%s = 0 THEN 0 ELSE i.%s END = CASE WHEN t.%s = 0 THEN 0 ELSE t.%s END",
                       name.data, name.data, name.data, name.data);
        else
            buf_printf(sql, "i.%s = t.%s", name.data, name.data);
        buf_free(&name);
    }
}

static bool is_brought(const struct plan *plan, struct str name) {
    for (size_t i = 0; i < plan->column_count; i++)
        if (str_eq_nocase(plan->columns[i].name, name)) return true;
    return str_eq_nocase(name, STR(LINEAGE_SOURCE_FILE)) || str_eq_nocase(name, STR(LINEAGE_BATCH_ID)) ||
           str_eq_nocase(name, STR(LINEAGE_LOADED_AT));
}

/* ---- which files ---- */

/** The ranges of the keys from the statistics of the one file; false if they do not say. */
static bool read_ranges(struct match *m) {
    const struct plan *plan = m->load->in->plan;
    const struct delta_new_files *files = &m->load->incoming.files;
    if (m->load->incoming.is_table || files->count != 1) return false;
    const struct engine_file *file = &files->files[0].file;
    const struct delta_schema *schema = &m->load->incoming.metadata->schema;
    for (size_t k = 0; k < plan->key_count; k++) {
        size_t c = 0, field = delta_field_find(schema, key_name(plan, k));
        if (field == SIZE_MAX) return false;
        while (c < file->column_count && !str_eq(file->columns[c].name, schema->fields[field].physical_name)) c++;
        if (c == file->column_count || !file->columns[c].has_bounds) return false;
        m->ranges[k].min = file->columns[c].min;
        m->ranges[k].max = file->columns[c].max;
    }
    return true;
}

/** Count the incoming rows of a table on the way. */
static enum assay_code ask_ranges(struct match *m, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    struct engine_result r = {0};
    struct buf sql = {0};
    buf_addz(&sql, "SELECT count(*)");
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_addz(&sql, ", min(");
        engine_sql_name(&sql, key_name(plan, k));
        buf_addz(&sql, "), max(");
        engine_sql_name(&sql, key_name(plan, k));
        buf_addc(&sql, ')');
    }
    buf_addz(&sql, " FROM ");
    enum assay_code rc = print_incoming(m->load, &sql, err);
    if (rc == ASSAY_OK) rc = engine_query(m->load->in->engine, buf_str(&sql), 1, m->load->arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    m->load->incoming.row_count = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    for (size_t k = 0; k < plan->key_count; k++) {
        const struct engine_cell *min = engine_cell_at(&r, 0, 2 * k + 1), *max = engine_cell_at(&r, 0, 2 * k + 2);
        if (!min->is_null) m->ranges[k].min = min->text;
        if (!max->is_null) m->ranges[k].max = max->text;
    }
    return ASSAY_OK;
}

/* ---- the pass ---- */

/** TRUE when the incoming row i is at least as new as the table's row t. A row of another writer, without a load time,
 * was there before. */
static void print_newer(const struct plan *plan, struct buf *sql) {
    struct buf equal = {0};
    buf_addc(sql, '(');
    for (size_t k = 0; k < plan->version_count; k++) {
        const struct plan_order *o = &plan->order[k];
        struct buf name = {0};
        engine_sql_name(&name, o->column);
        buf_printf(sql, "(%si.%s IS NOT NULL AND (t.%s IS NULL OR i.%s %c t.%s)) OR ", equal.len ? equal.data : "",
                   name.data, name.data, name.data, o->is_ascending ? '<' : '>', name.data);
        buf_printf(&equal, "i.%s IS NOT DISTINCT FROM t.%s AND ", name.data, name.data);
        buf_free(&name);
    }
    buf_printf(sql, "(%s(t.\"_loaded_at\" IS NULL OR i.\"_loaded_at\" >= t.\"_loaded_at\")))",
               equal.len ? equal.data : "");
    buf_free(&equal);
}

static void print_differs(const struct plan *plan, struct buf *sql) {
    buf_addc(sql, '(');
    for (size_t i = 0; i < plan->column_count; i++) {
        if (i) buf_addz(sql, " OR ");
        buf_addz(sql, "i.");
        engine_sql_name(sql, plan->columns[i].name);
        buf_addz(sql, " IS DISTINCT FROM t.");
        engine_sql_name(sql, plan->columns[i].name);
    }
    buf_addc(sql, ')');
}

static void print_qualified(const char *side, const char *alias, struct str name, struct buf *sql) {
    struct buf qualified = {0};
    buf_printf(&qualified, "%s.%.*s", side, STR_ARG(name));
    buf_printf(sql, ", %s.", alias);
    engine_sql_name(sql, name);
    buf_addz(sql, " AS ");
    engine_sql_name(sql, buf_str(&qualified));
    buf_free(&qualified);
}

/** Both rows of a pair under the names that an updateWhen uses: "source.x" and "target.x". */
static void print_pair(const struct plan *plan, struct buf *sql) {
    static const char *const lineage[] = {LINEAGE_SOURCE_FILE, LINEAGE_BATCH_ID, LINEAGE_LOADED_AT};
    for (size_t i = 0; i < plan->column_count + 3; i++) {
        struct str name = i < plan->column_count ? plan->columns[i].name : str_of(lineage[i - plan->column_count]);
        print_qualified("source", "i", name, sql);
        print_qualified("target", "t", name, sql);
    }
}

/** Pairs, side by side, with what is asked of them. */
static enum assay_code print_pairs(const struct match *m, struct buf *sql, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    const struct delta_schema *schema = &m->snapshot->metadata.schema;
    buf_addz(sql, "SELECT i." INCOMING_PLACE " AS n, t." DELTA_SCAN_FILE " AS f, " PLACE(
                      "t." DELTA_SCAN_FILE, "t." DELTA_SCAN_ROW) " AS p, t.\"_batch_id\" IS NOT DISTINCT FROM ");
    engine_sql_text(sql, m->load->in->batch_id);
    buf_addz(sql, " AS in_batch, ");
    print_differs(plan, sql);
    buf_addz(sql, " AS differs");
    if (plan->update_when) {
        print_pair(plan, sql);
    } else {
        buf_addz(sql, ", ");
        print_newer(plan, sql);
        buf_addz(sql, " AS newer");
    }
    for (size_t i = 0; i < schema->count; i++) {
        if (is_brought(plan, schema->fields[i].name)) continue;
        buf_addz(sql, ", t.");
        engine_sql_name(sql, schema->fields[i].name);
        buf_printf(sql, " AS \"x%zu\"", i);
    }
    buf_addz(sql, " FROM ");
    TRY(print_incoming(m->load, sql, err));
    buf_addz(sql, " i JOIN ");
    TRY(delta_scan_sql(m->snapshot, m->candidates, m->candidate_count, true, m->load->arena, sql, err));
    buf_addz(sql, " t ON ");
    print_same_keys(plan, sql);
    return ASSAY_OK;
}

static enum assay_code make_met(const struct match *m, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    struct buf sql = {0};
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE " MET_TABLE " AS SELECT n, f, p, is_updated, newer AND NOT differs AS "
                   "is_unchanged, in_batch AND (is_updated OR NOT differs) AS is_delivered");
    for (size_t i = 0; i < m->snapshot->metadata.schema.count; i++)
        if (!is_brought(plan, m->snapshot->metadata.schema.fields[i].name))
            buf_printf(&sql, ", CASE WHEN is_updated THEN \"x%zu\" END AS \"x%zu\"", i, i);
    buf_addz(&sql, " FROM (SELECT *, newer AND differs AS is_updated FROM (SELECT * ");
    if (plan->update_when) {
        buf_addz(&sql, ", coalesce(");
        expr_print_engine(&sql, plan->update_when, (struct str){0});
        buf_addz(&sql, ", false) AS newer");
    }
    buf_addz(&sql, " FROM (");
    enum assay_code rc = print_pairs(m, &sql, err);
    buf_addz(&sql, ")))");
    if (rc == ASSAY_OK) rc = engine_run(m->load->in->engine, buf_str(&sql), err);
    buf_free(&sql);
    return rc;
}

/** A key that silver holds more than once would be updated in several places. */
static enum assay_code refuse_repeated(const struct match *m, int64_t keys, struct assay_error *err) {
    struct str where = str_printf(m->load->arena, "%.*s version %lld", STR_ARG(m->load->in->plan->table),
                                  (long long)m->snapshot->version);
    return error_set(
        err, ASSAY_REFUSED, where.ptr,
        "%lld keys of the batch meet %lld rows of the table, where the grain allows one row per key; silver "
        "is unchanged\nnext: find and mend the keys that the table holds more than once",
        (long long)keys, (long long)m->met);
}

enum { CELL_FILE, CELL_ALL, CELL_UPDATED, CELL_UNCHANGED, CELL_DELIVERED, CELL_KEYS };

static enum assay_code count_met(struct match *m, struct assay_error *err) {
    struct engine_result r = {0};
    struct str sql = STR("SELECT f, count(*), count(*) FILTER (is_updated), count(*) FILTER (is_unchanged), "
                         "count(*) FILTER (is_delivered), (SELECT count(DISTINCT n) FROM " MET_TABLE ") FROM " MET_TABLE
                         " GROUP BY f ORDER BY f");
    TRY(engine_query(m->load->in->engine, sql, m->candidate_count, m->load->arena, &r, err));
    m->touched = ARENA_ARRAY(m->load->arena, r.row_count, size_t);
    for (size_t i = 0; i < r.row_count; i++) {
        int64_t updated = engine_cell_int(engine_cell_at(&r, i, CELL_UPDATED), 0);
        if (updated) m->touched[m->touched_count++] = (size_t)engine_cell_int(engine_cell_at(&r, i, CELL_FILE), 0);
        m->updated += updated;
        m->met += engine_cell_int(engine_cell_at(&r, i, CELL_ALL), 0);
        m->unchanged += engine_cell_int(engine_cell_at(&r, i, CELL_UNCHANGED), 0);
        m->delivered += engine_cell_int(engine_cell_at(&r, i, CELL_DELIVERED), 0);
    }
    m->older = m->met - m->updated - m->unchanged;
    int64_t keys = r.row_count ? engine_cell_int(engine_cell_at(&r, 0, CELL_KEYS), 0) : 0;
    return m->met == keys ? ASSAY_OK : refuse_repeated(m, keys, err);
}

enum assay_code match_run(struct match *m, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    struct arena *arena = m->load->arena;
    const struct incoming *incoming = &m->load->incoming;
    m->ranges = ARENA_ARRAY(arena, plan->key_count, struct delta_range);
    m->range_count = plan->key_count;
    for (size_t k = 0; k < plan->key_count; k++) m->ranges[k].column = key_name(plan, k);
    if (!incoming->is_table && incoming->row_count == 0) return ASSAY_OK;
    if (!read_ranges(m)) TRY(ask_ranges(m, err));
    if (incoming->row_count == 0) return ASSAY_OK;
    TRY(delta_prune(m->snapshot, m->ranges, m->range_count, arena, &m->candidates, &m->candidate_count, err));
    if (m->candidate_count == 0) return ASSAY_OK;
    TRY(make_met(m, err));
    return count_met(m, err);
}

/* ---- what is written ---- */

/** Rows of the touched files: those that are updated, or those that are not. */
static enum assay_code print_touched(const struct match *m, bool is_updated, struct buf *sql, struct assay_error *err) {
    const struct delta_schema *schema = &m->snapshot->metadata.schema;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        buf_addz(sql, i ? ", t." : "t.");
        engine_sql_name(sql, schema->fields[i].name);
    }
    if (is_updated) buf_addz(sql, ", 'update_preimage' AS " DELTA_CHANGE_TYPE);
    buf_addz(sql, " FROM ");
    TRY(delta_scan_sql(m->snapshot, m->touched, m->touched_count, true, m->load->arena, sql, err));
    buf_printf(sql,
               " t %s JOIN (SELECT p FROM " MET_TABLE
               " WHERE is_updated) u ON u.p = " PLACE("t." DELTA_SCAN_FILE, "t." DELTA_SCAN_ROW),
               is_updated ? "SEMI" : "ANTI");
    return ASSAY_OK;
}

enum assay_code match_kept_sql(const struct match *m, struct buf *sql, struct assay_error *err) {
    return print_touched(m, false, sql, err);
}

static enum assay_code print_changed(const struct match *m, bool with_type, struct buf *sql, struct assay_error *err) {
    const struct silver_input *in = m->load->in;
    const struct delta_metadata *metadata = &m->snapshot->metadata;
    buf_addz(sql, "SELECT ");
    grain_columns(in->plan, "n.", sql);
    for (size_t i = 0; i < metadata->schema.count && m->updated; i++) {
        if (is_brought(in->plan, metadata->schema.fields[i].name)) continue;
        buf_addz(sql, ", CASE WHEN u.n IS NULL THEN ");
        TRY(delta_default_sql(metadata, i, in->engine, m->load->arena, sql, err));
        buf_printf(sql, " ELSE u.\"x%zu\" END AS ", i);
        engine_sql_name(sql, metadata->schema.fields[i].name);
    }
    if (with_type)
        buf_addz(sql, ", CASE WHEN u.n IS NULL THEN 'insert' ELSE 'update_postimage' END AS " DELTA_CHANGE_TYPE);
    buf_addz(sql, " FROM ");
    TRY(print_incoming(m->load, sql, err));
    buf_addz(sql, " n");
    if (m->met)
        buf_addz(sql, " LEFT JOIN " MET_TABLE " u ON u.n = n." INCOMING_PLACE " WHERE u.is_updated IS NOT FALSE");
    return ASSAY_OK;
}

enum assay_code match_changed_sql(const struct match *m, struct buf *sql, struct assay_error *err) {
    return print_changed(m, false, sql, err);
}

enum assay_code match_changes_sql(const struct match *m, struct buf *sql, struct assay_error *err) {
    TRY(print_touched(m, true, sql, err));
    buf_addz(sql, " UNION ALL BY NAME ");
    return print_changed(m, true, sql, err);
}
