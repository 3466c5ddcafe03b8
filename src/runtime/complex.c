/* Complex functions with CPython's results: the methods of Kahan's "Branch Cuts for Complex
 * Elementary Functions" (1987), written for what is large, tiny, or next to a branch cut, so
 * that C's own functions, whose accuracy differs between libraries, are asked only for
 * infinities and NaN, where C's standard (annex G) settles all.
 *
 * An error is noted, not raised: NumPy's versions of the same functions have no errors. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/exceptions.h"
#include "runtime/runtime.h"

typedef struct Z {
    double re, im;
} Z;
typedef enum Fault { FINE, DOMAIN, RANGE } Fault;

static const double ln2 = 0.6931471805599453094, ln10 = 2.302585092994045684,
                    half_pi = 1.57079632679489661923;
static const double e = 2.718281828459045235;
static const double large = DBL_MAX / 4.0; /* beyond it sums of squares, even halved, overflow */
static const double log_large =
    708.396418532264; /* beyond it exp, cosh and sinh come near overflow */
#define SQRT_LARGE 6.703903964971298e+153
#define SQRT_TINY  1.4916681462400413e-154 /* sqrt(DBL_MIN) */

static bool is_finite(Z z) { return isfinite(z.re) && isfinite(z.im); }

static double complex to_c(Z z) {
    union {
        Z z;
        double complex c;
    } u = {.z = z};
    return u.c;
}
static Z from_c(double complex c) { return (Z){creal(c), cimag(c)}; }

/* For what is not finite: C's function, which keeps annex G. The sign of a NaN must not come out
 * as the sign of something else. */
#define BY_C(f, z) from_c(f(to_c(without_nan_signs(z))))
static Z without_nan_signs(Z z) { return (Z){isnan(z.re) ? NAN : z.re, isnan(z.im) ? NAN : z.im}; }

/* f(z) by way of f's hyperbolic sister: f(z) = -i g(iz). */
static Z turned(Z (*g)(Z, Fault *), Z z, Fault *fault) {
    Z w = g((Z){-z.im, z.re}, fault);
    return (Z){w.im, -w.re};
}

/* --- roots, logarithms, exponentials ---------------------------------------------------------- */

static Z c_sqrt(Z z, Fault *fault) {
    (void)fault;
    if (!is_finite(z)) return BY_C(csqrt, z);
    if (z.re == 0.0 && z.im == 0.0) return (Z){0.0, z.im};
    double ax = fabs(z.re), ay = fabs(z.im), s;
    if (ax < DBL_MIN && ay < DBL_MIN) {
        /* scaled by 2 ** 53, so that no bits are lost to subnormal numbers; then by 2 ** -26.5,
         * and halved below the root */
        ax = ldexp(ax, 53);
        s = ldexp(sqrt(ax + hypot(ax, ldexp(ay, 53))), -27);
    } else {
        ax /= 8.0;
        s = 2.0 * sqrt(ax + hypot(ax, ay / 8.0));
    }
    double d = ay / (2.0 * s);
    return z.re >= 0.0 ? (Z){s, copysign(d, z.im)} : (Z){d, copysign(s, z.im)};
}

/* log|z| for finite z != 0. */
static double log_abs(Z z) {
    double ax = fabs(z.re), ay = fabs(z.im);
    if (ax > large || ay > large) return log(hypot(ax / 2.0, ay / 2.0)) + ln2;
    if (ax < DBL_MIN && ay < DBL_MIN)
        return log(hypot(ldexp(ax, DBL_MANT_DIG), ldexp(ay, DBL_MANT_DIG))) - DBL_MANT_DIG * ln2;
    double h = hypot(ax, ay);
    if (h < 0.71 || h > 1.73) return log(h);
    double big = fmax(ax, ay), small = fmin(ax, ay); /* near 1: from |z|**2 - 1 */
    return log1p((big - 1.0) * (big + 1.0) + small * small) / 2.0;
}

static Z c_log(Z z, Fault *fault) {
    if (!is_finite(z)) return BY_C(clog, z);
    double angle = atan2(z.im, z.re);
    if (z.re != 0.0 || z.im != 0.0) return (Z){log_abs(z), angle};
    *fault = DOMAIN;
    return (Z){-INFINITY, angle};
}

static Z c_log10(Z z, Fault *fault) {
    Z w = c_log(z, fault);
    return (Z){w.re / ln10, w.im / ln10};
}

static Z in_range(Z z, Fault *fault) {
    if (isinf(z.re) || isinf(z.im)) *fault = RANGE;
    return z;
}

static Z c_exp(Z z, Fault *fault) {
    if (!is_finite(z)) {
        if (z.re == -INFINITY && !isfinite(z.im)) return (Z){0.0, 0.0};
        if (isinf(z.im) && !isnan(z.re)) *fault = DOMAIN;
        return BY_C(cexp, z);
    }
    double up = 1.0, x = z.re;
    if (x > log_large)
        up = e, x -= 1.0; /* the last factor later, so that only the result overflows */
    double l = exp(x);
    return in_range((Z){l * cos(z.im) * up, l * sin(z.im) * up}, fault);
}

/* --- hyperbolic and trigonometric ------------------------------------------------------------- */

static Z c_sinh_cosh(Z z, bool sine, Fault *fault) {
    if (!is_finite(z)) {
        if (isinf(z.im) && !isnan(z.re)) *fault = DOMAIN;
        if (z.re == 0.0 && isnan(z.im)) return sine ? (Z){0.0, NAN} : (Z){NAN, 0.0};
        if (isnan(z.re) && z.im == 0.0) return (Z){NAN, sine ? z.im : 0.0};
        return sine ? BY_C(csinh, z) : BY_C(ccosh, z);
    }
    double up = 1.0, x = z.re, c = cos(z.im), s = sin(z.im);
    if (fabs(x) > log_large) up = e, x -= copysign(1.0, x);
    double ch = cosh(x), sh = sinh(x);
    Z w = sine ? (Z){c * sh * up, s * ch * up} : (Z){c * ch * up, s * sh * up};
    return in_range(w, fault);
}

static Z c_sinh(Z z, Fault *fault) { return c_sinh_cosh(z, true, fault); }
static Z c_cosh(Z z, Fault *fault) { return c_sinh_cosh(z, false, fault); }
static Z c_sin(Z z, Fault *fault) { return turned(c_sinh, z, fault); }
static Z c_cos(Z z, Fault *fault) { return c_cosh((Z){-z.im, z.re}, fault); }

static Z c_tanh(Z z, Fault *fault) {
    if (!is_finite(z)) {
        if (isinf(z.im) && isfinite(z.re)) *fault = DOMAIN;
        if (z.re == 0.0) return (Z){NAN, NAN};
        if (isinf(z.re) && isinf(z.im)) return (Z){copysign(1.0, z.re), 0.0};
        return BY_C(ctanh, z);
    }
    if (fabs(z.re) > log_large)
        return (Z){copysign(1.0, z.re), 4.0 * sin(z.im) * cos(z.im) * exp(-2.0 * fabs(z.re))};
    double tx = tanh(z.re), ty = tan(z.im), cx = 1.0 / cosh(z.re), t = tx * ty;
    double denom = 1.0 + t * t;
    return (Z){tx * (1.0 + ty * ty) / denom, ((ty / denom) * cx) * cx};
}

static Z c_tan(Z z, Fault *fault) { return turned(c_tanh, z, fault); }

/* --- their inverses --------------------------------------------------------------------------- */

static bool is_large(Z z) { return fabs(z.re) > large || fabs(z.im) > large; }
/* log|2z| of a large z. */
static double log_twice(Z z) { return log(hypot(z.re / 2.0, z.im / 2.0)) + ln2 * 2.0; }

static Z c_acos(Z z, Fault *fault) {
    if (isinf(z.re) && isnan(z.im)) return (Z){NAN, INFINITY};
    if (!is_finite(z)) return BY_C(cacos, z);
    if (is_large(z)) return (Z){atan2(fabs(z.im), z.re), -copysign(log_twice(z), z.im)};
    Z a = c_sqrt((Z){1.0 - z.re, -z.im}, fault), b = c_sqrt((Z){1.0 + z.re, z.im}, fault);
    return (Z){2.0 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}

static Z c_acosh(Z z, Fault *fault) {
    if (z.re == 0.0 && isnan(z.im)) return (Z){NAN, NAN};
    if (!is_finite(z)) return BY_C(cacosh, z);
    if (is_large(z)) return (Z){log_twice(z), atan2(z.im, z.re)};
    Z a = c_sqrt((Z){z.re - 1.0, z.im}, fault), b = c_sqrt((Z){z.re + 1.0, z.im}, fault);
    return (Z){asinh(a.re * b.re + a.im * b.im), 2.0 * atan2(a.im, b.re)};
}

static Z c_asinh(Z z, Fault *fault) {
    if (!is_finite(z)) return BY_C(casinh, z);
    if (is_large(z)) return (Z){copysign(log_twice(z), z.re), atan2(z.im, fabs(z.re))};
    Z a = c_sqrt((Z){1.0 + z.im, -z.re}, fault), b = c_sqrt((Z){1.0 - z.im, z.re}, fault);
    return (Z){asinh(a.re * b.im - b.re * a.im), atan2(z.im, a.re * b.re - a.im * b.im)};
}

static Z c_asin(Z z, Fault *fault) { return turned(c_asinh, z, fault); }

static Z c_atanh(Z z, Fault *fault) {
    if (!is_finite(z)) return BY_C(catanh, z);
    if (signbit(z.re)) { /* odd: from the right half of the plane */
        Z w = c_atanh((Z){-z.re, -z.im}, fault);
        return (Z){-w.re, -w.im};
    }
    double ay = fabs(z.im);
    if (z.re > SQRT_LARGE || ay > SQRT_LARGE) {
        double h = hypot(z.re / 2.0, z.im / 2.0);
        return (Z){z.re / 4.0 / h / h, -copysign(half_pi, -z.im)};
    }
    if (z.re == 1.0 && ay < SQRT_TINY) {
        if (ay == 0.0) *fault = DOMAIN;
        if (ay == 0.0) return (Z){INFINITY, z.im};
        return (Z){-log(sqrt(ay) / sqrt(hypot(ay, 2.0))), copysign(atan2(2.0, -ay) / 2.0, z.im)};
    }
    double near = 1.0 - z.re;
    return (Z){log1p(4.0 * z.re / (near * near + ay * ay)) / 4.0,
               -atan2(-2.0 * z.im, near * (1.0 + z.re) - ay * ay) / 2.0};
}

static Z c_atan(Z z, Fault *fault) { return turned(c_atanh, z, fault); }

/* --- what compiled code calls ----------------------------------------------------------------- */

static Z (*const functions[])(Z, Fault *) = {
#define CFN(name) c_##name,
#include "runtime/complex.def"
#undef CFN
};

static Status report(WsCtx *ctx, int32_t site, Fault fault) {
    if (fault == DOMAIN) rt_raise(ctx, site, EXC_ValueError, "math domain error");
    if (fault == RANGE) rt_raise(ctx, site, EXC_OverflowError, "math range error");
    return fault != FINE;
}

Status ws_cmath(WsCtx *ctx, int32_t site, int32_t fn, const double *z, double *out) {
    Fault fault = FINE;
    Z w = functions[fn]((Z){z[0], z[1]}, &fault);
    out[0] = w.re;
    out[1] = w.im;
    return report(ctx, site, fault);
}

/* NumPy asks C: for what is not finite, too. */
static double complex log10_by_c(double complex z) { return clog(z) / ln10; }
#undef clog10
#define clog10 log10_by_c
static double complex (*const c_functions[])(double complex) = {
#define CFN(name) c##name,
#include "runtime/complex.def"
#undef CFN
};

void ws_complex(int32_t fn, const double *z, double *out) {
    Fault ignored = FINE;
    Z v = {z[0], z[1]},
      w = is_finite(v) ? functions[fn](v, &ignored) : from_c(c_functions[fn](to_c(v)));
    out[0] = w.re;
    out[1] = w.im;
}

/* r (cos phi + i sin phi) where r or phi is not finite. */
static Z rect_beyond(double r, double phi) {
    if (phi == 0.0) return (Z){r, isnan(r) ? 0.0 : copysign(0.0, copysign(1.0, r) * phi)};
    if (r == 0.0) return (Z){0.0, 0.0};
    if (!isinf(r)) return (Z){NAN, NAN};
    if (!isfinite(phi)) return (Z){INFINITY, NAN};
    double sign = copysign(1.0, r);
    return (Z){copysign(INFINITY, sign * cos(phi)), copysign(INFINITY, sign * sin(phi))};
}

Status ws_crect(WsCtx *ctx, int32_t site, double r, double phi, double *out) {
    Z z;
    if (!isfinite(r) || !isfinite(phi))
        z = rect_beyond(r, phi);
    else if (phi == 0.0)
        z = (Z){r, r * phi};
    else
        z = (Z){r * cos(phi), r * sin(phi)};
    out[0] = z.re;
    out[1] = z.im;
    return report(ctx, site, isinf(phi) && r != 0.0 && !isnan(r) ? DOMAIN : FINE);
}

/* --- powers ----------------------------------------------------------------------------------- */

static Z c_mul(Z a, Z b) { return (Z){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/* Smith's method; b is not zero. */
static Z c_div(Z a, Z b) {
    if (fabs(b.re) >= fabs(b.im)) {
        double ratio = b.im / b.re, denom = b.re + b.im * ratio;
        return (Z){(a.re + a.im * ratio) / denom, (a.im - a.re * ratio) / denom};
    }
    if (fabs(b.im) > fabs(b.re)) {
        double ratio = b.re / b.im, denom = b.re * ratio + b.im;
        return (Z){(a.re * ratio + a.im) / denom, (a.im * ratio - a.re) / denom};
    }
    return (Z){NAN, NAN};
}

static Z by_squaring(Z z, unsigned n) {
    Z r = {1.0, 0.0};
    for (unsigned mask = 1; mask && n >= mask; mask <<= 1) {
        if (n & mask) r = c_mul(r, z);
        z = c_mul(z, z);
    }
    return r;
}

static bool is_small_int(Z z, double limit) {
    return z.im == 0.0 && z.re == floor(z.re) && fabs(z.re) <= limit;
}

/* False: a phase without end; C's cos then sets the error that CPython reports like a power of
 * zero. */
static bool general_power(Z a, Z b, Z *out) {
    double size = hypot(a.re, a.im), length = pow(size, b.re), angle = atan2(a.im, a.re),
           phase = angle * b.re;
    if (b.im != 0.0) {
        length /= exp(angle * b.im);
        phase += b.im * log(size);
    }
    *out = (Z){length * cos(phase), length * sin(phase)};
    return !isinf(phase);
}

/* a ** n; false where a power that underflowed to zero has no inverse. */
static bool int_power(Z a, int n, Z *out) {
    Z r = by_squaring(a, (unsigned)abs(n));
    if (n < 0 && r.re == 0.0 && r.im == 0.0) return false;
    *out = n > 0 ? r : c_div((Z){1.0, 0.0}, r);
    return true;
}

Status ws_cpow(WsCtx *ctx, int32_t site, const double *base, const double *exponent, double *out) {
    Z a = {base[0], base[1]}, b = {exponent[0], exponent[1]}, r = {0.0, 0.0};
    bool zero = a.re == 0.0 && a.im == 0.0, good = true;
    if (is_small_int(b, 100.0))
        good = int_power(a, (int)b.re, &r);
    else if (zero)
        good = b.im == 0.0 && !(b.re < 0.0);
    else
        good = general_power(a, b, &r);
    out[0] = r.re;
    out[1] = r.im;
    if (!good) rt_raise(ctx, site, EXC_ZeroDivisionError, "0.0 to a negative or complex power");
    if (!good || (!isinf(r.re) && !isinf(r.im))) return !good;
    rt_raise(ctx, site, EXC_OverflowError, "complex exponentiation");
    return 1;
}

static Z numpy_power(Z a, Z b) {
    Z none = {NAN, NAN}, one = {1.0, 0.0}, zero = {0.0, 0.0};
    if (b.re == 0.0 && b.im == 0.0) return one;
    if (a.re == 0.0 && a.im == 0.0) return b.re > 0.0 ? zero : none;
    if (!is_small_int(b, 99.0)) return from_c(cpow(to_c(a), to_c(b)));
    if (b.re == 1.0) return a;
    if (b.re == 2.0) return c_mul(a, a);
    if (b.re == 3.0) return c_mul(c_mul(a, a), a);
    Z r = by_squaring(a, (unsigned)fabs(b.re));
    return b.re < 0.0 ? c_div(one, r) : r;
}

void ws_cpow_numpy(const double *base, const double *exponent, double *out) {
    Z r = numpy_power((Z){base[0], base[1]}, (Z){exponent[0], exponent[1]});
    out[0] = r.re;
    out[1] = r.im;
}
