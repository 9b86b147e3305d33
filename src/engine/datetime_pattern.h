/**
 * A compiled date and time pattern. Private to the datetime_pattern files: compile (datetime_pattern.c), read a text
 * item by item (datetime_pattern_read.c, _read_zone.c), make one point in time of the fields
 * (datetime_pattern_resolve.c).
 */
#ifndef ENGINE_DATETIME_PATTERN_H
#define ENGINE_DATETIME_PATTERN_H

#include "engine/zone.h"

/** What letters set, named as java.time's ChronoField. */
enum field {
    FIELD_ERA,
    FIELD_YEAR,
    FIELD_YEAR_OF_ERA,
    FIELD_MONTH,
    FIELD_DAY,
    FIELD_DAY_OF_YEAR,
    FIELD_AMPM,
    FIELD_HOUR,            /* 0-23 */
    FIELD_CLOCK_HOUR,      /* 1-24 */
    FIELD_HOUR_AMPM,       /* 0-11 */
    FIELD_CLOCK_HOUR_AMPM, /* 1-12 */
    FIELD_MINUTE,
    FIELD_SECOND,
    FIELD_NANO,
    FIELD_OFFSET, /* seconds east of UTC */
    FIELD_COUNT,
};

enum item_kind {
    ITEM_LITERAL,
    ITEM_OPTIONAL, /* the items up to `end` */
    ITEM_NUMBER,
    ITEM_YEAR_OF_TWO, /* a number, from 2000 on */
    ITEM_FRACTION,
    ITEM_TEXT,         /* one of a list of words */
    ITEM_OFFSET,       /* X, x, Z */
    ITEM_OFFSET_NAMED, /* O, ZZZZ: GMT and an offset */
    ITEM_ZONE_ID,      /* VV */
    ITEM_ZONE_NAME,    /* z */
};

enum sign_rule {
    SIGN_NONE,
    SIGN_MINUS,       /* a minus, never for zero */
    SIGN_PLUS_BEYOND, /* the same, and a plus exactly when there are more digits than min_width */
};

/** A word and the value it stands for. */
struct word {
    const char *text;
    int value;
};

struct item {
    enum item_kind kind;
    enum field field;
    enum sign_rule sign;
    int min_width, max_width; /* digits */
    int later_width; /* digits that following numbers without a separator need, which a number leaves to them */
    struct str text; /* literal; for ITEM_OFFSET what stands for zero */
    size_t end;      /* ITEM_OPTIONAL: index behind its last item */
    const struct word *words; /* ITEM_TEXT; ended by NULL */
    bool is_colon, is_full;   /* of an offset: with colons; names in full */
    int parts; /* ITEM_OFFSET: 1 hour, minute if there; 2 hour, minute; 3 hour, minute, second if there */
};

struct datetime_pattern {
    struct arena arena;
    struct item *items;
    size_t count, capacity;
};

/** What was read so far. */
struct fields {
    int64_t value[FIELD_COUNT];
    uint32_t is_set; /* bit by field */
    bool has_zone;
    struct zone zone;
    bool is_refused; /* Java throws while it reads: not even an optional section can be left out */
};

static inline bool field_has(const struct fields *f, enum field field) { return f->is_set >> field & 1; }

/** False if the field has another value already. */
static inline bool field_set(struct fields *f, enum field field, int64_t value) {
    if (field_has(f, field)) return f->value[field] == value;
    f->value[field] = value;
    f->is_set |= 1U << field;
    return true;
}

/** Read the whole text. */
bool datetime_pattern_read(const struct datetime_pattern *pattern, struct str text, struct fields *out);
/** Past `word` at *at, case ignored; false if it is not there. */
bool datetime_pattern_take_word(struct str text, size_t *at, struct str word);
bool datetime_pattern_take_offset(const struct item *item, struct str text, size_t *at, struct fields *f);
bool datetime_pattern_take_offset_named(const struct item *item, struct str text, size_t *at, struct fields *f);
bool datetime_pattern_take_zone(const struct item *item, struct str text, size_t *at, struct fields *f);
/** The instant of the fields, missing ones being those of 1970-01-01T00:00Z. */
bool datetime_pattern_resolve(struct fields *f, int64_t *us);

#endif
