/*
 * Saying what is wrong. Messages quote what the user wrote, cut when long; the help says what to do next.
 */
#include "contract/reader.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 60, HINT_NAMES = 12 };

struct str shown(const struct reader *r, struct str text) {
    if (text.len <= SHOWN_BYTES) return text;
    size_t end = SHOWN_BYTES;
    while (end > 0 && ((unsigned char)text.ptr[end] & 0xC0) == 0x80) end--;
    return str_printf(r->arena, "%.*s...", (int)end, text.ptr);
}

__attribute__((format(printf, 6, 0))) static void report(struct reader *r, enum diagnostic_severity severity,
                                                         struct mark at, const char *code, struct str help,
                                                         const char *format, va_list args) {
    struct diagnostic item = {.severity = severity,
                              .code = str_of(code),
                              .line = at.line,
                              .column = at.column,
                              .length = at.length,
                              .help = help};
    if (r->diagnostics->count < LIMIT_DIAGNOSTICS) {
        struct buf message = {0};
        buf_vprintf(&message, format, args);
        item.message = str_copy(r->arena, buf_str(&message));
        buf_free(&message);
    }
    diagnostics_add(r->diagnostics, r->arena, item);
}

void report_error(struct reader *r, struct mark at, const char *code, struct str help, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(r, DIAGNOSTIC_ERROR, at, code, help, format, args);
    va_end(args);
}

void report_warning(struct reader *r, struct mark at, const char *code, struct str help, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(r, DIAGNOSTIC_WARNING, at, code, help, format, args);
    va_end(args);
}

struct str hint_names(const struct reader *r, struct str name, const struct str *names, size_t count) {
    struct str nearest = str_nearest(name, names, count);
    if (nearest.len) return str_printf(r->arena, "did you mean '%.*s'?", STR_ARG(shown(r, nearest)));
    if (count == 0 || count > HINT_NAMES) return (struct str){0};
    struct buf all = {0};
    buf_addz(&all, "one of: ");
    for (size_t i = 0; i < count; i++) buf_printf(&all, "%s%.*s", i ? ", " : "", STR_ARG(shown(r, names[i])));
    struct str help = str_copy(r->arena, buf_str(&all));
    buf_free(&all);
    return help;
}

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

void report_expr(struct reader *r, const struct yaml_node *scalar, struct str text, const uint32_t *origin,
                 const struct assay_error *err) {
    size_t offset = 0;
    const char *column = strstr(err->where, "column ");
    if (column) offset = strtoul(column + strlen("column "), NULL, 10);
    if (offset > 0) offset--;
    if (offset > text.len) offset = text.len;
    size_t end = offset;
    bool is_quoted = end < text.len && text.ptr[end] == '`';
    if (is_quoted) end += 1 + str_find_char(str_sub(text, end + 1, text.len), '`') + 1;
    while (!is_quoted && end < text.len && is_name_byte(text.ptr[end])) end++;
    if (end > text.len || end < offset) end = offset; /* a quote that is never closed */
    size_t at = origin ? origin[offset] : offset, length = (origin ? origin[end] : end) - at;
    report_error(r, mark_text(r, scalar, at, length), "bad-expression", (struct str){0}, "%s", err->message);
}

void unchecked_add(struct reader *r, uint32_t line, const char *format, ...) {
    struct buf phrase = {0};
    buf_printf(&phrase, "line %u: ", (unsigned)line);
    va_list args;
    va_start(args, format);
    buf_vprintf(&phrase, format, args);
    va_end(args);
    LIST_PUSH(r->arena, r->contract->unchecked, r->contract->unchecked_count, r->unchecked_capacity) =
        str_copy(r->arena, buf_str(&phrase));
    buf_free(&phrase);
}
