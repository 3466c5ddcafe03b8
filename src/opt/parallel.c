/* Loops that may run on several threads: prange, and loops over arrays that lowering made, in functions with
 * parallel=True (Block.parallel). The outermost that can becomes a function over a part of its iterations,
 * and a REGION that calls it:
 *
 *     before                                    before
 *     header(i, s): i < n ? body : out          questions; p = room for partial results
 *     body: ...; jump header(i + 1, s')    ->   chunks = region @body n, questions, cost, p, values
 *     out: ... s ...                            add(c, s): c < chunks ? s = s + p[c], again : out
 *
 *     @body(lo, hi, partial, values): jump header(lo, 0); header: i < hi; at the end s goes to *partial
 *
 * What runs in parallel is what one thread would have done, chunk by chunk, in the order of chunks, with sums
 * begun anew in each; so results do not depend on the number of threads. Chunks run one after the other in
 * this thread if the loop is small, or if a question has another answer than was hoped for.
 *
 * A loop of prange whose iterations surely depend on each other ends the compile. Where it is not known they
 * run on this thread, which is right for any loop; the report says why.
 *
 * relies on: inline, range (bodies are all there, as small as they get)    keeps: everything
 * breaks: loops of the function (they are gone) */
#include "base/diag.h"
#include "base/remark.h"
#include "core/region.h"
#include "ir/math.h"
#include "ir/remark.h"
#include "ir/rt.h"
#include "opt/depend.h"
#include "opt/opt_int.h"

enum { TAILS = 16 }; /* blocks behind a loop that only raise */

typedef struct Parallel {
    Cx *cx;
    Fn *fn;
    Affine *af;
    Loop *loop;
    Depend d;
    VEC(BlockId) blocks; /* of the loop, then those behind it that only raise */
    Ref n; /* iterations */
    Edge out; /* of the header */
    Fn *body;
    Map refs; /* value outside -> value in the body */
    Refs given; /* what the body is passed */
    VEC(FnArg) args;
    Refs consts; /* copied instead of passed */
    uint32_t stride; /* bytes of a chunk's partial results */
} Parallel;

static Type *i64(void) { return TY_I(64); }
static bool is_in(const Parallel *p, BlockId b) { return affine_is_in(p->af, p->loop, b); }
static const Block *header(const Parallel *p) { return &p->fn->blocks.at[p->loop->header]; }

static Ref add(Parallel *p, Fn *fn, BlockId b, Op op, Type *ty, Ref x, Ref y) {
    return ir_add(p->cx, fn, b, op, ty, (Span){0}, y ? 2 : 1, (Ref[]){x, y});
}
static Ref integer(Parallel *p, Fn *fn, BlockId b, int64_t k) {
    return ir_const(p->cx, fn, b, ir_const_int(p->cx, i64(), k), (Span){0});
}

/* How often a loop runs that counts from 0 up to n. */
static Ref at_least_0(Parallel *p, BlockId b, Ref n) {
    Ref zero = integer(p, p->fn, b, 0);
    Ref most = ir_add(p->cx, p->fn, b, OP_MATH, i64(), (Span){0}, 2, (Ref[]){n, zero});
    ir_at(p->fn, most)->sub = MATH_MAX;
    return most;
}

/* --- can it be done? -------------------------------------------------------------------------- */

/* `counter < n`, from 0 by 1, is the test, and nothing else is done in the header. */
static bool has_plain_header(Parallel *p) {
    const Block *h = header(p);
    const Term *t = &h->term;
    int64_t first;
    if (t->kind != TERM_BRANCH || !is_in(p, t->succ[0].to) || is_in(p, t->succ[1].to)) return false;
    const Ins *test = ir_at(p->fn, t->arg), *counter = ir_at(p->fn, p->d.counter);
    const Counter *c = affine_counter(p->af, p->d.counter);
    const Edge *in = &p->fn->blocks.at[p->loop->preheader].term.succ[0];
    if (test->op != OP_LT || test->args[0] != p->d.counter || c->step != 1 ||
        is_in(p, ir_at(p->fn, test->args[1])->block) || counter->ty != i64())
        return false;
    if (!opt_int_const(p->fn, in->args[counter->imm], &first) || first != 0) return false;
    for (uint32_t k = 0; k < h->ins.n; k++)
        if (!opt_is_pure(p->fn, h->ins.at[k])) return false;
    p->n = test->args[1];
    p->out = t->succ[1];
    return true;
}

/* The blocks behind the loop where it ends in an exception. */
static bool find_blocks(Parallel *p) {
    for (uint32_t k = 0; k < p->loop->nblocks; k++) vec_push(p->cx, &p->blocks, p->loop->blocks[k]);
    for (uint32_t k = 0; k < p->blocks.n; k++) {
        const Term *t = &p->fn->blocks.at[p->blocks.at[k]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++) {
            BlockId to = t->succ[s].to;
            bool known = is_in(p, to) || (k == 0 && s == 1);
            for (uint32_t i = p->loop->nblocks; i < p->blocks.n; i++)
                known |= p->blocks.at[i] == to;
            if (known) continue;
            if (!depend_only_raises(p->fn, to) || opt_has_handler(&p->fn->blocks.at[to]) ||
                p->blocks.n > p->loop->nblocks + TAILS)
                return false;
            vec_push(p->cx, &p->blocks, to);
        }
    }
    return true;
}

static bool is_final(const Parallel *p, Ref r) {
    const Counter *c = affine_counter(p->af, r);
    if (c && c->loop == p->loop) return ir_at(p->fn, r)->ty == i64();
    for (uint32_t k = 0; k < p->d.reductions.n; k++)
        if (p->d.reductions.at[k].param == r) return true;
    return false;
}

typedef struct OutSearch {
    Parallel *p;
    bool good;
} OutSearch;

static void look_at_use(void *arg, Ref *use) {
    OutSearch *s = arg;
    if (is_in(s->p, ir_at(s->p->fn, *use)->block) && !is_final(s->p, *use)) s->good = false;
}

/* Is nothing of the loop used behind it but what a region can give? */
static bool has_plain_results(Parallel *p) {
    OutSearch s = {p, true};
    for (uint32_t k = 0; k < p->out.n; k++) look_at_use(&s, &p->out.args[k]);
    for (BlockId b = 0; b < p->fn->blocks.n && s.good; b++) {
        bool inside = p->fn->blocks.at[b].dead || is_in(p, b);
        for (uint32_t k = p->loop->nblocks; k < p->blocks.n; k++) inside |= p->blocks.at[k] == b;
        if (!inside) ir_visit_uses(p->fn, b, look_at_use, &s);
    }
    return s.good;
}

/* All that raises goes to one place, which needs nothing of the loop. *handler: it, or NULL. */
static bool has_plain_handler(const Parallel *p, const Edge **handler) {
    bool none = false;
    *handler = NULL;
    for (uint32_t k = 0; k < p->blocks.n; k++) {
        const Block *b = &p->fn->blocks.at[p->blocks.at[k]];
        if (!opt_block_raises(p->fn, p->blocks.at[k])) continue;
        if (opt_has_handler(b) && is_in(p, b->handler.to)) continue;
        none |= !opt_has_handler(b);
        if (!opt_has_handler(b)) continue;
        if (*handler && !opt_same_edge(*handler, &b->handler)) return false;
        *handler = &b->handler;
        for (uint32_t i = 0; i < b->handler.n; i++)
            if (is_in(p, ir_at(p->fn, b->handler.args[i])->block)) return false;
    }
    return !(*handler && none);
}

static bool can_move(const Parallel *p) {
    for (uint32_t k = 0; k < p->blocks.n; k++) {
        const Refs *ins = &p->fn->blocks.at[p->blocks.at[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++) {
            Op op = (Op)ir_at(p->fn, ins->at[i])->op;
            if (op == OP_YIELD || op == OP_STACK || op == OP_SHARED || op == OP_BIND) return false;
        }
    }
    return true;
}

/* --- what it costs: simple instructions an iteration, as a float64 in block b ------------------ */

static double weigh_own_blocks(const Parallel *p, const Loop *loop) {
    double sum = 0;
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        if (p->af->loops->of[loop->blocks[k]] != loop) continue;
        const Refs *ins = &p->fn->blocks.at[loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++) sum += opt_weigh(p->fn, ins->at[i]);
    }
    return sum + 1;
}

static Ref real(Parallel *p, BlockId b, double f) {
    return ir_const(p->cx, p->fn, b, ir_const_float(p->cx, TY_F(64), f), (Span){0});
}

/* How often an inner loop runs; where that is not known in front, a hundred times. */
static Ref trips_of(Parallel *p, BlockId b, const Loop *loop) {
    enum { USUAL = 100 };
    const Term *t = &p->fn->blocks.at[loop->header].term;
    uint32_t known = ir_const_trips(p->fn, p->af->cfg, p->af->loops, loop);
    if (known) return real(p, b, known);
    const Ins *test = t->kind == TERM_BRANCH ? ir_at(p->fn, t->arg) : NULL;
    if (!test || test->op != OP_LT || is_in(p, ir_at(p->fn, test->args[1])->block) ||
        ir_at(p->fn, test->args[1])->ty != i64())
        return real(p, b, USUAL);
    Ref n = at_least_0(p, b, test->args[1]);
    return add(p, p->fn, b, OP_CAST, TY_F(64), n, 0);
}

static Ref weigh(Parallel *p, BlockId b, const Loop *loop) {
    Ref sum = real(p, b, weigh_own_blocks(p, loop));
    for (const Loop *l = loop->child; l; l = l->next) {
        Ref each = weigh(p, b, l), trips = trips_of(p, b, l);
        Ref all = add(p, p->fn, b, OP_MUL, TY_F(64), each, trips);
        sum = add(p, p->fn, b, OP_ADD, TY_F(64), sum, all);
    }
    return sum;
}

/* --- questions -------------------------------------------------------------------------------- */

/* r, computed in block b with `value` in place of the counter. */
static Ref copy_for(Parallel *p, BlockId b, Ref r, Ref value) {
    if (r == p->d.counter) return value;
    if (!is_in(p, ir_at(p->fn, r)->block)) return r;
    Ins i = *ir_at(p->fn, r);
    Ref *args = NEWN(p->cx, Ref, i.nargs + 1u);
    for (uint32_t k = 0; k < i.nargs; k++) args[k] = copy_for(p, b, i.args[k], value);
    Ref copy = ir_add(p->cx, p->fn, b, (Op)i.op, i.ty, i.span, i.nargs, args);
    i.args = ir_at(p->fn, copy)->args;
    i.block = b;
    *ir_at(p->fn, copy) = i;
    return copy;
}

/* Can copy_for do it? */
static bool is_of_counter(const Parallel *p, Ref r, int depth) {
    const Ins *i = ir_at(p->fn, r);
    if (r == p->d.counter || !is_in(p, i->block)) return true;
    if (!depth || i->op == OP_PARAM || !opt_is_pure(p->fn, r) || i->op == OP_FLOORDIV ||
        i->op == OP_FLOORMOD)
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_of_counter(p, i->args[k], depth - 1)) return false;
    return true;
}

static bool can_ask(const Parallel *p) {
    for (uint32_t k = 0; k < p->d.asks.n; k++)
        if (!is_of_counter(p, p->d.asks.at[k].a, 8)) return false;
    return true;
}

/* What ws_apart is told of an array. */
static Ref descriptor(Parallel *p, BlockId b, const Type *ty) {
    RegionArray a = {ty->ndim, ty->elem->size, ty->layout == 'A'};
    return integer(p, p->fn, b, region_pack_array(a));
}

static Ref ask_apart(Parallel *p, BlockId b, Ref x, Ref y) {
    Ref args[] = {descriptor(p, b, ir_at(p->fn, x)->ty), x, descriptor(p, b, ir_at(p->fn, y)->ty),
                  y};
    Ref r = ir_add(p->cx, p->fn, b, OP_CALL_RT, TY_OF(TY_BOOL), (Span){0}, 4, args);
    ir_at(p->fn, r)->rt = rt_find("ws_apart");
    return r;
}

/* Not negative at both ends, so nowhere. */
static Ref ask_plain(Parallel *p, BlockId b, Ref r) {
    Ref zero = integer(p, p->fn, b, 0), one = integer(p, p->fn, b, 1);
    Ref last = add(p, p->fn, b, OP_SUB, i64(), p->n, one);
    Ref x = add(p, p->fn, b, OP_GE, TY_OF(TY_BOOL), copy_for(p, b, r, zero), zero);
    Ref y = add(p, p->fn, b, OP_GE, TY_OF(TY_BOOL), copy_for(p, b, r, last), zero);
    return add(p, p->fn, b, OP_AND, TY_OF(TY_BOOL), x, y);
}

/* Not 0, and so small that no product with a counter wraps around. */
static Ref ask_step(Parallel *p, BlockId b, Ref r) {
    enum { FAR = 1 << 30 };
    Ref k = copy_for(p, b, r, integer(p, p->fn, b, 0));
    Ref x = add(p, p->fn, b, OP_NE, TY_OF(TY_BOOL), k, integer(p, p->fn, b, 0));
    Ref y = add(p, p->fn, b, OP_LT, TY_OF(TY_BOOL), k, integer(p, p->fn, b, FAR));
    Ref z = add(p, p->fn, b, OP_GT, TY_OF(TY_BOOL), k, integer(p, p->fn, b, -FAR));
    return add(p, p->fn, b, OP_AND, TY_OF(TY_BOOL), x,
               add(p, p->fn, b, OP_AND, TY_OF(TY_BOOL), y, z));
}

static Ref ask_all(Parallel *p, BlockId b) {
    Ref all = ir_const(p->cx, p->fn, b, ir_const_int(p->cx, TY_OF(TY_BOOL), 1), (Span){0});
    for (uint32_t k = 0; k < p->d.asks.n; k++) {
        RunTimeAsk q = p->d.asks.at[k];
        Ref yes = q.kind == ASK_APART   ? ask_apart(p, b, q.a, q.b)
                  : q.kind == ASK_PLAIN ? ask_plain(p, b, q.a)
                                        : ask_step(p, b, q.a);
        all = add(p, p->fn, b, OP_AND, TY_OF(TY_BOOL), all, yes);
    }
    return all;
}

/* --- the body --------------------------------------------------------------------------------- */

static Ref add_arg(Parallel *p, const char *name, Type *ty) {
    Ref r = ir_add(p->cx, p->body, 0, OP_ARG, ty, (Span){0}, 0, NULL);
    ir_at(p->body, r)->imm = p->args.n;
    vec_push(p->cx, &p->args, ((FnArg){name, ty}));
    return r;
}

/* A value from outside: an argument of the body, or a constant of its own. */
static void note_input(void *arg, Ref *use) {
    Parallel *p = arg;
    const Ins *i = ir_at(p->fn, *use);
    if (is_in(p, i->block) || map_get(&p->refs, *use, 0)) return;
    for (uint32_t k = p->loop->nblocks; k < p->blocks.n; k++)
        if (p->blocks.at[k] == i->block) return;
    if (i->op == OP_CONST || i->op == OP_UNSET || i->op == OP_GLOBAL) {
        vec_push(p->cx, &p->consts, *use);
        map_set(p->cx, &p->refs, *use, UINT32_MAX); /* until the arguments are all there */
        return;
    }
    Ref made = add_arg(p, cx_printf(p->cx, "v%u", *use), i->ty);
    vec_push(p->cx, &p->given, *use);
    map_set(p->cx, &p->refs, *use, made);
}

static void copy_consts(Parallel *p) {
    for (uint32_t k = 0; k < p->consts.n; k++) {
        Ins i = *ir_at(p->fn, p->consts.at[k]);
        Ref made = ir_add(p->cx, p->body, 0, (Op)i.op, i.ty, i.span, 0, NULL);
        i.block = 0;
        i.args = NULL;
        *ir_at(p->body, made) = i;
        map_set(p->cx, &p->refs, p->consts.at[k], made);
    }
}

static void new_body(Parallel *p) {
    const Fn *fn = p->fn;
    Fn *body = p->body = ir_new_fn(p->cx, fn->name, STAGE_LOW);
    body->qualname = fn->qualname;
    body->symbol =
        cx_printf(p->cx, "%s.region%u", fn->symbol ? fn->symbol : fn->name, fn->module->fns.n);
    body->file = fn->file;
    body->span = fn->span;
    body->options = fn->options;
    body->module = fn->module;
    body->ret = TY_OF(TY_NONE);
    body->is_region = true;
    for (uint32_t i = 0; i < fn->origins.n; i++) vec_push(p->cx, &body->origins, fn->origins.at[i]);
    ir_new_block(p->cx, body, "entry");
}

static const Reduction *reduction_of(const Parallel *p, Ref param) {
    for (uint32_t k = 0; k < p->d.reductions.n; k++)
        if (p->d.reductions.at[k].param == param) return &p->d.reductions.at[k];
    return NULL;
}

/* What changes nothing: sums of floats begin with -0.0, since 0.0 + -0.0 is 0.0. 0: there is none that does
 * not depend on the values; what comes in does, any number of times. */
static Ref neutral(Parallel *p, const Reduction *r, Type *ty) {
    int64_t k = r->family == PRODUCT;
    if (r->family != SUM && r->family != PRODUCT && r->family != BITS_XOR) return 0;
    Const *c = ty->kind == TY_FLOAT ? ir_const_float(p->cx, ty, k ? 1.0 : -0.0)
                                    : ir_const_int(p->cx, ty, k);
    return ir_const(p->cx, p->body, 0, c, (Span){0});
}

/* A counter in iteration `i`: start + step * i. */
static Ref count_to(Parallel *p, Fn *fn, BlockId b, Ref start, int64_t step, Ref i) {
    Ref way = add(p, fn, b, OP_MUL, i64(), i, integer(p, fn, b, step));
    return add(p, fn, b, OP_ADD, i64(), start, way);
}

/* What the header gets in a chunk that begins at `lo`. */
static Ref first_value(Parallel *p, Ref param, Ref start, Ref lo) {
    const Counter *c = affine_counter(p->af, param);
    if (param == p->d.counter) return lo;
    if (c && c->loop == p->loop) return count_to(p, p->body, 0, start, c->step, lo);
    Ref none = neutral(p, reduction_of(p, param), ir_at(p->fn, param)->ty);
    return none ? none : start;
}

/* Behind the last iteration of a chunk: sums go to memory. */
static BlockId make_end(Parallel *p, Ref partial) {
    BlockId b = ir_new_block(p->cx, p->body, "end");
    for (uint32_t k = 0; k < p->d.reductions.n; k++) {
        Ref param = p->d.reductions.at[k].param, v = (Ref)map_get(&p->refs, param, 0);
        Ref at = add(p, p->body, b, OP_OFFSET, TY_OF(TY_PTR), partial,
                     integer(p, p->body, b, p->stride));
        ir_add(p->cx, p->body, b, OP_STORE, TY_OF(TY_NONE), (Span){0}, 2, (Ref[]){at, v});
        p->stride += 8;
    }
    ir_return(p->body, b, 0, (Span){0});
    return b;
}

static void drop_outer_handlers(Parallel *p, const Map *ids) {
    for (uint32_t k = 0; k < p->blocks.n; k++) {
        const Block *old = &p->fn->blocks.at[p->blocks.at[k]];
        BlockId copy = (BlockId)map_get(ids, p->blocks.at[k], NO_BLOCK);
        if (opt_has_handler(old) && !is_in(p, old->handler.to))
            p->body->blocks.at[copy].handler = (Edge){.to = NO_BLOCK};
    }
}

static void make_body(Parallel *p) {
    new_body(p);
    Ref lo = add_arg(p, "lo", i64()), hi = add_arg(p, "hi", i64()),
        partial = add_arg(p, "partial", TY_OF(TY_PTR));
    Edge enter = p->fn->blocks.at[p->loop->preheader].term.succ[0];
    for (uint32_t k = 0; k < enter.n; k++) note_input(p, &enter.args[k]);
    for (uint32_t k = 0; k < p->blocks.n; k++) ir_visit_uses(p->fn, p->blocks.at[k], note_input, p);
    copy_consts(p);
    Refs args = {0};
    for (uint32_t k = 0; k < enter.n; k++) {
        Ref start = (Ref)map_get(&p->refs, enter.args[k], 0);
        vec_push(p->cx, &args, first_value(p, header(p)->params.at[k], start, lo));
    }
    Map ids = {0};
    ir_clone(p->cx, p->body, p->fn, p->blocks.at, p->blocks.n, &p->refs, &ids);
    drop_outer_handlers(p, &ids);
    BlockId head = (BlockId)map_get(&ids, p->loop->header, 0), end = make_end(p, partial);
    Term *t = &p->body->blocks.at[head].term;
    ir_at(p->body, t->arg)->args[1] = hi;
    t->succ[1] = ir_edge(p->cx, end, 0, NULL);
    ir_jump(p->cx, p->body, 0, head, args.n, args.at);
    p->body->args = p->args.at;
    p->body->nargs = p->args.n;
    vec_push(p->cx, &p->fn->module->fns, p->body);
}

/* --- in place of the loop --------------------------------------------------------------------- */

/* acc with one chunk's result: what an iteration does, with that in place of the iteration's value. */
static Ref combine(Parallel *p, BlockId b, const Reduction *r, Ref acc, Ref partial) {
    static const Op ops[] = {[SUM] = OP_ADD,    [PRODUCT] = OP_MUL,  [BITS_AND] = OP_AND,
                             [BITS_OR] = OP_OR, [BITS_XOR] = OP_XOR, [EXTREME] = OP_MATH};
    Ins step = *ir_at(p->fn, r->step);
    Ref v = add(p, p->fn, b, ops[r->family], ir_at(p->fn, r->param)->ty, acc, partial);
    ir_at(p->fn, v)->fast = step.fast;
    if (r->family == EXTREME) ir_at(p->fn, v)->sub = step.sub;
    return v;
}

/* Is a chunk's result taken, by the test that an iteration makes? */
static Ref test_again(Parallel *p, BlockId b, const Reduction *r, Ref acc, Ref partial) {
    Ins test = *ir_at(p->fn, r->test);
    Ref x = test.args[0] == r->so_far ? acc : partial,
        y = test.args[1] == r->so_far ? acc : partial;
    Ref yes = add(p, p->fn, b, (Op)test.op, TY_OF(TY_BOOL), x, y);
    ir_at(p->fn, yes)->fast = test.fast;
    return yes;
}

static Ref choose(Parallel *p, BlockId b, const Reduction *r, Ref test, Ref acc, Ref partial) {
    Ref args[] = {test, r->takes_if ? partial : acc, r->takes_if ? acc : partial};
    return ir_add(p->cx, p->fn, b, OP_SELECT, ir_at(p->fn, r->param)->ty, (Span){0}, 3, args);
}

/* In block b: what all reductions are, with the results of one more chunk. */
static void combine_all(Parallel *p, BlockId b, const Ref *acc, const Ref *partial, Refs *out) {
    Map tests = {0};
    for (uint32_t k = 0; k < p->d.reductions.n; k++) {
        const Reduction *r = &p->d.reductions.at[k];
        if (r->family == EXTREME && r->test)
            map_set(p->cx, &tests, r->test, test_again(p, b, r, acc[k], partial[k]));
    }
    for (uint32_t k = 0; k < p->d.reductions.n; k++) {
        const Reduction *r = &p->d.reductions.at[k];
        Ref test = r->test ? (Ref)map_get(&tests, r->test, 0) : 0;
        vec_push(p->cx, out,
                 test ? choose(p, b, r, test, acc[k], partial[k])
                      : combine(p, b, r, acc[k], partial[k]));
    }
}

/* Goes on from block b with the results of all chunks in `final`; returns where. */
static BlockId make_combination(Parallel *p, BlockId b, Ref chunks, Ref room, const Edge *enter,
                                Ref *final) {
    Cx *cx = p->cx;
    Fn *fn = p->fn;
    BlockId loop = ir_new_block(cx, fn, "chunks"), body = ir_new_block(cx, fn, "chunk"),
            exit = ir_new_block(cx, fn, "combined");
    Refs args = {0};
    vec_push(cx, &args, integer(p, fn, b, 0));
    Ref c = ir_add_param(cx, fn, loop, i64());
    for (uint32_t k = 0; k < p->d.reductions.n; k++) {
        const Ins *param = ir_at(fn, p->d.reductions.at[k].param);
        vec_push(cx, &args, enter->args[param->imm]);
        final[k] = ir_add_param(cx, fn, loop, param->ty);
    }
    ir_jump(cx, fn, b, loop, args.n, args.at);
    Ref more = add(p, fn, loop, OP_LT, TY_OF(TY_BOOL), c, chunks);
    ir_branch(cx, fn, loop, more, ir_edge(cx, body, 0, NULL), ir_edge(cx, exit, 0, NULL),
              (Span){0});
    args.n = 0;
    vec_push(cx, &args, add(p, fn, body, OP_ADD, i64(), c, integer(p, fn, body, 1)));
    Ref base = add(p, fn, body, OP_MUL, i64(), c, integer(p, fn, body, p->stride));
    Ref *partial = NEWN(cx, Ref, p->d.reductions.n);
    for (uint32_t k = 0; k < p->d.reductions.n; k++) {
        const Reduction *r = &p->d.reductions.at[k];
        Ref off = add(p, fn, body, OP_ADD, i64(), base, integer(p, fn, body, 8 * (int64_t)k));
        Ref at = add(p, fn, body, OP_OFFSET, TY_OF(TY_PTR), room, off);
        partial[k] = add(p, fn, body, OP_LOAD, ir_at(fn, r->param)->ty, at, 0);
    }
    combine_all(p, body, final, partial, &args);
    ir_jump(cx, fn, body, loop, args.n, args.at);
    return exit;
}

/* Room for the partial results, or a null pointer. */
static Ref make_room(Parallel *p, BlockId b) {
    if (!p->stride)
        return ir_const(p->cx, p->fn, b, ir_const_int(p->cx, TY_OF(TY_PTR), 0), (Span){0});
    Ref room = ir_add(p->cx, p->fn, b, OP_STACK, TY_OF(TY_PTR), (Span){0}, 0, NULL);
    ir_at(p->fn, room)->imm = (int64_t)p->stride * REGION_CHUNKS;
    return room;
}

static Ref make_region(Parallel *p, BlockId b, Ref room) {
    Refs args = {0};
    Ref each = weigh(p, b, p->loop), n = add(p, p->fn, b, OP_CAST, TY_F(64), p->n, 0);
    Ref apart = ask_all(p, b), cost = add(p, p->fn, b, OP_MUL, TY_F(64), each, n);
    Ref head[REGION_VALUES] = {
        [REGION_N] = p->n,
        [REGION_APART] = apart,
        [REGION_COST] = cost,
        [REGION_PARTIALS] = room,
    };
    for (uint32_t k = 0; k < REGION_VALUES; k++) vec_push(p->cx, &args, head[k]);
    for (uint32_t k = 0; k < p->given.n; k++) vec_push(p->cx, &args, p->given.at[k]);
    Span span = header(p)->term.span;
    Ref r = ir_add(p->cx, p->fn, b, OP_REGION, i64(), span, args.n, args.at);
    ir_at(p->fn, r)->callee = p->body;
    ir_at(p->fn, r)->imm = p->stride;
    return r;
}

/* Counters end where n iterations lead. */
static Ref final_of(Parallel *p, BlockId b, Ref param, const Edge *enter, const Ref *final) {
    for (uint32_t k = 0; k < p->d.reductions.n; k++)
        if (p->d.reductions.at[k].param == param) return final[k];
    const Counter *c = affine_counter(p->af, param);
    Ref start = enter->args[ir_at(p->fn, param)->imm];
    return count_to(p, p->fn, b, start, c->step, at_least_0(p, b, p->n));
}

static void replace_loop(Parallel *p, const Edge *handler) {
    Cx *cx = p->cx;
    Fn *fn = p->fn;
    BlockId pre = p->loop->preheader, b = ir_new_block(cx, fn, "region");
    Edge enter = fn->blocks.at[pre].term.succ[0];
    if (handler) fn->blocks.at[b].handler = ir_edge(cx, handler->to, handler->n, handler->args);
    Ref *final = NEWN(cx, Ref, p->d.reductions.n + 1), room = make_room(p, b);
    Ref chunks = make_region(p, b, room);
    BlockId end = p->stride ? make_combination(p, b, chunks, room, &enter, final) : b;
    Refs params = {0}, values = {0};
    for (uint32_t k = 0; k < header(p)->params.n; k++) {
        vec_push(cx, &params, header(p)->params.at[k]);
        vec_push(cx, &values, final_of(p, end, params.at[k], &enter, final));
    }
    ir_jump(cx, fn, pre, b, 0, NULL);
    ir_jump(cx, fn, end, p->out.to, p->out.n, p->out.args);
    for (uint32_t k = 0; k < p->loop->nblocks; k++) ir_kill_block(fn, p->loop->blocks[k]);
    for (uint32_t k = 0; k < params.n; k++) ir_replace_uses(fn, params.at[k], values.at[k]);
    opt_drop_unreachable(cx, fn);
}

/* --- which loops ------------------------------------------------------------------------------ */

static void refuse(Parallel *p) {
    Place place = ir_place_of_loop(p->cx, p->fn, p->loop);
    Span span = p->d.at.line ? p->d.at : place.span;
    if (p->d.at.line) diag_note(p->cx, place.span, "the loop");
    diag_fail(p->cx, span, p->d.answer == DEPEND_DATA ? D_PRANGE_DATA : D_PRANGE, p->d.why);
}

static void tell(Parallel *p, const char *why) {
    if (!remark_wanted(p->cx)) return;
    Place place = ir_place_of_loop(p->cx, p->fn, p->loop);
    if (!place.span.line || place.via) return;
    if (why)
        remark_add(p->cx, REMARK_NO_THREADS, place.span, why);
    else
        remark_add(p->cx, REMARK_THREADS, place.span, p->d.apart, p->d.sums);
}

/* A loop of lowering's that is known to be small: it would run on one thread anyway. */
static bool is_small(const Parallel *p) {
    uint32_t trips = ir_const_trips(p->fn, p->af->cfg, p->af->loops, p->loop);
    return trips && !p->loop->child && trips * weigh_own_blocks(p, p->loop) < REGION_ALONE;
}

/* True: the loop is gone. */
static bool try_loop(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    Parallel p = {.cx = cx, .fn = fn, .af = af, .loop = loop};
    bool asked = header(&p)->parallel == PARALLEL_ASKED;
    const Edge *handler = NULL;
    if (!asked && is_small(&p)) return false;
    p.d = depend_look(cx, fn, af, loop);
    if (asked && (p.d.answer == DEPEND_BOUND || p.d.answer == DEPEND_DATA)) refuse(&p);
    bool good = p.d.answer == DEPEND_FREE;
    if (good && !(has_plain_header(&p) && find_blocks(&p) && has_plain_results(&p) &&
                  has_plain_handler(&p, &handler) && can_move(&p) && can_ask(&p))) {
        good = false;
        p.d.why = "it ends, or begins, in a way that cannot be cut into parts";
    }
    if (good || asked) tell(&p, good ? NULL : p.d.why);
    if (!good) return false;
    Edge kept = handler ? *handler : (Edge){.to = NO_BLOCK};
    make_body(&p);
    replace_loop(&p, handler ? &kept : NULL);
    return true;
}

/* The first loop with a mark, outermost first, that is done; marks of others are taken away. */
static bool do_one(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    for (; loop; loop = loop->next) {
        uint8_t *mark = &fn->blocks.at[loop->header].parallel;
        if (*mark && try_loop(cx, fn, af, loop)) return true;
        fn->blocks.at[loop->header].parallel = PARALLEL_NO;
        if (do_one(cx, fn, af, loop->child)) return true;
    }
    return false;
}

static bool has_marks(const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead && fn->blocks.at[b].parallel) return true;
    return false;
}

bool opt_parallel(Cx *cx, Fn *fn) {
    bool any = false;
    while (has_marks(fn) && !fn->is_kernel) {
        Affine *af = affine_new_loops(cx, fn, LIN_EXACT);
        if (!af || !do_one(cx, fn, af, af->loops->roots)) break;
        any = true;
    }
    return any;
}
