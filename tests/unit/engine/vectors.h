/** Reading the tables of texts and Spark's results under tests/data/spark: three columns, tab between, `#` starts a
 * comment. */
#ifndef TESTS_ENGINE_VECTORS_H
#define TESTS_ENGINE_VECTORS_H

#include "support/test.h"

#include <stdlib.h>

struct vector {
    struct str kind, input, expected; /* input without its escapes */
};

static inline void vector_put_utf8(struct buf *out, unsigned long c) {
    if (c < 0x80) {
        buf_addc(out, (char)c);
    } else if (c < 0x800) {
        buf_addc(out, (char)(0xC0 | c >> 6));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    } else {
        buf_addc(out, (char)(0xE0 | c >> 12));
        buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    }
}

/** \t, \n, \r and \uXXXX; everything else is itself. */
static inline struct str vector_unescape(struct arena *arena, struct str s) {
    struct buf out = {0};
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\\' || i + 1 == s.len) {
            buf_addc(&out, s.ptr[i]);
            continue;
        }
        char kind = s.ptr[++i];
        if (kind == 'u' && i + 4 < s.len) {
            char digits[5] = {s.ptr[i + 1], s.ptr[i + 2], s.ptr[i + 3], s.ptr[i + 4], '\0'};
            vector_put_utf8(&out, strtoul(digits, NULL, 16));
            i += 4;
        } else {
            buf_addc(&out, kind == 't' ? '\t' : kind == 'n' ? '\n' : kind == 'r' ? '\r' : kind);
        }
    }
    struct str copy = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return copy;
}

/** The next line of *rest; false at the end. */
static inline bool vector_next(struct arena *arena, struct str *rest, struct vector *out) {
    struct str line;
    do {
        if (rest->len == 0) return false;
        *rest = str_split(*rest, '\n', &line);
    } while (line.len == 0 || line.ptr[0] == '#');
    struct str input;
    out->expected = str_split(str_split(line, '\t', &out->kind), '\t', &input);
    out->input = vector_unescape(arena, input);
    return true;
}

#endif
