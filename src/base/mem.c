#include "base/mem.h"

#include <stdlib.h>

#ifdef WS_CHECKS
#include <stdatomic.h>

static _Atomic uint64_t countdown, made;

static int fails(void) {
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    if (atomic_load_explicit(&countdown, memory_order_relaxed) == 0) return 0;
    return atomic_fetch_sub_explicit(&countdown, 1, memory_order_relaxed) == 1;
}

uint64_t mem_fail_after(uint64_t n) {
    atomic_store(&countdown, n);
    return atomic_exchange(&made, 0);
}
#else
static int fails(void) { return 0; }
uint64_t mem_fail_after(uint64_t n) { return n & 0; }
#endif

void *mem_alloc(size_t n) { return fails() ? NULL : malloc(n ? n : 1); }

void *mem_realloc(void *p, size_t n) { return fails() ? NULL : realloc(p, n ? n : 1); }

void mem_free(void *p) { free(p); }
