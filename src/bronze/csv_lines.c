/**
 * Physical lines: they end at \n, \r\n or a lone \r, and a file may mix them.
 * Source: Hadoop's line reader, which Spark's line mode uses.
 */
#include "bronze/csv.h"

#include <string.h>

const char *csv_line_end(const char *p, const char *end, size_t *size) {
    *size = 0;
    if (p == end) return end;
    const char *feed = memchr(p, '\n', (size_t)(end - p));
    const char *stop = feed ? feed : end;
    const char *carriage = memchr(p, '\r', (size_t)(stop - p));
    if (carriage) {
        *size = carriage + 1 == feed ? 2 : 1;
        return carriage;
    }
    *size = feed ? 1 : 0;
    return stop;
}

int64_t csv_count_lines(struct str bytes) {
    const char *p = bytes.ptr, *end = bytes.ptr + bytes.len;
    int64_t count = 0;
    if (bytes.len == 0) return 0;
    if (!memchr(p, '\r', bytes.len)) { /* the usual file: a loop that compilers make wide */
        for (size_t i = 0; i < bytes.len; i++) count += p[i] == '\n';
        return count + (end[-1] != '\n');
    }
    while (p < end) {
        size_t size;
        p = csv_line_end(p, end, &size);
        p += size;
        count++;
    }
    return count;
}

bool csv_is_blank(struct str line) {
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.ptr[i] > ' ') return false;
    return true;
}
