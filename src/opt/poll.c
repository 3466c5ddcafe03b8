/* Puts polls into loops, so that Ctrl-C and other signals end or enter any of them soon:
 *
 *     before:             end = min(i + STRIDE, limit)
 *                         jump stretch(i, sums, end)
 *     stretch(i, sums, end):  jump header(i, sums)
 *     header(i, sums):    i < end ?   no: ---+                  (was: i < limit)
 *     body: ...                              v
 *     stretch.end:        i < limit ?   no: where the loop went when it ended
 *     poll:               poll                                  once in so many iterations
 *                         jump stretch(i, sums, min(i + STRIDE, limit))
 *
 * relies on: strip and all that changes loops have run    keeps: nothing of the graph, all values
 * leaves true: no way around a loop does more than about MOST operations without a poll
 *
 * A poll in a loop keeps the back end from making vector code of it, and costs a load and a branch
 * each time. So a loop that counts gets another one around it, as above, and runs without in between.
 * What that costs is one more test when the loop ends. Such stretches do little enough for some of
 * them to go by before the next poll, so the loop around counts as well and polls as rarely: much
 * depends on that where the inner loop is short, as over three coordinates or the taps of a filter,
 * which is known when it runs. A loop that can not become vector code and does much in each iteration
 * polls in each: the back end keeps more of it in registers then. A loop that runs a known and small number of times needs no poll and
 * counts as so many operations of the loop around it, which may become vector code as a whole. All
 * others poll each time around, unless each of their iterations passes a poll of a loop inside.
 *
 * Functions that call themselves look for signals together with the end of the stack, so nothing is
 * done here about recursion; and a function without loops ends by itself. In functions that version
 * cut out, which are not optimised, all loops poll in their headers. */
#include <stdlib.h>
#include <string.h>

#include "ir/math.h"
#include "opt/opt_int.h"

enum {
    MOST = 1 << 24,   /* operations between two polls: some ten milliseconds */
    INNER = 1 << 18,  /* of a loop with none in it */
    STRIDE = 1 << 16, /* iterations between two polls */
    LEAST = 16,       /* fewer are not worth a loop of their own */
    HEAVY = 64,       /* operations of an iteration beside which a poll is not seen */
};

typedef struct Poll {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    const Loops *loops;
    VEC(BlockId) polled; /* blocks in which loops poll each time around */
} Poll;

/* --- how much ---------------------------------------------------------------------------------- */

/* In additions; memory may be far away. A function that can take long polls by itself. */
static uint64_t weigh_ins(const Fn *fn, Ref r) {
    switch ((int)ir_at(fn, r)->op) {
    case OP_CONST: return 0;
    case OP_LOAD:
    case OP_STORE: return 4;
    case OP_FDIV:
    case OP_FLOORDIV:
    case OP_FLOORMOD: return 8;
    case OP_MATH: return 16;
    case OP_CALL_FN:
    case OP_REGION:
    case OP_CALL_RT: return 256;
    default: return 1;
    }
}

static uint64_t weigh_block(const Fn *fn, BlockId b) {
    uint64_t sum = 1;
    for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++)
        sum += weigh_ins(fn, fn->blocks.at[b].ins.at[k]);
    return sum;
}

/* --- loops that count --------------------------------------------------------------------------- */

/* The header goes on while `counter op limit`, and each way back adds `step` to the counter. */
typedef struct Count {
    Ref counter, limit;
    unsigned op; /* LT, LE: up; GT, GE: down */
    int64_t step;
} Count;

static bool is_in(const Poll *p, const Loop *loop, BlockId b) {
    const Loop *l = p->loops->of[b];
    while (l && l != loop) l = l->parent;
    return l != NULL;
}

/* x op y is y mirrored(op) x */
static unsigned mirror(unsigned op) {
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : OP_LE;
}

/* Is r there before the loop? What the header computes from values that are is moved there. */
static bool bring_out(Poll *p, const Loop *loop, Ref r, int depth) {
    Fn *fn = p->fn;
    const Ins *i = ir_at(fn, r);
    if (!is_in(p, loop, i->block)) return true;
    if (i->block != loop->header || i->op == OP_PARAM || !opt_is_pure(fn, r) || !depth)
        return false;
    for (uint32_t a = 0; a < i->nargs; a++)
        if (!bring_out(p, loop, i->args[a], depth - 1)) return false;
    Refs *from = &fn->blocks.at[loop->header].ins, *to = &fn->blocks.at[loop->preheader].ins;
    uint32_t at = 0;
    while (from->at[at] != r) at++;
    memmove(from->at + at, from->at + at + 1, (--from->n - at) * sizeof(Ref));
    vec_push(p->cx, to, r);
    ir_at(fn, r)->block = loop->preheader;
    return true;
}

static bool find_step(const Poll *p, const Loop *loop, Count *c) {
    const Ins *counter = ir_at(p->fn, c->counter);
    if (counter->op != OP_PARAM || counter->block != loop->header || counter->ty != TY_I(64))
        return false;
    const Term *back = &p->fn->blocks.at[loop->latch].term;
    for (uint32_t s = 0; s < opt_nsucc(back); s++) {
        if (back->succ[s].to != loop->header) continue;
        const Ins *next = ir_at(p->fn, back->succ[s].args[counter->imm]);
        if ((next->op != OP_ADD && next->op != OP_SUB) || next->args[0] != c->counter ||
            !opt_int_const(p->fn, next->args[1], &c->step) || c->step < -STRIDE || c->step > STRIDE)
            return false;
        if (next->op == OP_SUB) c->step = -c->step;
        return c->op == OP_LT || c->op == OP_LE ? c->step > 0 : c->step < 0;
    }
    return false;
}

static bool find_count(Poll *p, const Loop *loop, Count *c) {
    const Term *t = &p->fn->blocks.at[loop->header].term;
    if (loop->latch == NO_BLOCK || loop->preheader == NO_BLOCK || t->kind != TERM_BRANCH ||
        !is_in(p, loop, t->succ[0].to) || is_in(p, loop, t->succ[1].to))
        return false;
    const Ins *test = ir_at(p->fn, t->arg);
    if (test->op != OP_LT && test->op != OP_LE && test->op != OP_GT && test->op != OP_GE)
        return false;
    *c = (Count){test->args[0], test->args[1], test->op, 0};
    if (find_step(p, loop, c)) return bring_out(p, loop, c->limit, 4);
    *c = (Count){test->args[1], test->args[0], mirror(test->op), 0};
    return find_step(p, loop, c) && bring_out(p, loop, c->limit, 4);
}

/* --- a loop around a loop ------------------------------------------------------------------------ */

static Ref add(Poll *p, BlockId b, unsigned op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(p->cx, p->fn, b, (Op)op, ty, (Span){0}, n, args);
}

/* How far the counter may go before the next poll, from `from`, where the loop goes on. In unsigned
 * arithmetic the distance to the limit is right however far apart the two are. */
static Ref add_stop(Poll *p, BlockId b, const Count *c, Ref from, uint64_t iterations) {
    Type *i64 = TY_I(64), *u64 = TY_U(64);
    bool up = c->step > 0;
    int64_t most = (int64_t)iterations * (up ? c->step : -c->step);
    Ref far = ir_const(p->cx, p->fn, b, ir_const_int(p->cx, u64, most), (Span){0});
    Ref left = add(p, b, OP_SUB, i64, 2, up ? (Ref[]){c->limit, from} : (Ref[]){from, c->limit});
    left = add(p, b, OP_BITCAST, u64, 1, &left);
    left = add(p, b, OP_MATH, u64, 2, (Ref[]){left, far});
    ir_at(p->fn, left)->sub = MATH_MIN;
    left = add(p, b, OP_BITCAST, i64, 1, &left);
    return add(p, b, up ? OP_ADD : OP_SUB, i64, 2, (Ref[]){from, left});
}

/* The same where the loop begins, which it perhaps does not. */
static Ref add_first_stop(Poll *p, BlockId b, const Count *c, Ref from, uint64_t iterations) {
    Ref stop = add_stop(p, b, c, from, iterations);
    Ref any = add(p, b, c->op, TY_OF(TY_BOOL), 2, (Ref[]){from, c->limit});
    return add(p, b, OP_SELECT, TY_I(64), 3, (Ref[]){any, stop, c->limit});
}

/* What the loop's own place in the source is: of its test, or of anything in it. */
static Ins find_place(const Poll *p, const Loop *loop) {
    const Fn *fn = p->fn;
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        const Refs *ins = &fn->blocks.at[loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (ir_at(fn, ins->at[i])->span.line) return *ir_at(fn, ins->at[i]);
    }
    return (Ins){.span = fn->span};
}

/* Behind the header's test, if there is one: then a loop that does not run has no poll either. */
static BlockId poll_block(const Poll *p, const Loop *loop) {
    const Term *t = &p->fn->blocks.at[loop->header].term;
    if (t->kind != TERM_BRANCH) return loop->header;
    bool in0 = is_in(p, loop, t->succ[0].to), in1 = is_in(p, loop, t->succ[1].to);
    BlockId body = t->succ[!in0].to;
    return in0 != in1 && p->cfg->npreds[body] == 1 ? body : loop->header;
}

/* rare: what comes so seldom may call each time, which is less code than a test. */
static void insert_poll(Poll *p, BlockId b, const Loop *loop, bool rare) {
    Ins place = find_place(p, loop);
    Ref r = ir_insert(p->cx, p->fn, b, 0, OP_POLL, TY_OF(TY_NONE), place.span, 0, NULL);
    ir_at(p->fn, r)->origin = place.origin;
    ir_at(p->fn, r)->imm = rare;
}

/* The loop's edge to the new block around it, with one argument more. */
static Edge edge_to_stretch(Poll *p, BlockId to, uint32_t n, const Ref *args, Ref end) {
    Refs list = {0};
    for (uint32_t k = 0; k < n; k++) vec_push(p->cx, &list, args[k]);
    vec_push(p->cx, &list, end);
    return ir_edge(p->cx, to, list.n, list.at);
}

static unsigned opposite(unsigned op) {
    return op == OP_LT ? OP_GE : op == OP_LE ? OP_GT : op == OP_GT ? OP_LE : OP_LT;
}

static void stretch_loop(Poll *p, const Loop *loop, const Count *c, uint64_t iterations) {
    Fn *fn = p->fn;
    BlockId stretch = ir_new_block(p->cx, fn, "stretch"),
            at_end = ir_new_block(p->cx, fn, "stretch.end"), poll = ir_new_block(p->cx, fn, "poll");
    const Refs *params = &fn->blocks.at[loop->header].params;
    for (uint32_t k = 0; k < params->n; k++)
        ir_add_param(p->cx, fn, stretch, ir_at(fn, params->at[k])->ty);
    const Refs *own = &fn->blocks.at[stretch].params;
    ir_jump(p->cx, fn, stretch, loop->header, own->n, own->at);
    Ref end = ir_add_param(p->cx, fn, stretch, TY_I(64));

    Edge in = fn->blocks.at[loop->preheader].term.succ[0];
    Ref first =
        add_first_stop(p, loop->preheader, c, in.args[ir_at(fn, c->counter)->imm], iterations);
    fn->blocks.at[loop->preheader].term.succ[0] = edge_to_stretch(p, stretch, in.n, in.args, first);

    Term t = fn->blocks.at[loop->header].term;
    Ref test = add(p, loop->header, c->op, TY_OF(TY_BOOL), 2, (Ref[]){c->counter, end});
    ir_branch(p->cx, fn, loop->header, test, t.succ[0], ir_edge(p->cx, at_end, 0, NULL), t.span);
    Ref over = add(p, at_end, opposite(c->op), TY_OF(TY_BOOL), 2, (Ref[]){c->counter, c->limit});
    ir_branch(p->cx, fn, at_end, over, t.succ[1], ir_edge(p->cx, poll, 0, NULL), t.span);
    fn->blocks.at[at_end].term.cold = true;

    Edge handler = fn->blocks.at[loop->header].handler;
    if (handler.to != NO_BLOCK) handler = ir_edge(p->cx, handler.to, handler.n, handler.args);
    fn->blocks.at[poll].handler = handler;
    insert_poll(p, poll, loop, true);
    Edge again = edge_to_stretch(p, stretch, params->n, params->at,
                                 add_stop(p, poll, c, c->counter, iterations));
    ir_jump(p->cx, fn, poll, stretch, again.n, again.args);
}

/* --- which loops -------------------------------------------------------------------------------- */

/* The most that r can be: a constant, the smaller of something and one, bits of one, a sum of such;
 * 0: not known, or too much. */
static uint32_t find_most(const Fn *fn, Ref r, int depth) {
    const Ins *i = ir_at(fn, r);
    int64_t k;
    if (opt_int_const(fn, r, &k)) return k > 0 && k <= STRIDE ? (uint32_t)k : 0;
    if (!depth) return 0;
    if (i->op == OP_AND) return find_most(fn, i->args[1], 0);
    if (i->op == OP_MATH && i->sub == MATH_MIN) return find_most(fn, i->args[1], 0);
    if (i->op != OP_ADD) return 0;
    uint32_t a = find_most(fn, i->args[0], depth - 1), b = find_most(fn, i->args[1], depth - 1);
    return a && b && a + b <= STRIDE ? a + b : 0;
}

/* How many iterations the loops of a strip have at most: from start to start + n. */
static uint32_t find_bound(const Poll *p, const Loop *loop, const Count *c) {
    const Ins *end = ir_at(p->fn, c->limit);
    if (c->op != OP_LT || c->step != 1 || end->op != OP_ADD) return 0;
    const Edge *in = &p->fn->blocks.at[loop->preheader].term.succ[0];
    if (end->args[0] != in->args[ir_at(p->fn, c->counter)->imm]) return 0;
    return find_most(p->fn, end->args[1], 2);
}

/* Is there a poll, one of those from `first` on, on each way back to the header? */
static bool is_covered(const Poll *p, const Loop *loop, uint32_t first) {
    const Cfg *cfg = p->cfg;
    for (uint32_t k = 0; k < cfg->npreds[loop->header]; k++) {
        BlockId from = cfg->preds[loop->header][k];
        if (!is_in(p, loop, from)) continue;
        uint32_t i = first;
        while (i < p->polled.n && !cfg_dominates(cfg, p->polled.at[i], from)) i++;
        if (i == p->polled.n) return false;
    }
    return true;
}

static bool adds_up(const Ins *next, Ref param) {
    bool left = next->nargs == 2 && next->args[0] == param;
    if (!left && (next->nargs != 2 || next->args[1] != param)) return false;
    switch ((int)next->op) {
    case OP_ADD:
    case OP_MUL: return ty_is_integral(next->ty) || (next->fast & FAST_REASSOC);
    case OP_AND:
    case OP_OR:
    case OP_XOR: return true;
    case OP_MATH: return next->sub == MATH_MIN || next->sub == MATH_MAX;
    default: return false;
    }
}

/* Does it store where it has stored before? */
static bool has_fixed_store(const Poll *p, const Loop *loop) {
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        const Refs *ins = &p->fn->blocks.at[loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++) {
            const Ins *store = ir_at(p->fn, ins->at[i]);
            if (store->op != OP_STORE) continue;
            const Ins *e = ir_at(p->fn, store->args[0]);
            bool moves = e->op != OP_ELEM;
            for (uint32_t a = 0; a < e->nargs; a++)
                moves |= is_in(p, loop, ir_at(p->fn, e->args[a])->block);
            if (!moves) return true;
        }
    }
    return false;
}

/* Is it an innermost loop of which the back end can not make vector code, as is easy to see? */
static bool is_serial(const Poll *p, const Loop *loop) {
    if (loop->child) return false;
    const Refs *params = &p->fn->blocks.at[loop->header].params;
    const Term *back = &p->fn->blocks.at[loop->latch].term;
    const Edge *e = &back->succ[back->kind == TERM_BRANCH && back->succ[0].to != loop->header];
    for (uint32_t k = 0; k < params->n; k++)
        if (!adds_up(ir_at(p->fn, e->args[k]), params->at[k])) return true;
    return has_fixed_store(p, loop);
}

/* Polls for a loop and all in it. Returns how many operations it may do without a poll. */
static uint64_t place(Poll *p, const Loop *loop) {
    uint32_t first = p->polled.n;
    uint64_t work = 0, trips;
    for (const Loop *l = loop->child; l; l = l->next) work += place(p, l);
    uint64_t most = work < INNER ? INNER : MOST;
    for (uint32_t k = 0; k < loop->nblocks; k++)
        if (p->loops->of[loop->blocks[k]] == loop) work += weigh_block(p->fn, loop->blocks[k]);
    Count c;
    bool counts = find_count(p, loop, &c);
    trips = ir_const_trips(p->fn, p->cfg, loop);
    if (!trips && counts) trips = find_bound(p, loop, &c);
    if (trips && work * trips <= most) return work * trips;
    if (is_covered(p, loop, first)) return work;
    uint64_t iterations = most / work < STRIDE ? most / work : STRIDE;
    bool is_plain = p->fn->is_slow || p->fn->options.debug;
    if (counts && !is_plain && iterations >= LEAST && (work < HEAVY || !is_serial(p, loop))) {
        stretch_loop(p, loop, &c, iterations);
        return work * iterations;
    }
    BlockId b = is_plain ? loop->header : poll_block(p, loop);
    insert_poll(p, b, loop, is_plain);
    vec_push(p->cx, &p->polled, b);
    return work;
}

/* Circles that are no loops: more than one way in. */
static void poll_in_circles(Poll *p) {
    for (uint32_t k = 0; k < p->cfg->nrpo; k++) {
        BlockId to[3], b = p->cfg->rpo[k];
        uint32_t n = ir_successors(p->fn, b, to);
        for (uint32_t s = 0; s < n; s++)
            if (p->cfg->rpo_index[to[s]] <= k && !cfg_dominates(p->cfg, to[s], b))
                ir_insert(p->cx, p->fn, to[s], 0, OP_POLL, TY_OF(TY_NONE), p->fn->span, 0, NULL);
    }
}

/* For measuring what polls cost. */
static bool is_off(void) {
    const char *poll = getenv("WHIPSNAKE_POLL");
    return poll && strcmp(poll, "0") == 0;
}

bool opt_poll(Cx *cx, Fn *fn) {
    if ((fn->is_kernel && !fn->runs_blocks) || is_off()) return false;
    Poll p = {.cx = cx, .fn = fn, .cfg = ir_cfg(cx, fn)};
    poll_in_circles(&p);
    p.loops = ir_loops(cx, fn, p.cfg);
    if (!p.loops->roots) return false;
    if (opt_make_preheaders(cx, fn, p.loops)) {
        p.cfg = ir_cfg(cx, fn);
        p.loops = ir_loops(cx, fn, p.cfg);
    }
    for (const Loop *l = p.loops->roots; l; l = l->next) place(&p, l);
    return true;
}
