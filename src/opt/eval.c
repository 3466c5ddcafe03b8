/* Evaluates pure scalar operations on constants: what ir/ops.def says, and nothing that only the
 * machine knows.
 *
 * Left alone on purpose: NaN results (their sign differs between machines), half floats, and every
 * function of math.def that is not exact, because the library that runs later must give the same
 * bits. */
#include <math.h>

#include "ir/math.h"
#include "opt/opt_int.h"

typedef const Const *K;
typedef bool (*EvalFn)(const Ins *i, const K *k, Const *out);

int64_t opt_wrap_int(const Type *ty, uint64_t v) {
    if (ty->kind == TY_BOOL) return v & 1;
    unsigned drop = ty->bits ? 64u - ty->bits : 0;
    if (drop == 0) return (int64_t)v;
    return ty->is_signed ? (int64_t)(v << drop) >> drop : (int64_t)(v << drop >> drop);
}

static bool is_int(const Type *t) { return t->kind == TY_INT || t->kind == TY_BOOL; }
static bool is_float(const Type *t) { return t->kind == TY_FLOAT && t->bits >= 32; }
static bool is_unsigned(const Type *t) { return t->kind == TY_BOOL || !t->is_signed; }

static bool put_int(const Ins *i, Const *out, uint64_t v) {
    *out = (Const){.ty = i->ty, .i = opt_wrap_int(i->ty, v)};
    return true;
}

static bool put_bool(const Ins *i, Const *out, bool v) {
    *out = (Const){.ty = i->ty, .i = v};
    return true;
}

static bool put_float(const Ins *i, Const *out, double v) {
    if (isnan(v)) return false;
    *out = (Const){.ty = i->ty};
    out->f[0] = i->ty->bits == 32 ? (double)(float)v : v;
    return true;
}

/* Arithmetic: double rounding is harmless for these operations on float32 carried out in
 * float64. */
#define ARITH(name, int_expr, float_expr)                          \
    static bool ev_##name(const Ins *i, const K *k, Const *out) {  \
        if (is_int(i->ty)) {                                       \
            uint64_t a = (uint64_t)k[0]->i, b = (uint64_t)k[1]->i; \
            return put_int(i, out, int_expr);                      \
        }                                                          \
        double a = k[0]->f[0], b = k[1]->f[0];                     \
        return is_float(i->ty) && put_float(i, out, float_expr);   \
    }
ARITH(add, a + b, a + b)
ARITH(sub, a - b, a - b)
ARITH(mul, a *b, a *b)

static bool ev_neg(const Ins *i, const K *k, Const *out) {
    if (is_int(i->ty)) return put_int(i, out, 0 - (uint64_t)k[0]->i);
    return is_float(i->ty) && put_float(i, out, -k[0]->f[0]);
}

static bool ev_fdiv(const Ins *i, const K *k, Const *out) {
    return is_float(i->ty) && put_float(i, out, k[0]->f[0] / k[1]->f[0]);
}

static bool ev_floordiv(const Ins *i, const K *k, Const *out) {
    int64_t a = k[0]->i, b = k[1]->i;
    if (!is_int(i->ty) || b == 0) return false;
    if (is_unsigned(i->ty)) return put_int(i, out, (uint64_t)a / (uint64_t)b);
    if (b == -1) return put_int(i, out, 0 - (uint64_t)a);
    return put_int(i, out, (uint64_t)(a / b - (a % b != 0 && (a % b < 0) != (b < 0))));
}

static bool ev_floormod(const Ins *i, const K *k, Const *out) {
    int64_t a = k[0]->i, b = k[1]->i;
    if (!is_int(i->ty) || b == 0) return false;
    if (is_unsigned(i->ty)) return put_int(i, out, (uint64_t)a % (uint64_t)b);
    if (b == -1) return put_int(i, out, 0);
    int64_t m = a % b;
    return put_int(i, out, (uint64_t)(m != 0 && (m < 0) != (b < 0) ? m + b : m));
}

#define BITOP(name, op)                                                                  \
    static bool ev_##name(const Ins *i, const K *k, Const *out) {                        \
        return is_int(i->ty) && put_int(i, out, (uint64_t)k[0]->i op(uint64_t) k[1]->i); \
    }
BITOP(and, &)
BITOP(or, |)
BITOP(xor, ^)

static bool ev_shl(const Ins *i, const K *k, Const *out) {
    uint64_t n = (uint64_t)k[1]->i;
    return is_int(i->ty) && put_int(i, out, n > 63 ? 0 : (uint64_t)k[0]->i << n);
}

static bool ev_shr(const Ins *i, const K *k, Const *out) {
    uint64_t n = (uint64_t)k[1]->i;
    if (!is_int(i->ty)) return false;
    if (is_unsigned(i->ty)) return put_int(i, out, n > 63 ? 0 : (uint64_t)k[0]->i >> n);
    return put_int(i, out, (uint64_t)(k[0]->i >> (n > 63 ? 63 : n)));
}

#define COMPARE(name, op)                                                                    \
    static bool ev_##name(const Ins *i, const K *k, Const *out) {                            \
        const Type *t = k[0]->ty;                                                            \
        if (is_float(t)) return put_bool(i, out, k[0]->f[0] op k[1]->f[0]);                  \
        if (!is_int(t)) return false;                                                        \
        if (is_unsigned(t)) return put_bool(i, out, (uint64_t)k[0]->i op(uint64_t) k[1]->i); \
        return put_bool(i, out, k[0]->i op k[1]->i);                                         \
    }
COMPARE(eq, ==)
COMPARE(ne, !=)
COMPARE(lt, <)
COMPARE(le, <=)
COMPARE(gt, >)
COMPARE(ge, >=)

static bool ev_select(const Ins *i, const K *k, Const *out) {
    (void)i;
    *out = *(k[0]->i ? k[1] : k[2]);
    return true;
}

static bool float_to_int(const Ins *i, double v, Const *out) {
    double low = is_unsigned(i->ty) ? 0 : -ldexp(1, i->ty->bits - 1);
    double high = ldexp(1, is_unsigned(i->ty) ? i->ty->bits : i->ty->bits - 1);
    v = trunc(v);
    if (!(v >= low && v < high)) return false; /* any value: leave it to the machine */
    return put_int(i, out, is_unsigned(i->ty) ? (uint64_t)v : (uint64_t)(int64_t)v);
}

static bool ev_cast(const Ins *i, const K *k, Const *out) {
    const Type *from = k[0]->ty, *to = i->ty;
    if (is_int(from)) {
        if (to->kind == TY_BOOL) return put_bool(i, out, k[0]->i != 0);
        if (is_int(to)) return put_int(i, out, (uint64_t)k[0]->i);
        if (!is_float(to)) return false;
        bool u = is_unsigned(from);
        if (to->bits == 32) return put_float(i, out, u ? (float)(uint64_t)k[0]->i : (float)k[0]->i);
        return put_float(i, out, u ? (double)(uint64_t)k[0]->i : (double)k[0]->i);
    }
    if (!is_float(from)) return false;
    if (to->kind == TY_BOOL) return put_bool(i, out, k[0]->f[0] != 0);
    if (to->kind == TY_INT) return float_to_int(i, k[0]->f[0], out);
    return is_float(to) && put_float(i, out, k[0]->f[0]);
}

static bool ev_bitcast(const Ins *i, const K *k, Const *out) {
    return is_int(i->ty) && is_int(k[0]->ty) && put_int(i, out, (uint64_t)k[0]->i);
}

static bool ev_wrap(const Ins *i, const K *k, Const *out) {
    uint64_t v = (uint64_t)k[0]->i;
    return put_int(i, out, k[0]->i < 0 ? v + (uint64_t)k[1]->i : v);
}

static bool math_float(const Ins *i, const K *k, Const *out) {
    double x = k[0]->f[0];
    switch ((MathFn)i->sub) {
    case MATH_SQRT: return put_float(i, out, sqrt(x));
    case MATH_FABS: return put_float(i, out, fabs(x));
    case MATH_FLOOR: return put_float(i, out, floor(x));
    case MATH_CEIL: return put_float(i, out, ceil(x));
    case MATH_TRUNC: return put_float(i, out, trunc(x));
    case MATH_RINT: return put_float(i, out, rint(x));
    case MATH_COPYSIGN: return put_float(i, out, copysign(x, k[1]->f[0]));
    case MATH_ISNAN: return put_bool(i, out, isnan(x));
    case MATH_ISINF: return put_bool(i, out, isinf(x));
    case MATH_ISFINITE: return put_bool(i, out, isfinite(x));
    case MATH_SIGNBIT: return put_bool(i, out, signbit(x));
    default: return false;
    }
}

static bool math_int(const Ins *i, const K *k, Const *out) {
    uint64_t a = (uint64_t)k[0]->i, b = i->nargs > 1 ? (uint64_t)k[1]->i : 0;
    bool u = is_unsigned(i->ty), less = u ? a < b : (int64_t)a < (int64_t)b;
    switch ((MathFn)i->sub) {
    case MATH_ABS: return put_int(i, out, !u && (int64_t)a < 0 ? 0 - a : a);
    case MATH_MIN: return put_int(i, out, less ? a : b);
    case MATH_MAX: return put_int(i, out, less ? b : a);
    default: return false;
    }
}

static bool ev_math(const Ins *i, const K *k, Const *out) {
    if (is_float(k[0]->ty)) return math_float(i, k, out);
    return is_int(i->ty) && k[0]->ty == i->ty && math_int(i, k, out);
}

/* FIELD of an aggregate constant. */
static bool ev_field(const Ins *i, const K *k, Const *out) {
    const Const *c = k[0];
    if (c->ty->kind == TY_COMPLEX) {
        *out = (Const){.ty = i->ty};
        out->f[0] = c->f[i->imm];
        return true;
    }
    if (c->ty->kind == TY_TUPLE || c->ty->kind == TY_RANGE) {
        *out = *c->seq.items[i->imm];
        return out->ty == i->ty;
    }
    if (c->ty->kind != TY_OPTIONAL) return false;
    if (i->imm == 0) return put_bool(i, out, c->seq.n != 0);
    if (c->seq.n == 0) return false;
    *out = *c->seq.items[0];
    return out->ty == i->ty;
}

static const EvalFn eval_rows[OPS] = {
    [OP_ADD] = ev_add,
    [OP_SUB] = ev_sub,
    [OP_MUL] = ev_mul,
    [OP_NEG] = ev_neg,
    [OP_FDIV] = ev_fdiv,
    [OP_FLOORDIV] = ev_floordiv,
    [OP_FLOORMOD] = ev_floormod,
    [OP_AND] = ev_and,
    [OP_OR] = ev_or,
    [OP_XOR] = ev_xor,
    [OP_SHL] = ev_shl,
    [OP_SHR] = ev_shr,
    [OP_EQ] = ev_eq,
    [OP_NE] = ev_ne,
    [OP_LT] = ev_lt,
    [OP_LE] = ev_le,
    [OP_GT] = ev_gt,
    [OP_GE] = ev_ge,
    [OP_SELECT] = ev_select,
    [OP_CAST] = ev_cast,
    [OP_MATH] = ev_math,
    [OP_BITCAST] = ev_bitcast,
    [OP_WRAP] = ev_wrap,
    [OP_FIELD] = ev_field,
};

bool opt_eval(const Ins *i, const Const *const *args, Const *out) {
    EvalFn f = eval_rows[i->op];
    return f && f(i, args, out);
}
