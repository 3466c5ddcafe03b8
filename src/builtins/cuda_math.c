/* Bits of integers, and what CUDA has of floats beside Python's math. */
#include "builtins/cuda.h"
#include "builtins/mathrules.h"

/* --- bits ------------------------------------------------------------------------------------------------------- */

static Type *type_count(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    return cuda_int(c, 0) ? TY_I(64) : rule_no_overload(c);
}

static Type *type_bits(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    Type *ty = cuda_int(c, 0);
    return ty ? ty : rule_no_overload(c);
}

static Ref bits_arg(Lower *lo, const Call *c) { return lo_arg_as(lo, c->args[0], cuda_int(c, 0)); }

static Ref lower_bits(Lower *lo, Call *c) {
    return lo_convert(lo, lo_math1(lo, (MathFn)c->row->data, bits_arg(lo, c)), c->result);
}

/* Number of the lowest bit that is set, from 1; 0: none. */
static Ref lower_ffs(Lower *lo, Call *c) {
    Ref x = bits_arg(lo, c), zero = lo_number(lo, lo_type(lo, x), 0);
    Ref place = lo_convert(lo, lo_math1(lo, MATH_CTZ, x), TY_I(64));
    place = lo_op2(lo, OP_ADD, place, lo_int(lo, 1));
    return lo_select(lo, lo_cmp(lo, OP_EQ, x, zero), lo_int(lo, 0), place);
}

/* --- floats ----------------------------------------------------------------------------------------------------- */

static Type *type_float(Call *c) { return cuda_in_kernel(c) ? math_float(c, c->nargs) : NULL; }

static Ref lower_fma(Lower *lo, Call *c) {
    Ref v[3];
    for (uint32_t i = 0; i < 3; i++) v[i] = lo_arg_as(lo, c->args[i], c->result);
    return lo_math(lo, MATH_FMA, c->result, 3, v);
}

static Ref lower_cbrt(Lower *lo, Call *c) {
    return math_apply(lo, MATH_CBRT, lo_arg_as(lo, c->args[0], c->result));
}

static Ref lower_rsqrt(Lower *lo, Call *c) {
    Ref root = lo_math1(lo, MATH_SQRT, lo_arg_as(lo, c->args[0], c->result));
    return lo_op2(lo, OP_FDIV, lo_number(lo, c->result, 1), root);
}

/* --- selp ------------------------------------------------------------------------------------------------------- */

static Type *type_select(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    Type *a = plain(c, 1), *b = plain(c, 2);
    Type *ty = c->args[1].weak && !c->args[2].weak && a->kind <= b->kind   ? b
               : c->args[2].weak && !c->args[1].weak && b->kind <= a->kind ? a
                                                                           : ty_join(a, b);
    bool good = ty_is_number(plain(c, 0)) && ty && ty_is_number(ty);
    return good ? ty : rule_no_overload(c);
}

static Ref lower_select(Lower *lo, Call *c) {
    Ref cond = lo_truth(lo, lo_arg(lo, c->args[0]));
    return lo_select(lo, cond, lo_arg_as(lo, c->args[1], c->result),
                     lo_arg_as(lo, c->args[2], c->result));
}

#define CUDA "whipsnake.cuda."
#define BITS(name_, type_, lower_, fn, text) \
    {.name = CUDA name_,                     \
     .params = "x",                          \
     .type = (type_),                        \
     .lower = (lower_),                      \
     .data = (fn),                           \
     .takes = "an integer",                  \
     .doc = (text)}
#define FLOAT(name_, params_, lower_, text) \
    {.name = CUDA name_,                    \
     .params = (params_),                   \
     .type = type_float,                    \
     .lower = (lower_),                     \
     .takes = "real numbers",               \
     .doc = (text)}

const Row rows_cuda_math[] = {
    BITS("popc", type_count, lower_bits, MATH_CTPOP, "how many bits are set"),
    BITS("clz", type_count, lower_bits, MATH_CLZ,
         "how many bits are 0 before the first that is set"),
    BITS("ffs", type_count, lower_ffs, 0, "number of the lowest bit that is set, from 1; 0: none"),
    BITS("brev", type_bits, lower_bits, MATH_BREV, "the bits from the other end"),
    FLOAT("fma", "a, b, c", lower_fma, "a * b + c, rounded once"),
    FLOAT("cbrt", "a", lower_cbrt, "the cube root"),
    FLOAT("rsqrt", "a", lower_rsqrt, "1 / sqrt(a)"),
    {.name = CUDA "selp",
     .params = "a, b, c",
     .type = type_select,
     .lower = lower_select,
     .takes = "a condition and two numbers",
     .doc = "b if a is not 0, else c"},
    {0},
};
