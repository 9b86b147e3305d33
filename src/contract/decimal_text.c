/* Numbers as written: limits and bounds are compared digit by digit, so that no float rounds what a person wrote. */
#include "contract/reader.h"

struct parts {
    bool is_negative;
    struct str whole, fraction; /* without zeros that do not count */
};

static bool are_digits(struct str s) {
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9') return false;
    return true;
}

static struct parts split(struct str text) {
    struct parts p = {0};
    if (text.len && (text.ptr[0] == '-' || text.ptr[0] == '+')) {
        p.is_negative = text.ptr[0] == '-';
        text = str_sub(text, 1, text.len);
    }
    p.fraction = str_split(text, '.', &p.whole);
    while (p.whole.len && p.whole.ptr[0] == '0') p.whole = str_sub(p.whole, 1, p.whole.len);
    while (p.fraction.len && p.fraction.ptr[p.fraction.len - 1] == '0') p.fraction.len--;
    return p;
}

bool decimal_text_is(struct str text) {
    if (text.len && (text.ptr[0] == '-' || text.ptr[0] == '+')) text = str_sub(text, 1, text.len);
    struct str whole, fraction = str_split(text, '.', &whole);
    if (!are_digits(whole) || !are_digits(fraction) || whole.len + fraction.len == 0) return false;
    return whole.len == text.len || (whole.len && fraction.len);
}

int decimal_text_compare(struct str a, struct str b) {
    struct parts x = split(a), y = split(b);
    bool x_is_zero = x.whole.len + x.fraction.len == 0, y_is_zero = y.whole.len + y.fraction.len == 0;
    if (x_is_zero) x.is_negative = false;
    if (y_is_zero) y.is_negative = false;
    if (x.is_negative != y.is_negative) return x.is_negative ? -1 : 1;
    int order = x.whole.len != y.whole.len ? (x.whole.len < y.whole.len ? -1 : 1) : str_cmp(x.whole, y.whole);
    if (order == 0) order = str_cmp(x.fraction, y.fraction);
    return x.is_negative ? -order : order;
}
