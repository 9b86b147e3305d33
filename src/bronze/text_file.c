/**
 * Files as UTF-8 text.
 *
 * 1. Text is decoded in steps of a few thousand bytes, and every step leaves a mark: text up to here was made of bytes
 * up to there. Between two marks a look-up decodes again, as far as it has to. So the bytes of a record cost nothing
 * until somebody asks for them.
 * 2. A step ends at a whole character, and no encoding that is read keeps a state between characters (base/encoding.h):
 * decoding may start again at any mark.
 * 3. The first bytes may not prove another encoding than the contract's: a mark of UTF-16 where UTF-8 was declared is
 * one error, not a million corrupt rows.
 */
#include "bronze/text_file.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_BYTES = 4096, HEAD_BYTES = 8 };

/* ---- pieces ---- */

void text_piece_free(struct text_piece *piece) {
    free(piece->data);
    free(piece->marks);
    buf_free(&piece->raw);
    buf_free(&piece->scratch);
    decoder_close(&piece->decoder);
    *piece = (struct text_piece){0};
}

static void reserve(struct text_piece *piece, size_t more) {
    if (piece->len + more <= piece->capacity) return;
    size_t grown = piece->capacity + piece->capacity / 2;
    piece->capacity = piece->len + more > grown ? piece->len + more : grown;
    piece->data = memory_realloc(piece->data, piece->capacity);
}

static void put_mark(struct text_piece *piece, struct text_mark mark) {
    if (piece->mark_count == piece->mark_capacity) {
        piece->mark_capacity = piece->mark_capacity ? 2 * piece->mark_capacity : 256;
        piece->marks = memory_realloc(piece->marks, piece->mark_capacity * sizeof *piece->marks);
    }
    piece->marks[piece->mark_count++] = mark;
}

/** The last mark at or before this place in the text. */
static struct text_mark mark_before(const struct text_piece *piece, size_t text) {
    size_t low = 0, high = piece->mark_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (piece->marks[middle].text <= text)
            low = middle;
        else
            high = middle;
    }
    return piece->marks[low];
}

/** Where in raw the text at this place begins. */
static size_t find_raw(struct text_piece *piece, size_t text) {
    struct text_mark mark = mark_before(piece, text);
    if (piece->at.text <= text && piece->at.text > mark.text) mark = piece->at;
    if (text == piece->len) return piece->raw.len;
    if (!piece->decoder) piece->decoder = decoder_open(piece->encoding);
    buf_clear(&piece->scratch);
    buf_reserve(&piece->scratch, text - mark.text);
    while (mark.text < text) {
        size_t made;
        struct str rest = str_sub(buf_str(&piece->raw), mark.raw, piece->raw.len);
        mark.raw += decoder_step(piece->decoder, rest, true, piece->scratch.data, text - mark.text, &made);
        mark.text += made;
        if (made == 0) break; /* not a border of characters: promised not to happen, and no reason to hang */
    }
    piece->at = mark;
    return mark.raw;
}

struct str text_piece_bytes(struct text_piece *piece, size_t from, size_t to, int64_t *offset) {
    if (!piece->encoding) {
        *offset = piece->offset + (int64_t)from;
        return (struct str){piece->data + from, to - from};
    }
    size_t raw_from = find_raw(piece, from), raw_to = find_raw(piece, to);
    *offset = piece->raw_offset + (int64_t)raw_from;
    return str_sub(buf_str(&piece->raw), raw_from, raw_to);
}

/* ---- files ---- */

/** Invariant 3. `UTF-16` and `UTF-32` become what the mark says. */
static enum assay_code check_head(struct text_file *f, const struct encoding *declared, struct str head,
                                  struct assay_error *err) {
    const struct encoding *proved = encoding_of_head(head);
    bool is_by_mark = declared->converter == NULL && declared->unit_bytes > 1;
    bool is_fit = proved && proved->unit_bytes == declared->unit_bytes;
    f->encoding = declared;
    if (is_by_mark && is_fit && str_starts(head, proved->mark)) {
        f->encoding = proved;
        return ASSAY_OK;
    }
    if (is_by_mark && head.len == 0) return ASSAY_OK;
    if (is_by_mark)
        return error_set(err, ASSAY_REFUSED, f->source.path,
                         "no byte order mark says which %.*s the file is; no row of the batch was loaded\n"
                         "next: declare encoding: %.*sLE or %.*sBE in assaySource",
                         STR_ARG(declared->name), STR_ARG(declared->name), STR_ARG(declared->name));
    if (!proved || proved == declared) return ASSAY_OK;
    bool is_mark = str_starts(head, proved->mark);
    return error_set(err, ASSAY_REFUSED, f->source.path,
                     "the file is %.*s (%s), the contract's encoding is %.*s; no row of the batch was loaded\n"
                     "next: declare encoding: %.*s in assaySource, or ask the source for %.*s",
                     STR_ARG(proved->name), is_mark ? "its byte order mark says so" : "every second byte is zero",
                     STR_ARG(declared->name), STR_ARG(proved->name), STR_ARG(declared->name));
}

/** The first bytes, looked at and kept for the first piece; the mark is passed over. */
static enum assay_code read_head(struct text_file *f, const struct encoding *declared, struct assay_error *err) {
    char head[HEAD_BYTES];
    size_t len;
    TRY(byte_source_read(&f->source, head, sizeof head, &len, err));
    struct str bytes = {head, len};
    TRY(check_head(f, declared, bytes, err));
    struct str mark = f->encoding->mark;
    if (mark.len && str_starts(bytes, mark)) {
        bytes = str_sub(bytes, mark.len, len);
        f->raw_offset = (int64_t)mark.len;
    }
    if (str_eq(f->encoding->name, STR("UTF-8"))) f->encoding = NULL;
    buf_add(&f->undecoded, bytes);
    f->offset = f->encoding ? 0 : f->raw_offset;
    return ASSAY_OK;
}

enum assay_code text_file_open(struct text_file *f, const char *path, int64_t size_bytes, struct str encoding,
                               struct assay_error *err) {
    *f = (struct text_file){0};
    const struct encoding *declared = encoding_find(encoding);
    if (!declared) return error_set(err, ASSAY_UNSUPPORTED, path, "encoding %.*s cannot be read", STR_ARG(encoding));
    TRY(byte_source_open(&f->source, path, size_bytes, err));
    enum assay_code rc = read_head(f, declared, err);
    if (rc == ASSAY_OK && f->encoding && f->encoding->converter) {
        f->decoder = decoder_open(f->encoding);
        if (!f->decoder)
            rc = error_set(err, ASSAY_UNSUPPORTED, path,
                           "iconv of this machine does not know %s, which the contract's encoding %.*s needs\n"
                           "next: install the C library's converters (gconv)",
                           f->encoding->converter, STR_ARG(f->encoding->name));
    }
    if (rc) text_file_close(f);
    return rc;
}

void text_file_close(struct text_file *f) {
    byte_source_close(&f->source);
    decoder_close(&f->decoder);
    buf_free(&f->undecoded);
    text_piece_free(&f->kept);
}

void text_file_begin(struct text_file *f, struct text_piece *piece) {
    struct text_piece *kept = &f->kept;
    piece->encoding = f->encoding;
    piece->len = 0;
    piece->offset = f->offset - (int64_t)kept->len;
    piece->raw_offset = f->raw_offset - (int64_t)kept->raw.len;
    piece->mark_count = 0;
    piece->at = (struct text_mark){0};
    reserve(piece, kept->len);
    if (kept->len) memcpy(piece->data, kept->data, kept->len);
    piece->len = kept->len;
    kept->len = 0;
    if (!f->encoding) return;
    buf_clear(&piece->raw);
    buf_add(&piece->raw, buf_str(&kept->raw));
    buf_clear(&kept->raw);
    put_mark(piece, (struct text_mark){0, 0});
    put_mark(piece, (struct text_mark){piece->len, piece->raw.len});
}

void text_file_keep(struct text_file *f, struct text_piece *piece, size_t from) {
    struct text_piece *kept = &f->kept;
    kept->len = 0;
    reserve(kept, piece->len - from);
    if (piece->len > from) memcpy(kept->data, piece->data + from, piece->len - from);
    kept->len = piece->len - from;
    if (!f->encoding) return;
    size_t raw_from = find_raw(piece, from);
    buf_clear(&kept->raw);
    buf_add(&kept->raw, str_sub(buf_str(&piece->raw), raw_from, piece->raw.len));
}

/** Decode all whole characters of f->undecoded behind the piece, and move them to its raw bytes. */
static void decode(struct text_file *f, struct text_piece *piece) {
    struct str bytes = buf_str(&f->undecoded);
    size_t taken = 0, step = 1;
    while (taken < bytes.len && step) {
        size_t made, some = bytes.len - taken < STEP_BYTES ? bytes.len - taken : STEP_BYTES;
        bool is_final = f->is_at_end && taken + some == bytes.len;
        reserve(piece, ENCODING_BAD_BYTES * STEP_BYTES);
        step = decoder_step(f->decoder, str_sub(bytes, taken, taken + some), is_final, piece->data + piece->len,
                            piece->capacity - piece->len, &made);
        buf_add(&piece->raw, str_sub(bytes, taken, taken + step));
        taken += step;
        piece->len += made;
        put_mark(piece, (struct text_mark){piece->len, piece->raw.len});
        f->offset += (int64_t)made;
        f->raw_offset += (int64_t)step;
    }
    memmove(f->undecoded.data, bytes.ptr + taken, bytes.len - taken);
    f->undecoded.len = bytes.len - taken;
}

enum assay_code text_file_read(struct text_file *f, struct text_piece *piece, size_t want, struct assay_error *err) {
    size_t got;
    if (f->encoding) {
        size_t before = f->undecoded.len;
        buf_reserve(&f->undecoded, want);
        TRY(byte_source_read(&f->source, f->undecoded.data + before, want, &got, err));
        f->undecoded.len = before + got;
        f->is_at_end = got < want;
        decode(f, piece);
        return ASSAY_OK;
    }
    reserve(piece, want + f->undecoded.len);
    if (f->undecoded.len) memcpy(piece->data + piece->len, f->undecoded.data, f->undecoded.len);
    size_t head = f->undecoded.len;
    TRY(byte_source_read(&f->source, piece->data + piece->len + head, want, &got, err));
    f->undecoded.len = 0;
    piece->len += head + got;
    f->offset += (int64_t)(head + got);
    f->is_at_end = got < want;
    return ASSAY_OK;
}
