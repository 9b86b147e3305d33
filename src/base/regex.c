/*
 * Java patterns by PCRE2.
 *
 * 1. A compiled pattern is never changed after regex_open; what a match needs to write is one scratch per thread.
 * 2. A subject's bytes are checked by the library (MATCH_INVALID_UTF), so no subject can make it read out of bounds.
 * 3. What is written differently in Java and would change its meaning silently is rewritten first: \uHHHH, which the
 * library knows only in a mode that breaks \x{...}. What it refuses is an error of regex_open.
 *
 * Line ends: PCRE2_NEWLINE_ANY is Java's set and, in addition, VT and FF.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "base/regex.h"

#include <assert.h>
#include <pcre2.h>
#include <pthread.h>
#include <stdlib.h>

enum { STEPS_MAX = 10 * 1000 * 1000, HEAP_MAX_KIB = 64 * 1024, STACK_MAX_BYTES = 16 * 1024 * 1024 };

struct regex {
    pcre2_code *code;
};

struct scratch {
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/** The value of \uHHHH at the start of s, or -1. */
static int32_t unicode_escape(struct str s) {
    if (s.len < 6 || s.ptr[0] != '\\' || s.ptr[1] != 'u') return -1;
    int32_t value = 0;
    for (size_t i = 2; i < 6; i++) {
        int digit = hex_digit(s.ptr[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/** The escape at the start of s, a surrogate pair as one code point; *len is what it took. */
static int32_t code_point_escape(struct str s, size_t *len) {
    int32_t high = unicode_escape(s);
    *len = 6;
    if (high < 0xD800 || high > 0xDBFF) return high;
    int32_t low = unicode_escape(str_sub(s, 6, s.len));
    if (low < 0xDC00 || low > 0xDFFF) return high;
    *len = 12;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/** Append the pattern with \uHHHH as \x{...} until out has stop_at bytes. @return how much of the pattern was read */
static size_t rewrite_escapes(struct str pattern, struct buf *out, size_t stop_at) {
    bool is_quoted = false; /* between \Q and \E */
    size_t i = 0;
    while (i < pattern.len && out->len < stop_at) {
        struct str rest = str_sub(pattern, i, pattern.len);
        size_t len = 1;
        int32_t code_point = is_quoted ? -1 : code_point_escape(rest, &len);
        if (code_point >= 0) {
            buf_printf(out, "\\x{%X}", (unsigned)code_point);
        } else {
            len = rest.ptr[0] == '\\' && rest.len > 1 && (!is_quoted || rest.ptr[1] == 'E') ? 2 : 1;
            if (len == 2 && rest.ptr[1] == 'Q') is_quoted = true;
            if (len == 2 && rest.ptr[1] == 'E') is_quoted = false;
            buf_add(out, str_sub(rest, 0, len));
        }
        i += len;
    }
    return i;
}

static enum assay_code explain(struct str pattern, int error, size_t offset, struct assay_error *err) {
    PCRE2_UCHAR message[256];
    if (pcre2_get_error_message(error, message, sizeof message) < 0) message[0] = '\0';
    struct buf scratch = {0};
    size_t at = rewrite_escapes(pattern, &scratch, offset);
    buf_free(&scratch);
    size_t character = str_utf8_count(str_sub(pattern, 0, at)) + 1;
    return error_set(err, ASSAY_INVALID, NULL, "the pattern %.*s cannot be read at character %zu: %s", STR_ARG(pattern),
                     character, (const char *)message);
}

enum assay_code regex_open(struct str pattern, struct regex **out, struct assay_error *err) {
    size_t bad = str_utf8_error(pattern);
    if (bad != SIZE_MAX) return error_set(err, ASSAY_INVALID, NULL, "the pattern is not UTF-8 at byte %zu", bad + 1);

    struct buf text = {0};
    buf_reserve(&text, pattern.len);
    rewrite_escapes(pattern, &text, SIZE_MAX);
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    assert(context);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANY);
    int error = 0;
    size_t offset = 0;
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_MATCH_INVALID_UTF;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text.data, text.len, options, &error, &offset, context);
    pcre2_compile_context_free(context);
    buf_free(&text);
    if (!code) return explain(pattern, error, offset, err);

    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* where there is none, the interpreter finds the same */
    struct regex *regex = memory_alloc(sizeof *regex);
    regex->code = code;
    *out = regex;
    return ASSAY_OK;
}

void regex_close(struct regex **regex) {
    if (!*regex) return;
    pcre2_code_free((*regex)->code);
    free(*regex);
    *regex = NULL;
}

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;

static void free_scratch(void *value) {
    struct scratch *scratch = value;
    pcre2_match_data_free(scratch->match);
    pcre2_match_context_free(scratch->context);
    pcre2_jit_stack_free(scratch->stack);
    free(scratch);
}

static void make_scratch_key(void) {
    int failed = pthread_key_create(&scratch_key, free_scratch);
    assert(!failed);
}

static struct scratch *scratch_of_thread(void) {
    pthread_once(&scratch_once, make_scratch_key);
    struct scratch *scratch = pthread_getspecific(scratch_key);
    if (scratch) return scratch;
    scratch = memory_alloc(sizeof *scratch);
    *scratch = (struct scratch){.match = pcre2_match_data_create(1, NULL),
                                .context = pcre2_match_context_create(NULL),
                                .stack = pcre2_jit_stack_create(32 * 1024, STACK_MAX_BYTES, NULL)};
    assert(scratch->match && scratch->context);
    pcre2_set_match_limit(scratch->context, STEPS_MAX);
    pcre2_set_heap_limit(scratch->context, HEAP_MAX_KIB);
    pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
    pthread_setspecific(scratch_key, scratch);
    return scratch;
}

enum assay_code regex_find(const struct regex *regex, struct str subject, bool *found) {
    struct scratch *scratch = scratch_of_thread();
    PCRE2_SPTR text = (PCRE2_SPTR)(subject.ptr ? subject.ptr : "");
    int rc = pcre2_match(regex->code, text, subject.len, 0, 0, scratch->match, scratch->context);
    if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) return ASSAY_LIMIT;
    *found = rc >= 0;
    return ASSAY_OK;
}
