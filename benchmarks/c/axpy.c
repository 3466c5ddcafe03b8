#include "peer.h"

void run(float a, const float *restrict x, int64_t n, const float *restrict y, int64_t n2,
         float *restrict out, int64_t n3) {
    (void)n2, (void)n3;
    for (int64_t i = 0; i < n; i++) out[i] = a * x[i] + y[i];
}
