#include "peer.h"

/* The Mersenne twister (MT19937), seeded by one word, 53 bits per double, as NumPy's legacy stream.
 */
enum { N = 624, M = 397 };

typedef struct {
    uint32_t word[N];
    int next;
} Twister;

static void seed(Twister *t, uint32_t s) {
    t->word[0] = s;
    for (int i = 1; i < N; i++)
        t->word[i] = 1812433253u * (t->word[i - 1] ^ (t->word[i - 1] >> 30)) + (uint32_t)i;
    t->next = N;
}

static inline uint32_t mix(uint32_t high, uint32_t low) {
    return (((high & 0x80000000u) | (low & 0x7fffffffu)) >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

static void refill(Twister *t) {
    uint32_t *w = t->word;
    int i = 0;
    for (; i < N - M; i++) w[i] = w[i + M] ^ mix(w[i], w[i + 1]);
    for (; i < N - 1; i++) w[i] = w[i + M - N] ^ mix(w[i], w[i + 1]);
    w[N - 1] = w[M - 1] ^ mix(w[N - 1], w[0]);
    t->next = 0;
}

static inline uint32_t next_word(Twister *t) {
    if (t->next == N) refill(t);
    uint32_t y = t->word[t->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

static inline double next_double(Twister *t) {
    uint32_t a = next_word(t) >> 5, b = next_word(t) >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

double run(int64_t darts) {
    Twister t;
    seed(&t, 2024);
    int64_t hits = 0;
    for (int64_t i = 0; i < darts; i++) {
        double x = next_double(&t), y = next_double(&t);
        hits += x * x + y * y < 1.0;
    }
    return 4.0 * (double)hits / (double)darts;
}
