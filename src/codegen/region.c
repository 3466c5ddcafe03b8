/* Parallel loops: what the body needs goes into slots, and the runtime calls it back through a thunk.
 *
 *     thunk(ctx, slots, lo, hi, partial) = body(ctx, lo, hi, partial, the values from the slots)
 *
 * The slots begin with a RegionHead. */
#include "core/region.h"
#include "codegen/cg.h"

static Val declare_thunk(Cg *cg, const Fn *body) {
    LLVMTypeRef params[] = {cg->ptr, cg->ptr, cg->i64, cg->i64, cg->ptr};
    const char *name = cx_printf(cg->cx, "%s.thunk", cg_symbol(cg, body));
    Val f = LLVMAddFunction(cg->mod, name, LLVMFunctionType(cg->i32, params, 5, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    cg_fn_attr(cg, f, "nounwind", 0);
    cg_fn_text_attr(cg, f, "probe-stack", "inline-asm");
    cg_fn_text_attr(cg, f, "frame-pointer", "none");
    return f;
}

static Val make_thunk(Cg *cg, const Fn *body) {
    const CgFn *callee = &cg->fns[map_get(&cg->fn_index, map_key(body), 0)];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->b);
    LLVMMetadataRef where = LLVMGetCurrentDebugLocation2(cg->b);
    LLVMSetCurrentDebugLocation2(cg->b, NULL);
    Val f = declare_thunk(cg, body);
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, f, "entry"));
    Val *args = NEWN(cg->cx, Val, LLVMCountParams(callee->fn)), slots = LLVMGetParam(f, 1);
    uint32_t n = 0, slot = REGION_HEAD;
    args[n++] = LLVMGetParam(f, 0);
    for (unsigned k = 0; k < REGION_BODY_VALUES; k++) args[n++] = LLVMGetParam(f, 2 + k);
    for (uint32_t a = REGION_BODY_VALUES; a < body->nargs; a++) {
        const Type *ty = body->args[a].ty;
        cg_load_slots(cg, ty, args + n, cg_offset(cg, slots, 8 * (int64_t)slot));
        n += ty->nparts;
        slot += ty->nparts;
    }
    Val call = LLVMBuildCall2(cg->b, callee->type, callee->fn, args, n, "");
    cg_mark_call(cg, call);
    LLVMBuildRet(cg->b, LLVMBuildExtractValue(cg->b, call, 0, ""));
    LLVMPositionBuilderAtEnd(cg->b, here);
    LLVMSetCurrentDebugLocation2(cg->b, where);
    return f;
}

/* The body is part of this function: it has noted everything. */
static void fail_region(Cg *cg, void *arg) {
    (void)arg;
    cg->origin = 0;
}

static Val head_slot(Cg *cg, uint32_t slot) {
    return cg_offset(cg, cg->scratch, 8 * (int64_t)slot);
}

static void fill_head(Cg *cg, const Ins *i) {
    for (uint32_t k = 0; k < REGION_VALUES; k++) {
        Val v = cg_arg(cg, i, k);
        if (k == REGION_APART) v = cg_int_to(cg, v, false, cg->i64);
        LLVMBuildStore(cg->b, v, head_slot(cg, k));
    }
    LLVMBuildStore(cg->b, cg_i64(cg, i->imm),
                   cg_offset(cg, cg->scratch, offsetof(RegionHead, stride)));
}

void cg_op_region(Cg *cg, Ref r, const Ins *i) {
    if (cg->target->is_gpu) cg_refuse(cg, "a parallel loop in a kernel for the GPU");
    fill_head(cg, i);
    uint32_t slot = REGION_HEAD;
    for (uint32_t a = REGION_VALUES; a < i->nargs; a++) {
        Type *ty = cg_type(cg, i->args[a]);
        cg_store_slots(cg, ty, cg_parts(cg, i->args[a]), head_slot(cg, slot), true);
        slot += ty->nparts;
    }
    Val args[] = {make_thunk(cg, i->callee), cg->scratch};
    Val status = cg_call_helper(cg, HELPER_REGION, 2, args);
    cg_require(cg, LLVMBuildIsNull(cg->b, status, ""), fail_region, NULL);
    cg_set(cg, r, LLVMBuildLoad2(cg->b, cg->i64, head_slot(cg, REGION_N), ""));
}
