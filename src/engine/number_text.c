/*
 * Numbers as people of other countries write them, as the casts read them.
 *
 * 1. Nothing is repaired: thousands separators stand after one to three digits and then before every three, all of them
 * or none, and only before the decimals. `1,0,0` is no number, and never a hundred.
 * 2. Where the decimal separator is not the point, a point is no decimal point.
 * 3. A text without a separator and without a point is left to the cast as it is: `NaN`, `12`, ``.
 * As a pattern, D and T being the separators and blanks the bytes 0x00 to 0x20 around it:
 * `[+-]?([0-9]+|[0-9]{1,3}(T[0-9]{3})+)?(D[0-9]*)?([eE][+-]?[0-9]+)?`
 */
#include "engine/cast.h"

static size_t count_digits(struct str text, size_t at) {
    size_t count = 0;
    while (at + count < text.len && text.ptr[at + count] >= '0' && text.ptr[at + count] <= '9') count++;
    return count;
}

static bool starts_at(struct str text, size_t at, struct str part) {
    return part.len && str_starts(str_sub(text, at, text.len), part);
}

static size_t pass_blanks(struct str text, size_t at) {
    while (at < text.len && (unsigned char)text.ptr[at] <= ' ') at++;
    return at;
}

/** The whole digits, thousands separators left out. False: those do not stand right. */
static bool take_whole(struct str text, size_t *at, struct str thousands, struct buf *out) {
    size_t digits = count_digits(text, *at);
    bool is_grouped = starts_at(text, *at + digits, thousands);
    if (is_grouped && (digits < 1 || digits > 3)) return false;
    buf_add(out, str_sub(text, *at, *at + digits));
    *at += digits;
    while (starts_at(text, *at, thousands)) {
        *at += thousands.len;
        if (count_digits(text, *at) != 3) return false;
        buf_add(out, str_sub(text, *at, *at + 3));
        *at += 3;
    }
    return true;
}

static void take_sign(struct str text, size_t *at, struct buf *out) {
    if (*at < text.len && (text.ptr[*at] == '+' || text.ptr[*at] == '-')) buf_addc(out, text.ptr[(*at)++]);
}

static void take_digits(struct str text, size_t *at, struct buf *out) {
    size_t digits = count_digits(text, *at);
    buf_add(out, str_sub(text, *at, *at + digits));
    *at += digits;
}

bool cast_plain_number(struct str text, struct str decimal, struct str thousands, struct buf *out) {
    size_t at = pass_blanks(text, 0);
    buf_clear(out);
    if (str_find(text, decimal) == SIZE_MAX && str_find_char(text, '.') == SIZE_MAX &&
        (thousands.len == 0 || str_find(text, thousands) == SIZE_MAX)) {
        buf_add(out, text);
        return true;
    }
    take_sign(text, &at, out);
    if (!take_whole(text, &at, thousands, out)) return false;
    if (starts_at(text, at, decimal)) {
        buf_addc(out, '.');
        at += decimal.len;
        take_digits(text, &at, out);
    }
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        buf_addc(out, text.ptr[at++]);
        take_sign(text, &at, out);
        take_digits(text, &at, out);
    }
    return pass_blanks(text, at) == text.len;
}
