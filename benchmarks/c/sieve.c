#include "peer.h"

int64_t run(int64_t limit) {
    bool *prime = malloc((size_t)limit);
    memset(prime, true, (size_t)limit);
    prime[0] = prime[1] = false;
    for (int64_t i = 2; i * i < limit; i++)
        if (prime[i])
            for (int64_t m = i * i; m < limit; m += i) prime[m] = false;
    int64_t count = 0;
    for (int64_t i = 0; i < limit; i++) count += prime[i];
    free(prime);
    return count;
}
