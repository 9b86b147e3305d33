/**
 * A batch into bronze: headers, then is it the same as before, then one commit.
 *
 * 1. No row lands before every file's header was seen to be right.
 * 2. The batch is unchanged when the table's txn of this batch has the fingerprint of files and settings, and the
 * batch's rows carry the load time that was recorded with it. Then nothing is written.
 * 3. Else the batch's rows are replaced in one commit, together with the new fingerprint and load time.
 * 4. A load time is later than any the batch had before.
 */
#include "bronze/reading.h"
#include "bronze/table.h"

#include "base/time.h"

struct load {
    const struct bronze_input *in;
    struct arena *arena;
    struct bronze_file *files;
    struct reading reading; /* zeroed when the batch is only looked at */
    struct str root, app_id;
    struct delta_snapshot *snapshot; /* NULL: no table yet */
    struct bronze_batch_state before;
    struct bronze_result *out;
};

/** Paths and sizes of the batch's files, looked up in the store. UNAVAILABLE: a file is not what landing listed. */
static enum assay_code find_files(const struct bronze_input *input, struct arena *arena, struct bronze_file **out,
                                  struct assay_error *err) {
    const struct landing_batch *batch = input->batch;
    *out = ARENA_ARRAY(arena, batch->file_count, struct bronze_file);
    for (size_t i = 0; i < batch->file_count; i++) {
        const struct landing_file *f = &batch->files[i];
        struct store_entry entry;
        struct str path;
        TRY(store_stat(input->store, f->key, &entry, err));
        if (entry.size_bytes != f->size_bytes || entry.modified_us != f->modified_us)
            return error_set(err, ASSAY_UNAVAILABLE, str_c(arena, f->key),
                             "the file changed while the batch was being read; nothing was loaded\nnext: run again "
                             "when the delivery is complete");
        TRY(store_local_path(input->store, f->key, arena, &path, err));
        (*out)[i] = (struct bronze_file){.key = str_copy(arena, f->key),
                                         .path = str_c(arena, path),
                                         .size_bytes = f->size_bytes,
                                         .modified_us = f->modified_us};
    }
    return ASSAY_OK;
}

static enum assay_code load_table(struct load *l, struct str batch_id, struct assay_error *err) {
    const struct bronze_input *in = l->in;
    TRY(plan_table_root(in->plan->bronze_table, l->arena, &l->root, err));
    l->app_id = str_printf(l->arena, "assay:bronze:%.*s", STR_ARG(batch_id));
    enum assay_code rc = delta_snapshot_load(in->store, in->engine, l->root, DELTA_LATEST, l->arena, &l->snapshot, err);
    if (rc == ASSAY_NOT_FOUND) {
        l->snapshot = NULL;
        l->before = (struct bronze_batch_state){0};
        if (l->reading.in) reading_fit(&l->reading, NULL);
        return ASSAY_OK;
    }
    if (rc) return rc;
    if (l->reading.in) {
        reading_fit(&l->reading, l->snapshot);
        TRY(bronze_match_fields(l->snapshot, &l->reading.columns, err));
    }
    return bronze_count_batch(in->engine, l->snapshot, batch_id, l->arena, &l->before, err);
}

static const struct delta_txn *find_txn(const struct load *l) {
    return l->snapshot ? delta_txn_find(l->snapshot, l->app_id) : NULL;
}

/** Invariant 2. */
static bool is_unchanged(const struct load *l) {
    const struct delta_txn *txn = find_txn(l);
    if (!txn || txn->version != fingerprint_number(l->out->fingerprint)) return false;
    int64_t loaded_at_us = txn->last_updated_ms * 1000;
    return l->before.row_count == 0 ||
           (l->before.loaded_at_min_us == loaded_at_us && l->before.loaded_at_max_us == loaded_at_us);
}

static void tell_state(struct load *l) {
    const struct delta_txn *txn = find_txn(l);
    struct bronze_result *out = l->out;
    out->version = l->snapshot ? l->snapshot->version : -1;
    out->row_count = l->before.row_count;
    out->corrupt_count = l->before.corrupt_count;
    out->loaded_at_us = l->before.row_count ? l->before.loaded_at_max_us : txn ? txn->last_updated_ms * 1000 : 0;
    out->is_first = !txn && l->before.row_count == 0;
}

/** The files must be what they were when they were hashed. */
static enum assay_code check_files_again(const struct load *l, struct assay_error *err) {
    struct bronze_file *again;
    return find_files(l->in, l->arena, &again, err);
}

static enum assay_code commit_rows(struct load *l, const struct delta_metadata *metadata, bool is_changed,
                                   const struct delta_new_files *files, struct assay_error *err) {
    const struct bronze_input *in = l->in;
    struct delta_txn txn = {l->app_id, fingerprint_number(l->out->fingerprint), l->out->loaded_at_us / 1000};
    struct delta_commit commit = {
        .metadata = is_changed ? metadata : NULL,
        .adds = files->files,
        .add_count = files->count,
        .txns = &txn,
        .txn_count = 1,
        .operation = "WRITE",
        .parameters = str_printf(l->arena, "{\"mode\":\"Overwrite\",\"predicate\":\"_batch_id = '%.*s'\"}",
                                 STR_ARG(in->batch->id)),
    };
    commit.base = l->snapshot;
    if (!l->snapshot || !bronze_has_fields(l->snapshot))
        return delta_commit(in->store, in->engine, l->root, &commit, &l->out->version, err);
    struct delta_range equal = {STR(LINEAGE_BATCH_ID), in->batch->id, in->batch->id};
    return delta_replace_where(in->engine, in->staging, l->snapshot, &commit, equal, l->arena, &l->out->version, err);
}

/** One try to replace the batch's rows. CONFLICT: another writer came between. */
static enum assay_code replace_once(void *context, struct assay_error *err) {
    struct load *l = context;
    struct reading *reading = &l->reading;
    TRY(load_table(l, l->in->batch->id, err));
    tell_state(l);
    if (is_unchanged(l)) return ASSAY_OK;
    if (l->snapshot) TRY(delta_writable(l->snapshot, err));
    int64_t now_us = time_now_us() / 1000 * 1000, last_us = l->out->loaded_at_us;
    l->out->is_replaced = !l->out->is_first;
    l->out->loaded_at_us = now_us > last_us ? now_us : last_us + 1000;
    bool with_bytes =
        l->snapshot && delta_field_find(&l->snapshot->metadata.schema, STR(BRONZE_CORRUPT_BYTES)) != SIZE_MAX;
    struct delta_new_files files;
    struct bronze_findings findings;
    for (bool is_whole = false;;) { /* again for the first bytes that are not UTF-8, and for new keys of JSON */
        struct delta_metadata *metadata = l->snapshot ? delta_metadata_copy(&l->snapshot->metadata, l->arena)
                                                      : ARENA_NEW(l->arena, struct delta_metadata);
        bool is_changed = bronze_complete_metadata(metadata, l->in->plan, &reading->columns, with_bytes, l->arena);
        TRY(reading_write(reading, metadata, l->out->loaded_at_us, with_bytes, &files, &findings, &is_whole, err));
        if (!is_whole && l->snapshot) TRY(bronze_match_fields(l->snapshot, &reading->columns, err));
        if (!is_whole || (findings.has_bad_bytes && !with_bytes)) {
            with_bytes |= findings.has_bad_bytes;
            continue;
        }
        TRY(check_files_again(l, err));
        TRY(commit_rows(l, metadata, is_changed, &files, err));
        break;
    }
    l->out->row_count = findings.row_count;
    l->out->corrupt_count = findings.corrupt_count;
    l->out->header_rows = findings.header_rows;
    l->out->has_quoted_break_hint = findings.half_quotes >= 2;
    l->out->is_written = true;
    return ASSAY_OK;
}

enum assay_code bronze_load(const struct bronze_input *input, struct arena *arena, struct bronze_result *out,
                            struct assay_error *err) {
    struct load l = {.in = input, .arena = arena, .out = out};
    *out = (struct bronze_result){.version = -1, .fingerprint = fingerprint_of(input->batch, input->plan, arena)};
    for (size_t i = 0; i < input->batch->file_count; i++) out->bytes += input->batch->files[i].size_bytes;
    TRY(find_files(input, arena, &l.files, err));
    enum assay_code rc = reading_open(&l.reading, input, l.files, arena, err);
    if (rc == ASSAY_REFUSED) out->gate = STR("header");
    if (rc) return rc;
    rc = delta_redo(replace_once, &l, err);
    if (rc == ASSAY_REFUSED && l.reading.is_refused) out->gate = STR("file");
    return rc;
}

enum assay_code bronze_look(const struct bronze_input *input, struct str batch_id, struct arena *arena,
                            struct bronze_result *out, struct assay_error *err) {
    struct load l = {.in = input, .arena = arena, .out = out};
    *out = (struct bronze_result){.version = -1};
    TRY(load_table(&l, batch_id, err));
    tell_state(&l);
    if (l.snapshot) return ASSAY_OK;
    return error_set(err, ASSAY_NOT_FOUND, str_c(arena, l.root),
                     "there is no bronze table yet\nnext: assay run %.*s --batch %.*s", STR_ARG(input->plan->table),
                     STR_ARG(batch_id));
}
