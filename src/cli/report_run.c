/**
 * A batch as it is told to people:
 *
 *     silver.orders  batch b1  done in 0.21 s
 *       files       1, 54321 bytes
 *       landed      2005 = 1970 accepted + 5 superseded + 30 quarantined
 *       accepted    1970 = 1970 inserted + 0 updated + 0 unchanged
 *       reasons     12 invalid amount; 9 missing customer_id
 *       tables      bronze.orders v0, quarantine.orders v0, silver.orders v0
 *       next        assay quarantine show silver.orders --batch b1
 */
#include "cli/report_run.h"

#include <stdio.h>

enum { REASONS_SHOWN = 6, NAMES_SHOWN = 6 };

static void print_number(struct buf *out, int64_t n) { buf_printf(out, "%lld", (long long)n); }

static void print_files(const struct run_result *r, struct buf *out) {
    if (!r->has_batch) return;
    int64_t bytes = 0;
    for (size_t i = 0; i < r->batch.file_count; i++) bytes += r->batch.files[i].size_bytes;
    buf_printf(out, "  files       %zu, %lld bytes", r->batch.file_count, (long long)bytes);
    if (r->has_bronze && !r->bronze.is_written)
        buf_addz(out, "; unchanged since they were loaded, bronze stays as it is");
    if (r->bronze.is_replaced) buf_addz(out, "; changed since they were loaded, the batch was replaced in bronze");
    buf_addc(out, '\n');
    for (size_t i = 0; i < r->changes.count; i++) {
        buf_addz(out, "              ");
        run_print_change(&r->changes.list[i], out);
        buf_addc(out, '\n');
    }
    if (r->batch.left_out_count == 0) return;
    buf_printf(out, "  left out    %zu: ", r->batch.left_out_count);
    for (size_t i = 0; i < r->batch.left_out_count && i < NAMES_SHOWN; i++) {
        if (i) buf_addz(out, ", ");
        buf_add_printable(out, r->batch.left_out[i]);
    }
    if (r->batch.left_out_count > NAMES_SHOWN) buf_printf(out, " and %zu more", r->batch.left_out_count - NAMES_SHOWN);
    buf_addz(out, " (no data by name, or in a folder)\n");
}

static void print_reasons(const struct silver_result *s, bool is_warning, struct buf *out) {
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < s->rule_count; i++) {
        if (s->rules[i].is_warning != is_warning) continue;
        if (shown == REASONS_SHOWN) {
            hidden++;
            continue;
        }
        struct str what = is_warning ? s->rules[i].id : s->rules[i].reason;
        buf_printf(out, "%s%lld %.*s",
                   shown        ? "; "
                   : is_warning ? "  warnings    "
                                : "  reasons     ",
                   (long long)s->rules[i].count, STR_ARG(what));
        shown++;
    }
    if (hidden) buf_printf(out, "; %zu more", hidden);
    if (shown) buf_addc(out, '\n');
}

/** Checks that did not pass and do not stop the batch. */
static void print_checks(const struct silver_result *s, struct buf *out) {
    struct arena arena = {0};
    for (size_t i = 0; i < s->check_count; i++) {
        const struct silver_check *c = &s->checks[i];
        if (c->is_passed || c->check->severity == CONTRACT_ERROR) continue;
        struct str measured = silver_check_text(c, &arena);
        buf_printf(out, "  check       %.*s: %.*s: %.*s, where the contract has %.*s\n", STR_ARG(c->check->id),
                   STR_ARG(c->check->what), STR_ARG(measured), STR_ARG(c->check->limit));
    }
    arena_reset(&arena);
}

static void print_rounded(const struct run_result *r, struct buf *out) {
    for (size_t i = 0; i < r->silver.rounded_count; i++)
        buf_printf(out, "%s%lld in %.*s", i ? ", " : "  rounded     ", (long long)r->silver.rounded[i].count,
                   STR_ARG(r->plan->columns[r->silver.rounded[i].column].name));
    if (r->silver.rounded_count) buf_addc(out, '\n');
}

/** Gates that a person overruled. */
static void print_overruled(const struct run_result *r, struct buf *out) {
    if (r->silver.overruled.len)
        buf_printf(out, "  let through %.*s\n              because: %.*s\n", STR_ARG(r->silver.overruled),
                   STR_ARG(r->accepted_because));
}

/** Rejected rows that were judged again. */
static void print_redriven(const struct silver_redriven *d, struct buf *out) {
    long long sum = (long long)(d->accepted + d->superseded + d->quarantined + d->gone);
    if (sum == 0) return;
    buf_printf(out, "  redriven    %lld = %lld accepted + %lld superseded + %lld quarantined again", sum,
               (long long)d->accepted, (long long)d->superseded, (long long)d->quarantined);
    if (d->gone) buf_printf(out, " + %lld that the batch does not have any more", (long long)d->gone);
    buf_addc(out, '\n');
}

static void print_account(const struct run_result *r, struct buf *out) {
    const struct silver_result *s = &r->silver;
    buf_addz(out, "  landed      ");
    print_number(out, s->landed);
    buf_printf(out, " = %lld accepted + %lld superseded + %lld quarantined\n", (long long)s->accepted,
               (long long)s->superseded, (long long)s->quarantined);
    if (r->code == ASSAY_OK)
        buf_printf(out, "  accepted    %lld = %lld inserted + %lld updated + %lld unchanged\n", (long long)s->accepted,
                   (long long)s->inserted, (long long)s->updated, (long long)s->unchanged);
    print_redriven(&s->redriven, out);
    print_reasons(s, false, out);
    print_reasons(s, true, out);
    print_checks(s, out);
    print_overruled(r, out);
    print_rounded(r, out);
    if (s->left_behind)
        buf_printf(out, "  left behind %lld row%s of an earlier delivery of this batch stay%s in silver\n",
                   (long long)s->left_behind, s->left_behind == 1 ? "" : "s", s->left_behind == 1 ? "s" : "");
}

static void print_versions(const struct run_result *r, struct buf *out) {
    buf_printf(out, "  tables      %.*s v%lld", STR_ARG(r->plan->bronze_table), (long long)r->bronze.version);
    if (r->has_silver && r->silver.quarantine_version >= 0)
        buf_printf(out, ", %.*s v%lld", STR_ARG(r->plan->quarantine_table), (long long)r->silver.quarantine_version);
    if (r->has_silver && r->silver.version >= 0) {
        buf_printf(out, ", %.*s v%lld", STR_ARG(r->plan->table), (long long)r->silver.version);
        if (!r->silver.is_written) buf_addz(out, " (as before)");
    }
    buf_addc(out, '\n');
}

static void print_hints(const struct run_result *r, struct buf *out) {
    long long repeated = r->bronze.header_rows;
    if (repeated)
        buf_printf(out, "  hint        %lld row%s the header of %s file once more; kept as rows like any others\n",
                   repeated, repeated == 1 ? " is" : "s are", repeated == 1 ? "its" : "their");
    if (r->bronze.has_quoted_break_hint)
        buf_addz(out, "  hint        some rows look like halves of a value with a line break in quotes; if the source "
                      "sends those, "
                      "say multiLine: true in assaySource\n");
}

static void print_next(const struct run_result *r, struct buf *out) {
    print_hints(r, out);
    if (r->plan->unchecked_count)
        buf_printf(out, "  unchecked   %zu thing%s the contract declares; assay lint names them\n",
                   r->plan->unchecked_count, r->plan->unchecked_count == 1 ? "" : "s");
    if (r->code == ASSAY_OK && r->has_silver && r->silver.quarantined)
        buf_printf(out, "  next        assay quarantine show %.*s --batch %.*s\n", STR_ARG(r->plan->table),
                   STR_ARG(r->batch_id));
}

static void print_result(const struct run_result *r, struct buf *out) {
    static const char *const words[] = {[ASSAY_OK] = "done", [ASSAY_REFUSED] = "REFUSED"};
    const char *word = r->code <= ASSAY_REFUSED ? words[r->code] : "FAILED";
    if (r->batch_id.len == 0) { /* of the whole source */
        buf_printf(out, "%.*s  landing  %s\n", STR_ARG(r->plan->table), word);
        return;
    }
    buf_printf(out, "%.*s  batch %.*s  %s in %.2f s\n", STR_ARG(r->plan->table), STR_ARG(r->batch_id), word,
               (double)(r->ended_us - r->started_us) / 1e6);
    print_files(r, out);
    if (r->has_silver && r->silver.was_counted)
        print_account(r, out);
    else if (r->has_bronze)
        buf_printf(out, "  rows        %lld, %lld of them corrupt\n", (long long)r->bronze.row_count,
                   (long long)r->bronze.corrupt_count);
    if (r->has_bronze) print_versions(r, out);
    print_next(r, out);
}

static void tell(const struct run_report *report, const struct run_result *r) {
    if (report->is_terminal) fputs("\r\033[K", stderr);
    fflush(stdout);
    cli_tell(&r->err);
}

void run_report_batch(void *context, const struct run_result *r) {
    struct run_report *report = context;
    struct buf text = {0};
    if (r->ended_us == 0) {
        if (report->is_terminal && !report->is_json)
            fprintf(stderr, "%.*s  batch %.*s ...", STR_ARG(r->plan->table), STR_ARG(r->batch_id));
        return;
    }
    if (report->is_json) {
        buf_addz(&report->json, report->json_count++ ? "," : "");
        run_print_json(r, &report->json);
    } else {
        if (report->is_terminal) fputs("\r\033[K", stderr);
        print_result(r, &text);
        cli_out(&text);
    }
    if (r->code) {
        tell(report, r);
        report->has_told = true;
    }
    buf_free(&text);
}

void run_report_end(struct run_report *report, size_t batch_count) {
    struct buf text = {0};
    if (report->is_json)
        buf_printf(&text, "{\"runs\":[%s]}\n", report->json.data ? report->json.data : "");
    else if (batch_count == 0 && !report->has_told)
        buf_addz(&text, "nothing to do: no batch is pending\n");
    cli_out(&text);
    buf_free(&text);
    buf_free(&report->json);
}
