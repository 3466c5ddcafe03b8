/* The C unit tests: one program, one function per test, listed in main.c. A failed EXPECT says
 * where and goes on. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern int failures;

#define EXPECT(cond)  \
    ((cond) ? (void)0 \
            : (void)(failures++, printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #cond)))

/* A small generator of random numbers: the same sequence everywhere. */
typedef struct Rng {
    uint64_t state;
} Rng;
static inline uint32_t rng_next(Rng *r) {
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(r->state >> 33);
}
static inline uint32_t rng_below(Rng *r, uint32_t n) { return rng_next(r) % n; }

/* Runs body with an open Cx; the test fails if it leaves by cx_abort. */
typedef struct Cx Cx;
void with_cx(void (*body)(Cx *, void *), void *arg);
