#include "peer.h"

static const double SIGMA = 10.0, RHO = 28.0, BETA = 8.0 / 3.0;

typedef struct {
    double x, y, z;
} State;

static State slope(State s) {
    return (State){SIGMA * (s.y - s.x), s.x * (RHO - s.z) - s.y, s.x * s.y - BETA * s.z};
}

static State moved(State s, State d, double h) {
    return (State){s.x + h * d.x, s.y + h * d.y, s.z + h * d.z};
}

void run(double x, double y, double z, double h, int64_t steps, double *out) {
    State s = {x, y, z};
    for (int64_t i = 0; i < steps; i++) {
        State k1 = slope(s);
        State k2 = slope(moved(s, k1, h / 2));
        State k3 = slope(moved(s, k2, h / 2));
        State k4 = slope(moved(s, k3, h));
        s = moved(moved(moved(moved(s, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    }
    out[0] = s.x;
    out[1] = s.y;
    out[2] = s.z;
}
