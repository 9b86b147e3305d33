/**
 * landing list and landing verify: the batches of a source, their files, and what became of them:
 *
 *     silver.orders  Files/landing/erp/orders
 *       2026-03-01  loaded, 1 file, 2229 bytes, landed 2026-03-01T06:00:00.000Z
 *         delivery.csv  2229 bytes
 *       2026-03-02  CHANGED since it was loaded, 1 file, 400 bytes, landed 2026-03-02T06:00:00.000Z
 *         delivery.csv  400 bytes
 *         delivery.csv: <sha256> -> <sha256>
 */
#include "cli/commands.h"

#include "base/json.h"
#include "base/time.h"

static const char *const state_names[] = {[RUN_BATCH_NEW] = "new",
                                          [RUN_BATCH_LOADED] = "loaded",
                                          [RUN_BATCH_REFUSED] = "refused",
                                          [RUN_BATCH_CHANGED] = "changed",
                                          [RUN_BATCH_GONE] = "missing"};

/* ---- for people ---- */

static void print_state(const struct run_batch *b, struct buf *out) {
    switch (b->state) {
    case RUN_BATCH_CHANGED:
        buf_addz(out,
                 b->is_landed_again ? "changed since it was loaded, by land --replace" : "CHANGED since it was loaded");
        break;
    case RUN_BATCH_GONE:
        buf_addz(out, "MISSING: it was loaded, and its files are gone");
        break;
    case RUN_BATCH_REFUSED:
        buf_addz(out, "refused");
        if (b->gate.len) buf_printf(out, " (%.*s)", STR_ARG(b->gate));
        break;
    default:
        buf_addz(out, state_names[b->state]);
        if (b->state == RUN_BATCH_NEW && b->changes.count) buf_addz(out, ", CHANGED since it was landed");
    }
}

static void print_landed_at(const struct landing_batch *batch, struct buf *out) {
    struct arena arena = {0};
    if (batch->landed_at_us != INT64_MIN)
        buf_printf(out, ", landed %.*s", STR_ARG(time_iso_ms(&arena, batch->landed_at_us)));
    arena_reset(&arena);
}

static int64_t count_bytes(const struct landing_batch *batch) {
    int64_t bytes = 0;
    for (size_t i = 0; i < batch->file_count; i++) bytes += batch->files[i].size_bytes;
    return bytes;
}

static void print_batch(const struct run_batch *b, struct buf *out) {
    const struct landing_batch *batch = &b->landing;
    buf_printf(out, "  %.*s  ", STR_ARG(batch->id));
    print_state(b, out);
    buf_printf(out, ", %zu file%s, %lld bytes", batch->file_count, batch->file_count == 1 ? "" : "s",
               (long long)count_bytes(batch));
    print_landed_at(batch, out);
    buf_addc(out, '\n');
    for (size_t i = 0; i < batch->file_count; i++) {
        buf_addz(out, "    ");
        buf_add_printable(out, batch->files[i].name);
        buf_printf(out, "  %lld bytes\n", (long long)batch->files[i].size_bytes);
    }
    for (size_t i = 0; i < b->changes.count; i++) {
        buf_addz(out, "    ");
        run_print_change(&b->changes.list[i], out);
        buf_addc(out, '\n');
    }
    for (size_t i = 0; i < batch->left_out_count; i++) {
        buf_addz(out, "    not read: ");
        buf_add_printable(out, batch->left_out[i]);
        buf_addc(out, '\n');
    }
    if (b->error.len == 0) return;
    buf_addz(out, "    cannot be read: ");
    buf_add_printable(out, b->error);
    buf_addc(out, '\n');
}

static void print_zone(const struct plan *plan, const struct run_zone *zone, struct str source, struct buf *out) {
    buf_printf(out, "%.*s  ", STR_ARG(plan->table));
    buf_add_printable(out, source);
    buf_addz(out, zone->batch_count ? "\n" : "  no batch\n");
    for (size_t i = 0; i < zone->batch_count; i++) print_batch(&zone->batches[i], out);
    for (size_t i = 0; i < zone->landing.stray_count; i++) {
        const struct landing_stray *stray = &zone->landing.strays[i];
        for (size_t k = 0; k < stray->name_count; k++) {
            buf_addz(out, "  in no batch folder, not read: ");
            buf_add_printable(out, stray->folder);
            buf_addc(out, '/');
            buf_add_printable(out, stray->names[k]);
            buf_addc(out, '\n');
        }
    }
    for (size_t i = 0; i < zone->landing.leftover_count; i++)
        buf_printf(out, "  of a landing under way or cut short: %.*s\n", STR_ARG(zone->landing.leftovers[i]));
}

/* ---- for programs ---- */

static void put_text(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.len)
        json_put_str(w, text);
    else
        json_put_null(w);
}

static void put_bool(struct json_writer *w, const char *key, bool value) {
    json_key(w, key);
    json_put_bool(w, value);
}

static void put_names(struct json_writer *w, const char *key, const struct str *names, size_t count) {
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) json_put_str(w, names[i]);
    json_end_array(w);
}

static void put_files(struct json_writer *w, const struct landing_batch *batch) {
    json_key(w, "files");
    json_begin_array(w);
    for (size_t i = 0; i < batch->file_count; i++) {
        json_begin_object(w);
        put_text(w, "name", batch->files[i].name);
        json_key(w, "bytes");
        json_put_int(w, batch->files[i].size_bytes);
        put_text(w, "sha256", batch->files[i].sha256);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_changes(struct json_writer *w, const struct run_changes *changes) {
    json_key(w, "changes");
    json_begin_array(w);
    for (size_t i = 0; i < changes->count; i++) {
        const struct run_change *change = &changes->list[i];
        json_begin_object(w);
        put_text(w, "name", change->name);
        put_text(w, "change", change->is_later ? STR("later") : change->is_gone ? STR("missing") : STR("changed"));
        put_text(w, "old_sha256", change->old_sha256);
        put_text(w, "new_sha256", change->new_sha256);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_batch(struct json_writer *w, const struct run_batch *b) {
    struct arena arena = {0};
    const struct landing_batch *batch = &b->landing;
    json_begin_object(w);
    put_text(w, "batch_id", batch->id);
    put_text(w, "folder", batch->folder);
    put_text(w, "state", str_of(state_names[b->state]));
    put_text(w, "gate", b->gate);
    put_bool(w, "wrong", b->is_wrong);
    put_bool(w, "pending", b->is_pending);
    put_bool(w, "landed_again", b->is_landed_again);
    put_text(w, "landed_at",
             batch->landed_at_us == INT64_MIN ? (struct str){0} : time_iso_ms(&arena, batch->landed_at_us));
    json_key(w, "bytes");
    json_put_int(w, count_bytes(batch));
    put_files(w, batch);
    put_changes(w, &b->changes);
    put_names(w, "left_out", batch->left_out, batch->left_out_count);
    put_text(w, "error", b->error);
    json_end_object(w);
    arena_reset(&arena);
}

static void put_zone(struct json_writer *w, const struct plan *plan, const struct run_zone *zone, struct str source) {
    json_begin_object(w);
    put_text(w, "table", plan->table);
    put_text(w, "source", source);
    json_key(w, "batches");
    json_begin_array(w);
    for (size_t i = 0; i < zone->batch_count; i++) put_batch(w, &zone->batches[i]);
    json_end_array(w);
    json_key(w, "strays");
    json_begin_array(w);
    for (size_t i = 0; i < zone->landing.stray_count; i++) {
        const struct landing_stray *stray = &zone->landing.strays[i];
        json_begin_object(w);
        put_text(w, "folder", stray->folder);
        put_names(w, "files", stray->names, stray->name_count);
        json_end_object(w);
    }
    json_end_array(w);
    put_names(w, "leftovers", zone->landing.leftovers, zone->landing.leftover_count);
    json_end_object(w);
}

/* ---- the commands ---- */

/** What is wrong with the batches of one table. */
static enum assay_code judge_zone(struct session *session, const struct plan *plan, const struct run_zone *zone,
                                  struct assay_error *err) {
    const struct run_batch *first = NULL;
    for (size_t i = 0; i < zone->batch_count && !first; i++)
        if (zone->batches[i].is_wrong && !landing_is_unread(&zone->batches[i].landing)) first = &zone->batches[i];
    if (!first) return landing_judge(session->store, plan, &zone->landing, err);
    error_set(err, ASSAY_REFUSED, plan->table.ptr,
              "%zu of %zu batches %s not what was loaded or landed, the first is %.*s", zone->wrong_count,
              zone->batch_count, zone->wrong_count == 1 ? "is" : "are", STR_ARG(first->landing.id));
    struct assay_error said = *err;
    if (first->state == RUN_BATCH_GONE)
        return error_set(err, ASSAY_REFUSED, said.where,
                         "%s\nnext: bring back what was sent: assay land %.*s FILE... --batch %.*s --replace",
                         said.message, STR_ARG(plan->table), STR_ARG(first->landing.id));
    return error_set(err, ASSAY_REFUSED, said.where,
                     "%s\nnext: find out who changed it; assay run %.*s --batch %.*s takes it as it is now, assay land "
                     "--replace brings back what was sent",
                     said.message, STR_ARG(plan->table), STR_ARG(first->landing.id));
}

static enum assay_code show_zones(struct cli *cli, struct session *session, struct plan **plans, size_t count,
                                  bool is_verifying, bool is_json, struct assay_error *err) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    enum assay_code rc = ASSAY_OK, judged = ASSAY_OK;
    if (is_json) {
        json_begin_object(&w);
        json_key(&w, "tables");
        json_begin_array(&w);
    }
    for (size_t i = 0; i < count && rc == ASSAY_OK; i++) {
        struct run_zone zone;
        struct assay_error said = {0};
        struct str source = landing_source(plans[i], &cli->arena);
        if ((rc = run_zone_load(session, plans[i], is_verifying, &cli->arena, &zone, err))) break;
        if (is_json)
            put_zone(&w, plans[i], &zone, source);
        else
            print_zone(plans[i], &zone, source, &text);
        if (!is_verifying || judge_zone(session, plans[i], &zone, &said) == ASSAY_OK) continue;
        judged = ASSAY_REFUSED;
        cli_out(&text);
        buf_clear(&text);
        cli_tell(&said);
    }
    if (is_json && rc == ASSAY_OK) {
        json_end_array(&w);
        json_end_object(&w);
        buf_addc(&text, '\n');
    }
    cli_out(&text);
    buf_free(&text);
    return rc ? rc : judged; /* of what was judged each was told where it was found */
}

static enum assay_code run(struct cli *cli, bool is_verifying, struct assay_error *err) {
    struct project project;
    struct plan **plans;
    size_t count;
    struct session session;
    struct session_options options;
    bool is_json;
    TRY(cli_wants_json(cli, &is_json, err));
    TRY(cli_session_options(cli, &options, err));
    options.read_only = true;
    TRY(cli_plans(cli, &project, &plans, &count, err));
    TRY(session_open(&project, &options, &session, err));
    enum assay_code rc = show_zones(cli, &session, plans, count, is_verifying, is_json, err);
    session_close(&session);
    return rc;
}

static enum assay_code run_list(struct cli *cli, struct assay_error *err) { return run(cli, false, err); }
static enum assay_code run_verify(struct cli *cli, struct assay_error *err) { return run(cli, true, err); }

static const struct cli_option options[] = {
    CLI_FORMAT_OPTIONS,
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_landing_list = {
    .name = "landing list",
    .arguments = "[TABLE]",
    .summary = "what has landed: batches, their files, and what became of them",
    .text =
        "Shows every batch of the source with its files and its state: new (never run), loaded, refused, changed since "
        "it was\n"
        "loaded, or missing. Files whose size or time is not what the last run saw are hashed, and shown with their "
        "old "
        "and new\n"
        "SHA-256. Files that no run reads are shown too. Nothing is written. Without TABLE all contracts are shown.\n",
    .options = options,
    .args_max = 1,
    .run = run_list,
};

const struct cli_command cmd_landing_verify = {
    .name = "landing verify",
    .arguments = "[TABLE]",
    .summary = "hash what has landed and compare it with what was loaded",
    .text =
        "Like landing list, but reads every file and compares its SHA-256 with that of the last run, or before the "
        "first run\n"
        "with the manifest that land wrote. Exit code 1 when a file was changed, is missing, came later or cannot be "
        "read, or\n"
        "when files lie where no run reads them. What land --replace brought is changed but not wrong.\n",
    .options = options,
    .args_max = 1,
    .run = run_verify,
};
