/*
 * Any bytes are records: each byte in one of them or in what stands between them, and the same ones whatever the size
 * of the blocks (support/csv_property.h). The first four bytes choose the dialect.
 */
#include "support/csv_property.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 5) return 0;
    struct str file = {(const char *)data + 4, size - 4};
    struct csv_dialect d = csv_dialect_of_bytes(data);
    int fd = memfd_create("csv", 0);
    CSV_CHECK(fd >= 0 && write(fd, file.ptr, file.len) == (ssize_t)file.len);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    uint64_t whole = csv_check_reading(&d, file, path, CSV_BLOCK_BYTES);
    CSV_CHECK(csv_check_reading(&d, file, path, 1 + file.len / 7) == whole);
    CSV_CHECK(csv_check_reading(&d, file, path, 1) == whole);
    close(fd);
    return 0;
}
