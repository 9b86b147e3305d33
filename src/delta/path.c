/*
 * The `path` of add, remove and cdc actions: a relative or absolute URI, percent-encoded (protocol: "Add File and
 * Remove File").
 *
 * 1. A path is decoded exactly once: `a%2520b` is the file `a%20b`. A plus sign is a plus sign.
 * 2. What comes out is relative to the table's root or an absolute path outside of it (a shallow clone's): no empty,
 * `.` or `..` part, no NUL, nothing in the table's own `_delta_log`.
 * 3. Other schemes are refused by name. An absolute path is never joined, and it is read only when, links followed, it
 * lies in one of the folders that the engine was opened with.
 */
#include "delta/delta_int.h"

#include <stdlib.h>
#include <string.h>

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static enum assay_code decode_percent(struct str raw, struct arena *arena, struct str *out, struct assay_error *err) {
    char *bytes = arena_alloc(arena, raw.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        if (c == '%') {
            int high = i + 2 < raw.len ? hex_digit(raw.ptr[i + 1]) : -1;
            int low = i + 2 < raw.len ? hex_digit(raw.ptr[i + 2]) : -1;
            if (high < 0 || low < 0)
                return error_set(err, ASSAY_CORRUPT, NULL, "the path '%.*s' has a '%%' without two hexadecimal digits",
                                 STR_ARG(raw));
            c = (char)(high * 16 + low);
            i += 2;
        }
        bytes[len++] = c;
    }
    *out = (struct str){bytes, len};
    return ASSAY_OK;
}

/* Length of `scheme:` at the start, or 0. */
static size_t scheme_length(struct str raw) {
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (c == ':') return i ? i + 1 : 0;
        if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) return 0;
    }
    return 0;
}

static enum assay_code check_parts(struct str path, struct str raw, struct assay_error *err) {
    if (path.len == 0 || memchr(path.ptr, '\0', path.len) || str_utf8_error(path) != SIZE_MAX)
        return error_set(err, ASSAY_CORRUPT, NULL, "the path '%.*s' is empty, has a NUL or is not UTF-8", STR_ARG(raw));
    struct str rest = path, part;
    for (bool is_first = true; rest.len > 0; is_first = false) {
        size_t before = rest.len;
        rest = str_split(rest, '/', &part);
        bool ends_in_slash = rest.len == 0 && before > part.len;
        if (part.len == 0 || ends_in_slash || str_eq(part, STR(".")) || str_eq(part, STR("..")))
            return error_set(
                err, ASSAY_CORRUPT, NULL,
                "the path '%.*s' has an empty, '.' or '..' part; a data file lies below the table's folder",
                STR_ARG(raw));
        if (is_first && str_eq(part, STR("_delta_log")))
            return error_set(err, ASSAY_CORRUPT, NULL, "the path '%.*s' names a file of the log as data", STR_ARG(raw));
    }
    return ASSAY_OK;
}

/* What stands behind `file:`, with or without an empty host; false if it is not of this machine's file system. */
static bool strip_file_scheme(struct str raw, struct str *path) {
    if (!str_starts(raw, STR("file:/"))) return false;
    *path = str_sub(raw, sizeof "file:" - 1, raw.len);
    if (str_starts(*path, STR("///"))) *path = str_sub(*path, 2, path->len);
    return !str_starts(*path, STR("//"));
}

enum assay_code delta_path_decode(struct str raw, struct str folder, struct arena *arena, struct str *out,
                                  struct assay_error *err) {
    struct str rest = raw, path;
    if (scheme_length(raw) > 0 && !strip_file_scheme(raw, &rest))
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the path '%.*s' lies in another store; assay reads files of the local file system only",
                         STR_ARG(raw));
    TRY(decode_percent(rest, arena, &path, err));
    bool is_absolute = path.len > 0 && path.ptr[0] == '/';
    bool is_below = is_absolute && folder.len > 0 && path.len > folder.len && str_starts(path, folder) &&
                    path.ptr[folder.len] == '/';
    if (is_below) path = str_sub(path, folder.len + 1, path.len);
    TRY(check_parts(is_absolute && !is_below ? str_sub(path, 1, path.len) : path, raw, err));
    *out = path;
    return ASSAY_OK;
}

/* ---- absolute paths: files that another table shares with this one ---- */

static struct str real_path(struct str path, struct arena *arena) {
    char *real = realpath(str_c(arena, path), NULL);
    struct str copy = real ? str_copy(arena, str_of(real)) : (struct str){0};
    free(real);
    return copy;
}

struct delta_places delta_places_of(const struct engine *engine, struct arena *arena) {
    struct delta_places places = {0};
    if (!engine) return places;
    const struct str *folders = engine_folders(engine, &places.count);
    places.folders = ARENA_ARRAY(arena, places.count, struct str);
    for (size_t i = 0; i < places.count; i++) places.folders[i] = real_path(folders[i], arena);
    return places;
}

enum assay_code delta_places_check(const struct delta_places *places, struct str path, struct arena *arena,
                                   struct assay_error *err) {
    struct str real = real_path(path, arena);
    if (real.len == 0) real = path; /* whoever opens it says what is wrong with it */
    for (size_t i = 0; i < places->count; i++) {
        struct str folder = places->folders[i];
        if (folder.len > 0 && str_starts(real, folder) && real.len > folder.len && real.ptr[folder.len] == '/')
            return ASSAY_OK;
    }
    return error_set(
        err, ASSAY_UNSUPPORTED, NULL,
        "the file '%.*s' of the table lies outside of the folders that assay may read (a shallow clone of a "
        "table elsewhere?)",
        STR_ARG(path));
}
