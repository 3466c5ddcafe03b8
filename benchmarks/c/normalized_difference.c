#include "peer.h"

void run(const uint16_t *restrict near, int64_t rows, int64_t columns, const uint16_t *restrict red,
         int64_t rows2, int64_t columns2, double *restrict out, int64_t rows3, int64_t columns3) {
    (void)rows2, (void)columns2, (void)rows3, (void)columns3;
    for (int64_t i = 0; i < rows * columns; i++) {
        double n = near[i], r = red[i];
        out[i] = (n - r) / (n + r);
    }
}
