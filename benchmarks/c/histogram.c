#include "peer.h"

void run(const double *restrict x, int64_t n, double low, double high, int64_t bins,
         int64_t *restrict counts) {
    memset(counts, 0, (size_t)bins * sizeof *counts);
    double scale = (double)bins / (high - low);
    for (int64_t i = 0; i < n; i++)
        if (x[i] >= low && x[i] < high) counts[(int64_t)((x[i] - low) * scale)]++;
}
