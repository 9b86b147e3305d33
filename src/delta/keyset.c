/*
 * A hash map from text to a number, for the replay of many files.
 *
 * 1. Open addressing, at most two thirds full, so a search always ends.
 * 2. The hash is seeded with nothing: a log that was made to collide costs time, never memory or a wrong answer.
 */
#include "delta/delta_int.h"

#include <stdlib.h>

static uint64_t hash_text(struct str text) {
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < text.len; i++) h = (h ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    return h ^ (h >> 32);
}

static struct delta_key *find_slot(struct delta_key *slots, size_t capacity, struct str text) {
    size_t i = (size_t)hash_text(text) & (capacity - 1);
    while (slots[i].text.ptr && !str_eq(slots[i].text, text)) i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static void grow(struct delta_keyset *set) {
    size_t capacity = set->capacity ? set->capacity * 2 : 64;
    struct delta_key *slots = memory_alloc(capacity * sizeof *slots);
    for (size_t i = 0; i < capacity; i++) slots[i] = (struct delta_key){0};
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i].text.ptr) *find_slot(slots, capacity, set->slots[i].text) = set->slots[i];
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
}

struct delta_key *delta_keyset_put(struct delta_keyset *set, struct str text, struct arena *arena) {
    if (3 * (set->count + 1) > 2 * set->capacity) grow(set);
    struct delta_key *slot = find_slot(set->slots, set->capacity, text);
    if (!slot->text.ptr) {
        *slot = (struct delta_key){.text = str_copy(arena, text), .value = SIZE_MAX};
        set->count++;
    }
    return slot;
}

const struct delta_key *delta_keyset_find(const struct delta_keyset *set, struct str text) {
    if (set->capacity == 0) return NULL;
    const struct delta_key *slot = find_slot(set->slots, set->capacity, text);
    return slot->text.ptr ? slot : NULL;
}

void delta_keyset_free(struct delta_keyset *set) {
    free(set->slots);
    *set = (struct delta_keyset){0};
}
