/* The fixpoint of inference: queue, reachability, block parameters. What an operation means is in ops.c. */
#include <string.h>

#include "infer/infer_int.h"

/* --- uses ------------------------------------------------------------------------------------------------------ */

typedef struct UseCounter {
    uint32_t *start; /* counts first, then positions */
    uint32_t *users;
    uint32_t user;
} UseCounter;

static void count_use(void *arg, Ref *use) { ((UseCounter *)arg)->start[*use + 1]++; }

static void note_use(void *arg, Ref *use) {
    UseCounter *c = arg;
    c->users[c->start[*use]++] = c->user;
}

/* Visits each use of block b with c->user telling who uses. */
static void visit_block(Fn *fn, BlockId b, UseCounter *c, RefVisitor visit) {
    Block *block = &fn->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++) {
        Ins *ins = ir_at(fn, block->ins.at[i]);
        c->user = block->ins.at[i];
        for (uint32_t j = 0; j < ins->nargs; j++)
            if (ins->args[j]) visit(c, &ins->args[j]);
    }
    c->user = b | USER_BLOCK;
    Edge *edges[3] = {&block->term.succ[0], &block->term.succ[1], &block->handler};
    for (int e = 0; e < 3; e++)
        for (uint32_t j = 0; edges[e]->to != NO_BLOCK && j < edges[e]->n; j++)
            visit(c, &edges[e]->args[j]);
    if (block->term.arg) visit(c, &block->term.arg);
    if (block->term.arg2) visit(c, &block->term.arg2);
}

static void fill_uses(Cx *cx, Fn *fn, InstState *s) {
    UseCounter c = {.start = NEWN(cx, uint32_t, fn->ins.n + 2)};
    for (BlockId b = 0; b < fn->blocks.n; b++) visit_block(fn, b, &c, count_use);
    for (uint32_t r = 0; r <= fn->ins.n; r++) c.start[r + 1] += c.start[r];
    c.users = NEWN(cx, uint32_t, c.start[fn->ins.n + 1] + 1);
    for (BlockId b = 0; b < fn->blocks.n; b++) visit_block(fn, b, &c, note_use);
    /* every start has moved to the next one's place */
    memmove(c.start + 1, c.start, fn->ins.n * sizeof *c.start);
    c.start[0] = 0;
    s->use_start = c.start;
    s->users = c.users;
}

static void fill_preds(Cx *cx, const Fn *fn, InstState *s) {
    s->preds = NEWN(cx, Preds, fn->blocks.n);
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Block *block = &fn->blocks.at[b];
        const Edge *edges[3] = {&block->term.succ[0], &block->term.succ[1], &block->handler};
        for (int e = 0; e < 3; e++)
            if (edges[e]->to != NO_BLOCK)
                vec_push(cx, &s->preds[edges[e]->to], ((Pred){b, (uint8_t)e}));
    }
}

/* --- queue -------------------------------------------------------------------------------------------------------- */

static void enqueue(Infer *in, Inst *inst, uint32_t user) {
    uint8_t *flag = user & USER_BLOCK ? &inst->state->block_queued[user & ~USER_BLOCK]
                                      : &inst->state->ins_queued[user];
    if (*flag) return;
    *flag = 1;
    vec_push(in->cx, &in->queue, ((QueueItem){inst, inst->generation, user}));
}

static void enqueue_users(Infer *in, Inst *inst, Ref r) {
    InstState *s = inst->state;
    for (uint32_t i = s->use_start[r]; i < s->use_start[r + 1]; i++) {
        uint32_t user = s->users[i];
        BlockId b = user & USER_BLOCK ? user & ~USER_BLOCK : ir_at(inst->high, user)->block;
        if (s->reached[b]) enqueue(in, inst, user);
    }
}

void infer_again(Infer *in, Inst *inst, Ref r) { enqueue(in, inst, r); }

/* --- values -------------------------------------------------------------------------------------------------------- */

/* Raises r to (ty, k) joined with what it was. */
static void raise_value(Infer *in, Inst *inst, Ref r, Type *ty, Const *k) {
    Ins *ins = ir_at(inst->high, r);
    if (!ty || ty->kind == TY_UNDEF) return;
    Type *old = ins->ty;
    if (old->kind != TY_UNDEF) {
        Type *join = ty_join(old, ty);
        if (join) ty = join; /* else: the newer; infer_check will find the fault */
        if (!ins->k || !k || !ir_const_equal(ins->k, k)) k = NULL;
        if (k && k->ty != ty) k = NULL;
    }
    if (old == ty && ins->k == k) return;
    if (old == ty && ins->k && k && ir_const_equal(ins->k, k)) return;
    ins->ty = ty;
    ins->k = k;
    enqueue_users(in, inst, r);
}

void infer_raise_value(Infer *in, Inst *inst, Ref r, Type *ty) {
    raise_value(in, inst, r, ty, NULL);
}

/* The join over the edges taken so far; NULL: none has a type, or they have none in common (*clash, with the two
 * values). */
Type *infer_param(Infer *in, Inst *inst, BlockId b, uint32_t index, Const **k, Ref clash[2]) {
    (void)in;
    InstState *s = inst->state;
    Type *ty = NULL;
    Ref first = 0;
    *k = NULL;
    bool same = true;
    for (uint32_t i = 0; i < s->preds[b].n; i++) {
        Pred p = s->preds[b].at[i];
        if (!(s->taken[p.block] & 1 << p.succ)) continue;
        const Block *from = &inst->high->blocks.at[p.block];
        const Edge *e = p.succ == 2 ? &from->handler : &from->term.succ[p.succ];
        if (p.succ == 2 && index == 0) return TY_OF(TY_EXC);
        Ref v = e->args[p.succ == 2 ? index - 1 : index];
        const Ins *ins = ir_at(inst->high, v);
        if (ins->ty->kind == TY_UNDEF) continue;
        if (!ty) {
            ty = ins->ty;
            *k = ins->k;
            first = v;
            continue;
        }
        Type *join = ty_join(ty, ins->ty);
        if (!join) {
            clash[0] = first;
            clash[1] = v;
            return NULL;
        }
        same = same && ins->k && *k && ir_const_equal(ins->k, *k);
        ty = join;
    }
    if (!same) *k = NULL;
    return ty;
}

static void reach_block(Infer *in, Inst *inst, BlockId b);

static void take_edge(Infer *in, Inst *inst, BlockId from, int succ) {
    InstState *s = inst->state;
    const Block *block = &inst->high->blocks.at[from];
    BlockId to = succ == 2 ? block->handler.to : block->term.succ[succ].to;
    if (to == NO_BLOCK) return;
    bool again = s->taken[from] & 1 << succ;
    s->taken[from] |= (uint8_t)(1 << succ);
    if (!again && !s->reached[to]) {
        reach_block(in, inst, to);
        return;
    }
    const Block *target = &inst->high->blocks.at[to];
    for (uint32_t i = 0; i < target->params.n; i++) enqueue(in, inst, target->params.at[i]);
}

static void eval_ins(Infer *in, Inst *inst, Ref r) {
    Const *k = NULL;
    Ins *ins = ir_at(inst->high, r);
    Type *ty;
    if (ins->op == OP_PARAM) {
        Ref clash[2];
        ty = infer_param(in, inst, ins->block, (uint32_t)ins->imm, &k, clash);
    } else {
        in->inst = inst;
        uint32_t generation = inst->generation;
        ty = infer_op(in, inst, r, &k);
        if (inst->generation != generation) return; /* the function was rebuilt */
    }
    raise_value(in, inst, r, ty, k);
}

/* What all returns that are reached have in common now, or NULL. A result may be made of others whose types have
 * risen since, and an array of float64 is no wider array of float32. */
static Type *join_returns(Infer *in, const Inst *inst) {
    Type *all = NULL;
    if (in->rebuilds++ > 1000) return NULL;
    for (BlockId b = 0; b < inst->high->blocks.n; b++) {
        const Term *t = &inst->high->blocks.at[b].term;
        if (t->kind != TERM_RETURN || !inst->state->reached[b]) continue;
        Type *ty = ir_at(inst->high, t->arg)->ty;
        if (ty->kind == TY_UNDEF) continue;
        all = all ? ty_join(all, ty) : ty;
        if (!all) return NULL;
    }
    return all;
}

static void raise_ret(Infer *in, Inst *inst, Ref value) {
    const Ins *ins = ir_at(inst->high, value);
    if (ins->ty->kind == TY_UNDEF) return;
    Type *ty = ins->ty;
    Const *k = ins->k;
    if (inst->ret->kind != TY_UNDEF) {
        ty = ty_join(inst->ret, ty);
        if (!ty) ty = join_returns(in, inst);
        if (!ty) return; /* infer_check reports it */
        if (inst->ret_varies || !k || !inst->ret_k || !ir_const_equal(k, inst->ret_k)) k = NULL;
    }
    bool varies = !k;
    if (ty == inst->ret && varies == inst->ret_varies) return;
    inst->ret = ty;
    inst->ret_k = k;
    inst->ret_varies = varies;
    for (uint32_t i = 0; i < inst->waiters.n; i++) {
        Waiter w = inst->waiters.at[i];
        if (w.generation == w.inst->generation) enqueue(in, w.inst, w.call);
    }
}

static void eval_term(Infer *in, Inst *inst, BlockId b) {
    const Term *t = &inst->high->blocks.at[b].term;
    switch ((TermKind)t->kind) {
    case TERM_JUMP: take_edge(in, inst, b, 0); break;
    case TERM_BRANCH: {
        const Ins *cond = ir_at(inst->high, t->arg);
        if (cond->ty->kind == TY_UNDEF) break;
        if (!cond->k || cond->k->i) take_edge(in, inst, b, 0);
        if (!cond->k || !cond->k->i) take_edge(in, inst, b, 1);
        break;
    }
    case TERM_RETURN: raise_ret(in, inst, t->arg); break;
    case TERM_RAISE:
    case TERM_UNREACHABLE:
    case TERM_NONE: break;
    }
    take_edge(in, inst, b, 2);
}

static void reach_block(Infer *in, Inst *inst, BlockId b) {
    inst->state->reached[b] = 1;
    const Block *block = &inst->high->blocks.at[b];
    for (uint32_t i = 0; i < block->params.n; i++) enqueue(in, inst, block->params.at[i]);
    for (uint32_t i = 0; i < block->ins.n; i++) enqueue(in, inst, block->ins.at[i]);
    enqueue(in, inst, b | USER_BLOCK);
}

static void run_queue(Infer *in) {
    while (in->queue_head < in->queue.n) {
        QueueItem q = in->queue.at[in->queue_head++];
        if (q.generation != q.inst->generation) continue;
        if (q.user & USER_BLOCK) {
            q.inst->state->block_queued[q.user & ~USER_BLOCK] = 0;
            eval_term(in, q.inst, q.user & ~USER_BLOCK);
        } else {
            q.inst->state->ins_queued[q.user] = 0;
            eval_ins(in, q.inst, q.user);
        }
        if (in->queue_head == in->queue.n) in->queue_head = in->queue.n = 0;
    }
}

/* --- instances --------------------------------------------------------------------------------------------------------- */

static void start(Infer *in, Inst *inst) {
    Cx *cx = in->cx;
    inst->high = build_fn(cx, inst->def, in->module, inst->unrolls.at, inst->unrolls.n);
    inst->high->options = inst->options;
    for (uint32_t i = 0; i < inst->nargs && i < inst->high->nargs; i++)
        inst->high->args[i].ty = inst->args[i];
    Fn *fn = inst->high;
    InstState *s = inst->state = NEW(cx, InstState);
    s->reached = NEWN(cx, uint8_t, fn->blocks.n);
    s->taken = NEWN(cx, uint8_t, fn->blocks.n);
    s->block_queued = NEWN(cx, uint8_t, fn->blocks.n);
    s->ins_queued = NEWN(cx, uint8_t, fn->ins.n);
    fill_uses(cx, fn, s);
    fill_preds(cx, fn, s);
    reach_block(in, inst, 0);
}

bool infer_unroll(Infer *in, Inst *inst, int64_t loop, uint32_t n) {
    for (uint32_t i = 0; i < inst->unrolls.n; i++)
        if (inst->unrolls.at[i].loop == loop) return false;
    if (in->rebuilds++ > 1000 || n > 1000) return false;
    vec_push(in->cx, &inst->unrolls, ((Unroll){loop, n}));
    inst->generation++;
    start(in, inst);
    return true;
}

static bool same_key(const Inst *inst, const FnDef *def, Type *const *args, Const *const *ks,
                     uint32_t n, FnOptions options) {
    if (inst->def != def || inst->nargs != n ||
        memcmp(&inst->options, &options, sizeof options) != 0)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (inst->args[i] != args[i]) return false;
        Const *a = inst->arg_ks[i], *b = ks ? ks[i] : NULL;
        if ((!a != !b) || (a && !ir_const_equal(a, b))) return false;
    }
    return true;
}

Inst *infer_instance(Infer *in, const FnDef *def, Type *const *args, Const *const *ks, uint32_t n,
                     FnOptions options, Span span) {
    for (uint32_t i = 0; i < in->insts.n; i++)
        if (same_key(in->insts.at[i], def, args, ks, n, options)) return in->insts.at[i];
    Cx *cx = in->cx;
    if (in->insts.n > 5000)
        diag_fail(cx, span, D_CODE_SIZE,
                  "it needs more than 5000 specialisations of the functions it calls");
    Inst *inst = NEW(cx, Inst);
    inst->def = def;
    inst->args = NEWN(cx, Type *, n + 1);
    inst->arg_ks = NEWN(cx, Const *, n + 1);
    if (n) memcpy(inst->args, args, n * sizeof *args);
    if (n && ks) memcpy(inst->arg_ks, ks, n * sizeof *ks);
    inst->nargs = n;
    inst->ret = TY_OF(TY_UNDEF);
    inst->options = options;
    inst->caller = in->inst;
    inst->call_span = span;
    vec_push(cx, &in->insts, inst);
    start(in, inst);
    return inst;
}

Type *infer_wait(Infer *in, Inst *callee, Inst *inst, Ref call, Const **k) {
    bool known = false;
    for (uint32_t i = 0; i < callee->waiters.n && !known; i++) {
        Waiter *w = &callee->waiters.at[i];
        known = w->inst == inst && w->call == call && w->generation == inst->generation;
    }
    if (!known) vec_push(in->cx, &callee->waiters, ((Waiter){inst, inst->generation, call}));
    *k = callee->ret_varies ? NULL : callee->ret_k;
    return callee->ret->kind == TY_UNDEF ? NULL : callee->ret;
}

bool infer_reached(const Inst *inst, BlockId b) { return inst->state->reached[b]; }

bool infer_edge_taken(const Inst *inst, BlockId b, int succ) {
    return inst->state->taken[b] & 1 << succ;
}

/* --- the request ------------------------------------------------------------------------------------------------------- */

static FnOptions options_of(const JitOptions *o) {
    return (FnOptions){.fast = o->fast,
                       .numpy_errors = o->numpy_errors,
                       .boundscheck = o->boundscheck,
                       .parallel = o->parallel,
                       .nogil = o->nogil,
                       .debug = o->debug,
                       .inline_always = o->inline_always};
}

FnOptions infer_options(const JitOptions *o) { return options_of(o); }

FnOptions infer_callee_options(const Infer *in, const JitOptions *own) {
    FnOptions o = options_of(own), kernel = options_of(&in->req->options);
    if (!in->req->options.kernel) return o;
    o.fast |= kernel.fast;
    o.numpy_errors = true;
    o.boundscheck = kernel.boundscheck;
    o.debug = kernel.debug;
    return o;
}

static void run_fixpoint(Cx *cx, void *arg) {
    (void)cx;
    do run_queue(arg);
    while (infer_settle_args(arg));
}

Inst *infer_run(Infer *in, Cx *cx, const CoreApi *core, Module *module, const CompileRequest *req) {
    *in = (Infer){.cx = cx, .core = core, .module = module, .req = req};
    module->locals = req->locals;
    module->changing = req->changing;
    module->debug = req->options.debug;
    module->keeps_names = module->debug || req->want == WANT_TYPES || req->want == WANT_EXPLAIN;
    const FnDef *def = infer_def(in, req->func);
    Inst *entry =
        infer_instance(in, def, req->args, NULL, req->nargs, options_of(&req->options), (Span){0});
    if (cx_run(cx, run_fixpoint, in) != 0) {
        infer_tell_where(in, in->inst);
        cx_abort(cx);
    }
    infer_check(in, entry);
    return entry;
}
