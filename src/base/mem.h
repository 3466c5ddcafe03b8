/* Heap memory for both shared objects, with one place to make it fail.
 *
 * Everything that whipsnake allocates outside an arena goes through these calls, so that a test
 * can fail the n-th allocation and walk the paths that nothing else walks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As malloc/realloc/free; NULL when out of memory. Blocks are 16-byte aligned. */
void *mem_alloc(size_t n);
void *mem_realloc(void *p, size_t n);
void mem_free(void *p);

/* Is what is asked for elsewhere (pages of the system) to fail? Counts as an allocation. */
bool mem_fails(void);

/* --- for tests; no-ops that return 0 unless built with WS_CHECKS ------------------------------- */

/* Fail the n-th allocation from now on (1 = the next), once; 0 switches it off. Returns how many
 * allocations were made since the last call. */
uint64_t mem_fail_after(uint64_t n);
/* Blocks that are allocated now. */
uint64_t mem_live(void);

/* What the calls above count: each shared object has its own until _core hands its over. NULL:
 * built without WS_CHECKS. */
typedef struct MemFaults MemFaults;
extern MemFaults *mem_faults;
