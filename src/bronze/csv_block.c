/**
 * The records of a block, one after another, each cut into its tokens on the way.
 *
 * 1. Line mode looks at a line once: a field that does not start with a quote ends at the next delimiter or line end.
 * Only a line with a field that starts with a quote goes through csv_tokenize.
 * 2. Line mode has no record for a blank line, multiLine none for a line without a byte; neither for a comment. A line
 * of zero bytes is a record: it stands where rows were lost.
 */
#include "bronze/csv.h"
#include "bronze/csv_find.h"

#include <stdlib.h>

void csv_block_open(struct csv_block *b, const struct csv_dialect *dialect, size_t token_max, size_t block_bytes) {
    *b = (struct csv_block){.dialect = dialect, .token_max = token_max, .block_bytes = block_bytes};
    b->tokens = memory_alloc((token_max + 1) * sizeof *b->tokens);
}

void csv_block_close(struct csv_block *b) {
    text_piece_free(&b->text);
    free(b->tokens);
    free(b->extents);
    buf_free(&b->scratch);
    *b = (struct csv_block){0};
}

/** The bytes of the record at b->at; the block moves behind it. */
static void take_record(struct csv_block *b, size_t size, size_t step, struct csv_record *out) {
    *out = (struct csv_record){.bytes = {b->text.data + b->at, size},
                               .offset = b->base + (int64_t)b->at,
                               .line = b->line,
                               .is_valid = b->is_valid};
    b->at += step;
    if (!out->is_valid) out->is_valid = str_utf8_error(out->bytes) == SIZE_MAX;
    out->is_zero_filled = size && (unsigned char)out->bytes.ptr[0] <= ' ' && csv_is_zero_filled(out->bytes);
}

static void tokenize(struct csv_block *b, struct csv_record *record) {
    bool is_alone = !b->dialect->is_multi_line || record->is_unclosed;
    record->token_count = csv_tokenize(b->dialect, record->bytes, is_alone, b->tokens, b->token_max, &b->scratch);
}

/** The end of the field that starts at p and is not quoted: a delimiter, a line end or the end. */
static const char *field_end(const struct csv_dialect *d, const struct csv_needles *stops, const char *p,
                             const char *end) {
    const char *stop = csv_find(stops, p, end);
    if (d->more.len == 0) return stop;
    while (stop < end && *stop == d->delimiter && !csv_delimiter_at(d, stop, end))
        stop = csv_find(stops, stop + 1, end);
    return stop;
}

/** The line at b->at up to a field that starts with a quote, or whole. */
static void take_line(struct csv_block *b, struct csv_record *out) {
    const struct csv_dialect *d = b->dialect;
    const struct csv_needles stops = csv_needles_of(d->delimiter, '\n', '\r', '\r');
    const size_t step = 1 + d->more.len;
    const char *start = b->text.data + b->at, *end = b->text.data + b->stop, *p = start, *stop = NULL;
    size_t count = 0, size = 0;
    bool is_quoted = false;
    for (;; p = stop + step) {
        is_quoted = p < end && (unsigned char)*p == d->quote;
        if (is_quoted) break;
        stop = field_end(d, &stops, p, end);
        if (count < b->token_max) b->tokens[count] = stop == p ? (csv_token){0} : (csv_token){p, (size_t)(stop - p)};
        count++;
        if (stop == end || *stop != d->delimiter) break;
    }
    if (is_quoted) stop = csv_line_end(p, end, &size);
    if (stop < end) size = *stop == '\r' && stop + 1 < end && stop[1] == '\n' ? 2 : 1;
    take_record(b, (size_t)(stop - start), (size_t)(stop - start) + size, out);
    out->token_count = count;
    if (is_quoted) tokenize(b, out);
}

static bool is_comment(const struct csv_dialect *d, struct str line) {
    return d->comment.len && str_starts(line, d->comment);
}

static bool next_line(struct csv_block *b, struct csv_record *out) {
    bool is_found = false;
    while (b->at < b->stop && !is_found) {
        take_line(b, out);
        b->line++;
        is_found = out->bytes.len && ((unsigned char)out->bytes.ptr[0] > ' ' || !csv_is_blank(out->bytes)) &&
                   !is_comment(b->dialect, out->bytes);
    }
    return is_found;
}

static bool next_extent(struct csv_block *b, struct csv_record *out) {
    bool is_found = false;
    while (b->extent_at < b->extent_count && !is_found) {
        const struct csv_extent *e = &b->extents[b->extent_at++];
        take_record(b, e->size, e->step, out);
        out->is_unclosed = e->is_unclosed;
        b->line += e->lines;
        is_found = e->size > 0 && !e->is_comment;
    }
    if (is_found) tokenize(b, out);
    return is_found;
}

bool csv_block_next(struct csv_block *b, struct csv_record *out) {
    if (b->at == 0) b->is_valid = b->stop && str_utf8_error((struct str){b->text.data, b->stop}) == SIZE_MAX;
    return b->dialect->is_multi_line ? next_extent(b, out) : next_line(b, out);
}

struct str csv_record_bytes(struct csv_block *b, const struct csv_record *record, int64_t *offset) {
    size_t from = (size_t)(record->offset - b->base);
    return text_piece_bytes(&b->text, from, from + record->bytes.len, offset);
}
