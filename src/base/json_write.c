/*
 * Writing JSON: text straight into a buffer. The writer only puts commas and escapes; the caller gives the order.
 *
 * 1. What is written reads back equal: int64 exactly, doubles by the fewest digits that do, text as valid UTF-8.
 * 2. A finished top-level value leaves the writer as it was, so that one writer can write many lines.
 */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_value(struct json_writer *w) {
    if (w->need_comma) buf_addc(w->out, ',');
}

static void end_value(struct json_writer *w) { w->need_comma = w->depth > 0; }

static void begin_nest(struct json_writer *w, char bracket) {
    begin_value(w);
    buf_addc(w->out, bracket);
    w->depth++;
    w->need_comma = false;
}

static void end_nest(struct json_writer *w, char bracket) {
    assert(w->depth > 0);
    buf_addc(w->out, bracket);
    w->depth--;
    end_value(w);
}

void json_begin_object(struct json_writer *w) { begin_nest(w, '{'); }

void json_end_object(struct json_writer *w) { end_nest(w, '}'); }

void json_begin_array(struct json_writer *w) { begin_nest(w, '['); }

void json_end_array(struct json_writer *w) { end_nest(w, ']'); }

static bool must_escape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

static void add_escape(struct buf *out, unsigned char c) {
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = c ? strchr(plain, c) : NULL;
    if (at)
        buf_printf(out, "\\%c", letters[at - plain]);
    else
        buf_printf(out, "\\u%04x", c);
}

/** Valid UTF-8, escaped. */
static void add_valid(struct buf *out, struct str s) {
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (!must_escape((unsigned char)s.ptr[i])) continue;
        buf_add(out, str_sub(s, from, i));
        add_escape(out, (unsigned char)s.ptr[i]);
        from = i + 1;
    }
    buf_add(out, str_sub(s, from, s.len));
}

static void add_quoted(struct buf *out, struct str s) {
    buf_addc(out, '"');
    for (size_t bad; (bad = str_utf8_error(s)) != SIZE_MAX; s = str_sub(s, bad + 1, s.len)) {
        add_valid(out, str_sub(s, 0, bad));
        buf_addz(out, "\xEF\xBF\xBD");
    }
    add_valid(out, s);
    buf_addc(out, '"');
}

void json_key_str(struct json_writer *w, struct str key) {
    assert(w->depth > 0);
    begin_value(w);
    add_quoted(w->out, key);
    buf_addc(w->out, ':');
    w->need_comma = false;
}

void json_key(struct json_writer *w, const char *key) { json_key_str(w, str_of(key)); }

void json_put_str(struct json_writer *w, struct str value) {
    begin_value(w);
    add_quoted(w->out, value);
    end_value(w);
}

void json_put_raw(struct json_writer *w, struct str json) {
    begin_value(w);
    buf_add(w->out, json);
    end_value(w);
}

void json_put_int(struct json_writer *w, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    json_put_raw(w, str_of(text));
}

void json_put_real(struct json_writer *w, double value) {
    if (!isfinite(value)) {
        json_put_null(w);
        return;
    }
    char text[40];
    int digits = 1;
    do snprintf(text, sizeof text, "%.*e", digits - 1, value);
    while (strtod(text, NULL) != value && ++digits <= 17);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    int decimals = digits - 1 - exponent;
    if (exponent >= -5 && exponent < 17) /* one decimal at least, so that it stays a real for the next reader */
        snprintf(text, sizeof text, "%.*f", decimals > 1 ? decimals : 1, value);
    char *comma = strchr(text, ','); /* a host program may have set a locale */
    if (comma) *comma = '.';
    json_put_raw(w, str_of(text));
}

void json_put_bool(struct json_writer *w, bool value) { json_put_raw(w, value ? STR("true") : STR("false")); }

void json_put_null(struct json_writer *w) { json_put_raw(w, STR("null")); }

static void print_node(struct json_writer *w, const struct json *node);

static void print_object(struct json_writer *w, const struct json *node) {
    struct str key;
    const struct json *value;
    json_begin_object(w);
    for (size_t i = 0; json_member_at(node, i, &key, &value); i++) {
        json_key_str(w, key);
        print_node(w, value);
    }
    json_end_object(w);
}

static void print_array(struct json_writer *w, const struct json *node) {
    json_begin_array(w);
    for (size_t i = 0; i < json_count(node); i++) print_node(w, json_at(node, i));
    json_end_array(w);
}

static void print_node(struct json_writer *w, const struct json *node) {
    switch (json_kind_of(node)) {
    case JSON_KIND_OBJECT:
        print_object(w, node);
        break;
    case JSON_KIND_ARRAY:
        print_array(w, node);
        break;
    case JSON_KIND_STRING:
        json_put_str(w, json_str(node));
        break;
    case JSON_KIND_INT:
        json_put_int(w, json_int(node));
        break;
    case JSON_KIND_REAL:
        json_put_real(w, json_number(node));
        break;
    case JSON_KIND_BOOL:
        json_put_bool(w, json_bool(node));
        break;
    case JSON_KIND_NULL:
        json_put_null(w);
        break;
    }
}

void json_print(struct buf *out, const struct json *node) {
    struct json_writer w = {.out = out};
    print_node(&w, node);
}
