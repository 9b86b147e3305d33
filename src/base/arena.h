/**
 * Memory: who opens closes; everything else lives in an arena.
 *
 * Allocation never returns NULL: when memory is exhausted the process ends with a message and exit code 3. That is safe
 * at any instruction, because every durable change is one atomic put.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/** Initialise with `struct arena a = {0}`; end with arena_reset. */
struct arena {
    struct arena_block *head;
    size_t used_bytes;
};

/** Zeroed memory, aligned for any type, valid until arena_reset. size 0 gives a valid pointer. */
void *arena_alloc(struct arena *arena, size_t size_bytes);

/** Zeroed array; an overflow of count * size ends the process. */
void *arena_array(struct arena *arena, size_t count, size_t size_bytes);

/** Memory of at least new_count elements with the old ones copied; the old memory stays valid until the reset. */
void *arena_grow(struct arena *arena, const void *old, size_t old_count, size_t new_count, size_t size_bytes);

/** Free everything; the arena can be used again. */
void arena_reset(struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, count, type) ((type *)arena_array((arena), (size_t)(count), sizeof(type)))

/** malloc and realloc that end the process instead of returning NULL, for buffers that outgrow an arena. */
void *memory_alloc(size_t size_bytes);
void *memory_realloc(void *old, size_t size_bytes);

/**
 * Make room for one more element in an arena array: `LIST_PUSH(arena, list, count, capacity) = value;`
 * list is a typed pointer, count and capacity are size_t lvalues; count is raised by one.
 */
#define LIST_PUSH(arena, list, count, capacity)                                                                        \
    (*((count) == (capacity)                                                                                           \
           ? ((list) = arena_grow((arena), (list), (count), ((capacity) ? 2 * (capacity) : 8), sizeof *(list)),        \
              (capacity) = ((capacity) ? 2 * (capacity) : 8), &(list)[(count)++])                                      \
           : &(list)[(count)++]))

#endif
