/*
 * Offsets and zones in a text read by a pattern.
 *
 * 1. Hours of an offset go to 23 when it is read, to 18 when it is used; beyond 23 Java gives up on the whole text.
 * 2. A zone id is matched in any case and as long as possible, unlike in a cast.
 * 3. Names (z): only those that Java gives to one region whatever its tables' order. Others, such as IST, mean
 * different zones to different people and are not read.
 *
 * Source: OffsetIdPrinterParser, LocalizedOffsetIdPrinterParser and ZoneIdPrinterParser of JDK 17.
 */
#include "engine/cast_text.h"
#include "engine/datetime_pattern.h"

/** Two digits 00-59, behind a colon if is_colon. */
static bool take_pair(struct str text, size_t *at, bool is_colon, int *value) {
    size_t from = *at;
    if (is_colon && (from >= text.len || text.ptr[from++] != ':')) return false;
    if (from + 2 > text.len || !two_digits(text.ptr + from, value) || *value > 59) return false;
    *at = from + 2;
    return true;
}

/** Sign and digits of an offset in the shape of the item. */
static bool take_digits_of_offset(const struct item *item, struct str text, size_t *at, struct fields *f,
                                  int64_t *seconds) {
    size_t from = *at;
    int hour, minute = 0, second = 0;
    if (from == text.len || (text.ptr[from] != '+' && text.ptr[from] != '-')) return false;
    bool is_negative = text.ptr[from++] == '-';
    if (!take_pair(text, &from, false, &hour)) return false;
    bool has_minute = take_pair(text, &from, item->is_colon, &minute);
    if (!has_minute) minute = 0;
    if (!has_minute && item->parts >= 2) return false;
    if (item->parts == 3 && !take_pair(text, &from, item->is_colon, &second)) second = 0;
    if (hour > 23) {
        f->is_refused = true;
        return false;
    }
    *at = from;
    *seconds = hour * 3600 + minute * 60 + second;
    if (is_negative) *seconds = -*seconds;
    return true;
}

bool datetime_pattern_take_offset(const struct item *item, struct str text, size_t *at, struct fields *f) {
    int64_t seconds = 0;
    if (!datetime_pattern_take_word(text, at, item->text) && !take_digits_of_offset(item, text, at, f, &seconds))
        return false;
    return field_set(f, FIELD_OFFSET, seconds);
}

/** A digit at `at`, -1 if there is none. Java fails on the whole text when it ends there. */
static int digit_at(struct str text, size_t at, struct fields *f) {
    if (at >= text.len) {
        f->is_refused = true;
        return -1;
    }
    return is_digit(text.ptr[at]) ? text.ptr[at] - '0' : -1;
}

/** `:dd` with any digits, if it is there. */
static bool take_colon_pair(struct str text, size_t *at, int *value) {
    if (*at + 2 >= text.len || text.ptr[*at] != ':' || !two_digits(text.ptr + *at + 1, value)) return false;
    *at += 3;
    return true;
}

/** Exactly two digits, before minutes that must be there (is_full); else one or two. */
static bool take_hour(struct str text, size_t *at, bool is_full, struct fields *f, int *hour) {
    int first = digit_at(text, *at, f);
    if (first < 0) return false;
    ++*at;
    *hour = first;
    if (!is_full && *at == text.len) return true;
    int second = digit_at(text, *at, f);
    if (second < 0) return !is_full;
    ++*at;
    *hour = first * 10 + second;
    return true;
}

bool datetime_pattern_take_offset_named(const struct item *item, struct str text, size_t *at, struct fields *f) {
    if (!datetime_pattern_take_word(text, at, STR("GMT"))) return false;
    if (*at == text.len || (text.ptr[*at] != '+' && text.ptr[*at] != '-')) return field_set(f, FIELD_OFFSET, 0);
    bool is_negative = text.ptr[(*at)++] == '-';
    int hour, minute = 0, second = 0;
    if (!take_hour(text, at, item->is_full, f, &hour)) return false;
    if (item->is_full && *at + 2 >= text.len && (*at == text.len || text.ptr[*at] == ':')) f->is_refused = true;
    bool has_minute = take_colon_pair(text, at, &minute);
    if (item->is_full && !has_minute) return false;
    if (!has_minute || !take_colon_pair(text, at, &second)) second = 0;
    int64_t seconds = (has_minute ? minute * 60 : 0) + hour * 3600 + second;
    return field_set(f, FIELD_OFFSET, is_negative ? -seconds : seconds);
}

static const struct {
    const char *name, *id;
    bool is_full;
} names[] = {
    {"EST", "America/New_York", false},
    {"EDT", "America/New_York", false},
    {"ET", "America/New_York", false},
    {"CST", "America/Chicago", false},
    {"CDT", "America/Chicago", false},
    {"CT", "America/Chicago", false},
    {"MST", "America/Denver", false},
    {"MDT", "America/Denver", false},
    {"PST", "America/Los_Angeles", false},
    {"PDT", "America/Los_Angeles", false},
    {"PT", "America/Los_Angeles", false},
    {"AKST", "America/Juneau", false},
    {"AKDT", "America/Juneau", false},
    {"HST", "Pacific/Honolulu", false},
    {"AST", "America/Halifax", false},
    {"ADT", "America/Halifax", false},
    {"NST", "America/St_Johns", false},
    {"NDT", "America/St_Johns", false},
    {"CEST", "Europe/Paris", false},
    {"EEST", "Europe/Bucharest", false},
    {"WEST", "Atlantic/Canary", false},
    {"MSK", "Europe/Moscow", false},
    {"JST", "Asia/Tokyo", false},
    {"KST", "Asia/Seoul", false},
    {"HKT", "Asia/Hong_Kong", false},
    {"SGT", "Asia/Singapore", false},
    {"AEST", "Australia/Sydney", false},
    {"AEDT", "Australia/Sydney", false},
    {"AWST", "Australia/Perth", false},
    {"NZST", "Pacific/Auckland", false},
    {"NZDT", "Pacific/Auckland", false},
    {"Eastern Standard Time", "America/New_York", true},
    {"Eastern Daylight Time", "America/New_York", true},
    {"Central Standard Time", "America/Chicago", true},
    {"Central Daylight Time", "America/Chicago", true},
    {"Mountain Standard Time", "America/Denver", true},
    {"Mountain Daylight Time", "America/Denver", true},
    {"Pacific Standard Time", "America/Los_Angeles", true},
    {"Pacific Daylight Time", "America/Los_Angeles", true},
    {"Central European Standard Time", "Europe/Paris", true},
    {"Central European Summer Time", "Europe/Paris", true},
    {"Eastern European Standard Time", "Europe/Bucharest", true},
    {"Eastern European Summer Time", "Europe/Bucharest", true},
    {"Western European Standard Time", "Atlantic/Canary", true},
    {"Western European Summer Time", "Atlantic/Canary", true},
    {"Moscow Standard Time", "Europe/Moscow", true},
    {"Japan Standard Time", "Asia/Tokyo", true},
    {"India Standard Time", "Asia/Kolkata", true},
    {"China Standard Time", "Asia/Shanghai", true},
    {"Coordinated Universal Time", "Etc/UTC", true},
};

/** The longest region id or name at *at. */
static bool take_region(const struct item *item, struct str text, size_t *at, struct zone *zone) {
    struct str rest = str_sub(text, *at, text.len);
    size_t longest = zone_region_prefix(rest, zone);
    for (size_t i = 0; item->kind == ITEM_ZONE_NAME && i < sizeof names / sizeof names[0]; i++) {
        size_t len = 0;
        if (names[i].is_full != item->is_full || !datetime_pattern_take_word(rest, &len, str_of(names[i].name)))
            continue;
        if (len > longest && zone_region(str_of(names[i].id), zone)) longest = len;
    }
    *at += longest;
    return longest > 0;
}

static const struct item id_offset = {.kind = ITEM_OFFSET, .parts = 3, .is_colon = true};

bool datetime_pattern_take_zone(const struct item *item, struct str text, size_t *at, struct fields *f) {
    struct zone zone = {0};
    int64_t seconds = 0;
    if (*at == text.len) return false;
    bool has_sign = text.ptr[*at] == '+' || text.ptr[*at] == '-';
    bool is_gmt0 = datetime_pattern_take_word(text, at, STR("GMT0"));
    bool has_prefix =
        !has_sign && !is_gmt0 &&
        (datetime_pattern_take_word(text, at, STR("UTC")) || datetime_pattern_take_word(text, at, STR("UT")) ||
         datetime_pattern_take_word(text, at, STR("GMT")));
    if (has_sign || has_prefix) {
        bool has_offset = take_digits_of_offset(&id_offset, text, at, f, &seconds);
        if (f->is_refused || (has_sign && !has_offset)) return false;
        if (seconds > ZONE_OFFSET_MAX_S || seconds < -ZONE_OFFSET_MAX_S) return false;
        zone.offset_s = (int32_t)seconds;
    } else if (!is_gmt0 && !take_region(item, text, at, &zone) && !datetime_pattern_take_word(text, at, STR("Z"))) {
        return false;
    }
    f->has_zone = true;
    f->zone = zone;
    return true;
}
