#include "cache/blake2.h"

#include <string.h>

enum { BLOCK = 128, ROUNDS = 12 };

/* The fractions of the square roots of the first eight primes, as in SHA-512. */
static const uint64_t start[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                  0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                  0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/* Which words of the block each round mixes in. */
static const uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t turn(uint64_t x, int n) { return x >> n | x << (64 - n); }

static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y) {
    *a += *b + x;
    *d = turn(*d ^ *a, 32);
    *c += *d;
    *b = turn(*b ^ *c, 24);
    *a += *b + y;
    *d = turn(*d ^ *a, 16);
    *c += *d;
    *b = turn(*b ^ *c, 63);
}

static void take_block(Blake *b, const uint8_t *block, uint64_t n, bool last) {
    uint64_t v[16], m[16];
    memcpy(v, b->h, sizeof b->h);
    memcpy(v + 8, start, sizeof start);
    memcpy(m, block, sizeof m); /* words are little-endian, and so are the machines we run on */
    v[12] ^= n;
    if (last) v[14] = ~v[14];
    for (int r = 0; r < ROUNDS; r++) {
        const uint8_t *s = order[r % 10];
        for (int i = 0; i < 4; i++)
            mix(&v[i], &v[4 + i], &v[8 + i], &v[12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(&v[i], &v[4 + (i + 1) % 4], &v[8 + (i + 2) % 4], &v[12 + (i + 3) % 4],
                m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++) b->h[i] ^= v[i] ^ v[8 + i];
}

void blake_start(Blake *b) {
    *b = (Blake){0};
    memcpy(b->h, start, sizeof start);
    b->h[0] ^= 0x01010000 ^ BLAKE_SIZE; /* no key, depth and fan-out 1 */
}

void blake_add(Blake *b, const void *bytes, size_t n) {
    const uint8_t *from = bytes;
    while (n) {
        if (b->fill == BLOCK) { /* a full block waits until more comes: the last one is marked */
            b->n += BLOCK;
            take_block(b, b->block, b->n, false);
            b->fill = 0;
        }
        size_t k = BLOCK - b->fill < n ? BLOCK - b->fill : n;
        memcpy(b->block + b->fill, from, k);
        b->fill += (uint32_t)k;
        from += k;
        n -= k;
    }
}

void blake_end(Blake *b, uint8_t out[BLAKE_SIZE]) {
    memset(b->block + b->fill, 0, BLOCK - b->fill);
    take_block(b, b->block, b->n + b->fill, true);
    memcpy(out, b->h, BLAKE_SIZE);
}
