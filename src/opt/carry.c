/* What one iteration stores and the next one loads stays a value:
 *
 *     header(i):                             first: p = load x[i - 1] (if there is an iteration)
 *         a = load x[i - 1]                  header(i, p):
 *         store x[i], v             ->           store x[i], v      (p in place of a)
 *         jump header(i + 1)                     jump header(i + 1, v)
 *
 * relies on: version (a loop with checks is left alone)    keeps: nothing
 * breaks: the graph before each such loop
 *
 * And where v is a chain of integer operations that may be taken in any order, what waits for p
 * comes last in it.
 *
 * Recurrences (running sums, filters, tables of dynamic programming) otherwise wait for memory in
 * each iteration, a few times as long as for the operation itself. The back end's own pass for it
 * (loop-load-elim) wants to know more about the other arrays than it can find out. Only where the
 * loop has one store, so that nothing else can change the element in between. */
#include "ir/math.h"
#include "opt/first.h"

typedef struct Carry {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const Loop *loop;
    First first;
    Refs loads; /* of the loop */
    Ref store;
    Ref param; /* of the header: what the iteration before has stored; 0: none yet */
    Subst sub;
    bool changed;
} Carry;

static bool is_inside(const Carry *c, Ref r) {
    return affine_is_in(c->af, c->loop, ir_at(c->fn, r)->block);
}

/* Is r part of every iteration? */
static bool is_always_run(const Carry *c, Ref r) {
    return cfg_dominates(c->af->cfg, ir_at(c->fn, r)->block, c->loop->latch);
}

static bool note_ins(Carry *c, Ref r) {
    unsigned op = ir_at(c->fn, r)->op;
    if (op == OP_LOAD) vec_push(c->cx, &c->loads, r);
    if (op != OP_STORE) return op == OP_POLL || !(opt_effects(c->fn, r) & (WRITES | RAISES | CONV));
    if (c->store) return false;
    c->store = r;
    return true;
}

static bool stays_inside(const Carry *c, const Block *b) {
    for (uint32_t s = 0; s < opt_nsucc(&b->term); s++)
        if (!affine_is_in(c->af, c->loop, b->term.succ[s].to)) return false;
    return opt_nsucc(&b->term) > 0;
}

/* An innermost loop with one store, one way out, and nothing that could raise. */
static bool look_at_loop(Carry *c) {
    const Loop *l = c->loop;
    c->loads.n = 0;
    c->store = c->param = 0;
    bool lanes = c->fn->blocks.at[l->header].lanes; /* threads wait for nobody */
    if (l->child || lanes || l->latch == NO_BLOCK || l->latch == l->header) return false;
    for (uint32_t k = 0; k < l->nblocks; k++) {
        const Block *b = &c->fn->blocks.at[l->blocks[k]];
        if (l->blocks[k] != l->header && !stays_inside(c, b)) return false;
        for (uint32_t i = 0; i < b->ins.n; i++)
            if (!note_ins(c, b->ins.at[i])) return false;
    }
    return c->store && c->loads.n && is_always_run(c, c->store);
}

static const Ins *element(const Carry *c, Ref access) {
    const Ins *e = ir_at(c->fn, ir_at(c->fn, access)->args[0]);
    return e->op == OP_ELEM && !is_inside(c, e->args[0]) ? e : NULL;
}

/* By how much value r grows per iteration, if it is a parameter of the header or does not
 * change. */
static bool find_growth(const Carry *c, Ref r, int64_t *step) {
    const Ins *i = ir_at(c->fn, r);
    *step = 0;
    if (!is_inside(c, r)) return true;
    if (i->op != OP_PARAM || i->block != c->loop->header) return false;
    const Ins *next =
        ir_at(c->fn, c->fn->blocks.at[c->loop->latch].term.succ[0].args[(uint32_t)i->imm]);
    return next->op == OP_ADD && next->args[0] == r && opt_int_const(c->fn, next->args[1], step);
}

/* Is the index of the store by as much larger than that of the load as both grow per iteration? */
static bool is_next(Carry *c, Ref load, Ref store, bool *moves) {
    Lin from = affine_lin(c->af, load, LIN_MODULO), to = affine_lin(c->af, store, LIN_MODULO);
    Lin d = lin_add(to, from, -1);
    if (!from.ok || !d.ok || d.n) return false;
    uint64_t growth = 0;
    for (uint32_t k = 0; k < from.n; k++) {
        int64_t a, b = 0;
        if (!find_growth(c, from.t[k].a, &a)) return false;
        if (from.t[k].b && (!find_growth(c, from.t[k].b, &b) || a || b)) return false;
        growth += (uint64_t)from.t[k].k * (uint64_t)a;
    }
    *moves |= growth != 0;
    return growth == (uint64_t)d.c;
}

/* Does the load read what the store of the iteration before has written? Only in arrays where two
 * subscripts are two places. */
static bool is_carried(Carry *c, Ref load) {
    const Ins *r = element(c, load), *w = element(c, c->store);
    if (!r || !w || r->args[0] != w->args[0] || !is_always_run(c, load)) return false;
    const Type *array = ir_at(c->fn, r->args[0])->ty, *ty = ir_at(c->fn, load)->ty;
    bool scalar = ty->kind == TY_INT || ty->kind == TY_FLOAT, moves = false;
    if (!scalar || array->layout == 'A' || ty != ir_at(c->fn, ir_at(c->fn, c->store)->args[1])->ty)
        return false;
    for (uint32_t a = 1; a < r->nargs; a++)
        if (!is_next(c, r->args[a], w->args[a], &moves)) return false;
    return moves;
}

static void add_arg(Carry *c, BlockId from, BlockId to, Ref arg) {
    Term *t = &c->fn->blocks.at[from].term;
    for (uint32_t s = 0; s < opt_nsucc(t); s++) {
        if (t->succ[s].to != to) continue;
        Refs args = {0};
        for (uint32_t i = 0; i < t->succ[s].n; i++) vec_push(c->cx, &args, t->succ[s].args[i]);
        vec_push(c->cx, &args, arg);
        t->succ[s] = ir_edge(c->cx, to, args.n, args.at);
    }
}

/* The header gets the parameter: from before the loop what is loaded there, or, with no iteration
 * to come, anything. */
static void add_param(Carry *c, Ref load) {
    Fn *fn = c->fn;
    BlockId header = c->loop->header;
    Type *ty = ir_at(fn, load)->ty;
    static const Edge nowhere = {.to = NO_BLOCK};
    first_make(&c->first, &nowhere);
    first_enter(&c->first);
    Ref value = first_read(&c->first, c->first.block, load);
    Const *zero = ty->kind == TY_INT ? ir_const_int(c->cx, ty, 0) : ir_const_float(c->cx, ty, 0);
    Ref none = ir_const(c->cx, fn, c->first.before, zero, (Span){0});
    c->param = ir_add_param(c->cx, fn, header, ty);
    add_arg(c, c->first.before, header, none);
    add_arg(c, c->first.block, header, value);
    add_arg(c, c->loop->latch, header, ir_at(fn, c->store)->args[1]);
}

/* --- the way from one iteration to the next --------------------------------------------------- */

enum { DEEP = 8 };

/* Does r wait for what the iteration before has stored? */
static bool waits(const Carry *c, Ref r, uint32_t depth) {
    const Ins *i = ir_at(c->fn, r);
    if (r == c->param) return true;
    if (!depth || i->op == OP_PARAM || !is_inside(c, r)) return false;
    for (uint32_t a = 0; a < i->nargs; a++)
        if (waits(c, i->args[a], depth - 1)) return true;
    return false;
}

/* Integers that may be combined in any order. */
static bool is_free(const Ins *i) {
    if (i->ty->kind != TY_INT || i->nargs != 2) return false;
    if (i->op == OP_MATH) return i->sub == MATH_MIN || i->sub == MATH_MAX;
    return i->op == OP_ADD || i->op == OP_AND || i->op == OP_OR || i->op == OP_XOR;
}

static bool is_same_op(const Ins *a, const Ins *b) {
    return a->op == b->op && a->sub == b->sub && a->ty == b->ty && !a->imm && !b->imm;
}

static uint32_t count_uses(const Carry *c, Ref r) {
    uint32_t n = 0;
    for (BlockId b = 0; b < c->fn->blocks.n; b++) n += opt_uses_in(c->fn, b, r);
    return n;
}

/* (x op y), put before v and made like `old`. */
static Ref add_like(Carry *c, Ref old, Ref v, Ref x, Ref y) {
    Ins i = *ir_at(c->fn, old);
    const Refs *list = &c->fn->blocks.at[i.block].ins;
    uint32_t at = 0;
    while (list->at[at] != v) at++;
    Ref r = ir_insert(c->cx, c->fn, i.block, at, (Op)i.op, i.ty, i.span, 2, (Ref[]){x, y});
    ir_at(c->fn, r)->sub = i.sub;
    ir_at(c->fn, r)->origin = i.origin;
    return r;
}

/* v = x op (y op z), of which z alone waits (or y alone): (x op y) op z, so that one operation
 * waits instead of two. k: which operand of v is x. */
static bool let_last(Carry *c, Ref v, uint32_t k) {
    Ref x = ir_at(c->fn, v)->args[k], inner = ir_at(c->fn, v)->args[!k];
    const Ins *in = ir_at(c->fn, inner), *out = ir_at(c->fn, v);
    if (!is_free(in) || !is_same_op(in, out) || in->block != out->block) return false;
    bool first = waits(c, in->args[0], DEEP), second = waits(c, in->args[1], DEEP);
    if (first == second || waits(c, x, DEEP) || count_uses(c, inner) != 1) return false;
    Ref late = in->args[second], early = in->args[first];
    Ref r = add_like(c, inner, v, x, early);
    ir_at(c->fn, v)->args[0] = r;
    ir_at(c->fn, v)->args[1] = late;
    ir_kill(c->fn, inner);
    return true;
}

static void shorten(Carry *c, Ref v) {
    subst_apply(c->fn, &c->sub); /* `waits` looks for the parameter */
    if (!is_inside(c, v) || !is_free(ir_at(c->fn, v))) return;
    while (let_last(c, v, 0) || let_last(c, v, 1)) {}
}

static void carry_loop(Carry *c, const Loop *loop) {
    c->loop = loop;
    if (!look_at_loop(c)) return;
    affine_set_nest(c->af, (Loop *)loop);
    for (uint32_t k = 0; k < c->loads.n; k++) {
        Ref load = c->loads.at[k];
        if (!is_carried(c, load)) continue;
        bool good = c->param || (first_look(&c->first, loop) &&
                                 first_can_read(&c->first, ir_at(c->fn, load)->args[0]));
        if (!good) return;
        if (!c->param) add_param(c, load);
        subst_set(c->cx, &c->sub, load, c->param);
        ir_kill(c->fn, load);
        c->changed = true;
    }
    if (c->param) shorten(c, ir_at(c->fn, c->store)->args[1]);
}

static void carry_loops(Carry *c, const Loop *loop) {
    for (; loop; loop = loop->next) {
        carry_loops(c, loop->child);
        carry_loop(c, loop);
    }
}

static bool has_load_and_store(const Fn *fn) {
    bool load = false, store = false;
    for (Ref r = 1; r < fn->ins.n; r++) {
        load |= fn->ins.at[r].op == OP_LOAD;
        store |= fn->ins.at[r].op == OP_STORE;
    }
    return load && store;
}

bool opt_carry(Cx *cx, Fn *fn) {
    bool kernel = ir_is_unsplit(fn);
    if (fn->is_slow || kernel || fn->options.debug || !has_load_and_store(fn)) return false;
    Carry c = {.cx = cx, .fn = fn, .af = affine_new_loops(cx, fn, LIN_EXACT)};
    if (!c.af) return false;
    c.first = (First){.cx = cx, .fn = fn, .af = c.af};
    carry_loops(&c, c.af->loops->roots);
    subst_apply(fn, &c.sub);
    ir_sweep(fn);
    return c.changed;
}
