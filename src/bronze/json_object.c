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

#include "base/unicode.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

struct slot {
    size_t index; /* of the name + 1; 0: free */
    struct str lower;
};

struct json_names {
    const struct str *names;
    size_t mask;
    struct slot *slots;
    struct arena arena;
};

static size_t hash_of(struct str s) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.len; i++) h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/** The slot of a name in lower case, or the free one where it would stand. */
static struct slot *find_slot(const struct json_names *n, struct str lower) {
    size_t at = hash_of(lower) & n->mask;
    while (n->slots[at].index && !str_eq(n->slots[at].lower, lower)) at = (at + 1) & n->mask;
    return &n->slots[at];
}

struct json_names *json_names_open(const struct str *names, size_t count) {
    struct json_names *n = memory_alloc(sizeof *n);
    size_t size = 16;
    while (size < 2 * count) size *= 2;
    *n = (struct json_names){.names = names, .mask = size - 1};
    n->slots = ARENA_ARRAY(&n->arena, size, struct slot);
    struct buf lower = {0};
    for (size_t i = 0; i < count; i++) {
        buf_clear(&lower);
        unicode_lower(&lower, names[i]);
        struct slot *slot = find_slot(n, buf_str(&lower));
        if (!slot->index) *slot = (struct slot){i + 1, str_copy(&n->arena, buf_str(&lower))};
    }
    buf_free(&lower);
    return n;
}

void json_names_close(struct json_names **names) {
    if (!*names) return;
    arena_reset(&(*names)->arena);
    free(*names);
    *names = NULL;
}

size_t json_names_find(const struct json_names *names, struct str key, struct buf *scratch) {
    buf_clear(scratch);
    unicode_lower(scratch, key);
    const struct slot *slot = find_slot(names, buf_str(scratch));
    return slot->index ? slot->index - 1 : SIZE_MAX;
}

bool json_key_is_name(struct str key) {
    static const char *const taken[] = {
        LINEAGE_SOURCE_FILE,   LINEAGE_SOURCE_LINE, LINEAGE_BATCH_ID, LINEAGE_LOADED_AT,  BRONZE_CORRUPT_BYTES,
        BRONZE_CORRUPT_RECORD, QUARANTINE_REASON,   QUARANTINE_RULES, QUARANTINE_VERSION, QUARANTINE_AT};
    enum { NAME_BYTES = 255 };
    if (key.len == 0 || key.len > NAME_BYTES || str_utf8_error(key) != SIZE_MAX) return false;
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        if (c < 0x20 || c == 0x7F || strchr(" ,;{}()=", c)) return false;
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (str_eq_nocase(key, str_of(taken[i]))) return false;
    return true;
}

/* ---- records ---- */

void json_reader_open(struct json_reader *r, const struct json_names *names, size_t count) {
    *r = (struct json_reader){.names = names, .count = count};
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
    buf_free(&r->scratch);
    *r = (struct json_reader){0};
}

bool json_is_blank(struct str line) {
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r\n", line.ptr[i]) || !line.ptr[i]) return false;
    return true;
}

static void add_unknown(struct json_reader *r, struct str key) {
    for (size_t i = 0; i < r->unknown_count; i++)
        if (str_eq(r->unknown[i], key)) return;
    if (r->unknown_count == r->unknown_capacity) {
        r->unknown_capacity = r->unknown_capacity ? 2 * r->unknown_capacity : 8;
        r->unknown = memory_realloc(r->unknown, r->unknown_capacity * sizeof *r->unknown);
    }
    r->unknown[r->unknown_count++] = key;
}

/** The column of the member-th key, SIZE_MAX if none has it. False: no column can have such a name. */
static bool find_column(struct json_reader *r, struct str key, size_t member, size_t *out) {
    *out = member < r->order_count ? r->order[member] : SIZE_MAX;
    if (*out < r->count && str_eq(r->names->names[*out], key)) return true;
    if (!json_key_is_name(key)) return false;
    *out = json_names_find(r->names, key, &r->scratch);
    if (member < r->count) {
        while (r->order_count <= member) r->order[r->order_count++] = SIZE_MAX;
        r->order[member] = *out;
    }
    return true;
}

static void note(enum json_fault *fault, enum json_fault found) {
    if (*fault == JSON_GOOD) *fault = found;
}

/** What a column holds of the value; false: no text in UTF-8 can hold it. */
static bool take_value(struct json_reader *r, const struct json_text_value *value, bool is_valid, struct str *out) {
    *out = value->text;
    if (value->kind == JSON_TEXT_NULL) *out = (struct str){0};
    if (value->kind == JSON_TEXT_STRING && !json_text_decode(value, &r->texts, out)) return false;
    return is_valid || str_utf8_error(*out) == SIZE_MAX;
}

static void take_member(struct json_reader *r, const struct json_text_value *key, const struct json_text_value *value,
                        size_t member, bool is_valid, enum json_fault *fault) {
    struct str name, text;
    size_t column;
    if (!json_text_decode(key, &r->texts, &name) || !find_column(r, name, member, &column)) {
        note(fault, JSON_BAD_KEY);
        return;
    }
    if (column == SIZE_MAX) {
        add_unknown(r, name);
        return;
    }
    if (r->is_seen[column]) {
        r->values[column] = (struct str){0};
        note(fault, JSON_REPEATED_KEY);
        return;
    }
    r->is_seen[column] = true;
    if (take_value(r, value, is_valid, &text))
        r->values[column] = text;
    else
        note(fault, JSON_BAD_VALUE);
}

/** Every member of the object; false: it is broken. */
static bool take_members(struct json_reader *r, struct json_text *t, bool is_valid, enum json_fault *fault) {
    struct json_text_value key, value;
    if (json_text_take(t, '}')) return true;
    for (size_t member = 0;; member++) {
        if (!json_text_value(t, &key)) return false;
        if (key.kind != JSON_TEXT_STRING || !json_text_take(t, ':')) {
            t->fault = key.kind == JSON_TEXT_STRING ? "no colon behind a key" : "no key where one is expected";
            return false;
        }
        if (!json_text_value(t, &value)) return false;
        take_member(r, &key, &value, member, is_valid, fault);
        if (json_text_take(t, '}')) return true;
        if (json_text_take(t, ',')) continue;
        t->fault = t->p == t->end ? "an object that does not end" : "no comma or closing bracket behind a value";
        return false;
    }
}

static bool take_object(struct json_reader *r, struct json_text *t, bool is_valid, enum json_fault *fault) {
    if (!json_text_take(t, '{')) {
        t->fault = "no object";
        return false;
    }
    t->depth = 1;
    if (!take_members(r, t, is_valid, fault)) return false;
    json_text_space(t);
    t->fault = "text behind the object";
    return t->p == t->end;
}

static void clear(struct json_reader *r, struct str record) {
    memset(r->is_seen, 0, r->count);
    for (size_t i = 0; i < r->count; i++) r->values[i] = (struct str){0};
    r->unknown_count = 0;
    buf_clear(&r->texts);
    buf_reserve(&r->texts, record.len + 1); /* once: texts are borrowed while more are decoded */
}

enum json_fault json_reader_read(struct json_reader *r, struct str record, bool is_valid) {
    struct json_text t = {.p = record.ptr, .end = record.ptr + record.len, .has_specials = true};
    enum json_fault fault = JSON_GOOD;
    clear(r, record);
    if (take_object(r, &t, is_valid, &fault)) return fault;
    clear(r, record);
    return JSON_BROKEN;
}
