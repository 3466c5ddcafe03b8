/* Operators on constants, as far as inference needs them: to prune branches, to know lengths, axes and subscripts.
 * Integers wrap at 64 bits. What would raise is left to run time. */
#include <math.h>
#include <string.h>

#include "infer/infer_int.h"

static bool is_int(const Const *k) { return k->ty->kind == TY_INT || k->ty->kind == TY_BOOL; }

static bool is_real(const Const *k) { return is_int(k) || k->ty->kind == TY_FLOAT; }

static double real_of(const Const *k) {
    if (k->ty->kind == TY_FLOAT) return k->f[0];
    return k->ty->kind == TY_INT && !k->ty->is_signed ? (double)(uint64_t)k->i : (double)k->i;
}

Const *fold_convert(Cx *cx, const Const *k, Type *to) {
    if (k->ty == to) return (Const *)k;
    if (!is_real(k)) {
        if (k->ty->kind != TY_COMPLEX || to->kind != TY_COMPLEX) return NULL;
        Const *c = ir_const_float(cx, to, k->f[0]);
        c->f[1] = k->f[1];
        return c;
    }
    switch ((TyKind)to->kind) {
    case TY_BOOL: return ir_const_int(cx, to, real_of(k) != 0);
    case TY_INT: {
        if (!is_int(k)) return NULL;
        int64_t i = k->i;
        unsigned drop = 64u - to->bits;
        i = to->is_signed ? (int64_t)((uint64_t)i << drop) >> drop
                          : (int64_t)((uint64_t)i << drop >> drop);
        return ir_const_int(cx, to, i);
    }
    case TY_FLOAT:
        return ir_const_float(cx, to, to->bits == 32 ? (double)(float)real_of(k) : real_of(k));
    case TY_COMPLEX:
        return ir_const_float(cx, to, to->bits == 64 ? (double)(float)real_of(k) : real_of(k));
    default: return NULL;
    }
}

static Const *fold_int(Cx *cx, BinOp op, int64_t a, int64_t b, Type *ty) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool sign = ty->is_signed;
    switch (op) {
    case BIN_ADD: x += y; break;
    case BIN_SUB: x -= y; break;
    case BIN_MUL: x *= y; break;
    case BIN_AND: x &= y; break;
    case BIN_OR: x |= y; break;
    case BIN_XOR: x ^= y; break;
    case BIN_LSHIFT:
        if (b < 0) return NULL;
        x = b > 63 ? 0 : x << b;
        break;
    case BIN_RSHIFT:
        if (b < 0) return NULL;
        x = sign ? (uint64_t)(a >> (b > 63 ? 63 : b)) : b > 63 ? 0 : x >> b;
        break;
    case BIN_FLOORDIV:
    case BIN_MOD: {
        if (b == 0 || (sign && a == INT64_MIN && b == -1)) return NULL;
        if (!sign) {
            x = op == BIN_MOD ? x % y : x / y;
            break;
        }
        int64_t q = a / b, m = a % b;
        if (m && (m < 0) != (b < 0)) q--, m += b;
        x = (uint64_t)(op == BIN_MOD ? m : q);
        break;
    }
    case BIN_POW: {
        if (b < 0) return NULL;
        uint64_t r = 1;
        for (uint64_t e = y; e; e >>= 1, x *= x)
            if (e & 1) r *= x;
        x = r;
        break;
    }
    default: return NULL;
    }
    return ir_const_int(cx, ty, (int64_t)x);
}

Const *fold_binary(Cx *cx, BinOp op, const Const *a, const Const *b, Type *operand, Type *result) {
    if (!is_real(a) || !is_real(b)) return NULL;
    if (result->kind == TY_INT || result->kind == TY_BOOL) {
        if (!is_int(a) || !is_int(b)) return NULL;
        return fold_int(cx, op, a->i, b->i, result);
    }
    if (result->kind != TY_FLOAT || operand->bits != 64)
        return NULL; /* float32: left to run time */
    double x = real_of(a), y = real_of(b), r;
    switch (op) {
    case BIN_ADD: r = x + y; break;
    case BIN_SUB: r = x - y; break;
    case BIN_MUL: r = x * y; break;
    case BIN_TRUEDIV:
        if (y == 0) return NULL;
        r = x / y;
        break;
    default: return NULL;
    }
    return ir_const_float(cx, result, r);
}

Const *fold_unary(Cx *cx, UnOp op, const Const *a, Type *result) {
    if (op == UN_NOT) {
        bool truth;
        if (is_real(a))
            truth = real_of(a) != 0;
        else if (a->ty->kind == TY_STR || a->ty->kind == TY_BYTES)
            truth = a->str.n != 0;
        else if (a->ty->kind == TY_TUPLE)
            truth = a->seq.n != 0;
        else
            return NULL;
        return ir_const_int(cx, result, !truth);
    }
    if (is_int(a) && result->kind == TY_INT) {
        int64_t i = op == UN_NEG ? (int64_t)(0 - (uint64_t)a->i) : op == UN_INVERT ? ~a->i : a->i;
        return ir_const_int(cx, result, i);
    }
    if (a->ty->kind == TY_FLOAT && op != UN_INVERT)
        return ir_const_float(cx, result, op == UN_NEG ? -a->f[0] : a->f[0]);
    if (a->ty->kind == TY_COMPLEX && op != UN_INVERT) {
        Const *c = ir_const_float(cx, result, op == UN_NEG ? -a->f[0] : a->f[0]);
        c->f[1] = op == UN_NEG ? -a->f[1] : a->f[1];
        return c;
    }
    return NULL;
}

/* -1, 0, 1; 2: unordered. By value, also between signed and unsigned. */
static int order(const Const *a, const Const *b) {
    if (is_int(a) && is_int(b)) {
        bool ua = a->ty->kind == TY_INT && !a->ty->is_signed,
             ub = b->ty->kind == TY_INT && !b->ty->is_signed;
        if (ua != ub) {
            if (!ua && a->i < 0) return -1;
            if (!ub && b->i < 0) return 1;
        }
        if (ua || ub) return (uint64_t)a->i<(uint64_t)b->i ? -1 : (uint64_t)a->i>(uint64_t) b->i;
        return a->i < b->i ? -1 : a->i > b->i;
    }
    double x = real_of(a), y = real_of(b);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

Const *fold_compare(Cx *cx, CmpOp op, const Const *a, const Const *b) {
    Type *ty = TY_OF(TY_BOOL);
    if (a->ty->kind == TY_STR && b->ty->kind == TY_STR) {
        size_t n = a->str.n < b->str.n ? a->str.n : b->str.n;
        int c = memcmp(a->str.s, b->str.s, n);
        c = c ? c : (a->str.n > b->str.n) - (a->str.n < b->str.n);
        bool r[] = {c == 0, c != 0, c < 0, c <= 0, c > 0, c >= 0};
        return op <= CMP_GE ? ir_const_int(cx, ty, r[op]) : NULL;
    }
    if (!is_real(a) || !is_real(b) || op > CMP_GE) return NULL;
    int c = order(a, b);
    if (c == 2) return ir_const_int(cx, ty, op == CMP_NE);
    bool r[] = {c == 0, c != 0, c < 0, c <= 0, c > 0, c >= 0};
    return ir_const_int(cx, ty, r[op]);
}
