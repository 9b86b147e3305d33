/*
 * Reading a set of row numbers (protocol: "Deletion Vector Format", the 64-bit Roaring bitmap in its portable form;
 * the 32-bit bitmaps in it: the Roaring format specification).
 *
 * 1. Magic number, number of bitmaps, then for each its upper 32 bits and a 32-bit bitmap; everything little-endian and
 * ascending.
 * 2. Any bytes may come in. Every length, order and count is checked before a row is asked for, so that what is left to
 * do then cannot fail.
 * 3. The bytes stay as they are, compressed: a file's deleted rows take no more memory than their vector is long.
 */
#include "delta/delta_int.h"

enum { MAGIC = 1681511377, MAGIC_NATIVE = 1681511376 };
enum { COOKIE = 12346, COOKIE_WITH_RUNS = 12347, OFFSETS_SINCE = 4, ARRAY_MAX = 4096, WORDS_BYTES = 8192 };

struct reader {
    const unsigned char *at, *end;
    struct assay_error *err;
};

static enum assay_code fail(const struct reader *r, const char *what) {
    return error_set(r->err, ASSAY_CORRUPT, NULL, "the deletion vector is no Roaring bitmap: %s", what);
}

static unsigned u16_at(const unsigned char *p) { return p[0] | (unsigned)p[1] << 8; }

static uint32_t u32_at(const unsigned char *p) { return u16_at(p) | (uint32_t)u16_at(p + 2) << 16; }

static enum assay_code take_bytes(struct reader *r, size_t count, const unsigned char **out) {
    if ((size_t)(r->end - r->at) < count) return fail(r, "it is cut off");
    *out = r->at;
    r->at += count;
    return ASSAY_OK;
}

static enum assay_code take_u32(struct reader *r, uint32_t *out) {
    const unsigned char *p = NULL;
    TRY(take_bytes(r, 4, &p));
    *out = u32_at(p);
    return ASSAY_OK;
}

/* ---- one container: up to 65536 rows with the same upper bits ---- */

static enum assay_code take_runs(struct reader *r, struct delta_container *c, unsigned cardinality) {
    const unsigned char *p = NULL;
    TRY(take_bytes(r, 2, &p));
    c->kind = DELTA_CONTAINER_RUNS;
    c->count = u16_at(p);
    TRY(take_bytes(r, 4 * (size_t)c->count, &c->bytes));
    unsigned sum = 0, next = 0; /* the first value that the next run may have */
    for (size_t i = 0; i < c->count; i++) {
        unsigned start = u16_at(c->bytes + 4 * i), more = u16_at(c->bytes + 4 * i + 2);
        if ((i && start < next) || start + more > UINT16_MAX) return fail(r, "its runs overlap");
        next = start + more + 1;
        sum += more + 1;
    }
    return sum == cardinality ? ASSAY_OK : fail(r, "its runs are not as long as they should be");
}

static enum assay_code take_array(struct reader *r, struct delta_container *c, unsigned cardinality) {
    c->kind = DELTA_CONTAINER_ARRAY;
    c->count = cardinality;
    TRY(take_bytes(r, 2 * (size_t)cardinality, &c->bytes));
    for (size_t i = 1; i < c->count; i++)
        if (u16_at(c->bytes + 2 * i - 2) >= u16_at(c->bytes + 2 * i)) return fail(r, "its values do not ascend");
    return ASSAY_OK;
}

static enum assay_code take_words(struct reader *r, struct delta_container *c, unsigned cardinality) {
    unsigned sum = 0;
    c->kind = DELTA_CONTAINER_WORDS;
    TRY(take_bytes(r, WORDS_BYTES, &c->bytes));
    for (size_t i = 0; i < WORDS_BYTES; i++) sum += (unsigned)__builtin_popcount(c->bytes[i]);
    return sum == cardinality ? ASSAY_OK : fail(r, "it does not have as many bits as it should");
}

/* ---- a bitmap of 32 bits ---- */

struct header {
    const unsigned char *keys;  /* for each container: its upper 16 bits, its cardinality - 1 */
    const unsigned char *flags; /* which containers are runs; NULL: none */
    size_t count;
};

static enum assay_code take_header(struct reader *r, struct header *h) {
    uint32_t cookie = 0, count = 0;
    const unsigned char *offsets = NULL;
    TRY(take_u32(r, &cookie));
    *h = (struct header){0};
    if ((cookie & 0xFFFF) == COOKIE_WITH_RUNS) {
        h->count = (cookie >> 16) + 1;
        TRY(take_bytes(r, (h->count + 7) / 8, &h->flags));
    } else if (cookie == COOKIE) {
        TRY(take_u32(r, &count));
        h->count = count;
    } else {
        return fail(r, "one of its parts starts with an unknown number");
    }
    if (h->count > 65536) return fail(r, "it has more than 65536 containers");
    TRY(take_bytes(r, 4 * h->count, &h->keys));
    if (!h->flags || h->count >= OFFSETS_SINCE) TRY(take_bytes(r, 4 * h->count, &offsets)); /* they follow in order */
    return ASSAY_OK;
}

static enum assay_code take_bitmap(struct reader *r, uint64_t high, struct arena *arena, struct delta_bitmap *out) {
    struct header h;
    TRY(take_header(r, &h));
    out->containers = arena_grow(arena, out->containers, out->count, out->count + h.count, sizeof *out->containers);
    for (size_t i = 0; i < h.count; i++) {
        unsigned key = u16_at(h.keys + 4 * i), cardinality = u16_at(h.keys + 4 * i + 2) + 1;
        if (i && key <= u16_at(h.keys + 4 * i - 4)) return fail(r, "its containers do not ascend");
        struct delta_container *c = &out->containers[out->count++];
        c->key = high << 16 | key;
        bool is_runs = h.flags && h.flags[i / 8] >> (i % 8) & 1;
        if (is_runs)
            TRY(take_runs(r, c, cardinality));
        else if (cardinality <= ARRAY_MAX)
            TRY(take_array(r, c, cardinality));
        else
            TRY(take_words(r, c, cardinality));
        out->cardinality += cardinality;
    }
    return ASSAY_OK;
}

enum assay_code delta_bitmap_parse(struct str bytes, struct arena *arena, struct delta_bitmap *out,
                                   struct assay_error *err) {
    const unsigned char *start = (const unsigned char *)bytes.ptr;
    struct reader r = {start, start + bytes.len, err};
    uint32_t magic = 0, low = 0, high = 0, key = 0;
    TRY(take_u32(&r, &magic));
    if (magic == MAGIC_NATIVE || __builtin_bswap32(magic) == MAGIC_NATIVE)
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the deletion vector has the old form of its writer, not the one of the protocol (feature "
                         "deletionVectors); rewrite the table's files with REORG ... APPLY (PURGE)");
    if (magic != MAGIC) return fail(&r, "its first number is not 1681511377");
    TRY(take_u32(&r, &low));
    TRY(take_u32(&r, &high));
    *out = (struct delta_bitmap){0};
    for (uint64_t i = 0, count = (uint64_t)high << 32 | low, before = 0; i < count; i++, before = key) {
        TRY(take_u32(&r, &key));
        if (key > INT32_MAX || (i && key <= before)) return fail(&r, "its parts do not ascend");
        TRY(take_bitmap(&r, key, arena, out));
    }
    return r.at == r.end ? ASSAY_OK : fail(&r, "bytes follow its end");
}

/* ---- asking ---- */

static bool has_value(const struct delta_container *c, unsigned value) {
    if (c->kind == DELTA_CONTAINER_WORDS) return c->bytes[value / 8] >> (value % 8) & 1;
    size_t width = c->kind == DELTA_CONTAINER_RUNS ? 4 : 2, from = 0, to = c->count;
    while (from < to) { /* the first that begins after the value */
        size_t middle = from + (to - from) / 2;
        if (u16_at(c->bytes + width * middle) > value)
            to = middle;
        else
            from = middle + 1;
    }
    if (from == 0) return false;
    const unsigned char *last = c->bytes + width * (from - 1);
    return value - u16_at(last) <= (c->kind == DELTA_CONTAINER_RUNS ? u16_at(last + 2) : 0);
}

static const struct delta_container *find_container(const struct delta_bitmap *bitmap, uint64_t key) {
    size_t from = 0, to = bitmap->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (bitmap->containers[middle].key < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from < bitmap->count && bitmap->containers[from].key == key ? &bitmap->containers[from] : NULL;
}

void delta_bitmap_test(const struct delta_bitmap *bitmap, const int64_t *rows, size_t count, bool *answers) {
    uint64_t key = UINT64_MAX; /* of no row */
    const struct delta_container *container = NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t row = (uint64_t)rows[i];
        if (row >> 16 != key) container = find_container(bitmap, key = row >> 16);
        answers[i] = container && has_value(container, (unsigned)(row & 0xFFFF));
    }
}

int64_t delta_bitmap_last(const struct delta_bitmap *bitmap) {
    for (size_t i = bitmap->count; i-- > 0;) {
        const struct delta_container *c = &bitmap->containers[i];
        for (unsigned value = 65536; value-- > 0;)
            if (has_value(c, value)) return (int64_t)(c->key << 16 | value);
    }
    return -1;
}
