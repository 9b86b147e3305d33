/*
 * The `path` of add, remove and cdc actions: a relative or absolute URI, percent-encoded (protocol: "Add File and
 * Remove File").
 *
 * 1. A path is decoded exactly once: `a%2520b` is the file `a%20b`. A plus sign is a plus sign.
 * 2. What comes out lies below the table's root: no empty, `.` or `..` part, no NUL, nothing in `_delta_log`.
 * 3. An absolute path is taken only if it lies below the root; other places and other schemes are refused by name,
 * never joined.
 */
#include "delta/delta_int.h"

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

static struct str strip_file_scheme(struct str raw) {
    struct str rest = str_sub(raw, 5, raw.len);
    if (str_starts(rest, STR("///"))) return str_sub(rest, 2, rest.len);
    return rest;
}

enum assay_code delta_path_decode(struct str raw, struct str folder, struct arena *arena, struct str *out,
                                  struct assay_error *err) {
    struct str rest = raw;
    if (str_starts(raw, STR("file:/")))
        rest = strip_file_scheme(raw);
    else if (scheme_length(raw) > 0)
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the path '%.*s' lies in another store; assay reads files below the table's folder only",
                         STR_ARG(raw));
    struct str path;
    TRY(decode_percent(rest, arena, &path, err));
    if (path.len > 0 && path.ptr[0] == '/') {
        bool is_below =
            folder.len > 0 && path.len > folder.len && str_starts(path, folder) && path.ptr[folder.len] == '/';
        if (!is_below)
            return error_set(err, ASSAY_UNSUPPORTED, NULL,
                             "the path '%.*s' is absolute and outside of the table's folder (a shallow clone?)",
                             STR_ARG(raw));
        path = str_sub(path, folder.len + 1, path.len);
    }
    TRY(check_parts(path, raw, err));
    *out = path;
    return ASSAY_OK;
}
