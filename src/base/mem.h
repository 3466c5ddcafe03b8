/* Heap memory for both shared objects, with one place to make it fail.
 *
 * Everything that whipsnake allocates outside an arena goes through these three calls, so that a test
 * can fail the n-th allocation and walk the paths that nothing else walks. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* As malloc/realloc/free; NULL when out of memory. Blocks are 16-byte aligned. */
void *mem_alloc(size_t n);
void *mem_realloc(void *p, size_t n);
void mem_free(void *p);

/* Fail the n-th allocation from now on (1 = the next), once; 0 switches it off. Returns how many
 * allocations were made since the last call. A no-op that returns 0 unless built with WS_CHECKS. */
uint64_t mem_fail_after(uint64_t n);
