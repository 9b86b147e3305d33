#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

struct str str_of(const char *text) {
    return text ? (struct str){text, strlen(text)} : (struct str){0};
}

struct str str_copy(struct arena *arena, struct str s) {
    return (struct str){str_c(arena, s), s.len};
}

char *str_c(struct arena *arena, struct str s) {
    char *copy = arena_alloc(arena, s.len + 1);
    if (s.len) memcpy(copy, s.ptr, s.len);
    return copy;
}

struct str str_printf(struct arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    size_t len = n > 0 ? (size_t)n : 0;
    char *text = arena_alloc(arena, len + 1);
    vsnprintf(text, len + 1, format, again);
    va_end(again);
    return (struct str){text, len};
}

bool str_eq(struct str a, struct str b) { return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0); }

bool str_eq_nocase(struct str a, struct str b) {
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return false;
    return true;
}

int str_cmp(struct str a, struct str b) {
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str s, struct str prefix) {
    return s.len >= prefix.len && str_eq(str_sub(s, 0, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix) {
    return s.len >= suffix.len && str_eq(str_sub(s, s.len - suffix.len, s.len), suffix);
}

size_t str_find(struct str s, struct str needle) {
    if (needle.len == 0) return 0;
    if (s.len < needle.len) return SIZE_MAX;
    const char *at = memmem(s.ptr, s.len, needle.ptr, needle.len);
    return at ? (size_t)(at - s.ptr) : SIZE_MAX;
}

size_t str_find_char(struct str s, char c) {
    const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return at ? (size_t)(at - s.ptr) : SIZE_MAX;
}

struct str str_sub(struct str s, size_t from, size_t to) {
    if (to > s.len) to = s.len;
    if (from > to) from = to;
    return (struct str){s.ptr ? s.ptr + from : NULL, to - from};
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct str str_trim(struct str s) {
    size_t from = 0, to = s.len;
    while (from < to && is_space(s.ptr[from])) from++;
    while (to > from && is_space(s.ptr[to - 1])) to--;
    return str_sub(s, from, to);
}

struct str str_split(struct str s, char sep, struct str *head) {
    size_t at = str_find_char(s, sep);
    *head = str_sub(s, 0, at);
    return at == SIZE_MAX ? (struct str){0} : str_sub(s, at + 1, s.len);
}

struct str str_path(struct arena *arena, struct str a, struct str b) {
    while (a.len > 1 && a.ptr[a.len - 1] == '/') a.len--;
    while (a.len && b.len && b.ptr[0] == '/') b = str_sub(b, 1, b.len);
    if (a.len == 0 || b.len == 0) return str_copy(arena, a.len ? a : b);
    const char *between = a.ptr[a.len - 1] == '/' ? "" : "/";
    return str_printf(arena, "%.*s%s%.*s", STR_ARG(a), between, STR_ARG(b));
}

struct str str_basename(struct str path) {
    size_t from = path.len;
    while (from > 0 && path.ptr[from - 1] != '/') from--;
    return str_sub(path, from, path.len);
}

struct str str_lower(struct arena *arena, struct str s) {
    char *copy = str_c(arena, s);
    for (size_t i = 0; i < s.len; i++) copy[i] = lower(copy[i]);
    return (struct str){copy, s.len};
}

enum assay_code str_int64(struct str s, int64_t *out) {
    size_t i = 0;
    bool negative = false;
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+')) negative = s.ptr[i++] == '-';
    if (i == s.len) return ASSAY_INVALID;
    int64_t value = 0; /* kept negative: its range is the larger one */
    for (; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') return ASSAY_INVALID;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, s.ptr[i] - '0', &value))
            return ASSAY_INVALID;
    }
    if (!negative && value == INT64_MIN) return ASSAY_INVALID;
    *out = negative ? value : -value;
    return ASSAY_OK;
}

/** Length of the valid sequence at p, or 0. Unicode 15, table 3-7. */
static size_t utf8_sequence(const unsigned char *p, size_t left) {
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    size_t n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (left < n) return 0;
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    return n;
}

size_t str_utf8_error(struct str s) {
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t i = 0;
    while (i < s.len) {
        uint64_t word;
        while (s.len - i >= sizeof word) { /* eight ASCII bytes at a time */
            memcpy(&word, p + i, sizeof word);
            if (word & 0x8080808080808080U) break;
            i += sizeof word;
        }
        if (i == s.len) break;
        size_t n = utf8_sequence(p + i, s.len - i);
        if (n == 0) return i;
        i += n;
    }
    return SIZE_MAX;
}

size_t str_utf8_count(struct str s) {
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) count += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return count;
}

size_t str_distance(struct str a, struct str b, size_t limit) {
    enum { LONGEST = 64 };
    if (a.len > LONGEST || b.len > LONGEST) return str_eq_nocase(a, b) ? 0 : limit;
    size_t rows[3][LONGEST + 1]; /* the last three rows of the matrix */
    for (size_t j = 0; j <= b.len; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = lower(a.ptr[i - 1]) == lower(b.ptr[j - 1]);
            size_t best = above[j - 1] + !same;
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && lower(a.ptr[i - 1]) == lower(b.ptr[j - 2]) &&
                           lower(a.ptr[i - 2]) == lower(b.ptr[j - 1]);
            if (swapped && two_above[j - 2] + 1 < best) best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    size_t distance = rows[a.len % 3][b.len];
    return distance < limit ? distance : limit;
}

struct str str_nearest(struct str name, const struct str *names, size_t count) {
    size_t limit = name.len < 4 ? 2 : name.len / 3 + 1;
    struct str best = {0};
    for (size_t i = 0; i < count; i++) {
        size_t distance = str_distance(name, names[i], limit);
        if (distance < limit) {
            limit = distance;
            best = names[i];
        }
    }
    return best;
}

void buf_free(struct buf *b) {
    free(b->data);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b) {
    b->len = 0;
    if (b->data) b->data[0] = '\0';
}

void buf_reserve(struct buf *b, size_t more) {
    size_t need = b->len + more + 1;
    if (need <= b->capacity) return;
    size_t capacity = b->capacity ? b->capacity * 2 : 256;
    if (capacity < need) capacity = need;
    b->data = memory_realloc(b->data, capacity);
    b->capacity = capacity;
    b->data[b->len] = '\0';
}

void buf_add(struct buf *b, struct str s) {
    buf_reserve(b, s.len);
    if (s.len) memcpy(b->data + b->len, s.ptr, s.len);
    b->len += s.len;
    b->data[b->len] = '\0';
}

void buf_addc(struct buf *b, char c) { buf_add(b, (struct str){&c, 1}); }

void buf_addz(struct buf *b, const char *text) { buf_add(b, str_of(text)); }

/** Whether the byte belongs to one of U+0000 to U+001F and U+007F to U+009F. */
static bool is_control(struct str s, size_t at) {
    unsigned char c = (unsigned char)s.ptr[at], before = at ? (unsigned char)s.ptr[at - 1] : 0;
    unsigned char after = at + 1 < s.len ? (unsigned char)s.ptr[at + 1] : 0xFF;
    return c < 0x20 || c == 0x7F || (c == 0xC2 && after < 0xA0) || (before == 0xC2 && c < 0xA0);
}

void buf_add_printable(struct buf *b, struct str s) {
    size_t bad = str_utf8_error(s);
    for (size_t i = 0; i < s.len; i++) {
        if (i == bad || is_control(s, i))
            buf_printf(b, "\\x%02x", (unsigned)(unsigned char)s.ptr[i]);
        else
            buf_addc(b, s.ptr[i]);
        if (i != bad) continue;
        bad = str_utf8_error(str_sub(s, i + 1, s.len));
        if (bad != SIZE_MAX) bad += i + 1;
    }
}

void buf_vprintf(struct buf *b, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0) {
        buf_reserve(b, (size_t)n);
        vsnprintf(b->data + b->len, (size_t)n + 1, format, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}

struct str buf_str(const struct buf *b) {
    return (struct str){b->data, b->len};
}
