#include "peer.h"

void run(const double *restrict image, int64_t image_rows, int64_t image_columns,
         const double *restrict kernel, int64_t kernel_rows, int64_t kernel_columns,
         double *restrict out, int64_t rows, int64_t columns) {
    (void)image_rows;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double total = 0;
            for (int64_t k = 0; k < kernel_rows; k++)
                for (int64_t m = 0; m < kernel_columns; m++)
                    total +=
                        image[(i + k) * image_columns + j + m] * kernel[k * kernel_columns + m];
            out[i * columns + j] = total;
        }
}
