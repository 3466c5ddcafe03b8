/* Floats as sequences of bits. */
#include <math.h>
#include <string.h>

#include "runtime/runtime.h"

/* Numbers so ordered that neighbours differ by 1 and both zeros are 0. */
static int64_t place_of(double x) {
    int64_t i;
    memcpy(&i, &x, sizeof i);
    return i < 0 ? INT64_MIN - i : i;
}

static double at_place(int64_t place, double zero) {
    int64_t i = place < 0 ? INT64_MIN - place : place;
    double x;
    memcpy(&x, &i, sizeof x);
    return place == 0 ? copysign(0.0, zero) : x;
}

double ws_nextafter_by(double x, double y, int64_t steps) {
    if (steps == 0 || isnan(x)) return x;
    if (isnan(y) || x == y) return y;
    int64_t from = place_of(x), to = place_of(y);
    /* the distance fits uint64 */
    uint64_t distance = from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
    if ((uint64_t)steps >= distance) return y;
    return at_place(from < to ? from + steps : from - steps, x);
}
