/*
 * `bronze.orders@v12` in a SQL text.
 *
 * 1. The engine's grammar has no such name, so the last part and its state are put in quotes: bronze."orders@v12".
 * 2. Only an `@` that follows a name of two parts without a blank is taken. Texts, comments and dollar quotes are
 * passed over as they are.
 */
#include "query/query_int.h"

struct scanner {
    struct str sql;
    size_t at;
    struct buf out;
    size_t name_start; /* in out: of the last name, when it ends right here and follows a dot; SIZE_MAX: none */
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) || (unsigned char)c >= 0x80;
}

static char look(const struct scanner *s, size_t ahead) {
    return s->at + ahead < s->sql.len ? s->sql.ptr[s->at + ahead] : '\0';
}

static void copy(struct scanner *s, size_t count) {
    buf_add(&s->out, str_sub(s->sql, s->at, s->at + count));
    s->at += count;
}

/* ---- states ---- */

/* The pattern's `d` is a digit, all else itself; length, or 0. */
static size_t match(struct str text, const char *pattern) {
    size_t i = 0;
    for (; pattern[i]; i++) {
        if (i >= text.len) return 0;
        if (pattern[i] == 'd' ? !is_digit(text.ptr[i]) : text.ptr[i] != pattern[i]) return 0;
    }
    return i;
}

static size_t zone_length(struct str rest) {
    if (str_starts(rest, STR("Z"))) return 1;
    size_t plus = match(rest, "+dd:dd");
    return plus ? plus : match(rest, "-dd:dd");
}

size_t query_state_length(struct str text) {
    size_t len = 0;
    if (text.len > 1 && (text.ptr[0] == 'v' || text.ptr[0] == 'V') && is_digit(text.ptr[1])) {
        for (len = 1; len < text.len && is_digit(text.ptr[len]);) len++;
        return len;
    }
    len = match(text, "dddd-dd-dd");
    size_t time = len ? match(str_sub(text, len, text.len), "Tdd:dd") : 0;
    if (!time) return len;
    len += time;
    size_t seconds = match(str_sub(text, len, text.len), ":dd");
    len += seconds;
    if (seconds && len + 1 < text.len && text.ptr[len] == '.' && is_digit(text.ptr[len + 1]))
        for (len++; len < text.len && is_digit(text.ptr[len]);) len++;
    return len + zone_length(str_sub(text, len, text.len));
}

static enum assay_code take_state(struct scanner *s, struct assay_error *err) {
    struct str rest = str_sub(s->sql, s->at + 1, s->sql.len);
    size_t len = query_state_length(rest);
    if (len == 0 || (len < rest.len && is_word(rest.ptr[len])))
        return error_set(err, ASSAY_INVALID, NULL,
                         "after `%.*s@` comes v and a version, such as @v12, or a moment, such as @2026-04-05 or "
                         "@2026-04-05T12:30:00Z",
                         STR_ARG(str_sub(buf_str(&s->out), s->name_start, s->out.len)));
    struct buf name = {0};
    buf_add(&name, str_sub(buf_str(&s->out), s->name_start, s->out.len));
    bool is_quoted = name.data[0] == '"';
    s->out.len = s->name_start;
    struct str bare = is_quoted ? str_sub(buf_str(&name), 1, name.len - 1) : buf_str(&name);
    buf_printf(&s->out, "\"%.*s@%.*s\"", STR_ARG(bare), STR_ARG(str_sub(rest, 0, len)));
    buf_free(&name);
    s->at += 1 + len;
    return ASSAY_OK;
}

/* ---- what is passed over ---- */

/* Up to the closing quote; a doubled one stands for itself, and in E'...' a backslash takes the next. */
static void copy_quoted(struct scanner *s, bool has_escapes) {
    char quote = look(s, 0);
    size_t len = 1;
    while (s->at + len < s->sql.len) {
        if (has_escapes && look(s, len) == '\\')
            len += 2;
        else if (look(s, len) == quote && look(s, len + 1) == quote)
            len += 2;
        else if (look(s, len++) == quote)
            break;
    }
    copy(s, len);
}

static void copy_comment(struct scanner *s) {
    size_t len = 2;
    if (look(s, 0) == '-') {
        while (s->at + len < s->sql.len && look(s, len) != '\n') len++;
    } else {
        for (int depth = 1; depth > 0 && s->at + len < s->sql.len;) {
            bool is_open = look(s, len) == '/' && look(s, len + 1) == '*';
            bool is_end = look(s, len) == '*' && look(s, len + 1) == '/';
            depth += is_open - is_end;
            len += is_open || is_end ? 2 : 1;
        }
    }
    copy(s, len);
}

/* `$tag$ ... $tag$`, or just the sign. */
static void copy_dollar(struct scanner *s) {
    size_t tag = 1;
    while (is_word(look(s, tag))) tag++;
    if (look(s, tag) != '$') {
        copy(s, 1);
        return;
    }
    struct str mark = str_sub(s->sql, s->at, s->at + tag + 1);
    size_t end = str_find(str_sub(s->sql, s->at + mark.len, s->sql.len), mark);
    copy(s, end == SIZE_MAX ? s->sql.len - s->at : end + 2 * mark.len);
}

static void copy_name(struct scanner *s) {
    bool follows_dot = s->out.len > 0 && s->out.data[s->out.len - 1] == '.';
    size_t start = s->out.len, len = 0;
    if (look(s, 0) == '"') {
        copy_quoted(s, false);
    } else {
        while (is_word(look(s, len))) len++;
        copy(s, len);
    }
    s->name_start = follows_dot ? start : SIZE_MAX;
}

static enum assay_code take_next(struct scanner *s, struct assay_error *err) {
    char c = look(s, 0), next = look(s, 1);
    if (c == '@' && s->name_start != SIZE_MAX) {
        enum assay_code rc = take_state(s, err);
        s->name_start = SIZE_MAX;
        return rc;
    }
    s->name_start = SIZE_MAX;
    if (c == '\'')
        copy_quoted(s, false);
    else if ((c == 'e' || c == 'E') && next == '\'')
        copy(s, 1), copy_quoted(s, true);
    else if ((c == '-' && next == '-') || (c == '/' && next == '*'))
        copy_comment(s);
    else if (c == '$')
        copy_dollar(s);
    else if (c == '"' || is_word(c))
        copy_name(s);
    else
        copy(s, 1);
    return ASSAY_OK;
}

enum assay_code query_quote_states(struct str sql, struct arena *arena, struct str *out, struct assay_error *err) {
    struct scanner s = {.sql = sql, .name_start = SIZE_MAX};
    enum assay_code rc = ASSAY_OK;
    while (s.at < sql.len && rc == ASSAY_OK) rc = take_next(&s, err);
    if (rc == ASSAY_OK) *out = str_copy(arena, buf_str(&s.out));
    buf_free(&s.out);
    return rc;
}
