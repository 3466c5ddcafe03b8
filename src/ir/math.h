/* The scalar math functions of OP_MATH (ir/math.def). */
#pragma once
#include <stddef.h>

typedef enum MathFn {
#define MATH(name, text, nargs, intrinsic, cfunc, sleef, flags) MATH_##name,
#include "ir/math.def"
#undef MATH
    MATHS
} MathFn;

typedef struct MathInfo {
    const char *text;
    int nargs;
    const char *intrinsic, *cfunc, *sleef;
    unsigned flags; /* M_BOOL, M_INT, M_EXP */
} MathInfo;
extern const MathInfo math_info[MATHS];
