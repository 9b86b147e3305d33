/**
 * Grain: one row per key. Keys that occur more than once are found first (by hash, over the keys alone), and only their rows are ordered; all others
 * go straight to the file.
 *
 * 1. REPEATED_TABLE is a superset: it may name a key that occurs once (a hash that collides, a rejected twin), never miss one.
 * 2. The order is total: contract columns, nulls last, then file name and line, the later one first.
 * 3. Rejected rows do not compete.
 */
#include "silver/silver_int.h"

enum assay_code grain_find_repeated(struct silver_load *load, struct assay_error *err) {
    struct buf sql = {0};
    int64_t found = 0;
    buf_addz(&sql, "SELECT ");
    checked_key_hash(load->in->plan, &sql);
    buf_addz(&sql, " FROM ");
    checked_keys_sql(load, &sql);
    enum assay_code rc = engine_find_repeated(load->in->engine, buf_str(&sql), load->in->bronze->row_count, &found, err);
    buf_free(&sql);
    load->has_repeated = found > 0;
    return rc;
}

/** The columns of silver, by name. */
static void print_columns(const struct plan *plan, struct buf *sql) {
    for (size_t i = 0; i < plan->column_count; i++) {
        engine_sql_name(sql, plan->columns[i].name);
        buf_addz(sql, ", ");
    }
    buf_addz(sql, "\"_source_file\", \"_batch_id\", \"_loaded_at\"");
}

/** Text compared by its bytes, as everywhere; the engine's order of VARCHAR is that. */
static void print_order(const struct plan *plan, struct buf *sql) {
    for (size_t i = 0; i < plan->order_count; i++) {
        if (i) buf_addz(sql, ", ");
        engine_sql_name(sql, plan->order[i].column);
        buf_addz(sql, plan->order[i].is_ascending ? " ASC NULLS LAST" : " DESC NULLS LAST");
    }
}

static void print_winners(const struct plan *plan, struct buf *sql) {
    buf_addz(sql, " UNION ALL BY NAME SELECT ");
    print_columns(plan, sql);
    buf_addz(sql, " FROM (SELECT *, row_number() OVER (PARTITION BY ");
    for (size_t k = 0; k < plan->key_count; k++) {
        if (k) buf_addz(sql, ", ");
        engine_sql_name(sql, plan->columns[plan->keys[k]].name);
    }
    buf_addz(sql, " ORDER BY ");
    print_order(plan, sql);
    buf_addz(sql, ") AS \"_rank\" FROM " VERDICT_TABLE " WHERE \"_repeated\" AND NOT \"_rejected\") WHERE \"_rank\" = 1");
}

enum assay_code grain_write(struct silver_load *load, const struct delta_metadata *metadata, struct assay_error *err) {
    const struct plan *plan = load->in->plan;
    struct buf sql = {0};
    buf_addz(&sql, "SELECT ");
    print_columns(plan, &sql);
    buf_addz(&sql, " FROM ");
    checked_sql(load, load->has_repeated, &sql);
    buf_addz(&sql, load->has_repeated ? " WHERE NOT \"_rejected\" AND NOT \"_repeated\"" : " WHERE NOT \"_rejected\"");
    if (load->has_repeated) print_winners(plan, &sql);
    enum assay_code rc = delta_write_files(load->in->engine, load->in->staging, metadata, buf_str(&sql),
                                           &(struct engine_write_options){0}, load->arena, &load->incoming, err);
    buf_free(&sql);
    return rc;
}
