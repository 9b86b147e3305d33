/*
 * One record of JSON to values by column.
 *
 * 1. A value is the text that was sent: a number with all its digits, an object with its blanks; of a string what it
 * says. null is no value, as is a key that is not there.
 * 2. Keys meet columns whatever their case, because a table cannot have two columns that differ in nothing else. A
 * record in which two keys meet one column is corrupt: whichever value was taken, the other would be lost. (Spark takes
 * the last one, and only keys of the column's own case.)
 * 3. Text behind the object is a fault, where Spark passes over it without a word.
 * 4. Most records have their keys in the order of the one before, so that is where a key is looked for first.
 * Source: the facts of Spark's JSON reader; the oracle's rules "JSON values" and "A broken JSON line".
 */
#include "bronze/json.h"

#include <stdlib.h>
#include <string.h>

void json_reader_open(struct json_reader *r, const struct bronze_columns *columns) {
    size_t count = columns->count;
    *r = (struct json_reader){.columns = columns};
    r->values = memory_alloc((count + 1) * sizeof *r->values);
    r->order = memory_alloc((count + 1) * sizeof *r->order);
    r->is_seen = memory_alloc(count + 1);
}

void json_reader_close(struct json_reader *r) {
    free(r->values);
    free(r->order);
    free(r->is_seen);
    free(r->unknown);
    buf_free(&r->texts);
    *r = (struct json_reader){0};
}

bool json_is_blank(struct str line) {
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r\n", line.ptr[i]) || !line.ptr[i]) return false;
    return true;
}

static void add_unknown(struct json_reader *r, struct str key) {
    if (r->unknown_count == r->unknown_capacity) {
        r->unknown_capacity = r->unknown_capacity ? 2 * r->unknown_capacity : 8;
        r->unknown = memory_realloc(r->unknown, r->unknown_capacity * sizeof *r->unknown);
    }
    r->unknown[r->unknown_count++] = key;
}

/** The column of the member-th key, SIZE_MAX if none has it. False: no column can have such a name. */
static bool find_column(struct json_reader *r, struct str key, size_t member, size_t *out) {
    *out = member < r->order_count ? r->order[member] : SIZE_MAX;
    if (*out < r->columns->count && str_eq(r->columns->list[*out].name, key)) return true;
    if (column_name_fault(key)) return false;
    *out = columns_find(r->columns, key);
    if (member < r->columns->count) {
        while (r->order_count <= member) r->order[r->order_count++] = SIZE_MAX;
        r->order[member] = *out;
    }
    return true;
}

static void note(struct json_reader *r, enum json_fault found) {
    if (r->fault == JSON_GOOD) r->fault = found;
}

/** What a column holds of the value; false: no text in UTF-8 can hold it. */
static bool take_value(struct json_reader *r, const struct json_text_value *value, struct str *out) {
    *out = value->text;
    if (value->kind == JSON_TEXT_NULL) *out = (struct str){0};
    if (value->kind == JSON_TEXT_STRING && !json_text_decode(value, &r->texts, out)) return false;
    return r->is_valid || str_utf8_error(*out) == SIZE_MAX;
}

static void take_member(void *context, size_t member, const struct json_text_value *key,
                        const struct json_text_value *value) {
    struct json_reader *r = context;
    struct str name, text;
    size_t column;
    if (!json_text_decode(key, &r->texts, &name) || !find_column(r, name, member, &column)) {
        note(r, JSON_BAD_KEY);
        return;
    }
    if (column == SIZE_MAX) { /* it will be a column's, so its value has to be fit for one */
        add_unknown(r, name);
        if (!take_value(r, value, &text)) note(r, JSON_BAD_VALUE);
        return;
    }
    if (r->is_seen[column]) {
        r->values[column] = (struct str){0};
        note(r, JSON_REPEATED_KEY);
        return;
    }
    r->is_seen[column] = true;
    if (take_value(r, value, &text))
        r->values[column] = text;
    else
        note(r, JSON_BAD_VALUE);
}

/** The object's members, from behind its bracket; false: it is broken. */
static bool each_member(struct json_text *t, json_member_fn *member, void *context) {
    struct json_text_value key, value;
    if (json_text_take(t, '}')) return true;
    for (size_t i = 0;; i++) {
        if (!json_text_value(t, &key)) return false;
        if (key.kind != JSON_TEXT_STRING || !json_text_take(t, ':')) {
            t->fault = key.kind == JSON_TEXT_STRING ? "no colon behind a key" : "no key where one is expected";
            return false;
        }
        if (!json_text_value(t, &value)) return false;
        member(context, i, &key, &value);
        if (json_text_take(t, '}')) return true;
        if (json_text_take(t, ',')) continue;
        t->fault = t->p == t->end ? "an object that does not end" : "no comma or closing bracket behind a value";
        return false;
    }
}

const char *json_object_each(struct str record, json_member_fn *member, void *context, size_t *at) {
    struct json_text t = {.p = record.ptr, .end = record.ptr + record.len, .depth = 1, .has_specials = true};
    bool is_object = json_text_take(&t, '{');
    if (!is_object) t.fault = "no object";
    if (is_object && each_member(&t, member, context)) {
        json_text_space(&t);
        t.fault = t.p == t.end ? NULL : "text behind the object";
    }
    *at = (size_t)(t.p - record.ptr);
    return t.fault;
}

static void clear(struct json_reader *r, struct str record) {
    memset(r->is_seen, 0, r->columns->count + 1);
    for (size_t i = 0; i < r->columns->count; i++) r->values[i] = (struct str){0};
    r->unknown_count = 0;
    buf_clear(&r->texts);
    buf_reserve(&r->texts, record.len + 1); /* once: texts are borrowed while more are decoded */
}

enum json_fault json_reader_read(struct json_reader *r, struct str record, bool is_valid) {
    size_t at;
    clear(r, record);
    r->is_valid = is_valid;
    r->fault = JSON_GOOD;
    if (!json_object_each(record, take_member, r, &at)) return r->fault;
    clear(r, record);
    return JSON_BROKEN;
}
