/*
 * An error of the engine over a table's files, told as one of the table: which table, which version, which file, what
 * to do next. The files are looked for only now, so a read that succeeds pays nothing.
 */
#include "delta/delta_int.h"

/* The first file that is not there, and how many. */
static size_t count_missing(const struct delta_snapshot *s, struct arena *arena, struct str *first) {
    size_t count = 0;
    for (size_t i = 0; i < s->file_count; i++) {
        struct store_entry entry;
        struct str key = str_path(arena, s->root, s->files[i].path);
        if (store_stat(s->store, key, &entry, NULL) != ASSAY_NOT_FOUND) continue;
        if (count++ == 0) *first = key;
    }
    return count;
}

enum assay_code delta_read_failed(const struct delta_snapshot *s, enum assay_code code, struct assay_error *err) {
    bool is_of_files = code == ASSAY_NOT_FOUND || code == ASSAY_CORRUPT || code == ASSAY_UNAVAILABLE ||
                       code == ASSAY_DENIED || code == ASSAY_INTERNAL;
    if (!is_of_files || !err || str_find(str_of(err->where), s->root) != SIZE_MAX) return code;
    struct arena scratch = {0};
    struct str first = {0};
    const char *where = str_printf(&scratch, "%.*s version %lld", STR_ARG(s->root), (long long)s->version).ptr;
    size_t missing = count_missing(s, &scratch, &first);
    struct str before = str_copy(&scratch, str_of(err->message));
    if (missing)
        error_set(
            err, ASSAY_NOT_FOUND, where,
            "%zu data file%s of this version %s gone, the first is %.*s; its rows are lost unless the file comes "
            "back\nnext: bring the file back from a backup, or go back to a version that is whole: assay history, "
            "then assay restore",
            missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are", STR_ARG(first));
    else
        error_set(err, code, where, "the table's files cannot be read: %.*s", STR_ARG(before));
    arena_reset(&scratch);
    return missing ? ASSAY_NOT_FOUND : code;
}
