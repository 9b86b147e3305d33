/*
 * An error of the engine over a table's files, told as one of the table: which table, which version, which file, what
 * to do next.
 *
 * 1. Only an error that names a file of the table is one of the table: the same statement may read other tables too.
 * 2. The files are looked for only now, so a read that succeeds pays nothing.
 */
#include "delta/delta_int.h"

/* The first file that is not there, and how many. Files elsewhere (shallow clones) are not looked for. */
static size_t count_missing(const struct delta_snapshot *s, struct arena *arena, struct str *first) {
    size_t count = 0;
    for (size_t i = 0; i < s->file_count; i++) {
        struct store_entry entry;
        if (str_starts(s->files[i].path, STR("/"))) continue;
        struct str key = str_path(arena, s->root, s->files[i].path);
        if (store_stat(s->store, key, &entry, NULL) != ASSAY_NOT_FOUND) continue;
        if (count++ == 0) *first = key;
    }
    return count;
}

static bool names_a_file(const struct delta_snapshot *s, const struct assay_error *err, struct arena *arena) {
    struct str message = str_of(err->message);
    return str_starts(message, STR("the SQL engine: ")) &&
           str_find(message, str_printf(arena, "%.*s/", STR_ARG(s->root))) != SIZE_MAX;
}

enum assay_code delta_read_failed(const struct delta_snapshot *s, enum assay_code code, struct assay_error *err) {
    struct arena scratch = {0};
    struct str first = {0};
    if (!err || !names_a_file(s, err, &scratch)) {
        arena_reset(&scratch);
        return code;
    }
    const char *where = str_printf(&scratch, "%.*s version %lld", STR_ARG(s->root), (long long)s->version).ptr;
    struct str before = str_copy(&scratch, str_of(err->message));
    size_t missing = count_missing(s, &scratch, &first);
    if (missing)
        code =
            error_set(err, ASSAY_NOT_FOUND, where,
                      "%zu data file%s of this version %s gone, the first is %.*s; its rows are lost unless the file "
                      "comes back\nnext: bring the file back from a backup, or go back to a version that is whole: "
                      "assay history, then assay restore",
                      missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are", STR_ARG(first));
    else
        error_set(
            err, code, where,
            "a data file of this version cannot be read: %.*s\nnext: bring the file back from a backup, or go back "
            "to a version that is whole: assay history, then assay restore",
            STR_ARG(before));
    arena_reset(&scratch);
    return code;
}
