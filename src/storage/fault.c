/*
 * A store that fails, or ends the process, at a chosen call: so that a test can break every touch of the lake in turn.
 *
 * 1. Every operation passes `before` and `after`, so that none escapes being counted.
 * 2. A failure before the work touches nothing. A failure after it lies about work that was done, as a lost network
 * answer does; for put_if_absent the honest word for that is UNKNOWN.
 */
#include "storage/storage_int.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum mode { COUNT, FAIL, FAIL_AFTER, STOP, STOP_AFTER, FULL };

enum { EXIT_AS_KILLED = 137 };

struct fault {
    struct store store;
    struct store *inner;
    enum mode mode;
    int64_t at;
    atomic_int_fast64_t calls, writes;
};

static const struct {
    const char *word;
    enum mode mode;
} modes[] = {{"fail", FAIL}, {"fail-after", FAIL_AFTER}, {"stop", STOP}, {"stop-after", STOP_AFTER}, {"full", FULL}};

/** Count the call; *call is its number. Not OK: the call must not happen. */
static enum assay_code before(struct fault *f, struct str key, int64_t *call, struct assay_error *err) {
    *call = atomic_fetch_add(&f->calls, 1) + 1;
    if (*call != f->at) return ASSAY_OK;
    if (f->mode == STOP) _exit(EXIT_AS_KILLED);
    if (f->mode != FAIL) return ASSAY_OK;
    error_set(err, ASSAY_UNAVAILABLE, NULL, "call %lld fails by order of the test", (long long)*call);
    error_prepend(err, "%.*s/%.*s", STR_ARG(f->store.root), STR_ARG(key));
    return ASSAY_UNAVAILABLE;
}

static enum assay_code check_space(struct fault *f, struct str key, struct assay_error *err) {
    int64_t write = atomic_fetch_add(&f->writes, 1) + 1;
    if (f->mode != FULL || write < f->at) return ASSAY_OK;
    error_set(err, ASSAY_DENIED, NULL, "cannot write: no space left, by order of the test");
    error_prepend(err, "%.*s/%.*s", STR_ARG(f->store.root), STR_ARG(key));
    return ASSAY_DENIED;
}

static enum assay_code after(struct fault *f, int64_t call, enum assay_code rc, enum assay_code lie,
                             struct assay_error *err) {
    if (call != f->at) return rc;
    if (f->mode == STOP_AFTER) _exit(EXIT_AS_KILLED);
    if (f->mode != FAIL_AFTER) return rc;
    return error_set(err, lie, f->store.root.ptr, "the answer to call %lld is lost by order of the test",
                     (long long)call);
}

static enum assay_code fault_get(struct store *store, struct str key, int64_t offset, int64_t length,
                                 struct arena *arena, struct str *out, struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, key, &call, err));
    enum assay_code rc = f->inner->ops->get(f->inner, key, offset, length, arena, out, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_put(struct store *store, struct str key, struct str bytes, bool if_absent,
                                 struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, key, &call, err));
    TRY(check_space(f, key, err));
    enum assay_code rc = f->inner->ops->put(f->inner, key, bytes, if_absent, err);
    return after(f, call, rc, if_absent ? ASSAY_UNKNOWN : ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_publish(struct store *store, struct str staged_path, struct str key,
                                     struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, key, &call, err));
    TRY(check_space(f, key, err));
    enum assay_code rc = f->inner->ops->publish(f->inner, staged_path, key, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_list(struct store *store, struct str prefix, bool is_flat, struct arena *arena,
                                  struct store_entry **out, size_t *count, struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, prefix, &call, err));
    enum assay_code rc = f->inner->ops->list(f->inner, prefix, is_flat, arena, out, count, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_remove(struct store *store, struct str key, struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, key, &call, err));
    enum assay_code rc = f->inner->ops->remove(f->inner, key, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_stat(struct store *store, struct str key, struct store_entry *out,
                                  struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, key, &call, err));
    enum assay_code rc = f->inner->ops->stat(f->inner, key, out, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_local_path(struct store *store, struct str key, struct arena *arena, struct str *out,
                                        struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, key, &call, err));
    enum assay_code rc = f->inner->ops->local_path(f->inner, key, arena, out, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_move(struct store *store, struct str from_key, struct str to_key,
                                  struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, from_key, &call, err));
    enum assay_code rc = f->inner->ops->move(f->inner, from_key, to_key, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static enum assay_code fault_exchange(struct store *store, struct str a_key, struct str b_key,
                                      struct assay_error *err) {
    struct fault *f = (struct fault *)store;
    int64_t call;
    TRY(before(f, a_key, &call, err));
    enum assay_code rc = f->inner->ops->exchange(f->inner, a_key, b_key, err);
    return after(f, call, rc, ASSAY_UNAVAILABLE, err);
}

static void write_count(const struct fault *f) {
    const char *path = getenv("ASSAY_TEST_FAULT_COUNT");
    FILE *file = path && *path ? fopen(path, "we") : NULL;
    if (!file) return;
    fprintf(file, "%lld\n", (long long)atomic_load(&f->calls));
    fclose(file);
}

static void fault_close(struct store *store) {
    struct fault *f = (struct fault *)store;
    write_count(f);
    store_close(&f->inner);
    free(f);
}

static const struct store_ops fault_ops = {
    .name = "fault",
    .get = fault_get,
    .put = fault_put,
    .publish = fault_publish,
    .list = fault_list,
    .remove = fault_remove,
    .stat = fault_stat,
    .local_path = fault_local_path,
    .move = fault_move,
    .exchange = fault_exchange,
    .close = fault_close,
};

static bool parse_spec(struct str spec, enum mode *mode, int64_t *at) {
    struct str word, number = str_split(spec, ':', &word);
    *mode = COUNT;
    *at = 0;
    if (str_eq(spec, STR("count"))) return true;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (!str_eq(word, str_of(modes[i].word))) continue;
        *mode = modes[i].mode;
        return str_int64(number, at) == ASSAY_OK && *at > 0;
    }
    return false;
}

enum assay_code store_open_fault(struct store *inner, struct str spec, struct store **out, struct assay_error *err) {
    enum mode mode;
    int64_t at;
    if (!parse_spec(spec, &mode, &at))
        return error_set(
            err, ASSAY_INVALID, NULL,
            "the fault \"%.*s\" is not known; expected fail:N, fail-after:N, stop:N, stop-after:N, full:N (N from 1) "
            "or count",
            STR_ARG(spec));
    struct fault *f = memory_alloc(sizeof *f);
    *f = (struct fault){.store = {.ops = &fault_ops, .root = inner->root, .staging_root = inner->staging_root},
                        .inner = inner,
                        .mode = mode,
                        .at = at};
    *out = &f->store;
    return ASSAY_OK;
}
