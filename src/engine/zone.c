/*
 * Zone texts: which zone a text names, and what instant a wall time in it is.
 *
 * 1. ids are case-sensitive. Offsets are at most 18:00 either way, minutes and seconds at most 59.
 * 2. UTC, GMT and UT may be followed by an offset; the three-letter ids of old Java stand for regions (PST) or offsets
 * (EST).
 *
 * Source: ZoneId.of, ZoneOffset.of and ZoneId.SHORT_IDS of JDK 17, DateTimeUtils.getZoneId of Spark 3.5.
 */
#include "engine/zone.h"
#include "engine/cast.h"
#include "engine/cast_text.h"

#include <string.h>

enum { ID_BYTES_MAX = 64, US_PER_S = 1000000 };

static const struct {
    const char *id, *stands_for;
} short_ids[] = {
    {"ACT", "Australia/Darwin"},
    {"AET", "Australia/Sydney"},
    {"AGT", "America/Argentina/Buenos_Aires"},
    {"ART", "Africa/Cairo"},
    {"AST", "America/Anchorage"},
    {"BET", "America/Sao_Paulo"},
    {"BST", "Asia/Dhaka"},
    {"CAT", "Africa/Harare"},
    {"CNT", "America/St_Johns"},
    {"CST", "America/Chicago"},
    {"CTT", "Asia/Shanghai"},
    {"EAT", "Africa/Addis_Ababa"},
    {"ECT", "Europe/Paris"},
    {"EST", "-05:00"},
    {"HST", "-10:00"},
    {"IET", "America/Indiana/Indianapolis"},
    {"IST", "Asia/Kolkata"},
    {"JST", "Asia/Tokyo"},
    {"MIT", "Pacific/Apia"},
    {"MST", "-07:00"},
    {"NET", "Asia/Yerevan"},
    {"NST", "Pacific/Auckland"},
    {"PLT", "Asia/Karachi"},
    {"PNT", "America/Phoenix"},
    {"PRT", "America/Puerto_Rico"},
    {"PST", "America/Los_Angeles"},
    {"SST", "Pacific/Guadalcanal"},
    {"VST", "Asia/Ho_Chi_Minh"},
};

static struct str resolve_short_id(struct str id) {
    for (size_t i = 0; id.len == 3 && i < sizeof short_ids / sizeof short_ids[0]; i++)
        if (str_eq(id, str_of(short_ids[i].id))) return str_of(short_ids[i].stands_for);
    return id;
}

/** `Z`, or a sign and h, hh, hhmm, hh:mm, hhmmss or hh:mm:ss. */
static bool parse_offset(struct str s, int32_t *offset_s) {
    int hour = 0, minute = 0, second = 0;
    *offset_s = 0;
    if (str_eq(s, STR("Z"))) return true;
    if (s.len < 2 || (s.ptr[0] != '+' && s.ptr[0] != '-')) return false;

    bool has_colon = s.len == 6 || s.len == 9;
    size_t step = has_colon ? 3 : 2;
    if (s.len == 2) {
        if (!is_digit(s.ptr[1])) return false;
        hour = s.ptr[1] - '0';
    } else {
        if (s.len != 3 && s.len != 5 && s.len != 6 && s.len != 7 && s.len != 9) return false;
        if (!two_digits(s.ptr + 1, &hour)) return false;
        if (s.len > 3 && ((has_colon && s.ptr[3] != ':') || !two_digits(s.ptr + 1 + step, &minute))) return false;
        if (s.len > 6 && ((has_colon && s.ptr[6] != ':') || !two_digits(s.ptr + 1 + 2 * step, &second))) return false;
    }
    int32_t total = hour * 3600 + minute * 60 + second;
    *offset_s = s.ptr[0] == '-' ? -total : total;
    return minute < 60 && second < 60 && total <= ZONE_OFFSET_MAX_S;
}

static bool parse_id(struct str id, struct zone *out) {
    *out = (struct zone){0};
    if (id.len <= 1 || id.ptr[0] == '+' || id.ptr[0] == '-') return parse_offset(id, &out->offset_s);
    size_t prefix = str_starts(id, STR("UTC")) || str_starts(id, STR("GMT")) ? 3 : str_starts(id, STR("UT")) ? 2 : 0;
    if (prefix == 0) return zone_region(id, out);
    if (prefix == id.len) return true;
    if (id.ptr[prefix] != '+' && id.ptr[prefix] != '-') return zone_region(id, out);
    return parse_offset(str_sub(id, prefix, id.len), &out->offset_s);
}

static bool is_sign(char c) { return c == '+' || c == '-'; }

static void insert_zero(char *text, size_t *len, size_t at) {
    memmove(text + at + 1, text + at, *len - at);
    text[at] = '0';
    ++*len;
}

/** What Spark 2 took and Java does not: a single digit before or after the colon of an offset. `text` has room for two
 * more. */
static void complete_digits(char *text, size_t *len) {
    for (size_t i = 0; i + 2 < *len; i++) {
        if (!is_sign(text[i]) || !is_digit(text[i + 1]) || text[i + 2] != ':') continue;
        insert_zero(text, len, i + 1);
        break;
    }
    if (*len < 5) return;
    const char *tail = text + *len - 5;
    int hour;
    if (is_sign(tail[0]) && two_digits(tail + 1, &hour) && tail[3] == ':' && is_digit(tail[4]))
        insert_zero(text, len, *len - 1);
}

bool zone_parse(struct str text, struct zone *out) {
    struct str id = trim_java(text);
    char buffer[ID_BYTES_MAX];
    if (id.len == 0 || id.len > ID_BYTES_MAX - 2) return false;
    memcpy(buffer, id.ptr, id.len);
    complete_digits(buffer, &id.len);
    id.ptr = buffer;
    return parse_id(resolve_short_id(id), out);
}

bool zone_instant(const struct zone *zone, int64_t local_s, int32_t us, int64_t *instant_us) {
    int32_t offset_s = zone->rules ? zone_rules_offset(zone->rules, local_s) : zone->offset_s;
    int128 instant = ((int128)local_s - offset_s) * US_PER_S + us;
    *instant_us = (int64_t)instant;
    return instant >= INT64_MIN && instant <= INT64_MAX;
}
