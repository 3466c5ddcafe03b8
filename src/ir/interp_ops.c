/* The interpreter: operations that only compute. */
#include <math.h>

#include "ir/interp_int.h"

/* --- parts ------------------------------------------------------------------------------------ */

static unsigned width_of(const Type *ty) {
    if (ty->kind == TY_BOOL) return 1;
    return ty->kind == TY_INT ? ty->bits : 64;
}

int64_t interp_int(const Type *ty, uint64_t slot) {
    unsigned drop = 64 - width_of(ty);
    if (ty->kind == TY_INT && ty->is_signed) return (int64_t)(slot << drop) >> drop;
    return (int64_t)(slot << drop >> drop);
}

uint64_t interp_put_int(const Type *ty, uint64_t v) {
    unsigned drop = 64 - width_of(ty);
    return v << drop >> drop;
}

static bool is_unsigned(const Type *ty) {
    return ty->kind == TY_BOOL || (ty->kind == TY_INT && !ty->is_signed);
}

static double half_to_double(uint16_t h) {
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(1024 + fraction, exponent - 25);
    return h & 0x8000 ? -v : v;
}

/* Rounds to the nearest, ties to even, as the machine does. */
static uint16_t double_to_half(double v) {
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v)) return sign | 0x7e00;
    v = fabs(v);
    if (v >= 65520) return sign | 0x7c00;
    int exponent;
    frexp(v, &exponent); /* v < 2**exponent */
    if (v == 0 || exponent < -13) exponent = -13;
    double units = nearbyint(ldexp(v, 11 - exponent)); /* 1024..2048; below: subnormal */
    return (uint16_t)(sign + ((exponent + 13) << 10) + (int)units);
}

double interp_float(PartKind kind, uint64_t slot) {
    if (kind == P_F16) return half_to_double((uint16_t)slot);
    if (kind == P_F32) {
        uint32_t bits = (uint32_t)slot;
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    double d;
    memcpy(&d, &slot, sizeof d);
    return d;
}

static uint64_t put_f32(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

uint64_t interp_put_float(PartKind kind, double v) {
    if (kind == P_F16) return double_to_half(v);
    if (kind == P_F32) return put_f32((float)v);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static bool is_float_part(uint8_t kind) { return kind == P_F16 || kind == P_F32 || kind == P_F64; }

/* --- arithmetic ------------------------------------------------------------------------------- */

/* One float operation, rounded to the part's precision. In float64 and back is the same as in
 * float32 directly, since 53 bits are more than twice 24. */
static double round_to(PartKind kind, double v) {
    return interp_float(kind, interp_put_float(kind, v));
}

static double float_op(PartKind kind, Op op, double a, double b) {
    switch (op) {
    case OP_ADD: return round_to(kind, a + b);
    case OP_SUB: return round_to(kind, a - b);
    case OP_MUL: return round_to(kind, a * b);
    default: return round_to(kind, a / b); /* OP_FDIV */
    }
}

static uint64_t int_op(Op op, uint64_t a, uint64_t b) {
    return op == OP_ADD ? a + b : op == OP_SUB ? a - b : a * b;
}

static void multiply_complex(PartKind k, const double *a, const double *b, double *out) {
    out[0] = float_op(k, OP_SUB, float_op(k, OP_MUL, a[0], b[0]), float_op(k, OP_MUL, a[1], b[1]));
    out[1] = float_op(k, OP_ADD, float_op(k, OP_MUL, a[0], b[1]), float_op(k, OP_MUL, a[1], b[0]));
}

/* Smith's method, as CPython: the larger part of the divisor divides the smaller. */
static void divide_complex(PartKind k, const double *a, const double *b, double *out) {
    bool re_big = fabs(b[0]) >= fabs(b[1]);
    double big = re_big ? b[0] : b[1], small = re_big ? b[1] : b[0];
    double ratio = float_op(k, OP_FDIV, small, big);
    double denom = float_op(k, OP_ADD, big, float_op(k, OP_MUL, small, ratio));
    double first = re_big ? a[0] : a[1], second = re_big ? a[1] : a[0];
    double re = float_op(k, OP_ADD, first, float_op(k, OP_MUL, second, ratio));
    double by = float_op(k, OP_MUL, first, ratio);
    double im = re_big ? float_op(k, OP_SUB, second, by) : float_op(k, OP_SUB, by, second);
    out[0] = float_op(k, OP_FDIV, re, denom);
    out[1] = float_op(k, OP_FDIV, im, denom);
}

static void complex_op(const Ins *i, const uint64_t *x, const uint64_t *y, uint64_t *out) {
    PartKind k = (PartKind)i->ty->parts[0];
    double a[2] = {interp_float(k, x[0]), interp_float(k, x[1])};
    double b[2] = {interp_float(k, y[0]), interp_float(k, y[1])}, v[2];
    if (i->op == OP_MUL)
        multiply_complex(k, a, b, v);
    else if (i->op == OP_FDIV)
        divide_complex(k, a, b, v);
    else
        for (int n = 0; n < 2; n++) v[n] = float_op(k, (Op)i->op, a[n], b[n]);
    for (int n = 0; n < 2; n++) out[n] = interp_put_float(k, v[n]);
}

static void arithmetic(Frame *fr, const Ins *i, uint64_t *out) {
    const uint64_t *a = frame_arg(fr, i, 0), *b = frame_arg(fr, i, 1);
    PartKind k = (PartKind)i->ty->parts[0];
    if (i->ty->kind == TY_COMPLEX)
        complex_op(i, a, b, out);
    else if (i->ty->kind == TY_FLOAT)
        *out =
            interp_put_float(k, float_op(k, (Op)i->op, interp_float(k, *a), interp_float(k, *b)));
    else
        *out = interp_put_int(i->ty, int_op((Op)i->op, *a, *b));
}

static void negate(Frame *fr, const Ins *i, uint64_t *out) {
    const uint64_t *a = frame_arg(fr, i, 0);
    for (uint32_t k = 0; k < i->ty->nparts; k++) {
        PartKind kind = (PartKind)i->ty->parts[k];
        unsigned top = kind == P_F64 ? 63 : kind == P_F32 ? 31 : 15;
        out[k] = is_float_part(kind) ? a[k] ^ UINT64_C(1) << top : interp_put_int(i->ty, 0 - a[k]);
    }
}

/* --- floor division --------------------------------------------------------------------------- */

/* By zero: some value, as in compiled code (a check came first, or throws it away). */
static uint64_t int_floor(const Type *ty, bool mod, int64_t a, int64_t b) {
    if (b == 0) return mod ? 0 : (uint64_t)a;
    if (is_unsigned(ty)) return mod ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b;
    if (b == -1) return mod ? 0 : 0 - (uint64_t)a;
    int64_t q = a / b, m = a % b;
    bool fix = m != 0 && (m < 0) != (b < 0);
    return (uint64_t)(mod ? m + (fix ? b : 0) : q - fix);
}

/* CPython's float_divmod, in the part's precision; x // 0 is what x / 0 gives. */
static double float_floor(PartKind kind, bool want_mod, double x, double y) {
    double mod = round_to(kind, fmod(x, y));
    double q = float_op(kind, OP_FDIV, float_op(kind, OP_SUB, x, mod), y);
    bool whole = !(mod != 0), fix = !whole && (y < 0) != (mod < 0);
    if (want_mod) return whole ? copysign(0, y) : fix ? float_op(kind, OP_ADD, mod, y) : mod;
    if (y == 0) return x / y;
    if (fix) q = float_op(kind, OP_SUB, q, 1);
    if (q == 0) return copysign(0, x / y);
    double down = floor(q);
    return q - down > 0.5 ? down + 1 : down;
}

static void floor_op(Frame *fr, const Ins *i, uint64_t *out) {
    uint64_t a = *frame_arg(fr, i, 0), b = *frame_arg(fr, i, 1);
    bool mod = i->op == OP_FLOORMOD;
    PartKind k = (PartKind)i->ty->parts[0];
    if (i->ty->kind == TY_FLOAT)
        *out = interp_put_float(k, float_floor(k, mod, interp_float(k, a), interp_float(k, b)));
    else
        *out = interp_put_int(i->ty,
                              int_floor(i->ty, mod, interp_int(i->ty, a), interp_int(i->ty, b)));
}

/* --- bits ------------------------------------------------------------------------------------- */

static uint64_t shift(const Ins *i, uint64_t a, uint64_t n) {
    unsigned width = width_of(i->ty);
    if (i->op == OP_SHL) return n < width ? interp_put_int(i->ty, a << n) : 0;
    int64_t v = interp_int(i->ty, a);
    if (is_unsigned(i->ty)) return n < width ? (uint64_t)v >> n : 0;
    return interp_put_int(i->ty, (uint64_t)(v >> (n < width ? n : width - 1)));
}

static void bit_op(Frame *fr, const Ins *i, uint64_t *out) {
    uint64_t a = *frame_arg(fr, i, 0), b = *frame_arg(fr, i, 1);
    *out = i->op == OP_AND   ? a & b
           : i->op == OP_OR  ? a | b
           : i->op == OP_XOR ? a ^ b
                             : shift(i, a, b);
}

/* --- comparing -------------------------------------------------------------------------------- */

#define COMPARE(op, a, b)         \
    ((op) == OP_EQ   ? (a) == (b) \
     : (op) == OP_NE ? (a) != (b) \
     : (op) == OP_LT ? (a) < (b)  \
     : (op) == OP_LE ? (a) <= (b) \
     : (op) == OP_GT ? (a) > (b)  \
                     : (a) >= (b))

static bool compare_part(const Ins *i, const Type *ty, uint32_t k, uint64_t a, uint64_t b) {
    PartKind kind = (PartKind)ty->parts[k];
    if (is_float_part(kind)) return COMPARE(i->op, interp_float(kind, a), interp_float(kind, b));
    if (ty->nparts > 1 || is_unsigned(ty)) return COMPARE(i->op, a, b);
    return COMPARE(i->op, interp_int(ty, a), interp_int(ty, b));
}

/* Aggregates are equal if all their parts are. */
static void compare(Frame *fr, const Ins *i, uint64_t *out) {
    const Type *ty = frame_type(fr, i->args[0]);
    const uint64_t *a = frame_arg(fr, i, 0), *b = frame_arg(fr, i, 1);
    bool any = i->op == OP_NE, result = !any;
    for (uint32_t k = 0; k < ty->nparts; k++)
        if (compare_part(i, ty, k, a[k], b[k]) == any) result = any;
    *out = result;
}

/* --- converting ------------------------------------------------------------------------------- */

static uint64_t float_to_int(const Type *to, double v) {
    v = trunc(v);
    if (!to->is_signed && v >= 0 && v < 0x1p64) return interp_put_int(to, (uint64_t)v);
    if (v >= -0x1p63 && v < 0x1p63) return interp_put_int(to, (uint64_t)(int64_t)v);
    return interp_put_int(to, UINT64_C(1) << 63); /* out of range: any value */
}

static uint64_t int_to_float(PartKind kind, const Type *from, uint64_t slot) {
    int64_t v = interp_int(from, slot);
    bool sign = !is_unsigned(from);
    if (kind == P_F32) return put_f32(sign ? (float)v : (float)(uint64_t)v); /* rounded once */
    return interp_put_float(kind, sign ? (double)v : (double)(uint64_t)v);
}

static uint64_t cast_scalar(const Type *from, const Type *to, PartKind to_part, uint64_t slot) {
    PartKind k = (PartKind)from->parts[0];
    if (!is_float_part(k)) {
        if (to->kind == TY_BOOL) return slot != 0;
        if (is_float_part(to_part)) return int_to_float(to_part, from, slot);
        return interp_put_int(to, (uint64_t)interp_int(from, slot));
    }
    if (to->kind == TY_BOOL) return interp_float(k, slot) != 0;
    if (is_float_part(to_part))
        return k == to_part ? slot : interp_put_float(to_part, interp_float(k, slot));
    return float_to_int(to, interp_float(k, slot));
}

static void cast(Frame *fr, const Ins *i, uint64_t *out) {
    const Type *from = frame_type(fr, i->args[0]);
    const uint64_t *a = frame_arg(fr, i, 0);
    PartKind to = (PartKind)i->ty->parts[0];
    if (from->kind == TY_COMPLEX) {
        for (int k = 0; k < 2; k++)
            out[k] = interp_put_float(to, interp_float((PartKind)from->parts[k], a[k]));
        return;
    }
    out[0] = cast_scalar(from, i->ty, to, a[0]);
    if (i->ty->kind == TY_COMPLEX) out[1] = 0;
}

/* --- aggregates ------------------------------------------------------------------------------- */

static void copy_parts(uint64_t *out, const uint64_t *from, const Type *ty) {
    if (ty->nparts) memcpy(out, from, ty->nparts * sizeof *out);
}

static void make(Frame *fr, const Ins *i, uint64_t *out) {
    for (uint32_t k = 0; k < i->nargs; k++) {
        const Type *ty = frame_type(fr, i->args[k]);
        copy_parts(out, frame_arg(fr, i, k), ty);
        out += ty->nparts;
    }
}

static uint64_t element_offset(const Frame *fr, const Ins *i, const Type *ty,
                               const uint64_t *array) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < ty->ndim; k++) {
        uint32_t axis = ty->layout == 'F' ? ty->ndim - 1u - k : k;
        uint64_t index = *frame_arg(fr, i, 1 + axis);
        if (ty->layout == 'A')
            sum += index * array[2 + ty->ndim + axis];
        else
            sum = sum * array[2 + axis] + index;
    }
    return ty->layout == 'A' ? sum : sum * ty->elem->size;
}

static void elem(Frame *fr, const Ins *i, uint64_t *out) {
    const Type *ty = frame_type(fr, i->args[0]);
    const uint64_t *array = frame_arg(fr, i, 0);
    *out = array[0] + element_offset(fr, i, ty, array);
}

static void math(Frame *fr, const Ins *i, uint64_t *out) {
    const uint64_t *args[3] = {0};
    for (uint32_t k = 0; k < i->nargs && k < 3; k++) args[k] = frame_arg(fr, i, k);
    Ref r = (Ref)(i - fr->f->fn->ins.at);
    *out = interp_math((MathFn)i->sub, frame_type(fr, i->args[0]), i->ty, fr->f->prep[r].address,
                       args);
}

/* --- the table -------------------------------------------------------------------------------- */

static void select_op(Frame *fr, const Ins *i, uint64_t *out) {
    copy_parts(out, frame_arg(fr, i, *frame_arg(fr, i, 0) ? 1 : 2), i->ty);
}

static void same_bits(Frame *fr, const Ins *i, uint64_t *out) { *out = *frame_arg(fr, i, 0); }

static void field(Frame *fr, const Ins *i, uint64_t *out) {
    uint32_t part = ir_field_part(frame_type(fr, i->args[0]), (uint32_t)i->imm);
    copy_parts(out, frame_arg(fr, i, 0) + part, i->ty);
}

static void offset(Frame *fr, const Ins *i, uint64_t *out) {
    *out = *frame_arg(fr, i, 0) + *frame_arg(fr, i, 1);
}

static void wrap(Frame *fr, const Ins *i, uint64_t *out) {
    uint64_t v = *frame_arg(fr, i, 0);
    *out = (int64_t)v < 0 ? v + *frame_arg(fr, i, 1) : v;
}

static void unset(Frame *fr, const Ins *i, uint64_t *out) {
    (void)fr;
    if (i->ty->nparts) memset(out, 0, i->ty->nparts * sizeof *out);
}

typedef void (*PureFn)(Frame *fr, const Ins *i, uint64_t *out);

/* clang-format off */
static const PureFn rows[OPS] = {
    [OP_ADD] = arithmetic,     [OP_SUB] = arithmetic,     [OP_MUL] = arithmetic,
    [OP_FDIV] = arithmetic,    [OP_NEG] = negate,         [OP_FLOORDIV] = floor_op,
    [OP_FLOORMOD] = floor_op,  [OP_AND] = bit_op,         [OP_OR] = bit_op,
    [OP_XOR] = bit_op,         [OP_SHL] = bit_op,         [OP_SHR] = bit_op,
    [OP_EQ] = compare,         [OP_NE] = compare,         [OP_LT] = compare,
    [OP_LE] = compare,         [OP_GT] = compare,         [OP_GE] = compare,
    [OP_SELECT] = select_op,   [OP_CAST] = cast,          [OP_BITCAST] = same_bits,
    [OP_MATH] = math,          [OP_MAKE] = make,          [OP_FIELD] = field,
    [OP_ELEM] = elem,          [OP_OFFSET] = offset,      [OP_WRAP] = wrap,
    [OP_UNSET] = unset,
};
/* clang-format on */

bool interp_pure(Frame *fr, const Ins *i, uint64_t *out) {
    if (!rows[i->op]) return false;
    rows[i->op](fr, i, out);
    return true;
}
