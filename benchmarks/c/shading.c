#include "peer.h"

void run(const double *restrict x, int64_t n, const double *restrict y, int64_t n2,
         const double *restrict z, int64_t n3, double lx, double ly, double lz,
         double *restrict out, int64_t n4) {
    (void)n2, (void)n3, (void)n4;
    for (int64_t i = 0; i < n; i++) {
        double length = sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
        out[i] = (x[i] * lx + y[i] * ly + z[i] * lz) / length;
    }
}
