#include "peer.h"

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t run(const uint8_t *restrict a, int64_t n, const uint8_t *restrict b, int64_t m) {
    size_t bytes = (size_t)(m + 1) * sizeof(int64_t);
    int64_t *previous = malloc(bytes), *current = malloc(bytes);
    for (int64_t j = 0; j <= m; j++) previous[j] = j;
    for (int64_t i = 0; i < n; i++) {
        current[0] = i + 1;
        for (int64_t j = 0; j < m; j++) {
            int64_t substitution = previous[j] + (a[i] != b[j]);
            current[j + 1] = smaller(smaller(previous[j + 1] + 1, current[j] + 1), substitution);
        }
        int64_t *t = previous;
        previous = current;
        current = t;
    }
    int64_t distance = previous[m];
    free(previous);
    free(current);
    return distance;
}
