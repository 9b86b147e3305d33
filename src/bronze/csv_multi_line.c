/**
 * Records that may go on over line ends inside quotes (`multiLine`).
 *
 * 1. A quote opens only at the start of a field. A line end inside quotes is part of the record.
 * 2. A field with a line end inside must have a delimiter, a line end or the end of the file right after its closing
 * quote.
 * 3. A record over several lines has at most max_record_bytes bytes; a record on one line may have any length.
 * 4. Where 2 or 3 fail, or no quote closes before the end of the file, only the line on which the record starts is
 * taken, as an unclosed record, and reading goes on at the next line: neighbours are never harmed.
 * 5. No byte is looked at more than a few times, whatever the file: how a look for a closing quote goes on after a line
 * end does not depend on where the record started, so struct csv_lookahead hands it on to the records after it.
 * Source: the oracle's rule "multiLine".
 */
#include "bronze/csv.h"
#include "bronze/csv_find.h"

struct scan {
    const struct csv_dialect *dialect;
    const char *start, *p, *end;
    const char *first_end; /* where the first line ends */
    int64_t lines;         /* line ends passed */
    bool is_inside;
    bool is_opened_before; /* the quote opened on a line before this one */
    bool is_broken;        /* rule 2 failed */
};

/** Length of the line end at p: 0, 1 or 2. */
static size_t line_end_at(const char *p, const char *end) {
    if (p >= end) return 0;
    if (*p == '\n') return 1;
    if (*p != '\r') return 0;
    return p + 1 < end && p[1] == '\n' ? 2 : 1;
}

static bool is_long(const struct scan *s) {
    return s->lines && (size_t)(s->p - s->start) > s->dialect->max_record_bytes;
}

/** At a quote or an escape inside quotes. */
static void step_inside(struct scan *s) {
    const struct csv_dialect *d = s->dialect;
    const char *next = s->p + 1;
    if (*s->p == d->escape && next < s->end && (*next == d->quote || *next == d->escape)) {
        s->p += 2;
        return;
    }
    if (*s->p == d->quote) {
        s->is_broken = s->is_opened_before && next < s->end && *next != d->delimiter && !line_end_at(next, s->end);
        s->is_inside = false;
    }
    if (!s->is_broken) s->p++;
}

/** At a quote outside of quotes. */
static void step_outside(struct scan *s) {
    s->is_inside = s->p == s->start || s->p[-1] == s->dialect->delimiter;
    s->is_opened_before = false;
    s->p++;
}

/** At a line end inside quotes. The first may lead into what an earlier look has seen; false: that is beyond the bytes.
 */
static bool step_line(struct scan *s, size_t size, int64_t offset, int64_t line, const struct csv_lookahead *look) {
    bool is_first = s->first_end == NULL;
    if (is_first) s->first_end = s->p;
    s->p += size;
    s->lines++;
    s->is_opened_before = true;
    int64_t here = offset + (s->p - s->start);
    if (!is_first || here < look->from || here > look->to) return true;
    if (look->to - offset > s->end - s->start) return false;
    s->p = s->start + (look->to - offset);
    s->lines = look->line - line;
    s->is_inside = look->is_inside;
    s->is_opened_before = look->is_opened_before;
    s->is_broken = look->is_broken;
    return true;
}

/** To the end of the record or of what can be said of it. False: more bytes are needed. */
static bool run(struct scan *s, int64_t offset, int64_t line, bool is_final, const struct csv_lookahead *look) {
    const struct csv_dialect *d = s->dialect;
    const struct csv_needles outside = csv_needles_of(d->quote, '\n', '\r', '\r');
    const struct csv_needles inside = csv_needles_of(d->quote, '\n', '\r', d->escape);
    while (!s->is_broken) {
        s->p = csv_find(s->is_inside ? &inside : &outside, s->p, s->end);
        if (is_long(s)) return true;
        if (!is_final && s->p + 2 >= s->end)
            return false; /* what follows decides about \r\n, escapes, closing quotes */
        if (s->p == s->end) return true;
        size_t size = line_end_at(s->p, s->end);
        if (size && !s->is_inside) return true;
        if (size) {
            if (!step_line(s, size, offset, line, look)) return false;
        } else if (s->is_inside) {
            step_inside(s);
        } else {
            step_outside(s);
        }
    }
    return true;
}

bool csv_multi_line_record(const struct csv_dialect *dialect, struct str bytes, int64_t offset, int64_t line,
                           bool is_final, struct csv_lookahead *look, struct csv_extent *out) {
    struct scan s = {dialect, bytes.ptr, bytes.ptr, bytes.ptr + bytes.len, NULL, 0, false, false, false};
    if (!run(&s, offset, line, is_final, look)) return false;
    out->is_unclosed = s.is_inside || s.is_broken || is_long(&s);
    if (out->is_unclosed && s.first_end) {
        int64_t second_line = offset + (s.first_end - s.start) + (int64_t)line_end_at(s.first_end, s.end);
        *look = (struct csv_lookahead){second_line, offset + (s.p - s.start), line + s.lines,
                                       s.is_inside, s.is_opened_before,       s.is_broken};
        s.p = s.first_end;
        s.lines = 0;
    }
    out->size = (size_t)(s.p - s.start);
    out->step = out->size + line_end_at(s.p, s.end);
    out->lines = s.lines + 1;
    return true;
}
