/**
 * The first of a few bytes, sixteen at a time. Little-endian machines.
 */
#ifndef BRONZE_CSV_FIND_H
#define BRONZE_CSV_FIND_H

#include <stdint.h>
#include <string.h>

typedef unsigned char csv_wide __attribute__((vector_size(16)));
typedef uint64_t csv_halves __attribute__((vector_size(16)));

/** Up to four bytes to look for; with fewer, one is given again. */
struct csv_needles {
    csv_wide a, b, c, d;
};

static inline struct csv_needles csv_needles_of(char a, char b, char c, char d) {
    struct csv_needles n;
    memset(&n.a, a, sizeof n.a);
    memset(&n.b, b, sizeof n.b);
    memset(&n.c, c, sizeof n.c);
    memset(&n.d, d, sizeof n.d);
    return n;
}

/** Where the first of them stands in [p, end), or end. */
static inline const char *csv_find(const struct csv_needles *n, const char *p, const char *end) {
    csv_wide bytes;
    for (; (size_t)(end - p) >= sizeof bytes; p += sizeof bytes) {
        memcpy(&bytes, p, sizeof bytes);
        csv_halves hits = (csv_halves)((bytes == n->a) | (bytes == n->b) | (bytes == n->c) | (bytes == n->d));
        if (hits[0]) return p + __builtin_ctzll(hits[0]) / 8;
        if (hits[1]) return p + 8 + __builtin_ctzll(hits[1]) / 8;
    }
    for (; p < end; p++) {
        unsigned char byte = (unsigned char)*p;
        if (byte == n->a[0] || byte == n->b[0] || byte == n->c[0] || byte == n->d[0]) break;
    }
    return p;
}

#endif
