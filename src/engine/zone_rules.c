/*
 * The rules of one region, from its TZif file: which offset its clocks showed at a wall time.
 *
 * 1. Only version 2 and later (64-bit times, footer) are read; bytes are checked before they are used.
 * 2. What is kept is a list of wall times in order, each with the offset that holds from there on. A change of the
 * clocks by which time is skipped or repeated enters at the later of its two wall times, so that in between the earlier
 * offset still holds: that is Java's answer to both (a gap moves forward, an overlap is its first pass).
 * 3. The footer's yearly rule is written out for 400 years after the last change of the file. The calendar repeats
 * after that, so any later wall time is looked up a multiple of 400 years earlier.
 *
 * Source: RFC 8536 and the TZ variable of POSIX; java.time.ZonedDateTime.ofLocal.
 */
#include "engine/cast_text.h"
#include "engine/zone.h"

#include "base/time.h"

#include <string.h>

enum { HEADER_BYTES = 44, CYCLE_YEARS = 400, TIMES_MAX = 100000 };

#define CYCLE_S (INT64_C(146097) * 86400)

struct change {
    int64_t from_s; /* wall time */
    int32_t offset_s;
};

struct zone_rules {
    int32_t first_offset_s;
    struct change *changes;
    size_t count;
    bool repeats;    /* the last CYCLE_YEARS of changes are the rule's */
    int64_t cycle_s; /* wall time where they end */
};

int32_t zone_rules_offset(const struct zone_rules *rules, int64_t local_s) {
    if (rules->repeats && local_s >= rules->cycle_s) local_s -= ((local_s - rules->cycle_s) / CYCLE_S + 1) * CYCLE_S;
    size_t from = 0, to = rules->count; /* changes before `from` have begun, those at `to` and later have not */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (rules->changes[middle].from_s <= local_s)
            from = middle + 1;
        else
            to = middle;
    }
    return from == 0 ? rules->first_offset_s : rules->changes[from - 1].offset_s;
}

/** The clocks go from one offset to another at an instant. Instants come in order. */
static void add_change(struct zone_rules *rules, int64_t instant_s, int32_t before_s, int32_t after_s) {
    int64_t from_s = instant_s + (before_s > after_s ? before_s : after_s);
    if (rules->count > 0 && from_s < rules->changes[rules->count - 1].from_s)
        from_s = rules->changes[rules->count - 1].from_s;
    rules->changes[rules->count++] = (struct change){from_s, after_s};
}

/** The yearly rule of a footer. */
enum day_kind { DAY_OF_WEEK, DAY_WITHOUT_LEAP, DAY_FROM_ZERO };
struct yearly {
    enum day_kind kind;
    int month, week, day;
    int32_t time_s;
};
struct footer {
    int32_t standard_s, summer_s; /* east of UTC */
    bool has_summer;
    struct yearly start, end;
};

static bool take_char(struct str *s, char c) {
    if (s->len == 0 || s->ptr[0] != c) return false;
    *s = str_sub(*s, 1, s->len);
    return true;
}

static bool take_number(struct str *s, int least, int most, int *value) {
    size_t at = 0;
    if (take_digits(*s, &at, 3, value) == 0 || *value < least || *value > most) return false;
    *s = str_sub(*s, at, s->len);
    return true;
}

/** `[+-]h[:mm[:ss]]`, hours to 167. */
static bool take_time(struct str *s, int32_t *seconds) {
    bool is_negative = take_char(s, '-');
    if (!is_negative) take_char(s, '+');
    int hour, minute = 0, second = 0;
    if (!take_number(s, 0, 167, &hour)) return false;
    if (take_char(s, ':')) {
        if (!take_number(s, 0, 59, &minute)) return false;
        if (take_char(s, ':') && !take_number(s, 0, 59, &second)) return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    if (is_negative) *seconds = -*seconds;
    return true;
}

/** Letters, or anything between `<` and `>`. */
static bool take_name(struct str *s) {
    size_t at = 0;
    if (take_char(s, '<')) {
        at = str_find_char(*s, '>');
        if (at == SIZE_MAX) return false;
        *s = str_sub(*s, at + 1, s->len);
        return true;
    }
    while (at < s->len && ((s->ptr[at] | 0x20) >= 'a' && (s->ptr[at] | 0x20) <= 'z')) at++;
    *s = str_sub(*s, at, s->len);
    return at > 0;
}

static bool take_yearly(struct str *s, struct yearly *out) {
    *out = (struct yearly){.kind = DAY_FROM_ZERO, .time_s = 2 * 3600};
    if (take_char(s, 'M')) {
        out->kind = DAY_OF_WEEK;
        if (!take_number(s, 1, 12, &out->month) || !take_char(s, '.')) return false;
        if (!take_number(s, 1, 5, &out->week) || !take_char(s, '.')) return false;
        if (!take_number(s, 0, 6, &out->day)) return false;
    } else if (take_char(s, 'J')) {
        out->kind = DAY_WITHOUT_LEAP;
        if (!take_number(s, 1, 365, &out->day)) return false;
    } else if (!take_number(s, 0, 365, &out->day)) {
        return false;
    }
    return !take_char(s, '/') || take_time(s, &out->time_s);
}

/** `CET-1CEST,M3.5.0,M10.5.0/3`; offsets count westwards. */
static bool parse_footer(struct str s, struct footer *out) {
    *out = (struct footer){0};
    int32_t west_s;
    if (!take_name(&s) || !take_time(&s, &west_s)) return false;
    out->standard_s = -west_s;
    out->summer_s = out->standard_s + 3600;
    if (s.len == 0) return true;
    out->has_summer = true;
    if (!take_name(&s)) return false;
    if (s.len > 0 && s.ptr[0] != ',') {
        if (!take_time(&s, &west_s)) return false;
        out->summer_s = -west_s;
    }
    if (!take_char(&s, ',') || !take_yearly(&s, &out->start)) return false;
    return take_char(&s, ',') && take_yearly(&s, &out->end) && s.len == 0;
}

/** The wall time of a yearly rule, as if UTC. */
static int64_t yearly_time(const struct yearly *rule, int64_t year) {
    int64_t days = time_days_of(year, 1, 1);
    if (rule->kind == DAY_OF_WEEK) {
        int64_t first = time_days_of(year, rule->month, 1);
        int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday, Sunday is 0 */
        int day = 1 + (int)((rule->day - weekday + 7) % 7) + (rule->week - 1) * 7;
        while (!time_is_date(year, rule->month, day)) day -= 7;
        days = first + day - 1;
    } else {
        bool is_after_leap_day = rule->kind == DAY_WITHOUT_LEAP && rule->day >= 60 && time_is_date(year, 2, 29);
        days += rule->day - (rule->kind == DAY_WITHOUT_LEAP) + is_after_leap_day;
    }
    return days * 86400 + rule->time_s;
}

/** The changes of the yearly rule for a cycle after the instant of the last change. */
static void add_yearly(struct zone_rules *rules, const struct footer *footer, int64_t last_s) {
    int64_t year, end_year;
    int month, day;
    time_date_of(last_s / 86400, &year, &month, &day);
    end_year = year + CYCLE_YEARS + 1;
    for (; year < end_year; year++) {
        int64_t start_s = yearly_time(&footer->start, year) - footer->standard_s;
        int64_t end_s = yearly_time(&footer->end, year) - footer->summer_s;
        for (int half = 0; half < 2; half++) {
            bool is_start = (half == 0) == (start_s < end_s);
            int64_t at_s = is_start ? start_s : end_s;
            if (at_s <= last_s) continue;
            if (is_start)
                add_change(rules, at_s, footer->standard_s, footer->summer_s);
            else
                add_change(rules, at_s, footer->summer_s, footer->standard_s);
        }
    }
    rules->repeats = true;
    rules->cycle_s = time_days_of(end_year, 1, 1) * 86400;
}

static uint32_t big_endian_32(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int64_t big_endian_64(const char *at) {
    return (int64_t)((uint64_t)big_endian_32(at) << 32 | big_endian_32(at + 4));
}

/** Counts of a TZif header, and the size of the data behind it for times of `time_bytes`. */
struct block {
    uint64_t times, types, size;
};

static bool read_header(struct str file, size_t at, size_t time_bytes, struct block *out) {
    if (file.len < at + HEADER_BYTES || memcmp(file.ptr + at, "TZif", 4) != 0 || file.ptr[at + 4] < '2') return false;
    const char *counts = file.ptr + at + 20;
    uint64_t is_ut = big_endian_32(counts), is_std = big_endian_32(counts + 4), leaps = big_endian_32(counts + 8);
    uint64_t letters = big_endian_32(counts + 20);
    out->times = big_endian_32(counts + 12);
    out->types = big_endian_32(counts + 16);
    out->size = out->times * (time_bytes + 1) + out->types * 6 + letters + leaps * (time_bytes + 4) + is_std + is_ut;
    return out->types > 0 && out->types <= 256 && out->times <= TIMES_MAX && leaps == 0;
}

/** The times of the file; false if one names a type that is not there. */
static bool add_times(struct zone_rules *rules, const char *data, const struct block *block, int64_t *last_s) {
    const char *kinds = data + block->times * 8, *types = kinds + block->times;
    int32_t before_s = rules->first_offset_s = (int32_t)big_endian_32(types);
    for (size_t i = 0; i < block->times; i++) {
        size_t kind = (unsigned char)kinds[i];
        if (kind >= block->types) return false;
        int32_t after_s = (int32_t)big_endian_32(types + kind * 6);
        *last_s = big_endian_64(data + i * 8);
        if (*last_s < -(INT64_C(1) << 59) || *last_s > INT64_C(1) << 59) return false;
        if (after_s < -86400 || after_s > 86400) return false;
        add_change(rules, *last_s, before_s, after_s);
        before_s = after_s;
    }
    return before_s >= -86400 && before_s <= 86400;
}

const struct zone_rules *zone_rules_read(struct arena *arena, struct str file) {
    struct block first, block;
    if (!read_header(file, 0, 4, &first) || first.size > file.len) return NULL;
    size_t at = HEADER_BYTES + (size_t)first.size;
    if (!read_header(file, at, 8, &block) || block.size > file.len || at + HEADER_BYTES + block.size > file.len)
        return NULL;
    const char *data = file.ptr + at + HEADER_BYTES;

    struct footer footer = {0};
    struct str rest = str_sub(file, at + HEADER_BYTES + (size_t)block.size, file.len);
    if (!take_char(&rest, '\n')) return NULL;
    str_split(rest, '\n', &rest);
    if (rest.len > 0 && !parse_footer(rest, &footer)) return NULL;

    struct zone_rules *rules = ARENA_NEW(arena, struct zone_rules);
    rules->changes = ARENA_ARRAY(arena, block.times + 2 * (CYCLE_YEARS + 1), struct change);
    int64_t last_s = 0;
    if (!add_times(rules, data, &block, &last_s)) return NULL;
    if (footer.has_summer) {
        if (block.times == 0 || last_s < 0) return NULL; /* tzdata has no rule that holds for ever */
        add_yearly(rules, &footer, last_s);
    }
    return rules;
}
