/** A run's result as JSON: for `--json`, and as commitInfo.userMetadata. */
#include "run/run_int.h"

#include "base/json.h"
#include "base/time.h"

static void put_member(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.len)
        json_put_str(w, text);
    else
        json_put_null(w);
}

static void put_int(struct json_writer *w, const char *key, int64_t value) {
    json_key(w, key);
    json_put_int(w, value);
}

struct str run_user_metadata(const struct run_result *r, struct arena *arena) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    put_member(&w, "run_id", r->run_id);
    put_member(&w, "batch_id", r->batch_id);
    put_member(&w, "table", r->plan->table);
    put_member(&w, "contract_id", r->plan->contract_id);
    put_member(&w, "contract_version", r->plan->contract_version);
    json_end_object(&w);
    struct str out = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return out;
}

static void print_rule_counts(struct json_writer *w, const struct silver_result *s, bool is_warning) {
    json_begin_array(w);
    for (size_t i = 0; i < s->rule_count; i++) {
        if (s->rules[i].is_warning != is_warning) continue;
        json_begin_object(w);
        put_member(w, "rule", s->rules[i].id);
        put_member(w, "reason", s->rules[i].reason);
        put_int(w, "rows", s->rules[i].count);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_checks(struct json_writer *w, const struct silver_result *s) {
    json_begin_array(w);
    for (size_t i = 0; i < s->check_count; i++) {
        const struct silver_check *c = &s->checks[i];
        json_begin_object(w);
        put_member(w, "check", c->check->id);
        put_member(w, "measures", c->check->what);
        put_int(w, "rows", c->count);
        put_int(w, "of", c->total);
        put_member(w, "limit", c->check->limit);
        json_key(w, "measured");
        json_put_bool(w, c->is_measured);
        json_key(w, "passed");
        json_put_bool(w, c->is_passed);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_counts(struct json_writer *w, const struct run_result *r) {
    const struct silver_result *s = &r->silver;
    put_int(w, "landed", s->landed);
    put_int(w, "corrupt", s->corrupt);
    put_int(w, "accepted", s->accepted);
    put_int(w, "superseded", s->superseded);
    put_int(w, "quarantined", s->quarantined);
    if (r->code == ASSAY_OK) {
        put_int(w, "inserted", s->inserted);
        put_int(w, "updated", s->updated);
        put_int(w, "unchanged", s->unchanged);
        put_int(w, "left_behind", s->left_behind);
    }
    const struct silver_redriven *d = &s->redriven;
    if (d->accepted + d->superseded + d->quarantined + d->gone) {
        json_key(w, "redriven");
        json_begin_object(w);
        put_int(w, "accepted", d->accepted);
        put_int(w, "superseded", d->superseded);
        put_int(w, "quarantined", d->quarantined);
        put_int(w, "gone", d->gone);
        json_end_object(w);
    }
    json_key(w, "reasons");
    print_rule_counts(w, s, false);
    json_key(w, "warnings");
    print_rule_counts(w, s, true);
    if (s->overruled.len) {
        put_member(w, "overruled", s->overruled);
        put_member(w, "accepted_because", r->accepted_because);
    }
    json_key(w, "checks");
    print_checks(w, s);
    json_key(w, "rounded");
    json_begin_object(w);
    for (size_t i = 0; i < s->rounded_count; i++) {
        json_key_str(w, r->plan->columns[s->rounded[i].column].name);
        json_put_int(w, s->rounded[i].count);
    }
    json_end_object(w);
}

static void print_files(struct json_writer *w, const struct landing_batch *batch) {
    json_key(w, "files");
    json_begin_array(w);
    for (size_t i = 0; i < batch->file_count; i++) {
        json_begin_object(w);
        put_member(w, "name", batch->files[i].name);
        put_int(w, "bytes", batch->files[i].size_bytes);
        put_member(w, "sha256", batch->files[i].sha256);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_names(struct json_writer *w, const struct str *names, size_t count) {
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) json_put_str(w, names[i]);
    json_end_array(w);
}

/** What of the batch was loaded before and is otherwise now. */
static void print_changes(struct json_writer *w, const struct run_changes *changes) {
    json_begin_array(w);
    for (size_t i = 0; i < changes->count; i++) {
        json_begin_object(w);
        put_member(w, "name", changes->list[i].name);
        put_member(w, "old_sha256", changes->list[i].old_sha256);
        put_member(w, "new_sha256", changes->list[i].new_sha256);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_versions(struct json_writer *w, const struct run_result *r) {
    json_key(w, "versions");
    json_begin_object(w);
    const struct str names[] = {r->plan->bronze_table, r->plan->quarantine_table, r->plan->table};
    const int64_t versions[] = {r->bronze.version, r->has_silver ? r->silver.quarantine_version : -1,
                                r->has_silver ? r->silver.version : -1};
    for (size_t i = 0; i < 3; i++) {
        if (versions[i] < 0) continue;
        json_key_str(w, names[i]);
        json_put_int(w, versions[i]);
    }
    json_end_object(w);
}

void run_print_json(const struct run_result *r, struct buf *out) {
    struct arena arena = {0};
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    put_member(&w, "table", r->plan->table);
    put_member(&w, "batch_id", r->batch_id);
    put_member(&w, "run_id", r->run_id);
    put_member(&w, "status", str_of(run_status(r)));
    put_member(&w, "gate", r->gate);
    put_member(&w, "where", str_of(r->err.where));
    put_member(&w, "message", str_of(r->err.message));
    put_member(&w, "contract_version", r->plan->contract_version);
    if (r->has_silver && r->silver.was_counted) print_counts(&w, r);
    if (r->has_batch) print_files(&w, &r->batch);
    if (r->batch.left_out_count) {
        json_key(&w, "left_out");
        print_names(&w, r->batch.left_out, r->batch.left_out_count);
    }
    if (r->changes.count) {
        json_key(&w, "changes");
        print_changes(&w, &r->changes);
    }
    if (r->has_bronze) print_versions(&w, r);
    put_member(&w, "started_at", time_iso_ms(&arena, r->started_us));
    put_member(&w, "ended_at", time_iso_ms(&arena, r->ended_us));
    json_key(&w, "seconds");
    json_put_real(&w, (double)(r->ended_us - r->started_us) / 1e6);
    json_end_object(&w);
    arena_reset(&arena);
}
