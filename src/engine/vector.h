/**
 * Reading and filling DuckDB's vectors without a call per value. Little-endian machines.
 *
 * A text of up to 12 bytes lives in its duckdb_string_t, padded with zeros, since DuckDB compares the padding. A longer
 * one lives in memory of the vector; its first four bytes are repeated before the pointer.
 */
#ifndef ENGINE_VECTOR_H
#define ENGINE_VECTOR_H

#include "base/str.h"

#include <duckdb.h>
#include <string.h>

enum { TEXT_INLINED = 12 };

/** A column of a chunk, its pointers fetched once. validity is NULL when no value is NULL. */
struct column {
    duckdb_vector vector;
    void *data;
    uint64_t *validity;
};
struct column column_of(duckdb_data_chunk chunk, idx_t index);
static inline bool column_is_null(const struct column *c, idx_t row) {
    return c->validity && !(c->validity[row / 64] >> (row % 64) & 1);
}
/** The text of a VARCHAR or BLOB value; a short one is a view into the vector itself. */
static inline struct str string_view(const duckdb_string_t *s) {
    return (struct str){s->value.inlined.length <= TEXT_INLINED ? s->value.inlined.inlined : s->value.pointer.ptr,
                        s->value.inlined.length};
}

/** A vector being filled. Start with writer_of for every chunk. */
struct writer {
    duckdb_vector vector;
    void *data;
    uint64_t *validity; /* NULL until the first NULL value */
    char *free;         /* what is left of the current block of text, owned by the vector */
    size_t free_bytes;
    size_t block_bytes; /* size of the last block */
};
struct writer writer_of(duckdb_vector vector);
void writer_put_null(struct writer *w, idx_t row);
/** Room for a text of `len` bytes at `row`; the caller fills it, then calls writer_text_seal. */
char *writer_text_room(struct writer *w, idx_t row, size_t len);
void writer_text_seal(struct writer *w, idx_t row);
/** A text of more than TEXT_INLINED bytes. */
void writer_put_long(struct writer *w, idx_t row, struct str text);

/** Up to 12 bytes without a loop: loads that overlap, moved to their places. */
static inline void string_inline(duckdb_string_t *s, struct str text) {
    uint64_t head = 0, last;
    uint32_t first4, last4, tail = 0;
    if (text.len >= 8) {
        memcpy(&head, text.ptr, 8);
        memcpy(&last, text.ptr + text.len - 8, 8);
        tail = (uint32_t)(last >> (8 * (15 - text.len)) >> 8);
    } else if (text.len >= 4) {
        memcpy(&first4, text.ptr, 4);
        memcpy(&last4, text.ptr + text.len - 4, 4);
        head = first4 | (uint64_t)last4 << (8 * (text.len - 4));
    } else if (text.len) {
        size_t middle = text.len / 2, end = text.len - 1;
        head = (unsigned char)text.ptr[0] | (uint64_t)(unsigned char)text.ptr[middle] << (8 * middle) |
               (uint64_t)(unsigned char)text.ptr[end] << (8 * end);
    }
    s->value.inlined.length = (uint32_t)text.len;
    memcpy(s->value.inlined.inlined, &head, 8);
    memcpy(s->value.inlined.inlined + 8, &tail, 4);
}

static inline void writer_put_text(struct writer *w, idx_t row, struct str text) {
    if (text.len <= TEXT_INLINED)
        string_inline((duckdb_string_t *)w->data + row, text);
    else
        writer_put_long(w, row, text);
}

#endif
