/*
 * Where the text of a scalar stands in the source. A tree knows where a scalar starts; a rule inside it may be folded
 * over lines, quoted or escaped. The text is walked along the source: blanks match blanks of any number, a doubled
 * quote or an escaped one matches one, anything else must be equal. Where that fails (other escapes), the scalar as a
 * whole is marked.
 */
#include "contract/reader.h"

#include "base/limits.h"

#include <string.h>

static bool is_full(const struct reader *r) {
    return r->diagnostics->count >= LIMIT_DIAGNOSTICS; /* the place would not be shown, and finding it costs a walk */
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Offset of a place in the source, or SIZE_MAX. */
static size_t source_offset(struct str text, uint32_t line, uint32_t column) {
    size_t at = 0;
    if (line == 1 && str_starts(text, STR("\xEF\xBB\xBF"))) at = 3;
    for (uint32_t i = 1; i < line; i++) {
        const char *end = at < text.len ? memchr(text.ptr + at, '\n', text.len - at) : NULL;
        if (!end) return SIZE_MAX;
        at = (size_t)(end - text.ptr) + 1;
    }
    at += column - 1;
    return at < text.len ? at : SIZE_MAX;
}

static struct mark mark_of_offset(struct str text, size_t offset, size_t length) {
    struct mark m = {1, 1, (uint32_t)length};
    size_t start = str_starts(text, STR("\xEF\xBB\xBF")) ? 3 : 0;
    for (size_t i = start; i < offset; i++) {
        if (text.ptr[i] != '\n') continue;
        m.line++;
        start = i + 1;
    }
    m.column = (uint32_t)(offset - start) + 1;
    return m;
}

/* After the quote, or after the first line of a block. */
static size_t skip_opening(struct str source, size_t at, char *quote) {
    *quote = '\0';
    char c = source.ptr[at];
    if (c == '"' || c == '\'') {
        *quote = c;
        return at + 1;
    }
    if (c != '|' && c != '>') return at;
    while (at < source.len && source.ptr[at] != '\n') at++;
    while (at < source.len && is_blank(source.ptr[at])) at++;
    return at;
}

/* Source offset of text[offset], or SIZE_MAX. */
static size_t align(struct str source, size_t at, struct str text, size_t offset) {
    char quote;
    at = skip_opening(source, at, &quote);
    for (size_t i = 0; at < source.len; i++, at++) {
        if (i < text.len && is_blank(text.ptr[i]) && is_blank(source.ptr[at])) {
            while (i + 1 < text.len && i < offset && is_blank(text.ptr[i + 1])) i++;
            while (at + 1 < source.len && is_blank(source.ptr[at + 1])) at++;
            if (i >= offset) return at;
            continue;
        }
        if (quote == '\'' && source.ptr[at] == '\'') at++;
        if (quote == '"' && source.ptr[at] == '\\') at++;
        if (i >= offset) return at < source.len ? at : SIZE_MAX;
        if (i >= text.len || at >= source.len || source.ptr[at] != text.ptr[i]) return SIZE_MAX;
    }
    return SIZE_MAX;
}

/* The scalar as it is written on its first line. */
static size_t written_length(struct str source, size_t at, const struct yaml_node *node) {
    if (!node->is_quoted) {
        size_t length = 0;
        while (length < node->text.len && at + length < source.len && source.ptr[at + length] != '\n') length++;
        return length ? length : 1;
    }
    char quote = source.ptr[at];
    if (quote != '"' && quote != '\'') return 1;
    for (size_t i = at + 1; i < source.len && source.ptr[i] != '\n'; i++) {
        if (quote == '"' && source.ptr[i] == '\\')
            i++;
        else if (source.ptr[i] == quote)
            return i - at + 1;
    }
    return 1;
}

struct mark mark_node(const struct reader *r, const struct yaml_node *node) {
    struct mark m = {node->line, node->column, 1};
    if (is_full(r) || node->kind != YAML_SCALAR) return m;
    size_t at = source_offset(r->diagnostics->text, node->line, node->column);
    if (at != SIZE_MAX) m.length = (uint32_t)written_length(r->diagnostics->text, at, node);
    return m;
}

struct mark mark_key(const struct yaml_member *member) {
    return (struct mark){member->line, member->column, (uint32_t)(member->key.len ? member->key.len : 1)};
}

struct mark mark_member(const struct reader *r, const struct yaml_node *mapping, const char *key) {
    const struct yaml_member *member = mapping->kind == YAML_MAPPING ? yaml_member(mapping, str_of(key)) : NULL;
    return member ? mark_key(member) : mark_node(r, mapping);
}

struct mark mark_text(const struct reader *r, const struct yaml_node *scalar, size_t offset, size_t length) {
    if (is_full(r)) return mark_node(r, scalar);
    struct str source = r->diagnostics->text;
    size_t start = source_offset(source, scalar->line, scalar->column);
    size_t at = start == SIZE_MAX ? SIZE_MAX : align(source, start, scalar->text, offset);
    return at == SIZE_MAX ? mark_node(r, scalar) : mark_of_offset(source, at, length ? length : 1);
}
