/* Barriers, fences, and what a warp does together, on GPUs by NVIDIA. Instructions work on 32 bits: a wider value
 * travels in two halves, a narrower one is widened. */
#include "codegen/nvptx.h"

#include <stdlib.h>

static Val convergent(Cg *cg, Val call) {
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             cg_attr(cg, "convergent", 0));
    return call;
}

static Val low_word(Cg *cg, Val v) { return LLVMBuildTrunc(cg->b, v, cg->i32, ""); }

/* --- barriers, fences ------------------------------------------------------------------------- */

void gpu_barrier(Cg *cg, Ref r, const Ins *i) {
    static const char *const names[] = {
        [BARRIER_SYNC] = "llvm.nvvm.barrier0",
        [BARRIER_COUNT] = "llvm.nvvm.barrier0.popc",
        [BARRIER_AND] = "llvm.nvvm.barrier0.and",
        [BARRIER_OR] = "llvm.nvvm.barrier0.or",
    };
    if (i->sub == BARRIER_GRID)
        cg_refuse(cg, "a barrier of the whole grid in a kernel for the GPU");
    Val vote = i->nargs ? LLVMBuildZExt(cg->b, cg_arg(cg, i, 0), cg->i32, "") : NULL;
    Val call = convergent(cg, gpu_call(cg, names[i->sub], i->nargs, &vote));
    if (!i->nargs) return;
    if (i->sub != BARRIER_COUNT) /* any bit but 0 means yes */
        call = LLVMBuildICmp(cg->b, LLVMIntNE, call, LLVMConstNull(cg->i32), "");
    cg_set(cg, r, LLVMBuildZExt(cg->b, call, cg->i64, ""));
}

void gpu_fence(Cg *cg, Ref r, const Ins *i) {
    static const char *const names[] = {[FENCE_BLOCK] = "llvm.nvvm.membar.cta",
                                        [FENCE_DEVICE] = "llvm.nvvm.membar.gl",
                                        [FENCE_SYSTEM] = "llvm.nvvm.membar.sys"};
    (void)r;
    gpu_call(cg, names[i->sub], 0, NULL);
}

/* --- values as words -------------------------------------------------------------------------- */

typedef struct Words {
    Val at[2];
    unsigned n;
} Words;

static Words to_words(Cg *cg, const Type *ty, Val v) {
    unsigned bits = ty->bits;
    LLVMTypeRef whole = LLVMIntTypeInContext(cg->ctx, bits);
    if (ty->kind == TY_FLOAT) v = LLVMBuildBitCast(cg->b, v, whole, "");
    if (bits <= 32) return (Words){{cg_int_to(cg, v, ty->is_signed, cg->i32)}, 1};
    Val high = LLVMBuildLShr(cg->b, v, cg_i64(cg, 32), "");
    return (Words){{low_word(cg, v), low_word(cg, high)}, 2};
}

static Val from_words(Cg *cg, const Type *ty, Words w) {
    LLVMTypeRef whole = LLVMIntTypeInContext(cg->ctx, ty->bits);
    Val v = w.at[0];
    if (w.n == 2) {
        Val low = LLVMBuildZExt(cg->b, w.at[0], cg->i64, "");
        Val high = LLVMBuildZExt(cg->b, w.at[1], cg->i64, "");
        v = LLVMBuildOr(cg->b, low, LLVMBuildShl(cg->b, high, cg_i64(cg, 32), ""), "");
    } else if (ty->bits < 32) {
        v = LLVMBuildTrunc(cg->b, v, whole, "");
    }
    return ty->kind == TY_FLOAT ? LLVMBuildBitCast(cg->b, v, cg_part_type(cg, ty, 0), "") : v;
}

/* --- shuffles --------------------------------------------------------------------------------- */

/* The last operand: the lanes that a group ends at, and which bits of the lane's number name the group. */
static Val shuffle_limit(Cg *cg, const Ins *i) {
    int64_t segment = (32 - i->imm) << 8;
    return cg_i32(cg, segment | (i->sub == WARP_SHFL_UP ? 0 : 31));
}

static Val shuffle_word(Cg *cg, unsigned op, Val mask, Val word, Val by, Val limit) {
    static const char *const names[] = {
        [WARP_SHFL_IDX] = "llvm.nvvm.shfl.sync.idx.i32",
        [WARP_SHFL_UP] = "llvm.nvvm.shfl.sync.up.i32",
        [WARP_SHFL_DOWN] = "llvm.nvvm.shfl.sync.down.i32",
        [WARP_SHFL_XOR] = "llvm.nvvm.shfl.sync.bfly.i32",
    };
    return convergent(cg, gpu_call(cg, names[op], 4, (Val[]){mask, word, by, limit}));
}

static Val shuffle(Cg *cg, const Ins *i, const Type *ty, Val mask) {
    Words w = to_words(cg, ty, cg_arg(cg, i, 1));
    Val by = low_word(cg, cg_arg(cg, i, 2)), limit = shuffle_limit(cg, i);
    for (unsigned k = 0; k < w.n; k++) w.at[k] = shuffle_word(cg, i->sub, mask, w.at[k], by, limit);
    return from_words(cg, ty, w);
}

/* --- votes ------------------------------------------------------------------------------------ */

static Val vote(Cg *cg, const Ins *i, Val mask) {
    static const char *const names[] = {[WARP_ALL] = "llvm.nvvm.vote.all.sync",
                                        [WARP_ANY] = "llvm.nvvm.vote.any.sync",
                                        [WARP_UNIFORM] = "llvm.nvvm.vote.uni.sync",
                                        [WARP_BALLOT] = "llvm.nvvm.vote.ballot.sync"};
    Val v = convergent(cg, gpu_call(cg, names[i->sub], 2, (Val[]){mask, cg_arg(cg, i, 1)}));
    return i->sub == WARP_BALLOT ? LLVMBuildZExt(cg->b, v, cg->i64, "") : v;
}

static Val match(Cg *cg, const Ins *i, const Type *ty, Val mask) {
    Words w = to_words(cg, ty, cg_arg(cg, i, 1));
    bool wide = w.n == 2, all = i->sub == WARP_MATCH_ALL;
    Val v = wide ? from_words(cg, TY_U(64), w) : w.at[0];
    const char *name =
        all ? (wide ? "llvm.nvvm.match.all.sync.i64p" : "llvm.nvvm.match.all.sync.i32p")
            : (wide ? "llvm.nvvm.match.any.sync.i64" : "llvm.nvvm.match.any.sync.i32");
    Val found = convergent(cg, gpu_call(cg, name, 2, (Val[]){mask, v}));
    if (all) found = LLVMBuildExtractValue(cg->b, found, 0, "");
    return LLVMBuildZExt(cg->b, found, cg->i64, "");
}

static Val active_mask(Cg *cg) {
    static const char code[] = "activemask.b32 $0;", out[] = "=r";
    LLVMTypeRef ty = LLVMFunctionType(cg->i32, NULL, 0, false);
    Val read = LLVMGetInlineAsm(ty, code, sizeof code - 1, out, sizeof out - 1, true, false,
                                LLVMInlineAsmDialectATT, false);
    return LLVMBuildZExt(cg->b, convergent(cg, LLVMBuildCall2(cg->b, ty, read, NULL, 0, "")),
                         cg->i64, "");
}

/* --- sums and the like ------------------------------------------------------------------------ */

static Val join(Cg *cg, const Ins *i, Type *ty, Val a, Val b) {
    bool real = ty->kind == TY_FLOAT;
    Val both[] = {a, b};
    switch (i->sub) {
    case WARP_ADD: return real ? LLVMBuildFAdd(cg->b, a, b, "") : LLVMBuildAdd(cg->b, a, b, "");
    case WARP_MIN: return cg_math(cg, real ? MATH_FMIN : MATH_MIN, ty, both, 0);
    case WARP_MAX: return cg_math(cg, real ? MATH_FMAX : MATH_MAX, ty, both, 0);
    case WARP_AND: return LLVMBuildAnd(cg->b, a, b, "");
    case WARP_OR: return LLVMBuildOr(cg->b, a, b, "");
    default: return LLVMBuildXor(cg->b, a, b, "");
    }
}

/* One instruction from sm_80 on, for integers of 32 bits; NULL: there is none. */
static Val reduce_at_once(Cg *cg, const Ins *i, const Type *ty, Val mask) {
    static const char *const names[][2] = {
        [WARP_ADD] = {"add", "add"}, [WARP_MIN] = {"umin", "min"}, [WARP_MAX] = {"umax", "max"},
        [WARP_AND] = {"and", "and"}, [WARP_OR] = {"or", "or"},     [WARP_XOR] = {"xor", "xor"}};
    if (ty->kind != TY_INT || ty->bits != 32 || atoi(cg->target->cpu + 3) < 80) return NULL;
    const char *name = cx_printf(cg->cx, "llvm.nvvm.redux.sync.%s", names[i->sub][ty->is_signed]);
    return convergent(cg, gpu_call(cg, name, 2, (Val[]){cg_arg(cg, i, 1), mask}));
}

/* All lanes in order, those that the mask names: 32 shuffles. */
static Val reduce_by_shuffles(Cg *cg, const Ins *i, Type *ty, Val mask) {
    Val sum = NULL, any = NULL, limit = cg_i32(cg, 31);
    Words own = to_words(cg, ty, cg_arg(cg, i, 1));
    for (int64_t lane = 0; lane < WARP_SIZE; lane++) {
        Words w = own;
        for (unsigned k = 0; k < w.n; k++)
            w.at[k] = shuffle_word(cg, WARP_SHFL_IDX, mask, own.at[k], cg_i32(cg, lane), limit);
        Val v = from_words(cg, ty, w);
        Val bit = LLVMBuildAnd(cg->b, mask, cg_i32(cg, (int64_t)1 << lane), "");
        Val in = LLVMBuildICmp(cg->b, LLVMIntNE, bit, LLVMConstNull(cg->i32), "");
        Val more = sum ? LLVMBuildSelect(cg->b, any, join(cg, i, ty, sum, v), v, "") : v;
        sum = sum ? LLVMBuildSelect(cg->b, in, more, sum, "") : v;
        any = any ? LLVMBuildOr(cg->b, any, in, "") : in;
    }
    return sum;
}

static Val reduce(Cg *cg, const Ins *i, Type *ty, Val mask) {
    Val v = reduce_at_once(cg, i, ty, mask);
    return v ? v : reduce_by_shuffles(cg, i, ty, mask);
}

void gpu_warp(Cg *cg, Ref r, const Ins *i) {
    Val mask = i->nargs ? low_word(cg, cg_arg(cg, i, 0)) : NULL;
    Type *ty = i->nargs > 1 ? cg_type(cg, i->args[1]) : NULL;
    if (i->sub <= WARP_SHFL_XOR)
        cg_set(cg, r, shuffle(cg, i, ty, mask));
    else if (i->sub <= WARP_BALLOT)
        cg_set(cg, r, vote(cg, i, mask));
    else if (i->sub <= WARP_MATCH_ALL)
        cg_set(cg, r, match(cg, i, ty, mask));
    else if (i->sub <= WARP_XOR)
        cg_set(cg, r, reduce(cg, i, ty, mask));
    else if (i->sub == WARP_ACTIVE)
        cg_set(cg, r, active_mask(cg));
    else
        convergent(cg, gpu_call(cg, "llvm.nvvm.bar.warp.sync", 1, &mask));
}
