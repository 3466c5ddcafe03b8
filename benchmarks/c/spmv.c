#include "peer.h"

static void multiply(const int64_t *restrict row_start, const int32_t *restrict column,
                     const double *restrict value, const double *restrict x, double *restrict y,
                     int64_t rows) {
    for (int64_t row = 0; row < rows; row++) {
        double total = 0;
        for (int64_t k = row_start[row]; k < row_start[row + 1]; k++)
            total += value[k] * x[column[k]];
        y[row] = total;
    }
}

void run(const int64_t *row_start, int64_t rows1, const int32_t *column, int64_t entries,
         const double *value, int64_t entries2, const double *start, int64_t rows, int64_t steps,
         double *out) {
    (void)rows1, (void)entries, (void)entries2;
    size_t bytes = (size_t)rows * sizeof(double);
    double *x = malloc(bytes), *y = malloc(bytes);
    memcpy(x, start, bytes);
    for (int64_t s = 0; s < steps; s++) {
        multiply(row_start, column, value, x, y, rows);
        double *t = x;
        x = y;
        y = t;
    }
    memcpy(out, x, bytes);
    free(x);
    free(y);
}
