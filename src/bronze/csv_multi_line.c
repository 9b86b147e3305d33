/**
 * Records that may go on over line ends inside quotes (`multiLine`).
 *
 * 1. A quote opens only at the start of a field. A line end inside quotes is part of the record.
 * 2. A field with a line end inside must have a delimiter, a line end or the end of the file right after its closing
 * quote.
 * 3. A record over several lines has at most max_record_bytes bytes; a record on one line may have any length.
 * 4. Where 2 or 3 fail, or no quote closes before the end of the file, only the line on which the record starts is
 * taken, as an unclosed record, and reading goes on at the next line: neighbours are never harmed. Source: the oracle's
 * rule "multiLine".
 */
#include "bronze/csv.h"

/** Length of the line end at p: 0, 1 or 2. */
static size_t line_end_at(const char *p, const char *end) {
    if (p >= end) return 0;
    if (*p == '\n') return 1;
    if (*p != '\r') return 0;
    return p + 1 < end && p[1] == '\n' ? 2 : 1;
}

struct scan {
    const char *p;
    const char *first_end; /* where the first line ends */
    int64_t lines;         /* line ends passed */
    int64_t opened;        /* lines when the quote opened */
    bool is_inside;
    bool is_field_start;
    bool is_broken; /* rule 2 failed */
};

/** One step inside quotes. */
static void step_inside(const struct csv_dialect *d, struct scan *s, const char *end) {
    char c = *s->p;
    if (c == d->escape && s->p + 1 < end && (s->p[1] == d->quote || s->p[1] == d->escape)) {
        s->p += 2;
        return;
    }
    if (c == d->quote) {
        const char *next = s->p + 1;
        if (s->lines > s->opened && next < end && *next != d->delimiter && !line_end_at(next, end)) s->is_broken = true;
        s->is_inside = false;
    }
    s->is_field_start = false;
    s->p++;
}

static void step_outside(const struct csv_dialect *d, struct scan *s) {
    if (*s->p == d->quote && s->is_field_start) {
        s->is_inside = true;
        s->opened = s->lines;
    }
    s->is_field_start = *s->p == d->delimiter && !s->is_inside;
    s->p++;
}

bool csv_multi_line_record(const struct csv_dialect *dialect, struct str bytes, bool is_final, size_t *size,
                           size_t *step, int64_t *lines, bool *is_unclosed) {
    const char *start = bytes.ptr, *end = bytes.ptr + bytes.len;
    struct scan s = {.p = start, .is_field_start = true};
    bool is_long = false;
    while (s.p < end && !s.is_broken) {
        is_long = s.lines && (size_t)(s.p - start) > dialect->max_record_bytes;
        if (is_long) break;
        if (!is_final && s.p + 2 >= end) return false; /* what follows decides about \r\n, escapes and closing quotes */
        size_t n = line_end_at(s.p, end);
        if (n) {
            if (!s.first_end) s.first_end = s.p;
            if (!s.is_inside) break;
            s.lines++;
            s.p += n;
        } else if (s.is_inside) {
            step_inside(dialect, &s, end);
        } else {
            step_outside(dialect, &s);
        }
    }
    if (s.p >= end && !is_final) return false;
    is_long = is_long || (s.lines && (size_t)(s.p - start) > dialect->max_record_bytes);
    *is_unclosed = s.is_inside || s.is_broken || is_long;
    if (*is_unclosed) {
        s.p = s.first_end ? s.first_end : end;
        s.lines = 0;
    }
    size_t n = line_end_at(s.p, end);
    *size = (size_t)(s.p - start);
    *step = *size + n;
    *lines = s.lines + 1;
    return true;
}
