/**
 * An open lake: its store, a staging folder on the same file system, the engine locked to both and to the folders that
 * batches are linked to. A session that only reads has a folder of its own below TMPDIR for what the engine spills, and
 * no staging.
 */
#include "run/run_int.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int count_cpus(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? n : 1;
}

/** ASSAY_TEST_FAULT puts the fault decorator over the lake; see storage/storage.h. */
static enum assay_code open_store(const struct project *project, bool create, struct store **out,
                                  struct assay_error *err) {
    if (str_find(project->lake, STR("://")) != SIZE_MAX)
        return error_set(err, ASSAY_UNSUPPORTED, project->config.ptr,
                         "lake %.*s: only folders can be lakes in this version", STR_ARG(project->lake));
    TRY(store_open_local(project->lake, create, out, err));
    const char *fault = getenv("ASSAY_TEST_FAULT");
    return fault ? store_open_fault(*out, str_of(fault), out, err) : ASSAY_OK;
}

static enum assay_code make_spill_folder(struct session *s, struct assay_error *err) {
    const char *temporary = getenv("TMPDIR");
    struct buf path = {0};
    buf_printf(&path, "%s/assay-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(path.data)) {
        enum assay_code rc = error_errno(
            err, errno, path.data, "make a folder for temporary files; set TMPDIR to a folder that can be written");
        buf_free(&path);
        return rc;
    }
    s->spill_folder = path.data;
    return ASSAY_OK;
}

static enum assay_code open_engine(const struct session_options *options, const struct project *project,
                                   struct session *s, struct assay_error *err) {
    struct arena scratch = {0};
    size_t linked;
    struct str *links, temp = s->staging ? staging_folder(s->staging) : str_of(s->spill_folder);
    run_linked_folders(project, project->lake, &scratch, &links, &linked);
    struct str *folders = ARENA_ARRAY(&scratch, linked + 2, struct str);
    folders[0] = project->lake;
    folders[1] = temp;
    for (size_t i = 0; i < linked; i++) folders[i + 2] = links[i];
    struct engine_options o = {
        .memory_bytes = options->memory_bytes,
        .threads = s->threads,
        .temp_folder = temp,
        .folders = folders,
        .folder_count = linked + 2,
    };
    enum assay_code rc = engine_open(&o, &s->engine, err);
    arena_reset(&scratch);
    return rc;
}

enum assay_code session_open(const struct project *project, const struct session_options *options, struct session *out,
                             struct assay_error *err) {
    *out = (struct session){.threads = options->threads ? options->threads : count_cpus()};
    enum assay_code rc = open_store(project, options->create, &out->store, err);
    if (rc == ASSAY_OK && options->need_engine) {
        rc = options->read_only ? make_spill_folder(out, err) : staging_open(out->store, &out->staging, err);
        if (rc == ASSAY_OK) rc = open_engine(options, project, out, err);
    }
    if (rc) session_close(out);
    return rc;
}

void session_close(struct session *session) {
    engine_close(&session->engine);
    staging_close(&session->staging);
    if (session->spill_folder) rmdir(session->spill_folder); /* the engine has removed what it put there */
    free(session->spill_folder);
    session->spill_folder = NULL;
    store_close(&session->store);
}
