/* Bump allocation with one lifetime: nothing in an arena is freed singly.
 *
 *   Arena -> [chunk: used ......... free] -> [older chunk] -> ...
 *
 * A request larger than a quarter of the chunk size gets a chunk of its own, behind the current one. */
#pragma once
#include <stddef.h>

typedef struct Arena Arena;

/* New empty arena, or NULL when out of memory. */
Arena *arena_new(void);
void arena_free(Arena *a); /* NULL is allowed */

/* n zeroed bytes, 16-byte aligned, or NULL when out of memory. */
void *arena_alloc(Arena *a, size_t n);

/* Bytes taken from the system so far. */
size_t arena_size(const Arena *a);
