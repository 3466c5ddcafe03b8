/* Puts polls into loops, so that Ctrl-C and other signals end or enter any of them soon:
 *
 *     before:             last = limit - STRIDE
 *                         jump stretch(i, sums)
 *     stretch(i, sums):   poll                                  once in so many iterations
 *                         rest = i >= last, end = rest ? limit : i + STRIDE
 *                         jump header(i, sums)
 *     header(i, sums):    i < end ?   no: ---+                  (was: i < limit)
 *     body: ...                              v
 *     stretch.end:        rest ? where the loop went when it ended : stretch(i, sums)
 *
 * relies on: strip and all that changes loops have run    keeps: nothing of the graph, all values
 * leaves true: no way around a loop does more than about MOST operations without a poll
 *
 * A poll in a loop keeps the back end from making vector code of it, and costs a load and a branch
 * each time. So a loop that counts gets another one around it, as above, and runs without in between;
 * only innermost ones, since each such loop costs the back end a lot of time. What it costs when the
 * program runs is a poll where the loop begins, which serves the loops around it as well, and a test
 * where it ends. A loop that can not become vector code and does much in each iteration polls in
 * each. A loop that runs a known and small number of times needs no poll and counts as so many
 * operations of the loop around it, which may become vector code as a whole. An inner loop that goes
 * along an array and does little has none either: memory ends it in time, and short rows are common.
 * All others poll each time around, unless each of their iterations passes a poll of a loop inside.
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
    STRIDE = 1 << 16, /* iterations between two polls */
    LEAST = 16,       /* fewer are not worth a loop of their own */
    HEAVY = 64,       /* operations of an iteration beside which a poll is not seen */
    SLOW = 24,        /* the same where each iteration waits for the one before */
    LITTLE = 64,      /* operations for one element of a row that needs no poll */
    FEW = 16,         /* iterations of an inner loop that the back end unrolls */
    THREADS = 1024,   /* most of a block */
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
    unsigned op = ir_at(fn, r)->op;
    return op == OP_LOAD || op == OP_STORE ? 4 : opt_weigh(fn, r);
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
    return ir_loop_has(p->loops, loop, b);
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
    *c = (Count){test->args[1], test->args[0], opt_mirror((Op)test->op), 0};
    return find_step(p, loop, c) && bring_out(p, loop, c->limit, 4);
}

/* --- a loop around a loop ------------------------------------------------------------------------ */

static Ref add(Poll *p, BlockId b, unsigned op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(p->cx, p->fn, b, (Op)op, ty, (Span){0}, n, args);
}

static Ref add_int(Poll *p, BlockId b, int64_t k) {
    return ir_const(p->cx, p->fn, b, ir_const_int(p->cx, TY_I(64), k), (Span){0});
}

/* What the loop's own place in the source is: of its test, or of anything in it. What passes have made (it has
 * no effects) may lack the origin that belongs to its line, so the rest is asked first. */
static Ins find_place(const Poll *p, const Loop *loop) {
    const Fn *fn = p->fn;
    for (int any = 0; any < 2; any++)
        for (uint32_t k = 0; k < loop->nblocks; k++) {
            const Refs *list = &fn->blocks.at[loop->blocks[k]].ins;
            for (uint32_t i = 0; i < list->n; i++) {
                const Ins *ins = ir_at(fn, list->at[i]);
                if (ins->span.line && (any || op_info[ins->op].effects & (RAISES | READS | WRITES)))
                    return *ins;
            }
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

/* The edge of which the arguments are values of one block, for the same values of another. */
static Edge renamed(Poll *p, const Edge *e, const Refs *from, const Refs *to) {
    Edge out = ir_edge(p->cx, e->to, e->n, e->args);
    for (uint32_t k = 0; k < out.n; k++)
        for (uint32_t i = 0; i < from->n; i++)
            if (out.args[k] == from->at[i]) out.args[k] = to->at[i];
    return out;
}

static BlockId new_stretch(Poll *p, const Loop *loop) {
    Fn *fn = p->fn;
    BlockId b = ir_new_block(p->cx, fn, "stretch");
    const Refs *params = &fn->blocks.at[loop->header].params;
    for (uint32_t k = 0; k < params->n; k++)
        ir_add_param(p->cx, fn, b, ir_at(fn, params->at[k])->ty);
    const Edge *handler = &fn->blocks.at[loop->header].handler;
    if (handler->to != NO_BLOCK)
        fn->blocks.at[b].handler = renamed(p, handler, params, &fn->blocks.at[b].params);
    insert_poll(p, b, loop, false);
    return b;
}

/* The counter where a stretch that went up to `stop` has ended, computed anew. The back end makes vector code for the
 * rest of a loop too, what does not fill its widest vectors, if nobody looks at the counter behind it. That is worth
 * its time where loops are short, as inner ones are. */
static Ref counter_behind(Poll *p, BlockId b, const Count *c, Ref stop) {
    if (c->op == OP_LT || c->op == OP_GT) return stop;
    return add(p, b, OP_ADD, TY_I(64), 2, (Ref[]){stop, add_int(p, b, c->step)});
}

static void stretch_loop(Poll *p, const Loop *loop, const Count *c, int64_t iterations) {
    Fn *fn = p->fn;
    bool up = c->step > 0;
    int64_t far = iterations * (up ? c->step : -c->step);
    /* From there on the counter may go to the limit without a poll. */
    Ref last = opt_sub_far(p->cx, p->fn, loop->preheader, c->limit, up ? far : -far);
    BlockId stretch = new_stretch(p, loop), at_end = ir_new_block(p->cx, fn, "stretch.end");
    const Refs *own = &fn->blocks.at[stretch].params;
    Ref from = own->at[ir_at(fn, c->counter)->imm];
    Ref rest = add(p, stretch, up ? OP_GE : OP_LE, TY_OF(TY_BOOL), 2, (Ref[]){from, last});
    Ref stop =
        add(p, stretch, up ? OP_ADD : OP_SUB, TY_I(64), 2, (Ref[]){from, add_int(p, stretch, far)});
    Ref end = add(p, stretch, OP_SELECT, TY_I(64), 3, (Ref[]){rest, c->limit, stop});
    ir_jump(p->cx, fn, stretch, loop->header, own->n, own->at);
    fn->blocks.at[loop->preheader].term.succ[0].to = stretch;

    Term t = fn->blocks.at[loop->header].term;
    const Refs *params = &fn->blocks.at[loop->header].params;
    Ref test = add(p, loop->header, c->op, TY_OF(TY_BOOL), 2, (Ref[]){c->counter, end});
    ir_branch(p->cx, fn, loop->header, test, t.succ[0], ir_edge(p->cx, at_end, 0, NULL), t.span);
    Edge on = ir_edge(p->cx, stretch, params->n, params->at);
    if (loop->parent) on.args[ir_at(fn, c->counter)->imm] = counter_behind(p, at_end, c, stop);
    ir_branch(p->cx, fn, at_end, rest, t.succ[1], on, t.span);
    fn->blocks.at[at_end].term.cold = true;
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

/* What the counter is at first. */
static Ref start_of(const Poll *p, const Loop *loop, const Count *c) {
    const Edge *in = &p->fn->blocks.at[loop->preheader].term.succ[0];
    return in->args[ir_at(p->fn, c->counter)->imm];
}

/* How many iterations the loops of a strip have at most: from start to start + n. */
static uint32_t find_bound(const Poll *p, const Loop *loop, const Count *c) {
    const Ins *end = ir_at(p->fn, c->limit);
    if (c->op != OP_LT || c->step != 1 || end->op != OP_ADD) return 0;
    if (end->args[0] != start_of(p, loop, c)) return 0;
    return find_most(p->fn, end->args[1], 2);
}

/* Does the back end unroll all loops in it? */
static bool is_flat(const Poll *p, const Loop *loop) {
    for (const Loop *l = loop->child; l; l = l->next) {
        uint32_t trips = ir_const_trips(p->fn, p->cfg, p->loops, l);
        if (!trips || trips > FEW || !is_flat(p, l)) return false;
    }
    return true;
}

/* A sum of constants and of counters that go up from one: never negative. */
static bool is_positive(const Poll *p, Ref r, int depth) {
    const Ins *i = ir_at(p->fn, r);
    int64_t k;
    if (opt_int_const(p->fn, r, &k)) return k >= 0;
    if (i->op == OP_ADD && depth)
        return is_positive(p, i->args[0], depth - 1) && is_positive(p, i->args[1], depth - 1);
    const Loop *loop = i->op == OP_PARAM ? p->loops->of[i->block] : NULL;
    if (!loop || loop->header != i->block || loop->latch == NO_BLOCK) return false;
    Count c = {.counter = r, .op = OP_LT};
    return find_step(p, loop, &c) && opt_int_const(p->fn, start_of(p, loop, &c), &k) && k >= 0;
}

/* Is r hardly above the length of an array that has memory for each element? */
static bool is_length(const Poll *p, Ref r, int depth) {
    const Ins *i = ir_at(p->fn, r);
    if (i->op == OP_FIELD) { /* of data, owner, shape, strides */
        const Type *ty = ir_at(p->fn, i->args[0])->ty;
        return ty->kind == TY_ARRAY && ty->layout != 'A' && i->imm >= 2 && i->imm < 2 + ty->ndim;
    }
    if (!depth-- || i->nargs < 2) return false;
    if (i->op == OP_SELECT) /* n if n > 0 else 0 */
        return is_length(p, i->args[1], depth) && is_positive(p, i->args[2], 0);
    bool first = is_length(p, i->args[0], depth), is_math = i->op == OP_MATH;
    int64_t k;
    if (is_math && i->sub == MATH_MIN) return first || is_length(p, i->args[1], depth);
    if (i->op == OP_SUB) return first && is_positive(p, i->args[1], 2);
    if (i->op != OP_ADD && !(is_math && i->sub == MATH_MAX)) return false;
    return first && opt_int_const(p->fn, i->args[1], &k) && k <= STRIDE;
}

/* Is r the counter, with something added that stays the same in the loop? */
static bool counts_along(const Poll *p, const Loop *loop, const Count *c, Ref r) {
    const Ins *i = ir_at(p->fn, r);
    if (r == c->counter) return true;
    if (i->op != OP_ADD && i->op != OP_SUB) return false;
    bool first = i->args[0] == c->counter;
    if (!first && (i->op == OP_SUB || i->args[1] != c->counter)) return false;
    return !is_in(p, loop, ir_at(p->fn, i->args[first])->block);
}

/* Does each iteration read or write an element of its own of an array that has memory for each element? */
static bool visits_elements(const Poll *p, const Loop *loop, const Count *c) {
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        BlockId b = loop->blocks[k];
        const Refs *ins = &p->fn->blocks.at[b].ins;
        if (!cfg_dominates(p->cfg, b, loop->latch)) continue;
        for (uint32_t n = 0; n < ins->n; n++) {
            const Ins *i = ir_at(p->fn, ins->at[n]);
            if (i->op != OP_LOAD && i->op != OP_STORE) continue;
            const Ins *e = ir_at(p->fn, i->args[0]);
            const Type *ty = e->op == OP_ELEM ? ir_at(p->fn, e->args[0])->ty : NULL;
            if (!ty || ty->kind != TY_ARRAY || ty->layout == 'A') continue;
            for (uint32_t a = 1; a < e->nargs; a++)
                if (counts_along(p, loop, c, e->args[a])) return true;
        }
    }
    return false;
}

/* Does it go along an array and do little? */
static bool is_row(const Poll *p, const Loop *loop, const Count *c, uint64_t work) {
    if (!loop->parent || work >= LITTLE || !is_flat(p, loop)) return false;
    if (visits_elements(p, loop, c)) return true;
    return c->op == OP_LT && is_length(p, c->limit, 4) && is_positive(p, start_of(p, loop, c), 2);
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

/* Is it a loop of which the back end can not make vector code, as is easy to see? */
static bool is_serial(const Poll *p, const Loop *loop) {
    const Refs *params = &p->fn->blocks.at[loop->header].params;
    const Term *back = &p->fn->blocks.at[loop->latch].term;
    const Edge *e = &back->succ[back->kind == TERM_BRANCH && back->succ[0].to != loop->header];
    if (loop->child) return false;
    for (uint32_t k = 0; k < params->n; k++)
        if (!adds_up(ir_at(p->fn, e->args[k]), params->at[k])) return true;
    return has_fixed_store(p, loop);
}

/* Does it add up floats in order? */
static bool adds_floats(const Poll *p, const Loop *loop) {
    const Refs *params = &p->fn->blocks.at[loop->header].params;
    const Term *back = &p->fn->blocks.at[loop->latch].term;
    const Edge *e = &back->succ[back->kind == TERM_BRANCH && back->succ[0].to != loop->header];
    for (uint32_t k = 0; k < params->n && !loop->child; k++) {
        const Ins *next = ir_at(p->fn, e->args[k]);
        if (next->op == OP_ADD && next->ty->kind == TY_FLOAT && !(next->fast & FAST_REASSOC) &&
            (next->args[0] == params->at[k] || next->args[1] == params->at[k]))
            return true;
    }
    return false;
}

/* Is a stretch worth the while? */
static bool is_stretched(const Poll *p, const Loop *loop, uint64_t work) {
    if (MOST / work < LEAST || !is_flat(p, loop)) return false;
    return work < (adds_floats(p, loop) ? SLOW : HEAVY) || !is_serial(p, loop);
}

/* Of a loop over threads: the size of the block, if its test says it. 0: it is another loop. */
static uint64_t most_threads(const Fn *fn, const Loop *loop) {
    const Block *header = &fn->blocks.at[loop->header];
    int64_t n;
    if (header->axis < 1 || header->axis > 3 || header->term.kind != TERM_BRANCH) return 0;
    const Ins *test = ir_at(fn, header->term.arg);
    if (test->op != OP_LT) return THREADS;
    const Ins *end = ir_at(fn, test->args[1]);
    bool min = end->op == OP_MATH && end->sub == MATH_MIN;
    return opt_int_const(fn, min ? end->args[1] : test->args[1], &n) && n > 0 && n < THREADS
               ? (uint64_t)n
               : THREADS;
}

/* Polls for a loop and all in it. Returns how many operations it may do without a poll. */
static uint64_t place(Poll *p, const Loop *loop) {
    uint32_t first = p->polled.n;
    uint64_t work = 0, trips;
    bool is_plain = p->fn->is_slow || p->fn->options.debug;
    for (const Loop *l = loop->child; l; l = l->next) work += place(p, l);
    for (uint32_t k = 0; k < loop->nblocks; k++)
        if (p->loops->of[loop->blocks[k]] == loop) work += weigh_block(p->fn, loop->blocks[k]);
    Count c;
    bool counts = find_count(p, loop, &c);
    trips = ir_const_trips(p->fn, p->cfg, p->loops, loop);
    if (!trips && counts) trips = find_bound(p, loop, &c);
    if (!trips) trips = most_threads(p->fn, loop);
    if (trips && work * trips <= MOST) return work * trips;
    if (is_covered(p, loop, first)) return work;
    if (counts && !is_plain && is_row(p, loop, &c, work)) return MOST;
    if (counts && !is_plain && is_stretched(p, loop, work)) {
        uint64_t iterations = MOST / work < STRIDE ? MOST / work : STRIDE;
        stretch_loop(p, loop, &c, (int64_t)iterations);
        vec_push(p->cx, &p->polled, loop->preheader);
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
    if (ir_is_unsplit(fn) || is_off()) return false;
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
