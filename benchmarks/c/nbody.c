#include "peer.h"

static void advance(double *restrict x, double *restrict v, const double *restrict mass, int64_t n,
                    double dt) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1],
                   dz = x[3 * i + 2] - x[3 * j + 2];
            double square = dx * dx + dy * dy + dz * dz;
            double pull = dt / (square * sqrt(square));
            v[3 * i] -= dx * mass[j] * pull;
            v[3 * i + 1] -= dy * mass[j] * pull;
            v[3 * i + 2] -= dz * mass[j] * pull;
            v[3 * j] += dx * mass[i] * pull;
            v[3 * j + 1] += dy * mass[i] * pull;
            v[3 * j + 2] += dz * mass[i] * pull;
        }
    for (int64_t i = 0; i < 3 * n; i++) x[i] += dt * v[i];
}

static double energy(const double *x, const double *v, const double *mass, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        double speed = 0;
        for (int k = 0; k < 3; k++) speed += v[3 * i + k] * v[3 * i + k];
        total += 0.5 * mass[i] * speed;
        for (int64_t j = i + 1; j < n; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++)
                square += (x[3 * i + k] - x[3 * j + k]) * (x[3 * i + k] - x[3 * j + k]);
            total -= mass[i] * mass[j] / sqrt(square);
        }
    }
    return total;
}

double run(const double *position, int64_t n, int64_t axes, const double *velocity, int64_t n2,
           int64_t axes2, const double *mass, int64_t n3, int64_t steps) {
    (void)n2, (void)axes2, (void)n3;
    size_t bytes = (size_t)(n * axes) * sizeof(double);
    double *x = malloc(bytes), *v = malloc(bytes);
    memcpy(x, position, bytes);
    memcpy(v, velocity, bytes);
    for (int64_t s = 0; s < steps; s++) advance(x, v, mass, n, 0.01);
    double total = energy(x, v, mass, n);
    free(x);
    free(v);
    return total;
}
