/**
 * The conditional MERGE, copy-on-write: one commit that rewrites only the files in which a row changes.
 *
 * 1. Only files whose key range meets the incoming one are read.
 * 2. A row is updated when it is newer (by the contract's condition) and a contract column differs; it is unchanged when it is newer and equal; it is
 *    superseded when it is not newer. Absent keys are inserted.
 * 3. A file without an updated row is not touched; a merge that changes nothing makes no commit.
 * 4. Columns of the table that the contract does not know keep their values in updated rows and are NULL in inserted ones.
 * 5. After a conflict everything is judged again on the new snapshot.
 * 6. accepted = inserted + updated + unchanged; superseded gains the rows that are older.
 */
#include "silver/silver_int.h"

#include "base/json.h"
#include "base/limits.h"

/** One try of the merge. */
struct merge {
    struct silver_load *load;
    struct str root;
    struct delta_snapshot *snapshot; /* NULL: no table */
    struct delta_metadata *changed;  /* new metadata, or NULL */
    struct delta_range *ranges;      /* of the incoming keys */
    size_t range_count;
    size_t *candidates; /* files that may hold an incoming key */
    size_t candidate_count;
    int64_t inserted, updated, unchanged, older;
};

void merge_incoming_sql(const struct silver_load *load, struct buf *sql) {
    const struct engine_files *files = &load->incoming;
    struct str *paths = ARENA_ARRAY(load->arena, files->count, struct str);
    for (size_t i = 0; i < files->count; i++) paths[i] = files->files[i].path;
    buf_addz(sql, "(SELECT * FROM ");
    engine_sql_parquet(sql, paths, files->count, "");
    buf_addc(sql, ')');
}

static struct str key_name(const struct plan *plan, size_t k) { return plan->columns[plan->keys[k]].name; }

/** `a."k1" = b."k1" AND ...` */
static void print_key_match(const struct plan *plan, const char *a, const char *b, struct buf *sql) {
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_printf(sql, "%s%s.", k ? " AND " : "", a);
        engine_sql_name(sql, key_name(plan, k));
        buf_printf(sql, " = %s.", b);
        engine_sql_name(sql, key_name(plan, k));
    }
}

/** What the table can be asked for: the range of each key over the incoming rows. */
static enum assay_code find_ranges(struct merge *m, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    struct arena *arena = m->load->arena;
    struct engine_result r = {0};
    struct buf sql = {0};
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_addz(&sql, k ? ", min(" : "SELECT min(");
        engine_sql_name(&sql, key_name(plan, k));
        buf_addz(&sql, "), max(");
        engine_sql_name(&sql, key_name(plan, k));
        buf_addc(&sql, ')');
    }
    buf_addz(&sql, " FROM ");
    merge_incoming_sql(m->load, &sql);
    enum assay_code rc = engine_query(m->load->in->engine, buf_str(&sql), 1, arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    m->ranges = ARENA_ARRAY(arena, plan->key_count, struct delta_range);
    m->range_count = plan->key_count;
    for (size_t k = 0; k < plan->key_count; k++) {
        const struct engine_cell *min = engine_cell_at(&r, 0, 2 * k), *max = engine_cell_at(&r, 0, 2 * k + 1);
        m->ranges[k].column = key_name(plan, k);
        if (!min->is_null) m->ranges[k].min = min->text;
        if (!max->is_null) m->ranges[k].max = max->text;
    }
    return ASSAY_OK;
}

/** TRUE when the incoming row i is at least as new as the table's row t. */
static void print_newer(const struct plan *plan, struct buf *sql) {
    struct buf equal = {0};
    buf_addc(sql, '(');
    for (size_t k = 0; k < plan->version_count; k++) {
        const struct plan_order *o = &plan->order[k];
        struct buf name = {0};
        engine_sql_name(&name, o->column);
        buf_printf(sql, "(%si.%s IS NOT NULL AND (t.%s IS NULL OR i.%s %c t.%s)) OR ", equal.len ? equal.data : "", name.data,
                   name.data, name.data, o->is_ascending ? '<' : '>', name.data);
        buf_printf(&equal, "i.%s IS NOT DISTINCT FROM t.%s AND ", name.data, name.data);
        buf_free(&name);
    }
    buf_printf(sql, "(%si.\"_loaded_at\" >= t.\"_loaded_at\"))", equal.len ? equal.data : "");
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

/** Pairs of an incoming row and the table's row of its key, with the two questions answered. */
static enum assay_code meet(struct merge *m, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    struct buf sql = {0};
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE " MET_TABLE " AS SELECT * EXCLUDE (newer, differs), newer AND differs AS is_updated, "
                   "newer AND NOT differs AS is_unchanged FROM (SELECT f");
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_addz(&sql, ", ");
        engine_sql_name(&sql, key_name(plan, k));
    }
    buf_addz(&sql, ", differs, coalesce(");
    if (plan->update_when)
        expr_print_engine(&sql, plan->update_when, (struct str){0});
    else
        buf_addz(&sql, "newer");
    buf_addz(&sql, ", false) AS newer FROM (SELECT t.\"" DELTA_SCAN_FILE "\" AS f");
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_addz(&sql, ", i.");
        engine_sql_name(&sql, key_name(plan, k));
    }
    buf_addz(&sql, ", ");
    print_differs(plan, &sql);
    buf_addz(&sql, " AS differs");
    if (plan->update_when) {
        print_pair(plan, &sql);
    } else {
        buf_addz(&sql, ", ");
        print_newer(plan, &sql);
        buf_addz(&sql, " AS newer");
    }
    buf_addz(&sql, " FROM ");
    merge_incoming_sql(m->load, &sql);
    buf_addz(&sql, " i JOIN ");
    enum assay_code rc = delta_scan_sql(m->snapshot, m->candidates, m->candidate_count, true, m->load->arena, &sql, err);
    if (rc == ASSAY_OK) {
        buf_addz(&sql, " t ON ");
        print_key_match(plan, "i", "t", &sql);
        buf_addz(&sql, "))");
        rc = engine_run(m->load->in->engine, buf_str(&sql), err);
    }
    buf_free(&sql);
    return rc;
}

/** A key that silver holds more than once would be updated in several places. */
static enum assay_code refuse_repeated(const struct merge *m, int64_t keys, int64_t rows, struct assay_error *err) {
    struct str where = str_printf(m->load->arena, "%.*s version %lld", STR_ARG(m->load->in->plan->table), (long long)m->snapshot->version);
    return error_set(err, ASSAY_REFUSED, where.ptr,
                     "%lld keys of the batch meet %lld rows of the table, where the grain allows one row per key; silver is unchanged\n"
                     "next: find and mend the keys that the table holds more than once",
                     (long long)keys, (long long)rows);
}

static enum assay_code count_met(struct merge *m, struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    struct engine_result r = {0};
    struct buf sql = {0};
    buf_addz(&sql, "SELECT count(*) FILTER (is_updated), count(*) FILTER (is_unchanged), count(*), "
                   "(SELECT count(*) FROM (SELECT DISTINCT ");
    for (size_t k = 0; k < plan->key_count; k++) {
        buf_addz(&sql, k ? ", " : "");
        engine_sql_name(&sql, key_name(plan, k));
    }
    buf_addz(&sql, " FROM " MET_TABLE ")) FROM " MET_TABLE);
    enum assay_code rc = engine_query(m->load->in->engine, buf_str(&sql), 1, m->load->arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    int64_t met = engine_cell_int(engine_cell_at(&r, 0, 2), 0), keys = engine_cell_int(engine_cell_at(&r, 0, 3), 0);
    if (met != keys) return refuse_repeated(m, keys, met, err);
    m->updated = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    m->unchanged = engine_cell_int(engine_cell_at(&r, 0, 1), 0);
    m->older = met - m->updated - m->unchanged;
    m->inserted = m->load->incoming.row_count - met;
    return ASSAY_OK;
}

/** Indexes of the files in which a row is updated. */
static enum assay_code find_touched(const struct merge *m, size_t **out, size_t *count, struct assay_error *err) {
    struct engine_result r = {0};
    TRY(engine_query(m->load->in->engine, STR("SELECT DISTINCT f FROM " MET_TABLE " WHERE is_updated ORDER BY f"),
                     m->snapshot->file_count, m->load->arena, &r, err));
    *out = ARENA_ARRAY(m->load->arena, r.row_count, size_t);
    *count = r.row_count;
    for (size_t i = 0; i < r.row_count; i++) (*out)[i] = (size_t)engine_cell_int(engine_cell_at(&r, i, 0), 0);
    return ASSAY_OK;
}

static bool is_written_column(const struct plan *plan, struct str name) {
    for (size_t i = 0; i < plan->column_count; i++)
        if (str_eq_nocase(plan->columns[i].name, name)) return true;
    return str_eq(name, STR(LINEAGE_SOURCE_FILE)) || str_eq(name, STR(LINEAGE_BATCH_ID)) || str_eq(name, STR(LINEAGE_LOADED_AT));
}

/** The touched files' rows with the updates put in. */
static enum assay_code print_rewritten(const struct merge *m, const size_t *touched, size_t count, struct buf *sql,
                                       struct assay_error *err) {
    const struct plan *plan = m->load->in->plan;
    const struct delta_schema *schema = &m->snapshot->metadata.schema;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < schema->count; i++) {
        struct buf name = {0};
        engine_sql_name(&name, schema->fields[i].name);
        buf_addz(sql, i ? ", " : "");
        if (is_written_column(plan, schema->fields[i].name))
            buf_printf(sql, "CASE WHEN i.\"_new\" THEN i.%s ELSE t.%s END AS %s", name.data, name.data, name.data);
        else
            buf_printf(sql, "t.%s", name.data);
        buf_free(&name);
    }
    buf_addz(sql, " FROM ");
    TRY(delta_scan_sql(m->snapshot, touched, count, false, m->load->arena, sql, err));
    buf_addz(sql, " t LEFT JOIN (SELECT *, true AS \"_new\" FROM ");
    merge_incoming_sql(m->load, sql);
    buf_addz(sql, " n SEMI JOIN (SELECT * FROM " MET_TABLE " WHERE is_updated) u ON ");
    print_key_match(plan, "n", "u", sql);
    buf_addz(sql, ") i ON ");
    print_key_match(plan, "i", "t", sql);
    return ASSAY_OK;
}

static void print_inserted(const struct merge *m, struct buf *sql) {
    buf_addz(sql, "SELECT n.* FROM ");
    merge_incoming_sql(m->load, sql);
    if (m->inserted == m->load->incoming.row_count) {
        buf_addz(sql, " n");
        return;
    }
    buf_addz(sql, " n ANTI JOIN " MET_TABLE " u ON ");
    print_key_match(m->load->in->plan, "n", "u", sql);
}

/** Rows of this batch in the table that the batch, as it is now, does not deliver any more. */
static enum assay_code count_left_behind(struct merge *m, struct assay_error *err) {
    const struct silver_load *load = m->load;
    const struct plan *plan = load->in->plan;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), load->in->batch_id, load->in->batch_id};
    size_t *files, count;
    TRY(delta_prune(m->snapshot, &range, 1, load->arena, &files, &count, err));
    if (count == 0) return ASSAY_OK;
    struct engine_result r = {0};
    struct buf sql = {0};
    buf_addz(&sql, "SELECT count(*) FROM ");
    enum assay_code rc = delta_scan_sql(m->snapshot, files, count, false, load->arena, &sql, err);
    if (rc) goto done;
    buf_addz(&sql, " t WHERE t.\"_batch_id\" = ");
    engine_sql_text(&sql, load->in->batch_id);
    if (load->incoming.count) {
        buf_addz(&sql, " AND NOT EXISTS (SELECT 1 FROM ");
        merge_incoming_sql(load, &sql);
        buf_addz(&sql, " i WHERE ");
        print_key_match(plan, "i", "t", &sql);
        buf_addz(&sql, " AND NOT ");
        print_differs(plan, &sql);
        buf_addc(&sql, ')');
    }
    if (m->updated) { /* these rows are no longer there after the merge */
        buf_addz(&sql, " AND NOT EXISTS (SELECT 1 FROM " MET_TABLE " u WHERE u.is_updated AND ");
        print_key_match(plan, "u", "t", &sql);
        buf_addc(&sql, ')');
    }
    rc = engine_query(load->in->engine, buf_str(&sql), 1, load->arena, &r, err);
    if (rc == ASSAY_OK) load->out->left_behind = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
done:
    buf_free(&sql);
    return rc;
}

static struct str print_metric(struct arena *arena, int64_t value) { return str_printf(arena, "%lld", (long long)value); }

static enum assay_code commit(struct merge *m, const struct engine_files *adds, const size_t *removes, size_t remove_count,
                              const struct delta_metadata *metadata, struct assay_error *err) {
    const struct silver_input *in = m->load->in;
    struct arena *arena = m->load->arena;
    struct buf predicate = {0};
    print_key_match(in->plan, "target", "source", &predicate);
    struct delta_property metrics[] = {
        {STR("numSourceRows"), print_metric(arena, m->load->incoming.row_count)},
        {STR("numTargetRowsInserted"), print_metric(arena, m->inserted)},
        {STR("numTargetRowsUpdated"), print_metric(arena, m->updated)},
        {STR("numTargetFilesAdded"), print_metric(arena, (int64_t)adds->count)},
        {STR("numTargetFilesRemoved"), print_metric(arena, (int64_t)remove_count)},
        {STR("numOutputRows"), print_metric(arena, adds->row_count)},
    };
    struct buf parameters = {0};
    struct json_writer w = {.out = &parameters};
    json_begin_object(&w);
    json_key(&w, "predicate");
    struct buf list = {0};
    struct json_writer inner = {.out = &list};
    json_begin_array(&inner);
    json_put_str(&inner, buf_str(&predicate));
    json_end_array(&inner);
    json_put_str(&w, buf_str(&list));
    json_end_object(&w);
    struct delta_commit c = {
        .base = m->snapshot,
        .metadata = metadata,
        .adds = adds->files,
        .add_count = adds->count,
        .removes = removes,
        .remove_count = remove_count,
        .scope = m->snapshot ? DELTA_READ_RANGES : DELTA_READ_NOTHING,
        .ranges = m->ranges,
        .range_count = m->range_count,
        .operation = "MERGE",
        .parameters = buf_str(&parameters),
        .metrics = metrics,
        .metric_count = sizeof metrics / sizeof metrics[0],
        .user_metadata = in->user_metadata,
    };
    enum assay_code rc = delta_commit(in->store, in->engine, m->root, &c, &m->load->out->version, err);
    buf_free(&predicate);
    buf_free(&parameters);
    buf_free(&list);
    return rc;
}

/** Write what changes and commit it. */
static enum assay_code apply(struct merge *m, const struct delta_metadata *metadata, struct assay_error *err) {
    struct silver_load *load = m->load;
    size_t *touched = NULL, touched_count = 0;
    struct engine_files files = {0};
    if (m->updated == 0 && m->inserted == load->incoming.row_count)
        return commit(m, &load->incoming, NULL, 0, m->snapshot ? m->changed : metadata, err); /* nothing meets: the files are as they shall be */
    struct buf sql = {0};
    enum assay_code rc = ASSAY_OK;
    if (m->updated) {
        if ((rc = find_touched(m, &touched, &touched_count, err))) goto done;
        if ((rc = print_rewritten(m, touched, touched_count, &sql, err))) goto done;
    }
    if (m->updated && m->inserted) buf_addz(&sql, " UNION ALL BY NAME ");
    if (m->inserted) print_inserted(m, &sql);
    if (sql.len) {
        rc = delta_write_files(load->in->engine, load->in->staging, metadata, buf_str(&sql), &(struct engine_write_options){0},
                               load->arena, &files, err);
        if (rc) goto done;
    }
    rc = commit(m, &files, touched, touched_count, m->changed, err);
done:
    buf_free(&sql);
    return rc;
}

static enum assay_code load_target(struct merge *m, struct assay_error *err) {
    const struct silver_input *in = m->load->in;
    TRY(plan_table_root(in->plan->table, m->load->arena, &m->root, err));
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, m->root, DELTA_LATEST, m->load->arena, &m->snapshot, err);
    if (rc == ASSAY_NOT_FOUND) {
        m->snapshot = NULL;
        m->load->out->version_before = -1;
        return ASSAY_OK;
    }
    if (rc) return rc;
    m->load->out->version_before = m->snapshot->version;
    TRY(delta_writable(m->snapshot, err));
    return table_fit(m->load, m->snapshot, &m->changed, err);
}

static enum assay_code judge(struct merge *m, struct assay_error *err) {
    struct silver_load *load = m->load;
    m->inserted = load->incoming.row_count;
    if (load->incoming.count) TRY(find_ranges(m, err));
    if (m->snapshot && load->incoming.count)
        TRY(delta_prune(m->snapshot, m->ranges, m->range_count, load->arena, &m->candidates, &m->candidate_count, err));
    if (m->candidate_count) {
        TRY(meet(m, err));
        TRY(count_met(m, err));
    }
    load->out->left_behind = 0;
    if (m->snapshot && !load->in->bronze->is_first) TRY(count_left_behind(m, err));
    return ASSAY_OK;
}

static enum assay_code merge_once(struct silver_load *load, struct assay_error *err) {
    struct merge m = {.load = load};
    TRY(load_target(&m, err));
    const struct delta_metadata *metadata = m.changed     ? m.changed
                                            : m.snapshot ? &m.snapshot->metadata
                                                         : table_metadata(load->in->plan, load->arena);
    TRY(grain_write(load, metadata, err));
    TRY(judge(&m, err));
    TRY(apply(&m, metadata, err));
    struct silver_result *out = load->out;
    out->inserted = m.inserted;
    out->updated = m.updated;
    out->unchanged = m.unchanged;
    out->accepted = m.inserted + m.updated + m.unchanged;
    out->superseded += m.older;
    out->is_written = m.inserted + m.updated > 0;
    return ASSAY_OK;
}

enum assay_code merge_run(struct silver_load *load, struct assay_error *err) {
    enum assay_code rc = ASSAY_CONFLICT;
    for (int i = 0; i < LIMIT_COMMIT_RETRIES && rc == ASSAY_CONFLICT; i++) rc = merge_once(load, err);
    return rc;
}
