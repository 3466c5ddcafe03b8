#include "peer.h"

static void apply_laplacian(const double *restrict u, double *restrict out, int64_t rows,
                            int64_t columns) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            int64_t at = i * columns + j;
            double value = 4.0 * u[at];
            if (i > 0) value -= u[at - columns];
            if (i < rows - 1) value -= u[at + columns];
            if (j > 0) value -= u[at - 1];
            if (j < columns - 1) value -= u[at + 1];
            out[at] = value;
        }
}

static double dot(const double *a, const double *b, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; i++) total += a[i] * b[i];
    return total;
}

/* out may be a or b, so no restrict. */
static void add_scaled(double *out, const double *a, double factor, const double *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = a[i] + factor * b[i];
}

void run(const double *b, int64_t rows, int64_t columns, double tolerance, int64_t max_steps,
         double *x) {
    int64_t n = rows * columns;
    size_t bytes = (size_t)n * sizeof(double);
    double *residual = malloc(bytes), *direction = malloc(bytes), *image = malloc(bytes);
    memset(x, 0, bytes);
    memcpy(residual, b, bytes);
    memcpy(direction, b, bytes);
    double square = dot(residual, residual, n), limit = tolerance * tolerance * square;
    for (int64_t step = 0; step < max_steps && square > limit; step++) {
        apply_laplacian(direction, image, rows, columns);
        double alpha = square / dot(direction, image, n);
        add_scaled(x, x, alpha, direction, n);
        add_scaled(residual, residual, -alpha, image, n);
        double new_square = dot(residual, residual, n);
        add_scaled(direction, residual, new_square / square, direction, n);
        square = new_square;
    }
    free(residual);
    free(direction);
    free(image);
}
