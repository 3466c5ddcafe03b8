#include "peer.h"

int64_t run(int64_t m, int64_t n) {
    if (m == 0) return n + 1;
    if (n == 0) return run(m - 1, 1);
    return run(m - 1, run(m, n - 1));
}
