/*
 * Any bytes are records: each byte in one of them or in a gap of line ends and blanks, in order, with the line that is
 * counted in the bytes before; and the same ones whatever the size of the blocks. The first byte chooses the dialect.
 */
#include "bronze/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_so) {
    if (!is_so) abort();
}

/** What stands between records. */
static void check_gap(const struct csv_dialect *d, struct str file, size_t from, size_t to) {
    if (from == 0 && str_starts(file, STR("\xEF\xBB\xBF"))) from = 3;
    for (size_t i = from; i < to; i++)
        check(file.ptr[i] == '\n' || file.ptr[i] == '\r' || (!d->is_multi_line && (unsigned char)file.ptr[i] <= ' '));
}

static uint64_t mix(uint64_t sum, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

/** Sum over the tokens, to compare readings; empty and absent ones differ. */
static uint64_t mix_tokens(uint64_t sum, const struct csv_block *b, const struct csv_record *r) {
    sum = mix(sum, &r->token_count, sizeof r->token_count);
    for (size_t i = 0; i < r->token_count && i < b->token_max; i++) {
        csv_token token = b->tokens[i];
        unsigned char mark = token.ptr ? 1 : 0;
        sum = mix(mix(sum, &mark, 1), token.ptr ? token.ptr : "", token.len);
    }
    return sum;
}

/** Read all of the file in blocks of about this size. */
static uint64_t read_all(const struct csv_dialect *d, int fd, struct str file, size_t block_bytes) {
    char path[64];
    struct csv_file f;
    struct csv_block b;
    struct csv_record r;
    struct assay_error err;
    uint64_t sum = 0;
    size_t covered = 0, counted = str_starts(file, STR("\xEF\xBB\xBF")) ? 3 : 0;
    int64_t line = 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    check(csv_file_open(&f, d, path, (int64_t)file.len, 0, 1, &err) == ASSAY_OK);
    csv_block_open(&b, d, 4, block_bytes);
    do {
        check(csv_block_load(&b, &f, &err) == ASSAY_OK);
        while (csv_block_next(&b, &r)) {
            size_t at = (size_t)r.offset;
            check(at >= covered && at + r.bytes.len <= file.len && r.token_count > 0);
            check(memcmp(r.bytes.ptr, file.ptr + at, r.bytes.len) == 0);
            check_gap(d, file, covered, at);
            line += csv_count_lines(str_sub(file, counted, at));
            check(r.line == line);
            sum = mix_tokens(mix(sum, &r.offset, sizeof r.offset), &b, &r);
            covered = at + r.bytes.len;
            counted = at;
        }
    } while (b.stop);
    check_gap(d, file, covered, file.len);
    csv_block_close(&b);
    csv_file_close(&f);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct str file = {(const char *)data + 1, size - 1};
    struct csv_dialect d = {.delimiter = ',',
                            .quote = '"',
                            .escape = '"',
                            .is_multi_line = (data[0] & 1) != 0,
                            .max_record_bytes = (size_t)1 << (data[0] >> 3)};
    if (data[0] & 2) d.escape = '\\';
    if (data[0] & 4) d.delimiter = '\t';
    int fd = memfd_create("csv", 0);
    check(fd >= 0 && write(fd, file.ptr, file.len) == (ssize_t)file.len);
    uint64_t whole = read_all(&d, fd, file, CSV_BLOCK_BYTES);
    check(read_all(&d, fd, file, 1 + file.len / 7) == whole);
    check(read_all(&d, fd, file, 1) == whole);
    close(fd);
    return 0;
}
