/** An open lake: its store, a staging folder on the same file system, the engine locked to both. */
#include "run/run.h"

#include <sched.h>
#include <stdlib.h>

static int count_cpus(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? n : 1;
}

/** ASSAY_TEST_FAULT puts the fault decorator over the lake; see storage/storage.h. */
static enum assay_code open_store(const struct project *project, bool create, struct store **out, struct assay_error *err) {
    if (str_find(project->lake, STR("://")) != SIZE_MAX)
        return error_set(err, ASSAY_UNSUPPORTED, project->config.ptr, "lake %.*s: only folders can be lakes in this version",
                         STR_ARG(project->lake));
    TRY(store_open_local(project->lake, create, out, err));
    const char *fault = getenv("ASSAY_TEST_FAULT");
    return fault ? store_open_fault(*out, str_of(fault), out, err) : ASSAY_OK;
}

static enum assay_code open_engine(const struct session_options *options, struct str lake, struct session *s,
                                   struct assay_error *err) {
    struct str folders[] = {lake, staging_folder(s->staging)};
    struct engine_options o = {
        .memory_bytes = options->memory_bytes,
        .threads = s->threads,
        .temp_folder = staging_folder(s->staging),
        .folders = folders,
        .folder_count = sizeof folders / sizeof folders[0],
    };
    return engine_open(&o, &s->engine, err);
}

enum assay_code session_open(const struct project *project, const struct session_options *options, struct session *out,
                             struct assay_error *err) {
    *out = (struct session){.threads = options->threads ? options->threads : count_cpus()};
    enum assay_code rc = open_store(project, options->create, &out->store, err);
    if (rc == ASSAY_OK && options->need_engine) {
        rc = staging_open(out->store, &out->staging, err);
        if (rc == ASSAY_OK) rc = open_engine(options, project->lake, out, err);
    }
    if (rc) session_close(out);
    return rc;
}

void session_close(struct session *session) {
    engine_close(&session->engine);
    staging_close(&session->staging);
    store_close(&session->store);
}
