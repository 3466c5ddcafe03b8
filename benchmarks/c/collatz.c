#include "peer.h"

static int64_t chain_length(int64_t n) {
    int64_t length = 1;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        length++;
    }
    return length;
}

int64_t run(int64_t limit) {
    int64_t best = 0, best_length = 0;
    for (int64_t n = 1; n < limit; n++) {
        int64_t length = chain_length(n);
        if (length > best_length) {
            best = n;
            best_length = length;
        }
    }
    return best;
}
