/**
 * Grain: one row per key. Keys that occur more than once are found first, by hash over the keys alone, and only their
 * rows are ordered; all others go straight to the file. A small batch is ordered whole, from VERDICT_TABLE.
 *
 * 1. "=repeated" is a superset: it may name a key that occurs once (a hash that collides, a rejected twin), never miss
 * one.
 * 2. The order is total: contract columns, nulls last, then file name and line, the later one first.
 * 3. Rejected rows do not compete.
 * 4. Keys are equal as Spark groups them: NaN equals NaN, 0.0 equals -0.0; the engine's hash, partitions and joins
 * agree.
 */
#include "silver/silver_int.h"

enum assay_code grain_find_repeated(struct silver_load *load, struct assay_error *err) {
    if (load->keeps_all) return ASSAY_OK;
    struct buf sql = {0};
    int64_t found = 0;
    checked_hashes_sql(load, &sql);
    enum assay_code rc =
        engine_find_repeated(load->in->engine, buf_str(&sql), load->in->bronze->row_count, &found, err);
    buf_free(&sql);
    load->has_repeated = found > 0;
    return rc;
}

void grain_columns(const struct plan *plan, const char *prefix, struct buf *sql) {
    static const char *const lineage[] = {LINEAGE_SOURCE_FILE, LINEAGE_BATCH_ID, LINEAGE_LOADED_AT};
    for (size_t i = 0; i < plan->column_count + 3; i++) {
        buf_addz(sql, i ? ", " : "");
        buf_addz(sql, prefix);
        engine_sql_name(sql, i < plan->column_count ? plan->columns[i].name : str_of(lineage[i - plan->column_count]));
    }
}

/** Text compared by its bytes, as everywhere; the engine's order of VARCHAR is that. */
static void print_order(const struct plan *plan, struct buf *sql) {
    for (size_t i = 0; i < plan->order_count; i++) {
        if (i) buf_addz(sql, ", ");
        engine_sql_name(sql, plan->order[i].column);
        buf_addz(sql, plan->order[i].is_ascending ? " ASC NULLS LAST" : " DESC NULLS LAST");
    }
}

/** Of the accepted rows in VERDICT_TABLE the first of each key. */
static void print_winners(const struct silver_load *load, struct buf *sql) {
    const struct plan *plan = load->in->plan;
    buf_addz(sql, "SELECT ");
    grain_columns(plan, "", sql);
    buf_addz(sql, " FROM " VERDICT_TABLE " WHERE \"=repeated\" AND NOT \"=rejected\"");
    if (load->out->superseded == 0) return; /* each is alone */
    buf_addz(sql, " QUALIFY row_number() OVER (PARTITION BY ");
    for (size_t k = 0; k < plan->key_count; k++) {
        if (k) buf_addz(sql, ", ");
        engine_sql_name(sql, plan->columns[plan->keys[k]].name);
    }
    buf_addz(sql, " ORDER BY ");
    print_order(plan, sql);
    buf_addz(sql, ") = 1");
}

void grain_taken_sql(const struct silver_load *load, struct buf *sql) {
    if (!load->keeps_all) {
        buf_addz(sql, "SELECT ");
        grain_columns(load->in->plan, "", sql);
        buf_addz(sql, " FROM ");
        checked_sql(load, sql);
        buf_addz(sql, " WHERE NOT \"=rejected\"");
        if (!load->has_repeated) return;
        buf_addz(sql, " AND NOT \"=repeated\" UNION ALL BY NAME ");
    }
    print_winners(load, sql);
}

enum assay_code grain_take(struct silver_load *load, const struct delta_metadata *metadata, bool as_table,
                           struct assay_error *err) {
    const struct silver_input *in = load->in;
    struct buf sql = {0};
    enum assay_code rc;
    load->incoming = (struct incoming){.is_table = as_table, .metadata = metadata};
    if (as_table) {
        buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE " INCOMING_TABLE
                       " AS SELECT *, row_number() OVER () AS " INCOMING_PLACE " FROM (");
        grain_taken_sql(load, &sql);
        buf_addc(&sql, ')');
        rc = engine_run(in->engine, buf_str(&sql), err);
    } else {
        grain_taken_sql(load, &sql);
        rc = delta_write_files(in->engine, in->staging, metadata, buf_str(&sql), &(struct engine_write_options){0},
                               load->arena, &load->incoming.files, err);
        load->incoming.row_count = load->incoming.files.row_count;
    }
    buf_free(&sql);
    return rc;
}
