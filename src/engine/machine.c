/*
 * How much memory and how many threads this process may use.
 *
 * 1. A limit of a control group counts like the machine's own, on every level of the tree, version 1 and 2.
 * 2. What cannot be read sets no limit; a missing or odd file is never an error.
 * 3. In a container the paths of /proc/self/cgroup may lie outside of what is mounted: the mounted root is asked as
 * well.
 *
 * Source: Linux Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
 */
#include "engine/engine_int.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(const char *root, const char *path, char *out, size_t size) {
    char full[PATH_MAX];
    if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full) return false;
    FILE *file = fopen(full, "re");
    if (!file) return false;
    size_t n = fread(out, 1, size - 1, file);
    out[n] = '\0';
    fclose(file);
    return n > 0;
}

/** The first number of a file; false for `max`, which is no limit. */
static bool read_number(const char *root, const char *folder, const char *name, int64_t *out) {
    char path[PATH_MAX], text[64];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    if (!read_text(root, path, text, sizeof text)) return false;
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || value < 0) return false;
    *out = value;
    return true;
}

static void lower_to(int64_t *limit, int64_t value) {
    if (value < *limit) *limit = value;
}

static void apply_memory(struct machine *m, const char *root, const char *folder) {
    int64_t limit, used = 0;
    if (!read_number(root, folder, "memory.max", &limit) && !read_number(root, folder, "memory.limit_in_bytes", &limit))
        return;
    if (!read_number(root, folder, "memory.current", &used))
        (void)read_number(root, folder, "memory.usage_in_bytes", &used);
    lower_to(&m->memory_total, limit);
    lower_to(&m->memory_free, limit > used ? limit - used : 0);
}

/** A quota of processor time is a number of processors, rounded up. */
static void apply_threads(struct machine *m, const char *root, const char *folder) {
    int64_t quota = 0, period = 0;
    char path[PATH_MAX], text[64];
    bool is_v2 = snprintf(path, sizeof path, "%s/cpu.max", folder) < (int)sizeof path &&
                 read_text(root, path, text, sizeof text);
    if (is_v2) {
        long long q, p;
        if (sscanf(text, "%lld %lld", &q, &p) != 2) return;
        quota = q;
        period = p;
    } else if (!read_number(root, folder, "cpu.cfs_quota_us", &quota) ||
               !read_number(root, folder, "cpu.cfs_period_us", &period)) {
        return;
    }
    if (quota <= 0 || period <= 0) return;
    int64_t processors = (quota + period - 1) / period;
    if (processors < m->threads) m->threads = (int)processors;
}

/** Every folder from mount/group up to mount itself. */
static void apply_group(struct machine *m, const char *root, const char *mount, const char *group) {
    char folder[PATH_MAX];
    size_t mount_len = strlen(mount);
    if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= (int)sizeof folder) return;
    for (;;) {
        apply_memory(m, root, folder);
        apply_threads(m, root, folder);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < mount_len) break;
        *slash = '\0';
    }
}

/** A line of /proc/self/cgroup is `<id>:<controllers>:<group>`; version 2 has no controllers. */
static void apply_group_line(struct machine *m, const char *root, char *line) {
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return;
    *group++ = '\0';
    controllers++;
    if (controllers[0] == '\0') {
        apply_group(m, root, "/sys/fs/cgroup", group);
        apply_group(m, root, "/sys/fs/cgroup/unified", group);
    }
    if (strstr(controllers, "memory")) apply_group(m, root, "/sys/fs/cgroup/memory", group);
    if (strstr(controllers, "cpu,") || strstr(controllers, ",cpu") || strcmp(controllers, "cpu") == 0) {
        apply_group(m, root, "/sys/fs/cgroup/cpu", group);
        apply_group(m, root, "/sys/fs/cgroup/cpu,cpuacct", group);
    }
}

static void apply_groups(struct machine *m, const char *root) {
    char text[8192], *rest = text;
    if (!read_text(root, "/proc/self/cgroup", text, sizeof text)) return;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) apply_group_line(m, root, line);
}

static int64_t meminfo_bytes(const char *text, const char *key) {
    const char *at = strstr(text, key);
    long long kilobytes = at ? strtoll(at + strlen(key), NULL, 10) : 0;
    return kilobytes > 0 ? kilobytes * 1024 : INT64_MAX;
}

struct machine machine_limits(const char *root) {
    struct machine m = {INT64_MAX, INT64_MAX, 1};
    char text[8192];
    if (read_text(root, "/proc/meminfo", text, sizeof text)) {
        m.memory_total = meminfo_bytes(text, "MemTotal:");
        m.memory_free = meminfo_bytes(text, "MemAvailable:");
    }
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) m.threads = CPU_COUNT(&cpus);
    apply_groups(&m, root);
    if (m.threads < 1) m.threads = 1;
    return m;
}
