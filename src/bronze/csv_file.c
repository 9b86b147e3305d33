/**
 * A file, read block by block from front to back.
 *
 * 1. A block holds whole records, so none is cut: line mode ends it behind the last line end that is surely whole,
 * multiLine behind the last record of which enough was read to say where it ends. It grows for a record that does not
 * fit.
 * 2. What is behind a block's last record is given back and comes first in the next block, which is read by whichever
 * thread needs it.
 * 3. Lines below the records (skip_bottom) are held back until the end of the file is seen: a block ends before the
 * last lines that might be those.
 */
#include "bronze/csv.h"

#include "base/limits.h"

enum { PASSED_BYTES = 64 * 1024 };

/** Where the last line ends that is surely whole; 0 if none is. */
static size_t end_of_lines(struct str text, bool is_final) {
    if (is_final) return text.len;
    size_t stop = text.len;
    if (stop && text.ptr[stop - 1] == '\r') stop--; /* a \n may follow */
    while (stop && text.ptr[stop - 1] != '\n' && text.ptr[stop - 1] != '\r') stop--;
    return stop;
}

/** Where the line begins whose line end, if any, ends at `end`. */
static size_t start_of_line(struct str text, size_t end) {
    if (end && text.ptr[end - 1] == '\n') end--;
    if (end && text.ptr[end - 1] == '\r') end--;
    while (end && text.ptr[end - 1] != '\n' && text.ptr[end - 1] != '\r') end--;
    return end;
}

/** The text that may hold records: without the lines below them, or those that might be. */
static struct str without_bottom(const struct csv_dialect *d, struct str text, bool is_final) {
    int64_t left = d->skip_bottom;
    if (left == 0) return text;
    size_t stop = end_of_lines(text, is_final);
    while (left && stop) {
        size_t start = start_of_line(text, stop);
        left -= !csv_is_blank(str_sub(text, start, stop));
        stop = start;
    }
    return str_sub(text, 0, stop);
}

/** Move on by `lines`, or to `offset`: whatever is there, it is no record. */
static enum assay_code pass_over(struct csv_file *f, int64_t lines, int64_t offset, struct assay_error *err) {
    struct text_piece piece = {0};
    enum assay_code rc = ASSAY_OK;
    while (rc == ASSAY_OK && !f->text.is_at_end && (lines || f->offset < offset)) {
        text_file_begin(&f->text, &piece);
        rc = text_file_read(&f->text, &piece, piece.len > PASSED_BYTES ? piece.len : PASSED_BYTES, err);
        struct str text = {piece.data, piece.len};
        size_t cut = 0, size = 0, whole = end_of_lines(text, f->text.is_at_end);
        for (; lines && cut < whole; lines--, f->line++)
            cut = (size_t)(csv_line_end(text.ptr + cut, text.ptr + whole, &size) - text.ptr) + size;
        if (f->offset < offset) cut = offset - f->offset < (int64_t)text.len ? (size_t)(offset - f->offset) : text.len;
        f->offset += (int64_t)cut;
        text_file_keep(&f->text, &piece, cut);
    }
    text_piece_free(&piece);
    return rc;
}

enum assay_code csv_file_open(struct csv_file *f, const struct csv_dialect *dialect, const char *path,
                              int64_t size_bytes, int64_t offset, int64_t line, struct assay_error *err) {
    *f = (struct csv_file){.dialect = dialect, .path = path, .line = line};
    struct str encoding = dialect->encoding.len ? dialect->encoding : STR("UTF-8");
    TRY(text_file_open(&f->text, path, size_bytes, encoding, err));
    f->offset = f->text.offset;
    enum assay_code rc = pass_over(f, offset ? 0 : dialect->skip_top, offset, err);
    if (rc) csv_file_close(f);
    return rc;
}

void csv_file_close(struct csv_file *f) { text_file_close(&f->text); }

/** multiLine: note the records of text that are whole, from b->stop on, and move the file behind them. */
static void note_records(struct csv_block *b, struct csv_file *f, struct str text, bool is_final) {
    while (b->stop < text.len) {
        struct csv_extent e;
        struct str rest = str_sub(text, b->stop, text.len);
        if (!csv_multi_line_record(f->dialect, rest, f->offset, f->line, is_final, &f->look, &e)) return;
        if (b->extent_count == b->extent_capacity) {
            b->extent_capacity = b->extent_capacity ? 2 * b->extent_capacity : 1024;
            b->extents = memory_realloc(b->extents, b->extent_capacity * sizeof *b->extents);
        }
        b->extents[b->extent_count++] = e;
        b->stop += e.step;
        f->offset += (int64_t)e.step;
        f->line += e.lines;
    }
}

static void note_lines(struct csv_block *b, struct csv_file *f, struct str text, bool is_final) {
    b->stop = end_of_lines(text, is_final);
    f->offset += (int64_t)b->stop;
    f->line += csv_count_lines(str_sub(text, 0, b->stop));
}

enum assay_code csv_block_load(struct csv_block *b, struct csv_file *f, struct assay_error *err) {
    text_file_begin(&f->text, &b->text);
    b->base = f->offset;
    b->line = f->line;
    b->at = b->stop = 0;
    b->extent_count = b->extent_at = 0;
    do {
        if (b->text.len > LIMIT_RECORD_BYTES)
            return error_set(err, ASSAY_LIMIT, f->path,
                             "the record on line %lld is longer than %d bytes, the limit for one record",
                             (long long)f->line, LIMIT_RECORD_BYTES);
        size_t want = b->text.len > b->block_bytes ? b->text.len : b->block_bytes;
        TRY(text_file_read(&f->text, &b->text, want, err));
        bool is_final = f->text.is_at_end;
        struct str text = without_bottom(f->dialect, (struct str){b->text.data, b->text.len}, is_final);
        if (f->dialect->is_multi_line)
            note_records(b, f, text, is_final);
        else
            note_lines(b, f, text, is_final || text.len < b->text.len);
    } while (b->stop == 0 && !f->text.is_at_end);
    text_file_keep(&f->text, &b->text, b->stop);
    return ASSAY_OK;
}
