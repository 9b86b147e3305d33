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

/** p stands after a quote that may close. Returns true if the token is finished. */
static bool close_or_go_on(struct quoted *q) {
    const char *after = q->p;
    while (after < q->end && is_blank_byte(*after) && *after != q->d->delimiter) after++;
    if (after == q->end || *after == q->d->delimiter) {
        q->p = after;
        return true;
    }
    if (q->d->quote != q->d->escape && *q->p == q->d->quote) { /* two quotes that are no escape: the first is text */
        put(q, q->d->quote);
        q->p++;
        return close_or_go_on(q);
    }
    put(q, q->d->quote);
    finish_as_text(q);
    return true;
}

/** p stands after the opening quote. */
static void take_quoted(struct quoted *q) {
    const char quote = q->d->quote, escape = q->d->escape;
    const char *start = q->p;
    while (q->p < q->end) {
        char c = *q->p++;
        bool has_next = q->p < q->end;
        if (c == escape && has_next && (*q->p == quote || (*q->p == escape && escape != quote))) {
            put(q, *q->p++);
        } else if (c == quote) {
            if (close_or_go_on(q)) return;
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

size_t csv_tokenize(const struct csv_dialect *dialect, struct str record, csv_token *tokens, size_t max,
                    struct buf *scratch) {
    const char *p = record.ptr, *end = record.ptr + record.len;
    size_t count = 0;
    buf_clear(scratch);
    buf_reserve(scratch, record.len + 2); /* text put back is never longer than the record */
    for (;;) {
        csv_token token;
        if (p < end && *p == dialect->quote) {
            struct quoted q = {.d = dialect, .p = p + 1, .end = end, .out = scratch->data + scratch->len};
            take_quoted(&q);
            token = (csv_token){q.out, q.len};
            scratch->len += q.len;
            p = q.p;
        } else {
            token = take_plain(&p, end, dialect->delimiter);
        }
        if (count < max) tokens[count] = token;
        count++;
        if (p >= end) return count;
        p++; /* the delimiter */
    }
}
