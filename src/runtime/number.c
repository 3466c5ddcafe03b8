/* Numbers as Python has them, where C and the vector math library have nothing that agrees. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exceptions.h"
#include "runtime/runtime.h"

static int clamp_exponent(int64_t e) { return e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e; }

double ws_ldexp(double x, int64_t e) { return ldexp(x, clamp_exponent(e)); }
float ws_ldexpf(float x, int64_t e) { return ldexpf(x, clamp_exponent(e)); }
double ws_pow(double a, double b) { return pow(a, b); }
double ws_modf(double x, double *whole) { return modf(x, whole); }

double ws_frexp(double x, int64_t *exponent) {
    int e = 0;
    double m = isfinite(x) ? frexp(x, &e) : x;
    *exponent = e;
    return m;
}

double ws_ulp(double x) {
    if (isnan(x)) return x;
    x = fabs(x);
    if (isinf(x)) return x;
    double up = nextafter(x, INFINITY);
    return isinf(up) ? x - nextafter(x, -INFINITY) : up - x;
}

int64_t ws_isqrt(int64_t n) {
    int64_t r = (int64_t)sqrt((double)n);
    while (r > 3037000499 || r * r > n) r--;
    while (r < 3037000499 && (r + 1) * (r + 1) <= n) r++;
    return r;
}

int64_t ws_gcd(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (int64_t)x;
}

/* --- floor division --------------------------------------------------------------------------- */

#define FLOOR_DIVISION(T, f, suffix)                           \
    static T divmod_##T(T a, T b, T *mod) {                    \
        T m = fmod##suffix(a, b), div = (a - m) / b;           \
        if (m != 0) {                                          \
            if ((b < 0) != (m < 0)) {                          \
                m += b;                                        \
                div -= 1;                                      \
            }                                                  \
        } else {                                               \
            m = copysign##suffix(0, b);                        \
        }                                                      \
        *mod = m;                                              \
        if (div == 0) return copysign##suffix(0, a / b);       \
        T floored = floor##suffix(div);                        \
        return div - floored > (T)0.5 ? floored + 1 : floored; \
    }                                                          \
    T ws_floordiv##f(T a, T b) {                               \
        T mod;                                                 \
        return divmod_##T(a, b, &mod);                         \
    }                                                          \
    T ws_floormod##f(T a, T b) {                               \
        T mod;                                                 \
        divmod_##T(a, b, &mod);                                \
        return mod;                                            \
    }
FLOOR_DIVISION(double, , )
FLOOR_DIVISION(float, f, f)

/* --- rounding to decimal places --------------------------------------------------------------- */

/* printf rounds the exact decimal value half to even, as Python does; strtod reads the nearest
 * double. */
static double read_back(const char *fmt, int digits, double x) {
    char text[800];
    snprintf(text, sizeof text, fmt, digits, x);
    return strtod(text, NULL);
}

/* To a multiple of 10 ** -digits, digits < 0. */
static double round_left(double x, int digits) {
    char text[64];
    snprintf(text, sizeof text, "%.17e", x);
    int exponent = atoi(strchr(text, 'e') + 1), kept = exponent + digits;
    if (kept >= 0) return read_back("%.*e", kept, x);
    snprintf(text, sizeof text, "5e%d", exponent);
    if (kept < -1 || fabs(x) <= strtod(text, NULL)) return copysign(0.0, x);
    snprintf(text, sizeof text, "1e%d", exponent + 1);
    return copysign(strtod(text, NULL), x);
}

Status ws_round_digits(WsCtx *ctx, int32_t site, double x, int64_t digits, double *out) {
    *out = x;
    if (!isfinite(x) || x == 0.0 || digits > 323) return 0;
    if (digits < -308) {
        *out = copysign(0.0, x);
        return 0;
    }
    *out = digits >= 0 ? read_back("%.*f", (int)digits, x) : round_left(x, (int)digits);
    if (isfinite(*out)) return 0;
    rt_raise(ctx, site, EXC_OverflowError, "rounded value too large to represent");
    return 1;
}

Status ws_round_int(WsCtx *ctx, int32_t site, int64_t i, int64_t digits, int64_t *out) {
    *out = i;
    if (digits >= 0) return 0;
    *out = 0;
    if (digits < -19) return 0;
    __int128 step = 1;
    for (int64_t k = digits; k < 0; k++) step *= 10;
    __int128 low = i / step * step;
    if (low > i) low -= step;
    __int128 twice = 2 * (i - low), nearest = low;
    if (twice > step || (twice == step && (low / step) % 2 != 0)) nearest = low + step;
    *out = (int64_t)nearest;
    if (nearest >= INT64_MIN && nearest <= INT64_MAX) return 0;
    rt_raise(ctx, site, EXC_OverflowError, "rounded value too large for a 64-bit integer");
    return 1;
}
