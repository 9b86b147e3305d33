/**
 * Tokens of a record, as Spark 3.5's CSV reader (univocity 2.9.1 with STOP_AT_DELIMITER) gives them, odd ones included.
 *
 * 1. A token that does not start with a quote runs to the next delimiter; quotes in it are text.
 * 2. In quotes, escape and quote make a quote (with the quote as its own escape: two quotes), escape and escape make
 * one when they are not the quote; any other escape is text.
 * 3. A quote followed by a delimiter or the end closes the token; blanks (bytes up to 0x20) between them are dropped.
 * 4. A quote followed by anything else was no closing quote: the token becomes its text with the opening quote put
 * back, up to the next delimiter.
 * 5. A token whose quote never closes is what stands after the quote; a quote alone at the end is itself.
 * 6. When the escape is not the quote, a quote and then an escape lead into rule_six, where delimiters get lost.
 * 7. Where the bytes just end, without a line end, a quote that was read last may come out once more (at_end).
 *
 * NUL bytes, which Spark's tokenizer confuses with its own marks in rules 4 to 6, are text here.
 * Source: csv-json-and-casts facts, "Tokenizer"; tests/data/spark: spark_csv_tokenizer_cases.txt and a sample of random
 * lines; rules 6 and 7 were found by comparing random lines.
 */
#include "bronze/csv.h"
#include "bronze/csv_find.h"

#include <string.h>

enum { NOTHING = -2, LINE_END = -1 }; /* beside the bytes 0..255, as values of ch and prev */

/** A token under construction inside scratch, whose room was reserved for the whole record. */
struct quoted {
    const struct csv_dialect *dialect;
    int quote, escape;
    const char *p, *end;
    bool is_alone;     /* no line end follows */
    bool is_unescaped; /* rule 4 right behind the quote */
    int ch, prev;      /* the byte being looked at, and the one before that decides what it means */
    char *out;
    size_t len;
};

static void put(struct quoted *q, int c) { q->out[q->len++] = (char)c; }

/** False: there is no more; ch stays. */
static bool next(struct quoted *q) {
    if (q->p == q->end && (q->is_alone || q->ch == LINE_END)) return false;
    q->ch = q->p < q->end ? (unsigned char)*q->p++ : LINE_END;
    return true;
}

/** Blanks, and the line end. */
static bool is_blank(int ch) { return ch != NOTHING && ch <= ' '; }
static bool is_delimiter(const struct quoted *q) {
    return q->ch >= 0 && csv_delimiter_at(q->dialect, q->p - 1, q->end) > 0;
}
static bool is_stop(const struct quoted *q) { return q->ch == LINE_END || is_delimiter(q); }
static bool is_mark(const struct quoted *q) { return q->ch == q->quote || q->ch == q->escape; }

/** Put what comes before a stop or, with in_quotes, before a mark. When the bytes end, ch is what it was at first. */
static bool put_until(struct quoted *q, bool in_quotes) {
    int first = q->ch;
    while (in_quotes ? !is_mark(q) && q->ch != LINE_END : !is_stop(q)) {
        put(q, q->ch);
        if (next(q)) continue;
        q->ch = first;
        return false;
    }
    return true;
}

/** Rule 4: the opening quote comes back, and everything to the next delimiter is text. */
static bool take_as_text(struct quoted *q) {
    memmove(q->out + 1, q->out, q->len);
    q->out[0] = (char)q->quote;
    q->len++;
    return next(q) && put_until(q, false);
}

/** Rule 2, at a quote or an escape. False: it is an escape behind a quote, for rule 6. */
static bool take_mark(struct quoted *q) {
    if (q->ch == q->quote && (q->prev == q->escape || q->prev == q->quote)) {
        put(q, q->quote);
        if (q->prev == q->escape) q->ch = NOTHING;
    } else if (q->ch == q->escape && q->prev == q->escape) {
        put(q, q->escape);
        q->ch = NOTHING;
    } else if (q->prev == q->quote) {
        return false;
    }
    return true;
}

/** Rule 6: text in which marks keep their meaning, up to a delimiter; but each quote with an escape behind it takes one
 * delimiter away, and what follows that belongs to the token too. */
static bool take_escape_behind_quote(struct quoted *q) {
    size_t depth = 1;
    put(q, q->quote);
    q->prev = q->ch;
    for (;;) {
        if (is_stop(q)) {
            if (q->ch != LINE_END) q->p += q->dialect->more.len; /* the whole delimiter is lost */
            if (--depth == 0) return true;
        } else if (is_mark(q) && !take_mark(q)) {
            put(q, q->quote);
            q->prev = q->ch;
            depth++;
            continue;
        } else if (!is_mark(q) && q->ch != NOTHING) {
            if (q->prev == q->quote) put(q, q->quote);
            put(q, q->ch);
        }
        q->prev = q->ch;
        if (!next(q)) return false;
    }
}

/** Rule 3: blanks behind a closing quote, and rule 4 when something else follows them. */
static bool take_blanks(struct quoted *q) {
    const char *blanks = q->p - 1;
    while (is_blank(q->ch) && !is_delimiter(q)) {
        if (!next(q)) return false;
        if (q->ch == LINE_END) return true;
    }
    if (is_delimiter(q)) return true;
    put(q, q->quote);
    bool is_pair = q->ch >= 0xF0; /* of two characters in Java */
    while (!is_pair && q->p < q->end && ((unsigned char)*q->p & 0xC0) == 0x80) q->p++;
    while (blanks < q->p) put(q, (unsigned char)*blanks++); /* and the character behind them */
    q->prev = q->ch;
    return take_as_text(q);
}

/** p stands after the opening quote. True: a delimiter or a line end was reached. */
static bool take_in_quotes(struct quoted *q) {
    if (!next(q)) return false;
    while (q->prev != q->quote || !(is_blank(q->ch) || is_delimiter(q))) {
        if (is_mark(q)) {
            if (!take_mark(q) && !take_escape_behind_quote(q)) return false;
        } else if (q->prev == q->quote) {
            q->is_unescaped = true;
            put(q, q->quote);
            put(q, q->ch);
            q->prev = q->ch;
            return take_as_text(q);
        } else {
            if (q->prev == q->escape) put(q, q->escape);
            if (q->ch == LINE_END || !put_until(q, true)) return false;
        }
        q->prev = q->ch;
        if (!next(q)) return false;
    }
    return is_stop(q) || take_blanks(q);
}

/** Rule 7. */
static void finish_at_end(struct quoted *q) {
    if (q->ch == q->quote && q->prev != q->quote && !q->is_unescaped) put(q, q->quote);
}

static csv_token take_plain(const struct csv_dialect *d, const char **p, const char *end) {
    const char *start = *p, *stop = start;
    while (stop < end) {
        stop = memchr(stop, d->delimiter, (size_t)(end - stop));
        if (!stop) stop = end;
        if (stop == end || csv_delimiter_at(d, stop, end)) break;
        stop++;
    }
    *p = stop;
    return stop == start ? (csv_token){0} : (csv_token){start, (size_t)(stop - start)};
}

/** *p stands at the opening quote. The usual token is borrowed: its first quote or escape is the quote that closes it,
 * right before a delimiter or the end. */
static csv_token take_quoted(const struct csv_dialect *d, const struct csv_needles *marks, const char **p,
                             struct str record, bool is_alone, struct buf *scratch) {
    const char *end = record.ptr + record.len;
    const char *start = *p + 1, *stop = csv_find(marks, start, end);
    bool is_plain =
        stop < end && (unsigned char)*stop == d->quote && (stop + 1 == end || csv_delimiter_at(d, stop + 1, end));
    if (is_plain) {
        *p = stop + 1;
        return (csv_token){start, (size_t)(stop - start)};
    }
    buf_reserve(scratch, record.len + 2 - scratch->len); /* once for all tokens: only rule 7 adds a byte, at the end */
    struct quoted q = {.dialect = d,
                       .quote = d->quote,
                       .escape = d->escape,
                       .p = start,
                       .end = end,
                       .is_alone = is_alone,
                       .ch = d->quote,
                       .prev = NOTHING,
                       .out = scratch->data + scratch->len};
    bool is_at_delimiter = take_in_quotes(&q) && q.ch != LINE_END;
    if (!is_at_delimiter && q.ch != LINE_END) finish_at_end(&q);
    scratch->len += q.len;
    *p = is_at_delimiter ? q.p - 1 : end;
    return (csv_token){q.out, q.len};
}

size_t csv_tokenize(const struct csv_dialect *dialect, struct str record, bool is_alone, csv_token *tokens, size_t max,
                    struct buf *scratch) {
    const struct csv_needles marks =
        csv_needles_of((char)dialect->quote, (char)dialect->escape, (char)dialect->quote, (char)dialect->quote);
    const char *p = record.ptr, *end = record.ptr + record.len;
    size_t count = 0;
    buf_clear(scratch);
    for (;;) {
        bool is_quoted = p < end && (unsigned char)*p == dialect->quote;
        csv_token token =
            is_quoted ? take_quoted(dialect, &marks, &p, record, is_alone, scratch) : take_plain(dialect, &p, end);
        if (count < max) tokens[count] = token;
        count++;
        if (p >= end) return count;
        p += 1 + dialect->more.len; /* the delimiter */
    }
}
