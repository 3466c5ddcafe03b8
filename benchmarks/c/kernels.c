/* The kernels of kernels.py as a C programmer writes them: the same tiling, loops in place of threads. */
#include "peer.h"

enum { T = 16 };

void saxpy(float a, const float *restrict x, float *restrict y, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

/* Adds the product of two tiles to the third. */
static inline void add_tiles(float (*sum)[T], float (*a)[T], float (*b)[T]) {
    for (int y = 0; y < T; y++)
        for (int j = 0; j < T; j++)
            for (int x = 0; x < T; x++) sum[y][x] += a[y][j] * b[j][x];
}

static inline void load_tile(float (*tile)[T], const float *from, int64_t n) {
    for (int y = 0; y < T; y++)
        for (int x = 0; x < T; x++) tile[y][x] = from[y * n + x];
}

/* n: a multiple of T. */
void tiled_matmul(const float *restrict a, const float *restrict b, float *restrict c, int64_t n) {
    for (int64_t by = 0; by < n; by += T)
        for (int64_t bx = 0; bx < n; bx += T) {
            float ta[T][T], tb[T][T], sum[T][T] = {{0}};
            for (int64_t k = 0; k < n; k += T) {
                load_tile(ta, a + by * n + k, n);
                load_tile(tb, b + k * n + bx, n);
                add_tiles(sum, ta, tb);
            }
            for (int y = 0; y < T; y++)
                for (int x = 0; x < T; x++) c[(by + y) * n + bx + x] = sum[y][x];
        }
}
