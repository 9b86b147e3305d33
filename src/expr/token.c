/*
 * Text to tokens, with Spark 3.5's lexical rules (SqlBaseLexer.g4, ParserUtils.unescapeSQLString).
 *
 * 1. Every byte of the text belongs to a token or is a blank; anything else is refused with its place.
 * 2. Two quotes inside a text are one, as SQL has it and Spark from 4.0; texts with a blank between are joined, as
 * Spark does.
 * 3. What spark_text_print and spark_name_print write, tokens_of reads back unchanged; so does Spark.
 */
#include "base/limits.h"
#include "expr/expr_int.h"

#include <stdio.h>

enum assay_code fail_at(struct assay_error *err, size_t offset, const char *format, ...) {
    char where[32], message[512];
    snprintf(where, sizeof where, "column %zu", offset + 1);
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return error_set(err, ASSAY_INVALID, where, "%s", message);
}

struct lexer {
    struct str text;
    size_t at;
    struct arena *arena;
    struct token *tokens;
    size_t count, capacity;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/** The byte at an offset from here, or NUL beyond the end. */
static char look(const struct lexer *l, size_t ahead) {
    return l->at + ahead < l->text.len ? l->text.ptr[l->at + ahead] : '\0';
}

static void add(struct lexer *l, enum token_kind kind, struct str text, size_t offset) {
    LIST_PUSH(l->arena, l->tokens, l->count, l->capacity) = (struct token){kind, text, offset};
}

/* ---- texts ---- */

static void add_code_point(struct buf *out, unsigned long c) {
    if (c < 0x80) {
        buf_addc(out, (char)c);
    } else if (c < 0x800) {
        buf_addc(out, (char)(0xC0 | c >> 6));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        buf_addc(out, (char)(0xE0 | c >> 12));
        buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    } else {
        buf_addc(out, (char)(0xF0 | c >> 18));
        buf_addc(out, (char)(0x80 | (c >> 12 & 0x3F)));
        buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_addc(out, (char)(0x80 | (c & 0x3F)));
    }
}

/** `count` digits of the base at the place; false if there are not so many. */
static bool read_digits(const struct lexer *l, size_t ahead, size_t count, unsigned base, unsigned long *out) {
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        char c = look(l, ahead + i);
        unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : base;
        if (digit >= base) return false;
        *out = *out * base + digit;
    }
    return true;
}

/** A backslash is at the place. One that stands for no character Unicode has is refused. */
static enum assay_code read_escape(struct lexer *l, struct buf *out, struct assay_error *err) {
    static const char letters[] = "0bnrtZ", values[] = "\0\b\n\r\t\x1A";
    char c = look(l, 1);
    unsigned long code;
    size_t length = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (length && read_digits(l, 2, length, 16, &code)) {
        if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return fail_at(err, l->at, "\\%c%0*lX is no character", c, (int)length, code);
        add_code_point(out, code);
        l->at += 2 + length;
    } else if ((c == '0' || c == '1') && read_digits(l, 1, 3, 8, &code)) {
        add_code_point(out, code);
        l->at += 4;
    } else {
        size_t letter = str_find_char(str_of(letters), c);
        if (c == '%' || c == '_') buf_addc(out, '\\');
        buf_addc(out, letter != SIZE_MAX ? values[letter] : c);
        l->at += 2;
    }
    return ASSAY_OK;
}

/** The text in quotes at the place into out. */
static enum assay_code read_text(struct lexer *l, bool is_raw, struct buf *out, struct assay_error *err) {
    size_t start = l->at;
    char quote = look(l, 0);
    for (l->at++; l->at < l->text.len;) {
        char c = look(l, 0);
        if (c == '\\' && !is_raw && l->at + 1 < l->text.len) {
            TRY(read_escape(l, out, err));
        } else if (c != quote) {
            buf_addc(out, c);
            l->at++;
        } else if (look(l, 1) == quote && !is_raw) {
            buf_addc(out, c);
            l->at += 2;
        } else {
            l->at++;
            return ASSAY_OK;
        }
    }
    return fail_at(err, start, "the text that starts here has no closing %c", quote);
}

static enum assay_code add_text(struct lexer *l, bool is_raw, struct assay_error *err) {
    size_t start = l->at;
    struct buf out = {0};
    if (is_raw) l->at++;
    enum assay_code rc = read_text(l, is_raw, &out, err);
    struct token *before = l->count ? &l->tokens[l->count - 1] : NULL;
    struct str value = buf_str(&out);
    if (rc == ASSAY_OK && before && before->kind == TOKEN_STRING)
        before->text = str_printf(l->arena, "%.*s%.*s", STR_ARG(before->text), STR_ARG(value));
    else if (rc == ASSAY_OK)
        add(l, TOKEN_STRING, str_copy(l->arena, value), start);
    buf_free(&out);
    return rc;
}

static enum assay_code add_quoted_name(struct lexer *l, struct assay_error *err) {
    size_t start = l->at;
    struct buf out = {0};
    enum assay_code rc = ASSAY_OK;
    for (l->at++; look(l, 0) != '`' || look(l, 1) == '`'; l->at++) {
        if (l->at >= l->text.len) {
            rc = fail_at(err, start, "the name that starts here has no closing `");
            goto done;
        }
        buf_addc(&out, look(l, 0));
        if (look(l, 0) == '`') l->at++;
    }
    l->at++;
    if (out.len == 0)
        rc = fail_at(err, start, "there is no name between the back quotes");
    else
        add(l, TOKEN_NAME, str_copy(l->arena, buf_str(&out)), start);
done:
    buf_free(&out);
    return rc;
}

/* ---- the rest ---- */

static void skip_digits(struct lexer *l) {
    while (is_digit(look(l, 0))) l->at++;
}

static enum assay_code add_number(struct lexer *l, struct assay_error *err) {
    size_t start = l->at;
    skip_digits(l);
    if (look(l, 0) == '.') {
        l->at++;
        skip_digits(l);
    }
    bool has_sign = look(l, 1) == '+' || look(l, 1) == '-';
    if ((look(l, 0) == 'e' || look(l, 0) == 'E') && is_digit(look(l, has_sign ? 2 : 1))) {
        l->at += has_sign ? 2 : 1;
        skip_digits(l);
    }
    size_t suffix = l->at;
    while (is_letter(look(l, 0)) || is_digit(look(l, 0))) l->at++;
    struct str text = str_sub(l->text, start, l->at), letters = str_sub(l->text, suffix, l->at);
    static const char *const suffixes[] = {"", "L", "S", "Y", "D", "F", "BD"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (str_eq_nocase(letters, str_of(suffixes[i]))) {
            add(l, TOKEN_NUMBER, str_copy(l->arena, text), start);
            return ASSAY_OK;
        }
    return fail_at(err, start, "'%.*s' is no number; a name that starts with a digit is written in back quotes",
                   STR_ARG(text));
}

/** Whether the character at the place, in UTF-8, looks like one of the language but is another: curly quotes, the
 * no-break space. */
static bool is_impostor(const struct lexer *l) {
    unsigned char a = (unsigned char)look(l, 0), b = (unsigned char)look(l, 1);
    return (a == 0xE2 && b >= 0x80 && b <= 0x8B) || (a == 0xC2 && b == 0xA0) || (a == 0xEF && b == 0xBB);
}

static enum assay_code refuse_character(const struct lexer *l, struct assay_error *err) {
    unsigned char c = (unsigned char)look(l, 0);
    size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c < 0x20 || c == 0x7F) return fail_at(err, l->at, "the control character 0x%02X has no meaning here", c);
    return fail_at(err, l->at, "the character '%.*s' has no meaning here; texts are quoted with ', names with `",
                   STR_ARG(str_sub(l->text, l->at, l->at + length)));
}

static enum assay_code add_word(struct lexer *l, struct assay_error *err) {
    size_t start = l->at;
    while (is_letter(look(l, 0)) || is_digit(look(l, 0))) {
        if (is_impostor(l)) return refuse_character(l, err);
        l->at++;
    }
    add(l, TOKEN_WORD, str_copy(l->arena, str_sub(l->text, start, l->at)), start);
    return ASSAY_OK;
}

static enum assay_code add_symbol(struct lexer *l, struct assay_error *err) {
    /* longest first */
    static const char *const symbols[] = {"<=>", "<>", "<=", ">=", "!=", "==", "||", "&&", "::", "=", "<", ">", "+",
                                          "-",   "*",  "/",  "%",  "(",  ")",  ",",  ".",  "!",  ";", "[", "]"};
    struct str rest = str_sub(l->text, l->at, l->text.len);
    if (str_starts(rest, STR("--")) || str_starts(rest, STR("/*")))
        return fail_at(err, l->at, "comments have no place in a rule; two minus signs are written `- -`");
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (str_starts(rest, str_of(symbols[i]))) {
            add(l, TOKEN_SYMBOL, str_of(symbols[i]), l->at);
            l->at += str_of(symbols[i]).len;
            return ASSAY_OK;
        }
    return refuse_character(l, err);
}

static enum assay_code add_token(struct lexer *l, struct assay_error *err) {
    char c = look(l, 0);
    bool is_quote = c == '\'' || c == '"';
    bool is_raw = (c == 'r' || c == 'R') && (look(l, 1) == '\'' || look(l, 1) == '"');
    if (is_quote || is_raw) return add_text(l, is_raw, err);
    if (c == '`') return add_quoted_name(l, err);
    if (is_digit(c) || (c == '.' && is_digit(look(l, 1)))) return add_number(l, err);
    if (is_letter(c)) return add_word(l, err);
    return add_symbol(l, err);
}

enum assay_code tokens_of(struct str text, struct arena *arena, struct token **out, struct assay_error *err) {
    struct lexer l = {.text = text, .arena = arena};
    size_t bad = str_utf8_error(text);
    if (text.len > LIMIT_RULE_BYTES)
        return error_set(err, ASSAY_LIMIT, "column 1", "the expression has %zu bytes; at most %d are read", text.len,
                         LIMIT_RULE_BYTES);
    if (bad != SIZE_MAX) return fail_at(err, bad, "the byte 0x%02X is not UTF-8", (unsigned char)text.ptr[bad]);
    for (;;) {
        while (is_blank(look(&l, 0))) l.at++;
        if (l.at >= text.len) break;
        TRY(add_token(&l, err));
    }
    add(&l, TOKEN_END, (struct str){0}, text.len);
    *out = l.tokens;
    return ASSAY_OK;
}

/* ---- writing ---- */

void spark_text_print(struct buf *out, struct str text) {
    buf_addc(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\'' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_addz(out, "\\n");
        else if (c == '\r')
            buf_addz(out, "\\r");
        else if (c == '\t')
            buf_addz(out, "\\t");
        else if ((unsigned char)c < 0x20 || c == 0x7F)
            buf_printf(out, "\\u%04X", (unsigned)c);
        /* spark.sql() puts variables for ${...} before it parses */
        else if (c == '$' && i + 1 < text.len && text.ptr[i + 1] == '{')
            buf_addz(out, "\\u0024");
        else
            buf_addc(out, c);
    }
    buf_addc(out, '\'');
}

/* Words that Spark's grammar or ours reads as something else where a column stands. */
static const char keywords[] =
    "and anti as between case cast cross current_date current_timestamp date distinct div else end escape "
    "except exists extract false filter first from full ilike in inner intersect interval is join last "
    "lateral left like minus natural not null on or over overlay position regexp right rlike select semi "
    "setminus struct then timestamp timestamp_ltz timestamp_ntz trim true union unknown using when where "
    "with ";

static bool is_keyword(struct str name) {
    struct str rest = str_of(keywords), word;
    while (rest.len) {
        rest = str_split(rest, ' ', &word);
        if (str_eq_nocase(name, word)) return true;
    }
    return false;
}

static bool is_plain_name(struct str name) {
    if (name.len == 0 || is_digit(name.ptr[0]) || is_keyword(name)) return false;
    for (size_t i = 0; i < name.len; i++)
        if (!is_digit(name.ptr[i]) && (!is_letter(name.ptr[i]) || (unsigned char)name.ptr[i] >= 0x80)) return false;
    return true;
}

void spark_name_print(struct buf *out, struct str name) {
    if (is_plain_name(name)) {
        buf_add(out, name);
        return;
    }
    buf_addc(out, '`');
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '`') buf_addc(out, '`');
        buf_addc(out, name.ptr[i]);
    }
    buf_addc(out, '`');
}
