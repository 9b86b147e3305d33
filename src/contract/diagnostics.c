/*
 * Mistakes as people read them:
 *
 *     orders.odcs.yaml:12:21: error: 'strng' is not a logical type [unknown-word]
 *        12 |         logicalType: strng
 *           |                      ^~~~~
 *        help: did you mean 'string'?
 *
 * 1. What is printed comes from a file that nobody checked: control characters and bytes that are not UTF-8 are shown
 * as '?', a tab as a blank, so that the caret stands under its character and no file can write to the terminal.
 * 2. Of a long line only a window around the caret is shown.
 * 3. No more than LIMIT_DIAGNOSTICS are kept; all are counted.
 */
#include "contract/contract.h"

#include "base/limits.h"

#include <stdlib.h>

enum { WINDOW = 110, WINDOW_BEFORE = 60 };

void diagnostics_add(struct diagnostics *d, struct arena *arena, struct diagnostic item) {
    if (item.severity == DIAGNOSTIC_ERROR) d->error_count++;
    if (item.severity == DIAGNOSTIC_WARNING) d->warning_count++;
    if (d->count >= LIMIT_DIAGNOSTICS) return;
    if (item.line == 0) item.line = 1;
    if (item.column == 0) item.column = 1;
    if (item.length == 0) item.length = 1;
    LIST_PUSH(arena, d->list, d->count, d->capacity) = item;
}

/* One character of hostile text: its bytes, and how to show it. */
static size_t next_character(struct str s, size_t at, struct str *show) {
    size_t n = 1;
    while (n < 4 && at + n < s.len && ((unsigned char)s.ptr[at + n] & 0xC0) == 0x80) n++;
    unsigned char lead = (unsigned char)s.ptr[at];
    if (lead < 0x80) n = 1;
    *show = str_sub(s, at, at + n);
    bool is_c1 = lead == 0xC2 && n == 2 && (unsigned char)s.ptr[at + 1] < 0xA0;
    if (lead == '\t')
        *show = STR(" ");
    else if (lead < 0x20 || lead == 0x7F || is_c1 || str_utf8_error(*show) != SIZE_MAX)
        *show = STR("?");
    return n;
}

static void add_safe(struct buf *out, struct str s) {
    struct str show;
    for (size_t at = 0; at < s.len;) {
        at += next_character(s, at, &show);
        buf_add(out, show);
    }
}

static struct str source_line(struct str text, uint32_t line) {
    struct str rest = text, head = {0};
    if (str_starts(rest, STR("\xEF\xBB\xBF"))) rest = str_sub(rest, 3, rest.len);
    for (uint32_t i = 0; i < line; i++) {
        if (i > 0 && rest.len == 0) return (struct str){0};
        rest = str_split(rest, '\n', &head);
    }
    if (head.len && head.ptr[head.len - 1] == '\r') head.len--;
    return head;
}

/* The first byte to show, so that the caret is inside the window: a border of characters. */
static size_t window_start(struct str line, size_t caret) {
    if (line.len <= WINDOW || caret < WINDOW_BEFORE) return 0;
    size_t start = caret - WINDOW_BEFORE;
    while (start < line.len && ((unsigned char)line.ptr[start] & 0xC0) == 0x80) start++;
    return start;
}

static void print_source(struct buf *out, struct str line, const struct diagnostic *item) {
    size_t caret = item->column - 1, marked_end = caret + item->length;
    if (caret > line.len) caret = line.len;
    if (marked_end > line.len) marked_end = line.len;

    size_t start = window_start(line, caret);
    struct buf below = {0};
    struct str show;
    buf_printf(out, "%6u | %s", (unsigned)item->line, start ? "..." : "");
    buf_addz(&below, start ? "   " : "");
    size_t at = start;
    while (at < line.len && at - start < WINDOW) {
        size_t next = at + next_character(line, at, &show);
        buf_add(out, show);
        if (at < caret)
            buf_addc(&below, ' ');
        else if (at < marked_end)
            buf_addc(&below, at == caret ? '^' : '~');
        at = next;
    }
    if (caret >= line.len) buf_addc(&below, '^');
    buf_printf(out, "%s\n       | %s\n", at < line.len ? "..." : "", below.data);
    buf_free(&below);
}

static void print_one(const struct diagnostics *d, const struct diagnostic *item, struct buf *out) {
    static const char *const names[] = {"error", "warning", "note"};
    add_safe(out, d->path);
    buf_printf(out, ":%u:%u: %s: ", (unsigned)item->line, (unsigned)item->column, names[item->severity]);
    add_safe(out, item->message);
    buf_printf(out, " [%.*s]\n", STR_ARG(item->code));
    struct str line = source_line(d->text, item->line);
    if (line.len) print_source(out, line, item);
    if (item->help.len == 0) return;
    buf_addz(out, "   help: ");
    add_safe(out, item->help);
    buf_addc(out, '\n');
}

static int by_place(const void *a, const void *b) {
    const struct diagnostic *x = *(const struct diagnostic *const *)a, *y = *(const struct diagnostic *const *)b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x < y ? -1 : x > y; /* as found: qsort is not stable */
}

void diagnostics_print(const struct diagnostics *d, enum diagnostic_severity least, struct buf *out) {
    const struct diagnostic **sorted = memory_alloc((d->count + 1) * sizeof(*sorted));
    for (size_t i = 0; i < d->count; i++) sorted[i] = &d->list[i];
    qsort(sorted, d->count, sizeof(*sorted), by_place);
    for (size_t i = 0; i < d->count; i++)
        if (sorted[i]->severity <= least) print_one(d, sorted[i], out);
    free(sorted);

    size_t all = d->error_count + d->warning_count;
    if (all > LIMIT_DIAGNOSTICS && d->count >= LIMIT_DIAGNOSTICS)
        buf_printf(out, "and more: %zu errors and %zu warnings in all\n", d->error_count, d->warning_count);
}
