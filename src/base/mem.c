#include "base/mem.h"

#include <stdlib.h>

#ifdef WS_CHECKS
#include <stdatomic.h>

struct MemFaults {
    _Atomic uint64_t countdown, made, live;
};
static MemFaults own;
MemFaults *mem_faults = &own;

bool mem_fails(void) {
    atomic_fetch_add_explicit(&mem_faults->made, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&mem_faults->countdown, memory_order_relaxed)) return false;
    return atomic_fetch_sub_explicit(&mem_faults->countdown, 1, memory_order_relaxed) == 1;
}

static void *note_new(void *p) {
    if (p) atomic_fetch_add_explicit(&mem_faults->live, 1, memory_order_relaxed);
    return p;
}

static void note_free(const void *p) {
    if (p) atomic_fetch_sub_explicit(&mem_faults->live, 1, memory_order_relaxed);
}

uint64_t mem_fail_after(uint64_t n) {
    atomic_store(&mem_faults->countdown, n);
    return atomic_exchange(&mem_faults->made, 0);
}

uint64_t mem_live(void) { return atomic_load(&mem_faults->live); }
#else
MemFaults *mem_faults;

bool mem_fails(void) { return false; }
static void *note_new(void *p) { return p; }
static void note_free(const void *p) { (void)p; }
uint64_t mem_fail_after(uint64_t n) { return n & 0; }
uint64_t mem_live(void) { return 0; }
#endif

void *mem_alloc(size_t n) { return mem_fails() ? NULL : note_new(malloc(n ? n : 1)); }

void *mem_realloc(void *p, size_t n) {
    if (mem_fails()) return NULL;
    void *q = realloc(p, n ? n : 1);
    return p ? q : note_new(q);
}

void mem_free(void *p) {
    note_free(p);
    free(p);
}
