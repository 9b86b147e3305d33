/**
 * The stages over the batches that are pending, one batch after another.
 *
 * 1. A batch is pending when it was never run for this contract, did not finish, its files or how they are read changed
 * since, a redrive of it was not finished, or it was refused and the contract changed since or the state of a table was
 * the reason, which may have been mended. A batch that is named is always run.
 * 2. Order: landed_at, then id. Order does not matter to the tables (the merge sees to that), only to people.
 * 3. A refused batch is recorded and the others go on. So do they when files lie where no run reads them, which refuses
 * the run at its end. A failure ends the run and leaves no record, so the batch stays
 * pending.
 */
#include "run/run_int.h"

#include "base/hash.h"
#include "base/time.h"

void run_interrupt(struct session *session) {
    session->is_interrupted = 1;
    if (session->engine) engine_interrupt(session->engine);
}

/**
 * Whether files that were read with these settings are read in the same way now. The list of the contract's columns,
 * which stands last, says only what a file must have; but without a header it names the fields.
 */
static bool reads_alike(struct str settings, const struct plan *plan) {
    struct str columns = STR(",\"columns\":[");
    if (plan->source.header == CONTRACT_HEADER_NONE) return str_eq(settings, plan->reader_settings);
    return str_eq(str_sub(settings, 0, str_find(settings, columns)),
                  str_sub(plan->reader_settings, 0, str_find(plan->reader_settings, columns)));
}

bool run_is_pending(const struct plan *plan, const struct landing_batch *batch, const struct run_record *record) {
    if (!record || str_eq(record->status, STR("started"))) return true;
    if (!reads_alike(record->reader_settings, plan)) return true;
    if (!record_has_same_files(record->files, batch)) return true;
    if (!str_eq(record->status, STR("refused"))) return false;
    return record->gate.len == 0 || !str_eq(record->contract_hash, plan->contract_hash);
}

/** Batches to run, unhashed. */
static enum assay_code find_batches(struct session *session, const struct plan *plan, struct arena *arena,
                                    struct landing_zone *zone, struct landing_batch **out, size_t *count,
                                    struct assay_error *err) {
    struct run_record *records;
    size_t record_count;
    TRY(landing_list(session->store, plan, arena, zone, err));
    TRY(records_load(session, plan, arena, &records, &record_count, err));
    *out = ARENA_ARRAY(arena, zone->batch_count, struct landing_batch);
    *count = 0;
    for (size_t i = 0; i < zone->batch_count; i++) {
        const struct landing_batch *batch = &zone->batches[i];
        if (batch->file_count == 0) continue;
        if (run_is_pending(plan, batch, records_find(records, record_count, batch->id))) (*out)[(*count)++] = *batch;
    }
    return ASSAY_OK;
}

/** What was there when the batch was loaded before, for people. */
static void tell_replaced(struct session *session, struct run_result *r, struct arena *arena) {
    struct run_record *records;
    size_t count;
    if (!r->bronze.is_replaced || records_load(session, r->plan, arena, &records, &count, NULL)) return;
    const struct run_record *record = records_find(records, count, r->batch_id);
    if (record) r->changes = record_changes(record->known_files, &r->batch, arena);
}

static enum assay_code run_bronze(struct session *session, struct run_result *r, bool with_files, struct arena *arena) {
    struct bronze_input in = {.store = session->store,
                              .engine = session->engine,
                              .staging = session->staging,
                              .plan = r->plan,
                              .batch = &r->batch,
                              .threads = session->threads};
    double start = time_monotonic_s();
    enum assay_code rc = ASSAY_OK;
    if (with_files) {
        rc = landing_find(session->store, r->plan, r->batch_id, arena, &r->batch, &r->err);
        if (rc) r->gate = rc == ASSAY_NOT_FOUND ? STR("batch_folder") : (struct str){0};
        if (rc == ASSAY_OK) rc = landing_hash(session->store, &r->batch, session->threads, arena, &r->err);
        if (rc) return rc;
        r->has_batch = true;
        rc = bronze_load(&in, arena, &r->bronze, &r->err);
        r->gate = r->bronze.gate;
        if (rc == ASSAY_OK) tell_replaced(session, r, arena);
    } else {
        rc = bronze_look(&in, r->batch_id, arena, &r->bronze, &r->err);
    }
    r->has_bronze = rc == ASSAY_OK;
    r->bronze_s = time_monotonic_s() - start;
    return rc;
}

/** How many of the last good batches a check of the plan looks at; 0: none does. */
static int64_t history_wanted(const struct plan *plan) {
    int64_t most = 0;
    for (size_t k = 0; k < plan->check_count; k++)
        if (plan->checks[k].batch_count > most) most = plan->checks[k].batch_count;
    return most;
}

/** Note what is to be judged again, in the table and in the record of the batch, before anything changes. */
static enum assay_code begin_redrive(struct session *session, const struct silver_input *in, struct run_result *r,
                                     struct arena *arena) {
    struct run_record *records;
    size_t count;
    if (r->bronze.row_count == 0)
        return error_set(&r->err, ASSAY_NOT_FOUND, r->plan->bronze_table.ptr,
                         "it holds no row of batch %.*s, whose rejected rows are to be judged again; nothing was "
                         "written\nnext: assay run %.*s --batch %.*s",
                         STR_ARG(r->batch_id), STR_ARG(r->plan->table), STR_ARG(r->batch_id));
    TRY(records_load(session, r->plan, arena, &records, &count, &r->err));
    const struct run_record *record = records_find(records, count, r->batch_id);
    if (record) r->kept_files = record->files, r->kept_settings = record->reader_settings;
    TRY(silver_redrive_begin(in, arena, &r->err));
    r->is_started = true;
    r->ended_us = time_now_us();
    enum assay_code rc = records_add(session, r, arena, &r->err);
    r->is_started = false;
    r->ended_us = 0;
    return rc;
}

static enum assay_code run_silver(struct session *session, struct run_result *r, bool is_redrive, struct arena *arena) {
    int64_t *history = NULL, most = history_wanted(r->plan);
    size_t history_count = 0;
    if (most) TRY(records_history(session, r->plan, r->batch_id, most, arena, &history, &history_count, &r->err));
    struct silver_input in = {.store = session->store,
                              .engine = session->engine,
                              .staging = session->staging,
                              .plan = r->plan,
                              .batch_id = r->batch_id,
                              .bronze = &r->bronze,
                              .history = history,
                              .history_count = history_count,
                              .is_let_through = r->accepted_because.len > 0,
                              .user_metadata = run_user_metadata(r, arena)};
    double start = time_monotonic_s();
    if (is_redrive) TRY(begin_redrive(session, &in, r, arena));
    enum assay_code rc = silver_load(&in, arena, &r->silver, &r->err);
    r->has_silver = rc == ASSAY_OK || rc == ASSAY_REFUSED;
    r->gate = r->silver.gate;
    r->silver_s = time_monotonic_s() - start;
    return rc;
}

static enum assay_code run_stages(struct session *session, const struct run_options *options, struct run_result *r,
                                  struct arena *arena) {
    TRY(run_bronze(session, r, (options->stages & RUN_BRONZE) != 0, arena));
    if (options->stages & RUN_SILVER) TRY(run_silver(session, r, options->is_redrive, arena));
    return ASSAY_OK;
}

/** Say what an interrupted batch left behind; each commit is whole or absent. */
static void tell_interrupted(struct run_result *r) {
    const struct plan *p = r->plan;
    if (r->silver.is_written)
        error_set(&r->err, r->code, p->table.ptr,
                  "stopped by a signal after the commit to %.*s; all rows are there\n"
                  "next: assay run %.*s --batch %.*s writes the record of the run",
                  STR_ARG(p->table), STR_ARG(p->table), STR_ARG(r->batch_id));
    else
        error_set(&r->err, r->code, p->table.ptr,
                  "stopped by a signal before the commit to %.*s, which is as it was\n"
                  "next: assay run %.*s --batch %.*s",
                  STR_ARG(r->has_bronze ? p->table : p->bronze_table), STR_ARG(p->table), STR_ARG(r->batch_id));
}

/** The record could not be written: worse than what the batch came to, and told beside it. */
static void tell_unrecorded(struct run_result *r, enum assay_code code, const struct assay_error *record) {
    struct assay_error was = r->err;
    bool is_refused = r->code == ASSAY_REFUSED;
    r->code = error_set(
        &r->err, code, record->where,
        "%s%s%s%s\nthe tables are written, the record in assay.runs is not; running the batch again is safe",
        is_refused ? was.message : "", is_refused ? "\n" : "", is_refused ? "and then: " : "", record->message);
}

/** Run one batch and record it. */
static enum assay_code run_batch(struct session *session, const struct plan *plan, struct str batch_id,
                                 const struct run_options *options, struct assay_error *err) {
    struct arena arena = {0};
    struct run_result r = {
        .plan = plan, .batch_id = batch_id, .run_id = hash_uuid(&arena), .started_us = time_now_us()};
    r.accepted_because = options->accepted_because;
    if (options->report) options->report(options->context, &r);
    r.code = plan_batch_check(batch_id, &r.err);
    if (r.code) r.gate = STR("batch_id");
    if (r.code == ASSAY_OK) r.code = run_stages(session, options, &r, &arena);
    if (r.code == ASSAY_OK) r.err = (struct assay_error){0}; /* what was asked and answered with no on the way */
    r.ended_us = time_now_us();
    /* Without a record a batch is pending, which is right after a failure, and for a run of bronze alone. */
    bool is_recorded = (options->stages & RUN_SILVER) && (r.code == ASSAY_OK || r.code == ASSAY_REFUSED);
    if (is_recorded) {
        struct assay_error record_err = {0};
        enum assay_code rc = ASSAY_OK;
        if (r.has_silver && r.silver.was_counted) rc = rule_results_add(session, &r, &arena, &record_err);
        if (rc == ASSAY_OK) rc = records_add(session, &r, &arena, &record_err);
        if (rc) tell_unrecorded(&r, rc, &record_err);
    }
    if (r.code == ASSAY_INTERRUPTED) tell_interrupted(&r);
    if (options->report) options->report(options->context, &r);
    enum assay_code code = r.code;
    if (code && err) *err = r.err;
    arena_reset(&arena);
    return code;
}

/** Batches to redrive: those with rejected rows, and those whose redrive began and has no record of its end; of them
 * only the named one, if one is. */
static enum assay_code find_rejected(struct session *session, const struct plan *plan, struct str named,
                                     struct arena *arena, struct landing_batch **out, size_t *count,
                                     struct assay_error *err) {
    struct str *ids;
    struct run_record *records;
    size_t id_count, record_count;
    TRY(silver_redrive_batches(session->store, session->engine, plan, arena, &ids, &id_count, err));
    TRY(records_load(session, plan, arena, &records, &record_count, err));
    *out = ARENA_ARRAY(arena, id_count + record_count, struct landing_batch);
    *count = 0;
    for (size_t i = 0; i < id_count + record_count; i++) {
        bool is_record = i >= id_count;
        struct str id = is_record ? records[i - id_count].batch_id : ids[i];
        bool is_out = is_record && !str_eq(records[i - id_count].status, STR("started"));
        for (size_t k = 0; k < *count && is_record; k++) is_out = is_out || str_eq((*out)[k].id, id);
        if (!is_out && (named.len == 0 || str_eq(named, id))) (*out)[(*count)++].id = id;
    }
    return ASSAY_OK;
}

/** Files that no run reads are told of like a refused batch, after the others. */
static void judge_zone(struct session *session, const struct plan *plan, const struct landing_zone *zone,
                       const struct run_options *options, bool *is_refused) {
    struct run_result r = {.plan = plan, .gate = STR("landing"), .started_us = time_now_us()};
    r.code = landing_judge(session->store, plan, zone, &r.err);
    r.ended_us = r.started_us;
    if (r.code == ASSAY_OK) return;
    *is_refused = true;
    if (options->report) options->report(options->context, &r);
}

static enum assay_code run_plan(struct session *session, const struct plan *plan, const struct run_options *options,
                                size_t *ran, bool *is_refused, struct assay_error *err) {
    struct arena arena = {0};
    struct landing_zone zone = {0};
    struct landing_batch named = {.id = options->batch_id}, *batches = &named;
    size_t count = 1;
    enum assay_code rc = ASSAY_OK;
    if (options->is_redrive)
        rc = find_rejected(session, plan, options->batch_id, &arena, &batches, &count, err);
    else if (options->batch_id.len == 0)
        rc = find_batches(session, plan, &arena, &zone, &batches, &count, err);
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) {
        if (session->is_interrupted) {
            rc = error_set(err, ASSAY_INTERRUPTED, plan->table.ptr, "stopped between two batches; %zu of %zu are done",
                           i, count);
            break;
        }
        rc = run_batch(session, plan, batches[i].id, options, err);
        ++*ran;
        if (rc == ASSAY_REFUSED) {
            *is_refused = true;
            rc = ASSAY_OK;
        }
    }
    if (rc == ASSAY_OK && !options->is_redrive) judge_zone(session, plan, &zone, options, is_refused);
    arena_reset(&arena);
    return rc;
}

enum assay_code run_plans(struct session *session, struct plan **plans, size_t plan_count,
                          const struct run_options *options, size_t *batch_count, struct assay_error *err) {
    bool is_refused = false;
    *batch_count = 0;
    for (size_t i = 0; i < plan_count; i++) TRY(run_plan(session, plans[i], options, batch_count, &is_refused, err));
    return is_refused ? ASSAY_REFUSED : ASSAY_OK;
}
