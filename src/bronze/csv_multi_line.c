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
    const char *field;     /* where the field starts, as far as delimiters of several bytes were followed */
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
    if ((unsigned char)*s->p == d->escape && next < s->end &&
        ((unsigned char)*next == d->quote || (unsigned char)*next == d->escape)) {
        s->p += 2;
        return;
    }
    if ((unsigned char)*s->p == d->quote) {
        s->is_broken =
            s->is_opened_before && next < s->end && !csv_delimiter_at(d, next, s->end) && !line_end_at(next, s->end);
        s->is_inside = false;
    }
    if (!s->is_broken) s->p++;
}

/** Whether a field starts at p. A delimiter of several bytes may overlap itself (`||` in `|||`), so it is followed from
 * the front; only behind a look that was handed on is it told by the bytes before p. */
static bool is_at_field(const struct scan *s) {
    const struct csv_dialect *d = s->dialect;
    size_t size = 1 + d->more.len;
    if (s->p == s->start) return true;
    if (d->more.len && s->field) return s->p == s->field;
    return (size_t)(s->p - s->start) >= size && csv_delimiter_at(d, s->p - size, s->end) > 0;
}

/** At a quote or a delimiter of several bytes outside of quotes. */
static void step_outside(struct scan *s) {
    if ((unsigned char)*s->p == s->dialect->quote) {
        s->is_inside = is_at_field(s);
        s->is_opened_before = false;
        s->p++;
        return;
    }
    size_t size = csv_delimiter_at(s->dialect, s->p, s->end);
    s->p += size ? size : 1;
    if (size) s->field = s->p;
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
    s->field = NULL;
    return true;
}

/** To the end of the record or of what can be said of it. False: more bytes are needed. */
static bool run(struct scan *s, int64_t offset, int64_t line, bool is_final, const struct csv_lookahead *look) {
    const struct csv_dialect *d = s->dialect;
    const struct csv_needles outside = csv_needles_of((char)d->quote, '\n', '\r', d->more.len ? d->delimiter : '\r');
    const struct csv_needles inside = csv_needles_of((char)d->quote, '\n', '\r', (char)d->escape);
    while (!s->is_broken) {
        s->p = csv_find(s->is_inside ? &inside : &outside, s->p, s->end);
        if (is_long(s)) return true;
        if (!is_final && (size_t)(s->end - s->p) <= 2 + d->more.len)
            return false; /* what follows decides about \r\n, escapes, closing quotes, delimiters */
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

/** A line that is a comment. False: more bytes are needed. */
static bool take_comment(struct str bytes, bool is_final, struct csv_extent *out) {
    size_t size;
    const char *end = bytes.ptr + bytes.len, *stop = csv_line_end(bytes.ptr, end, &size);
    if (!is_final && stop + 1 >= end) return false;
    *out = (struct csv_extent){
        .size = (size_t)(stop - bytes.ptr), .step = (size_t)(stop - bytes.ptr) + size, .lines = 1, .is_comment = true};
    return true;
}

bool csv_multi_line_record(const struct csv_dialect *dialect, struct str bytes, int64_t offset, int64_t line,
                           bool is_final, struct csv_lookahead *look, struct csv_extent *out) {
    struct str comment = dialect->comment;
    if (comment.len && bytes.len < comment.len && !is_final) return false;
    if (comment.len && str_starts(bytes, comment)) return take_comment(bytes, is_final, out);
    struct scan s = {.dialect = dialect, .start = bytes.ptr, .p = bytes.ptr, .end = bytes.ptr + bytes.len};
    s.field = s.start;
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
    out->is_comment = false;
    return true;
}
