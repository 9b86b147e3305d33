/*
 * Looking into the JSON of `stats` without a library (protocol: "Per-file Statistics").
 *
 * 1. Numbers are handed out as they are written: a long above 2^53 or a decimal of 38 digits never becomes a double.
 * 2. Any bytes may come in. What is no JSON is "not found", and a reader of stats then knows nothing about the file.
 * 3. Nesting deeper than DEPTH_MAX is no JSON here; stats nest as deep as the schema does.
 */
#include "delta/delta_int.h"

#include <string.h>

enum { DEPTH_MAX = 200 };

/* A text under the cursor; moved forward, `ptr` is NULL after a mistake. */
struct cursor {
    const char *at, *end;
};

static bool fail(struct cursor *c) {
    c->at = NULL;
    return false;
}

static void skip_space(struct cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

static bool take(struct cursor *c, char expected) {
    skip_space(c);
    if (c->at >= c->end || *c->at != expected) return false;
    c->at++;
    return true;
}

static bool skip_string(struct cursor *c) {
    if (!take(c, '"')) return fail(c);
    for (; c->at < c->end; c->at++) {
        if (*c->at == '\\')
            c->at++;
        else if (*c->at == '"') {
            c->at++;
            return true;
        }
    }
    return fail(c);
}

static bool skip_value(struct cursor *c, int depth);

static bool skip_members(struct cursor *c, char close, bool has_keys, int depth) {
    if (take(c, close)) return true;
    do {
        if (has_keys && !(skip_string(c) && take(c, ':'))) return fail(c);
        if (!skip_value(c, depth + 1)) return false;
    } while (take(c, ','));
    return take(c, close) || fail(c);
}

static bool skip_value(struct cursor *c, int depth) {
    skip_space(c);
    if (c->at >= c->end || depth > DEPTH_MAX) return fail(c);
    if (*c->at == '"') return skip_string(c);
    if (*c->at == '{' || *c->at == '[') {
        bool is_object = *c->at++ == '{';
        return skip_members(c, is_object ? '}' : ']', is_object, depth);
    }
    const char *start = c->at;
    while (c->at < c->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *c->at) && *c->at) c->at++;
    return c->at > start || fail(c);
}

static bool key_is(struct str quoted, struct str name) {
    struct str inner = str_sub(quoted, 1, quoted.len - 1);
    if (str_find_char(inner, '\\') == SIZE_MAX) return str_eq(inner, name);
    struct arena scratch = {0};
    struct str key;
    bool is_equal = delta_stats_text(quoted, &scratch, &key) && str_eq(key, name);
    arena_reset(&scratch);
    return is_equal;
}

static bool find_member(struct str object, struct str name, struct str *raw) {
    struct cursor c = {object.ptr, object.ptr + object.len};
    if (object.len == 0 || !take(&c, '{') || take(&c, '}')) return false;
    do {
        skip_space(&c);
        const char *key = c.at;
        if (!skip_string(&c)) return false;
        bool is_wanted = key_is((struct str){key, (size_t)(c.at - key)}, name);
        if (!take(&c, ':')) return false;
        skip_space(&c);
        const char *value = c.at;
        if (!skip_value(&c, 0)) return false;
        if (!is_wanted) continue;
        *raw = (struct str){value, (size_t)(c.at - value)};
        return !str_eq(*raw, STR("null"));
    } while (take(&c, ','));
    return false;
}

bool delta_stats_find(struct str stats, const char *section, struct str column, struct str *raw) {
    struct str found;
    if (!find_member(stats, str_of(section), &found)) return false;
    if (column.len > 0 && !find_member(found, column, &found)) return false;
    *raw = found;
    return true;
}

int64_t delta_stats_int(struct str stats, const char *section, struct str column) {
    struct str raw;
    int64_t value;
    if (!delta_stats_find(stats, section, column, &raw) || str_int64(raw, &value) != ASSAY_OK) return -1;
    return value < 0 ? -1 : value;
}

/* ---- strings ---- */

static bool hex4(const char *at, unsigned *out) {
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit > 15) return false;
        value = value * 16 + digit;
    }
    *out = value;
    return true;
}

static size_t put_utf8(char *out, unsigned c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t count = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned LEAD[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = count - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(LEAD[count] | c);
    return count;
}

/* `\uXXXX` at `at` (after the u), with its second half if it is a surrogate; the bytes it takes, or 0. */
static size_t take_escape(const char *at, const char *end, unsigned *out) {
    unsigned high, low;
    if (end - at < 4 || !hex4(at, &high)) return 0;
    if (high < 0xD800 || high > 0xDFFF) {
        *out = high;
        return 4;
    }
    if (high > 0xDBFF || end - at < 10 || at[4] != '\\' || at[5] != 'u' || !hex4(at + 6, &low) || low < 0xDC00 ||
        low > 0xDFFF)
        return 0;
    *out = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return 10;
}

bool delta_stats_text(struct str raw, struct arena *arena, struct str *out) {
    if (raw.len < 2 || raw.ptr[0] != '"' || raw.ptr[raw.len - 1] != '"') return false;
    char *bytes = arena_alloc(arena, raw.len);
    size_t len = 0;
    const char *end = raw.ptr + raw.len - 1;
    for (const char *at = raw.ptr + 1; at < end; at++) {
        if (*at != '\\') {
            bytes[len++] = *at;
            continue;
        }
        static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
        if (++at >= end) return false;
        const char *name = memchr(NAMES, *at, sizeof NAMES - 1);
        unsigned code;
        size_t taken = *at == 'u' ? take_escape(at + 1, end, &code) : 0;
        if (name)
            bytes[len++] = VALUES[name - NAMES];
        else if (taken)
            len += put_utf8(bytes + len, code), at += taken;
        else
            return false;
    }
    *out = (struct str){bytes, len};
    return true;
}
