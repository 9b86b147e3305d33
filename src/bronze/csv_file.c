/**
 * A file, read block by block from front to back.
 *
 * 1. A block holds whole records, so none is cut: line mode ends it behind the last line end that is surely whole,
 * multiLine behind the last record of which enough was read to say where it ends. It grows for a record that does not
 * fit.
 * 2. What is behind a block's last record is read again for the next block, which is read by whichever thread needs it.
 * 3. A file that is shorter than it was when it was listed is an error; bytes that came later are not looked at.
 */
#include "bronze/csv.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

enum assay_code csv_file_open(struct csv_file *f, const struct csv_dialect *dialect, const char *path,
                              int64_t size_bytes, int64_t offset, int64_t line, struct assay_error *err) {
    *f = (struct csv_file){.dialect = dialect, .path = path, .size_bytes = size_bytes, .offset = offset, .line = line};
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) return error_errno(err, errno, path, "read");
    char mark[sizeof BYTE_ORDER_MARK - 1];
    if (offset == 0 && size_bytes >= (int64_t)sizeof mark &&
        pread(f->fd, mark, sizeof mark, 0) == (ssize_t)sizeof mark && memcmp(mark, BYTE_ORDER_MARK, sizeof mark) == 0)
        f->offset = (int64_t)sizeof mark;
    return ASSAY_OK;
}

void csv_file_close(struct csv_file *f) {
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

static int64_t end_of_data(const struct csv_block *b) { return b->base + (int64_t)b->len; }

/** Read up to `want` bytes more behind those that are there. */
static enum assay_code read_more(struct csv_block *b, const struct csv_file *f, size_t want, struct assay_error *err) {
    int64_t left = f->size_bytes - end_of_data(b);
    if ((int64_t)want > left) want = (size_t)left;
    if (b->len + want > b->capacity) {
        b->capacity = b->len + want;
        b->data = memory_realloc(b->data, b->capacity);
    }
    while (want) {
        ssize_t n = pread(f->fd, b->data + b->len, want, end_of_data(b));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return error_errno(err, errno, f->path, "read");
        if (n == 0)
            return error_set(err, ASSAY_UNAVAILABLE, f->path,
                             "the file ends at byte %lld where it had %lld bytes before: it is being changed; nothing "
                             "of the batch was loaded",
                             (long long)end_of_data(b), (long long)f->size_bytes);
        b->len += (size_t)n;
        want -= (size_t)n;
    }
    return ASSAY_OK;
}

/** Line mode: where the last line ends that is surely whole; 0 if none is. */
static size_t end_of_lines(const struct csv_block *b, bool is_final) {
    if (is_final) return b->len;
    size_t stop = b->len;
    if (stop && b->data[stop - 1] == '\r') stop--; /* a \n may follow */
    while (stop && b->data[stop - 1] != '\n' && b->data[stop - 1] != '\r') stop--;
    return stop;
}

/** multiLine: note the records that are whole, from b->stop on, and move the file behind them. */
static void note_records(struct csv_block *b, struct csv_file *f, bool is_final) {
    while (b->stop < b->len) {
        struct csv_extent e;
        struct str rest = {b->data + b->stop, b->len - b->stop};
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

static void note_lines(struct csv_block *b, struct csv_file *f, bool is_final) {
    b->stop = end_of_lines(b, is_final);
    f->offset += (int64_t)b->stop;
    f->line += csv_count_lines((struct str){b->data, b->stop});
}

enum assay_code csv_block_load(struct csv_block *b, struct csv_file *f, struct assay_error *err) {
    b->base = f->offset;
    b->line = f->line;
    b->len = b->at = b->stop = 0;
    b->extent_count = b->extent_at = 0;
    while (b->stop == 0 && end_of_data(b) < f->size_bytes) {
        if (b->len > LIMIT_RECORD_BYTES)
            return error_set(err, ASSAY_LIMIT, f->path,
                             "the record on line %lld is longer than %d bytes, the limit for one record",
                             (long long)f->line, LIMIT_RECORD_BYTES);
        TRY(read_more(b, f, b->len > b->block_bytes ? b->len : b->block_bytes, err));
        bool is_final = end_of_data(b) == f->size_bytes;
        if (f->dialect->is_multi_line)
            note_records(b, f, is_final);
        else
            note_lines(b, f, is_final);
    }
    return ASSAY_OK;
}
