#include "peer.h"

int64_t run(int64_t n) { return n < 2 ? n : run(n - 1) + run(n - 2); }
