/*
 * Reading a text by a pattern, item by item, left to right, without going back.
 *
 * 1. An optional section that does not fit is left out as a whole, with the fields it had set; it is not tried again
 * elsewhere.
 * 2. A field that is read twice must have the same value.
 * 3. Digits are ASCII. Words and literals match in any case.
 * 4. The text must be used up.
 *
 * Source: the parse methods of DateTimeFormatterBuilder's printer-parsers, JDK 17, strict.
 */
#include "engine/cast_text.h"
#include "engine/datetime_pattern.h"

#include "base/unicode.h"

static char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

/** The bytes of the code point at `at`, 0 if they are not valid. */
static size_t code_point_size(struct str s, size_t at) {
    unsigned char first = at < s.len ? (unsigned char)s.ptr[at] : 0x80;
    size_t size = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    return size > 0 && str_utf8_error(str_sub(s, at, at + size)) == SIZE_MAX && at + size <= s.len ? size : 0;
}

static bool is_same_mapped(struct str a, struct str b, void (*map)(struct buf *out, struct str s)) {
    struct buf x = {0}, y = {0};
    map(&x, a);
    map(&y, b);
    bool is_same = str_eq(buf_str(&x), buf_str(&y));
    buf_free(&x);
    buf_free(&y);
    return is_same;
}

static bool is_same_code_point(struct str a, struct str b) {
    return str_eq(a, b) || is_same_mapped(a, b, unicode_upper) || is_same_mapped(a, b, unicode_lower);
}

bool datetime_pattern_take_word(struct str text, size_t *at, struct str word) {
    size_t i = *at, j = 0;
    while (j < word.len) {
        bool is_ascii = i < text.len && (unsigned char)(text.ptr[i] | word.ptr[j]) < 0x80;
        if (is_ascii && ascii_lower(text.ptr[i]) == ascii_lower(word.ptr[j])) {
            i++, j++;
            continue;
        }
        size_t a_size = code_point_size(text, i), b_size = code_point_size(word, j);
        if (is_ascii || a_size == 0 || b_size == 0) return false;
        if (!is_same_code_point(str_sub(text, i, i + a_size), str_sub(word, j, j + b_size))) return false;
        i += a_size;
        j += b_size;
    }
    *at = i;
    return true;
}

/** How many digits there are at `at`, at most `most`. */
static int digit_run(struct str text, size_t at, int most) {
    int count = 0;
    while (count < most && at + (size_t)count < text.len && is_digit(text.ptr[at + (size_t)count])) count++;
    return count;
}

static bool is_sign_good(const struct item *item, char sign, int digits, bool is_zero) {
    switch (item->sign) {
    case SIGN_NONE:
        return sign == '\0';
    case SIGN_MINUS:
        return sign == '\0' || (sign == '-' && !is_zero);
    case SIGN_PLUS_BEYOND:
        break;
    }
    if (sign == '-') return !is_zero;
    return (sign == '+') == (digits > item->min_width);
}

static bool take_number(const struct item *item, struct str text, size_t *at, struct fields *f) {
    char sign = *at < text.len && (text.ptr[*at] == '-' || text.ptr[*at] == '+') ? text.ptr[(*at)++] : '\0';
    int digits = digit_run(text, *at, item->max_width + item->later_width);
    if (digits < item->min_width) return false;
    if (item->later_width > 0)
        digits = digits - item->later_width > item->min_width ? digits - item->later_width : item->min_width;

    uint64_t value = 0; /* up to 19 digits */
    for (int i = 0; i < digits; i++) value = value * 10 + (uint64_t)(text.ptr[*at + (size_t)i] - '0');
    if (!is_sign_good(item, sign, digits, value == 0)) return false;
    if (value > INT64_MAX) { /* Java then reads one digit less */
        value /= 10;
        digits--;
    }
    *at += (size_t)digits;
    int64_t base = item->kind == ITEM_YEAR_OF_TWO && digits == 2 ? 2000 : 0;
    return field_set(f, item->field, base + (sign == '-' ? -(int64_t)value : (int64_t)value));
}

static bool take_fraction(const struct item *item, struct str text, size_t *at, struct fields *f) {
    int digits = digit_run(text, *at, item->max_width);
    if (digits < item->min_width) return false;
    int64_t nanos = 0;
    for (int i = 0; i < 9; i++) nanos = nanos * 10 + (i < digits ? text.ptr[*at + (size_t)i] - '0' : 0);
    *at += (size_t)digits;
    return field_set(f, item->field, nanos);
}

static bool take_text(const struct item *item, struct str text, size_t *at, struct fields *f) {
    for (const struct word *word = item->words; word->text; word++)
        if (datetime_pattern_take_word(text, at, str_of(word->text))) return field_set(f, item->field, word->value);
    return false;
}

static bool take_items(const struct datetime_pattern *p, size_t from, size_t to, struct str text, size_t *at,
                       struct fields *f);

static bool take_item(const struct datetime_pattern *p, size_t index, struct str text, size_t *at, struct fields *f) {
    const struct item *item = &p->items[index];
    switch (item->kind) {
    case ITEM_LITERAL:
        return datetime_pattern_take_word(text, at, item->text);
    case ITEM_NUMBER:
    case ITEM_YEAR_OF_TWO:
        return take_number(item, text, at, f);
    case ITEM_FRACTION:
        return take_fraction(item, text, at, f);
    case ITEM_TEXT:
        return take_text(item, text, at, f);
    case ITEM_OFFSET:
        return datetime_pattern_take_offset(item, text, at, f);
    case ITEM_OFFSET_NAMED:
        return datetime_pattern_take_offset_named(item, text, at, f);
    case ITEM_ZONE_ID:
    case ITEM_ZONE_NAME:
        return datetime_pattern_take_zone(item, text, at, f);
    case ITEM_OPTIONAL:
        break;
    }
    size_t start = *at;
    struct fields before = *f;
    if (take_items(p, index + 1, item->end, text, at, f)) return true;
    before.is_refused = f->is_refused;
    *f = before;
    *at = start;
    return !f->is_refused;
}

static bool take_items(const struct datetime_pattern *p, size_t from, size_t to, struct str text, size_t *at,
                       struct fields *f) {
    for (size_t i = from; i < to; i = p->items[i].kind == ITEM_OPTIONAL ? p->items[i].end : i + 1)
        if (!take_item(p, i, text, at, f)) return false;
    return true;
}

bool datetime_pattern_read(const struct datetime_pattern *pattern, struct str text, struct fields *out) {
    size_t at = 0;
    out->is_set = 0;
    out->has_zone = out->is_refused = false;
    return take_items(pattern, 0, pattern->count, text, &at, out) && at == text.len;
}
