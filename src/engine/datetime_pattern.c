/*
 * Patterns of java.time.format.DateTimeFormatter as Spark 3.5 compiles them for reading (timeParserPolicy CORRECTED,
 * Locale.US).
 *
 * 1. The same letter in a row is one item; how it reads depends on the letter and the number. What Spark or Java
 * refuses is refused here, with the letter and its place.
 * 2. Without an era (G) in the pattern, y is the proleptic year, so 0 and negative years can be read.
 * 3. Numbers without anything between them: the first that has no fixed width leaves the digits that the fixed ones
 * after it need. A number before one without fixed width takes all it can.
 * 4. Any number of S is a fraction of 1 to so many digits (Spark's change); a single S takes part in rule 3.
 * 5. A `T` outside of quotes is the letter T, which Java would refuse: contracts are often written so.
 * 6. Not read, although Spark does: g (modified Julian day) and v (generic zone names).
 *
 * Source: DateTimeFormatterBuilder.appendPattern and appendValue of JDK 17, DateTimeFormatterHelper of Spark 3.5.
 */
#include "engine/datetime_pattern.h"
#include "engine/cast.h"

#include <stdlib.h>

enum { PATTERN_BYTES_MAX = 512 };

static const struct word months[] = {{"Jan", 1},  {"Feb", 2},  {"Mar", 3}, {"Apr", 4}, {"May", 5},
                                     {"Jun", 6},  {"Jul", 7},  {"Aug", 8}, {"Sep", 9}, {"Oct", 10},
                                     {"Nov", 11}, {"Dec", 12}, {NULL, 0}};
static const struct word full_months[] = {
    {"January", 1}, {"February", 2},  {"March", 3},    {"April", 4},     {"May", 5},       {"June", 6}, {"July", 7},
    {"August", 8},  {"September", 9}, {"October", 10}, {"November", 11}, {"December", 12}, {NULL, 0}};
static const struct word halves[] = {{"AM", 0}, {"PM", 1}, {NULL, 0}};
static const struct word eras[] = {{"AD", 1}, {"BC", 0}, {NULL, 0}};
static const struct word full_eras[] = {{"Anno Domini", 1}, {"Before Christ", 0}, {NULL, 0}};

/** A pattern while it is compiled. */
struct compiler {
    struct datetime_pattern *pattern;
    struct str text;
    size_t at;
    bool has_era;
    size_t open[PATTERN_BYTES_MAX]; /* optional sections not yet closed */
    size_t depth;
    size_t number; /* the number that later ones without separator may narrow, or SIZE_MAX */
    struct assay_error *err;
};

static enum assay_code refuse(const struct compiler *c, size_t at, const char *why) {
    return error_set(c->err, ASSAY_INVALID, NULL, "date pattern \"%.*s\": '%c' at position %zu %s", STR_ARG(c->text),
                     c->text.ptr[at], at + 1, why);
}

static struct item *add_item(struct compiler *c, enum item_kind kind) {
    struct datetime_pattern *p = c->pattern;
    LIST_PUSH(&p->arena, p->items, p->count, p->capacity) = (struct item){.kind = kind};
    c->number = SIZE_MAX;
    return &p->items[p->count - 1];
}

/** A number, which may stand next to another (rule 3). */
static void add_number(struct compiler *c, struct item number) {
    bool is_fixed = number.min_width == number.max_width && number.sign == SIGN_NONE;
    size_t base = c->number;
    *add_item(c, number.kind) = number;
    c->number = c->pattern->count - 1;
    if (base == SIZE_MAX || !is_fixed) return;
    c->pattern->items[base].later_width += number.max_width;
    c->number = base;
}

static void add_value(struct compiler *c, enum field field, int min_width, int max_width, enum sign_rule sign) {
    add_number(c,
               (struct item){
                   .kind = ITEM_NUMBER, .field = field, .min_width = min_width, .max_width = max_width, .sign = sign});
}

/** Digits of any number with one letter, exactly two with two. */
static bool add_one_or_two(struct compiler *c, enum field field, size_t count) {
    if (count == 1) add_value(c, field, 1, 19, SIGN_MINUS);
    if (count == 2) add_value(c, field, 2, 2, SIGN_NONE);
    return count <= 2;
}

static bool add_year(struct compiler *c, size_t count) {
    enum field field = c->has_era ? FIELD_YEAR_OF_ERA : FIELD_YEAR;
    if (count == 2)
        add_number(c, (struct item){.kind = ITEM_YEAR_OF_TWO, .field = field, .min_width = 2, .max_width = 2});
    else
        add_value(c, field, (int)count, 19, count < 4 ? SIGN_MINUS : SIGN_PLUS_BEYOND);
    return count <= 6;
}

static bool add_day_of_year(struct compiler *c, size_t count) {
    if (count == 1)
        add_value(c, FIELD_DAY_OF_YEAR, 1, 19, SIGN_MINUS);
    else
        add_value(c, FIELD_DAY_OF_YEAR, (int)count, 3, SIGN_NONE);
    return count <= 3;
}

static bool add_words(struct compiler *c, enum field field, const struct word *words) {
    struct item *item = add_item(c, ITEM_TEXT);
    item->field = field;
    item->words = words;
    return true;
}

static bool add_month(struct compiler *c, size_t count) {
    if (count <= 2) return add_one_or_two(c, FIELD_MONTH, count);
    add_words(c, FIELD_MONTH, count == 3 ? months : full_months);
    return count <= 4;
}

static bool add_fraction(struct compiler *c, size_t count) {
    struct item fraction = {.kind = ITEM_FRACTION, .field = FIELD_NANO, .min_width = 1, .max_width = (int)count};
    if (count == 1)
        add_number(c, fraction);
    else
        *add_item(c, ITEM_FRACTION) = fraction;
    return count <= 9;
}

/** X, x and Z: which parts an offset has, with or without colons. */
static bool add_offset(struct compiler *c, char letter, size_t count) {
    static const int parts[] = {1, 2, 2, 3, 3};
    if (letter == 'Z' && count == 4) {
        add_item(c, ITEM_OFFSET_NAMED)->is_full = true;
        return true;
    }
    struct item *item = add_item(c, ITEM_OFFSET);
    if (count > 5) return false;
    item->parts = letter == 'Z' && count < 4 ? 2 : parts[count - 1];
    item->is_colon = letter == 'Z' ? count == 5 : count == 3 || count == 5;
    if (letter == 'X' || count == 5) item->text = STR("Z");
    if (letter == 'Z' && count < 4) item->text = STR("+0000");
    if (letter == 'x') item->text = count == 1 ? STR("+00") : count % 2 == 0 ? STR("+0000") : STR("+00:00");
    return true;
}

static bool add_zone(struct compiler *c, enum item_kind kind, bool is_full) {
    add_item(c, kind)->is_full = is_full;
    return true;
}

static enum assay_code add_letters(struct compiler *c, char letter, size_t count) {
    size_t at = c->at;
    bool is_good;
    switch (letter) {
    case 'G':
        is_good = add_words(c, FIELD_ERA, count == 4 ? full_eras : eras) && count <= 4;
        break;
    case 'y':
        is_good = add_year(c, count);
        break;
    case 'M':
    case 'L':
        is_good = add_month(c, count);
        break;
    case 'd':
        is_good = add_one_or_two(c, FIELD_DAY, count);
        break;
    case 'D':
        is_good = add_day_of_year(c, count);
        break;
    case 'a':
        is_good = add_words(c, FIELD_AMPM, halves) && count == 1;
        break;
    case 'H':
        is_good = add_one_or_two(c, FIELD_HOUR, count);
        break;
    case 'k':
        is_good = add_one_or_two(c, FIELD_CLOCK_HOUR, count);
        break;
    case 'K':
        is_good = add_one_or_two(c, FIELD_HOUR_AMPM, count);
        break;
    case 'h':
        is_good = add_one_or_two(c, FIELD_CLOCK_HOUR_AMPM, count);
        break;
    case 'm':
        is_good = add_one_or_two(c, FIELD_MINUTE, count);
        break;
    case 's':
        is_good = add_one_or_two(c, FIELD_SECOND, count);
        break;
    case 'S':
        is_good = add_fraction(c, count);
        break;
    case 'X':
    case 'x':
    case 'Z':
        is_good = add_offset(c, letter, count);
        break;
    case 'O':
        is_good = add_zone(c, ITEM_OFFSET_NAMED, count == 4) && (count == 1 || count == 4);
        break;
    case 'V':
        is_good = add_zone(c, ITEM_ZONE_ID, false) && count == 2;
        break;
    case 'z':
        is_good = add_zone(c, ITEM_ZONE_NAME, count == 4) && count <= 4;
        break;
    default:
        return refuse(c, at, "is not a letter that can be read; text belongs in single quotes");
    }
    return is_good ? ASSAY_OK : refuse(c, at, "is repeated a number of times that has no meaning");
}

static void add_literal(struct compiler *c, struct str text) {
    struct datetime_pattern *p = c->pattern;
    add_item(c, ITEM_LITERAL)->text = str_copy(&p->arena, text);
}

/** 'text', in which two quotes are one; two quotes alone are one as well. */
static enum assay_code add_quoted(struct compiler *c) {
    struct buf literal = {0};
    size_t start = c->at++;
    for (; c->at < c->text.len; c->at++) {
        if (c->text.ptr[c->at] != '\'')
            buf_addc(&literal, c->text.ptr[c->at]);
        else if (c->at + 1 < c->text.len && c->text.ptr[c->at + 1] == '\'')
            buf_addc(&literal, c->text.ptr[c->at++]);
        else
            break;
    }
    bool is_closed = c->at < c->text.len;
    c->at++;
    add_literal(c, literal.len > 0 ? buf_str(&literal) : STR("'"));
    buf_free(&literal);
    return is_closed ? ASSAY_OK : refuse(c, start, "opens a quoted text that does not end");
}

static enum assay_code add_sign(struct compiler *c, char sign) {
    size_t at = c->at++;
    if (sign == '[') {
        add_item(c, ITEM_OPTIONAL);
        c->open[c->depth++] = c->pattern->count - 1;
    } else if (sign == ']') {
        if (c->depth == 0) return refuse(c, at, "closes an optional section that was not opened with '['");
        c->pattern->items[c->open[--c->depth]].end = c->pattern->count;
        c->number = SIZE_MAX;
    } else if (sign == '{' || sign == '}' || sign == '#') {
        return refuse(c, at, "is reserved; text belongs in single quotes");
    } else {
        while (c->at < c->text.len && ((unsigned char)c->text.ptr[c->at] & 0xC0) == 0x80) c->at++;
        add_literal(c, str_sub(c->text, at, c->at));
    }
    return ASSAY_OK;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static enum assay_code add_next(struct compiler *c) {
    char first = c->text.ptr[c->at];
    if (first == '\'') return add_quoted(c);
    if (!is_letter(first) || first == 'T') return add_sign(c, first);
    size_t end = c->at;
    while (end < c->text.len && c->text.ptr[end] == first) end++;
    TRY(add_letters(c, first, end - c->at));
    c->at = end;
    return ASSAY_OK;
}

/** Whether G stands outside of quotes. */
static bool has_era(struct str text) {
    bool is_quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'') is_quoted = !is_quoted;
        if (text.ptr[i] == 'G' && !is_quoted) return true;
    }
    return false;
}

static enum assay_code compile(struct datetime_pattern *pattern, struct str text, struct assay_error *err) {
    struct compiler c = {.pattern = pattern, .text = text, .has_era = has_era(text), .number = SIZE_MAX, .err = err};
    if (text.len > PATTERN_BYTES_MAX)
        return error_set(err, ASSAY_LIMIT, NULL, "a date pattern has %zu bytes, at most %d can be read", text.len,
                         PATTERN_BYTES_MAX);
    if (str_utf8_error(text) != SIZE_MAX)
        return error_set(err, ASSAY_INVALID, NULL, "a date pattern is not valid UTF-8");
    while (c.at < text.len) TRY(add_next(&c));
    while (c.depth > 0) pattern->items[c.open[--c.depth]].end = pattern->count;
    return ASSAY_OK;
}

enum assay_code datetime_pattern_open(struct str text, struct datetime_pattern **out, struct assay_error *err) {
    struct datetime_pattern *pattern = memory_alloc(sizeof *pattern);
    *pattern = (struct datetime_pattern){0};
    enum assay_code rc = compile(pattern, text, err);
    if (rc) datetime_pattern_close(&pattern);
    *out = pattern;
    return rc;
}

void datetime_pattern_close(struct datetime_pattern **pattern) {
    if (!*pattern) return;
    arena_reset(&(*pattern)->arena);
    free(*pattern);
    *pattern = NULL;
}

bool datetime_pattern_timestamp(const struct datetime_pattern *pattern, struct str text, int64_t *us) {
    struct fields fields;
    return datetime_pattern_read(pattern, text, &fields) && datetime_pattern_resolve(&fields, us);
}

/** Spark reads a date as a timestamp and takes its day in the session's zone, UTC. */
bool datetime_pattern_date(const struct datetime_pattern *pattern, struct str text, int32_t *days) {
    static const int64_t us_per_day = INT64_C(86400) * 1000000;
    int64_t us;
    if (!datetime_pattern_timestamp(pattern, text, &us)) return false;
    *days = (int32_t)(us / us_per_day - (us % us_per_day < 0));
    return true;
}
