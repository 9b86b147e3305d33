/**
 * Tokens of a record, as Spark 3.5's CSV reader (univocity 2.9.1 with STOP_AT_DELIMITER) gives them.
 *
 * 1. A token that does not start with a quote runs to the next delimiter; quotes in it are text.
 * 2. In quotes, escape and quote make a quote (with the quote as its own escape: two quotes), escape and escape make
 * one when they are not the quote; any other escape is text.
 * 3. A quote followed by a delimiter or the end closes the token; blanks (bytes up to 0x20) between them are dropped.
 * 4. A quote followed by anything else was no closing quote: the token becomes its text with the opening quote put
 * back, up to the next delimiter.
 * 5. A token whose quote never closes is what stands after the quote; a quote alone at the end is itself.
 * Source: csv-json-and-casts facts, "Tokenizer"; tests/data/spark/spark_csv_tokenizer_cases.txt.
 */
#include "bronze/csv.h"
#include "bronze/csv_find.h"

#include <string.h>

/** A token under construction inside scratch, whose room was reserved for the whole record. */
struct quoted {
    const struct csv_dialect *d;
    const char *p, *end;
    char *out;
    size_t len;
};

static void put(struct quoted *q, char c) { q->out[q->len++] = c; }

static bool is_blank_byte(char c) { return (unsigned char)c <= ' '; }

/** Rule 4: the opening quote comes back, and everything to the next delimiter is text. */
static void finish_as_text(struct quoted *q) {
    memmove(q->out + 1, q->out, q->len);
    q->out[0] = q->d->quote;
    q->len++;
    while (q->p < q->end && *q->p != q->d->delimiter) put(q, *q->p++);
}

/** p stands after a quote that may close. Moves it to the delimiter or the end if it does. */
static bool closes(struct quoted *q) {
    const char *after = q->p;
    while (after < q->end && is_blank_byte(*after) && *after != q->d->delimiter) after++;
    if (after < q->end && *after != q->d->delimiter) return false;
    q->p = after;
    return true;
}

/** p stands after a quote inside quotes: the token ends here, one way or the other. */
static void finish_at_quote(struct quoted *q) {
    while (!closes(q)) {
        put(q, q->d->quote);
        bool is_double = q->d->quote != q->d->escape && *q->p == q->d->quote;
        if (!is_double) {
            finish_as_text(q);
            return;
        }
        q->p++; /* two quotes that are no escape: the first is text, the second may close */
    }
}

/** p stands after the opening quote. */
static void take_escaped(struct quoted *q) {
    const char quote = q->d->quote, escape = q->d->escape;
    const char *start = q->p;
    while (q->p < q->end) {
        char c = *q->p++;
        bool has_next = q->p < q->end;
        if (c == escape && has_next && (*q->p == quote || (*q->p == escape && escape != quote))) {
            put(q, *q->p++);
        } else if (c == quote) {
            finish_at_quote(q);
            return;
        } else {
            put(q, c);
        }
    }
    if (q->p == start) put(q, quote); /* a quote alone at the end */
}

static csv_token take_plain(const char **p, const char *end, char delimiter) {
    const char *start = *p;
    const char *stop = end > start ? memchr(start, delimiter, (size_t)(end - start)) : NULL;
    if (!stop) stop = end;
    *p = stop;
    return stop == start ? (csv_token){0} : (csv_token){start, (size_t)(stop - start)};
}

/** *p stands at the opening quote. The usual token is borrowed: its first quote or escape is the quote that closes it,
 * right before a delimiter or the end. */
static csv_token take_quoted(const struct csv_dialect *d, const struct csv_needles *stops, const char **p,
                             struct str record, struct buf *scratch) {
    const char *end = record.ptr + record.len;
    const char *start = *p + 1, *stop = csv_find(stops, start, end);
    bool is_plain = stop < end && *stop == d->quote && (stop + 1 == end || stop[1] == d->delimiter);
    if (is_plain) {
        *p = stop + 1;
        return (csv_token){start, (size_t)(stop - start)};
    }
    buf_reserve(scratch, record.len + 2 - scratch->len); /* once for all tokens: text put back is never longer */
    struct quoted q = {.d = d, .p = start, .end = end, .out = scratch->data + scratch->len};
    take_escaped(&q);
    scratch->len += q.len;
    *p = q.p;
    return (csv_token){q.out, q.len};
}

size_t csv_tokenize(const struct csv_dialect *dialect, struct str record, csv_token *tokens, size_t max,
                    struct buf *scratch) {
    const struct csv_needles stops = csv_needles_of(dialect->quote, dialect->escape, dialect->quote, dialect->quote);
    const char *p = record.ptr, *end = record.ptr + record.len;
    size_t count = 0;
    buf_clear(scratch);
    for (;;) {
        bool is_quoted = p < end && *p == dialect->quote;
        csv_token token =
            is_quoted ? take_quoted(dialect, &stops, &p, record, scratch) : take_plain(&p, end, dialect->delimiter);
        if (count < max) tokens[count] = token;
        count++;
        if (p >= end) return count;
        p++; /* the delimiter */
    }
}
