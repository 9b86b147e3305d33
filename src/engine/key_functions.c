/*
 * Which keys occur more than once: hashes noted by one scan, asked by another. DuckDB's GROUP BY over as many distinct
 * hashes costs five times the scan that feeds it; this costs a tenth of it.
 *
 * 1. Threads note a vector of hashes at a time under one lock, into 256 parts by the highest byte, so that a part's
 * hash table stays in the cache while it is searched.
 * 2. Memory is bounded: beyond NOTED_MAX hashes the SELECT is read again, each pass for its share of the hashes.
 * 3. A hash is exact for what the caller makes of it: two keys with one hash count as the same key.
 *
 * And as_computed, a fence: it gives back its argument, but is volatile, so DuckDB does not move a filter on it below
 * the projection that computes it, where every cast the filter mentions would be evaluated once for each mention.
 */
#include "engine/engine_int.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 256, NOTED_MAX = 32 * 1024 * 1024 };

struct part {
    uint64_t *hashes;
    size_t count, capacity;
};

/** A set of hashes, open addressing; 0 marks a free place, so the hash 0 is kept apart. */
struct hash_set {
    uint64_t *places;
    uint64_t mask; /* number of places - 1; no places: NULL */
    bool has_zero;
};

struct keys {
    pthread_mutex_t lock; /* of the parts, while hashes are noted */
    struct part parts[PARTS];
    uint64_t pass, passes;
    struct hash_set repeated;
};

/* ---- sets ---- */

static void make_set(struct hash_set *set, size_t count) {
    size_t places = 16;
    while (places < 2 * count) places *= 2;
    uint64_t *memory = memory_realloc(set->places, places * sizeof *memory);
    memset(memory, 0, places * sizeof *memory);
    *set = (struct hash_set){.places = memory, .mask = places - 1};
}

static bool has_hash(const struct hash_set *set, uint64_t hash) {
    if (!hash) return set->has_zero;
    if (!set->places) return false;
    uint64_t at = hash & set->mask;
    while (set->places[at] && set->places[at] != hash) at = (at + 1) & set->mask;
    return set->places[at] == hash;
}

/** @return whether it is new */
static bool add_hash(struct hash_set *set, uint64_t hash) {
    if (!hash) {
        bool is_new = !set->has_zero;
        set->has_zero = true;
        return is_new;
    }
    uint64_t at = hash & set->mask;
    while (set->places[at] && set->places[at] != hash) at = (at + 1) & set->mask;
    if (set->places[at]) return false;
    set->places[at] = hash;
    return true;
}

/* ---- noting ---- */

static void push(struct part *part, uint64_t hash) {
    if (part->count == part->capacity) {
        part->capacity += part->capacity / 2 + 64;
        part->hashes = memory_realloc(part->hashes, part->capacity * sizeof *part->hashes);
    }
    part->hashes[part->count++] = hash;
}

static void run_note(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    struct keys *keys = ((struct engine *)duckdb_scalar_function_get_extra_info(info))->keys;
    idx_t count = duckdb_data_chunk_get_size(input);
    const uint64_t *hashes = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    pthread_mutex_lock(&keys->lock);
    for (idx_t i = 0; i < count; i++)
        if (keys->passes == 1 || (hashes[i] >> 8) % keys->passes == keys->pass)
            push(&keys->parts[hashes[i] >> 56], hashes[i]);
    pthread_mutex_unlock(&keys->lock);
    memset(duckdb_vector_get_data(output), true, count);
}

static void run_is_repeated(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const struct keys *keys = ((struct engine *)duckdb_scalar_function_get_extra_info(info))->keys;
    idx_t count = duckdb_data_chunk_get_size(input);
    const uint64_t *hashes = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    bool *answers = duckdb_vector_get_data(output);
    for (idx_t i = 0; i < count; i++) answers[i] = has_hash(&keys->repeated, hashes[i]);
}

static void run_as_computed(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    duckdb_vector_reference_vector(output, duckdb_data_chunk_get_vector(input, 0));
}

/* ---- finding ---- */

/** Hashes that a part holds more than once, added to `found`; each may come several times. */
static void search_part(const struct part *part, struct hash_set *seen, struct part *found) {
    make_set(seen, part->count);
    for (size_t i = 0; i < part->count; i++)
        if (!add_hash(seen, part->hashes[i])) push(found, part->hashes[i]);
}

static enum assay_code run_pass(struct engine *engine, const char *sql, struct part *found, struct assay_error *err) {
    struct hash_set seen = {0};
    for (size_t i = 0; i < PARTS; i++) engine->keys->parts[i].count = 0;
    TRY(statement_run(engine, sql, NULL, err));
    for (size_t i = 0; i < PARTS; i++) search_part(&engine->keys->parts[i], &seen, found);
    free(seen.places);
    return ASSAY_OK;
}

static void free_parts(struct keys *keys) {
    for (size_t i = 0; i < PARTS; i++) free(keys->parts[i].hashes);
    memset(keys->parts, 0, sizeof keys->parts);
}

static void reserve_parts(struct keys *keys, int64_t row_count) {
    size_t expected = (size_t)row_count / keys->passes / PARTS;
    for (size_t i = 0; i < PARTS; i++) {
        struct part *part = &keys->parts[i];
        part->capacity = expected + expected / 8 + 16;
        part->hashes = memory_alloc(part->capacity * sizeof *part->hashes);
    }
}

enum assay_code engine_find_repeated(struct engine *engine, struct str select, int64_t row_count, int64_t *found,
                                     struct assay_error *err) {
    struct keys *keys = engine->keys;
    struct part repeated = {0};
    struct buf sql = {0};
    enum assay_code rc = ASSAY_OK;
    if (row_count < 0) row_count = 0;
    *found = 0;
    make_set(&keys->repeated, 0);
    keys->passes = (uint64_t)row_count / NOTED_MAX + 1;
    reserve_parts(keys, row_count);
    buf_printf(&sql, "SELECT count(assay_key_note(h)) FROM (%.*s) k(h)", STR_ARG(select));
    for (keys->pass = 0; keys->pass < keys->passes && rc == ASSAY_OK; keys->pass++)
        rc = run_pass(engine, sql.data, &repeated, err);
    if (rc == ASSAY_OK) {
        make_set(&keys->repeated, repeated.count);
        for (size_t i = 0; i < repeated.count; i++) *found += add_hash(&keys->repeated, repeated.hashes[i]);
    }
    free_parts(keys);
    free(repeated.hashes);
    buf_free(&sql);
    return rc;
}

enum assay_code key_functions_add(struct engine *engine, struct assay_error *err) {
    engine->keys = memory_alloc(sizeof *engine->keys);
    memset(engine->keys, 0, sizeof *engine->keys);
    pthread_mutex_init(&engine->keys->lock, NULL);
    const struct function functions[] = {
        {.name = "assay_key_note", .parameters = {DUCKDB_TYPE_UBIGINT}, .run = run_note},
        {.name = "key_is_repeated", .parameters = {DUCKDB_TYPE_UBIGINT}, .run = run_is_repeated},
        {.name = "as_computed", .parameters = {DUCKDB_TYPE_BOOLEAN}, .run = run_as_computed},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        struct function f = functions[i];
        f.returns = DUCKDB_TYPE_BOOLEAN;
        f.is_volatile = true;
        f.extra = engine;
        TRY(function_add(engine, &f, err));
    }
    return ASSAY_OK;
}

void key_functions_close(struct engine *engine) {
    if (!engine->keys) return;
    free_parts(engine->keys);
    free(engine->keys->repeated.places);
    pthread_mutex_destroy(&engine->keys->lock);
    free(engine->keys);
}
