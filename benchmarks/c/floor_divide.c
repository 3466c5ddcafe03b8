#include "peer.h"

/* C divides towards zero; Python's quotient and remainder go down. */
void run(const int64_t *restrict time, int64_t n, const int64_t *restrict unit, int64_t n2,
         int64_t *restrict whole, int64_t n3, int64_t *restrict rest, int64_t n4) {
    (void)n2, (void)n3, (void)n4;
    for (int64_t i = 0; i < n; i++) {
        int64_t q = time[i] / unit[i], r = time[i] % unit[i];
        bool fix = r != 0 && (r ^ unit[i]) < 0;
        whole[i] = q - fix;
        rest[i] = fix ? r + unit[i] : r;
    }
}
