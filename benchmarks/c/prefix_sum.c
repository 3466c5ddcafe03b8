#include "peer.h"

double run(const double *restrict x, int64_t n, double *restrict out, int64_t n2) {
    (void)n2;
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        total += x[i];
        out[i] = total;
    }
    return total;
}
