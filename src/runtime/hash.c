/* hash() of numbers and tuples: the values that CPython gives on 64-bit machines, which it
 * documents ("Hashing of numeric types": arithmetic modulo the prime 2**61 - 1; tuples: a variant
 * of xxHash). */
#include <Python.h>

#include <math.h>

#include "runtime/runtime.h"

#define PRIME_BITS 61
#define PRIME      ((1ull << PRIME_BITS) - 1)

static int64_t finished(uint64_t h) { return h == UINT64_MAX ? -2 : (int64_t)h; }

int64_t ws_hash_int(int64_t i) {
    uint64_t size = i < 0 ? -(uint64_t)i : (uint64_t)i;
    uint64_t h = size % PRIME;
    return finished(i < 0 ? -h : h);
}

int64_t ws_hash_uint(int64_t bits) { return finished((uint64_t)bits % PRIME); }

static uint64_t rotate_left(uint64_t x, unsigned by) {
    return ((x << by) & PRIME) | (x >> (PRIME_BITS - by));
}

int64_t ws_hash_float(double d) {
    if (isnan(d)) return 0; /* Python hashes the object's address */
    if (isinf(d)) return d > 0 ? 314159 : -314159;
    int exponent;
    double m = frexp(fabs(d), &exponent);
    uint64_t h = 0;
    while (m != 0.0) { /* 28 bits at a time */
        h = rotate_left(h, 28);
        m *= 268435456.0;
        exponent -= 28;
        uint64_t bits = (uint64_t)m;
        m -= (double)bits;
        h += bits;
        if (h >= PRIME) h -= PRIME;
    }
    int turn = exponent % PRIME_BITS;
    h = rotate_left(h, (unsigned)(turn < 0 ? turn + PRIME_BITS : turn));
    return finished(d < 0 ? -h : h);
}

int64_t ws_hash_complex(double re, double im) {
    return finished((uint64_t)ws_hash_float(re) + 1000003u * (uint64_t)ws_hash_float(im));
}

int64_t ws_hash_tuple(int64_t n, const uint64_t *hashes) {
    const uint64_t p1 = 11400714785074694791u, p2 = 14029467366897019727u,
                   p5 = 2870177450012600261u;
    uint64_t acc = p5;
    for (int64_t i = 0; i < n; i++) {
        acc += hashes[i] * p2;
        acc = (acc << 31) | (acc >> 33);
        acc *= p1;
    }
    acc += (uint64_t)n ^ (p5 ^ 3527539u);
    return acc == UINT64_MAX ? 1546275796 : (int64_t)acc;
}

int64_t ws_hash_none(WsCtx *ctx, int32_t site) {
    (void)ctx;
    (void)site;
    PyGILState_STATE gil = PyGILState_Ensure();
    int64_t h = PyObject_Hash(Py_None);
    PyGILState_Release(gil);
    return h;
}
