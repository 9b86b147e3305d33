/**
 * The columns of a batch, found by name.
 *
 * Names compare as Spark's do: Unicode's lower case, and blanks count. Source: Spark 3.5, SchemaUtils and
 * CSVHeaderChecker; the oracle's README, "Where the design leaves room", 16.
 */
#include "bronze/columns.h"

#include "base/unicode.h"
#include "delta/delta.h"

#include <string.h>

enum { SLOTS_FIRST = 64 };

/** Bytes that are not UTF-8 have no case. */
static struct str key_of(struct str name, struct arena *arena) {
    struct buf lower = {0};
    if (str_utf8_error(name) != SIZE_MAX) return str_copy(arena, name);
    unicode_lower(&lower, name);
    struct str key = str_copy(arena, buf_str(&lower));
    buf_free(&lower);
    return key;
}

static size_t hash_of(struct str key) { /* FNV-1a */
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < key.len; i++) hash = (hash ^ (unsigned char)key.ptr[i]) * 1099511628211u;
    return (size_t)hash;
}

/** The slot that has the key, or the free one that it would get. */
static struct column_slot *find_slot(const struct bronze_columns *columns, struct str key) {
    size_t mask = columns->slot_count - 1, at = hash_of(key) & mask;
    while (columns->slots[at].key.ptr && !str_eq(columns->slots[at].key, key)) at = (at + 1) & mask;
    return &columns->slots[at];
}

static void grow(struct bronze_columns *columns) {
    struct column_slot *old = columns->slots;
    size_t old_count = columns->slot_count;
    columns->slot_count = old_count ? 2 * old_count : SLOTS_FIRST;
    columns->slots = ARENA_ARRAY(columns->arena, columns->slot_count, struct column_slot);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].key.ptr) *find_slot(columns, old[i].key) = old[i];
}

size_t columns_add(struct bronze_columns *columns, struct str name) {
    if (2 * (columns->count + 1) > columns->slot_count) grow(columns);
    struct str key = key_of(name, columns->arena);
    *find_slot(columns, key) = (struct column_slot){key, columns->count};
    LIST_PUSH(columns->arena, columns->list, columns->count, columns->capacity) =
        (struct bronze_column){.name = str_copy(columns->arena, name)};
    return columns->count - 1;
}

size_t columns_find(const struct bronze_columns *columns, struct str name) {
    struct arena scratch = {0};
    const struct column_slot *slot = find_slot(columns, key_of(name, &scratch));
    size_t index = slot->key.ptr ? slot->index : SIZE_MAX;
    arena_reset(&scratch);
    return index;
}

void columns_open(struct bronze_columns *columns, const struct plan *plan, struct arena *arena) {
    *columns = (struct bronze_columns){.arena = arena};
    grow(columns);
    for (size_t i = 0; i < plan->source_column_count; i++) columns_add(columns, plan->source_columns[i]);
    columns->contract_count = columns->count;
}

const char *column_name_fault(struct str name) {
    static const char *const taken[] = {LINEAGE_SOURCE_FILE, LINEAGE_SOURCE_LINE,  LINEAGE_BATCH_ID,
                                        LINEAGE_LOADED_AT,   BRONZE_CORRUPT_BYTES, BRONZE_CORRUPT_RECORD,
                                        QUARANTINE_REASON,   QUARANTINE_RULES,     QUARANTINE_VERSION,
                                        QUARANTINE_AT,       DELTA_SCAN_FILE,      DELTA_SCAN_ROW};
    enum { NAME_BYTES = 255 };
    if (name.len == 0) return "is empty";
    if (name.len > NAME_BYTES) return "is longer than 255 bytes";
    if (str_utf8_error(name) != SIZE_MAX) return "is not valid UTF-8";
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c == ' ') return "has a blank in it, which Delta allows only with column mapping";
        if (c < 0x20 || c == 0x7F) return "has a control character in it";
        if (strchr(",;{}()=", c)) return "has one of ,;{}()= in it, which Delta allows only with column mapping";
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (str_eq_nocase(name, str_of(taken[i]))) return "is a column that assay adds itself";
    return NULL;
}
