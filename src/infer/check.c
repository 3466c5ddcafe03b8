/* After the fixpoint: everything once more, in program order, with errors real. */
#include <string.h>

#include "infer/infer_int.h"

/* --- callers ------------------------------------------------------------------------------------ */

/* The types that an instance was made for. */
static const char *types_of(Cx *cx, const Inst *inst) {
    Buf out = {0};
    for (uint32_t i = 0; i < inst->def->nparams; i++)
        buf_printf(cx, &out, "%s%s", i ? ", " : "", infer_type_text(cx, inst->args[i]));
    return out.at ? out.at : "";
}

/* Is the function one of our own, written in Python? Only those carry a public name, or are called by such. */
bool infer_is_prelude(Infer *in, const Inst *inst) {
    Cx *cx = in->cx;
    PyObject *name = inst->def->func ? build_get_attr(inst->def->func, "__module__") : NULL;
    if (name) cx_defer(cx, (void (*)(void *))Py_DecRef, name);
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    build_clear_error();
    if (!inst->def->func && inst->def->outer && inst->caller)
        return infer_is_prelude(in, inst->caller);
    return text && strncmp(text, "whipsnake.prelude.", 18) == 0;
}

/* "inner(int64) is called from outer" for each caller, innermost first; our own in between are left out. */
static void note_callers(Infer *in, Diag *d, const Inst *inst) {
    enum { SHOWN = 6 };
    for (int shown = 0; shown < SHOWN; shown++) {
        const Inst *last = inst;
        while (last->caller && infer_is_prelude(in, last->caller)) last = last->caller;
        if (!last->caller) return;
        diag_note_late(in->cx, d, last->call_span, "%s(%s) is called from %s", inst->def->name,
                       types_of(in->cx, inst), last->caller->def->qualname);
        inst = last->caller;
    }
}

/* The call in `inst` that stands there; 0: not found. */
static Ref find_call(const Inst *inst, Span span) {
    for (Ref r = 1; r < inst->high->ins.n; r++) {
        const Ins *ins = ir_at(inst->high, r);
        if (ins->op == OP_CALL && memcmp(&ins->span, &span, sizeof span) == 0) return r;
    }
    return 0;
}

/* Notes on the arguments of the call, for an error that is already on its way; their types as text. */
static const char *note_arguments(Infer *in, Diag *d, Inst *inst, Ref call) {
    Cx *cx = in->cx;
    const Ins *ins = ir_at(inst->high, call);
    Buf types = {0};
    cx->diag = NULL;
    for (uint32_t i = 1; i < ins->nargs; i++) {
        infer_explain(in, inst, ins->args[i]);
        buf_printf(cx, &types, "%s%s", types.n ? ", " : "",
                   infer_type_text(cx, ir_at(inst->high, ins->args[i])->ty));
    }
    d->notes = cx->diag ? cx->diag->notes : NULL;
    cx->diag = d;
    return types.at ? types.at : "";
}

/* An error in our own Python code is told of the user's call that led there. Only texts that were written for users
 * stay; otherwise the types do not fit. Returns the user's instance. */
static const Inst *blame_user(Infer *in, Diag *d, const Inst *inst) {
    const Inst *ours = NULL;
    while (inst->caller && infer_is_prelude(in, inst)) {
        ours = inst;
        inst = inst->caller;
    }
    bool is_our_fault = d->id == D_INTERNAL || d->id == D_NO_SOURCE || d->id == D_SOURCE_CHANGED;
    if (!ours || is_our_fault) return inst;
    d->span = ours->call_span;
    d->notes = NULL;
    Ref call = find_call(inst, d->span);
    if (!call || !ours->public_row) return inst;
    const char *name = ours->public_row->name;
    const char *types = note_arguments(in, d, (Inst *)inst, call);
    bool for_users = d->id == D_TYPING || d->id == D_NOT_CONSTANT || d->id == D_NOT_YET;
    d->text = for_users ? cx_printf(in->cx, "%s(): %s", name, d->text)
                        : cx_printf(in->cx, "%s() does not take (%s)", name, types);
    const char *takes = ours->public_row->takes;
    if (!for_users) d->hint = takes ? cx_printf(in->cx, "it takes %s", takes) : NULL;
    return inst;
}

void infer_tell_where(Infer *in, const Inst *inst) {
    Diag *d = in->cx->diag;
    if (!d || d->function || !inst) return;
    inst = blame_user(in, d, inst);
    d->function = inst->def->qualname;
    note_callers(in, d, inst);
}

/* --- joins -------------------------------------------------------------------------------------- */

static bool stands_before(Span a, Span b) {
    return a.line < b.line || (a.line == b.line && a.col < b.col);
}

static void check_param(Infer *in, Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    Const *k;
    Ref clash[2] = {0, 0};
    if (infer_param(in, inst, ins->block, (uint32_t)ins->imm, &k, clash) || !clash[0]) return;
    /* A value that nobody looks at may clash: dead variables get parameters too. */
    if (inst->state->use_start[r] == inst->state->use_start[r + 1]) return;
    Cx *cx = in->cx;
    for (int i = 0; i < 2; i++) clash[i] = infer_source(inst, clash[i]);
    bool swap = stands_before(ir_at(inst->high, clash[1])->span, ir_at(inst->high, clash[0])->span);
    Ref first = clash[swap], second = clash[!swap];
    const Ins *a = ir_at(inst->high, first), *b = ir_at(inst->high, second);
    const char *name = ins->name ? cx_printf(cx, "'%s'", ins->name) : "the value";
    infer_explain_as(in, inst, first, ins->name);
    infer_explain_as(in, inst, second, ins->name);
    if (a->ty->kind == TY_TUPLE && b->ty->kind == TY_TUPLE && a->ty->nitems != b->ty->nitems)
        infer_hint(in, "a tuple has one length: fill a NumPy array, or use two names");
    Span span = b->op == OP_ARG && ins->span.line ? ins->span : b->span;
    diag_fail(cx, span, D_NO_JOIN, name, infer_type_text(cx, a->ty), infer_type_text(cx, b->ty));
}

/* The first return whose type does not go with `ty`. */
static const Term *find_other_return(Inst *inst, Type *ty) {
    for (BlockId b = 0; b < inst->high->blocks.n; b++) {
        const Term *t = &inst->high->blocks.at[b].term;
        if (!infer_reached(inst, b) || t->kind != TERM_RETURN) continue;
        Type *other = ir_at(inst->high, t->arg)->ty;
        if (other->kind != TY_UNDEF && !ty_join(ty, other)) return t;
    }
    return NULL;
}

static void check_return(Infer *in, Inst *inst, const Term *t) {
    Cx *cx = in->cx;
    Type *ty = ir_at(inst->high, t->arg)->ty, *join = ty_join(ty, inst->ret);
    if (join == inst->ret) return;
    const Term *other = find_other_return(inst, ty);
    if (other && stands_before(t->span, other->span)) return; /* the later one is the fault */
    Type *elsewhere = other ? ir_at(inst->high, other->arg)->ty : inst->ret;
    infer_explain(in, inst, t->arg);
    if (other) diag_note(cx, other->span, "%s is returned here", infer_type_text(cx, elsewhere));
    diag_fail(cx, t->span, D_NO_JOIN_RETURN, infer_type_text(cx, ty),
              infer_type_text(cx, elsewhere));
}

/* --- what leaves to Python ------------------------------------------------------------------------ */

static bool can_leave(const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_PTR: return false;
    case TY_OPTIONAL: return can_leave(ty->of);
    case TY_TUPLE:
        for (uint32_t i = 0; i < ty->nitems; i++)
            if (!can_leave(ty->items[i])) return false;
        return true;
    default: return true;
    }
}

/* The result of the function that Python calls: something that Python can be given, of the type that a signature
 * asks for. */
static void check_result(Infer *in, Inst *inst, const Term *t) {
    Type *ty = ir_at(inst->high, t->arg)->ty, *want = in->req->ret;
    const char *text = infer_value_text(in->cx, ty);
    if (!can_leave(ty)) {
        infer_hint(in, ty->kind == TY_CLOSURE
                           ? "call it here and return the result, or make it in plain Python"
                           : "return numbers, texts, arrays, tuples or exceptions");
        infer_fail(in, t->span, D_NO_RESULT, text);
    }
    if (want && want->kind != TY_UNDEF && ty->kind != TY_UNDEF && ty_fit(ty, want) == FIT_NONE)
        infer_fail_about(in, inst, &t->arg, 1, t->span, D_BAD_RESULT, infer_type_text(in->cx, want),
                         text);
}

/* A kernel has nobody to return a value to. */
static void check_kernel_result(Infer *in, Inst *inst, const Term *t) {
    Type *ty = ir_at(inst->high, t->arg)->ty;
    if (ty->kind == TY_NONE || ty->kind == TY_UNDEF) return;
    infer_hint(in, "write the result into an array that is passed to the kernel");
    infer_fail(in, t->span, D_TYPING,
               cx_printf(in->cx, "a kernel returns nothing, but %s returns %s here",
                         inst->def->name, infer_value_text(in->cx, ty)));
}

static void check_term(Infer *in, Inst *inst, const Term *t) {
    if (t->kind == TERM_RETURN && inst->ret->kind != TY_UNDEF) {
        check_return(in, inst, t);
        if (inst == in->insts.at[0] && in->req->options.kernel) check_kernel_result(in, inst, t);
        if (inst == in->insts.at[0]) check_result(in, inst, t);
    }
    if (t->kind == TERM_RAISE && t->arg) infer_check_raise(in, inst, t);
}

/* --- everything once more ------------------------------------------------------------------------- */

/* Instances that this call leads to. */
static void check_callee(Infer *in, Inst *inst, Ref r) {
    uint32_t n = infer_callee_count(inst, r);
    for (uint32_t i = 0; i < n; i++) {
        Callee c;
        if (infer_callee_at(in, inst, r, i, &c) && c.kind == CALLEE_INST && c.inst)
            infer_check(in, c.inst);
    }
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
    Inst *outer = in->inst;
    in->final = true;
    CheckArg arg = {in, inst};
    if (cx_run(in->cx, check_body, &arg) != 0) {
        infer_tell_where(in, inst);
        cx_abort(in->cx);
    }
    in->final = was;
    in->inst = outer;
}
