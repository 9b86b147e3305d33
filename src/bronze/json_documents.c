/*
 * Where the records of a file begin and end that may go on over lines: documents one behind another, or the elements of
 * arrays.
 *
 * 1. A record ends where its first bracket closes. So a record that is wrong inside is one corrupt row, and its
 * neighbours are as they are.
 * 2. A record whose bracket never closes, or closes with the other kind, has no end that could be known: whatever
 * followed might be part of it, and a row read there might be invented. The same is true of brackets between records.
 * The file is refused.
 * 3. Commas and white space between records mean nothing, in an array or outside.
 * 4. What is no bracket and stands where a record is expected ends before white space, a comma or a bracket, a text at
 * its quote or line end: a corrupt row.
 */
#include "bronze/json.h"

#include <string.h>

static bool is_bracket(char c) { return c == '[' || c == ']' || c == '{' || c == '}'; }
static bool is_between(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

struct levels {
    uint64_t is_object[JSON_TEXT_DEPTH / 64 + 1];
    size_t count; /* beyond JSON_TEXT_DEPTH the kind is not kept: the reader refuses such a record anyway */
};

static void open_level(struct levels *l, char c) {
    uint64_t bit = UINT64_C(1) << (l->count % 64);
    if (l->count < JSON_TEXT_DEPTH && c == '{') l->is_object[l->count / 64] |= bit;
    if (l->count < JSON_TEXT_DEPTH && c == '[') l->is_object[l->count / 64] &= ~bit;
    l->count++;
}

/** Whether the bracket is the one that closes the innermost level. */
static bool close_level(struct levels *l, char c) {
    l->count--;
    return l->count >= JSON_TEXT_DEPTH || (l->is_object[l->count / 64] >> (l->count % 64) & 1) == (c == '}');
}

/** Behind the text whose quote stands at p; NULL if it does not end. */
static const char *pass_text(const char *p, const char *end) {
    char quote = *p++;
    for (; p < end; p++) {
        if (*p == quote) return p + 1;
        if (*p == '\\') p++;
    }
    return NULL;
}

/** A record in brackets. */
static enum json_cut cut_nested(const char *start, const char *end, bool is_final, size_t max_bytes, size_t *size) {
    struct levels levels;
    const char *line_end = memchr(start, '\n', (size_t)(end - start)), *p = start;
    levels.count = 0;
    while (p && p < end) {
        if (line_end && p > line_end && (size_t)(p - start) > max_bytes) return JSON_CUT_BROKEN;
        char c = *p;
        if (c == '"' || c == '\'') {
            p = pass_text(p, end);
            continue;
        }
        p++;
        if (c == '{' || c == '[') open_level(&levels, c);
        if (c != '}' && c != ']') continue;
        if (!close_level(&levels, c)) return JSON_CUT_BROKEN;
        *size = (size_t)(p - start);
        if (levels.count == 0) return line_end && p > line_end && *size > max_bytes ? JSON_CUT_BROKEN : JSON_CUT_RECORD;
    }
    bool is_long = line_end && (size_t)(end - start) > max_bytes;
    return is_final || is_long ? JSON_CUT_BROKEN : JSON_CUT_MORE;
}

/** Anything else that stands where a record is expected. */
static enum json_cut cut_other(const char *start, const char *end, bool is_final, size_t *size) {
    const char *p = start;
    bool is_text = *p == '"' || *p == '\'';
    if (is_text) {
        const char *behind = pass_text(p, end);
        while (p < end && *p != '\n' && *p != '\r' && p != behind) p++;
    } else {
        while (p < end && !is_between(*p) && !is_bracket(*p)) p++;
    }
    *size = (size_t)(p - start);
    return p < end || is_final ? JSON_CUT_RECORD : JSON_CUT_MORE;
}

enum json_cut json_cut_next(struct json_framing *framing, struct str bytes, bool is_final, size_t max_bytes,
                            struct json_extent *out) {
    const char *p = bytes.ptr, *end = bytes.ptr + bytes.len;
    bool is_in_array = framing->is_in_array;
    for (; p < end; p++) {
        if (is_between(*p)) continue;
        bool is_opening = *p == '[' && !is_in_array, is_closing = *p == ']' && is_in_array;
        if (!is_opening && !is_closing) break;
        is_in_array = is_opening;
    }
    if (p == end && !is_final) return JSON_CUT_MORE;
    if (p == end && is_in_array) return JSON_CUT_BROKEN;
    if (p == end) {
        framing->is_in_array = false;
        return JSON_CUT_END;
    }
    out->start = (size_t)(p - bytes.ptr);
    enum json_cut cut = *p == '{' || *p == '['   ? cut_nested(p, end, is_final, max_bytes, &out->size)
                        : *p == '}' || *p == ']' ? JSON_CUT_BROKEN
                                                 : cut_other(p, end, is_final, &out->size);
    if (cut == JSON_CUT_RECORD) framing->is_in_array = is_in_array;
    return cut;
}
