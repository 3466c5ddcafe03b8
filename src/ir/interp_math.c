/* The interpreter: OP_MATH. Where compiled code calls SLEEF, so does this, so that both give the
 * same bits; everything else is C's own, or a few lines. */
#include <math.h>
#include <string.h>

#include "ir/interp_int.h"

/* --- which function --------------------------------------------------------------------------- */

/* "sin_u10" -> "Sleef_finz_sind1_u10purecfma". The first of the two that is there is what compiled
 * code uses too: it looks for the same names, with or without FMA instructions. */
static void *find_sleef(Cx *cx, const char *base, bool wide, void *(*find_symbol)(const char *)) {
    static const char *const families[][2] = {{"Sleef_finz_", "purecfma"},
                                              {"Sleef_cinz_", "purec"}};
    const char *cut = strchr(base, '_');
    for (int k = 0; k < 2; k++) {
        const char *name = cx_printf(cx, "%s%.*s%c1%s%s", families[k][0], (int)(cut - base), base,
                                     wide ? 'd' : 'f', cut, families[k][1]);
        void *address = find_symbol(name);
        if (address) return address;
    }
    return NULL;
}

void *interp_find_math(Cx *cx, MathFn f, PartKind kind, void *(*find_symbol)(const char *name)) {
    const MathInfo *info = &math_info[f];
    if (info->intrinsic || !info->sleef || (info->flags & (M_INT | M_BOOL | M_EXP))) return NULL;
    return find_sleef(cx, info->sleef, kind == P_F64, find_symbol);
}

/* --- C's functions ---------------------------------------------------------------------------- */

/* clang-format off */
/* X(NAME, double version, float version), by number of arguments. */
#define UNARY(X)                                                                                  \
    X(SQRT, sqrt, sqrtf) X(FABS, fabs, fabsf) X(FLOOR, floor, floorf) X(CEIL, ceil, ceilf)        \
    X(TRUNC, trunc, truncf) X(RINT, rint, rintf) X(SIN, sin, sinf) X(COS, cos, cosf)              \
    X(TAN, tan, tanf) X(ASIN, asin, asinf) X(ACOS, acos, acosf) X(ATAN, atan, atanf)              \
    X(SINH, sinh, sinhf) X(COSH, cosh, coshf) X(TANH, tanh, tanhf) X(ASINH, asinh, asinhf)        \
    X(ACOSH, acosh, acoshf) X(ATANH, atanh, atanhf) X(EXP, exp, expf) X(EXP2, exp2, exp2f)        \
    X(EXPM1, expm1, expm1f) X(LOG, log, logf) X(LOG2, log2, log2f) X(LOG10, log10, log10f)        \
    X(LOG1P, log1p, log1pf) X(CBRT, cbrt, cbrtf) X(ERF, erf, erff) X(ERFC, erfc, erfcf)           \
    X(GAMMA, tgamma, tgammaf) X(LGAMMA, lgamma, lgammaf)
#define BINARY(X)                                                                                 \
    X(COPYSIGN, copysign, copysignf) X(FMIN, fmin, fminf) X(FMAX, fmax, fmaxf)                    \
    X(ATAN2, atan2, atan2f) X(POW, pow, powf) X(HYPOT, hypot, hypotf) X(FMOD, fmod, fmodf)        \
    X(REMAINDER, remainder, remainderf) X(NEXTAFTER, nextafter, nextafterf)
/* clang-format on */

typedef double (*F1)(double);
typedef double (*F2)(double, double);
typedef float (*F1f)(float);
typedef float (*F2f)(float, float);

static const struct {
    F1 f1;
    F1f f1f;
    F2 f2;
    F2f f2f;
} c_functions[MATHS] = {
#define X(name, wide, narrow) [MATH_##name] = {.f1 = wide, .f1f = narrow},
    UNARY(X)
#undef X
#define X(name, wide, narrow) [MATH_##name] = {.f2 = wide, .f2f = narrow},
        BINARY(X)
#undef X
};

static double call_wide(MathFn f, void *address, const double *a) {
    int n = math_info[f].nargs;
    if (f == MATH_FMA) return fma(a[0], a[1], a[2]);
    if (n == 1) return (address ? (F1)(uintptr_t)address : c_functions[f].f1)(a[0]);
    return (address ? (F2)(uintptr_t)address : c_functions[f].f2)(a[0], a[1]);
}

static float call_narrow(MathFn f, void *address, const double *a) {
    int n = math_info[f].nargs;
    float x = (float)a[0], y = n > 1 ? (float)a[1] : 0;
    if (f == MATH_FMA) return fmaf(x, y, (float)a[2]);
    if (n == 1) return (address ? (F1f)(uintptr_t)address : c_functions[f].f1f)(x);
    return (address ? (F2f)(uintptr_t)address : c_functions[f].f2f)(x, y);
}

/* --- by kind ---------------------------------------------------------------------------------- */

static double scale(PartKind kind, double x, int64_t e) {
    int by = e > 100000 ? 100000 : e < -100000 ? -100000 : (int)e;
    return kind == P_F64 ? ldexp(x, by) : (double)ldexpf((float)x, by);
}

static uint64_t float_class(MathFn f, double x) {
    if (f == MATH_ISNAN) return isnan(x) != 0;
    if (f == MATH_ISINF) return isinf(x) != 0;
    if (f == MATH_ISFINITE) return isfinite(x) != 0;
    return signbit(x) != 0;
}

static uint64_t high_product(const Type *ty, int64_t a, int64_t b) {
    if (ty->is_signed) return (uint64_t)(((__int128)a * b) >> ty->bits);
    return (uint64_t)(((unsigned __int128)(uint64_t)a * (uint64_t)b) >> ty->bits);
}

static uint64_t int_math(MathFn f, const Type *ty, const uint64_t *const *args) {
    int64_t a = interp_int(ty, *args[0]), b = args[1] ? interp_int(ty, *args[1]) : 0;
    bool less = ty->is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    uint64_t bits = *args[0], v = 0;
    if (f == MATH_ABS) v = ty->is_signed && a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    if (f == MATH_MIN) v = (uint64_t)(less ? a : b);
    if (f == MATH_MAX) v = (uint64_t)(less ? b : a);
    if (f == MATH_CTPOP) v = (uint64_t)__builtin_popcountll(bits);
    if (f == MATH_CLZ) v = bits ? (uint64_t)__builtin_clzll(bits) - (64u - ty->bits) : ty->bits;
    if (f == MATH_CTZ) v = bits ? (uint64_t)__builtin_ctzll(bits) : ty->bits;
    for (unsigned k = 0; f == MATH_BREV && k < ty->bits; k++)
        v |= (bits >> k & 1) << (ty->bits - 1 - k);
    if (f == MATH_MULH) v = high_product(ty, a, b);
    return interp_put_int(ty, v);
}

uint64_t interp_math(MathFn f, const Type *ty, const Type *result, void *address,
                     const uint64_t *const *args) {
    unsigned flags = math_info[f].flags;
    if (flags & M_INT) return int_math(f, result, args);
    PartKind kind = (PartKind)ty->parts[0];
    double a[3] = {0};
    for (int k = 0; k < math_info[f].nargs && !(k && flags & M_EXP); k++)
        a[k] = interp_float(kind, *args[k]);
    if (flags & M_BOOL) return float_class(f, a[0]);
    if (flags & M_EXP) return interp_put_float(kind, scale(kind, a[0], (int64_t)*args[1]));
    if (f == MATH_FABS || f == MATH_COPYSIGN) { /* bits, so that a NaN stays what it is */
        uint64_t top = UINT64_C(1) << (kind == P_F64 ? 63 : kind == P_F32 ? 31 : 15);
        return (*args[0] & ~top) | (f == MATH_COPYSIGN ? *args[1] & top : 0);
    }
    if (kind == P_F64) return interp_put_float(kind, call_wide(f, address, a));
    return interp_put_float(kind, (double)call_narrow(f, address, a));
}
