#include "peer.h"

/* C has no exceptions: a status, and the value through a pointer. */
static __attribute__((noinline)) int halve(int64_t n, int64_t *half) {
    if (n % 2 == 1) return 1;
    *half = n / 2;
    return 0;
}

int64_t run(const int64_t *restrict values, int64_t size) {
    int64_t total = 0, caught = 0, half;
    for (int64_t i = 0; i < size; i++) {
        if (halve(values[i], &half))
            caught++;
        else
            total += half;
    }
    return total + caught;
}
