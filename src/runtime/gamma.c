/* The gamma function as CPython computes it, so that compiled code agrees with math.gamma to the
 * last bits: Lanczos' approximation with g and the rational coefficients of Boost's 13-term table
 * (N = 13, double). C's own tgamma and lgamma differ by several ulp. Where Python raises, the
 * result is NaN or infinity. */
#include <math.h>

#include "runtime/runtime.h"

static const double pi = 3.141592653589793238462643383279502884197;
static const double log_pi = 1.144729885849400174143427351353058711647;
static const double g = 6.024680040776729583740234375;
static const double g_minus_half = 5.524680040776729583740234375;

enum { TERMS = 13 };
static const double numerator[TERMS] = {23531376880.410759688572007674451636754734846804940,
                                        42919803642.649098768957899047001988850926355848959,
                                        35711959237.355668049440185451547166705960488635843,
                                        17921034426.037209699919755754458931112671403265390,
                                        6039542586.3520280050642916443072979210699388420708,
                                        1439720407.3117216736632230727949123939715485786372,
                                        248874557.86205415651146038641322942321632125127801,
                                        31426415.585400194380614231628318205362874684987640,
                                        2876370.6289353724412254090516208496135991145378768,
                                        186056.26539522349504029498971604569928220784236328,
                                        8071.6720023658162106380029022722506138218516325024,
                                        210.82427775157934587250973392071336271166969580291,
                                        2.5066282746310002701649081771338373386264310793408};
/* x (x+1) ... (x+11), multiplied out */
static const double denominator[TERMS] = {
    0.0,       39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0,
    2637558.0, 357423.0,   32670.0,     1925.0,      66.0,        1.0};

/* Above 5 the powers of 1/x keep both sums in range and accurate. */
static double lanczos_sum(double x) {
    double num = 0.0, den = 0.0;
    if (x < 5.0) {
        for (int i = TERMS; i-- > 0;) {
            num = num * x + numerator[i];
            den = den * x + denominator[i];
        }
    } else {
        for (int i = 0; i < TERMS; i++) {
            num = num / x + numerator[i];
            den = den / x + denominator[i];
        }
    }
    return num / den;
}

/* sin(pi x), exact where it is zero or one. */
static double sin_pi(double x) {
    double y = fmod(fabs(x), 2.0), r = 0.0;
    switch ((int)round(2.0 * y)) {
    case 0: r = sin(pi * y); break;
    case 1: r = cos(pi * (y - 0.5)); break;
    case 2: r = sin(pi * (1.0 - y)); break; /* not -sin(pi * (y - 1)): keeps the sign of zero */
    case 3: r = -cos(pi * (y - 1.5)); break;
    default: r = sin(pi * (y - 2.0)); break;
    }
    return copysign(1.0, x) * r;
}

/* n! for 0 <= n < 23 is exact in a double. */
static double factorial(int n) {
    double r = 1.0;
    for (int i = 2; i <= n; i++) r *= i;
    return r;
}

/* y ** (x - 1/2) multiplied into (or, inverse, divided out of) r; in two steps where one would
 * overflow. */
static double scale(double r, double y, double x, bool inverse) {
    if (x < 140.0) {
        double p = pow(y, x - 0.5);
        return inverse ? r / p : r * p;
    }
    double p = pow(y, x / 2.0 - 0.25);
    return inverse ? r / p / p : r * p * p;
}

double ws_gamma(double x) {
    if (isnan(x) || (isinf(x) && x > 0)) return x;
    if (isinf(x)) return NAN;
    if (x == 0.0) return copysign(INFINITY, x);
    if (x == floor(x)) {
        if (x < 0.0) return NAN;
        if (x <= 23.0) return factorial((int)x - 1);
    }
    double a = fabs(x);
    if (a < 1e-20) return 1.0 / x;
    if (a > 200.0) return x < 0.0 ? 0.0 / sin_pi(x) : INFINITY;
    double y = a + g_minus_half;
    /* What was lost in that sum, to be put back at the end. */
    double lost = a > g_minus_half ? (y - a) - g_minus_half : (y - g_minus_half) - a;
    double z = lost * g / y;
    if (x < 0.0) {
        double r = -pi / sin_pi(a) / a * exp(y) / lanczos_sum(a);
        return scale(r - z * r, y, a, true);
    }
    double r = lanczos_sum(a) / exp(y);
    return scale(r + z * r, y, a, false);
}

double ws_lgamma(double x) {
    if (isnan(x)) return x;
    if (isinf(x)) return INFINITY;
    if (x == floor(x) && x <= 2.0) return x <= 0.0 ? INFINITY : 0.0;
    double a = fabs(x);
    if (a < 1e-20) return -log(a);
    double r = log(lanczos_sum(a)) - g;
    r += (a - 0.5) * (log(a + g - 0.5) - 1.0);
    if (x < 0.0) r = log_pi - log(fabs(sin_pi(a))) - log(a) - r;
    return r;
}

float ws_gammaf(float x) { return (float)ws_gamma(x); }
float ws_lgammaf(float x) { return (float)ws_lgamma(x); }
