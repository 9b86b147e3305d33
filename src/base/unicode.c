/*
 * Case mappings over libunistring: full mappings (SpecialCasing: sharp s, final sigma, dotted I) of no language, as
 * Java's root locale. ASCII texts, nearly all there are, never reach the library.
 */
#include "base/unicode.h"

#include <assert.h>
#include <stdlib.h>
#include <unicase.h>
#include <unistr.h>
#include <uniwidth.h>

typedef uint8_t *map_fn(const uint8_t *s, size_t n, const char *language, uninorm_t form, uint8_t *result,
                        size_t *length);

static bool is_ascii(struct str s) {
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] >= 0x80) return false;
    return true;
}

static void map_by_library(struct buf *out, struct str s, map_fn *map) {
    size_t length = 0;
    uint8_t *mapped = map((const uint8_t *)s.ptr, s.len, NULL, NULL, NULL, &length);
    assert(mapped); /* fails only without memory or for invalid UTF-8 */
    buf_add(out, (struct str){(const char *)mapped, length});
    free(mapped);
}

static void map_text(struct buf *out, struct str s, char first, char last, map_fn *map) {
    if (!is_ascii(s)) {
        map_by_library(out, s, map);
        return;
    }
    size_t from = out->len;
    buf_add(out, s);
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] >= first && out->data[i] <= last) out->data[i] = (char)(out->data[i] ^ 0x20);
}

void unicode_upper(struct buf *out, struct str s) { map_text(out, s, 'a', 'z', u8_toupper); }

void unicode_lower(struct buf *out, struct str s) { map_text(out, s, 'A', 'Z', u8_tolower); }

/* Bytes of the character at the start; *width is 0 for control characters, which nobody prints. */
static size_t next_char(struct str s, size_t *width) {
    ucs4_t c;
    int length = u8_mbtouc(&c, (const uint8_t *)s.ptr, s.len);
    int columns = uc_width(c, "UTF-8");
    *width = columns > 0 ? (size_t)columns : 0;
    return length > 0 ? (size_t)length : 1;
}

size_t unicode_width(struct str s) {
    size_t total = 0, width;
    while (s.len > 0) {
        size_t length = next_char(s, &width);
        total += width;
        s = str_sub(s, length, s.len);
    }
    return total;
}

struct str unicode_cut(struct str s, size_t width) {
    size_t total = 0, at = 0, one;
    while (at < s.len) {
        size_t length = next_char(str_sub(s, at, s.len), &one);
        if (total + one > width) break;
        total += one;
        at += length;
    }
    return str_sub(s, 0, at);
}
