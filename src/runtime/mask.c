/* Masks: bools as bytes 0 and 1, side by side. */
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
