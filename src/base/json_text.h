/**
 * JSON as text: checked and cut, never changed. A value is a view of the bytes that were sent; no number is computed
 * and no text is decoded unless it is asked for.
 *
 * Grammar: RFC 8259, and what Spark 3.5's readers take besides: texts in single quotes, and by option NaN, Infinity,
 * +Infinity, -Infinity, +INF and -INF, and control characters inside texts. Bytes above 0x7F are let through inside
 * texts; whether they are UTF-8 is for the caller to see. At most JSON_TEXT_DEPTH levels, as Spark's reader has it.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include "base/str.h"

enum { JSON_TEXT_DEPTH = 1000 };

enum json_text_kind {
    JSON_TEXT_NULL,
    JSON_TEXT_BOOLEAN,
    JSON_TEXT_NUMBER, /* NaN and its like too */
    JSON_TEXT_STRING,
    JSON_TEXT_ARRAY,
    JSON_TEXT_OBJECT
};

struct json_text_value {
    enum json_text_kind kind;
    struct str text;  /* as it stands, with quotes or brackets */
    bool has_escapes; /* a string with a backslash */
};

/** Where reading stands; the caller's struct: {.p = start, .end = end}. */
struct json_text {
    const char *p, *end;
    bool has_specials; /* option: NaN, Infinity and their like */
    bool has_controls; /* option: control characters inside texts */
    size_t depth;      /* levels that were entered before; the caller counts its own */
    const char *fault; /* after a false: what is wrong at p, such as "a text that does not end" */
};

/** Pass over blanks, tabs and line ends. */
void json_text_space(struct json_text *t);
/** Whether the next character behind space is c; then it is passed. */
bool json_text_take(struct json_text *t, char c);
/** The whole value behind space, checked down to its last character. False: t->fault says what stands at t->p. */
bool json_text_value(struct json_text *t, struct json_text_value *out);

/**
 * What a string value says, its escapes decoded. Borrowed from the value when it has none, else from `scratch`, to
 * which it is appended.
 * @return false: half of a surrogate pair, which no text in UTF-8 can hold
 */
bool json_text_decode(const struct json_text_value *value, struct buf *scratch, struct str *out);

#endif
