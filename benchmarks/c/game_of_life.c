#include "peer.h"

static inline int neighbours(const uint8_t *b, int64_t w, int64_t i, int64_t j) {
    int count = 0;
    for (int64_t di = -1; di <= 1; di++)
        for (int64_t dj = -1; dj <= 1; dj++)
            if (di || dj) count += b[(i + di) * w + j + dj];
    return count;
}

static void step(const uint8_t *restrict now, uint8_t *restrict after, int64_t height,
                 int64_t width) {
    for (int64_t i = 1; i < height - 1; i++)
        for (int64_t j = 1; j < width - 1; j++) {
            int n = neighbours(now, width, i, j);
            after[i * width + j] = n == 3 || (n == 2 && now[i * width + j] == 1);
        }
}

void run(const uint8_t *board, int64_t height, int64_t width, int64_t generations, uint8_t *out) {
    size_t bytes = (size_t)(height * width);
    uint8_t *now = malloc(bytes), *after = calloc(bytes, 1);
    memcpy(now, board, bytes);
    for (int64_t g = 0; g < generations; g++) {
        step(now, after, height, width);
        uint8_t *t = now;
        now = after;
        after = t;
    }
    memcpy(out, now, bytes);
    free(now);
    free(after);
}
