/* Exceptions: what may be raised and caught, and the types of their arguments.
 *
 * All exceptions have one type. What `e.args` holds is said by the calls that made them: those whose exceptions can
 * come to the `except` in question, which is found by following e back: to the raises in the block's try, and into the
 * functions called there. What is done with them: exc_args.c.
 */
#include "infer/infer_int.h"

bool infer_is_exception_class(const Type *ty) {
    return ty->kind == TY_CLASS && PyType_Check(ty->obj) &&
           PyType_IsSubtype((PyTypeObject *)ty->obj, (PyTypeObject *)PyExc_BaseException);
}

bool infer_is_exception_classes(const Type *ty) {
    if (ty->kind != TY_TUPLE) return infer_is_exception_class(ty);
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (!infer_is_exception_class(ty->items[i])) return false; /* Python nests none either */
    return true;
}

Type *infer_exc_match(Infer *in, Inst *inst, const Ins *ins) {
    Type *cls = ir_at(inst->high, ins->args[1])->ty;
    if (infer_is_exception_classes(cls)) return TY_OF(TY_BOOL);
    return infer_fail_about(in, inst, ins->args + 1, 1, ins->span, D_BAD_CATCH,
                            infer_value_text(in->cx, cls));
}

void infer_check_raise(Infer *in, Inst *inst, const Term *t) {
    const Type *exc = infer_plain(ir_at(inst->high, t->arg)->ty);
    if (exc->kind == TY_UNDEF) return; /* never reached */
    if (!ty_is_exc(exc, EXC_ITSELF) && !infer_is_exception_class(exc))
        infer_fail_about(in, inst, &t->arg, 1, t->span, D_BAD_RAISE,
                         infer_value_text(in->cx, ir_at(inst->high, t->arg)->ty));
    if (!t->arg2) return;
    const Type *cause = infer_plain(ir_at(inst->high, t->arg2)->ty);
    if (ty_is_exc(cause, EXC_ITSELF) || cause->kind == TY_NONE || cause->kind == TY_UNDEF ||
        infer_is_exception_class(cause))
        return;
    infer_hint(in, "write `from` an exception, or `from None`");
    infer_fail_about(in, inst, &t->arg2, 1, t->span, D_BAD_CAUSE, infer_value_text(in->cx, cause));
}

/* --- where an exception comes from ---------------------------------------------------------------- */

void infer_note_made(Infer *in, const Inst *inst, Ref call, PyObject *cls, Type *args) {
    if (infer_is_prelude(in, inst)) return; /* what raises there is a check, with one str */
    for (uint32_t i = 0; i < in->made.n; i++) {
        Made *m = &in->made.at[i];
        if (m->inst != inst || m->call != call) continue;
        *m = (Made){inst, call, cls, args};
        return;
    }
    vec_push(in->cx, &in->made, ((Made){inst, call, cls, args}));
}

/* Caught as these classes, on the way from where it was made. */
typedef struct Caught Caught;
struct Caught {
    const Type *as;
    const Caught *outer;
};

typedef struct Seen {
    const Inst *inst;
    Ref value; /* 0: what leaves the function */
    const Type *as;
} Seen;

typedef struct Search {
    Infer *in;
    VEC(Seen) seen;
    VEC(const Made *) found;
    Made classes[16]; /* of `raise X` without a call */
    uint32_t nclasses;
} Search;

static bool is_caught(PyObject *cls, const Type *as) {
    if (as->kind != TY_TUPLE) return PyType_IsSubtype((PyTypeObject *)cls, (PyTypeObject *)as->obj);
    for (uint32_t i = 0; i < as->nitems; i++)
        if (is_caught(cls, as->items[i])) return true;
    return false;
}

static void find(Search *s, const Made *m, const Caught *caught) {
    for (; caught; caught = caught->outer)
        if (!is_caught(m->cls, caught->as)) return;
    vec_push(s->in->cx, &s->found, m);
}

static bool enter(Search *s, const Inst *inst, Ref value, const Caught *caught) {
    Seen here = {inst, value, caught ? caught->as : NULL};
    for (uint32_t i = 0; i < s->seen.n; i++)
        if (memcmp(&s->seen.at[i], &here, sizeof here) == 0) return false;
    vec_push(s->in->cx, &s->seen, here);
    return true;
}

static void follow_value(Search *s, Inst *inst, Ref r, const Caught *caught);

/* `raise X`: the class without arguments. */
static void find_class(Search *s, PyObject *cls, const Caught *caught) {
    if (s->nclasses == sizeof s->classes / sizeof *s->classes) return;
    Made *m = &s->classes[s->nclasses++];
    *m = (Made){.cls = cls, .args = ty_tuple(NULL, 0)};
    find(s, m, caught);
}

static void follow_out_of(Search *s, Inst *inst, const Caught *caught);

static void follow_calls(Search *s, Inst *inst, Ref r, const Caught *caught, bool result) {
    for (uint32_t i = 0, n = infer_callee_count(inst, r); i < n; i++) {
        Callee c;
        if (!infer_callee_at(s->in, inst, r, i, &c) || c.kind != CALLEE_INST || !c.inst) continue;
        if (!result) {
            follow_out_of(s, c.inst, caught);
            continue;
        }
        for (BlockId b = 0; b < c.inst->high->blocks.n; b++) {
            const Term *t = &c.inst->high->blocks.at[b].term;
            if (infer_reached(c.inst, b) && t->kind == TERM_RETURN)
                follow_value(s, c.inst, t->arg, caught);
        }
    }
}

/* What block b raises. */
static void follow_block(Search *s, Inst *inst, BlockId b, const Caught *caught) {
    const Block *block = &inst->high->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++)
        if (ir_at(inst->high, block->ins.at[i])->op == OP_CALL)
            follow_calls(s, inst, block->ins.at[i], caught, false);
    const Term *t = &block->term;
    if (t->kind != TERM_RAISE || !t->arg) return;
    const Type *ty = ir_at(inst->high, t->arg)->ty;
    if (infer_is_exception_class(ty))
        find_class(s, ty->obj, caught);
    else
        follow_value(s, inst, t->arg, caught);
}

static void follow_out_of(Search *s, Inst *inst, const Caught *caught) {
    if (!enter(s, inst, 0, caught) || infer_is_prelude(s->in, inst)) return;
    for (BlockId b = 0; b < inst->high->blocks.n; b++)
        if (infer_reached(inst, b) && inst->high->blocks.at[b].handler.to == NO_BLOCK)
            follow_block(s, inst, b, caught);
}

/* A handler's exception, or a merge. */
static void follow_param(Search *s, Inst *inst, const Ins *p, const Caught *caught) {
    const Preds *preds = &inst->state->preds[p->block];
    for (uint32_t i = 0; i < preds->n; i++) {
        Pred from = preds->at[i];
        if (!infer_edge_taken(inst, from.block, from.succ)) continue;
        const Block *block = &inst->high->blocks.at[from.block];
        uint32_t index = (uint32_t)p->imm;
        if (from.succ == 2 && index == 0)
            follow_block(s, inst, from.block, caught);
        else if (from.succ == 2)
            follow_value(s, inst, block->handler.args[index - 1], caught);
        else
            follow_value(s, inst, block->term.succ[from.succ].args[index], caught);
    }
}

static void follow_call(Search *s, Inst *inst, Ref r, const Caught *caught) {
    const Infer *in = s->in;
    for (uint32_t i = 0; i < in->made.n; i++)
        if (in->made.at[i].inst == inst && in->made.at[i].call == r) {
            find(s, &in->made.at[i], caught);
            return;
        }
    follow_calls(s, inst, r, caught, true);
}

static void follow_value(Search *s, Inst *inst, Ref r, const Caught *caught) {
    if (!enter(s, inst, r, caught)) return;
    const Ins *i = ir_at(inst->high, r);
    switch ((int)i->op) {
    case OP_PARAM: follow_param(s, inst, i, caught); return;
    case OP_SOME:
    case OP_STRONG: follow_value(s, inst, i->args[0], caught); return;
    case OP_CALL: follow_call(s, inst, r, caught); return;
    case OP_CONST: return; /* None */
    case OP_EXC_AS: {
        Caught inner = {ir_at(inst->high, i->args[1])->ty, caught};
        follow_value(s, inst, i->args[0], &inner);
        return;
    }
    default: /* an argument, a captured variable, a cause: any that the program makes */
        for (uint32_t k = 0; k < s->in->made.n; k++) find(s, &s->in->made.at[k], caught);
    }
}

const Made *const *infer_exc_sources(Infer *in, Inst *inst, Ref exc, uint32_t *n) {
    Search s = {.in = in};
    follow_value(&s, inst, exc, NULL);
    Made *classes = NEWN(in->cx, Made, s.nclasses + 1); /* s is gone soon */
    memcpy(classes, s.classes, s.nclasses * sizeof *classes);
    for (uint32_t i = 0; i < s.found.n; i++)
        if (s.found.at[i] >= s.classes && s.found.at[i] < s.classes + s.nclasses)
            s.found.at[i] = classes + (s.found.at[i] - s.classes);
    *n = s.found.n;
    return s.found.at;
}
