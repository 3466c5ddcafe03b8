/* After the fixpoint: everything once more, in program order, with errors real. */
#include "infer/infer_int.h"

/* "while compiling g for (int64, float64), called here" for each caller, innermost first. */
static void note_callers(Infer *in, const Inst *inst) {
    Cx *cx = in->cx;
    int shown = 0;
    for (; inst->caller && shown < 6; inst = inst->caller, shown++) {
        Buf args = {0};
        for (uint32_t i = 0; i < inst->def->nparams; i++)
            buf_printf(cx, &args, "%s%s", i ? ", " : "", infer_type_text(cx, inst->args[i]));
        diag_note_late(cx, cx->diag, inst->call_span, "while compiling %s(%s), called from %s", inst->def->qualname,
                  args.at ? args.at : "", inst->caller->def->qualname);
    }
}

static void check_param(Infer *in, Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    Const *k;
    Ref clash[2] = {0, 0};
    if (infer_param(in, inst, ins->block, (uint32_t)ins->imm, &k, clash) || !clash[0]) return;
    /* A value that nobody looks at may clash: dead variables get parameters too. */
    if (inst->state->use_start[r] == inst->state->use_start[r + 1]) return;
    const Ins *a = ir_at(inst->high, clash[0]), *b = ir_at(inst->high, clash[1]);
    Cx *cx = in->cx;
    const char *name = ins->name ? cx_printf(cx, "'%s'", ins->name) : "the value";
    diag_note(cx, a->span, "%s here", infer_type_text(cx, a->ty));
    diag_note(cx, b->span, "%s here", infer_type_text(cx, b->ty));
    diag_fail(cx, b->span, D_NO_JOIN, name, infer_type_text(cx, a->ty), infer_type_text(cx, b->ty));
}

static void check_term(Infer *in, Inst *inst, const Term *t) {
    Cx *cx = in->cx;
    if (t->kind == TERM_RETURN && inst->ret->kind != TY_UNDEF) {
        Type *ty = ir_at(inst->high, t->arg)->ty;
        if (!ty_join(ty, inst->ret) || ty_join(ty, inst->ret) != inst->ret) {
            infer_explain(in, inst, t->arg);
            diag_fail(cx, t->span, D_NO_JOIN_RETURN, infer_type_text(cx, ty), infer_type_text(cx, inst->ret));
        }
    }
    if (t->kind == TERM_RAISE && t->arg) infer_check_raise(in, inst, t);
}

/* Instances that this call leads to. */
static void check_callee(Infer *in, Inst *inst, Ref r) {
    Callee c;
    if (infer_callee(in, inst, r, &c) && c.kind == CALLEE_INST && c.inst) infer_check(in, c.inst);
}

static void check_block(Infer *in, Inst *inst, BlockId b) {
    const Block *block = &inst->high->blocks.at[b];
    for (uint32_t i = 0; i < block->params.n; i++) check_param(in, inst, block->params.at[i]);
    for (uint32_t i = 0; i < block->ins.n; i++) {
        Ref r = block->ins.at[i];
        Const *k = NULL;
        Op op = (Op)ir_at(inst->high, r)->op;
        in->inst = inst;
        infer_op(in, inst, r, &k);
        if (op == OP_CALL) check_callee(in, inst, r);
        if (infer_never_returns(in, inst, r)) return;
    }
    check_term(in, inst, &block->term);
}

typedef struct CheckArg {
    Infer *in;
    Inst *inst;
} CheckArg;

static void check_body(Cx *cx, void *arg) {
    CheckArg *a = arg;
    (void)cx;
    for (BlockId b = 0; b < a->inst->high->blocks.n; b++)
        if (infer_reached(a->inst, b)) check_block(a->in, a->inst, b);
}

void infer_check(Infer *in, Inst *inst) {
    if (inst->checked) return;
    inst->checked = true;
    bool was = in->final;
    in->final = true;
    CheckArg arg = {in, inst};
    if (cx_run(in->cx, check_body, &arg) != 0) {
        if (in->cx->diag && !in->cx->diag->function) {
            in->cx->diag->function = inst->def->qualname;
            note_callers(in, inst);
        }
        cx_abort(in->cx);
    }
    in->final = was;
}
