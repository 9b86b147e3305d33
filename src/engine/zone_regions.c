/*
 * The regions of the machine's tzdata: their ids, and the rules of those that were asked for.
 *
 * 1. The ids are listed once, from the folder; a region is found by looking it up in that list. So no text from outside
 * ever becomes a path.
 * 2. Left out is what java.time does not know as a region: other copies of the database (posix, right), names of the
 * machine (localtime, posixrules), tables, and the ids Java has as short ids (EST, HST, MST) or not at all (ROC,
 * Factory).
 * 3. A region's rules are read when they are first needed and published with one atomic store; two threads may read the
 * same file, one of the results stays. A file that cannot be read is tried again next time.
 */
#include "engine/zone.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FOLDER_DEPTH = 3, FILE_BYTES_MAX = 1024 * 1024 };

struct region {
    struct str id;
    _Atomic(const struct zone_rules *) rules;
};

static struct {
    struct arena arena;
    const char *folder;
    struct region *items; /* by id, case ignored */
    size_t count, capacity;
} regions;

static pthread_once_t listed = PTHREAD_ONCE_INIT;
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static int compare_nocase(struct str a, struct str b) {
    for (size_t i = 0; i < a.len && i < b.len; i++) {
        int x = a.ptr[i] >= 'A' && a.ptr[i] <= 'Z' ? a.ptr[i] | 0x20 : a.ptr[i];
        int y = b.ptr[i] >= 'A' && b.ptr[i] <= 'Z' ? b.ptr[i] | 0x20 : b.ptr[i];
        if (x != y) return x < y ? -1 : 1;
    }
    return a.len < b.len ? -1 : a.len > b.len;
}

static int compare_regions(const void *a, const void *b) {
    return compare_nocase(((const struct region *)a)->id, ((const struct region *)b)->id);
}

static bool is_region_name(struct str name, bool is_top) {
    static const char *const others[] = {"EST", "HST", "MST", "ROC", "Factory"};
    if (name.len == 0 || str_find_char(name, '.') != SIZE_MAX) return false;
    if (!is_top) return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (str_eq(name, str_of(others[i]))) return false;
    return name.ptr[0] >= 'A' && name.ptr[0] <= 'Z';
}

/** `prefix` is the part of the ids that the folder stands for. */
static void list_folder(struct str prefix, int depth) {
    struct arena *arena = &regions.arena;
    DIR *folder = opendir(str_c(arena, str_path(arena, str_of(regions.folder), prefix)));
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!is_region_name(str_of(entry->d_name), prefix.len == 0)) continue;
        struct str id = str_path(arena, prefix, str_of(entry->d_name));
        struct stat status;
        if (stat(str_c(arena, str_path(arena, str_of(regions.folder), id)), &status) != 0) continue;
        if (S_ISDIR(status.st_mode) && depth < FOLDER_DEPTH)
            list_folder(id, depth + 1);
        else if (S_ISREG(status.st_mode))
            LIST_PUSH(arena, regions.items, regions.count, regions.capacity) = (struct region){id, NULL};
    }
    closedir(folder);
}

static void list_regions(void) {
    const char *folder = getenv("TZDIR");
    regions.folder = folder ? str_c(&regions.arena, str_of(folder)) : "/usr/share/zoneinfo";
    list_folder((struct str){0}, 1);
    if (regions.count > 0) qsort(regions.items, regions.count, sizeof regions.items[0], compare_regions);
}

static struct region *find_region(struct str id) {
    pthread_once(&listed, list_regions);
    size_t from = 0, to = regions.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare_nocase(regions.items[middle].id, id);
        if (order == 0) return &regions.items[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

static const struct zone_rules *read_rules(struct region *region) {
    struct arena scratch = {0};
    char *bytes = arena_alloc(&scratch, FILE_BYTES_MAX);
    const struct zone_rules *rules = NULL;
    FILE *file = fopen(str_c(&scratch, str_path(&scratch, str_of(regions.folder), region->id)), "rbe");
    if (file) {
        size_t size = fread(bytes, 1, FILE_BYTES_MAX, file);
        pthread_mutex_lock(&reading);
        rules = zone_rules_read(&regions.arena, (struct str){bytes, size});
        pthread_mutex_unlock(&reading);
        fclose(file);
    }
    arena_reset(&scratch);
    if (rules) atomic_store_explicit(&region->rules, rules, memory_order_release);
    return rules;
}

static bool use_region(struct region *region, struct zone *out) {
    const struct zone_rules *rules = atomic_load_explicit(&region->rules, memory_order_acquire);
    if (!rules) rules = read_rules(region);
    *out = (struct zone){.rules = rules};
    return rules != NULL;
}

bool zone_region(struct str id, struct zone *out) {
    struct region *region = find_region(id);
    return region && str_eq(region->id, id) && use_region(region, out);
}

static bool is_id_char(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
           c == '-' || c == '+';
}

size_t zone_region_prefix(struct str text, struct zone *out) {
    enum { ID_BYTES_MAX = 64 };
    size_t len = 0;
    while (len < text.len && len < ID_BYTES_MAX && is_id_char(text.ptr[len])) len++;
    for (; len > 1; len--) {
        struct region *region = find_region(str_sub(text, 0, len));
        if (region && use_region(region, out)) return len;
    }
    return 0;
}
