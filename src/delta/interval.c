/*
 * Spark's interval texts in table properties: `interval 1 week`, `7 days`, `interval 1 day 12 hours`.
 *
 * 1. Units without a fixed length (months, years) are not allowed in these properties, as in Spark.
 * 2. A text that is not understood is no zero: the caller keeps what it would otherwise remove.
 */
#include "delta/delta_int.h"

static const struct {
    const char *name; /* without the s of the plural */
    int64_t us;
} UNITS[] = {
    {"microsecond", 1},   {"millisecond", 1000},      {"second", 1000000},          {"minute", 60000000},
    {"hour", 3600000000}, {"day", 24 * 3600000000LL}, {"week", 168 * 3600000000LL},
};

static struct str take_word(struct str *text) {
    *text = str_trim(*text);
    struct str word;
    size_t end = 0;
    while (end < text->len && text->ptr[end] != ' ' && text->ptr[end] != '\t') end++;
    word = str_sub(*text, 0, end);
    *text = str_sub(*text, end, text->len);
    return word;
}

static int64_t unit_us(struct str word) {
    if (word.len && (word.ptr[word.len - 1] == 's' || word.ptr[word.len - 1] == 'S')) word.len--;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (str_eq_nocase(word, str_of(UNITS[i].name))) return UNITS[i].us;
    return 0;
}

int64_t delta_interval_ms(struct str text) {
    int64_t sum_us = 0;
    size_t count = 0;
    struct str rest = text, word = take_word(&rest);
    if (str_eq_nocase(word, STR("interval"))) word = take_word(&rest);
    for (; word.len > 0; word = take_word(&rest), count++) {
        int64_t number, us;
        if (str_int64(word, &number) != ASSAY_OK || number < 0) return -1;
        int64_t unit = unit_us(take_word(&rest));
        if (unit == 0 || __builtin_mul_overflow(number, unit, &us) || __builtin_add_overflow(sum_us, us, &sum_us))
            return -1;
    }
    return count ? sum_us / 1000 : -1;
}

int64_t delta_interval_property(const struct delta_metadata *metadata, struct str name, int64_t otherwise_ms) {
    struct str text = delta_property_get(metadata, name);
    return text.len ? delta_interval_ms(text) : otherwise_ms;
}
