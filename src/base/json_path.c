/*
 * A path into a JSON text.
 *
 * 1. The whole first value of the text is read, so damage behind what is looked for is seen too; text behind that value
 * is not looked at. Both as Spark's parser does.
 * 2. Of several members of one name the first counts that leads to a value; null leads to none.
 * 3. What is written anew is written as Jackson does: no blanks, only needed escapes, characters outside of the basic
 * plane as two \u escapes.
 * Source: Spark 3.5, JsonPathParser and GetJsonObjectEvaluator; tests/data/json/get_json_object.ndjson.
 */
#include "base/json_path.h"

#include "base/json_text.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 100 };

struct step {
    struct str name; /* ptr NULL: an index */
    int64_t index;
};

struct json_path {
    struct arena arena;
    struct step steps[STEPS_MAX];
    size_t count;
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* ---- the path itself ---- */

/** `.name`: up to the next dot or bracket; blanks in front of it do not count. */
static bool take_dotted(struct str *rest, struct str *name) {
    size_t from = 1, to;
    while (from < rest->len && is_blank(rest->ptr[from])) from++;
    for (to = from; to < rest->len && rest->ptr[to] != '.' && rest->ptr[to] != '['; to++) continue;
    *name = str_sub(*rest, from, to);
    *rest = str_sub(*rest, to, rest->len);
    return name->len > 0;
}

/** `['name']` */
static bool take_quoted(struct str *rest, struct str *name) {
    struct str behind = str_sub(*rest, 2, rest->len);
    size_t end = str_find_char(behind, '\'');
    if (end == SIZE_MAX || end + 1 >= behind.len || behind.ptr[end + 1] != ']') return false;
    *name = str_sub(behind, 0, end);
    *rest = str_sub(behind, end + 2, behind.len);
    return name->len > 0 && str_find_char(*name, '?') == SIZE_MAX;
}

/** `[12]` */
static bool take_index(struct str *rest, int64_t *index) {
    size_t end = str_find_char(*rest, ']');
    if (end == SIZE_MAX || end < 2 || rest->ptr[1] < '0' || rest->ptr[1] > '9') return false;
    if (str_int64(str_sub(*rest, 1, end), index) != ASSAY_OK) return false;
    *rest = str_sub(*rest, end + 1, rest->len);
    return true;
}

static bool take_step(struct str *rest, struct step *step) {
    *step = (struct step){0};
    if (rest->ptr[0] == '.') return take_dotted(rest, &step->name);
    if (str_starts(*rest, STR("['"))) return take_quoted(rest, &step->name);
    return rest->ptr[0] == '[' && take_index(rest, &step->index);
}

static enum assay_code refuse(struct str text, size_t at, bool is_wild, struct assay_error *err) {
    struct buf shown = {0};
    buf_add_printable(&shown, text);
    enum assay_code rc =
        is_wild ? error_set(err, ASSAY_UNSUPPORTED, NULL,
                            "the path '%s' has a wildcard, which is not read; name one member or element", shown.data)
                : error_set(err, ASSAY_INVALID, NULL,
                            "the path '%s' cannot be read from character %zu on; expected $ and steps such as "
                            ".city, ['two words'] or [0]",
                            shown.data, at + 1);
    buf_free(&shown);
    return rc;
}

enum assay_code json_path_open(struct str text, struct json_path **out, struct assay_error *err) {
    if (!str_starts(text, STR("$"))) return refuse(text, 0, false, err);
    struct json_path *path = memory_alloc(sizeof *path);
    memset(path, 0, sizeof *path);
    struct str rest = str_sub(str_copy(&path->arena, text), 1, text.len);
    while (rest.len) {
        size_t at = text.len - rest.len;
        bool is_wild = str_starts(rest, STR(".*")) || str_starts(rest, STR("[*]")) || str_starts(rest, STR("['*']"));
        if (is_wild || path->count == STEPS_MAX || !take_step(&rest, &path->steps[path->count])) {
            json_path_close(&path);
            return refuse(text, at, is_wild, err);
        }
        path->count++;
    }
    *out = path;
    return ASSAY_OK;
}

void json_path_close(struct json_path **path) {
    if (!*path) return;
    arena_reset(&(*path)->arena);
    free(*path);
    *path = NULL;
}

/* ---- writing a value anew ---- */

static void put_code(struct buf *out, uint32_t unit) { buf_printf(out, "\\u%04X", (unsigned)unit); }

static void put_plain(struct buf *out, char c) {
    static const char characters[] = "\b\f\n\r\t\"\\", names[] = "bfnrt\"\\";
    const char *at = c ? strchr(characters, c) : NULL;
    if (at) {
        buf_addc(out, '\\');
        buf_addc(out, names[at - characters]);
    } else if ((unsigned char)c < 0x20) {
        put_code(out, (unsigned char)c);
    } else {
        buf_addc(out, c);
    }
}

/** A character of four bytes, as the two escapes of its halves. */
static void put_pair(struct buf *out, const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    uint32_t c =
        (uint32_t)(b[0] & 7) << 18 | (uint32_t)(b[1] & 0x3F) << 12 | (uint32_t)(b[2] & 0x3F) << 6 | (b[3] & 0x3F);
    put_code(out, 0xD800 + ((c - 0x10000) >> 10));
    put_code(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
}

/** The escape at p, of a text that was checked; how long it is. */
static size_t put_escape(struct buf *out, const char *p, struct buf *scratch) {
    if (p[1] != 'u') {
        static const char names[] = "bfnrt", characters[] = "\b\f\n\r\t";
        const char *at = strchr(names, p[1]);
        put_plain(out, at ? characters[at - names] : p[1]);
        return 2;
    }
    char quoted[9] = {'"', p[0], p[1], p[2], p[3], p[4], p[5], '"', '\0'};
    struct json_text_value one = {.kind = JSON_TEXT_STRING, .text = {quoted, 8}, .has_escapes = true};
    struct str text;
    buf_clear(scratch);
    if (!json_text_decode(&one, scratch, &text)) {
        buf_addz(out, "\\u");
        for (size_t i = 2; i < 6; i++) buf_addc(out, p[i] >= 'a' ? (char)(p[i] - 'a' + 'A') : p[i]);
    } else if (text.len == 1) {
        put_plain(out, text.ptr[0]);
    } else {
        buf_add(out, text);
    }
    return 6;
}

/** The string that begins at p; behind it. */
static const char *put_string(struct buf *out, const char *p, struct buf *scratch) {
    char quote = *p++;
    buf_addc(out, '"');
    while (*p != quote) {
        if (*p == '\\') {
            p += put_escape(out, p, scratch);
        } else if ((unsigned char)*p >= 0xF0) {
            put_pair(out, p);
            p += 4;
        } else {
            put_plain(out, *p++);
        }
    }
    buf_addc(out, '"');
    return p + 1;
}

static void put_nested(struct buf *out, struct str text) {
    struct buf scratch = {0};
    const char *p = text.ptr, *end = text.ptr + text.len;
    while (p < end) {
        if (*p == '"' || *p == '\'') {
            p = put_string(out, p, &scratch);
        } else {
            if (!is_blank(*p)) buf_addc(out, *p);
            p++;
        }
    }
    buf_free(&scratch);
}

static bool put_value(struct buf *out, const struct json_text_value *value) {
    struct str text = value->text;
    struct buf scratch = {0};
    bool is_text = value->kind != JSON_TEXT_STRING || json_text_decode(value, &scratch, &text);
    if (value->kind == JSON_TEXT_OBJECT || value->kind == JSON_TEXT_ARRAY)
        put_nested(out, text);
    else if (is_text)
        buf_add(out, text);
    buf_free(&scratch);
    return is_text;
}

/* ---- finding ---- */

struct search {
    const struct json_path *path;
    struct json_text text;
    struct buf *out;
    bool is_found;
};

/** Read one value, taking what stands behind `step`. False: no JSON. */
static bool read_value(struct search *s, size_t step, bool is_wanted);

/** Whether the value to come is null; nothing is read. */
static bool is_null_next(const struct search *s) {
    struct json_text t = s->text;
    struct json_text_value value;
    json_text_space(&t);
    return t.p < t.end && *t.p == 'n' && json_text_value(&t, &value) && value.kind == JSON_TEXT_NULL;
}

static bool is_member(const struct step *step, const struct json_text_value *key) {
    struct buf scratch = {0};
    struct str name;
    bool is_same = json_text_decode(key, &scratch, &name) && str_eq(name, step->name);
    buf_free(&scratch);
    return is_same;
}

static bool read_object(struct search *s, size_t step, const struct step *wanted) {
    struct json_text_value key;
    if (json_text_take(&s->text, '}')) return true;
    do {
        if (!json_text_value(&s->text, &key) || key.kind != JSON_TEXT_STRING || !json_text_take(&s->text, ':'))
            return false;
        bool is_wanted = !s->is_found && is_member(wanted, &key) && !is_null_next(s);
        if (!read_value(s, step + 1, is_wanted)) return false;
    } while (json_text_take(&s->text, ','));
    return json_text_take(&s->text, '}');
}

static bool read_array(struct search *s, size_t step, const struct step *wanted) {
    if (json_text_take(&s->text, ']')) return true;
    int64_t index = 0;
    do {
        if (!read_value(s, step + 1, index++ == wanted->index)) return false;
    } while (json_text_take(&s->text, ','));
    return json_text_take(&s->text, ']');
}

static bool read_value(struct search *s, size_t step, bool is_wanted) {
    bool is_end = step == s->path->count;
    json_text_space(&s->text);
    char first = s->text.p < s->text.end ? *s->text.p : '\0';
    if (is_wanted && !is_end && first == (s->path->steps[step].name.ptr ? '{' : '[')) {
        s->text.p++;
        s->text.depth++;
        bool is_good =
            first == '{' ? read_object(s, step, &s->path->steps[step]) : read_array(s, step, &s->path->steps[step]);
        s->text.depth--;
        return is_good;
    }
    struct json_text_value value;
    if (!json_text_value(&s->text, &value)) return false;
    if (is_wanted && is_end) s->is_found = put_value(s->out, &value);
    return true;
}

bool json_path_find(const struct json_path *path, struct str json, struct buf *out) {
    size_t start = out->len;
    struct search s = {
        .path = path, .text = {.p = json.ptr, .end = json.ptr + json.len, .has_controls = true}, .out = out};
    if (read_value(&s, 0, true) && s.is_found) return true;
    out->len = start;
    return false;
}
