/**
 * Why a record is a corrupt row, worked out again from what bronze keeps of it: no table needs a column for it, and
 * rows of any age can be explained.
 *
 * What is said follows the tokenizer (csv_tokens.c): the number of fields is its count; a quote is named where that
 * explains the count, or, with multiLine, where the record was cut off behind its first line.
 */
#include "bronze/bronze_int.h"
#include "bronze/json.h"

#include "base/encoding.h"

/** What is wrong with the quotes of a record, at the first field where something is. */
enum fault { FAULT_NONE, FAULT_UNCLOSED, FAULT_TEXT_BEHIND };

struct finding {
    enum fault fault;
    size_t field; /* from 1 */
};

static const char *next_delimiter(const struct csv_dialect *d, const char *p, const char *end) {
    while (p < end && !csv_delimiter_at(d, p, end)) p++;
    return p;
}

/** p stands after an opening quote; the closing one, or end. */
static const char *closing_quote(const struct csv_dialect *d, const char *p, const char *end) {
    for (; p < end; p++) {
        int byte = (unsigned char)*p, next = p + 1 < end ? (unsigned char)p[1] : -1;
        if (byte == d->escape && (next == d->quote || (next == d->escape && next >= 0)))
            p++;
        else if (byte == d->quote)
            return p;
    }
    return end;
}

static struct finding find_fault(const struct csv_dialect *d, struct str record) {
    const char *p = record.ptr, *end = record.ptr + record.len;
    for (size_t field = 1;; field++) {
        if (p < end && (unsigned char)*p == d->quote) {
            p = closing_quote(d, p + 1, end);
            if (p == end) return (struct finding){FAULT_UNCLOSED, field};
            for (p++; p < end && (unsigned char)*p <= ' ' && !csv_delimiter_at(d, p, end);) p++;
            if (p < end && !csv_delimiter_at(d, p, end)) return (struct finding){FAULT_TEXT_BEHIND, field};
        }
        p = next_delimiter(d, p, end);
        if (p == end) return (struct finding){FAULT_NONE, 0};
        p += csv_delimiter_at(d, p, end);
    }
}

static size_t count_fields(const struct csv_dialect *d, struct str record) {
    struct buf scratch = {0};
    size_t count = csv_tokenize(d, record, true, NULL, 0, &scratch);
    buf_free(&scratch);
    return count;
}

/** The number and the names of a row's fields are those of its file's header, which no table keeps. */
static bool is_by_name(const struct plan *plan) { return plan->source.header == CONTRACT_HEADER_BY_NAME; }

static void put_field(const struct plan *plan, size_t field, struct buf *out) {
    buf_printf(out, "field %zu", field);
    if (is_by_name(plan) || field > plan->source_column_count) return;
    buf_addz(out, " (");
    buf_add_printable(out, plan->source_columns[field - 1]);
    buf_addc(out, ')');
}

static void put_part(struct buf *out, size_t start) {
    if (out->len > start) buf_addz(out, "; ");
}

/** The encoding of a record's bytes. Of UTF-16 and UTF-32 the file's mark said the order, which the record does not
 * have: the zero bytes of ASCII, which most delimiters are, tell it. */
static const struct encoding *encoding_of(struct str name, struct str bytes) {
    const struct encoding *e = encoding_find(name);
    if (!e || e->converter || e->unit_bytes == 1) return e;
    size_t first = 0, last = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        first += bytes.ptr[i] == '\0' && i % e->unit_bytes == 0;
        last += bytes.ptr[i] == '\0' && i % e->unit_bytes == e->unit_bytes - 1;
    }
    if (e->unit_bytes == 2) return encoding_find(first > last ? STR("UTF-16BE") : STR("UTF-16LE"));
    return encoding_find(first > last ? STR("UTF-32BE") : STR("UTF-32LE"));
}

/** The text that bytes stand for, and the first of them that is not valid, SIZE_MAX: all are. */
static size_t decode(struct str name, struct str bytes, struct buf *text) {
    const struct encoding *encoding = encoding_of(name, bytes);
    struct decoder *decoder = encoding && encoding->converter ? decoder_open(encoding) : NULL;
    if (!decoder) {
        buf_add(text, bytes);
        return str_utf8_error(bytes);
    }
    size_t made, bad = SIZE_MAX;
    buf_reserve(text, ENCODING_BAD_BYTES * bytes.len);
    decoder_step(decoder, bytes, true, text->data, ENCODING_BAD_BYTES * bytes.len, &made);
    text->len = made;
    size_t at = str_find_char(buf_str(text), ENCODING_BAD);
    if (at != SIZE_MAX) {
        struct buf before = {0};
        buf_reserve(&before, at);
        bad = decoder_step(decoder, bytes, true, before.data, at, &made);
        buf_free(&before);
    }
    decoder_close(&decoder);
    return bad;
}

static void put_bad_byte(const struct csv_dialect *d, struct str bytes, size_t bad, struct buf *out) {
    buf_printf(out, "byte %zu, 0x%02x, is not valid %.*s", bad + 1, (unsigned)(unsigned char)bytes.ptr[bad],
               STR_ARG(d->encoding));
}

static void put_encoding(const struct plan *plan, const struct csv_dialect *d, struct str bytes, size_t bad,
                         struct buf *out) {
    struct buf before = {0};
    decode(d->encoding, str_sub(bytes, 0, bad), &before);
    buf_printf(out, "byte %zu, 0x%02x in ", bad + 1, (unsigned)(unsigned char)bytes.ptr[bad]);
    put_field(plan, count_fields(d, buf_str(&before)), out);
    buf_printf(out, ", is not valid %.*s", STR_ARG(d->encoding));
    buf_free(&before);
}

static void put_quotes(const struct plan *plan, const struct csv_dialect *d, struct finding found, struct buf *out) {
    bool is_unclosed = found.fault == FAULT_UNCLOSED;
    buf_addz(out, is_unclosed ? "the quote that opens " : "text follows the closing quote of ");
    put_field(plan, found.field, out);
    if (!is_unclosed) return;
    if (d->is_multi_line)
        buf_printf(out, " is not closed, or not within %zu bytes, or has text behind it", d->max_record_bytes);
    else
        buf_addz(out, " is not closed on its line (multiLine is false)");
}

static void explain(const struct plan *plan, const struct csv_dialect *d, struct str record, struct buf *out,
                    size_t start) {
    size_t count = count_fields(d, record), columns = plan->source_column_count;
    struct finding found = find_fault(d, record);
    if (csv_is_zero_filled(record)) {
        put_part(out, start);
        buf_printf(out, "%zu zero bytes and nothing else: the file was not written here", record.len);
        return;
    }
    bool is_whole =
        is_by_name(plan) ? out->len > start || (d->is_multi_line && found.fault != FAULT_NONE) : count == columns;
    if (!is_whole) {
        put_part(out, start);
        if (is_by_name(plan))
            buf_printf(out, "%zu field%s, where the header of its file has another number", count,
                       count == 1 ? "" : "s");
        else
            buf_printf(out, "too %s fields: %zu of %zu", count < columns ? "few" : "many", count, columns);
    }
    if (found.fault == FAULT_NONE || (is_whole && !d->is_multi_line)) return;
    put_part(out, start);
    put_quotes(plan, d, found, out);
}

void bronze_corrupt_reason(const struct plan *plan, struct str text, struct str bytes, struct buf *out) {
    struct csv_dialect d;
    struct buf decoded = {0};
    size_t start = out->len;
    if (csv_dialect_of(&plan->source, &d, NULL) != ASSAY_OK) return;
    size_t bad = bytes.ptr ? decode(d.encoding, bytes, &decoded) : SIZE_MAX;
    if (bytes.ptr) text = buf_str(&decoded);
    if (plan->source.format == CONTRACT_JSON) {
        if (bad != SIZE_MAX) put_bad_byte(&d, bytes, bad, out);
        if (bad == SIZE_MAX) json_explain(text, out);
    } else {
        if (bad != SIZE_MAX) put_encoding(plan, &d, bytes, bad, out);
        explain(plan, &d, text, out, start);
    }
    if (out->len == start) buf_addz(out, "it reads well with the contract as it is now");
    buf_free(&decoded);
}
