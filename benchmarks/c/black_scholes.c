#include "peer.h"

static inline double normal_cdf(double d) {
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double poly = k * (0.31938153 + k * (-0.356563782 +
                                         k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.39894228040143267794 * exp(-0.5 * d * d) * poly;
    return d > 0 ? 1.0 - tail : tail;
}

void run(const double *restrict stock, int64_t n, const double *restrict strike, int64_t n2,
         const double *restrict years, int64_t n3, double rate, double volatility,
         double *restrict call, int64_t n4, double *restrict put, int64_t n5) {
    (void)n2, (void)n3, (void)n4, (void)n5;
    for (int64_t i = 0; i < n; i++) {
        double root = sqrt(years[i]);
        double d1 =
            (log(stock[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
            (volatility * root);
        double d2 = d1 - volatility * root;
        double cdf1 = normal_cdf(d1), cdf2 = normal_cdf(d2);
        double discounted = strike[i] * exp(-rate * years[i]);
        call[i] = stock[i] * cdf1 - discounted * cdf2;
        put[i] = discounted * (1.0 - cdf2) - stock[i] * (1.0 - cdf1);
    }
}
