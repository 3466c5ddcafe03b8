/* Bytes side by side: copies, and masks, which are bools as bytes 0 and 1. */
#include <string.h>

#include "runtime/runtime.h"

enum { LANES = 64, ROUNDS = 255 };

int64_t ws_count_true(const uint8_t *data, int64_t n) {
    int64_t count = 0, i = 0;
    while (n - i >= LANES) {
        uint8_t sums[LANES] = {0};
        for (int r = 0; r < ROUNDS && n - i >= LANES; r++, i += LANES)
            for (int k = 0; k < LANES; k++) sums[k] = (uint8_t)(sums[k] + data[i + k]);
        for (int k = 0; k < LANES; k++) count += sums[k];
    }
    for (; i < n; i++) count += data[i];
    return count;
}

/* Each place is written before it is known whether it stays: no branch to guess. Eight at once are left out. */
void ws_true_places(const uint8_t *data, int64_t n, int64_t *places) {
    int64_t i = 0, k = 0;
    for (; n - i >= 8; i += 8) {
        uint64_t eight;
        memcpy(&eight, data + i, sizeof eight);
        if (!eight) continue;
        for (int b = 0; b < 8; b++) {
            places[k] = i + b;
            k += data[i + b];
        }
    }
    for (; i < n; i++) {
        places[k] = i;
        k += data[i];
    }
}

void ws_copy_bytes(void *to, const void *from, int64_t n) { memcpy(to, from, (size_t)n); }

int64_t ws_find_bool(const uint8_t *data, int64_t n, int64_t value) {
    const uint8_t *found = n > 0 ? memchr(data, value != 0, (size_t)n) : NULL;
    return found ? found - data : n;
}

/* Items of one width; what is copied while there is room for eight more may be written over. */
static inline void take(const char *data, const uint8_t *mask, int64_t n, size_t width, char *out,
                        int64_t room) {
    int64_t i = 0, k = 0;
    for (; n - i >= 8 && room - k >= 8; i += 8) {
        uint64_t eight;
        memcpy(&eight, mask + i, sizeof eight);
        if (!eight) continue;
        for (int b = 0; b < 8; b++) {
            memcpy(out + (size_t)k * width, data + (size_t)(i + b) * width, width);
            k += mask[i + b];
        }
    }
    for (; i < n && k < room; i++) {
        if (!mask[i]) continue;
        memcpy(out + (size_t)k * width, data + (size_t)i * width, width);
        k++;
    }
}

void ws_take_true(const void *data, const uint8_t *mask, int64_t n, int64_t width, void *out,
                  int64_t room) {
    switch (width) { /* copies of a known width are single instructions */
    case 1: take(data, mask, n, 1, out, room); break;
    case 2: take(data, mask, n, 2, out, room); break;
    case 4: take(data, mask, n, 4, out, room); break;
    case 8: take(data, mask, n, 8, out, room); break;
    case 16: take(data, mask, n, 16, out, room); break;
    default: take(data, mask, n, (size_t)width, out, width ? room : 0); break;
    }
}
