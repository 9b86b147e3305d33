/**
 * Text: `struct str` is a view (pointer and length, bytes, not ended by NUL unless said); `struct buf` builds one.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A view of bytes that somebody else owns. {0} is the empty string. ptr may be NULL only if len is 0. */
struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
/** printf arguments for "%.*s" */
#define STR_ARG(s) (int)(s).len, ((s).ptr ? (s).ptr : "")

/** A view of a C string; NULL gives the empty string. */
struct str str_of(const char *text);
/** A copy in the arena, ended by NUL (which is not counted). */
struct str str_copy(struct arena *arena, struct str s);
/** A NUL-ended copy in the arena. Bytes after an inner NUL are lost to C readers. */
char *str_c(struct arena *arena, struct str s);
struct str str_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

bool str_eq(struct str a, struct str b);
/** ASCII letters compared without case. */
bool str_eq_nocase(struct str a, struct str b);
/** Order of bytes, then length: <0, 0, >0. */
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
/** Index of the first occurrence, or SIZE_MAX. An empty needle is found at 0. */
size_t str_find(struct str s, struct str needle);
size_t str_find_char(struct str s, char c);
/** Bytes [from, to), both cut to the length. */
struct str str_sub(struct str s, size_t from, size_t to);
/** Without blanks, tabs and line ends (0x09-0x0D, 0x20) at both ends. */
struct str str_trim(struct str s);
/** Cut at the first `sep`: *head gets what is before, the return is what is after; without sep head is all and the
 * return empty. */
struct str str_split(struct str s, char sep, struct str *head);
/** Join path parts with one '/' between them; empty parts are left out. */
struct str str_path(struct arena *arena, struct str a, struct str b);
/** What follows the last '/'. */
struct str str_basename(struct str path);
/** ASCII lower case copy. */
struct str str_lower(struct arena *arena, struct str s);

/** The whole text as a decimal int64; INVALID (no message) if it is not one or does not fit. */
enum assay_code str_int64(struct str s, int64_t *out) NODISCARD;
/** Byte at which the text stops being valid UTF-8, or SIZE_MAX. Overlong forms and surrogates are invalid. */
size_t str_utf8_error(struct str s);
/** Number of Unicode code points; s must be valid UTF-8. */
size_t str_utf8_count(struct str s);

/** Edit distance with swaps of neighbours, ASCII case ignored; for nearest-name hints. Cut off at `limit`. */
size_t str_distance(struct str a, struct str b, size_t limit);
/** The name nearest to `name` if it is near enough to be a slip, else the empty string. It is one of names. */
struct str str_nearest(struct str name, const struct str *names, size_t count);

/** A growing text on the heap: `struct buf b = {0}` ... `buf_free(&b)`. data is always ended by a NUL that is not
 * counted. */
struct buf {
    char *data;
    size_t len;
    size_t capacity;
};

void buf_free(struct buf *b);
void buf_clear(struct buf *b);
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, struct str s);
void buf_addc(struct buf *b, char c);
void buf_addz(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...) PRINTF_LIKE(2, 3);
/** Text of others for a line on a terminal: control characters and bytes that are not UTF-8 become \xHH. */
void buf_add_printable(struct buf *b, struct str s);
void buf_vprintf(struct buf *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/** A view of the text; valid until the buffer changes. */
struct str buf_str(const struct buf *b);

#endif
