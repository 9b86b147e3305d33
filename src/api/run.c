/** assay_run: a project's batches, run in one call. */
#include <assay/run.h>

#include "base/json.h"
#include "run/run.h"

static void add_result(void *context, const struct run_result *result) {
    struct json_writer *runs = context;
    struct buf one = {0};
    if (result->ended_us == 0) return; /* it has not run yet */
    run_print_json(result, &one);
    json_put_raw(runs, buf_str(&one));
    buf_free(&one);
}

static enum assay_code run_all(struct session *session, struct plan **plans, size_t count, struct str batch,
                               struct buf *out, struct assay_error *err) {
    struct json_writer w = {.out = out};
    size_t batch_count = 0;
    json_begin_object(&w);
    json_key(&w, "runs");
    json_begin_array(&w);
    struct run_options options = {
        .stages = RUN_BRONZE | RUN_SILVER, .batch_id = batch, .report = add_result, .context = &w};
    enum assay_code rc = run_plans(session, plans, count, &options, &batch_count, err);
    json_end_array(&w);
    json_end_object(&w);
    return rc;
}

enum assay_code assay_run(const char *folder, const char *table, const char *batch, char **json,
                          struct assay_error *err) {
    struct arena arena = {0};
    struct project project;
    struct plan **plans;
    struct session session;
    struct buf text = {0};
    size_t count;
    *json = NULL;
    enum assay_code rc = project_load(str_of(folder), &arena, &project, err);
    if (rc == ASSAY_OK) rc = project_plans(&project, str_of(table), &arena, &plans, &count, err);
    if (rc == ASSAY_OK) rc = session_open(&project, &(struct session_options){.need_engine = true}, &session, err);
    if (rc == ASSAY_OK) {
        rc = run_all(&session, plans, count, str_of(batch), &text, err);
        session_close(&session);
        *json = text.data;
    }
    arena_reset(&arena);
    return rc;
}
