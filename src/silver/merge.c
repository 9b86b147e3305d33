/**
 * The conditional MERGE, copy-on-write: one commit that rewrites only the files in which a row changes.
 *
 * 1. A file without an updated row is not touched; a merge that changes nothing makes no commit.
 * 2. When no incoming row meets one of the table, the incoming files themselves go into the table.
 * 3. After a conflict everything is judged again on the new snapshot.
 * 4. accepted = inserted + updated + unchanged; superseded gains the rows that are older.
 * Source: the design, "Merge".
 */
#include "silver/silver_int.h"

#include "base/json.h"

/** One try of the merge. */
struct merge {
    struct silver_load *load;
    struct str root;
    struct delta_snapshot *snapshot;       /* NULL: no table */
    struct delta_metadata *changed;        /* new metadata, or NULL */
    const struct delta_metadata *metadata; /* as it is after the commit */
    struct match match;
    int64_t inserted;
};

/* ---- rows left behind ---- */

/** Rows of the batch in the table, by the statistics where they say it. */
static enum assay_code count_batch_rows(const struct merge *m, int64_t *out, struct assay_error *err) {
    const struct silver_input *in = m->load->in;
    struct arena *arena = m->load->arena;
    const struct delta_snapshot *s = m->snapshot;
    struct delta_range range = {STR(LINEAGE_BATCH_ID), in->batch_id, in->batch_id};
    size_t *files, count, asked = 0;
    *out = 0;
    TRY(delta_prune(s, &range, 1, arena, &files, &count, err));
    for (size_t i = 0; i < count; i++) {
        const struct delta_file *file = &s->files[files[i]];
        if (file->row_count >= 0 && delta_file_is_all(s, files[i], range.column, in->batch_id))
            *out += file->row_count - (file->vector ? file->vector->cardinality : 0);
        else
            files[asked++] = files[i];
    }
    if (asked == 0) return ASSAY_OK;
    struct engine_result r = {0};
    struct buf sql = {0};
    buf_addz(&sql, "SELECT count(*) FROM ");
    enum assay_code rc = delta_scan_sql(s, files, asked, false, arena, &sql, err);
    buf_addz(&sql, " t WHERE t.\"_batch_id\" = ");
    engine_sql_text(&sql, in->batch_id);
    if (rc == ASSAY_OK) rc = engine_query(in->engine, buf_str(&sql), 1, arena, &r, err);
    buf_free(&sql);
    if (rc == ASSAY_OK) *out += engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    return rc;
}

/** Rows of this batch in the table that the batch, as it is now, does not deliver any more. */
static enum assay_code count_left_behind(const struct merge *m, struct assay_error *err) {
    int64_t rows;
    m->load->out->left_behind = 0;
    if (!m->snapshot || m->load->in->bronze->is_first) return ASSAY_OK;
    TRY(count_batch_rows(m, &rows, err));
    m->load->out->left_behind = rows - m->match.delivered;
    return ASSAY_OK;
}

/* ---- the commit ---- */

/** As Spark writes them: {"predicate":"[\"...\"]"}. */
static struct str print_parameters(const struct merge *m) {
    struct buf predicate = {0}, list = {0}, out = {0};
    match_keys_sql(m->load->in->plan, "target", "source", &predicate);
    struct json_writer inner = {.out = &list}, w = {.out = &out};
    json_begin_array(&inner);
    json_put_str(&inner, buf_str(&predicate));
    json_end_array(&inner);
    json_begin_object(&w);
    json_key(&w, "predicate");
    json_put_str(&w, buf_str(&list));
    json_end_object(&w);
    struct str text = str_copy(m->load->arena, buf_str(&out));
    buf_free(&predicate);
    buf_free(&list);
    buf_free(&out);
    return text;
}

static struct str print_metric(struct arena *arena, int64_t value) {
    return str_printf(arena, "%lld", (long long)value);
}

static enum assay_code commit(struct merge *m, const struct delta_new_files *adds,
                              const struct delta_new_files *changes, struct assay_error *err) {
    const struct silver_input *in = m->load->in;
    struct arena *arena = m->load->arena;
    struct delta_property metrics[] = {
        {STR("numSourceRows"), print_metric(arena, m->load->incoming.row_count)},
        {STR("numTargetRowsInserted"), print_metric(arena, m->inserted)},
        {STR("numTargetRowsUpdated"), print_metric(arena, m->match.updated)},
        {STR("numTargetFilesAdded"), print_metric(arena, (int64_t)adds->count)},
        {STR("numTargetFilesRemoved"), print_metric(arena, (int64_t)m->match.touched_count)},
        {STR("numOutputRows"), print_metric(arena, adds->row_count)},
    };
    struct delta_commit c = {
        .base = m->snapshot,
        .metadata = m->snapshot ? m->changed : m->metadata,
        .adds = adds->files,
        .add_count = adds->count,
        .changes = changes->files,
        .change_count = changes->count,
        .removes = m->match.touched,
        .remove_count = m->match.touched_count,
        .scope = m->snapshot ? DELTA_READ_RANGES : DELTA_READ_NOTHING,
        .ranges = m->match.ranges,
        .range_count = m->match.range_count,
        .operation = "MERGE",
        .parameters = print_parameters(m),
        .metrics = metrics,
        .metric_count = sizeof metrics / sizeof metrics[0],
        .user_metadata = in->user_metadata,
    };
    return delta_commit(in->store, in->engine, m->root, &c, &m->load->out->version, err);
}

static enum assay_code write_rows(struct merge *m, struct delta_new_files *out, struct assay_error *err) {
    struct silver_load *load = m->load;
    struct buf sql = {0};
    enum assay_code rc = ASSAY_OK;
    if (m->match.updated) rc = match_kept_sql(&m->match, &sql, err);
    if (m->match.updated) buf_addz(&sql, " UNION ALL BY NAME ");
    if (rc == ASSAY_OK && (m->match.updated || m->inserted)) rc = match_changed_sql(&m->match, &sql, err);
    if (rc == ASSAY_OK && sql.len)
        rc = delta_write_files(load->in->engine, load->in->staging, m->metadata, buf_str(&sql),
                               &(struct engine_write_options){0}, load->arena, out, err);
    buf_free(&sql);
    return rc;
}

/** A merge that only inserts adds files and needs no others for that to be seen. */
static enum assay_code write_changes(struct merge *m, struct delta_new_files *out, struct assay_error *err) {
    struct silver_load *load = m->load;
    struct buf sql = {0};
    if (!m->match.updated || !delta_has_change_feed(m->metadata)) return ASSAY_OK;
    enum assay_code rc = match_changes_sql(&m->match, &sql, err);
    if (rc == ASSAY_OK)
        rc =
            delta_write_changes(load->in->engine, load->in->staging, m->metadata, buf_str(&sql), load->arena, out, err);
    buf_free(&sql);
    return rc;
}

/** Write what changes and commit it. */
static enum assay_code apply(struct merge *m, struct assay_error *err) {
    struct delta_new_files files = {0}, changes = {0};
    if (!m->load->incoming.is_table && m->match.met == 0) return commit(m, &m->load->incoming.files, &changes, err);
    TRY(write_rows(m, &files, err));
    TRY(write_changes(m, &changes, err));
    return commit(m, &files, &changes, err);
}

static enum assay_code load_target(struct merge *m, struct assay_error *err) {
    const struct silver_input *in = m->load->in;
    struct arena *arena = m->load->arena;
    TRY(plan_table_root(in->plan->table, arena, &m->root, err));
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, m->root, DELTA_LATEST, arena, &m->snapshot, err);
    if (rc == ASSAY_NOT_FOUND) {
        m->snapshot = NULL;
        m->load->out->version_before = -1;
        m->metadata = table_metadata(in->plan, arena);
        return ASSAY_OK;
    }
    if (rc) return rc;
    m->load->out->version_before = m->snapshot->version;
    TRY(delta_writable(m->snapshot, err));
    TRY(table_fit(m->load, m->snapshot, &m->changed, err));
    m->metadata = m->changed ? m->changed : &m->snapshot->metadata;
    return ASSAY_OK;
}

static enum assay_code merge_into(struct merge *m, struct assay_error *err) {
    struct silver_load *load = m->load;
    TRY(load_target(m, err));
    m->match = (struct match){.load = load, .snapshot = m->snapshot};
    TRY(grain_take(load, m->metadata, load->keeps_all && m->snapshot, err));
    if (m->snapshot) TRY(match_run(&m->match, err));
    m->inserted = load->incoming.row_count - m->match.met;
    TRY(count_left_behind(m, err));
    return apply(m, err);
}

static enum assay_code merge_once(void *context, struct assay_error *err) {
    struct silver_load *load = context;
    struct merge m = {.load = load};
    enum assay_code rc = merge_into(&m, err);
    if (rc) return m.snapshot ? delta_read_failed(m.snapshot, rc, err) : rc;
    struct silver_result *out = load->out;
    out->inserted = m.inserted;
    out->updated = m.match.updated;
    out->unchanged = m.match.unchanged;
    out->accepted = m.inserted + m.match.updated + m.match.unchanged;
    out->superseded += m.match.older;
    out->is_written = m.inserted + m.match.updated > 0;
    return ASSAY_OK;
}

enum assay_code merge_run(struct silver_load *load, struct assay_error *err) {
    return delta_redo(merge_once, load, err);
}
