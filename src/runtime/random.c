/* Random numbers bit for bit as Python's `random` and NumPy's legacy RandomState give them: both
 * are MT19937 (Matsumoto and Nishimura, 1998), seeded differently. Each thread has its own pair of
 * streams. */
#include <math.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "core/exceptions.h"
#include "runtime/random.h"
#include "runtime/runtime.h"

enum { N = MT_WORDS, M = 397 };

static void seed_word(Twister *t, uint32_t seed) {
    t->word[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        t->word[i] = 1812433253u * (t->word[i - 1] ^ (t->word[i - 1] >> 30)) + i;
    t->at = N;
}

/* The reference implementation's seeding by a key of n > 0 words. */
static void seed_key(Twister *t, const uint32_t *key, uint32_t n) {
    seed_word(t, 19650218u);
    uint32_t *w = t->word, i = 1, j = 0;
    for (uint32_t k = N > n ? N : n; k; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525u)) + key[j] + j;
        if (++i == N) w[0] = w[N - 1], i = 1;
        if (++j == n) j = 0;
    }
    for (uint32_t k = N - 1; k; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941u)) - i;
        if (++i == N) w[0] = w[N - 1], i = 1;
    }
    w[0] = 0x80000000u;
}

/* Four words at a time; both compilers know these types, whatever the machine. */
typedef uint32_t Four __attribute__((vector_size(16)));

static Four load4(const uint32_t *from) {
    Four v;
    memcpy(&v, from, sizeof v);
    return v;
}

static uint32_t twist(uint32_t high, uint32_t low) {
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

static Four twist4(Four high, Four low) {
    Four y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

/* Words k up to end, each from itself, its neighbour and the one `far` from it. */
static void twist_words(uint32_t *w, int k, int end, int far) {
    for (; k + 4 <= end; k += 4) {
        Four v = load4(w + k + far) ^ twist4(load4(w + k), load4(w + k + 1));
        memcpy(w + k, &v, sizeof v);
    }
    for (; k < end; k++) w[k] = w[k + far] ^ twist(w[k], w[k + 1]);
}

static void temper(Twister *t) {
    for (int k = 0; k < N; k += 4) {
        Four y = load4(t->word + k);
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        y ^= y >> 18;
        memcpy(t->ready + k, &y, sizeof y);
    }
}

static void refill(Twister *t) {
    uint32_t *w = t->word;
    twist_words(w, 0, N - M, M);
    twist_words(w, N - M, N - 1, M - N);
    w[N - 1] = w[M - 1] ^ twist(w[N - 1], w[0]);
    temper(t);
    t->at = 0;
}

uint32_t rt_next_word(Twister *t) {
    if (t->at >= N) refill(t);
    return t->ready[t->at++];
}

static double join(uint32_t a, uint32_t b) {
    return ((a >> 5) * 67108864.0 + (b >> 6)) * (1.0 / 9007199254740992.0);
}

double rt_next_double(Twister *t) {
    uint32_t at = t->at;
    if (at + 2 > N) {
        uint32_t a = rt_next_word(t);
        return join(a, rt_next_word(t));
    }
    t->at = at + 2; /* one step, as every number waits for the last one's */
    return join(t->ready[at], t->ready[at + 1]);
}

static void seed_from_system(Twister *t) {
    uint32_t key[64];
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        for (uint32_t i = 0; i < 64; i++) key[i] = (uint32_t)((uintptr_t)t >> 4) + i * 2654435761u;
    seed_key(t, key, 64);
}

/* Without memory for a state of its own a thread shares this one: wrong only in that threads may
 * see each other's numbers. */
static RandomState spare;

RandomState *rt_random_state(WsCtx *ctx) {
    if (ctx->random) return ctx->random;
    RandomState *r = mem_alloc(sizeof *r);
    if (!r) r = &spare;
    memset(r, 0, sizeof *r);
    seed_from_system(&r->python);
    seed_from_system(&r->numpy);
    return ctx->random = r;
}

void rt_free_random(WsCtx *ctx) {
    if (ctx->random != &spare) mem_free(ctx->random);
    ctx->random = NULL;
}

void ws_py_seed(WsCtx *ctx, int32_t site, int64_t seed) {
    (void)site;
    uint64_t size = seed < 0 ? -(uint64_t)seed : (uint64_t)seed;
    uint32_t key[2] = {(uint32_t)size, (uint32_t)(size >> 32)};
    RandomState *r = rt_random_state(ctx);
    seed_key(&r->python, key, key[1] ? 2 : 1);
    r->has_python_gauss = false;
}

void ws_py_reseed(WsCtx *ctx, int32_t site) {
    (void)site;
    RandomState *r = rt_random_state(ctx);
    seed_from_system(&r->python);
    r->has_python_gauss = false;
}

double ws_py_random(WsCtx *ctx, int32_t site) {
    (void)site;
    return rt_next_double(&rt_random_state(ctx)->python);
}

Status ws_np_seed(WsCtx *ctx, int32_t site, int64_t seed) {
    if (seed < 0 || seed > UINT32_MAX) {
        rt_raise(ctx, site, EXC_ValueError, "Seed must be between 0 and 2**32 - 1");
        return 1;
    }
    RandomState *r = rt_random_state(ctx);
    seed_word(&r->numpy, (uint32_t)seed);
    r->has_gauss = false;
    return 0;
}

void ws_np_reseed(WsCtx *ctx, int32_t site) {
    (void)site;
    RandomState *r = rt_random_state(ctx);
    seed_from_system(&r->numpy);
    r->has_gauss = false;
}

double ws_np_random(WsCtx *ctx, int32_t site) {
    (void)site;
    return rt_next_double(&rt_random_state(ctx)->numpy);
}

/* Marsaglia's polar method; the second number of each pair waits for the next call. */
double ws_np_gauss(WsCtx *ctx, int32_t site) {
    (void)site;
    RandomState *r = rt_random_state(ctx);
    if (r->has_gauss) {
        r->has_gauss = false;
        return r->gauss;
    }
    double x, y, square;
    do {
        x = 2.0 * rt_next_double(&r->numpy) - 1.0;
        y = 2.0 * rt_next_double(&r->numpy) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    double factor = sqrt(-2.0 * log(square) / square);
    r->gauss = factor * x;
    r->has_gauss = true;
    return factor * y;
}

Status ws_np_normal(WsCtx *ctx, int32_t site, double mean, double deviation, double *out) {
    if (signbit(deviation) && !isnan(deviation)) {
        rt_raise(ctx, site, EXC_ValueError, "scale < 0");
        return 1;
    }
    *out = mean + deviation * ws_np_gauss(ctx, site);
    return 0;
}

Status ws_np_uniform(WsCtx *ctx, int32_t site, double low, double high, double *out) {
    if (!isfinite(high - low)) {
        rt_raise(ctx, site, EXC_OverflowError, "Range exceeds valid bounds");
        return 1;
    }
    *out = low + (high - low) * ws_np_random(ctx, site);
    return 0;
}
