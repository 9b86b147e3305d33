#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CODE_NAME(code, name, exit) [code] = (name),
static const char *const names[] = {ASSAY_CODES(CODE_NAME)};
#define CODE_EXIT(code, name, exit) [code] = (exit),
static const int exits[] = {ASSAY_CODES(CODE_EXIT)};

const char *assay_code_name(enum assay_code code) {
    return (size_t)code < sizeof names / sizeof names[0] ? names[code] : "unknown code";
}

int assay_code_exit(enum assay_code code) { return (size_t)code < sizeof exits / sizeof exits[0] ? exits[code] : 3; }

/** A cut text may end inside a UTF-8 sequence: take the started sequence off. */
static void cut_at_character(char *text, size_t size) {
    size_t len = strlen(text);
    if (len + 1 < size) return;
    size_t at = len;
    while (at > 0 && ((unsigned char)text[at - 1] & 0xC0) == 0x80) at--;
    if (at > 0 && (unsigned char)text[at - 1] >= 0xC0) text[at - 1] = '\0';
}

enum assay_code error_set(struct assay_error *err, enum assay_code code, const char *where, const char *format, ...) {
    if (!err) return code;
    va_list args;
    va_start(args, format);
    err->code = code;
    snprintf(err->where, sizeof err->where, "%s", where ? where : "");
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    cut_at_character(err->where, sizeof err->where);
    cut_at_character(err->message, sizeof err->message);
    return code;
}

enum assay_code error_prepend(struct assay_error *err, const char *format, ...) {
    if (!err) return ASSAY_INTERNAL;
    char old[sizeof err->where];
    memcpy(old, err->where, sizeof old);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->where, sizeof err->where, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof err->where)
        snprintf(err->where + n, sizeof err->where - (size_t)n, "%s%s", old[0] ? ": " : "", old);
    cut_at_character(err->where, sizeof err->where);
    return err->code;
}

static enum assay_code code_of_errno(int errnum) {
    switch (errnum) {
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return ASSAY_DENIED;
    case ENOENT:
    case ENOTDIR:
        return ASSAY_NOT_FOUND;
    case EEXIST:
        return ASSAY_EXISTS;
    default:
        return ASSAY_UNAVAILABLE;
    }
}

enum assay_code error_errno(struct assay_error *err, int errnum, const char *where, const char *doing) {
    return error_set(err, code_of_errno(errnum), where, "cannot %s: %s", doing, strerror(errnum));
}
