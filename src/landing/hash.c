/** The SHA-256 of a batch's files, several at once. */
#include "landing/landing.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 20, THREADS_MAX = 64 };

/** One file's job: path and expected size in, hex and error out. */
struct job {
    const char *path;
    int64_t size_bytes;
    char hex[HASH_SHA256_HEX + 1];
    enum assay_code code;
    struct assay_error err;
};

struct jobs {
    struct job *list;
    size_t count;
    atomic_size_t next;
};

static enum assay_code hash_file(struct job *job) {
    int fd = open(job->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error_errno(&job->err, errno, job->path, "read");
    struct hash *h = hash_open();
    char *block = memory_alloc(READ_BYTES);
    int64_t total = 0;
    ssize_t n;
    while ((n = read(fd, block, READ_BYTES)) > 0) {
        hash_add(h, block, (size_t)n);
        total += n;
    }
    int failed = errno;
    hash_close(&h, job->hex);
    free(block);
    close(fd);
    if (n < 0) return error_errno(&job->err, failed, job->path, "read");
    if (total != job->size_bytes)
        return error_set(&job->err, ASSAY_UNAVAILABLE, job->path,
                         "the file has %lld bytes where %lld were listed: it is being written; run again when the "
                         "delivery is complete",
                         (long long)total, (long long)job->size_bytes);
    return ASSAY_OK;
}

static void *work(void *context) {
    struct jobs *jobs = context;
    for (size_t i; (i = atomic_fetch_add(&jobs->next, 1)) < jobs->count;)
        jobs->list[i].code = hash_file(&jobs->list[i]);
    return NULL;
}

static void work_together(struct jobs *jobs, int threads) {
    pthread_t others[THREADS_MAX];
    size_t started = 0, wanted = threads > THREADS_MAX ? THREADS_MAX : (size_t)(threads > 1 ? threads : 1);
    if (wanted > jobs->count) wanted = jobs->count;
    while (started + 1 < wanted && pthread_create(&others[started], NULL, work, jobs) == 0) started++;
    work(jobs);
    for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
}

enum assay_code landing_hash(struct store *store, struct landing_batch *batch, int threads, struct arena *arena,
                             struct assay_error *err) {
    struct jobs jobs = {.list = ARENA_ARRAY(arena, batch->file_count, struct job), .count = batch->file_count};
    for (size_t i = 0; i < batch->file_count; i++) {
        struct str path;
        TRY(store_local_path(store, batch->files[i].key, arena, &path, err));
        jobs.list[i].path = str_c(arena, path);
        jobs.list[i].size_bytes = batch->files[i].size_bytes;
    }
    work_together(&jobs, threads);
    for (size_t i = 0; i < batch->file_count; i++) {
        if (jobs.list[i].code) {
            if (err) *err = jobs.list[i].err;
            return jobs.list[i].code;
        }
        batch->files[i].sha256 = str_copy(arena, str_of(jobs.list[i].hex));
    }
    return ASSAY_OK;
}
