/**
 * The records that start in one part of a file, read through a buffer of the reader's own.
 *
 * 1. Line mode: a part is loaded whole, its last line completed beyond the part's end, so that every line belongs to
 * exactly one part and none is cut. A part inside one long line has no lines.
 * 2. multiLine: the part is the file; the buffer moves along and grows only for a record that does not fit.
 * 3. A file that is shorter than it was when it was listed is an error; bytes that came later are not looked at.
 */
#include "bronze/csv.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_BYTES = 1 << 20 };

enum assay_code csv_reader_open(struct csv_reader *r, const struct csv_dialect *dialect, const char *path,
                                int64_t file_size, struct assay_error *err) {
    *r = (struct csv_reader){.dialect = dialect, .path = path, .file_size = file_size, .line = 1};
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    return r->fd < 0 ? error_errno(err, errno, path, "read") : ASSAY_OK;
}

void csv_reader_close(struct csv_reader *r) {
    if (r->fd > 0) close(r->fd);
    free(r->data);
    *r = (struct csv_reader){.fd = -1};
}

static int64_t end_of_data(const struct csv_reader *r) { return r->base + (int64_t)r->len; }

/** Read up to `want` bytes more behind those that are there. */
static enum assay_code read_more(struct csv_reader *r, size_t want, struct assay_error *err) {
    int64_t left = r->file_size - end_of_data(r);
    if ((int64_t)want > left) want = (size_t)left;
    if (r->len + want > r->capacity) {
        size_t capacity = r->len + want + STEP_BYTES;
        r->data = memory_realloc(r->data, capacity);
        r->capacity = capacity;
    }
    while (want) {
        ssize_t n = pread(r->fd, r->data + r->len, want, end_of_data(r));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return error_errno(err, errno, r->path, "read");
        if (n == 0)
            return error_set(err, ASSAY_UNAVAILABLE, r->path,
                             "the file ends at byte %lld where it had %lld bytes before: it is being changed; nothing "
                             "of the batch was loaded",
                             (long long)end_of_data(r), (long long)r->file_size);
        r->len += (size_t)n;
        want -= (size_t)n;
    }
    return ASSAY_OK;
}

static enum assay_code refuse_long(const struct csv_reader *r, struct assay_error *err) {
    return error_set(err, ASSAY_LIMIT, r->path,
                     "the record that starts at byte %lld is longer than %d bytes, the limit for one record",
                     (long long)(r->base + (int64_t)r->at), LIMIT_RECORD_BYTES);
}

static void skip_byte_order_mark(struct csv_reader *r) {
    if (r->base == 0 && r->len >= 3 && memcmp(r->data, "\xEF\xBB\xBF", 3) == 0) r->at = 3;
}

/** Put r->at on the first line that starts at or after `from`; the byte before `from` is in the buffer. */
static void find_first_line(struct csv_reader *r, int64_t from) {
    const char *p = r->data + (from - r->base) - 1, *end = r->data + r->len;
    size_t size;
    p = csv_line_end(p, end, &size);
    r->at = (size_t)(p - r->data) + size;
}

/** Complete the last line that starts before `to`: the buffer then ends behind its line end. */
static enum assay_code complete_last_line(struct csv_reader *r, int64_t to, struct assay_error *err) {
    size_t from = to - r->base > 1 ? (size_t)(to - r->base) - 1 : 0; /* the line of this byte is the last one */
    if (r->at >= (size_t)(to - r->base)) {                           /* no line starts in the part */
        r->len = r->at;
        return ASSAY_OK;
    }
    for (;;) {
        size_t size;
        const char *end = r->data + r->len, *p = csv_line_end(r->data + from, end, &size);
        bool is_at_end = end_of_data(r) == r->file_size;
        if (is_at_end || (size && p + size < end) || (size && *p == '\n')) {
            r->len = (size_t)(p - r->data) + size;
            return ASSAY_OK;
        }
        if (r->len - r->at > LIMIT_RECORD_BYTES) return refuse_long(r, err);
        if (size == 0) from = r->len;
        TRY(read_more(r, r->len > STEP_BYTES ? r->len : STEP_BYTES, err));
    }
}

enum assay_code csv_reader_load(struct csv_reader *r, int64_t from, int64_t to, int64_t *lines,
                                struct assay_error *err) {
    r->base = from ? from - 1 : 0;
    r->len = r->at = 0;
    r->limit = to;
    *lines = 0;
    if (r->dialect->is_multi_line) {
        TRY(read_more(r, STEP_BYTES, err));
        skip_byte_order_mark(r);
        return ASSAY_OK;
    }
    TRY(read_more(r, (size_t)(to - r->base) + 1, err)); /* one byte more: is it the \n of a \r\n? */
    if (from)
        find_first_line(r, from);
    else
        skip_byte_order_mark(r);
    TRY(complete_last_line(r, to, err));
    *lines = csv_count_lines((struct str){r->data + r->at, r->len - r->at});
    return ASSAY_OK;
}

static enum assay_code next_line(struct csv_reader *r, struct csv_record *out, bool *found) {
    *found = false;
    while (r->at < r->len && !*found) {
        const char *start = r->data + r->at, *end = r->data + r->len;
        size_t size;
        const char *stop = csv_line_end(start, end, &size);
        *out = (struct csv_record){{start, (size_t)(stop - start)}, r->line, false};
        r->at = (size_t)(stop - r->data) + size;
        r->line++;
        *found = (unsigned char)*start > ' ' || !csv_is_blank(out->bytes);
    }
    return ASSAY_OK;
}

/** Bytes before r->at are not needed any more; bring in more behind the rest. */
static enum assay_code move_along(struct csv_reader *r, struct assay_error *err) {
    if (r->len - r->at > LIMIT_RECORD_BYTES) return refuse_long(r, err);
    memmove(r->data, r->data + r->at, r->len - r->at);
    r->base += (int64_t)r->at;
    r->len -= r->at;
    r->at = 0;
    return read_more(r, r->len > STEP_BYTES ? r->len : STEP_BYTES, err);
}

static enum assay_code next_multi_line(struct csv_reader *r, struct csv_record *out, bool *found,
                                       struct assay_error *err) {
    *found = false;
    while (!*found) {
        bool is_final = end_of_data(r) == r->file_size;
        size_t size, step;
        int64_t lines;
        if (r->at == r->len && is_final) return ASSAY_OK;
        struct str rest = {r->data + r->at, r->len - r->at};
        if (!csv_multi_line_record(r->dialect, rest, is_final, &size, &step, &lines, &out->is_unclosed)) {
            TRY(move_along(r, err));
            continue;
        }
        out->bytes = (struct str){rest.ptr, size};
        out->line = r->line;
        r->at += step;
        r->line += lines;
        *found = size > 0;
    }
    return ASSAY_OK;
}

enum assay_code csv_reader_next(struct csv_reader *r, struct csv_record *out, bool *found, struct assay_error *err) {
    return r->dialect->is_multi_line ? next_multi_line(r, out, found, err) : next_line(r, out, found);
}
