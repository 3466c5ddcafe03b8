/* OP_MATH: intrinsics, bit tricks, and calls of SLEEF.
 *
 * Scalar code calls SLEEF's deterministic scalar function, with the names of its vector versions in
 * an attribute: the loop vectorizer calls those, and an element comes out the same wherever it
 * stands. */
#include <string.h>

#include "codegen/cg.h"

Val cg_intrinsic(Cg *cg, const char *name, LLVMTypeRef overload, Val *args, unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    Val fn = LLVMGetIntrinsicDeclaration(cg->mod, id, &overload, 1);
    return LLVMBuildCall2(cg->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

/* --- classes of floats ------------------------------------------------------------------------ */

/* Written as comparisons without flags: they keep their meaning under fastmath. */
static Val float_class(Cg *cg, MathFn f, LLVMTypeRef ty, Val x) {
    if (f == MATH_ISNAN) return LLVMBuildFCmp(cg->b, LLVMRealUNO, x, x, "");
    if (f == MATH_SIGNBIT) {
        LLVMTypeRef bits = ty == cg->part[P_F64]   ? cg->i64
                           : ty == cg->part[P_F32] ? cg->i32
                                                   : cg->part[P_I16];
        Val i = LLVMBuildBitCast(cg->b, x, bits, "");
        return LLVMBuildICmp(cg->b, LLVMIntSLT, i, LLVMConstNull(bits), "");
    }
    Val mag = cg_intrinsic(cg, "llvm.fabs", ty, &x, 1), inf = LLVMConstReal(ty, __builtin_inf());
    return LLVMBuildFCmp(cg->b, f == MATH_ISINF ? LLVMRealOEQ : LLVMRealOLT, mag, inf, "");
}

/* --- integers --------------------------------------------------------------------------------- */

static Val mul_high(Cg *cg, bool sign, LLVMTypeRef ty, Val *a) {
    unsigned bits = LLVMGetIntTypeWidth(ty);
    LLVMTypeRef wide = LLVMIntTypeInContext(cg->ctx, 2 * bits);
    Val x = cg_int_to(cg, a[0], sign, wide), y = cg_int_to(cg, a[1], sign, wide);
    Val high =
        LLVMBuildLShr(cg->b, LLVMBuildMul(cg->b, x, y, ""), LLVMConstInt(wide, bits, false), "");
    return LLVMBuildTrunc(cg->b, high, ty, "");
}

static Val int_math(Cg *cg, MathFn f, const Type *ty, Val *args) {
    bool sign = ty->kind == TY_INT && ty->is_signed;
    LLVMTypeRef t = cg_part_type(cg, ty, 0);
    Val with_flag[] = {args[0],
                       LLVMConstNull(cg->part[P_I1])}; /* the most negative, and 0, are defined */
    switch (f) {
    case MATH_ABS: return sign ? cg_intrinsic(cg, "llvm.abs", t, with_flag, 2) : args[0];
    case MATH_MIN: return cg_intrinsic(cg, sign ? "llvm.smin" : "llvm.umin", t, args, 2);
    case MATH_MAX: return cg_intrinsic(cg, sign ? "llvm.smax" : "llvm.umax", t, args, 2);
    case MATH_CTPOP: return cg_intrinsic(cg, "llvm.ctpop", t, args, 1);
    case MATH_CLZ: return cg_intrinsic(cg, "llvm.ctlz", t, with_flag, 2);
    case MATH_CTZ: return cg_intrinsic(cg, "llvm.cttz", t, with_flag, 2);
    case MATH_BREV: return cg_intrinsic(cg, "llvm.bitreverse", t, args, 1);
    case MATH_MULH: return mul_high(cg, sign, t, args);
    default:
        INTERNAL(cg->cx, cg->span,
                 cx_printf(cg->cx, "no integer function '%s'", math_info[f].text));
    }
}

/* --- functions -------------------------------------------------------------------------------- */

static bool is_there(Cg *cg, const char *symbol) {
    return !cg->options->find_symbol || cg->options->find_symbol(symbol);
}

/* "sin_u10" for 4 doubles with suffix "avx2": "Sleef_finz_sind4_u10avx2". */
static const char *sleef_symbol(Cg *cg, const char *base, bool wide, unsigned lanes,
                                const char *suffix) {
    const char *cut = strchr(base, '_');
    return cx_printf(cg->cx, "%s%.*s%c%u%s%s", cg->target->math_prefix, (int)(cut - base), base,
                     wide ? 'd' : 'f', lanes, cut, suffix);
}

/* The name to build on: with approximations allowed, the 3.5-ulp version where there is one. NULL:
 * no SLEEF. */
static const char *sleef_base(Cg *cg, MathFn f, bool wide, unsigned fast) {
    const char *base = math_info[f].sleef;
    if (!base || !cg->target->math_prefix) return NULL;
    if (fast & FAST_AFN) {
        const char *quick = cx_printf(cg->cx, "%.*s_u35", (int)(strchr(base, '_') - base), base);
        if (is_there(cg, sleef_symbol(cg, quick, wide, 1, cg->target->math_scalar))) return quick;
    }
    return is_there(cg, sleef_symbol(cg, base, wide, 1, cg->target->math_scalar)) ? base : NULL;
}

static External *declare_math(Cg *cg, const char *symbol, LLVMTypeRef ty, unsigned n) {
    LLVMTypeRef args[] = {ty, ty, ty};
    return cg_external(cg, symbol, LLVMFunctionType(ty, args, n, false), 0);
}

/* Declares the vector versions and names them at the call. */
static void name_vector_versions(Cg *cg, Val call, const char *scalar, const char *base,
                                 LLVMTypeRef ty, unsigned n) {
    bool wide = ty == cg->part[P_F64];
    Buf text = {0};
    for (const VectorMath *v = cg->target->math_vectors; v && v->lanes64; v++) {
        unsigned lanes = wide ? v->lanes64 : 2 * v->lanes64;
        const char *symbol = sleef_symbol(cg, base, wide, lanes, v->suffix);
        if (!is_there(cg, symbol)) continue;
        vec_push(cg->cx, &cg->keep, declare_math(cg, symbol, LLVMVectorType(ty, lanes), n)->fn);
        buf_printf(cg->cx, &text, "%s_ZGV_LLVM_N%u%.*s_%s(%s)", text.n ? "," : "", lanes, (int)n,
                   "vvv", scalar, symbol);
    }
    static const char key[] = "vector-function-abi-variant";
    if (!text.n) return;
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(cg->ctx, key, sizeof key - 1, text.at, (unsigned)text.n);
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* A pass that drops unused declarations must not drop these. */
void cg_keep_declarations(Cg *cg) {
    if (!cg->keep.n) return;
    Val list = LLVMConstArray2(cg->ptr, cg->keep.at, cg->keep.n);
    Val g = LLVMAddGlobal(cg->mod, LLVMTypeOf(list), "llvm.compiler.used");
    LLVMSetInitializer(g, list);
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    LLVMSetSection(g, "llvm.metadata");
}

static Val call_sleef(Cg *cg, const char *base, LLVMTypeRef ty, Val *args, unsigned n) {
    const char *symbol = sleef_symbol(cg, base, ty == cg->part[P_F64], 1, cg->target->math_scalar);
    External *e = declare_math(cg, symbol, ty, n);
    Val call = LLVMBuildCall2(cg->b, e->type, e->fn, args, n, "");
    name_vector_versions(cg, call, symbol, base, ty, n);
    return call;
}

static Val call_c(Cg *cg, MathFn f, LLVMTypeRef ty, Val *args, unsigned n) {
    const char *name = math_info[f].cfunc;
    External *e =
        declare_math(cg, ty == cg->part[P_F32] ? cx_printf(cg->cx, "%sf", name) : name, ty, n);
    return LLVMBuildCall2(cg->b, e->type, e->fn, args, n, "");
}

/* ldexp with an int64 exponent: C's takes an int, so the runtime has its own. */
static Val scale_float(Cg *cg, LLVMTypeRef ty, Val *args) {
    LLVMTypeRef t[] = {ty, cg->i64};
    const char *name = ty == cg->part[P_F32] ? "ws_ldexpf" : "ws_ldexp";
    External *e = cg_external(cg, name, LLVMFunctionType(ty, t, 2, false), 0);
    return LLVMBuildCall2(cg->b, e->type, e->fn, args, 2, "");
}

/* A function that has no float16 version: through float32. */
static Val through_f32(Cg *cg, MathFn f, Val *args, unsigned fast) {
    Val wide[3] = {0};
    for (int k = 0; k < math_info[f].nargs; k++) {
        bool real = LLVMTypeOf(args[k]) == cg->part[P_F16];
        wide[k] = real ? LLVMBuildFPExt(cg->b, args[k], cg->part[P_F32], "") : args[k];
    }
    Val v = cg_math(cg, f, TY_F(32), wide, fast);
    return math_info[f].flags & M_BOOL ? v : LLVMBuildFPTrunc(cg->b, v, cg->part[P_F16], "");
}

Val cg_math(Cg *cg, MathFn f, Type *ty, Val *args, unsigned fast) {
    const MathInfo *m = &math_info[f];
    LLVMTypeRef t = cg_part_type(cg, ty, 0);
    unsigned n = (unsigned)m->nargs;
    if (m->flags & M_INT) return int_math(cg, f, ty, args);
    if (m->flags & M_BOOL) return float_class(cg, f, t, args[0]);
    if (t == cg->part[P_F16]) return through_f32(cg, f, args, fast);
    bool scales = m->flags & M_EXP;
    if (cg->target->math && !m->intrinsic)
        return cg_fast(cg->target->math(cg, m->cfunc, t, args, n, scales), fast);
    if (scales) return scale_float(cg, t, args);
    if (m->intrinsic) return cg_fast(cg_intrinsic(cg, m->intrinsic, t, args, n), fast);
    const char *base = sleef_base(cg, f, t == cg->part[P_F64], fast);
    return cg_fast(base ? call_sleef(cg, base, t, args, n) : call_c(cg, f, t, args, n), fast);
}

void cg_op_math(Cg *cg, Ref r, const Ins *i) {
    Val args[3] = {0};
    if (i->nargs > 3 || i->nargs != math_info[i->sub].nargs)
        INTERNAL(cg->cx, i->span, "bad math arguments");
    for (unsigned k = 0; k < i->nargs; k++) args[k] = cg_arg(cg, i, k);
    cg_set(cg, r, cg_math(cg, (MathFn)i->sub, cg_type(cg, i->args[0]), args, i->fast));
}
