/* BLAKE2b with 32 bytes of result (RFC 7693, sections 2 and 3): names entries and proves them whole. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLAKE_SIZE = 32 };

typedef struct Blake {
    uint64_t h[8];
    uint64_t n; /* bytes hashed before the block */
    uint32_t fill; /* bytes in the block */
    uint8_t block[128];
} Blake;

void blake_start(Blake *b);
void blake_add(Blake *b, const void *bytes, size_t n);
void blake_end(Blake *b, uint8_t out[BLAKE_SIZE]);
