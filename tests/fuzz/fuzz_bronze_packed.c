/*
 * Any bytes under a packed name: they unpack to the same rows in blocks of any size, or are an error in all of them;
 * what unpacks is what zlib's own file reader makes of it. The first byte chooses gzip or zstd.
 */
#include "support/csv_property.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { UNPACKED_MAX = 1 << 20 };

/** Unpack in pieces of this size, up to UNPACKED_MAX bytes. */
static enum assay_code unpack(const char *path, size_t size, size_t piece, struct buf *out) {
    struct byte_source s;
    struct assay_error err;
    size_t got = piece;
    buf_clear(out);
    enum assay_code rc = byte_source_open(&s, path, (int64_t)size, &err);
    while (rc == ASSAY_OK && got == piece && out->len < UNPACKED_MAX) {
        buf_reserve(out, piece);
        rc = byte_source_read(&s, out->data + out->len, piece, &got, &err);
        if (rc == ASSAY_OK) out->len += got;
    }
    byte_source_close(&s);
    return rc;
}

static void check_with_zlib(const char *path, struct str unpacked) {
    gzFile file = gzopen(path, "rb");
    char *bytes = memory_alloc(UNPACKED_MAX + 1);
    int got = gzread(file, bytes, UNPACKED_MAX);
    gzclose(file);
    size_t shared = unpacked.len < UNPACKED_MAX ? unpacked.len : UNPACKED_MAX;
    CSV_CHECK(got >= 0 && (size_t)got == shared && memcmp(bytes, unpacked.ptr, shared) == 0);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char folder[] = "/tmp/assay-fuzz-XXXXXX";
    char path[64];
    struct buf a = {0}, b = {0};
    if (size < 5) return 0;
    bool is_gzip = data[0] & 1;
    if (folder[sizeof folder - 2] == 'X') CSV_CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%d.csv.%s", folder, (int)getpid(), is_gzip ? "gz" : "zst");
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CSV_CHECK(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
    close(fd);
    buf_reserve(&a, 1);
    buf_reserve(&b, 1);
    enum assay_code rc = unpack(path, size - 1, 1 << 16, &a);
    CSV_CHECK(rc == ASSAY_OK || rc == ASSAY_CORRUPT || rc == ASSAY_REFUSED);
    if (a.len < UNPACKED_MAX) { /* libzstd looks at the length a frame declares only where it unpacks it in one piece */
        enum assay_code again = unpack(path, size - 1, 7, &b);
        CSV_CHECK(again == rc || (!is_gzip && (rc == ASSAY_CORRUPT || again == ASSAY_CORRUPT)));
        if (rc == ASSAY_OK && again == ASSAY_OK) CSV_CHECK(str_eq(buf_str(&a), buf_str(&b)));
    }
    if (rc == ASSAY_OK && is_gzip) check_with_zlib(path, buf_str(&a));
    buf_free(&a);
    buf_free(&b);
    unlink(path);
    rmdir(folder);
    folder[sizeof folder - 2] = 'X';
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return 0;
}
