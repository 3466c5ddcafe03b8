/* From one Fn to one LLVM function: blocks, phis, terminators, and where exceptions go. */
#include <string.h>

#include "codegen/cg.h"

/* --- the op table ----------------------------------------------------------------------------- */

static void skip(Cg *cg, Ref r, const Ins *i) {
    (void)cg, (void)r, (void)i; /* its parts are there before its block is translated */
}

static void call_sreg(Cg *cg, Ref r, const Ins *i) { cg->target->sreg(cg, r, i); }
static void call_barrier(Cg *cg, Ref r, const Ins *i) { cg->target->barrier(cg, r, i); }
static void call_warp(Cg *cg, Ref r, const Ins *i) { cg->target->warp(cg, r, i); }
static void call_fence(Cg *cg, Ref r, const Ins *i) { cg->target->fence(cg, r, i); }
static void call_shared(Cg *cg, Ref r, const Ins *i) { cg->target->shared(cg, r, i); }
static void call_atomic(Cg *cg, Ref r, const Ins *i) { cg->target->atomic(cg, r, i); }

/* clang-format off */
static const OpFn rows[OPS] = {
    [OP_NOP] = skip,                    [OP_ARG] = skip,              [OP_PARAM] = skip,
    [OP_CONST] = cg_op_const,           [OP_UNSET] = cg_op_unset,     [OP_GLOBAL] = cg_op_global,
    [OP_ADD] = cg_op_add,               [OP_SUB] = cg_op_sub,         [OP_MUL] = cg_op_mul,
    [OP_NEG] = cg_op_neg,               [OP_FDIV] = cg_op_fdiv,       [OP_FLOORDIV] = cg_op_floordiv,
    [OP_FLOORMOD] = cg_op_floormod,     [OP_AND] = cg_op_bits,        [OP_OR] = cg_op_bits,
    [OP_XOR] = cg_op_bits,              [OP_SHL] = cg_op_shl,         [OP_SHR] = cg_op_shr,
    [OP_EQ] = cg_op_compare,            [OP_NE] = cg_op_compare,      [OP_LT] = cg_op_compare,
    [OP_LE] = cg_op_compare,            [OP_GT] = cg_op_compare,      [OP_GE] = cg_op_compare,
    [OP_SELECT] = cg_op_select,         [OP_CAST] = cg_op_cast,       [OP_BITCAST] = cg_op_bitcast,
    [OP_MATH] = cg_op_math,             [OP_MAKE] = cg_op_make,       [OP_FIELD] = cg_op_field,
    [OP_ELEM] = cg_op_elem,             [OP_OFFSET] = cg_op_offset,   [OP_LOAD] = cg_op_load,
    [OP_STORE] = cg_op_store,           [OP_ALLOC] = cg_op_alloc,     [OP_DATA] = cg_op_data,
    [OP_STACK] = cg_op_stack,           [OP_RETAIN] = cg_op_retain,   [OP_RELEASE] = cg_op_release,
    [OP_WRAP] = cg_op_wrap,             [OP_CHECK_INDEX] = cg_op_check_index,
    [OP_CHECK] = cg_op_check,           [OP_CALL_FN] = cg_op_call_fn, [OP_CALL_RT] = cg_op_call_rt,
    [OP_BIND] = cg_op_bind,             [OP_REGION] = cg_op_region,
    [OP_EXC_MAKE] = cg_op_exc_make,     [OP_POLL] = cg_op_poll,
    [OP_SREG] = call_sreg,              [OP_BARRIER] = call_barrier,
    [OP_WARP] = call_warp,              [OP_FENCE] = call_fence,
    [OP_SHARED] = call_shared,          [OP_ATOMIC] = call_atomic,
};
/* clang-format on */

/* --- values ----------------------------------------------------------------------------------- */

void cg_set(Cg *cg, Ref r, Val v) {
    Val *p = cx_alloc(cg->cx, sizeof *p);
    *p = v;
    cg->parts[r] = p;
}

Val *cg_new_parts(Cg *cg, Ref r) {
    return cg->parts[r] = NEWN(cg->cx, Val, cg_type(cg, r)->nparts + 1);
}

Val cg_alloca(Cg *cg, LLVMTypeRef ty, unsigned align) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->b);
    Val first = LLVMGetFirstInstruction(cg->entry);
    if (first)
        LLVMPositionBuilderBefore(cg->b, first);
    else
        LLVMPositionBuilderAtEnd(cg->b, cg->entry);
    Val p = LLVMBuildAlloca(cg->b, ty, "");
    LLVMSetAlignment(p, align);
    LLVMPositionBuilderAtEnd(cg->b, here);
    return p;
}

/* --- blocks and edges ------------------------------------------------------------------------- */

LLVMBasicBlockRef cg_cold_block(Cg *cg, const char *name) {
    return LLVMAppendBasicBlockInContext(cg->ctx, cg->out->fn, name);
}

LLVMBasicBlockRef cg_next_block(Cg *cg, const char *name) {
    LLVMBasicBlockRef b = LLVMAppendBasicBlockInContext(cg->ctx, cg->out->fn, name);
    LLVMMoveBasicBlockAfter(b, LLVMGetInsertBlock(cg->b));
    return b;
}

static void make_block(Cg *cg, BlockId id) {
    const Block *b = &cg->fn->blocks.at[id];
    CgBlock *out = &cg->blocks[id];
    uint32_t n = 0;
    out->first = LLVMAppendBasicBlockInContext(cg->ctx, cg->out->fn, b->label ? b->label : "b");
    for (uint32_t k = 0; k < b->params.n; k++) n += cg_type(cg, b->params.at[k])->nparts;
    out->phis = NEWN(cg->cx, Val, n + 1);
    LLVMPositionBuilderAtEnd(cg->b, out->first);
    n = 0;
    for (uint32_t k = 0; k < b->params.n; k++) {
        const Type *ty = cg_type(cg, b->params.at[k]);
        cg->parts[b->params.at[k]] = out->phis + n;
        for (uint32_t p = 0; p < ty->nparts; p++)
            out->phis[n++] = LLVMBuildPhi(cg->b, cg_part_type(cg, ty, p), "");
    }
}

/* Gives the phis of `edge->to` their values for a jump from `from`; the first `skip` phis have
 * theirs. */
static void add_incoming(Cg *cg, const Edge *edge, LLVMBasicBlockRef from, uint32_t skip_phis) {
    Val *phi = cg->blocks[edge->to].phis + skip_phis;
    for (uint32_t k = 0; k < edge->n; k++)
        for (uint32_t p = 0; p < cg_type(cg, edge->args[k])->nparts; p++, phi++)
            LLVMAddIncoming(*phi, &cg->parts[edge->args[k]][p], &from, 1);
}

/* Address of a pointer-sized field of the context. */
static Val context_field(Cg *cg, size_t offset) { return cg_offset(cg, cg->ws, (int64_t)offset); }

static LLVMBasicBlockRef unwind_block(Cg *cg) {
    if (cg->unwind) return cg->unwind;
    cg->unwind = cg_cold_block(cg, "unwind");
    LLVMPositionBuilderAtEnd(cg->b, cg->unwind);
    Val ret = LLVMGetPoison(cg->out->ret);
    LLVMBuildRet(cg->b, LLVMBuildInsertValue(cg->b, ret, cg_i32(cg, 1), 0, ""));
    return cg->unwind;
}

/* Takes the exception from the context and jumps to the handler with it. */
static LLVMBasicBlockRef handler_landing(Cg *cg, const Block *b) {
    LLVMBasicBlockRef landing = cg_cold_block(cg, "landing");
    LLVMPositionBuilderAtEnd(cg->b, landing);
    Val at = context_field(cg, offsetof(WsCtx, exc));
    Val exc = LLVMBuildLoad2(cg->b, cg->ptr, at, "");
    LLVMBuildStore(cg->b, LLVMConstNull(cg->ptr), at);
    LLVMAddIncoming(cg->blocks[b->handler.to].phis[0], &exc, &landing, 1);
    add_incoming(cg, &b->handler, landing, 1);
    LLVMBuildBr(cg->b, cg->blocks[b->handler.to].first);
    return landing;
}

/* The handler's first parameter says which inlined call, if any, it was written in. */
void cg_leave(Cg *cg) {
    const Edge *handler = &cg->fn->blocks.at[cg->block].handler;
    uint32_t stop = 0;
    if (handler->to != NO_BLOCK)
        stop = ir_at(cg->fn, cg->fn->blocks.at[handler->to].params.at[0])->origin;
    cg_trace_origins(cg, stop);
    cg_note_place(cg);
    LLVMBuildBr(cg->b, cg_landing(cg));
}

LLVMBasicBlockRef cg_landing(Cg *cg) {
    const Block *b = &cg->fn->blocks.at[cg->block];
    CgBlock *out = &cg->blocks[cg->block];
    if (!out->landing) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->b);
        out->landing = b->handler.to == NO_BLOCK ? unwind_block(cg) : handler_landing(cg, b);
        LLVMPositionBuilderAtEnd(cg->b, here);
    }
    return out->landing;
}

/* --- terminators ------------------------------------------------------------------------------ */

static void mark_latch(Cg *cg, Val jump) {
    const CgBlock *b = &cg->blocks[cg->block];
    Val loop = b->loop;
    if (!loop && (b->reduces || b->unrolls)) loop = cg_loop_node(cg, b, NULL);
    if (loop) LLVMSetMetadata(jump, cg_md_kind(cg, "llvm.loop"), loop);
}

static void emit_jump(Cg *cg, const Edge *e) {
    add_incoming(cg, e, LLVMGetInsertBlock(cg->b), 0);
    Val jump = LLVMBuildBr(cg->b, cg->blocks[e->to].first);
    mark_latch(cg, jump);
}

/* A phi has one value per predecessor, so of two edges to one block the second gets a block of its
 * own. */
static LLVMBasicBlockRef edge_block(Cg *cg, const Edge *e) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->b), own = cg_next_block(cg, "edge");
    LLVMPositionBuilderAtEnd(cg->b, own);
    emit_jump(cg, e);
    LLVMPositionBuilderAtEnd(cg->b, here);
    return own;
}

/* The second way is hardly ever taken. */
static void say_unlikely(Cg *cg, Val jump) {
    static const char name[] = "branch_weights";
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(cg->ctx, name, sizeof name - 1),
                               LLVMValueAsMetadata(cg_i32(cg, 2000)),
                               LLVMValueAsMetadata(cg_i32(cg, 1))};
    LLVMMetadataRef weights = LLVMMDNodeInContext2(cg->ctx, parts, 3);
    LLVMSetMetadata(jump, cg_md_kind(cg, "prof"), LLVMMetadataAsValue(cg->ctx, weights));
}

static void emit_branch(Cg *cg, const Term *t) {
    const Edge *yes = &t->succ[0], *no = &t->succ[1];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->b), to_no = cg->blocks[no->to].first;
    add_incoming(cg, yes, here, 0);
    if (yes->to == no->to)
        to_no = edge_block(cg, no);
    else
        add_incoming(cg, no, here, 0);
    Val jump = LLVMBuildCondBr(cg->b, cg_val(cg, t->arg), cg->blocks[yes->to].first, to_no);
    if (t->cold) say_unlikely(cg, jump);
    mark_latch(cg, jump);
}

static void emit_return(Cg *cg, const Term *t) {
    Val ret = LLVMGetPoison(cg->out->ret);
    ret = LLVMBuildInsertValue(cg->b, ret, cg_i32(cg, 0), 0, "");
    for (uint32_t k = 0; t->arg && k < cg->fn->ret->nparts; k++)
        ret = LLVMBuildInsertValue(cg->b, ret, cg->parts[t->arg][k], k + 1, "");
    LLVMBuildRet(cg->b, ret);
}

static void emit_terminator(Cg *cg, const Block *b) {
    const Term *t = &b->term;
    cg->span = t->span;
    cg->origin = t->origin;
    cg_debug_span(cg, t->span);
    switch ((TermKind)t->kind) {
    case TERM_JUMP: emit_jump(cg, &t->succ[0]); return;
    case TERM_BRANCH: emit_branch(cg, t); return;
    case TERM_RETURN: emit_return(cg, t); return;
    case TERM_RAISE:
        if (t->arg) cg_call_helper(cg, HELPER_RAISE, 1, cg_parts(cg, t->arg));
        cg_leave(cg);
        return;
    case TERM_UNREACHABLE: LLVMBuildUnreachable(cg->b); return;
    case TERM_NONE: break;
    }
    INTERNAL(cg->cx, t->span, "a block without an end");
}

/* --- the function ----------------------------------------------------------------------------- */

static void emit_ins(Cg *cg, Ref r) {
    const Ins *i = ir_at(cg->fn, r);
    cg->span = i->span;
    cg->origin = i->origin;
    cg_debug_span(cg, i->span);
    if (!rows[i->op])
        INTERNAL(cg->cx, i->span,
                 cx_printf(cg->cx, "no machine code for '%s'", op_info[i->op].text));
    rows[i->op](cg, r, i);
}

static void emit_block(Cg *cg, BlockId id) {
    const Block *b = &cg->fn->blocks.at[id];
    cg->block = id;
    LLVMPositionBuilderAtEnd(cg->b, cg->blocks[id].first);
    for (uint32_t k = 0; k < b->ins.n; k++) emit_ins(cg, b->ins.at[k]);
    emit_terminator(cg, b);
}

/* The arguments' parts in the order of OP_ARG's numbers. */
static void bind_args(Cg *cg) {
    const Fn *fn = cg->fn;
    uint32_t *first = NEWN(cg->cx, uint32_t, fn->nargs + 1), n = 1;
    for (uint32_t a = 0; a < fn->nargs; n += fn->args[a++].ty->nparts) first[a] = n;
    Val *params = NEWN(cg->cx, Val, n);
    for (uint32_t k = 0; k < n; k++) params[k] = LLVMGetParam(cg->out->fn, k);
    cg->ws = params[0];
    for (uint32_t r = 1; r < fn->ins.n; r++)
        if (fn->ins.at[r].op == OP_ARG) cg->parts[r] = params + first[fn->ins.at[r].imm];
}

/* Function entry: is there stack left? Where functions call each other in circles, this ends it in
 * time. The timer of signals makes the test fail too, so that recursion polls at no cost. */
static void check_stack(Cg *cg) {
    LLVMMetadataRef name = LLVMMDStringInContext2(cg->ctx, cg->target->stack_register,
                                                  strlen(cg->target->stack_register));
    Val reg = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, &name, 1));
    Val sp = cg_intrinsic(cg, "llvm.read_register", cg->i64, &reg, 1);
    Val limit = LLVMBuildLoad2(cg->b, cg->i64, context_field(cg, offsetof(WsCtx, stack_limit)), "");
    LLVMBasicBlockRef deep = cg_cold_block(cg, "deep"), go = cg_next_block(cg, "go");
    LLVMBuildCondBr(cg->b, LLVMBuildICmp(cg->b, LLVMIntULT, sp, limit, ""), deep, go);
    LLVMPositionBuilderAtEnd(cg->b, deep);
    Val status = cg_call_quietly(cg, HELPER_CHECK_STACK);
    LLVMBasicBlockRef unwind = unwind_block(cg); /* moves the builder */
    LLVMPositionBuilderAtEnd(cg->b, deep);
    LLVMBuildCondBr(cg->b, LLVMBuildIsNull(cg->b, status, ""), go, unwind);
    LLVMPositionBuilderAtEnd(cg->b, go);
}

/* A handler whose block turned out not to raise has no predecessors left; LLVM wants no phis there.
 */
static void drop_empty_phis(Cg *cg, BlockId id) {
    const Block *b = &cg->fn->blocks.at[id];
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->params.n; k++)
        for (uint32_t p = 0; p < cg_type(cg, b->params.at[k])->nparts; p++, n++) {
            Val phi = cg->blocks[id].phis[n];
            if (LLVMCountIncoming(phi)) continue;
            LLVMReplaceAllUsesWith(phi, LLVMGetPoison(LLVMTypeOf(phi)));
            LLVMInstructionEraseFromParent(phi);
        }
}

static void open_function(Cg *cg, uint32_t index) {
    const Fn *fn = cg->m->fns.at[index];
    cg->fn = fn;
    cg->out = &cg->fns[index];
    cg->blocks = NEWN(cg->cx, CgBlock, fn->blocks.n);
    cg->parts = NEWN(cg->cx, Val *, fn->ins.n);
    cg->unwind = NULL;
    cg->block = 0;
    cg->span = fn->span;
    cg->origin = 0;
    bind_args(cg);
    LLVMSetCurrentDebugLocation2(cg->b, NULL); /* gdb stops behind what has none, the prologue */
    cg->entry = LLVMAppendBasicBlockInContext(cg->ctx, cg->out->fn, "entry");
    LLVMPositionBuilderAtEnd(cg->b, cg->entry);
    uint32_t slots = cg_scratch_slots(fn);
    cg->scratch = slots ? LLVMBuildAlloca(cg->b, LLVMArrayType2(cg->i64, slots), "scratch") : NULL;
    cg_debug_function(cg);
}

void cg_function(Cg *cg, uint32_t index) {
    open_function(cg, index);
    const Cfg *cfg = ir_cfg(cg->cx, cg->fn);
    LLVMBasicBlockRef start = cg->entry;
    if (cg->out->recursive && cg->target->stack_register) {
        check_stack(cg);
        start = LLVMGetInsertBlock(cg->b);
    }
    for (uint32_t k = 0; k < cfg->nrpo; k++) make_block(cg, cfg->rpo[k]);
    LLVMPositionBuilderAtEnd(cg->b, start);
    LLVMBuildBr(cg->b, cg->blocks[0].first);
    cg_fill_loops(cg, cfg);
    cg_fill_lanes(cg, cfg);
    cg_fill_places(cg, cfg);
    cg_report_function(cg, cfg);
    for (uint32_t k = 0; k < cfg->nrpo; k++) emit_block(cg, cfg->rpo[k]);
    for (uint32_t k = 0; k < cfg->nrpo; k++) drop_empty_phis(cg, cfg->rpo[k]);
}
