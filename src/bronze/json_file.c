/*
 * A file of JSON, read block by block from front to back; the records of a block, one after another.
 *
 * 1. A block holds whole records, so none is cut. What is behind its last one is given back and comes first in the next
 * block.
 * 2. A record is known by its line. With multiLine several may begin on one line, so there it is known by its number in
 * the file: one and one only, because which of two rows is the later one is decided by it.
 * 3. Without multiLine a file that begins with an array or with a brace alone on its line was meant otherwise: one
 * error instead of a corrupt row a line.
 * 4. Where a document does not end nothing behind it can be trusted, so nothing of the file is loaded.
 */
#include "bronze/json.h"

#include "base/limits.h"
#include "bronze/csv.h"

#include <stdlib.h>

enum assay_code json_file_open(struct json_file *f, const struct json_settings *settings, const char *path,
                               const char *name, int64_t size_bytes, struct assay_error *err) {
    *f = (struct json_file){.settings = settings, .name = name, .line = 1};
    TRY(text_file_open(&f->text, path, size_bytes, settings->encoding, err));
    f->offset = f->text.offset;
    return ASSAY_OK;
}

void json_file_close(struct json_file *f) { text_file_close(&f->text); }

void json_block_close(struct json_block *b) {
    text_piece_free(&b->text);
    free(b->extents);
    *b = (struct json_block){0};
}

/* ---- lines ---- */

/** Invariant 3, at the first line that is not blank. */
static enum assay_code check_begin(struct json_file *f, struct str text, struct assay_error *err) {
    while (text.len && !f->is_begun) {
        size_t size;
        const char *end = csv_line_end(text.ptr, text.ptr + text.len, &size);
        struct str line = str_trim(str_sub(text, 0, (size_t)(end - text.ptr)));
        text = str_sub(text, (size_t)(end - text.ptr) + size, text.len);
        f->is_begun = line.len > 0;
        if (!f->is_begun || (line.ptr[0] != '[' && !str_eq(line, STR("{")))) continue;
        return error_set(err, ASSAY_REFUSED, f->name,
                         "the file begins with %s, where one object a line is expected; no row of the batch was "
                         "loaded\nnext: multiLine: true in assaySource reads arrays and objects over several lines",
                         line.ptr[0] == '[' ? "an array" : "an object that goes on over lines");
    }
    return ASSAY_OK;
}

/** Where the last line ends that is surely whole; 0 if none is. */
static size_t end_of_lines(struct str text, bool is_final) {
    if (is_final) return text.len;
    size_t stop = text.len;
    if (stop && text.ptr[stop - 1] == '\r') stop--; /* a \n may follow */
    while (stop && text.ptr[stop - 1] != '\n' && text.ptr[stop - 1] != '\r') stop--;
    return stop;
}

static enum assay_code note_lines(struct json_block *b, struct json_file *f, struct str text, bool is_final,
                                  struct assay_error *err) {
    b->stop = end_of_lines(text, is_final);
    text = str_sub(text, 0, b->stop);
    TRY(check_begin(f, text, err));
    f->line += csv_count_lines(text);
    return ASSAY_OK;
}

/* ---- documents ---- */

static enum assay_code refuse_open(const struct json_block *b, const struct json_file *f, struct assay_error *err) {
    return error_set(err, ASSAY_REFUSED, f->name,
                     "from byte %lld on (record %lld) a bracket does not close, or closes with another kind, or the "
                     "record has more than %zu bytes: what follows cannot be told apart; no row of the batch was "
                     "loaded\nnext: ask the source whether the file is whole; maxRecordBytes in assaySource allows "
                     "longer records",
                     (long long)(f->offset + (int64_t)b->stop), (long long)f->line, f->settings->max_record_bytes);
}

static void add_extent(struct json_block *b, struct json_extent e) {
    if (b->extent_count == b->extent_capacity) {
        b->extent_capacity = b->extent_capacity ? 2 * b->extent_capacity : 1024;
        b->extents = memory_realloc(b->extents, b->extent_capacity * sizeof *b->extents);
    }
    e.start += b->stop;
    b->extents[b->extent_count++] = e;
    b->stop = e.start + e.size;
}

static enum assay_code note_documents(struct json_block *b, struct json_file *f, struct str text, bool is_final,
                                      struct assay_error *err) {
    for (;;) {
        struct json_extent e;
        enum json_cut cut =
            json_cut_next(&f->framing, str_sub(text, b->stop, text.len), is_final, f->settings->max_record_bytes, &e);
        if (cut == JSON_CUT_MORE) return ASSAY_OK;
        if (cut == JSON_CUT_BROKEN) return refuse_open(b, f, err);
        if (cut == JSON_CUT_END) {
            b->stop = text.len;
            return ASSAY_OK;
        }
        add_extent(b, e);
        f->line++;
    }
}

enum assay_code json_block_load(struct json_block *b, struct json_file *f, size_t block_bytes,
                                struct assay_error *err) {
    text_file_begin(&f->text, &b->text);
    b->settings = f->settings;
    b->line = f->line;
    b->at = b->stop = 0;
    b->extent_count = b->extent_at = 0;
    do {
        if (b->text.len > LIMIT_RECORD_BYTES)
            return error_set(err, ASSAY_LIMIT, f->name,
                             "the record %s %lld is longer than %d bytes, the limit for one record",
                             f->settings->is_multi_line ? "number" : "on line", (long long)f->line, LIMIT_RECORD_BYTES);
        TRY(text_file_read(&f->text, &b->text, b->text.len > block_bytes ? b->text.len : block_bytes, err));
        struct str text = {b->text.data, b->text.len};
        TRY(f->settings->is_multi_line ? note_documents(b, f, text, f->text.is_at_end, err)
                                       : note_lines(b, f, text, f->text.is_at_end, err));
    } while (b->stop == 0 && !f->text.is_at_end);
    f->offset += (int64_t)b->stop;
    b->is_looked_at = false;
    text_file_keep(&f->text, &b->text, b->stop);
    return ASSAY_OK;
}

static bool next_line(struct json_block *b, struct json_record *out) {
    while (b->at < b->stop) {
        size_t size;
        const char *start = b->text.data + b->at;
        const char *end = csv_line_end(start, b->text.data + b->stop, &size);
        *out = (struct json_record){.bytes = {start, (size_t)(end - start)}, .line = b->line++};
        b->at += out->bytes.len + size;
        if (!json_is_blank(out->bytes)) return true;
    }
    return false;
}

static bool next_document(struct json_block *b, struct json_record *out) {
    if (b->extent_at == b->extent_count) return false;
    const struct json_extent *e = &b->extents[b->extent_at++];
    *out = (struct json_record){.bytes = {b->text.data + e->start, e->size}, .line = b->line++};
    return true;
}

bool json_block_next(struct json_block *b, struct json_record *out) {
    if (!b->is_looked_at) { /* here and not when it is loaded, which only one thread does at a time */
        b->is_valid = str_utf8_error((struct str){b->text.data, b->stop}) == SIZE_MAX;
        b->is_looked_at = true;
    }
    if (!(b->settings->is_multi_line ? next_document(b, out) : next_line(b, out))) return false;
    out->is_valid = b->is_valid || str_utf8_error(out->bytes) == SIZE_MAX;
    return true;
}
