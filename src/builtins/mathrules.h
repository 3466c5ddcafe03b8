/* What the rows of math, cmath, random and NumPy's functions on scalars share (mathrules.c). */
#pragma once
#include "builtins/tables.h"

/* Numbers of runtime/complex.def. */
typedef enum ComplexFn {
#define CFN(name) COMPLEX_##name,
#include "runtime/complex.def"
#undef CFN
    COMPLEX_FNS
} ComplexFn;

/* --- types ------------------------------------------------------------------------------------ */

/* The number type that argument i counts as (an int enum: int64), or NULL. */
Type *math_number(const Call *c, uint32_t i);
/* rule_no_overload, or for an array the advice to loop; always NULL. */
Type *math_refuse(Call *c);
/* math_number, or refused. */
Type *math_require(Call *c, uint32_t i);
/* The float type that the first n arguments, real numbers, compute in: float32 where all that
 * are not literals are float32 (or float16, which computes as float32), else float64. NULL:
 * refused. */
Type *math_float(Call *c, uint32_t n);
/* The same, also for complex numbers. */
Type *math_inexact(Call *c, uint32_t n);
/* The integer type of one or more integers: uint64 if one of them is, else int64. NULL: refused. */
Type *math_int(Call *c, uint32_t n);
/* What abs, floor ... of a real number are: small integers and bool become int64. */
Type *math_same(Type *ty);

/* --- values ----------------------------------------------------------------------------------- */

/* Argument i as the number it is. */
Ref math_arg(Lower *lo, const Call *c, uint32_t i);
/* fn(x), good for all x: repairs what the vector math library gets wrong near the ends of its
 * range. */
Ref math_apply(Lower *lo, MathFn fn, Ref x);
/* fn(z) without errors; z and result complex. */
Ref math_apply_complex(Lower *lo, ComplexFn fn, Ref z);
Ref math_scaled(Lower *lo, Ref x, double by); /* x * by */
Ref math_is(Lower *lo, MathFn test, Ref x); /* isnan, isinf, isfinite of any number: bool */
Ref math_frexp(Lower *lo, Ref x, Type *result); /* tuple(float, int64) */
Ref math_modf(Lower *lo, Ref x, Type *result); /* tuple(float, float) */
Ref math_magnitude(Lower *lo, Ref i); /* |i| of any integer as uint64 */
Ref math_gcd(Lower *lo, Ref a, Ref b); /* of uint64 */
/* Of uint64. `any` (or 0: wrap): raise where it does not fit, unless this is true. */
Ref math_lcm(Lower *lo, Ref a, Ref b, Ref any);
