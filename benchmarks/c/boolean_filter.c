#include "peer.h"

int64_t run(const double *restrict price, int64_t n, const int64_t *restrict volume, int64_t n2,
            const bool *restrict valid, int64_t n3, double low, double high, double *restrict out,
            int64_t n4) {
    (void)n2, (void)n3, (void)n4;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        bool cheap = low < price[i] && price[i] < high;
        bool traded = volume[i] >= 250 || volume[i] % 5 == 0;
        if (valid[i] && cheap && traded) out[count++] = price[i] * (double)volume[i];
    }
    return count;
}
