/*
 * YAML over libyaml's event parser, read into a tree in the arena.
 *
 * 1. Depth and size are limited before anything is built; recursion is no deeper than LIMIT_YAML_DEPTH.
 * 2. Places are those of an editor: lines end at \n, \r\n or \r, columns count bytes. The library counts characters,
 * and ends lines at more of them, so its character index is turned into a place here (`struct cursor`).
 * 3. A tree means what its text shows: whatever could make a value come from elsewhere (anchors, aliases, tags, merge
 * keys, a second value for a key) is refused.
 */
#include "base/yaml.h"

#include "base/limits.h"

#include <assert.h>
#include <stdlib.h>
#include <yaml.h>

struct cursor {
    size_t index; /* characters before it */
    size_t byte;
    uint32_t line, column;
};

struct reader {
    yaml_parser_t parser;
    struct str text;
    const char *name;
    struct arena *arena;
    struct cursor cursor; /* places are asked for in rising order, nearly always */
    unsigned depth;
    struct assay_error *err;
};

static const struct cursor FIRST = {.line = 1, .column = 1};

static void advance(struct cursor *at, struct str text) {
    char c = text.ptr[at->byte++];
    bool is_line_end = c == '\n' || (c == '\r' && !(at->byte < text.len && text.ptr[at->byte] == '\n'));
    at->column++;
    while (at->byte < text.len && ((unsigned char)text.ptr[at->byte] & 0xC0) == 0x80) {
        at->byte++;
        at->column++;
    }
    at->index++;
    if (!is_line_end) return;
    at->line++;
    at->column = 1;
}

static struct cursor place_of_index(struct reader *r, size_t index) {
    if (index < r->cursor.index) r->cursor = FIRST;
    while (r->cursor.index < index && r->cursor.byte < r->text.len) advance(&r->cursor, r->text);
    return r->cursor;
}

static struct cursor place_of_byte(struct reader *r, size_t byte) {
    struct cursor at = FIRST;
    while (at.byte < byte && at.byte < r->text.len) advance(&at, r->text);
    return at;
}

static enum assay_code refuse(struct reader *r, enum assay_code code, struct cursor at, const char *format, ...)
    PRINTF_LIKE(4, 5);

static enum assay_code refuse(struct reader *r, enum assay_code code, struct cursor at, const char *format, ...) {
    struct buf message = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    error_set(r->err, code, NULL, "%s", message.data);
    error_prepend(r->err, "%s:%u:%u", r->name, at.line, at.column);
    buf_free(&message);
    return code;
}

static enum assay_code explain_parser_error(struct reader *r) {
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_READER_ERROR) {
        struct cursor at = place_of_byte(r, p->problem_offset);
        return refuse(r, ASSAY_INVALID, at, "not valid YAML: %s", p->problem);
    }
    struct cursor at = place_of_index(r, p->problem_mark.index);
    if (at.byte < r->text.len && r->text.ptr[at.byte] == '\t')
        return refuse(r, ASSAY_INVALID, at, "not valid YAML: a tab stands here; indent with spaces");
    const char *context = p->context ? p->context : "while reading";
    return refuse(r, ASSAY_INVALID, at, "not valid YAML: %s (%s)", p->problem ? p->problem : "it ends too early",
                  context);
}

static enum assay_code next_event(struct reader *r, yaml_event_t *event) {
    return yaml_parser_parse(&r->parser, event) ? ASSAY_OK : explain_parser_error(r);
}

/** Event's anchor and tag, NULL where it has none. */
static void get_properties(const yaml_event_t *event, const char **anchor, const char **tag) {
    const yaml_char_t *a = NULL, *t = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        a = event->data.scalar.anchor;
        t = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        a = event->data.sequence_start.anchor;
        t = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        a = event->data.mapping_start.anchor;
        t = event->data.mapping_start.tag;
    }
    *anchor = (const char *)a;
    *tag = (const char *)t;
}

static enum assay_code check_event(struct reader *r, const yaml_event_t *event, struct cursor at) {
    const char *anchor, *tag;
    get_properties(event, &anchor, &tag);
    if (event->type == YAML_ALIAS_EVENT)
        return refuse(r, ASSAY_INVALID, at, "the alias *%s is not supported; write the value out",
                      (const char *)event->data.alias.anchor);
    if (anchor) return refuse(r, ASSAY_INVALID, at, "the anchor &%s is not supported; write the value out", anchor);
    if (tag) return refuse(r, ASSAY_INVALID, at, "the tag %s is not supported; remove it", tag);
    bool is_nest = event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    if (is_nest && r->depth >= LIMIT_YAML_DEPTH)
        return refuse(r, ASSAY_LIMIT, at, "nested deeper than %d", LIMIT_YAML_DEPTH);
    return ASSAY_OK;
}

static enum assay_code read_node(struct reader *r, yaml_event_t *event, struct yaml_node **out);

static enum assay_code read_items(struct reader *r, struct yaml_node *node) {
    size_t capacity = 0;
    for (;;) {
        yaml_event_t event;
        TRY(next_event(r, &event));
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return ASSAY_OK;
        }
        struct yaml_node *item;
        TRY(read_node(r, &event, &item));
        LIST_PUSH(r->arena, node->items, node->count, capacity) = item;
    }
}

static enum assay_code read_key(struct reader *r, yaml_event_t *event, struct yaml_member *member) {
    struct cursor at = place_of_index(r, event->start_mark.index);
    struct yaml_node *key;
    TRY(read_node(r, event, &key));
    if (key->kind != YAML_SCALAR) return refuse(r, ASSAY_INVALID, at, "a key must be a single word or text");
    if (!key->is_quoted && str_eq(key->text, STR("<<")))
        return refuse(r, ASSAY_INVALID, at, "the merge key << is not supported; write the members out");
    *member = (struct yaml_member){.key = key->text, .line = at.line, .column = at.column};
    return ASSAY_OK;
}

static int order_members(const void *a, const void *b) {
    const struct yaml_member *x = *(const struct yaml_member *const *)a, *y = *(const struct yaml_member *const *)b;
    int order = str_cmp(x->key, y->key);
    return order ? order : (x > y) - (x < y);
}

/** Names the first key, in the order of the text, that was there before. */
static enum assay_code check_duplicates(struct reader *r, const struct yaml_node *node) {
    if (node->count < 2) return ASSAY_OK;
    const struct yaml_member **sorted = ARENA_ARRAY(r->arena, node->count, const struct yaml_member *);
    for (size_t i = 0; i < node->count; i++) sorted[i] = &node->members[i];
    qsort(sorted, node->count, sizeof *sorted, order_members);
    const struct yaml_member *first = NULL, *again = NULL;
    for (size_t i = 1; i < node->count; i++) {
        if (!str_eq(sorted[i]->key, sorted[i - 1]->key) || (again && again < sorted[i])) continue;
        first = sorted[i - 1];
        again = sorted[i];
    }
    if (!again) return ASSAY_OK;
    struct cursor at = {.line = again->line, .column = again->column};
    return refuse(r, ASSAY_INVALID, at, "the key \"%.*s\" is here a second time; the first is on line %u",
                  STR_ARG(again->key), first->line);
}

static enum assay_code read_members(struct reader *r, struct yaml_node *node) {
    size_t capacity = 0;
    for (;;) {
        yaml_event_t event;
        TRY(next_event(r, &event));
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return check_duplicates(r, node);
        }
        struct yaml_member member = {0};
        TRY(read_key(r, &event, &member));
        TRY(next_event(r, &event));
        TRY(read_node(r, &event, &member.value));
        LIST_PUSH(r->arena, node->members, node->count, capacity) = member;
    }
}

/** Read the node that `event` begins; deletes the event. */
static enum assay_code read_node(struct reader *r, yaml_event_t *event, struct yaml_node **out) {
    struct cursor at = place_of_index(r, event->start_mark.index);
    struct yaml_node *node = ARENA_NEW(r->arena, struct yaml_node);
    *node = (struct yaml_node){.line = at.line, .column = at.column};
    *out = node;
    yaml_event_type_t type = event->type;
    enum assay_code rc = check_event(r, event, at);
    if (!rc && type == YAML_SCALAR_EVENT) {
        struct str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
        node->text = str_copy(r->arena, text);
        node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    yaml_event_delete(event);
    if (rc || type == YAML_SCALAR_EVENT) return rc;

    node->kind = type == YAML_MAPPING_START_EVENT ? YAML_MAPPING : YAML_SEQUENCE;
    r->depth++;
    rc = node->kind == YAML_MAPPING ? read_members(r, node) : read_items(r, node);
    r->depth--;
    return rc;
}

static enum assay_code skip_event(struct reader *r, yaml_event_type_t *type, struct cursor *at) {
    yaml_event_t event;
    TRY(next_event(r, &event));
    *type = event.type;
    *at = place_of_index(r, event.start_mark.index);
    bool has_tags = event.type == YAML_DOCUMENT_START_EVENT &&
                    event.data.document_start.tag_directives.start != event.data.document_start.tag_directives.end;
    yaml_event_delete(&event);
    return has_tags ? refuse(r, ASSAY_INVALID, *at, "tags are not supported; remove the %%TAG line") : ASSAY_OK;
}

static enum assay_code read_stream(struct reader *r, struct yaml_node **out) {
    yaml_event_type_t type;
    struct cursor at;
    TRY(skip_event(r, &type, &at));
    TRY(skip_event(r, &type, &at));
    if (type == YAML_STREAM_END_EVENT) {
        *out = ARENA_NEW(r->arena, struct yaml_node);
        **out = (struct yaml_node){.line = 1, .column = 1};
        return ASSAY_OK;
    }
    yaml_event_t event;
    TRY(next_event(r, &event));
    TRY(read_node(r, &event, out));
    TRY(skip_event(r, &type, &at));
    TRY(skip_event(r, &type, &at));
    if (type == YAML_STREAM_END_EVENT) return ASSAY_OK;
    return refuse(r, ASSAY_INVALID, at, "a second document begins here; write one document per file");
}

enum assay_code yaml_parse(struct str text, const char *name, struct arena *arena, struct yaml_node **out,
                           struct assay_error *err) {
    if (str_starts(text, STR("\xEF\xBB\xBF"))) text = str_sub(text, 3, text.len);
    struct reader r = {.text = text, .name = name, .arena = arena, .cursor = FIRST, .err = err};
    if (text.len > LIMIT_YAML_BYTES)
        return refuse(&r, ASSAY_LIMIT, FIRST, "the file has %zu bytes, more than %d", text.len, LIMIT_YAML_BYTES);
    size_t bad = str_utf8_error(text);
    if (bad != SIZE_MAX)
        return refuse(&r, ASSAY_INVALID, place_of_byte(&r, bad),
                      "the byte 0x%02X here is not UTF-8; save the file as UTF-8", (unsigned char)text.ptr[bad]);

    int made = yaml_parser_initialize(&r.parser);
    assert(made); /* fails only without memory */
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
    struct yaml_node *root = NULL;
    enum assay_code rc = read_stream(&r, &root);
    yaml_parser_delete(&r.parser);
    if (!rc) *out = root;
    return rc;
}

const struct yaml_member *yaml_member(const struct yaml_node *mapping, struct str key) {
    if (!mapping || mapping->kind != YAML_MAPPING) return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (str_eq(mapping->members[i].key, key)) return &mapping->members[i];
    return NULL;
}

const struct yaml_node *yaml_get(const struct yaml_node *mapping, struct str key) {
    const struct yaml_member *member = yaml_member(mapping, key);
    return member ? member->value : NULL;
}

static bool is_one_of(struct str s, const char *a, const char *b, const char *c) {
    return str_eq(s, str_of(a)) || str_eq(s, str_of(b)) || str_eq(s, str_of(c));
}

bool yaml_is_null(const struct yaml_node *node) {
    if (!node) return true;
    if (node->kind != YAML_SCALAR || node->is_quoted) return false;
    return node->text.len == 0 || str_eq(node->text, STR("~")) || is_one_of(node->text, "null", "Null", "NULL");
}

bool yaml_bool(const struct yaml_node *node, bool *out) {
    if (!node || node->kind != YAML_SCALAR || node->is_quoted) return false;
    bool is_true = is_one_of(node->text, "true", "True", "TRUE");
    if (!is_true && !is_one_of(node->text, "false", "False", "FALSE")) return false;
    *out = is_true;
    return true;
}

bool yaml_int(const struct yaml_node *node, int64_t *out) {
    return node && node->kind == YAML_SCALAR && !node->is_quoted && str_int64(node->text, out) == ASSAY_OK;
}
