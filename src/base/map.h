/* Hash map from 64-bit keys (integers or pointers) to 64-bit values, in the compile's arena.
 * Open addressing, linear probing; no removal. Key 0 is allowed. */
#pragma once
#include "base/cx.h"

typedef struct Map {
    struct MapSlot *at;
    uint32_t n, cap; /* cap is 0 or a power of two */
} Map;

/* The value under key, or `missing`. */
uint64_t map_get(const Map *m, uint64_t key, uint64_t missing);
/* Sets it; returns true if the key is new. */
bool map_set(Cx *cx, Map *m, uint64_t key, uint64_t value);

static inline uint64_t map_key(const void *p) { return (uint64_t)(uintptr_t)p; }
static inline void *map_ptr(const Map *m, const void *key) {
    return (void *)(uintptr_t)map_get(m, map_key(key), 0);
}
static inline void map_put(Cx *cx, Map *m, const void *key, const void *value) {
    map_set(cx, m, map_key(key), map_key(value));
}
