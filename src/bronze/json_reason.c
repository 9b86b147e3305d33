/*
 * Why a record of JSON is a corrupt row, worked out again from its text: the first thing that json_object.c would not
 * take.
 */
#include "bronze/json.h"

struct explaining {
    struct bronze_columns keys; /* that were there already */
    struct arena arena;
    struct buf *out;
    size_t start;
};

static void put_key(struct buf *out, struct str key) {
    buf_addz(out, "the key `");
    buf_add_printable(out, str_sub(key, 0, 100));
    buf_addz(out, key.len > 100 ? "...` " : "` ");
}

static void explain_member(void *context, size_t index, const struct json_text_value *key,
                           const struct json_text_value *value) {
    struct explaining *e = context;
    struct buf scratch = {0}, decoded = {0};
    struct str name = {0}, text;
    (void)index;
    if (e->out->len > e->start) return;
    bool is_text = json_text_decode(key, &scratch, &name);
    const char *fault = is_text ? column_name_fault(name) : "has half of a surrogate pair in it";
    if (fault) {
        put_key(e->out, is_text ? name : key->text);
        buf_addz(e->out, fault);
    } else if (columns_find(&e->keys, name) != SIZE_MAX) {
        put_key(e->out, name);
        buf_addz(e->out, "is there twice, if the case of letters is left aside");
    } else if (value->kind == JSON_TEXT_STRING && !json_text_decode(value, &decoded, &text)) {
        put_key(e->out, name);
        buf_addz(e->out, "has a text with half of a surrogate pair");
    } else {
        columns_add(&e->keys, name);
    }
    buf_free(&scratch);
    buf_free(&decoded);
}

void json_explain(struct str record, struct buf *out) {
    struct explaining e = {.out = out, .start = out->len};
    const struct plan none = {0};
    size_t at;
    columns_open(&e.keys, &none, &e.arena);
    const char *fault = json_object_each(record, explain_member, &e, &at);
    if (fault) { /* a record that is broken is nothing else */
        out->len = e.start;
        buf_printf(out, "no good object of JSON: %s at byte %zu", fault, at + 1);
    }
    arena_reset(&e.arena);
}
