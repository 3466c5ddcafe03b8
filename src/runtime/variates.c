/* The distributions of Python's `random` and of NumPy's legacy RandomState, bit for bit: the
 * same methods, the same draws in the same order, and C's log, exp, cos ... which both call too. */
#include <math.h>

#include "core/exceptions.h"
#include "runtime/random.h"
#include "runtime/runtime.h"

static const double e = 2.718281828459045235, pi = 3.141592653589793238,
                    two_pi = 2.0 * 3.141592653589793238;

static double draw(WsCtx *ctx) { return rt_next_double(&rt_random_state(ctx)->python); }

static Status division_by_zero(WsCtx *ctx, int32_t site) {
    rt_raise(ctx, site, EXC_ZeroDivisionError, "float division by zero");
    return 1;
}

/* --- integers --------------------------------------------------------------------------------- */

/* The low words come first; the last one gives its high bits. */
static uint64_t random_bits(Twister *t, int64_t bits) {
    if (bits <= 0) return 0;
    if (bits <= 32) return rt_next_word(t) >> (32 - bits);
    uint64_t low = rt_next_word(t);
    return low | (uint64_t)(rt_next_word(t) >> (64 - bits)) << 32;
}

int64_t ws_py_bits(WsCtx *ctx, int32_t site, int64_t bits) {
    (void)site;
    return (int64_t)random_bits(&rt_random_state(ctx)->python, bits);
}

int64_t ws_np_interval(WsCtx *ctx, int32_t site, int64_t max) {
    (void)site;
    Twister *t = &rt_random_state(ctx)->numpy;
    uint64_t top = (uint64_t)max, r;
    if (!top) return 0;
    uint64_t mask = UINT64_MAX >> __builtin_clzll(top);
    do {
        r = rt_next_word(t);
        if (top > UINT32_MAX) r = r << 32 | rt_next_word(t);
        r &= mask;
    } while (r > top);
    return (int64_t)r;
}

/* --- Python ----------------------------------------------------------------------------------- */

double ws_py_gauss(WsCtx *ctx, int32_t site, double mu, double sigma) {
    (void)site;
    RandomState *r = rt_random_state(ctx);
    double z = r->python_gauss;
    if (!r->has_python_gauss) {
        double angle = draw(ctx) * two_pi, radius = sqrt(-2.0 * log(1.0 - draw(ctx)));
        z = cos(angle) * radius;
        r->python_gauss = sin(angle) * radius;
    }
    r->has_python_gauss = !r->has_python_gauss;
    return mu + z * sigma;
}

/* Kinderman and Monahan's ratio of uniforms. */
double ws_py_normal(WsCtx *ctx, int32_t site, double mu, double sigma) {
    (void)site;
    const double magic = 4.0 * exp(-0.5) / sqrt(2.0);
    double u, z;
    do {
        double v = draw(ctx);
        u = 1.0 - draw(ctx);
        z = magic * (v - 0.5) / u;
    } while (z * z / 4.0 > -log(u));
    return mu + z * sigma;
}

double ws_py_lognormal(WsCtx *ctx, int32_t site, double mu, double sigma) {
    return exp(ws_py_normal(ctx, site, mu, sigma));
}

Status ws_py_expo(WsCtx *ctx, int32_t site, double lambda, double *out) {
    double u = -log(1.0 - draw(ctx));
    if (lambda == 0.0) return division_by_zero(ctx, site);
    *out = u / lambda;
    return 0;
}

/* alpha > 1: Cheng's rejection by a log-logistic density. */
static double gamma_above_one(WsCtx *ctx, double alpha) {
    const double sg_magic = 1.0 + log(4.5);
    double root = sqrt(2.0 * alpha - 1.0), shift = alpha - log(4.0), slope = alpha + root;
    for (;;) {
        double u = draw(ctx);
        if (!(1e-7 < u && u < 0.9999999)) continue;
        double w = 1.0 - draw(ctx), v = log(u / (1.0 - u)) / root, x = alpha * exp(v);
        double z = u * u * w, r = shift + slope * v - x;
        if (r + sg_magic - 4.5 * z >= 0.0 || r >= log(z)) return x;
    }
}

/* alpha < 1: Ahrens and Dieter's algorithm GS. */
static double gamma_below_one(WsCtx *ctx, double alpha) {
    for (;;) {
        double u = draw(ctx), b = (e + alpha) / e, p = b * u;
        double x = p <= 1.0 ? pow(p, 1.0 / alpha) : -log((b - p) / alpha);
        double v = draw(ctx);
        if (p > 1.0 ? v <= pow(x, alpha - 1.0) : v <= exp(-x)) return x;
    }
}

Status ws_py_gamma(WsCtx *ctx, int32_t site, double alpha, double beta, double *out) {
    if (alpha <= 0.0 || beta <= 0.0) {
        rt_raise(ctx, site, EXC_ValueError, "gammavariate: alpha and beta must be > 0.0");
        return 1;
    }
    if (alpha > 1.0)
        *out = gamma_above_one(ctx, alpha) * beta;
    else if (alpha == 1.0)
        *out = -log(1.0 - draw(ctx)) * beta;
    else
        *out = gamma_below_one(ctx, alpha) * beta;
    return 0;
}

Status ws_py_beta(WsCtx *ctx, int32_t site, double alpha, double beta, double *out) {
    double y, z;
    if (ws_py_gamma(ctx, site, alpha, 1.0, &y)) return 1;
    *out = 0.0;
    if (y == 0.0) return 0;
    if (ws_py_gamma(ctx, site, beta, 1.0, &z)) return 1;
    *out = y / (y + z);
    return 0;
}

Status ws_py_pareto(WsCtx *ctx, int32_t site, double alpha, double *out) {
    double u = 1.0 - draw(ctx);
    if (alpha == 0.0) return division_by_zero(ctx, site);
    *out = pow(u, -1.0 / alpha);
    return 0;
}

Status ws_py_weibull(WsCtx *ctx, int32_t site, double alpha, double beta, double *out) {
    double u = 1.0 - draw(ctx);
    if (beta == 0.0) return division_by_zero(ctx, site);
    *out = alpha * pow(-log(u), 1.0 / beta);
    return 0;
}

/* Best and Fisher's rejection by a wrapped Cauchy density. */
double ws_py_vonmises(WsCtx *ctx, int32_t site, double mu, double kappa) {
    (void)site;
    if (kappa <= 1e-6) return two_pi * draw(ctx);
    double s = 0.5 / kappa, r = s + sqrt(1.0 + s * s), z, d, u;
    do {
        z = cos(pi * draw(ctx));
        d = z / (r + z);
        u = draw(ctx);
    } while (!(u < 1.0 - d * d || u <= (1.0 - d) * exp(d)));
    double q = 1.0 / r, f = (q + z) / (1.0 + q * z), turn = acos(f);
    return ws_floormod(draw(ctx) > 0.5 ? mu + turn : mu - turn, two_pi);
}

/* --- NumPy ------------------------------------------------------------------------------------ */

double ws_np_expo(WsCtx *ctx, int32_t site) {
    (void)site;
    return -log(1.0 - rt_next_double(&rt_random_state(ctx)->numpy));
}
