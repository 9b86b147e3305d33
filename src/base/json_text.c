/*
 * JSON as text. One loop over the levels of a value, with one bit a level to tell objects from arrays, so that no depth
 * of nesting can use up the stack.
 *
 * Source: RFC 8259; what Spark 3.5 sets on its parser (Jackson 2.15): ALLOW_SINGLE_QUOTES, ALLOW_NON_NUMERIC_NUMBERS in
 * the reader, ALLOW_UNESCAPED_CONTROL_CHARS in get_json_object; \' is an escape where single quotes are allowed.
 */
#include "base/json_text.h"

#include <string.h>

typedef unsigned char wide __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static bool fail(struct json_text *t, const char *fault) {
    t->fault = fault;
    return false;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void json_text_space(struct json_text *t) {
    while (t->p < t->end && is_space(*t->p)) t->p++;
}

bool json_text_take(struct json_text *t, char c) {
    json_text_space(t);
    if (t->p == t->end || *t->p != c) return false;
    t->p++;
    return true;
}

/* ---- texts ---- */

/** The first quote, backslash or control character at or behind p, or end. */
static const char *find_mark(const char *p, const char *end, char quote) {
    wide bytes, quotes;
    memset(&quotes, quote, sizeof quotes);
    for (; (size_t)(end - p) >= sizeof bytes; p += sizeof bytes) {
        memcpy(&bytes, p, sizeof bytes);
        halves hits = (halves)((bytes == quotes) | (bytes == '\\') | (bytes < 0x20));
        if (hits[0]) return p + __builtin_ctzll(hits[0]) / 8;
        if (hits[1]) return p + 8 + __builtin_ctzll(hits[1]) / 8;
    }
    while (p < end && *p != quote && *p != '\\' && (unsigned char)*p >= 0x20) p++;
    return p;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/** Four hex digits at p, or -1. */
static int hex_number(const char *p, const char *end) {
    int number = 0;
    for (int i = 0; i < 4; i++) {
        int digit = p + i < end ? hex_digit(p[i]) : -1;
        if (digit < 0) return -1;
        number = number << 4 | digit;
    }
    return number;
}

/** p stands at a backslash. */
static bool pass_escape(struct json_text *t) {
    char c = t->p + 1 < t->end ? t->p[1] : '\0';
    if (c == 'u') {
        if (hex_number(t->p + 2, t->end) < 0) return fail(t, "\\u without four hex digits");
        t->p += 6;
        return true;
    }
    if (!c || !strchr("\"\\/bfnrt'", c)) return fail(t, "an escape that JSON does not have");
    t->p += 2;
    return true;
}

static bool pass_string(struct json_text *t, bool *has_escapes) {
    char quote = *t->p;
    *has_escapes = false;
    for (t->p++;;) {
        t->p = find_mark(t->p, t->end, quote);
        if (t->p == t->end) return fail(t, "a text that does not end");
        if (*t->p == quote) {
            t->p++;
            return true;
        }
        if (*t->p == '\\') {
            *has_escapes = true;
            if (!pass_escape(t)) return false;
        } else if (t->has_controls) {
            t->p++;
        } else {
            return fail(t, "a control character inside a text");
        }
    }
}

static void put_utf8(struct buf *out, uint32_t c) {
    char bytes[4];
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = len; i-- > 1; c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(heads[len] | c);
    buf_add(out, (struct str){bytes, len});
}

/** The character of a \u escape at p, with its other half if it needs one; p moves behind it. */
static bool decode_unicode(const char **p, const char *end, struct buf *out) {
    uint32_t c = (uint32_t)hex_number(*p + 2, end);
    *p += 6;
    if (c >= 0xD800 && c < 0xDC00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
        uint32_t low = (uint32_t)hex_number(*p + 2, end);
        if (low < 0xDC00 || low > 0xDFFF) return false;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        *p += 6;
    }
    if (c >= 0xD800 && c < 0xE000) return false;
    put_utf8(out, c);
    return true;
}

static char decode_escape(char c) {
    static const char names[] = "bfnrt", characters[] = "\b\f\n\r\t";
    const char *at = strchr(names, c);
    return at ? characters[at - names] : c;
}

bool json_text_decode(const struct json_text_value *value, struct buf *scratch, struct str *out) {
    struct str inside = str_sub(value->text, 1, value->text.len - 1);
    if (!value->has_escapes) {
        *out = inside;
        return true;
    }
    buf_reserve(scratch, inside.len + 1); /* no escape says more than it is long: what was borrowed before stays */
    size_t start = scratch->len;
    const char *p = inside.ptr, *end = inside.ptr + inside.len;
    while (p < end) {
        const char *stop = memchr(p, '\\', (size_t)(end - p));
        if (!stop) stop = end;
        buf_add(scratch, (struct str){p, (size_t)(stop - p)});
        p = stop;
        if (p == end) break;
        if (p[1] == 'u') {
            if (!decode_unicode(&p, end, scratch)) return false;
        } else {
            buf_addc(scratch, decode_escape(p[1]));
            p += 2;
        }
    }
    *out = (struct str){scratch->data + start, scratch->len - start};
    return true;
}

/* ---- numbers and words ---- */

static bool is_digit(const struct json_text *t) { return t->p < t->end && *t->p >= '0' && *t->p <= '9'; }

static bool pass_digits(struct json_text *t) {
    if (!is_digit(t)) return fail(t, "a number that lacks digits");
    while (is_digit(t)) t->p++;
    return true;
}

static bool pass_word(struct json_text *t, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(t->end - t->p) < len || memcmp(t->p, word, len) != 0) return false;
    t->p += len;
    return true;
}

static bool pass_number(struct json_text *t) {
    bool has_sign = *t->p == '-' || *t->p == '+', is_plus = *t->p == '+';
    if (has_sign) t->p++;
    if (t->has_specials && (pass_word(t, "Infinity") || pass_word(t, "INF"))) return true;
    if (is_plus) return fail(t, "a number with a plus sign");
    if (t->p < t->end && *t->p == '0') {
        t->p++;
        if (is_digit(t)) return fail(t, "a number with a zero in front");
    } else if (!pass_digits(t)) {
        return false;
    }
    if (t->p < t->end && *t->p == '.') {
        t->p++;
        if (!pass_digits(t)) return false;
    }
    if (t->p < t->end && (*t->p == 'e' || *t->p == 'E')) {
        t->p++;
        if (t->p < t->end && (*t->p == '+' || *t->p == '-')) t->p++;
        if (!pass_digits(t)) return false;
    }
    return true;
}

/** A value without levels. */
static bool pass_scalar(struct json_text *t, struct json_text_value *out) {
    char c = *t->p;
    if (c == '"' || c == '\'') {
        out->kind = JSON_TEXT_STRING;
        return pass_string(t, &out->has_escapes);
    }
    out->kind = JSON_TEXT_NUMBER;
    if (c == '-' || c == '+' || (c >= '0' && c <= '9')) return pass_number(t);
    if (t->has_specials && (pass_word(t, "NaN") || pass_word(t, "Infinity"))) return true;
    out->kind = JSON_TEXT_BOOLEAN;
    if (pass_word(t, "true") || pass_word(t, "false")) return true;
    out->kind = JSON_TEXT_NULL;
    return pass_word(t, "null") || fail(t, "no value of JSON");
}

/* ---- levels ---- */

struct levels {
    uint64_t is_object[JSON_TEXT_DEPTH / 64 + 1];
    size_t count;
};

static bool is_in_object(const struct levels *l) {
    return l->is_object[(l->count - 1) / 64] >> ((l->count - 1) % 64) & 1;
}

/** p stands at an opening bracket. */
static bool enter(struct json_text *t, struct levels *l) {
    if (t->depth + l->count >= JSON_TEXT_DEPTH) return fail(t, "more levels than 1000");
    uint64_t bit = UINT64_C(1) << (l->count % 64);
    if (*t->p == '{')
        l->is_object[l->count / 64] |= bit;
    else
        l->is_object[l->count / 64] &= ~bit;
    l->count++;
    t->p++;
    return true;
}

/** A key and its colon. */
static bool pass_key(struct json_text *t) {
    bool has_escapes;
    json_text_space(t);
    if (t->p == t->end || (*t->p != '"' && *t->p != '\'')) return fail(t, "no key where one is expected");
    if (!pass_string(t, &has_escapes)) return false;
    return json_text_take(t, ':') || fail(t, "no colon behind a key");
}

/** Behind a value: closing brackets, then perhaps a comma. *is_next: another value of the level follows, else all is
 * done. */
static bool leave(struct json_text *t, struct levels *l, bool *is_next) {
    *is_next = false;
    while (l->count) {
        bool is_object = is_in_object(l);
        if (json_text_take(t, ',')) {
            *is_next = true;
            return !is_object || pass_key(t);
        }
        if (!json_text_take(t, is_object ? '}' : ']'))
            return fail(t, t->p == t->end ? is_object ? "an object that does not end" : "an array that does not end"
                                          : "no comma or closing bracket behind a value");
        l->count--;
    }
    return true;
}

/** Open brackets down to the first scalar, or to the first level that is empty. */
static bool descend(struct json_text *t, struct levels *l, struct json_text_value *scalar) {
    for (;;) {
        json_text_space(t);
        if (t->p == t->end) return fail(t, "the end where a value is expected");
        if (*t->p != '{' && *t->p != '[') return pass_scalar(t, scalar);
        bool is_object = *t->p == '{';
        if (!enter(t, l)) return false;
        if (json_text_take(t, is_object ? '}' : ']')) {
            l->count--;
            return true;
        }
        if (is_object && !pass_key(t)) return false;
    }
}

bool json_text_value(struct json_text *t, struct json_text_value *out) {
    struct levels levels;
    levels.count = 0;
    json_text_space(t);
    const char *start = t->p;
    struct json_text_value scalar = {0};
    bool is_next = true;
    while (is_next)
        if (!descend(t, &levels, &scalar) || !leave(t, &levels, &is_next)) return false;
    bool is_nested = *start == '{' || *start == '[';
    *out = scalar;
    if (is_nested) *out = (struct json_text_value){.kind = *start == '{' ? JSON_TEXT_OBJECT : JSON_TEXT_ARRAY};
    out->text = (struct str){start, (size_t)(t->p - start)};
    return true;
}
