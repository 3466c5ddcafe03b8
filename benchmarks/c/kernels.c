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

/* --- the others: on all cores, as far as the compiler knows OpenMP ------------------------------ */

void add(const float *restrict a, const float *restrict b, float *restrict c, int64_t n) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

void mandelbrot(uint8_t *restrict out, int64_t w, int64_t h, int64_t limit) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            double cr = -2 + 3 * (double)x / (double)w, ci = -1 + 2 * (double)y / (double)h;
            double zr = 0, zi = 0;
            int64_t k = 0;
            while (k < limit && zr * zr + zi * zi < 4) {
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                k++;
            }
            out[y * w + x] = (uint8_t)k;
        }
}

/* Sums along rows of b: what a kernel's threads read together. */
void naive_matmul(const float *restrict a, const float *restrict b, float *restrict c, int64_t n) {
#pragma omp parallel for
    for (int64_t y = 0; y < n; y++) {
        for (int64_t x = 0; x < n; x++) c[y * n + x] = 0;
        for (int64_t k = 0; k < n; k++)
            for (int64_t x = 0; x < n; x++) c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
}

void histogram(const uint8_t *restrict x, int32_t *restrict bins, int64_t n) {
#pragma omp parallel
    {
        int32_t own[256] = {0};
#pragma omp for
        for (int64_t i = 0; i < n; i++) own[x[i]]++;
#pragma omp critical
        for (int k = 0; k < 256; k++) bins[k] += own[k];
    }
}

void sum(const float *restrict x, float *restrict out, int64_t n) {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int64_t i = 0; i < n; i++) total += x[i];
    *out = total;
}

/* Sums up to each element, in rows of `row`. */
void scan(const float *restrict x, float *restrict out, int64_t n, int64_t row) {
#pragma omp parallel for
    for (int64_t first = 0; first < n; first += row) {
        float total = 0;
        for (int64_t i = first; i < first + row; i++) out[i] = total += x[i];
    }
}

void stencil(const float *restrict a, float *restrict b, int64_t n) {
#pragma omp parallel for
    for (int64_t y = 1; y < n - 1; y++)
        for (int64_t x = 1; x < n - 1; x++)
            b[y * n + x] = 0.25f * (a[(y - 1) * n + x] + a[(y + 1) * n + x] + a[y * n + x - 1] +
                                    a[y * n + x + 1]);
}

void nbody(const float *restrict p, float *restrict acc, int64_t n) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int64_t j = 0; j < n; j++) {
            float dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1],
                  dz = p[3 * j + 2] - p[3 * i + 2];
            float d = dx * dx + dy * dy + dz * dz + 1e-3f, w = 1 / (d * __builtin_sqrtf(d));
            ax += w * dx, ay += w * dy, az += w * dz;
        }
        acc[3 * i] = ax, acc[3 * i + 1] = ay, acc[3 * i + 2] = az;
    }
}

void transpose(const float *restrict a, float *restrict b, int64_t n) {
#pragma omp parallel for collapse(2)
    for (int64_t by = 0; by < n; by += 32)
        for (int64_t bx = 0; bx < n; bx += 32)
            for (int64_t y = by; y < by + 32; y++)
                for (int64_t x = bx; x < bx + 32; x++) b[x * n + y] = a[y * n + x];
}
