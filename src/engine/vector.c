/*
 * Texts longer than 12 bytes, and NULLs.
 *
 * 1. To get memory of a vector in one call for many texts, one value of block_bytes is put into it and its memory is
 * dealt out. It goes when the vector is reset or destroyed, like that of any text in it.
 * 2. Blocks grow with every one a chunk needs, so a chunk of long texts needs few, and one of a few rows wastes little.
 */
#include "engine/vector.h"

#include <stdlib.h>
#include <string.h>

/* In libduckdb since 1.4, but not in the header we have: copies without checking UTF-8. */
void duckdb_unsafe_vector_assign_string_element_len(duckdb_vector vector, idx_t index, const char *text, idx_t len);

enum { BLOCK_FIRST = 4096, BLOCK_LARGEST = 65536 };
static const char ZEROS[BLOCK_LARGEST];

struct column column_of(duckdb_data_chunk chunk, idx_t index) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, index);
    return (struct column){vector, duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)};
}

struct writer writer_of(duckdb_vector vector) {
    return (struct writer){.vector = vector, .data = duckdb_vector_get_data(vector), .block_bytes = BLOCK_FIRST};
}

void writer_put_null(struct writer *w, idx_t row) {
    if (!w->validity) {
        duckdb_vector_ensure_validity_writable(w->vector);
        w->validity = duckdb_vector_get_validity(w->vector);
    }
    w->validity[row / 64] &= ~((uint64_t)1 << (row % 64));
}

static char *new_block(struct writer *w, idx_t row, size_t len) {
    duckdb_string_t *s = (duckdb_string_t *)w->data + row;
    if (len > BLOCK_LARGEST / 4) { /* a block of its own */
        char *text = memory_alloc(len);
        memset(text, 0, len);
        duckdb_unsafe_vector_assign_string_element_len(w->vector, row, text, len);
        free(text);
        return s->value.pointer.ptr;
    }
    if (w->block_bytes < BLOCK_LARGEST) w->block_bytes *= 2;
    while (w->block_bytes < len) w->block_bytes *= 2;
    duckdb_unsafe_vector_assign_string_element_len(w->vector, row, ZEROS, w->block_bytes);
    w->free = s->value.pointer.ptr + len;
    w->free_bytes = w->block_bytes - len;
    return s->value.pointer.ptr;
}

char *writer_text_room(struct writer *w, idx_t row, size_t len) {
    duckdb_string_t *s = (duckdb_string_t *)w->data + row;
    if (len <= TEXT_INLINED) {
        memset(s, 0, sizeof *s);
        s->value.inlined.length = (uint32_t)len;
        return s->value.inlined.inlined;
    }
    char *room = w->free;
    if (len <= w->free_bytes) {
        w->free += len;
        w->free_bytes -= len;
    } else {
        room = new_block(w, row, len);
    }
    s->value.pointer.length = (uint32_t)len;
    s->value.pointer.ptr = room;
    return room;
}

void writer_text_seal(struct writer *w, idx_t row) {
    duckdb_string_t *s = (duckdb_string_t *)w->data + row;
    if (s->value.pointer.length > TEXT_INLINED)
        memcpy(s->value.pointer.prefix, s->value.pointer.ptr, sizeof s->value.pointer.prefix);
}

void writer_put_long(struct writer *w, idx_t row, struct str text) {
    if (text.len > BLOCK_LARGEST / 4) {
        duckdb_unsafe_vector_assign_string_element_len(w->vector, row, text.ptr, text.len);
        return;
    }
    memcpy(writer_text_room(w, row, text.len), text.ptr, text.len);
    writer_text_seal(w, row);
}
