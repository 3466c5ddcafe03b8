#include "peer.h"

void run(const double *restrict table, int64_t size, const double *restrict x, int64_t n,
         double start, double scale, double *restrict out, int64_t n2) {
    (void)size, (void)n2;
    for (int64_t i = 0; i < n; i++) {
        double place = (x[i] - start) * scale;
        int64_t k = (int64_t)place;
        double rest = place - (double)k;
        out[i] = table[k] * (1.0 - rest) + table[k + 1] * rest;
    }
}
