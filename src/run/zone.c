/**
 * The batches of a source beside what was loaded of them, for `assay landing`.
 *
 * 1. What the files were is what the last run recorded of them, else what the manifest says that `land` wrote. A run
 * that took changed files has printed both hashes and recorded the new ones, so they count from then on.
 * 2. Only verifying reads every file. Without it a file counts as it was when its size and time are what the last run
 * saw, as for a run itself.
 * 3. Files that `land --replace` brought are changed, and nothing is wrong: their manifest says so.
 */
#include "run/run_int.h"

/** What the batch's files were. */
struct past {
    struct landing_file *files;
    size_t count;
    bool is_recorded; /* by a run: times are known too */
};

struct context {
    struct session *session;
    const struct plan *plan;
    bool is_verifying;
    struct arena *arena;
    struct run_zone *out;
};

static const struct landing_file *find_file(const struct past *past, struct str name) {
    size_t low = 0, high = past->count;
    while (low < high) { /* by name */
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(past->files[middle].name, name);
        if (order == 0) return &past->files[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool must_hash(const struct context *c, const struct past *past, const struct landing_file *file) {
    if (c->is_verifying) return true;
    if (!past->files) return false;
    if (!past->is_recorded) return true; /* the manifest knows no times */
    const struct landing_file *was = find_file(past, file->name);
    return !was || was->size_bytes != file->size_bytes || was->modified_us != file->modified_us;
}

/** Hash the files that may have changed. */
static enum assay_code hash_files(const struct context *c, const struct past *past, struct landing_batch *batch,
                                  struct assay_error *err) {
    struct landing_batch some = {.files = ARENA_ARRAY(c->arena, batch->file_count, struct landing_file)};
    size_t *places = ARENA_ARRAY(c->arena, batch->file_count, size_t);
    for (size_t i = 0; i < batch->file_count; i++) {
        if (!must_hash(c, past, &batch->files[i])) continue;
        places[some.file_count] = i;
        some.files[some.file_count++] = batch->files[i];
    }
    if (some.file_count == 0) return ASSAY_OK;
    TRY(landing_hash(c->session->store, &some, c->session->threads, c->arena, err));
    for (size_t i = 0; i < some.file_count; i++) batch->files[places[i]].sha256 = some.files[i].sha256;
    return ASSAY_OK;
}

static enum run_batch_state state_of(const struct run_batch *b, const struct run_record *record) {
    if (!record) return RUN_BATCH_NEW;
    if (b->landing.file_count == 0) return RUN_BATCH_GONE;
    if (b->changes.count) return RUN_BATCH_CHANGED;
    return str_eq(record->status, STR("refused")) ? RUN_BATCH_REFUSED : RUN_BATCH_LOADED;
}

static void judge_batch(const struct context *c, struct run_batch *b, const struct run_record *record) {
    struct landing_manifest manifest;
    struct past past = {0};
    struct assay_error err = {0};
    landing_manifest_read(c->session->store, b->landing.folder, c->arena, &manifest);
    if (record) past.is_recorded = record_read_files(record->known_files, c->arena, &past.files, &past.count);
    if (!past.is_recorded && manifest.is_there) {
        past.files = manifest.files;
        past.count = manifest.file_count;
    }
    if (hash_files(c, &past, &b->landing, &err))
        b->error = str_printf(c->arena, "%s: %s", err.where, err.message);
    else if (past.is_recorded || manifest.is_there)
        b->changes = changes_find(past.files, past.count, &b->landing, c->arena);
    b->is_landed_again = past.is_recorded && manifest.is_there && b->changes.count && b->landing.file_count &&
                         changes_find(manifest.files, manifest.file_count, &b->landing, c->arena).count == 0;
    b->state = state_of(b, record);
    b->is_pending = b->landing.file_count && run_is_pending(c->plan, &b->landing, record);
    if (b->state == RUN_BATCH_REFUSED) b->gate = record->gate;
    b->is_wrong = b->error.len || landing_is_unread(&b->landing) || b->state == RUN_BATCH_GONE ||
                  (b->changes.count && !b->is_landed_again);
}

static const struct landing_batch *find_batch(const struct landing_zone *zone, struct str id) {
    for (size_t i = 0; i < zone->batch_count; i++)
        if (str_eq(zone->batches[i].id, id)) return &zone->batches[i];
    return NULL;
}

static void add_batch(struct context *c, struct landing_batch batch, const struct run_record *record) {
    struct run_batch *b = &c->out->batches[c->out->batch_count++];
    *b = (struct run_batch){.landing = batch};
    judge_batch(c, b, record);
    c->out->wrong_count += b->is_wrong;
}

enum assay_code run_zone_load(struct session *session, const struct plan *plan, bool is_verifying, struct arena *arena,
                              struct run_zone *out, struct assay_error *err) {
    struct context c = {session, plan, is_verifying, arena, out};
    struct run_record *records;
    size_t record_count;
    *out = (struct run_zone){0};
    TRY(landing_list(session->store, plan, arena, &out->landing, err));
    TRY(records_load(session, plan, arena, &records, &record_count, err));
    out->batches = ARENA_ARRAY(arena, out->landing.batch_count + record_count, struct run_batch);
    for (size_t i = 0; i < out->landing.batch_count; i++) {
        const struct landing_batch *batch = &out->landing.batches[i];
        add_batch(&c, *batch, records_find(records, record_count, batch->id));
    }
    for (size_t i = 0; i < record_count; i++) {
        if (find_batch(&out->landing, records[i].batch_id)) continue;
        struct landing_batch gone = {.id = records[i].batch_id, .landed_at_us = INT64_MIN};
        gone.folder = landing_folder(plan, gone.id, arena);
        add_batch(&c, gone, &records[i]);
    }
    return ASSAY_OK;
}
