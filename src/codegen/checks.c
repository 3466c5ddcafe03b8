/* Checks: a test, and a cold block at the end of the function that says what went wrong.
 *
 * No branch weights: LLVM would take the loop around an unlikely exit for cold and not vectorize
 * it. */
#include "codegen/cg.h"

void cg_require(Cg *cg, Val ok, void (*fail)(Cg *, void *), void *arg) {
    if (LLVMIsAConstantInt(ok) && LLVMConstIntGetZExtValue(ok)) return;
    LLVMBasicBlockRef cold = cg_cold_block(cg, "fail"), go = cg_next_block(cg, "ok");
    LLVMBuildCondBr(cg->b, ok, go, cold);
    LLVMPositionBuilderAtEnd(cg->b, cold);
    fail(cg, arg);
    cg_leave(cg);
    LLVMPositionBuilderAtEnd(cg->b, go);
}

void cg_raise_check(Cg *cg, int kind, Val a, Val b) {
    Val args[] = {cg_i32(cg, kind), a, b};
    cg_call_helper(cg, HELPER_RAISE_CHECK, 3, args);
}

static void fail_index(Cg *cg, void *arg) {
    const Ins *i = arg;
    Val args[] = {cg_arg(cg, i, 2), cg_arg(cg, i, 1), cg_i32(cg, i->imm)};
    cg_call_helper(cg, HELPER_RAISE_INDEX, 3, args);
}

/* 0 <= i < n as one unsigned comparison; n is never negative. */
void cg_op_check_index(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    Val ok = LLVMBuildICmp(cg->b, LLVMIntULT, cg_arg(cg, i, 0), cg_arg(cg, i, 1), "");
    cg_require(cg, ok, fail_index, (void *)i);
}

/* Operand k of the check's text as 64 bits: an integer, or a float64's bits. */
static Val text_operand(Cg *cg, const Ins *i, unsigned k) {
    if (k >= i->nargs) return cg_i64(cg, 0);
    const Type *ty = cg_type(cg, i->args[k]);
    Val v = cg_arg(cg, i, k);
    if (ty->kind != TY_FLOAT) return cg_int_to(cg, v, ty->is_signed, cg->i64);
    return LLVMBuildBitCast(cg->b, LLVMBuildFPCast(cg->b, v, cg->part[P_F64], ""), cg->i64, "");
}

static void fail_check(Cg *cg, void *arg) {
    const Ins *i = arg;
    cg_raise_check(cg, i->sub, text_operand(cg, i, 1), text_operand(cg, i, 2));
}

void cg_op_check(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    cg_require(cg, cg_arg(cg, i, 0), fail_check, (void *)i);
}

static void fail_poll(Cg *cg, void *arg) { (void)cg, (void)arg; /* ws_poll has raised */ }

/* The word is set by another thread; monotonic, so that the load stays in the loop. */
void cg_op_poll(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    if (cg->target->is_gpu) return;
    if (i->imm) {
        Val status = cg_call_quietly(cg, HELPER_POLL);
        cg_require(cg, LLVMBuildIsNull(cg->b, status, ""), fail_poll, NULL);
        return;
    }
    Val word = LLVMBuildLoad2(cg->b, cg->i32, cg_offset(cg, cg->ws, offsetof(WsCtx, poll)), "");
    LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(word, 4);
    LLVMBasicBlockRef slow = cg_cold_block(cg, "poll"), go = cg_next_block(cg, "ok");
    LLVMBuildCondBr(cg->b, LLVMBuildIsNull(cg->b, word, ""), go, slow);
    LLVMPositionBuilderAtEnd(cg->b, slow);
    Val status = cg_call_quietly(cg, HELPER_POLL);
    cg_require(cg, LLVMBuildIsNull(cg->b, status, ""), fail_poll, NULL);
    LLVMBuildBr(cg->b, go);
    LLVMPositionBuilderAtEnd(cg->b, go);
}
