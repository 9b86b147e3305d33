/**
 * Physical lines: they end at \n, \r\n or a lone \r, and a file may mix them.
 * Source: Hadoop's line reader, which Spark's line mode uses.
 */
#include "bronze/csv.h"
#include "bronze/csv_find.h"

const char *csv_line_end(const char *p, const char *end, size_t *size) {
    struct csv_needles ends = csv_needles_of('\n', '\r', '\r', '\r');
    const char *stop = csv_find(&ends, p, end);
    *size = stop == end ? 0 : *stop == '\r' && stop + 1 < end && stop[1] == '\n' ? 2 : 1;
    return stop;
}

enum { COUNTED_BYTES = 255 * 16 }; /* as much as a byte per place can count */

/** Line ends that end in [p, p + 16 * steps): each \n, and each \r with another byte behind it. Reads one byte more. */
static int64_t count_ends(const char *p, size_t steps) {
    csv_wide counts = {0}, here, next;
    int64_t total = 0;
    for (size_t i = 0; i < steps; i++) {
        memcpy(&here, p + 16 * i, sizeof here);
        memcpy(&next, p + 16 * i + 1, sizeof next);
        counts -= (csv_wide)(here == '\n') | ((csv_wide)(here == '\r') & ~(csv_wide)(next == '\n'));
    }
    for (size_t i = 0; i < sizeof counts; i++) total += counts[i];
    return total;
}

int64_t csv_count_lines(struct str bytes) {
    if (bytes.len == 0) return 0;
    const char *p = bytes.ptr, *end = bytes.ptr + bytes.len;
    int64_t count = 0;
    for (; end - p > COUNTED_BYTES; p += COUNTED_BYTES) count += count_ends(p, COUNTED_BYTES / 16);
    for (; p < end - 1; p++) count += *p == '\n' || (*p == '\r' && p[1] != '\n');
    return count + 1; /* the last byte ends the last line, whatever it is */
}

bool csv_is_blank(struct str line) {
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.ptr[i] > ' ' || line.ptr[i] == '\0') return false;
    return true;
}

bool csv_is_zero_filled(struct str line) {
    bool has_zero = false;
    for (size_t i = 0; i < line.len; i++) {
        if ((unsigned char)line.ptr[i] > ' ') return false;
        has_zero |= line.ptr[i] == '\0';
    }
    return has_zero;
}
