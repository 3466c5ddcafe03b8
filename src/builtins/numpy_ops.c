/* NumPy's functions that are Python's operators, and their kin, on scalars: never raising, but
 * that an integer to a negative power is a ValueError there, too. See numpy_math.c. */
#include <math.h>

#include "builtins/mathrules.h"

/* --- arithmetic ------------------------------------------------------------------------------- */

static bool are_bools(const Call *c) {
    return math_number(c, 0)->kind == TY_BOOL && math_number(c, 1)->kind == TY_BOOL;
}

/* A literal takes the other's type, if it fits: NumPy's rule, as for the operators. */
static Operand operand(const Call *c, uint32_t i) {
    const Arg *a = &c->args[i];
    Operand o = {.ty = math_number(c, i), .weak = a->weak};
    o.nonneg = o.weak && a->k && ty_is_integral(a->k->ty) && a->k->i >= 0;
    return o;
}

static bool promote(const Call *c, BinOp op, Promotion *p) {
    return ty_promote(op, operand(c, 0), operand(c, 1), p);
}

/* Of bools, + is or, * is and, - is none: they stay bools. */
static Type *binary_type(Call *c, BinOp op) {
    Promotion p;
    if (!math_require(c, 0) || !math_require(c, 1)) return NULL;
    if (are_bools(c) && op == BIN_SUB) return math_refuse(c);
    if (are_bools(c) && (op == BIN_ADD || op == BIN_MUL)) return TY_OF(TY_BOOL);
    return promote(c, op, &p) ? p.result : math_refuse(c);
}

/* Floats: a // 0 is a / 0, where the rest, and with it Python's quotient, is NaN. */
static Ref floor_divide(Lower *lo, Ref a, Ref b, Type *ty) {
    a = lo_convert(lo, a, ty);
    b = lo_convert(lo, b, ty);
    Ref zero = lo_cmp(lo, OP_EQ, b, lo_float(lo, ty, 0));
    Ref divisor = lo_select(lo, zero, lo_float(lo, ty, 1), b);
    return lo_select(lo, zero, lo_op2(lo, OP_FDIV, a, b), lo_op2(lo, OP_FLOORDIV, a, divisor));
}

static Ref binary(Lower *lo, const Call *c, BinOp op, Ref a, Ref b) {
    Promotion p;
    promote(c, op, &p);
    /* counts below 0 shift everything out, like those above 63 */
    if (op == BIN_LSHIFT || op == BIN_RSHIFT)
        b = lo_convert(lo, lo_convert(lo, b, TY_I(64)), TY_U(64));
    if (op == BIN_FLOORDIV && p.operand->kind == TY_FLOAT) return floor_divide(lo, a, b, p.operand);
    if (op == BIN_MOD && p.operand->kind == TY_FLOAT) {
        a = lo_convert(lo, a, p.operand);
        b = lo_convert(lo, b, p.operand);
        Ref none = lo_float(lo, p.operand, NAN),
            zero = lo_cmp(lo, OP_EQ, b, lo_float(lo, p.operand, 0));
        Ref divisor = lo_select(lo, zero, lo_float(lo, p.operand, 1), b);
        return lo_select(lo, zero, none, lo_op2(lo, OP_FLOORMOD, a, divisor));
    }
    bool errors = lo->fn->options.numpy_errors;
    lo->fn->options.numpy_errors = true;
    Const *k = op == BIN_LSHIFT || op == BIN_RSHIFT ? NULL : c->args[1].k;
    Ref r = lo_binary_number(lo, op, a, b, p.operand, p.result, k);
    lo->fn->options.numpy_errors = errors;
    return r;
}

static Type *type_binary(Call *c) { return binary_type(c, (BinOp)c->row->data); }

static Ref lower_binary(Lower *lo, Call *c) {
    Ref a = math_arg(lo, c, 0), b = math_arg(lo, c, 1);
    BinOp op = (BinOp)c->row->data;
    if (are_bools(c) && op == BIN_ADD) return lo_or(lo, a, b);
    if (are_bools(c) && op == BIN_MUL) return lo_and(lo, a, b);
    return binary(lo, c, op, a, b);
}

static Type *type_divmod(Call *c) {
    Type *ty = binary_type(c, BIN_FLOORDIV);
    return ty ? ty_tuple((Type *[]){ty, ty}, 2) : NULL;
}

static Ref lower_divmod(Lower *lo, Call *c) {
    Ref a = math_arg(lo, c, 0), b = math_arg(lo, c, 1);
    Ref parts[] = {binary(lo, c, BIN_FLOORDIV, a, b), binary(lo, c, BIN_MOD, a, b)};
    return lo_make(lo, c->result, 2, parts);
}

/* The rest with the sign of the dividend; x % 0 of integers is 0. */
static Type *type_fmod(Call *c) { return binary_type(c, BIN_MOD); }

static Ref lower_fmod(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref a = lo_arg_as(lo, c->args[0], ty), b = lo_arg_as(lo, c->args[1], ty);
    if (ty->kind == TY_FLOAT) return lo_math2(lo, MATH_FMOD, a, b);
    Ref r = binary(lo, c, BIN_MOD, a, b), zero = lo_number(lo, ty, 0);
    if (!ty->is_signed) return r;
    Ref differ = lo_cmp(lo, OP_LT, lo_op2(lo, OP_XOR, a, b), zero);
    Ref over = lo_and(lo, differ, lo_cmp(lo, OP_NE, r, zero));
    return lo_select(lo, over, lo_op2(lo, OP_SUB, r, b), r);
}

/* Always float64, or complex128. */
static Type *type_float_power(Call *c) {
    Type *ty = math_inexact(c, 2);
    return !ty ? NULL : ty->kind == TY_COMPLEX ? TY_C(128) : TY_F(64);
}

static Ref lower_float_power(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref a = lo_arg_as(lo, c->args[0], ty), b = lo_arg_as(lo, c->args[1], ty);
    if (ty->kind == TY_FLOAT) return lo_math2(lo, MATH_POW, a, b);
    return lo_rt(lo, "ws_cpow_numpy", ty, 2, (Ref[]){a, b});
}

static Type *type_reciprocal(Call *c) {
    Type *ty = math_require(c, 0);
    return ty && ty_is_integral(ty) ? math_refuse(c) : ty;
}

/* By the larger part, as complex division. */
static Ref complex_reciprocal(Lower *lo, Ref z) {
    Type *part = lo_type(lo, lo_field(lo, z, 0));
    Ref re = lo_field(lo, z, 0), im = lo_field(lo, z, 1), one = lo_float(lo, part, 1);
    Ref wide = lo_cmp(lo, OP_LE, lo_math1(lo, MATH_FABS, im), lo_math1(lo, MATH_FABS, re));
    Ref big = lo_select(lo, wide, re, im), small = lo_select(lo, wide, im, re);
    Ref ratio = lo_op2(lo, OP_FDIV, small, big);
    Ref den = lo_op2(lo, OP_ADD, big, lo_op2(lo, OP_MUL, small, ratio));
    Ref less = lo_op1(lo, OP_NEG, part, lo_select(lo, wide, ratio, one));
    return lo_complex(lo, lo_type(lo, z), lo_op2(lo, OP_FDIV, lo_select(lo, wide, one, ratio), den),
                      lo_op2(lo, OP_FDIV, less, den));
}

static Ref lower_reciprocal(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty);
    return ty->kind == TY_COMPLEX ? complex_reciprocal(lo, x)
                                  : lo_op2(lo, OP_FDIV, lo_float(lo, ty, 1), x);
}

/* --- the smaller, the larger ------------------------------------------------------------------ */

/* The real number type in common; bools stay bools. */
static Type *type_pick(Call *c) {
    Promotion p;
    if (!math_require(c, 0) || !math_require(c, 1)) return NULL;
    if (are_bools(c)) return TY_OF(TY_BOOL);
    return promote(c, BIN_ADD, &p) && p.result->kind != TY_COMPLEX ? p.result : math_refuse(c);
}

/* NaN wins; of equals, as 0.0 and -0.0, the second. */
static Ref pick(Lower *lo, bool max, Ref a, Ref b) {
    Type *ty = lo_type(lo, a);
    if (ty->kind == TY_BOOL) return max ? lo_or(lo, a, b) : lo_and(lo, a, b);
    if (ty->kind == TY_INT) return lo_math2(lo, max ? MATH_MAX : MATH_MIN, a, b);
    Ref first = lo_or(lo, lo_cmp(lo, max ? OP_GT : OP_LT, a, b), lo_math1(lo, MATH_ISNAN, a));
    return lo_select(lo, first, a, b);
}

static Ref lower_pick(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref a = lo_arg_as(lo, c->args[0], ty), b = lo_arg_as(lo, c->args[1], ty);
    bool max = c->row->data & 1, ignore_nan = c->row->data & 2;
    if (!ignore_nan || ty->kind != TY_FLOAT) return pick(lo, max, a, b);
    return lo_math2(lo, max ? MATH_FMAX : MATH_FMIN, a, b);
}

static bool has_bound(const Call *c, uint32_t i) {
    return given(c, i) && c->args[i].ty->kind != TY_NONE;
}

/* clip(a, a_min, a_max), a bound may be None */
static Type *type_clip(Call *c) {
    Operand all = {.ty = math_require(c, 0), .weak = c->args[0].weak};
    if (!all.ty) return NULL;
    for (uint32_t i = 1; i < 3; i++) {
        Promotion p;
        if (!has_bound(c, i)) continue;
        if (!math_require(c, i)) return NULL;
        Operand o = operand(c, i);
        if (!ty_promote(BIN_ADD, all, o, &p) || p.result->kind == TY_COMPLEX) return math_refuse(c);
        all = (Operand){.ty = p.result, .weak = all.weak && o.weak};
    }
    return math_same(all.ty);
}

static Ref lower_clip(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty);
    if (has_bound(c, 1)) x = pick(lo, true, lo_arg_as(lo, c->args[1], ty), x);
    if (has_bound(c, 2)) x = pick(lo, false, lo_arg_as(lo, c->args[2], ty), x);
    return x;
}

/* where(condition, x, y); where(condition): the places where it is true */
static bool is_where_true(const Call *c) { return !given(c, 1) && !given(c, 2); }

static Type *type_where(Call *c) {
    Promotion p;
    if (is_where_true(c)) {
        Inst *f = infer_prelude(c->in, c->inst, c->row->prelude, &c->args[0].ty, 1, c->ins);
        return f && f->ret->kind != TY_UNDEF ? f->ret : NULL;
    }
    if (!given(c, 1) || !given(c, 2))
        return infer_fail(c->in, c->span, D_TYPING,
                          "either both or neither of x and y should be given");
    for (uint32_t i = 0; i < 3; i++)
        if (!math_require(c, i)) return NULL;
    if (math_number(c, 1) == math_number(c, 2)) return math_number(c, 1);
    return ty_promote(BIN_ADD, operand(c, 1), operand(c, 2), &p) ? p.result : math_refuse(c);
}

static Ref lower_where(Lower *lo, Call *c) {
    if (is_where_true(c)) {
        Ref condition = lo_arg(lo, c->args[0]);
        return lo_prelude(lo, c->row->prelude, 1, &condition);
    }
    Ref x = lo_arg_as(lo, c->args[1], c->result), y = lo_arg_as(lo, c->args[2], c->result);
    return lo_select(lo, lo_truth(lo, math_arg(lo, c, 0)), x, y);
}

/* --- comparisons, logic ----------------------------------------------------------------------- */

static Type *type_compare(Call *c) {
    Type *a = math_require(c, 0), *b = a ? math_require(c, 1) : NULL;
    if (!b) return NULL;
    bool ordered = a->kind != TY_COMPLEX && b->kind != TY_COMPLEX;
    return ordered || c->row->data == CMP_EQ || c->row->data == CMP_NE ? TY_OF(TY_BOOL)
                                                                       : math_refuse(c);
}

static Ref lower_compare(Lower *lo, Call *c) {
    return lo_compare_number(lo, (CmpOp)c->row->data, math_arg(lo, c, 0), math_arg(lo, c, 1));
}

static Type *type_logic(Call *c) {
    for (uint32_t i = 0; i < c->nargs; i++)
        if (!math_require(c, i)) return NULL;
    return TY_OF(TY_BOOL);
}

static Ref lower_logic(Lower *lo, Call *c) {
    Ref a = lo_truth(lo, math_arg(lo, c, 0));
    return c->nargs == 1 ? lo_not(lo, a)
                         : lo_op2(lo, (Op)c->row->data, a, lo_truth(lo, math_arg(lo, c, 1)));
}

static Type *type_invert(Call *c) {
    Type *ty = math_require(c, 0);
    if (ty && !ty_is_integral(ty)) return math_refuse(c);
    return !ty || ty->kind == TY_BOOL ? ty : math_same(ty);
}

static Ref lower_invert(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty);
    return lo_op2(lo, OP_XOR, x,
                  ty->kind == TY_BOOL ? lo_bool(lo, true)
                                      : lo_const(lo, ir_const_int(lo->cx, ty, -1)));
}

/* --- integers, rounding ----------------------------------------------------------------------- */

static Type *type_divisor(Call *c) { return math_int(c, 2); }

static Ref lower_divisor(Lower *lo, Call *c) {
    Ref a = math_magnitude(lo, math_arg(lo, c, 0)), b = math_magnitude(lo, math_arg(lo, c, 1));
    return lo_convert(lo, c->row->data ? math_lcm(lo, a, b, 0) : math_gcd(lo, a, b), c->result);
}

/* round(a, decimals): integers only without decimals. */
static bool has_decimals(const Call *c) {
    return given(c, 1) && !(c->args[1].k && c->args[1].k->i == 0);
}

static Type *type_round(Call *c) {
    Type *ty = math_require(c, 0), *digits = ty && given(c, 1) ? math_require(c, 1) : TY_I(64);
    if (!ty || !digits) return NULL;
    bool good = ty->kind == TY_FLOAT || (ty_is_integral(ty) && !has_decimals(c));
    if (!good || !ty_is_integral(digits)) return math_refuse(c);
    if (!has_decimals(c)) return math_same(ty);
    infer_prelude(c->in, c->inst, c->row->prelude, (Type *[]){TY_F(64), TY_I(64)}, 2, c->ins);
    return ty;
}

static Ref lower_round(Lower *lo, Call *c) {
    Type *ty = c->result;
    Ref x = lo_arg_as(lo, c->args[0], ty);
    if (!has_decimals(c)) return ty->kind == TY_FLOAT ? lo_math1(lo, MATH_RINT, x) : x;
    Ref args[] = {lo_convert(lo, x, TY_F(64)), lo_arg_as(lo, c->args[1], TY_I(64))};
    return lo_convert(lo, lo_prelude(lo, c->row->prelude, 2, args), ty);
}

/* isclose(a, b, rtol, atol, equal_nan) */
enum { RTOL = 2, ATOL, EQUAL_NAN, CLOSE_ARGS };

static Type *close_type(const Call *c, uint32_t i) {
    if (i == EQUAL_NAN) return TY_OF(TY_BOOL);
    bool complex = math_number(c, 0)->kind == TY_COMPLEX || math_number(c, 1)->kind == TY_COMPLEX;
    return complex && i < RTOL ? TY_C(128) : TY_F(64);
}

static Type *type_close(Call *c) {
    Type *types[CLOSE_ARGS];
    for (uint32_t i = 0; i < CLOSE_ARGS; i++) {
        if (!given(c, i)) continue;
        Type *ty = math_require(c, i);
        if (!ty) return NULL;
        if (i >= RTOL && ty->kind == TY_COMPLEX) return math_refuse(c);
    }
    for (uint32_t i = 0; i < CLOSE_ARGS; i++) types[i] = close_type(c, i);
    infer_prelude(c->in, c->inst, c->row->prelude, types, CLOSE_ARGS, c->ins);
    return TY_OF(TY_BOOL);
}

static Ref lower_close(Lower *lo, Call *c) {
    Ref args[] = {0, 0, lo_float(lo, TY_F(64), 1e-05), lo_float(lo, TY_F(64), 1e-08),
                  lo_bool(lo, false)};
    for (uint32_t i = 0; i < CLOSE_ARGS; i++)
        if (given(c, i)) args[i] = lo_convert(lo, math_arg(lo, c, i), close_type(c, i));
    return lo_prelude(lo, c->row->prelude, CLOSE_ARGS, args);
}

/* --- table ------------------------------------------------------------------------------------ */

/* clang-format off */
#define INTS "bBhHiIlL"
#define ROW(name_, params_, kind, data_, loops_, doc_)                                             \
    {.name = "numpy." name_, .params = params_, .type = type_##kind, .lower = lower_##kind,        \
     .data = data_, .loops = loops_, .flags = ROW_UFUNC, .doc = doc_}

const Row rows_numpy_ops[] = {
    ROW("add",           "x1, x2",            binary,      BIN_ADD, "XX>X:?" INTS "efdFD", "x1 + x2"),
    ROW("subtract",      "x1, x2",            binary,      BIN_SUB, "XX>X:!" INTS "efdFD", "x1 - x2"),
    ROW("multiply",      "x1, x2",            binary,      BIN_MUL, "XX>X:?" INTS "efdFD", "x1 * x2"),
    ROW("divide",        "x1, x2",            binary,      BIN_TRUEDIV, "XX>X:defdFD", "x1 / x2"),
    ROW("floor_divide",  "x1, x2",            binary,      BIN_FLOORDIV, "XX>X:" INTS "efd", "x1 // x2; ints: 0 for 0"),
    ROW("remainder",     "x1, x2",            binary,      BIN_MOD, "XX>X:" INTS "efd", "x1 % x2; ints: 0 for 0"),
    ROW("power",         "x1, x2",            binary,      BIN_POW, "XX>X:" INTS "efdFD", "x1 ** x2"),
    ROW("left_shift",    "x1, x2",            binary,      BIN_LSHIFT, "XX>X:" INTS, "x1 << x2"),
    ROW("right_shift",   "x1, x2",            binary,      BIN_RSHIFT, "XX>X:" INTS, "x1 >> x2"),
    ROW("bitwise_and",   "x1, x2",            binary,      BIN_AND, "XX>X:?" INTS, "x1 & x2"),
    ROW("bitwise_or",    "x1, x2",            binary,      BIN_OR, "XX>X:?" INTS, "x1 | x2"),
    ROW("bitwise_xor",   "x1, x2",            binary,      BIN_XOR, "XX>X:?" INTS, "x1 ^ x2"),
    ROW("invert",        "x",                 invert,      0, "X>X:?" INTS, "~x; of a bool: not"),
    ROW("divmod",        "x1, x2",            divmod,      0, "XX>XX:" INTS "efd", "x1 // x2 and x1 % x2"),
    ROW("fmod",          "x1, x2",            fmod,        0, "XX>X:" INTS "efd", "rest, signed as x1"),
    ROW("float_power",   "x1, x2",            float_power, 0, "XX>X:dD", "x1 ** x2, in 64 bits"),
    ROW("reciprocal",    "x",                 reciprocal,  0, "X>X:!efdFD", "1 / x"),
    ROW("minimum",       "x1, x2",            pick,        0, "XX>X:?" INTS "efd", "the smaller; NaN wins"),
    ROW("maximum",       "x1, x2",            pick,        1, "XX>X:?" INTS "efd", "the larger; NaN wins"),
    ROW("fmin",          "x1, x2",            pick,        2, "XX>X:?" INTS "efd", "the smaller; NaN loses"),
    ROW("fmax",          "x1, x2",            pick,        3, "XX>X:?" INTS "efd", "the larger; NaN loses"),
    ROW("clip",          "a, a_min=, a_max=", clip,        0, "XXX>X:" INTS "efd", "a between two bounds"),
    ROW("equal",         "x1, x2",            compare,     CMP_EQ, "VV>?:?" INTS "efdFD", "x1 == x2"),
    ROW("not_equal",     "x1, x2",            compare,     CMP_NE, "VV>?:?" INTS "efdFD", "x1 != x2"),
    ROW("less",          "x1, x2",            compare,     CMP_LT, "VV>?:?" INTS "efd", "x1 < x2"),
    ROW("less_equal",    "x1, x2",            compare,     CMP_LE, "VV>?:?" INTS "efd", "x1 <= x2"),
    ROW("greater",       "x1, x2",            compare,     CMP_GT, "VV>?:?" INTS "efd", "x1 > x2"),
    ROW("greater_equal", "x1, x2",            compare,     CMP_GE, "VV>?:?" INTS "efd", "x1 >= x2"),
    ROW("logical_and",   "x1, x2",            logic,       OP_AND, "XX>?:?" INTS "efdFD", "both are true"),
    ROW("logical_or",    "x1, x2",            logic,       OP_OR, "XX>?:?" INTS "efdFD", "one is true"),
    ROW("logical_xor",   "x1, x2",            logic,       OP_XOR, "XX>?:?" INTS "efdFD", "just one is true"),
    ROW("logical_not",   "x",                 logic,       0, "X>?:?" INTS "efdFD", "x is false"),
    ROW("gcd",           "x1, x2",            divisor,     0, "XX>X:!" INTS, "greatest common divisor"),
    ROW("lcm",           "x1, x2",            divisor,     1, "XX>X:!" INTS, "least common multiple"),
    {.name = "numpy.where", .params = "condition, x=, y=", .prelude = "select.nonzero", .type = type_where, .lower = lower_where,
     .loops = "?XX>X:?" INTS "efdFD", .doc = "x where the condition is true, else y"},
    {.name = "numpy.round", .params = "a, decimals=", .loops = "X>X:" INTS "efd", .flags = ROW_UFUNC, .type = type_round, .lower = lower_round,
     .prelude = "math_float.round_decimals", .doc = "rounded to decimals, half to even"},
    {.name = "numpy.around", .params = "a, decimals=", .loops = "X>X:" INTS "efd", .flags = ROW_UFUNC, .type = type_round, .lower = lower_round,
     .prelude = "math_float.round_decimals", .doc = "rounded to decimals, half to even"},
    {.name = "numpy.isclose", .params = "a, b, rtol=, atol=, equal_nan=",
     .loops = "XX>?:?" INTS "efdFD", .type = type_close,
     .lower = lower_close, .prelude = "math_float.isclose_numpy", .doc = "are two numbers close"},
    {0},
};
