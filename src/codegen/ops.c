/* Scalar operations, aggregates and casts. Complex numbers work part by part. */
#include <string.h>

#include "codegen/cg.h"

static const struct {
    unsigned ours, llvm;
} fast_flags[] = {
    {FAST_NNAN, LLVMFastMathNoNaNs},
    {FAST_NINF, LLVMFastMathNoInfs},
    {FAST_NSZ, LLVMFastMathNoSignedZeros},
    {FAST_ARCP, LLVMFastMathAllowReciprocal},
    {FAST_CONTRACT, LLVMFastMathAllowContract},
    {FAST_AFN, LLVMFastMathApproxFunc},
    {FAST_REASSOC, LLVMFastMathAllowReassoc},
};

Val cg_fast(Val v, unsigned fast) {
    if (!fast || !LLVMCanValueUseFastMathFlags(v)) return v;
    unsigned flags = 0;
    for (size_t k = 0; k < sizeof fast_flags / sizeof *fast_flags; k++)
        if (fast & fast_flags[k].ours) flags |= fast_flags[k].llvm;
    LLVMSetFastMathFlags(v, flags);
    return v;
}

Val cg_offset(Cg *cg, Val p, int64_t bytes) {
    Val at = cg_i64(cg, bytes);
    return bytes ? LLVMBuildInBoundsGEP2(cg->b, cg->part[P_I8], p, &at, 1, "") : p;
}

Val cg_int_to(Cg *cg, Val v, bool is_signed, LLVMTypeRef to) {
    return LLVMBuildIntCast2(cg->b, v, to, is_signed, "");
}

static bool is_float(const Type *ty) { return ty->kind == TY_FLOAT || ty->kind == TY_COMPLEX; }

static bool is_signed(const Type *ty) {
    return ty->kind == TY_INT ? ty->is_signed : ty->kind == TY_ENUM && is_signed(ty->of);
}

/* --- arithmetic ------------------------------------------------------------------------------- */

/* The float operation on part k of both operands. */
static Val float_part(Cg *cg, const Ins *i, LLVMOpcode op, unsigned k) {
    Val a = cg_parts(cg, i->args[0])[k], b = cg_parts(cg, i->args[1])[k];
    return cg_fast(LLVMBuildBinOp(cg->b, op, a, b, ""), i->fast);
}

/* Integers wrap, unless a pass has proven that they do not: imm bit 0, signed; bit 1, unsigned. */
static Val int_op(Cg *cg, const Ins *i, LLVMOpcode op) {
    Val v = LLVMBuildBinOp(cg->b, op, cg_arg(cg, i, 0), cg_arg(cg, i, 1), "");
    if (i->imm && LLVMIsAInstruction(v)) {
        if (i->imm & 1) LLVMSetNSW(v, true);
        if (i->imm & 2) LLVMSetNUW(v, true);
    }
    return v;
}

static void by_parts(Cg *cg, Ref r, const Ins *i, LLVMOpcode ints, LLVMOpcode floats) {
    if (!is_float(i->ty)) {
        cg_set(cg, r, int_op(cg, i, ints));
        return;
    }
    Val *out = cg_new_parts(cg, r);
    for (unsigned k = 0; k < i->ty->nparts; k++) out[k] = float_part(cg, i, floats, k);
}

void cg_op_add(Cg *cg, Ref r, const Ins *i) { by_parts(cg, r, i, LLVMAdd, LLVMFAdd); }
void cg_op_sub(Cg *cg, Ref r, const Ins *i) { by_parts(cg, r, i, LLVMSub, LLVMFSub); }

static Val fbin(Cg *cg, LLVMOpcode op, Val a, Val b, unsigned fast) {
    return cg_fast(LLVMBuildBinOp(cg->b, op, a, b, ""), fast);
}

void cg_op_mul(Cg *cg, Ref r, const Ins *i) {
    if (i->ty->kind != TY_COMPLEX) {
        by_parts(cg, r, i, LLVMMul, LLVMFMul);
        return;
    }
    Val *a = cg_parts(cg, i->args[0]), *b = cg_parts(cg, i->args[1]), *out = cg_new_parts(cg, r);
    out[0] = fbin(cg, LLVMFSub, fbin(cg, LLVMFMul, a[0], b[0], i->fast),
                  fbin(cg, LLVMFMul, a[1], b[1], i->fast), i->fast);
    out[1] = fbin(cg, LLVMFAdd, fbin(cg, LLVMFMul, a[0], b[1], i->fast),
                  fbin(cg, LLVMFMul, a[1], b[0], i->fast), i->fast);
}

void cg_op_neg(Cg *cg, Ref r, const Ins *i) {
    Val *a = cg_parts(cg, i->args[0]), *out = cg_new_parts(cg, r);
    for (unsigned k = 0; k < i->ty->nparts; k++)
        out[k] = is_float(i->ty) ? cg_fast(LLVMBuildFNeg(cg->b, a[k], ""), i->fast)
                                 : LLVMBuildNeg(cg->b, a[k], "");
}

/* Smith's method, as CPython: the larger part of the divisor divides the smaller, so nothing
 * overflows early. */
static void divide_complex(Cg *cg, const Ins *i, Val *a, Val *b, Val *out) {
    LLVMTypeRef ty = cg_part_type(cg, i->ty, 0);
    unsigned fast = i->fast;
    Val mag0 = cg_intrinsic(cg, "llvm.fabs", ty, &b[0], 1),
        mag1 = cg_intrinsic(cg, "llvm.fabs", ty, &b[1], 1);
    Val re_big = LLVMBuildFCmp(cg->b, LLVMRealOGE, mag0, mag1, "");
    Val big = LLVMBuildSelect(cg->b, re_big, b[0], b[1], "");
    Val small = LLVMBuildSelect(cg->b, re_big, b[1], b[0], "");
    Val ratio = fbin(cg, LLVMFDiv, small, big, fast);
    Val denom = fbin(cg, LLVMFAdd, big, fbin(cg, LLVMFMul, small, ratio, fast), fast);
    Val first =
        LLVMBuildSelect(cg->b, re_big, a[0], a[1], ""); /* goes with `big` in the real part */
    Val second = LLVMBuildSelect(cg->b, re_big, a[1], a[0], "");
    Val re = fbin(cg, LLVMFAdd, first, fbin(cg, LLVMFMul, second, ratio, fast), fast);
    Val im_a =
        fbin(cg, LLVMFMul, first, ratio, fast); /* re big: a1 - a0*ratio; else: a1*ratio - a0 */
    Val im_big = fbin(cg, LLVMFSub, second, im_a, fast);
    Val im_small = fbin(cg, LLVMFSub, im_a, second, fast);
    out[0] = fbin(cg, LLVMFDiv, re, denom, fast);
    out[1] = fbin(cg, LLVMFDiv, LLVMBuildSelect(cg->b, re_big, im_big, im_small, ""), denom, fast);
}

void cg_op_fdiv(Cg *cg, Ref r, const Ins *i) {
    Val *a = cg_parts(cg, i->args[0]), *b = cg_parts(cg, i->args[1]), *out = cg_new_parts(cg, r);
    if (i->ty->kind == TY_COMPLEX)
        divide_complex(cg, i, a, b, out);
    else
        out[0] = float_part(cg, i, LLVMFDiv, 0);
}

/* --- floor division --------------------------------------------------------------------------- */

static Val int_const(Val like, int64_t i) {
    return LLVMConstInt(LLVMTypeOf(like), (uint64_t)i, true);
}

/* The divisor with 0 and, if signed, -1 made 1, so that the machine's division never faults: where
 * 0 can come, a check has raised or will throw the quotient away, and by -1 we negate. */
static Val safe_divisor(Cg *cg, Val b, bool sign) {
    if (LLVMIsAConstantInt(b)) {
        int64_t k = LLVMConstIntGetSExtValue(b);
        return k == 0 || (sign && k == -1) ? int_const(b, 1) : b;
    }
    Val bad = sign ? LLVMBuildICmp(cg->b, LLVMIntULT, LLVMBuildAdd(cg->b, b, int_const(b, 1), ""),
                                   int_const(b, 2), "")
                   : LLVMBuildICmp(cg->b, LLVMIntEQ, b, int_const(b, 0), "");
    return LLVMBuildSelect(cg->b, bad, int_const(b, 1), b, "");
}

static int log2_exact(uint64_t k) { return k && !(k & (k - 1)) ? __builtin_ctzll(k) : -1; }

static unsigned bits_of(Val v) { return LLVMGetIntTypeWidth(LLVMTypeOf(v)); }

/* floor(a / k), k > 0: a negative a is divided as its complement, which needs no correction
 * afterwards; where LLVM knows that a is not negative, only the unsigned division stays. */
static Val floordiv_positive(Cg *cg, Val a, Val k) {
    int shift = log2_exact(LLVMConstIntGetZExtValue(k));
    if (shift >= 0) return LLVMBuildAShr(cg->b, a, int_const(a, shift), "");
    Val sign = LLVMBuildAShr(cg->b, a, int_const(a, bits_of(a) - 1), "");
    return LLVMBuildXor(cg->b, LLVMBuildUDiv(cg->b, LLVMBuildXor(cg->b, a, sign, ""), k, ""), sign,
                        "");
}

static bool is_positive_const(Val b) {
    return LLVMIsAConstantInt(b) && LLVMConstIntGetSExtValue(b) > 0;
}

/* Is the remainder r of a division by b one that Python's floor division still corrects? */
static Val needs_correction(Cg *cg, Val r, Val b) {
    Val zero = int_const(r, 0);
    Val differ = LLVMBuildICmp(cg->b, LLVMIntSLT, LLVMBuildXor(cg->b, r, b, ""), zero, "");
    return LLVMBuildAnd(cg->b, LLVMBuildICmp(cg->b, LLVMIntNE, r, zero, ""), differ, "");
}

static Val int_floordiv(Cg *cg, Val a, Val b, bool sign) {
    if (!sign) return LLVMBuildUDiv(cg->b, a, safe_divisor(cg, b, false), "");
    if (is_positive_const(b)) return floordiv_positive(cg, a, b);
    Val d = safe_divisor(cg, b, true);
    Val q = LLVMBuildSDiv(cg->b, a, d, "");
    Val r = LLVMBuildSub(cg->b, a, LLVMBuildMul(cg->b, q, d, ""), "");
    Val less = LLVMBuildSExt(cg->b, needs_correction(cg, r, d), LLVMTypeOf(a), "");
    q = LLVMBuildAdd(cg->b, q, less, "");
    Val minus = LLVMBuildICmp(cg->b, LLVMIntEQ, b, int_const(b, -1), "");
    return LLVMBuildSelect(cg->b, minus, LLVMBuildNeg(cg->b, a, ""), q, "");
}

static Val int_floormod(Cg *cg, Val a, Val b, bool sign) {
    if (!sign) return LLVMBuildURem(cg->b, a, safe_divisor(cg, b, false), "");
    if (is_positive_const(b)) {
        if (log2_exact(LLVMConstIntGetZExtValue(b)) >= 0)
            return LLVMBuildAnd(cg->b, a, int_const(b, LLVMConstIntGetSExtValue(b) - 1), "");
        return LLVMBuildSub(cg->b, a, LLVMBuildMul(cg->b, floordiv_positive(cg, a, b), b, ""), "");
    }
    Val d = safe_divisor(cg, b, true);
    Val r = LLVMBuildSRem(cg->b, a, d, "");
    Val more = LLVMBuildSelect(cg->b, needs_correction(cg, r, d), d, int_const(b, 0), "");
    return LLVMBuildAdd(cg->b, r, more, "");
}

/* Between float64 and integers of up to 51 bits, with instructions that every vector unit has: as
 * the lowest bits of a float that is large enough. */
static const uint64_t large_bits = 0x4338000000000000; /* 1.5 * 2**52 */

static Val small_to_float(Cg *cg, Val v, bool sign) {
    Val wide = cg_int_to(cg, v, sign, cg->i64);
    Val sum = LLVMBuildAdd(cg->b, wide, LLVMConstInt(cg->i64, large_bits, false), "");
    LLVMTypeRef f64 = cg->part[P_F64];
    return LLVMBuildFSub(cg->b, LLVMBuildBitCast(cg->b, sum, f64, ""), LLVMConstReal(f64, 0x1.8p52),
                         "");
}

static Val small_to_int(Cg *cg, Val v, LLVMTypeRef to) {
    Val sum = LLVMBuildFAdd(cg->b, v, LLVMConstReal(cg->part[P_F64], 0x1.8p52), "");
    Val bits = LLVMBuildBitCast(cg->b, sum, cg->i64, "");
    return cg_int_to(cg, LLVMBuildSub(cg->b, bits, LLVMConstInt(cg->i64, large_bits, false), ""),
                     true, to);
}

/* Exact: a quotient that is no integer is at least 1 / |b| from the next one, which is more than
 * its rounding error; and quotient times divisor is below 2**53. */
static Val small_floor(Cg *cg, Val a, Val b, bool sign, bool want_mod) {
    LLVMTypeRef f64 = cg->part[P_F64];
    Val x = small_to_float(cg, a, sign), y = small_to_float(cg, b, sign);
    Val q = LLVMBuildFDiv(cg->b, x, y, "");
    q = cg_intrinsic(cg, "llvm.floor", f64, &q, 1);
    if (want_mod) q = LLVMBuildFSub(cg->b, x, LLVMBuildFMul(cg->b, q, y, ""), "");
    return small_to_int(cg, q, LLVMTypeOf(a));
}

/* CPython's float_divmod: the remainder with the divisor's sign, and the quotient that goes with
 * it, snapped to an integer. Division by zero gives what x / 0 gives. */
static void float_divmod(Cg *cg, LLVMTypeRef ty, Val x, Val y, unsigned fast, Val *div, Val *mod) {
    LLVMBuilderRef b = cg->b;
    Val zero = LLVMConstNull(ty), one = LLVMConstReal(ty, 1.0);
    Val m = fbin(cg, LLVMFRem, x, y, fast);
    Val q = fbin(cg, LLVMFDiv, fbin(cg, LLVMFSub, x, m, fast), y, fast);
    Val m_not0 = LLVMBuildFCmp(b, LLVMRealUNE, m, zero, "");
    Val differ = LLVMBuildXor(b, LLVMBuildFCmp(b, LLVMRealOLT, y, zero, ""),
                              LLVMBuildFCmp(b, LLVMRealOLT, m, zero, ""), "");
    Val fix = LLVMBuildAnd(b, m_not0, differ, "");
    Val signed_zero[] = {zero, y};
    m = LLVMBuildSelect(b, fix, fbin(cg, LLVMFAdd, m, y, fast), m, "");
    *mod = LLVMBuildSelect(b, m_not0, m, cg_intrinsic(cg, "llvm.copysign", ty, signed_zero, 2), "");
    q = LLVMBuildSelect(b, fix, fbin(cg, LLVMFSub, q, one, fast), q, "");
    Val whole = cg_intrinsic(cg, "llvm.floor", ty, &q, 1);
    Val over = LLVMBuildFCmp(b, LLVMRealOGT, fbin(cg, LLVMFSub, q, whole, fast),
                             LLVMConstReal(ty, 0.5), "");
    whole = LLVMBuildSelect(b, over, fbin(cg, LLVMFAdd, whole, one, fast), whole, "");
    Val plain = fbin(cg, LLVMFDiv, x, y, fast), quiet[] = {zero, plain};
    Val q_is0 = LLVMBuildFCmp(b, LLVMRealOEQ, q, zero, "");
    *div = LLVMBuildSelect(b, q_is0, cg_intrinsic(cg, "llvm.copysign", ty, quiet, 2), whole, "");
    *div = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, y, zero, ""), plain, *div, "");
}

static void floor_op(Cg *cg, Ref r, const Ins *i, bool want_mod) {
    Val a = cg_arg(cg, i, 0), b = cg_arg(cg, i, 1), div, mod;
    if (i->ty->kind == TY_FLOAT) {
        float_divmod(cg, cg_part_type(cg, i->ty, 0), a, b, i->fast, &div, &mod);
        cg_set(cg, r, want_mod ? mod : div);
    } else if (i->imm & 1) {
        cg_set(cg, r, small_floor(cg, a, b, is_signed(i->ty), want_mod));
    } else {
        cg_set(cg, r, (want_mod ? int_floormod : int_floordiv)(cg, a, b, is_signed(i->ty)));
    }
}

void cg_op_floordiv(Cg *cg, Ref r, const Ins *i) { floor_op(cg, r, i, false); }
void cg_op_floormod(Cg *cg, Ref r, const Ins *i) { floor_op(cg, r, i, true); }

/* --- bits ------------------------------------------------------------------------------------- */

void cg_op_bits(Cg *cg, Ref r, const Ins *i) {
    LLVMOpcode op = i->op == OP_AND ? LLVMAnd : i->op == OP_OR ? LLVMOr : LLVMXor;
    cg_set(cg, r, LLVMBuildBinOp(cg->b, op, cg_arg(cg, i, 0), cg_arg(cg, i, 1), ""));
}

/* Is the shift count one that the machine can do? */
static Val in_width(Cg *cg, Val a, Val count) {
    return LLVMBuildICmp(cg->b, LLVMIntULT, count, int_const(a, bits_of(a)), "");
}

void cg_op_shl(Cg *cg, Ref r, const Ins *i) {
    Val a = cg_arg(cg, i, 0), n = cg_arg(cg, i, 1);
    Val ok = in_width(cg, a, n), zero = int_const(a, 0);
    n = LLVMBuildSelect(cg->b, ok, n, zero, "");
    cg_set(cg, r, LLVMBuildSelect(cg->b, ok, LLVMBuildShl(cg->b, a, n, ""), zero, ""));
}

void cg_op_shr(Cg *cg, Ref r, const Ins *i) {
    Val a = cg_arg(cg, i, 0), n = cg_arg(cg, i, 1), ok = in_width(cg, a, n);
    if (is_signed(i->ty)) {
        n = LLVMBuildSelect(cg->b, ok, n, int_const(a, bits_of(a) - 1), "");
        cg_set(cg, r, LLVMBuildAShr(cg->b, a, n, ""));
        return;
    }
    n = LLVMBuildSelect(cg->b, ok, n, int_const(a, 0), "");
    cg_set(cg, r, LLVMBuildSelect(cg->b, ok, LLVMBuildLShr(cg->b, a, n, ""), int_const(a, 0), ""));
}

void cg_op_wrap(Cg *cg, Ref r, const Ins *i) {
    Val k = cg_arg(cg, i, 0), n = cg_arg(cg, i, 1);
    Val negative = LLVMBuildICmp(cg->b, LLVMIntSLT, k, int_const(k, 0), "");
    cg_set(cg, r, LLVMBuildSelect(cg->b, negative, LLVMBuildNSWAdd(cg->b, k, n, ""), k, ""));
}

/* --- comparing -------------------------------------------------------------------------------- */

enum { FIRST = OP_EQ };
/* clang-format off */
static const struct {
    LLVMRealPredicate floats;
    LLVMIntPredicate with_sign, without;
} predicates[] = {
    [OP_EQ - FIRST] = {LLVMRealOEQ, LLVMIntEQ,  LLVMIntEQ},
    [OP_NE - FIRST] = {LLVMRealUNE, LLVMIntNE,  LLVMIntNE},
    [OP_LT - FIRST] = {LLVMRealOLT, LLVMIntSLT, LLVMIntULT},
    [OP_LE - FIRST] = {LLVMRealOLE, LLVMIntSLE, LLVMIntULE},
    [OP_GT - FIRST] = {LLVMRealOGT, LLVMIntSGT, LLVMIntUGT},
    [OP_GE - FIRST] = {LLVMRealOGE, LLVMIntSGE, LLVMIntUGE},
};
/* clang-format on */

static Val compare_part(Cg *cg, const Ins *i, const Type *ty, uint32_t k) {
    Val a = cg_parts(cg, i->args[0])[k], b = cg_parts(cg, i->args[1])[k];
    unsigned row = i->op - FIRST;
    if (ty->parts[k] == P_F16 || ty->parts[k] == P_F32 || ty->parts[k] == P_F64)
        return cg_fast(LLVMBuildFCmp(cg->b, predicates[row].floats, a, b, ""), i->fast);
    LLVMIntPredicate p = is_signed(ty) ? predicates[row].with_sign : predicates[row].without;
    return LLVMBuildICmp(cg->b, p, a, b, "");
}

/* x % k == 0 asks whether k divides x, which is quicker told from the machine's remainder. NULL: it
 * is something else. */
static Val divides(Cg *cg, const Ins *i) {
    const Ins *mod = ir_at(cg->fn, i->args[0]), *zero = ir_at(cg->fn, i->args[1]);
    bool asks = (i->op == OP_EQ || i->op == OP_NE) && mod->op == OP_FLOORMOD && is_signed(mod->ty);
    if (!asks || zero->op != OP_CONST || zero->k->i != 0) return NULL;
    Val a = cg_arg(cg, mod, 0), b = safe_divisor(cg, cg_arg(cg, mod, 1), true);
    if (LLVMIsAConstantInt(b) && log2_exact(LLVMConstIntGetZExtValue(b)) >= 0) return NULL;
    return LLVMBuildICmp(cg->b, i->op == OP_EQ ? LLVMIntEQ : LLVMIntNE,
                         LLVMBuildSRem(cg->b, a, b, ""), int_const(a, 0), "");
}

/* Aggregates are equal if all their parts are. */
void cg_op_compare(Cg *cg, Ref r, const Ins *i) {
    Val quick = divides(cg, i);
    if (quick) {
        cg_set(cg, r, quick);
        return;
    }
    const Type *ty = cg_type(cg, i->args[0]);
    LLVMOpcode join = i->op == OP_NE ? LLVMOr : LLVMAnd;
    Val all = LLVMConstInt(cg->part[P_I1], i->op == OP_EQ, false); /* of no parts */
    for (uint32_t k = 0; k < ty->nparts; k++) {
        Val one = compare_part(cg, i, ty, k);
        all = k ? LLVMBuildBinOp(cg->b, join, all, one, "") : one;
    }
    cg_set(cg, r, all);
}

void cg_op_select(Cg *cg, Ref r, const Ins *i) {
    Val c = cg_arg(cg, i, 0), *a = cg_parts(cg, i->args[1]), *b = cg_parts(cg, i->args[2]);
    Val *out = cg_new_parts(cg, r);
    for (unsigned k = 0; k < i->ty->nparts; k++) out[k] = LLVMBuildSelect(cg->b, c, a[k], b[k], "");
}

/* --- converting ------------------------------------------------------------------------------- */

/* Through an integer that holds every value in range and has an instruction; freeze: out of range
 * is some value, but always the same one. */
static Val float_to_int(Cg *cg, Val v, const Type *to) {
    bool wide = to->bits > 32 || (to->bits == 32 && !to->is_signed);
    LLVMTypeRef via = cg->part[wide ? P_I64 : P_I32];
    Val n = to->bits == 64 && !to->is_signed ? LLVMBuildFPToUI(cg->b, v, via, "")
                                             : LLVMBuildFPToSI(cg->b, v, via, "");
    return LLVMBuildTrunc(cg->b, LLVMBuildFreeze(cg->b, n, ""),
                          LLVMIntTypeInContext(cg->ctx, to->bits), "");
}

/* Out of range and for NaN: the smallest integer. */
static Val float_to_int_or_min(Cg *cg, Val v, bool wide) {
    const char *name = cg->target->truncate[wide];
    LLVMTypeRef ty = cg->part[wide ? P_F64 : P_F32];
    if (name) {
        Val lanes = LLVMGetPoison(LLVMVectorType(ty, wide ? 2 : 4));
        lanes = LLVMBuildInsertElement(cg->b, lanes, v, cg_i32(cg, 0), "");
        Val fn = LLVMGetIntrinsicDeclaration(cg->mod, LLVMLookupIntrinsicID(name, strlen(name)),
                                             NULL, 0);
        return LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fn), fn, &lanes, 1, "");
    }
    Val size = cg_intrinsic(cg, "llvm.fabs", ty, &v, 1);
    Val fits = LLVMBuildFCmp(cg->b, LLVMRealOLT, size, LLVMConstReal(ty, 0x1p63), "");
    return LLVMBuildSelect(cg->b, fits, LLVMBuildFPToSI(cg->b, v, cg->i64, ""),
                           cg_i64(cg, INT64_MIN), "");
}

static Val to_bool(Cg *cg, Val v, const Type *from) {
    LLVMTypeRef ty = LLVMTypeOf(v);
    if (from->kind == TY_FLOAT) return LLVMBuildFCmp(cg->b, LLVMRealUNE, v, LLVMConstNull(ty), "");
    return LLVMBuildICmp(cg->b, LLVMIntNE, v, LLVMConstNull(ty), "");
}

static Val cast_scalar(Cg *cg, Val v, const Type *from, const Type *to) {
    LLVMTypeRef ty = cg_part_type(cg, to, 0);
    while (from->kind == TY_ENUM) from = from->of;
    while (to->kind == TY_ENUM) to = to->of;
    if (to->kind == TY_BOOL) return from->kind == TY_BOOL ? v : to_bool(cg, v, from);
    if (to->kind == TY_INT)
        return from->kind == TY_FLOAT ? float_to_int(cg, v, to)
                                      : cg_int_to(cg, v, is_signed(from), ty);
    if (from->kind == TY_FLOAT) return LLVMBuildFPCast(cg->b, v, ty, "");
    return is_signed(from) ? LLVMBuildSIToFP(cg->b, v, ty, "") : LLVMBuildUIToFP(cg->b, v, ty, "");
}

static bool is_scalar(const Type *ty) {
    return ty->kind == TY_BOOL || ty->kind == TY_INT || ty->kind == TY_FLOAT || ty->kind == TY_ENUM;
}

void cg_op_cast(Cg *cg, Ref r, const Ins *i) {
    const Type *from = cg_type(cg, i->args[0]), *to = i->ty;
    Val *v = cg_parts(cg, i->args[0]);
    if (i->imm) {
        cg_set(cg, r, float_to_int_or_min(cg, v[0], from->bits == 64));
    } else if (is_scalar(from) && is_scalar(to)) {
        cg_set(cg, r, cast_scalar(cg, v[0], from, to));
    } else if (to->kind == TY_COMPLEX && (from->kind == TY_COMPLEX || is_scalar(from))) {
        const Type *part = TY_F(to->bits / 2);
        Val *out = cg_new_parts(cg, r);
        out[0] = from->kind == TY_COMPLEX
                     ? LLVMBuildFPCast(cg->b, v[0], cg_part_type(cg, to, 0), "")
                     : cast_scalar(cg, v[0], from, part);
        out[1] = from->kind == TY_COMPLEX
                     ? LLVMBuildFPCast(cg->b, v[1], cg_part_type(cg, to, 0), "")
                     : LLVMConstNull(cg_part_type(cg, to, 0));
    } else if (from == to) {
        cg->parts[r] = v;
    } else {
        INTERNAL(cg->cx, i->span, cx_printf(cg->cx, "no cast from %s to %s", from->name, to->name));
    }
}

void cg_op_bitcast(Cg *cg, Ref r, const Ins *i) {
    LLVMTypeRef to = cg_part_type(cg, i->ty, 0);
    Val v = cg_arg(cg, i, 0);
    LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(v)), kind = LLVMGetTypeKind(to);
    if (from == LLVMPointerTypeKind && kind == LLVMIntegerTypeKind)
        v = LLVMBuildPtrToInt(cg->b, v, to, "");
    else if (from == LLVMIntegerTypeKind && kind == LLVMPointerTypeKind)
        v = LLVMBuildIntToPtr(cg->b, v, to, "");
    else
        v = LLVMBuildBitCast(cg->b, v, to, "");
    cg_set(cg, r, v);
}

/* --- aggregates ------------------------------------------------------------------------------- */

void cg_op_make(Cg *cg, Ref r, const Ins *i) {
    Val *out = cg_new_parts(cg, r);
    uint32_t n = 0;
    for (unsigned a = 0; a < i->nargs; a++)
        for (uint32_t k = 0; k < cg_type(cg, i->args[a])->nparts; k++)
            out[n++] = cg_parts(cg, i->args[a])[k];
    if (n != i->ty->nparts)
        INTERNAL(cg->cx, i->span, cx_printf(cg->cx, "bad fields for %s", i->ty->name));
}

void cg_op_field(Cg *cg, Ref r, const Ins *i) {
    cg->parts[r] =
        cg_parts(cg, i->args[0]) + ir_field_part(cg_type(cg, i->args[0]), (uint32_t)i->imm);
}
