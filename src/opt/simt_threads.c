/* Kernels whose code stays that of one thread: the run time calls it for each.
 *
 * relies on: nothing    keeps: cfg    breaks: nothing
 *
 * For what the split cannot take: a barrier that only some threads reach, a function that calls itself and waits at
 * barriers, exceptions that are handled. A barrier is a call that switches to the next thread and comes back when all
 * have arrived (simt/threads.c), so any flow of control will do; but threads are scalar code, many times slower than
 * split loops. Shared arrays get their offsets in the block's memory. */
#include "ir/rt.h"
#include "opt/opt_int.h"
#include "opt/simt.h"

int64_t simt_warp_code(const Fn *fn, Ref r) {
    const Ins *i = ir_at(fn, r);
    const Type *ty = i->nargs > 1 ? ir_at(fn, i->args[1])->ty : TY_I(64);
    int64_t kind = ty->kind == TY_FLOAT ? 2 : ty->kind == TY_INT && ty->is_signed;
    int64_t bits = ty->kind == TY_BOOL ? 8 : ty->bits;
    return i->sub | kind << 8 | bits << 16 | i->imm << 32;
}

static Ref insert(Cx *cx, Fn *fn, Ref before, uint32_t behind, Op op, Type *ty, Ref a) {
    const Ins *i = ir_at(fn, before);
    const Refs *list = &fn->blocks.at[i->block].ins;
    uint32_t at = 0;
    while (list->at[at] != before) at++;
    return ir_insert(cx, fn, i->block, at + behind, op, ty, i->span, 1, &a);
}

/* A number as int64, bit for bit, in front of instruction r. */
static Ref to_bits(Cx *cx, Fn *fn, Ref r, Ref v) {
    const Type *ty = ir_at(fn, v)->ty;
    if (ty->kind == TY_FLOAT) v = insert(cx, fn, r, 0, OP_BITCAST, TY_I(ty->bits), v);
    return ir_at(fn, v)->ty == TY_I(64) ? v : insert(cx, fn, r, 0, OP_CAST, TY_I(64), v);
}

/* The int64 r, which was of type ty before, as that again for all who use it. */
static void from_bits(Cx *cx, Fn *fn, Ref r, Type *ty) {
    if (ty == TY_I(64) || ty->kind == TY_NONE) return;
    Ref v = r;
    uint32_t behind = 1, n = fn->ins.n;
    if (ty->kind == TY_FLOAT && ty->bits < 64)
        v = insert(cx, fn, r, behind++, OP_CAST, TY_I(ty->bits), v);
    v = insert(cx, fn, r, behind, ty->kind == TY_FLOAT ? OP_BITCAST : OP_CAST, ty, v);
    ir_replace_uses(fn, r, v);
    for (Ref k = n; k < fn->ins.n; k++) /* but for the first of the new ones */
        if (ir_at(fn, k)->args[0] == v) ir_at(fn, k)->args[0] = k == n ? r : n;
}

static Ref add_int(Cx *cx, Fn *fn, int64_t k) {
    uint32_t at = 0; /* behind the arguments */
    const Refs *entry = &fn->blocks.at[0].ins;
    while (at < entry->n && ir_at(fn, entry->at[at])->op == OP_ARG) at++;
    Ref r = ir_insert(cx, fn, 0, at, OP_CONST, TY_I(64), (Span){0}, 0, NULL);
    ir_at(fn, r)->k = ir_const_int(cx, TY_I(64), k);
    return r;
}

static void make_call(Cx *cx, Fn *fn, Ref r, const char *name, uint32_t n, const Ref *args) {
    Ins *i = ir_at(fn, r);
    Type *ty = i->ty;
    i->op = OP_CALL_RT;
    i->sub = 0;
    i->imm = 0;
    i->rt = rt_find(name);
    i->nargs = (uint16_t)n;
    i->args = NEWN(cx, Ref, n);
    memcpy(i->args, args, n * sizeof *args);
    i->ty = TY_I(64);
    from_bits(cx, fn, r, ty);
}

/* The barrier's own number travels with its kind. */
static void lower_barrier(Cx *cx, Fn *fn, Ref r) {
    Ref args[2] = {add_int(cx, fn, ir_at(fn, r)->sub | (int64_t)r << 8)};
    args[1] = ir_at(fn, r)->nargs ? to_bits(cx, fn, r, ir_at(fn, r)->args[0]) : args[0];
    make_call(cx, fn, r, "ws_thread_barrier", 2, args);
}

static void lower_warp(Cx *cx, Fn *fn, Ref r) {
    uint32_t n = ir_at(fn, r)->nargs;
    Ref args[4] = {add_int(cx, fn, simt_warp_code(fn, r))};
    for (uint32_t k = 0; k < 3; k++)
        args[1 + k] = k < n ? to_bits(cx, fn, r, ir_at(fn, r)->args[k]) : args[0];
    make_call(cx, fn, r, "ws_thread_warp", 4, args);
}

static void note_method(Fn *kernel, const Ins *i) {
    UnitMethod method = i->op == OP_BARRIER && i->sub == BARRIER_GRID ? UNIT_GRID
                        : i->op == OP_BARRIER || i->op == OP_WARP     ? UNIT_RESUMES
                                                                      : UNIT_THREADS;
    if (method > kernel->method) kernel->method = (uint8_t)method;
}

static void lower_function(Cx *cx, Fn *kernel, Fn *fn) {
    for (Ref r = 1, n = fn->ins.n; r < n; r++) {
        Ins *i = ir_at(fn, r);
        if (i->block == NO_BLOCK) continue;
        if (i->op == OP_SHARED && i->imm) {
            i->imm2 = kernel->shared_bytes;
            kernel->shared_bytes += ((uint32_t)i->imm + 63) & ~63u;
        }
        if (i->op == OP_STACK) kernel->stack_bytes += ((uint32_t)i->imm + 63) & ~63u;
        note_method(kernel, i);
        if (i->op == OP_BARRIER) lower_barrier(cx, fn, r);
        if (i->op == OP_WARP) lower_warp(cx, fn, r);
    }
}

/* Where threads meet again behind a barrier that some of them may go around: who comes there has passed it. But for
 * those that do nothing any more, which have as good as returned. */
static void mark_ways_around(Cx *cx, Fn *fn, const Simt *s) {
    for (uint32_t k = 0; k < s->cfg->nrpo; k++) {
        BlockId b = s->cfg->rpo[k], by = s->torn_by[b];
        if (!simt_has_collective(fn, b) || !s->apart[b] || by == NO_BLOCK) continue;
        Ref barrier = fn->blocks.at[b].ins.at[0];
        BlockId join = s->ipdom[by];
        if (ir_at(fn, barrier)->op != OP_BARRIER || join == NO_BLOCK || simt_is_exit(s, join))
            continue;
        Ref number = add_int(cx, fn, barrier);
        Span span = ir_at(fn, barrier)->span;
        Ref call = ir_insert(cx, fn, join, 0, OP_CALL_RT, TY_OF(TY_NONE), span, 1, &number);
        ir_at(fn, call)->rt = rt_find("ws_thread_pass");
    }
}

void simt_run_threads(Cx *cx, Fn *kernel, const Simt *s) {
    const Module *m = kernel->module;
    mark_ways_around(cx, kernel, s);
    lower_function(cx, kernel, kernel);
    for (uint32_t f = 0; m && f < m->fns.n; f++)
        if (m->fns.at[f] != kernel) lower_function(cx, kernel, m->fns.at[f]);
    for (uint32_t f = 0; m && f < m->fns.n; f++) /* what the launch adds comes last */
        for (Ref r = 1; r < m->fns.at[f]->ins.n; r++) {
            Ins *i = ir_at(m->fns.at[f], r);
            if (i->op == OP_SHARED && !i->imm) i->imm2 = kernel->shared_bytes;
        }
    kernel->runs_threads = true;
}
