/**
 * Time zones as java.time knows them: fixed offsets, and the regions of tzdata. Private to engine.
 *
 * Thread safety: all functions may run in many threads at once. Regions are read once and live as long as the process.
 */
#ifndef ENGINE_ZONE_H
#define ENGINE_ZONE_H

#include "base/str.h"

enum { ZONE_OFFSET_MAX_S = 18 * 3600 };

struct zone_rules;

/** {0} is UTC. */
struct zone {
    int32_t offset_s;               /* east of UTC, when there are no rules */
    const struct zone_rules *rules; /* of a region, or NULL */
};

/** As Spark's getZoneId: Java's ZoneId.of with the short ids, and offsets like `+5:30` and `+05:3`. Blanks around it do
 * not count. */
bool zone_parse(struct str text, struct zone *out);
/** The region with exactly this id. False also when the machine has no tzdata. */
bool zone_region(struct str id, struct zone *out);
/** The longest region id that `text` starts with, case ignored. @return its length, 0 if there is none */
size_t zone_region_prefix(struct str text, struct zone *out);

/** The instant of a wall time given in seconds since the epoch as if UTC, plus us (0 to 999999). A time skipped by the
 * zone's clocks moves on by as much as they do, one that occurs twice is the first. False if it does not fit. */
bool zone_instant(const struct zone *zone, int64_t local_s, int32_t us, int64_t *instant_us);

/** Rules from the bytes of a TZif file, or NULL if it is none. Allocated in the arena. */
const struct zone_rules *zone_rules_read(struct arena *arena, struct str file);
/** Seconds east of UTC to use for a wall time. */
int32_t zone_rules_offset(const struct zone_rules *rules, int64_t local_s);

#endif
