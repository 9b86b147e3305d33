/*
 * Folders behind links on the way to batches. The engine follows links before it asks whether it may read, and what a
 * team links into the landing zone lies outside of the lake: the folders that contracts name are let in, no others.
 */
#include "run/run_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

struct links {
    struct arena *arena;
    struct str *folders;
    size_t count, capacity;
};

/** The folder that a path leads to, if it is another one. */
static void add_target(struct links *links, struct str path) {
    char *target = realpath(str_c(links->arena, path), NULL);
    if (target && !str_eq(str_of(target), path))
        LIST_PUSH(links->arena, links->folders, links->count, links->capacity) = str_copy(links->arena, str_of(target));
    free(target);
}

static void add_batches(struct links *links, struct str source) {
    DIR *dir = opendir(str_c(links->arena, source));
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        struct stat st;
        if (!str_starts(str_of(entry->d_name), STR("batch_id="))) continue;
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISLNK(st.st_mode)) continue;
        add_target(links, str_path(links->arena, source, str_of(entry->d_name)));
    }
    if (dir) closedir(dir);
}

void run_linked_folders(const struct project *project, struct str lake, struct arena *arena, struct str **out,
                        size_t *count) {
    struct links links = {.arena = arena};
    for (size_t i = 0; i < project->file_count; i++) {
        for (size_t k = 0; k < project->files[i].contract_count; k++) {
            const struct contract_source *source = &project->files[i].contracts[k].source;
            if (!contract_format_is_typed(source->format) || source->path.len == 0) continue;
            struct str path = str_path(arena, str_path(arena, lake, STR("Files")), source->path);
            add_target(&links, path);
            add_batches(&links, path);
        }
    }
    *out = links.folders;
    *count = links.count;
}
