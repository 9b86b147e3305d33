/*
 * Work that another writer's commit made useless is done again, a bounded number of times.
 *
 * 1. Writers that meet again and again wait for different times, each time up to twice as long, at most a second: so
 * even the slowest gets its turn. The first loss costs no wait.
 * 2. The last conflict is reported, with who was first and what they changed (conflict.c).
 */
#include "delta/delta_int.h"

#include "base/limits.h"
#include "base/time.h"

#include <time.h>
#include <unistd.h>

/* Different in every process, and from call to call; of no use but to keep writers apart. */
static uint64_t random_bits(void) {
    uint64_t x = (uint64_t)(time_monotonic_s() * 1e9) ^ (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void delta_wait(int lost) {
    enum { FIRST_MS = 5, LONGEST_MS = 1000, DOUBLINGS_MAX = 10 };
    if (lost < 2) return;
    int64_t spread_ms = lost < DOUBLINGS_MAX ? (int64_t)FIRST_MS << lost : LONGEST_MS;
    if (spread_ms > LONGEST_MS) spread_ms = LONGEST_MS;
    int64_t wait_ns = (int64_t)(random_bits() % (uint64_t)(spread_ms * 1000000));
    nanosleep(&(struct timespec){.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000}, NULL);
}

enum assay_code delta_redo(delta_work_fn *work, void *context, struct assay_error *err) {
    enum assay_code rc = ASSAY_CONFLICT;
    for (int lost = 0; lost < LIMIT_REDO && rc == ASSAY_CONFLICT; lost++) {
        delta_wait(lost);
        rc = work(context, err);
    }
    if (rc == ASSAY_CONFLICT) error_prepend(err, "given up after %d tries, of which the last", LIMIT_REDO);
    return rc;
}
