#include "peer.h"

enum { LIMIT = 100 };

static int escape_time(double cr, double ci, int limit) {
    double zr = 0, zi = 0;
    for (int i = 0; i < limit; i++) {
        double t = zr * zr - zi * zi + cr;
        zi = zr * zi + zi * zr + ci;
        zr = t;
        if (zr * zr + zi * zi > 4.0) return i;
    }
    return limit;
}

void run(double left, double right, double bottom, double top, int64_t width, int64_t height,
         uint8_t *image) {
    double dx = (right - left) / (double)width, dy = (top - bottom) / (double)height;
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++)
            image[row * width + column] =
                (uint8_t)escape_time(left + (double)column * dx, bottom + (double)row * dy, LIMIT);
}
