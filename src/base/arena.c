#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t capacity;
    size_t used;
    size_t pad; /* keeps data aligned */
    unsigned char data[];
};

static _Noreturn void out_of_memory(size_t size_bytes) {
    fprintf(stderr, "assay: out of memory (asked for %zu bytes); nothing is half-written, run again\n", size_bytes);
    exit(3);
}

void *memory_alloc(size_t size_bytes) {
    void *p = malloc(size_bytes ? size_bytes : 1);
    if (!p) out_of_memory(size_bytes);
    return p;
}

void *memory_realloc(void *old, size_t size_bytes) {
    void *p = realloc(old, size_bytes ? size_bytes : 1);
    if (!p) out_of_memory(size_bytes);
    return p;
}

static struct arena_block *add_block(struct arena *arena, size_t size_bytes) {
    size_t capacity = arena->head ? arena->head->capacity * 2 : FIRST_BLOCK;
    if (capacity > LARGEST_BLOCK) capacity = LARGEST_BLOCK;
    if (capacity < size_bytes) capacity = size_bytes;
    if (capacity > SIZE_MAX - sizeof(struct arena_block)) out_of_memory(capacity);
    struct arena_block *block = memory_alloc(sizeof *block + capacity);
    *block = (struct arena_block){.next = arena->head, .capacity = capacity};
    arena->head = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size_bytes) {
    if (size_bytes > SIZE_MAX - ALIGNMENT) out_of_memory(size_bytes);
    size_t size = (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size == 0) size = ALIGNMENT;
    struct arena_block *block = arena->head;
    if (!block || block->capacity - block->used < size) block = add_block(arena, size);
    void *p = block->data + block->used;
    block->used += size;
    arena->used_bytes += size;
    return memset(p, 0, size);
}

void *arena_array(struct arena *arena, size_t count, size_t size_bytes) {
    if (size_bytes && count > SIZE_MAX / size_bytes) out_of_memory(SIZE_MAX);
    return arena_alloc(arena, count * size_bytes);
}

void *arena_grow(struct arena *arena, const void *old, size_t old_count, size_t new_count, size_t size_bytes) {
    void *p = arena_array(arena, new_count, size_bytes);
    if (old_count) memcpy(p, old, old_count * size_bytes);
    return p;
}

void arena_reset(struct arena *arena) {
    struct arena_block *block = arena->head;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){0};
}
