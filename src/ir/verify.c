/* What every pass may rely on, checked. The rules:
 *
 * Structure
 *   1. A function has blocks; the entry has no parameters and no predecessors.
 *   2. A block has one terminator, with the edges of its kind, to blocks that are not dead.
 *   3. What a block lists says so itself: Ins.block, a parameter's position, each instruction
 *      listed once.
 *   4. Operands exist, and there are as many as the operation takes.
 *   5. HIGH operations stand in HIGH functions, LOW ones in LOW functions.
 *   6. ARG stands at the start of the entry block, for an argument there is, in ascending order.
 *   7. An edge passes one argument per parameter; a handler edge leaves out the first, the
 *      exception.
 *   8. A handler has that parameter. (A jump to it passes an exception.)
 *   9. CONST has a value; what refers to a row or a function (REFUSE, CALL_RT, CALL_FN, REGION) has it.
 * Dominance (in reachable blocks)
 *  10. A value is computed before it is used, on every way there; where a handler is on the way,
 *      before its block.
 *  11. Arguments of a handler edge are there when the block is entered.
 * Types (LOW)
 *  12. Every value has a type; operands and results are as the row in ops.def says
 *      (ir/verify_types.c).
 *  13. Arguments of edges have the types of the parameters; a handler's first parameter is an
 *      exception.
 *  14. A branch asks a bool, a return gives the function's type, a raise takes an exception (or
 *      nothing: the one in the context goes on) and no cause.
 *  15. Nothing is weak. Kernel operations stand in the module of a kernel.
 *
 * Each rule has a test that breaks it: tests/ir/test_verify.py. */
#include "ir/verify_int.h"

#include "base/map.h"

void verify_breach(Verify *v, const char *fmt, ...) {
    if (v->wrong) return;
    va_list ap;
    va_start(ap, fmt);
    const char *text = cx_vprintf(v->cx, fmt, ap);
    va_end(ap);
    const char *name = v->fn->symbol ? v->fn->symbol : v->fn->name;
    if (v->b == NO_BLOCK)
        v->wrong = cx_printf(v->cx, "%s: %s", name, text);
    else if (v->at)
        v->wrong = cx_printf(
            v->cx, "%s: b%u: %%%u (%s): %s", name, v->b, v->at,
            ir_at(v->fn, v->at)->op < OPS ? op_info[ir_at(v->fn, v->at)->op].text : "?", text);
    else
        v->wrong = cx_printf(v->cx, "%s: b%u: %s", name, v->b, text);
}

static const Block *block_at(const Verify *v, BlockId b) { return &v->fn->blocks.at[b]; }

/* --- structure -------------------------------------------------------------------------------- */

static void check_ref(Verify *v, Ref r, const char *what, uint32_t n) {
    const Fn *fn = v->fn;
    if (r == 0 || r >= fn->ins.n) {
        verify_breach(v, "%s %u is %%%u, which does not exist", what, n, r);
        return;
    }
    BlockId b = ir_at(fn, r)->block;
    if (b == NO_BLOCK || b >= fn->blocks.n || fn->blocks.at[b].dead)
        verify_breach(v, "%s %u is %%%u, which was deleted", what, n, r);
}

/* Rule 9: what stands in the union and in k. */
static void check_payload(Verify *v, const Ins *i) {
    if (i->op == OP_CONST && (!i->k || !i->k->ty)) verify_breach(v, "no value");
    if (i->op == OP_CALL && !i->call) verify_breach(v, "does not say how it was written");
    if (i->op == OP_REFUSE && !i->refusal) verify_breach(v, "no reason");
    if (i->op == OP_CALL_RT && !i->rt) verify_breach(v, "no runtime function");
    if ((i->op == OP_CALL_FN || i->op == OP_REGION) && !i->callee) verify_breach(v, "no function");
}

static void check_call(Verify *v, const Ins *i) {
    uint32_t n = 1 + i->call->npos + i->call->nkeywords;
    if (i->nargs != n) verify_breach(v, "%u operands, %u expected", i->nargs, n);
}

static void check_ins(Verify *v, Ref r, uint8_t *seen) {
    const Ins *i = ir_at(v->fn, r);
    if (i->op >= OPS) {
        verify_breach(v, "no such operation: %u", i->op);
        return;
    }
    if (i->op == OP_NOP) return; /* killed and not swept yet */
    if (i->block != v->b) verify_breach(v, "is listed here but says it stands in another block");
    if (seen[r]) verify_breach(v, "is listed twice");
    seen[r] = 1;
    if (i->op == OP_PARAM) verify_breach(v, "a parameter stands among the instructions");
    if (op_info[i->op].nargs != VAR && op_info[i->op].nargs != i->nargs)
        verify_breach(v, "%u operands, %d expected", i->nargs, op_info[i->op].nargs);
    unsigned stage = op_info[i->op].effects & (HIGH | LOW);
    if (stage && stage != (v->fn->stage == STAGE_HIGH ? HIGH : LOW))
        verify_breach(v, "does not belong in a %s function",
                      v->fn->stage == STAGE_HIGH ? "HIGH" : "LOW");
    for (uint32_t k = 0; k < i->nargs; k++) check_ref(v, i->args[k], "operand", k);
    check_payload(v, i);
    if (i->op == OP_CALL && !v->wrong) check_call(v, i);
}

/* Rule 6. */
static void check_args(Verify *v, const Block *b) {
    int64_t last = -1;
    bool among = true; /* still among the ARGs at the start of the entry */
    for (uint32_t k = 0; k < b->ins.n; k++) {
        const Ins *i = ir_at(v->fn, b->ins.at[k]);
        v->at = b->ins.at[k];
        if (i->op != OP_ARG) {
            among &= i->op == OP_NOP;
            continue;
        }
        if (v->b != 0 || !among)
            verify_breach(v, "stands elsewhere than at the start of the entry");
        if (i->imm < 0 || i->imm >= v->fn->nargs)
            verify_breach(v, "there is no argument %lld", (long long)i->imm);
        if (i->imm <= last) verify_breach(v, "arguments are out of order");
        last = i->imm;
    }
    v->at = 0;
}

static void check_edge(Verify *v, const Edge *e, bool is_handler) {
    if (e->to >= v->fn->blocks.n || block_at(v, e->to)->dead) {
        verify_breach(v, "goes to b%u, which is not there", e->to);
        return;
    }
    const Block *to = block_at(v, e->to);
    if (is_handler && to->params.n == 0) {
        verify_breach(v, "the handler b%u has no parameter for the exception", e->to);
        return;
    }
    uint32_t want = to->params.n - is_handler;
    if (e->n != want)
        verify_breach(v, "passes %u arguments to b%u, which takes %u", e->n, e->to, want);
    for (uint32_t i = 0; i < e->n; i++) check_ref(v, e->args[i], "edge argument", i);
}

static void check_term(Verify *v, const Term *t) {
    static const uint8_t nsucc[] = {[TERM_JUMP] = 1, [TERM_BRANCH] = 2, [TERM_UNREACHABLE] = 0};
    if (t->kind == TERM_NONE || t->kind > TERM_UNREACHABLE) {
        verify_breach(v, "has no terminator");
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (i < nsucc[t->kind])
            check_edge(v, &t->succ[i], false);
        else if (t->succ[i].to != NO_BLOCK)
            verify_breach(v, "the terminator has an edge too many, to b%u", t->succ[i].to);
    }
    if (t->kind == TERM_BRANCH && !t->arg) verify_breach(v, "branches on nothing");
    if (t->arg) check_ref(v, t->arg, "terminator operand", 0);
    if (t->arg2) check_ref(v, t->arg2, "terminator operand", 1);
    bool takes = t->kind == TERM_BRANCH || t->kind == TERM_RETURN || t->kind == TERM_RAISE;
    if ((t->arg && !takes) || (t->arg2 && (t->kind != TERM_RAISE || !t->arg)))
        verify_breach(v, "the terminator has an operand too many");
}

/* Rule 1. */
static void check_entry(Verify *v) {
    if (block_at(v, 0)->params.n) verify_breach(v, "the entry has parameters");
    for (BlockId b = 0; b < v->fn->blocks.n; b++) {
        BlockId to[3];
        uint32_t n = block_at(v, b)->dead ? 0 : ir_successors(v->fn, b, to);
        for (uint32_t k = 0; k < n; k++)
            if (to[k] == 0) verify_breach(v, "the entry has a predecessor, b%u", b);
    }
}

static void check_block(Verify *v, uint8_t *seen) {
    const Block *b = block_at(v, v->b);
    for (uint32_t i = 0; i < b->params.n; i++) {
        Ref r = b->params.at[i];
        v->at = r;
        const Ins *p = ir_at(v->fn, r);
        if (p->op != OP_PARAM || p->block != v->b || p->imm != i || p->nargs)
            verify_breach(v, "is not this block's parameter %u", i);
        if (seen[r]) verify_breach(v, "is listed twice");
        seen[r] = 1;
    }
    for (uint32_t i = 0; i < b->ins.n; i++) {
        v->at = b->ins.at[i];
        check_ins(v, v->at, seen);
    }
    if (v->wrong) return;
    check_args(v, b);
    check_term(v, &b->term);
    if (b->handler.to != NO_BLOCK) check_edge(v, &b->handler, true);
}

static void check_structure(Verify *v) {
    const Fn *fn = v->fn;
    v->b = NO_BLOCK;
    if (!fn->blocks.n || fn->blocks.at[0].dead) {
        verify_breach(v, "there is no entry block");
        return;
    }
    uint8_t *seen = NEWN(v->cx, uint8_t, fn->ins.n);
    for (v->b = 0; v->b < fn->blocks.n; v->b++) {
        v->at = 0;
        if (!block_at(v, v->b)->dead) check_block(v, seen);
    }
    v->b = 0;
    v->at = 0;
    if (!v->wrong) check_entry(v);
}

/* --- dominance -------------------------------------------------------------------------------- */

/* Positions in the block, counting from 1; parameters have 0. */
static uint32_t *number_positions(Cx *cx, const Fn *fn) {
    uint32_t *pos = NEWN(cx, uint32_t, fn->ins.n);
    for (BlockId b = 0; b < fn->blocks.n; b++)
        for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++)
            pos[fn->blocks.at[b].ins.at[i]] = i + 1;
    return pos;
}

/* Is r there in block v->b just before position `before`? 0: when the block is entered. */
static void check_available(Verify *v, Ref r, const uint32_t *pos, uint32_t before) {
    BlockId def = ir_at(v->fn, r)->block;
    bool there = pos[r] == 0
                     ? cfg_dominates(v->cfg, def, v->b) /* parameters: from the block's start on */
                 : def == v->b ? pos[r] < before
                               : cfg_end_dominates(v->cfg, def, v->b);
    if (!there) verify_breach(v, "uses %%%u before it is computed", r);
}

static void check_edge_available(Verify *v, const Edge *e, const uint32_t *pos, uint32_t before) {
    if (e->to == NO_BLOCK) return;
    for (uint32_t i = 0; i < e->n; i++) check_available(v, e->args[i], pos, before);
}

static void check_dominance(Verify *v) {
    const uint32_t *pos = number_positions(v->cx, v->fn);
    for (uint32_t n = 0; n < v->cfg->nrpo; n++) {
        v->b = v->cfg->rpo[n];
        const Block *b = block_at(v, v->b);
        for (uint32_t i = 0; i < b->ins.n; i++) {
            v->at = b->ins.at[i];
            const Ins *in = ir_at(v->fn, v->at);
            for (uint32_t k = 0; k < in->nargs; k++) check_available(v, in->args[k], pos, i + 1);
        }
        v->at = 0;
        if (b->term.arg) check_available(v, b->term.arg, pos, UINT32_MAX);
        if (b->term.arg2) check_available(v, b->term.arg2, pos, UINT32_MAX);
        check_edge_available(v, &b->term.succ[0], pos, UINT32_MAX);
        check_edge_available(v, &b->term.succ[1], pos, UINT32_MAX);
        check_edge_available(v, &b->handler, pos, 0);
    }
}

/* --- types of terminators and edges ----------------------------------------------------------- */

static const char *type_name(const Type *t) { return t ? t->name : "no type"; }

static void check_edge_types(Verify *v, const Edge *e, uint32_t skip) {
    if (e->to == NO_BLOCK) return;
    const Block *to = block_at(v, e->to);
    for (uint32_t i = 0; i < e->n; i++) {
        const Type *want = ir_at(v->fn, to->params.at[i + skip])->ty,
                   *got = ir_at(v->fn, e->args[i])->ty;
        if (want != got)
            verify_breach(v, "edge argument %u to b%u is %s, %s expected", i, e->to, type_name(got),
                          type_name(want));
    }
}

static void check_return(Verify *v, const Term *t) {
    const Type *want = v->fn->ret, *got = t->arg ? ir_at(v->fn, t->arg)->ty : NULL;
    if (!want)
        verify_breach(v, "the function has no return type");
    else if (got ? got != want : want->kind != TY_NONE)
        verify_breach(v, "returns %s, %s expected", got ? type_name(got) : "nothing",
                      type_name(want));
}

static void check_term_types(Verify *v, const Term *t) {
    const Type *arg = t->arg ? ir_at(v->fn, t->arg)->ty : NULL;
    if (t->kind == TERM_BRANCH && arg && arg->kind != TY_BOOL)
        verify_breach(v, "branches on %s, bool expected", type_name(arg));
    if (t->kind == TERM_RETURN) check_return(v, t);
    if (t->kind == TERM_RAISE && ((arg && arg->kind != TY_EXC) || t->arg2))
        verify_breach(v, "raises %s, one exception expected",
                      t->arg2 ? "two values" : type_name(arg));
}

static void check_types(Verify *v) {
    v->b = NO_BLOCK;
    for (uint32_t i = 0; i < v->fn->nargs; i++)
        if (!v->fn->args[i].ty) verify_breach(v, "argument %u has no type", i);
    if (v->wrong) return;
    for (v->b = 0; v->b < v->fn->blocks.n; v->b++) {
        const Block *b = block_at(v, v->b);
        if (b->dead) continue;
        for (uint32_t i = 0; i < b->params.n; i++) {
            v->at = b->params.at[i];
            const Type *ty = ir_at(v->fn, v->at)->ty;
            if (!ty || ty->kind == TY_UNDEF) verify_breach(v, "has no type");
        }
        for (uint32_t i = 0; i < b->ins.n; i++) {
            v->at = b->ins.at[i];
            if (ir_at(v->fn, v->at)->op != OP_NOP) verify_types(v);
        }
        v->at = 0;
        if (v->wrong) return;
        check_term_types(v, &b->term);
        check_edge_types(v, &b->term.succ[0], 0);
        check_edge_types(v, &b->term.succ[1], 0);
        check_edge_types(v, &b->handler, 1);
        if (b->handler.to != NO_BLOCK) {
            const Type *exc = ir_at(v->fn, block_at(v, b->handler.to)->params.at[0])->ty;
            if (exc->kind != TY_EXC)
                verify_breach(v, "the handler b%u takes no exception", b->handler.to);
        }
    }
}

const char *ir_verify(Cx *cx, const Fn *fn) {
    Verify v = {.cx = cx, .fn = fn};
    check_structure(&v);
    if (v.wrong) return v.wrong;
    v.cfg = ir_cfg(cx, fn);
    check_dominance(&v);
    if (!v.wrong && fn->stage == STAGE_LOW) check_types(&v);
    return v.wrong;
}

const char *ir_verify_module(Cx *cx, const Module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const char *wrong = ir_verify(cx, m->fns.at[i]);
        if (wrong) return wrong;
    }
    return NULL;
}
