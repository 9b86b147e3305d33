/*
 * updateWhen: a condition over source.x (the incoming row) and target.x (the row it meets).
 *
 * The rule language has no qualified names, so each `source.x` becomes the one name `source.x` in back quotes; the tree
 * is checked against columns of those names, and every byte remembers where it came from for the caret.
 */
#include "contract/reader.h"

struct rewrite {
    struct str text;
    struct buf out;
    uint32_t *origin; /* of every byte of out, and one more */
    size_t capacity;
    struct arena *arena;
};

static void put(struct rewrite *w, struct str bytes, size_t from) {
    if (w->out.len + bytes.len + 1 > w->capacity) {
        size_t wider = 2 * (w->out.len + bytes.len + 1);
        w->origin = arena_grow(w->arena, w->origin, w->capacity, wider, sizeof(*w->origin));
        w->capacity = wider;
    }
    for (size_t i = 0; i < bytes.len; i++) w->origin[w->out.len + i] = (uint32_t)from;
    buf_add(&w->out, bytes);
    w->origin[w->out.len] = (uint32_t)(from + 1);
}

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static size_t name_end(struct str text, size_t at) {
    while (at < text.len && is_name_byte(text.ptr[at])) at++;
    return at;
}

/* After the closing quote of a text or name in quotes. */
static size_t quoted_end(struct str text, size_t at) {
    char quote = text.ptr[at++];
    while (at < text.len && text.ptr[at] != quote) at += text.ptr[at] == '\\' && quote != '`' ? 2 : 1;
    return at < text.len ? at + 1 : text.len;
}

/* The name after `source.`: bare or in back quotes. Empty when there is none. */
static struct str qualified_name(struct str text, size_t at, size_t *end) {
    if (at < text.len && text.ptr[at] == '`') {
        *end = quoted_end(text, at);
        return str_sub(text, at + 1, *end - 1);
    }
    *end = name_end(text, at);
    return str_sub(text, at, *end);
}

/* A name at `at`: written as `source.x` when it is qualified, else as it is. Returns where it ends. */
static size_t rewrite_name(struct rewrite *w, size_t at) {
    size_t end = name_end(w->text, at), name_at = end + 1, after;
    struct str side = str_sub(w->text, at, end);
    bool is_side = str_eq_nocase(side, STR("source")) || str_eq_nocase(side, STR("target"));
    if (is_side && end < w->text.len && w->text.ptr[end] == '.') {
        struct str name = qualified_name(w->text, name_at, &after);
        if (name.len) {
            put(w, STR("`"), at);
            put(w, str_lower(w->arena, side), at);
            put(w, STR("."), at);
            put(w, name, at);
            put(w, STR("`"), at);
            return after;
        }
    }
    for (size_t i = at; i < end; i++) put(w, str_sub(w->text, i, i + 1), i);
    return end;
}

static void rewrite_all(struct rewrite *w) {
    for (size_t at = 0; at < w->text.len;) {
        char c = w->text.ptr[at];
        if (c >= '0' && c <= '9') { /* 1e5: no name */
            put(w, str_sub(w->text, at, at + 1), at);
            at++;
        } else if (is_name_byte(c)) {
            at = rewrite_name(w, at);
        } else {
            size_t end = c == '\'' || c == '"' || c == '`' ? quoted_end(w->text, at) : at + 1;
            for (; at < end; at++) put(w, str_sub(w->text, at, at + 1), at);
        }
    }
}

static struct expr_column *two_sides(const struct reader *r, size_t *count) {
    static const struct expr_column lineage[] = {{{"_loaded_at", 10}, {.kind = TYPE_TIMESTAMP}},
                                                 {{"_batch_id", 9}, {.kind = TYPE_STRING}},
                                                 {{"_source_file", 12}, {.kind = TYPE_STRING}}};
    enum { LINEAGE = sizeof lineage / sizeof lineage[0] };
    size_t one_side = r->contract->column_count + LINEAGE;
    struct expr_column *columns = ARENA_ARRAY(r->arena, 2 * one_side, struct expr_column);
    const struct expr_column *own = column_types(r);
    for (size_t i = 0; i < one_side; i++) {
        struct expr_column column = i < r->contract->column_count ? own[i] : lineage[i - r->contract->column_count];
        columns[i] = columns[one_side + i] = column;
        columns[i].name = str_printf(r->arena, "source.%.*s", STR_ARG(column.name));
        columns[one_side + i].name = str_printf(r->arena, "target.%.*s", STR_ARG(column.name));
    }
    *count = 2 * one_side;
    return columns;
}

static bool is_equal_allowed(const struct expr *e) {
    return e->kind == EXPR_OPERATOR && (e->op == EXPR_GE || e->op == EXPR_LE);
}

static void read_update_when(struct reader *r, const struct yaml_node *node) {
    struct rewrite w = {.text = node->text, .arena = r->arena};
    put(&w, (struct str){0}, 0);
    rewrite_all(&w);
    w.origin[w.out.len] = (uint32_t)w.text.len;
    struct str text = str_copy(r->arena, buf_str(&w.out));
    buf_free(&w.out);
    struct expr *e = NULL;
    struct assay_error err = {0};
    size_t count;
    const struct expr_column *columns = two_sides(r, &count);
    if (expr_parse(text, r->arena, &e, &err) != ASSAY_OK ||
        expr_check_predicate(e, columns, count, r->arena, &err) != ASSAY_OK) {
        report_expr(r, node, text, w.origin, &err);
        return;
    }
    r->contract->update_when = e;
    r->contract->update_when_text = node->text;
    if (is_equal_allowed(e))
        report_warning(r, mark_node(r, node), "replay-wins",
                       STR("leave updateWhen out: the default keeps the row that was loaded last"),
                       "a replay of an older batch takes back a row of equal version");
}

void read_merge(struct reader *r) {
    const struct yaml_node *merge = custom_of(r->table, "merge"), *update_when = scalar_of(merge, "updateWhen");
    if (update_when) read_update_when(r, update_when);
}
