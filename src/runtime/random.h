/* The random streams of one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/ctx.h"

enum { MT_WORDS = 624 };

typedef struct Twister {
    uint32_t word[MT_WORDS];
    uint32_t ready[MT_WORDS]; /* what is handed out for them, made all at once */
    uint32_t at; /* next one to hand out; MT_WORDS: refill first */
} Twister;

typedef struct RandomState {
    Twister python, numpy;
    bool has_gauss; /* NumPy's second normal number of a pair */
    double gauss;
    bool has_python_gauss; /* random.gauss()'s second number of a pair */
    double python_gauss;
} RandomState;

/* The streams of this thread, seeded from the system at the first use. Never NULL. */
RandomState *rt_random_state(WsCtx *ctx);
uint32_t rt_next_word(Twister *t);
double rt_next_double(Twister *t); /* 53 random bits in [0, 1) */

/* Frees ctx->random, which is made at the first use. */
void rt_free_random(WsCtx *ctx);
