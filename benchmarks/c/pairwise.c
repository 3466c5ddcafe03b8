#include "peer.h"

void run(const double *restrict points, int64_t n, int64_t dimensions, double *restrict distance) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double square = 0;
            for (int64_t k = 0; k < dimensions; k++) {
                double difference = points[i * dimensions + k] - points[j * dimensions + k];
                square += difference * difference;
            }
            distance[i * n + j] = sqrt(square);
        }
}
