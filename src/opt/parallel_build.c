/* A region in the place of a loop (see parallel.c for the picture). */
#include "opt/parallel.h"

#include "core/region.h"
#include "ir/math.h"
#include "ir/rt.h"

static Type *i64(void) { return TY_I(64); }

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

/* --- what it costs: simple instructions an iteration, as a float64 in block b ------------------ */

double parallel_weigh(const Parallel *p, const Loop *loop) {
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
    if (!test || test->op != OP_LT || parallel_is_in(p, ir_at(p->fn, test->args[1])->block) ||
        ir_at(p->fn, test->args[1])->ty != i64())
        return real(p, b, USUAL);
    Ref n = at_least_0(p, b, test->args[1]);
    return add(p, p->fn, b, OP_CAST, TY_F(64), n, 0);
}

static Ref weigh(Parallel *p, BlockId b, const Loop *loop) {
    Ref sum = real(p, b, parallel_weigh(p, loop));
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
    if (!parallel_is_in(p, ir_at(p->fn, r)->block)) return r;
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
    if (r == p->d.counter || !parallel_is_in(p, i->block)) return true;
    if (!depth || i->op == OP_PARAM || !opt_is_pure(p->fn, r) || i->op == OP_FLOORDIV ||
        i->op == OP_FLOORMOD)
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_of_counter(p, i->args[k], depth - 1)) return false;
    return true;
}

bool parallel_can_ask(const Parallel *p) {
    for (uint32_t k = 0; k < p->d.places.n; k++)
        if (!is_of_counter(p, p->d.places.at[k].elems.at[0], 8)) return false;
    for (uint32_t k = 0; k < p->d.asks.n; k++)
        if (!is_of_counter(p, p->d.asks.at[k].a, 8)) return false;
    return true;
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
        Ref yes = q.kind == ASK_APART   ? depend_ask_apart(p->cx, p->fn, b, q.a, q.b)
                  : q.kind == ASK_PLAIN ? ask_plain(p, b, q.a)
                                        : ask_step(p, b, q.a);
        all = add(p, p->fn, b, OP_AND, TY_OF(TY_BOOL), all, yes);
    }
    return all;
}

/* --- the body --------------------------------------------------------------------------------- */

static const Reduction *reduction_of(const Parallel *p, Ref param) {
    for (uint32_t k = 0; k < p->d.reductions.n; k++)
        if (p->d.reductions.at[k].param == param) return &p->d.reductions.at[k];
    return NULL;
}

/* What changes nothing: sums of floats begin with -0.0, since 0.0 + -0.0 is 0.0. 0: there is none that does
 * not depend on the values; what comes in does, any number of times. */
static Const *neutral_of(Parallel *p, Family family, Type *ty) {
    int64_t k = family == PRODUCT ? 1 : family == BITS_AND ? -1 : 0;
    if (ty->kind == TY_BOOL) k &= 1;
    return ty->kind == TY_FLOAT ? ir_const_float(p->cx, ty, k ? 1.0 : -0.0)
                                : ir_const_int(p->cx, ty, k);
}

static Ref neutral(Parallel *p, Fn *body, const Reduction *r, Type *ty) {
    if (r->family != SUM && r->family != PRODUCT && r->family != BITS_XOR) return 0;
    return ir_const(p->cx, body, 0, neutral_of(p, r->family, ty), (Span){0});
}

/* A counter in iteration `i`: start + step * i. */
static Ref count_to(Parallel *p, Fn *fn, BlockId b, Ref start, int64_t step, Ref i) {
    Ref way = add(p, fn, b, OP_MUL, i64(), i, integer(p, fn, b, step));
    return add(p, fn, b, OP_ADD, i64(), start, way);
}

/* What the header gets in a chunk that begins at `lo`. */
static Ref first_value(Parallel *p, Fn *body, Ref param, Ref start, Ref lo) {
    const Counter *c = affine_counter(p->af, param);
    if (param == p->d.counter) return lo;
    if (c && c->loop == p->loop) return count_to(p, body, 0, start, c->step, lo);
    Ref none = neutral(p, body, reduction_of(p, param), ir_at(p->fn, param)->ty);
    return none ? none : start;
}

/* Behind the last iteration of a chunk: sums go to memory. */
static BlockId make_end(Parallel *p, const Cut *c, Ref partial) {
    Fn *body = c->to;
    BlockId b = ir_new_block(p->cx, body, "end");
    for (uint32_t k = 0; k < p->d.reductions.n; k++) {
        Ref param = p->d.reductions.at[k].param, v = (Ref)map_get(&c->refs, param, 0);
        Ref at = add(p, body, b, OP_OFFSET, TY_OF(TY_PTR), partial, integer(p, body, b, p->stride));
        ir_add(p->cx, body, b, OP_STORE, TY_OF(TY_NONE), (Span){0}, 2, (Ref[]){at, v});
        p->stride += 8;
    }
    ir_return(body, b, 0, (Span){0});
    return b;
}

static Type *place_type(const Parallel *p, uint32_t k) {
    return ir_at(p->fn, p->d.places.at[k].step)->ty;
}

/* Each chunk adds to a place of its own, instead of the array's; but where arrays overlap, when there is one chunk. */
static void move_places(Parallel *p, Cut *c, Ref partial, Ref apart, const Refs *reals) {
    for (uint32_t k = 0; k < p->d.places.n; k++, p->stride += 8) {
        const PlaceSum *place = &p->d.places.at[k];
        Const *none = neutral_of(p, place->family, place_type(p, k));
        Ref own =
            add(p, c->to, 0, OP_OFFSET, TY_OF(TY_PTR), partial, integer(p, c->to, 0, p->stride));
        Ref first = ir_const(p->cx, c->to, 0, none, (Span){0});
        ir_add(p->cx, c->to, 0, OP_STORE, TY_OF(TY_NONE), (Span){0}, 2, (Ref[]){own, first});
        Ref args[] = {apart, own, reals->at[k]};
        Ref at = ir_add(p->cx, c->to, 0, OP_SELECT, TY_OF(TY_PTR), (Span){0}, 3, args);
        for (uint32_t e = 0; e < place->elems.n; e++)
            ir_replace_uses(c->to, (Ref)map_get(&c->refs, place->elems.at[e], 0), at);
    }
    if (p->d.places.n) p->stride = (p->stride + 63) & ~63u; /* threads share no cache line */
}

/* The body: iterations from lo up to hi. */
static Fn *make_body(Parallel *p, const Edge *enter, Refs *given) {
    Cut c = cut_begin(p->cx, &p->piece, "region", TY_OF(TY_NONE));
    c.to->is_region = true;
    Ref lo = cut_add_arg(&c, "lo", i64()), hi = cut_add_arg(&c, "hi", i64()),
        partial = cut_add_arg(&c, "partial", TY_OF(TY_PTR));
    Ref apart = p->places.n ? cut_add_arg(&c, "apart", TY_OF(TY_BOOL)) : 0;
    Refs reals = {0}, args = {0};
    for (uint32_t k = 0; k < p->places.n; k++)
        vec_push(p->cx, &reals, cut_add_arg(&c, "place", TY_OF(TY_PTR)));
    cut_add_inputs(&c, enter);
    for (uint32_t k = 0; k < enter->n; k++) {
        Ref start = cut_input(&c, enter->args[k]);
        vec_push(p->cx, &args, first_value(p, c.to, parallel_header(p)->params.at[k], start, lo));
    }
    BlockId head = cut_finish(&c), end = make_end(p, &c, partial);
    move_places(p, &c, partial, apart, &reals);
    Term *t = &c.to->blocks.at[head].term;
    ir_at(c.to, t->arg)->args[1] = hi;
    t->succ[1] = ir_edge(p->cx, end, 0, NULL);
    ir_jump(p->cx, c.to, 0, head, args.n, args.at);
    *given = c.given;
    return c.to;
}

/* --- in place of the loop --------------------------------------------------------------------- */

/* acc with one chunk's result: what an iteration does, with that in place of the iteration's value. */
static Ref combine(Parallel *p, BlockId b, Family family, Ref by, Ref acc, Ref partial) {
    static const Op ops[] = {[SUM] = OP_ADD,    [PRODUCT] = OP_MUL,  [BITS_AND] = OP_AND,
                             [BITS_OR] = OP_OR, [BITS_XOR] = OP_XOR, [EXTREME] = OP_MATH};
    Ins step = *ir_at(p->fn, by);
    Ref v = add(p, p->fn, b, ops[family], ir_at(p->fn, acc)->ty, acc, partial);
    ir_at(p->fn, v)->fast = step.fast;
    if (family == EXTREME) ir_at(p->fn, v)->sub = step.sub;
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
                      : combine(p, b, r->family, r->step, acc[k], partial[k]));
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
    uint32_t nparams = p->d.reductions.n;
    for (uint32_t k = 0; k < p->d.places.n; k++) {
        Type *ty = place_type(p, k);
        Const *none = neutral_of(p, p->d.places.at[k].family, ty);
        vec_push(cx, &args, ir_const(cx, fn, b, none, (Span){0}));
        final[nparams + k] = ir_add_param(cx, fn, loop, ty);
    }
    ir_jump(cx, fn, b, loop, args.n, args.at);
    Ref more = add(p, fn, loop, OP_LT, TY_OF(TY_BOOL), c, chunks);
    ir_branch(cx, fn, loop, more, ir_edge(cx, body, 0, NULL), ir_edge(cx, exit, 0, NULL),
              (Span){0});
    args.n = 0;
    vec_push(cx, &args, add(p, fn, body, OP_ADD, i64(), c, integer(p, fn, body, 1)));
    Ref base = add(p, fn, body, OP_MUL, i64(), c, integer(p, fn, body, p->stride));
    uint32_t n = nparams + p->d.places.n;
    Ref *partial = NEWN(cx, Ref, n);
    for (uint32_t k = 0; k < n; k++) {
        Ref off = add(p, fn, body, OP_ADD, i64(), base, integer(p, fn, body, 8 * (int64_t)k));
        Ref at = add(p, fn, body, OP_OFFSET, TY_OF(TY_PTR), room, off);
        partial[k] = add(p, fn, body, OP_LOAD, ir_at(fn, final[k])->ty, at, 0);
    }
    combine_all(p, body, final, partial, &args);
    for (uint32_t k = 0; k < p->d.places.n; k++) {
        const PlaceSum *s = &p->d.places.at[k];
        Ref acc = final[nparams + k], more_of_it = partial[nparams + k];
        vec_push(cx, &args, combine(p, body, s->family, s->step, acc, more_of_it));
    }
    ir_jump(cx, fn, body, loop, args.n, args.at);
    return exit;
}

static Ref bits_of(Parallel *p, BlockId b, Ref v) {
    const Type *ty = ir_at(p->fn, v)->ty;
    return ty->kind == TY_FLOAT ? add(p, p->fn, b, OP_BITCAST, TY_I(ty->bits), v, 0) : v;
}

/* The sums of all chunks are added to the array's elements, unless nothing was added: then nobody has checked the
 * subscript. Goes on from block b; returns where. */
static BlockId store_places(Parallel *p, BlockId b, const Ref *sums) {
    for (uint32_t k = 0; k < p->d.places.n; k++) {
        const PlaceSum *s = &p->d.places.at[k];
        BlockId store = ir_new_block(p->cx, p->fn, "place"),
                next = ir_new_block(p->cx, p->fn, "behind");
        Const *none = neutral_of(p, s->family, place_type(p, k));
        Ref first = bits_of(p, b, ir_const(p->cx, p->fn, b, none, (Span){0}));
        Ref any = add(p, p->fn, b, OP_NE, TY_OF(TY_BOOL), bits_of(p, b, sums[k]), first);
        ir_branch(p->cx, p->fn, b, any, ir_edge(p->cx, store, 0, NULL),
                  ir_edge(p->cx, next, 0, NULL), (Span){0});
        Ref zero = integer(p, p->fn, store, 0);
        Ref at = copy_for(p, store, s->elems.at[0], zero);
        Ref old = add(p, p->fn, store, OP_LOAD, place_type(p, k), at, 0);
        Ref now = combine(p, store, s->family, s->step, old, sums[k]);
        ir_add(p->cx, p->fn, store, OP_STORE, TY_OF(TY_NONE), (Span){0}, 2, (Ref[]){at, now});
        ir_jump(p->cx, p->fn, store, next, 0, NULL);
        b = next;
    }
    return b;
}

/* Room for the partial results, or a null pointer. */
static Ref make_room(Parallel *p, BlockId b) {
    if (!p->stride)
        return ir_const(p->cx, p->fn, b, ir_const_int(p->cx, TY_OF(TY_PTR), 0), (Span){0});
    Ref room = ir_add(p->cx, p->fn, b, OP_STACK, TY_OF(TY_PTR), (Span){0}, 0, NULL);
    ir_at(p->fn, room)->imm = (int64_t)p->stride * REGION_CHUNKS;
    return room;
}

static Ref make_region(Parallel *p, BlockId b, Ref room, Fn *body, const Refs *given) {
    Refs args = {0};
    Ref each = weigh(p, b, p->loop), n = add(p, p->fn, b, OP_CAST, TY_F(64), p->n, 0);
    Ref cost = add(p, p->fn, b, OP_MUL, TY_F(64), each, n);
    Ref head[REGION_VALUES] = {
        [REGION_N] = p->n,
        [REGION_APART] = p->apart,
        [REGION_COST] = cost,
        [REGION_PARTIALS] = room,
    };
    for (uint32_t k = 0; k < REGION_VALUES; k++) vec_push(p->cx, &args, head[k]);
    if (p->places.n) vec_push(p->cx, &args, p->apart);
    for (uint32_t k = 0; k < p->places.n; k++) vec_push(p->cx, &args, p->places.at[k]);
    for (uint32_t k = 0; k < given->n; k++) vec_push(p->cx, &args, given->at[k]);
    Span span = parallel_header(p)->term.span;
    Ref r = ir_add(p->cx, p->fn, b, OP_REGION, i64(), span, args.n, args.at);
    ir_at(p->fn, r)->callee = body;
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

void parallel_replace(Parallel *p, const Edge *handler) {
    Cx *cx = p->cx;
    Fn *fn = p->fn;
    BlockId pre = p->loop->preheader;
    Edge enter = fn->blocks.at[pre].term.succ[0];
    Edge raised =
        handler ? ir_edge(cx, handler->to, handler->n, handler->args) : (Edge){.to = NO_BLOCK};
    Refs given;
    BlockId b = ir_new_block(cx, fn, "region");
    p->apart = ask_all(p, b);
    for (uint32_t k = 0; k < p->d.places.n; k++) {
        Ref zero = integer(p, fn, b, 0);
        vec_push(cx, &p->places, copy_for(p, b, p->d.places.at[k].elems.at[0], zero));
    }
    Fn *body = make_body(p, &enter, &given);
    fn->blocks.at[b].handler = raised;
    Ref *final = NEWN(cx, Ref, p->d.reductions.n + p->d.places.n + 1), room = make_room(p, b);
    Ref chunks = make_region(p, b, room, body, &given);
    BlockId end = p->stride ? make_combination(p, b, chunks, room, &enter, final) : b;
    end = store_places(p, end, final + p->d.reductions.n);
    Refs params = {0}, values = {0};
    for (uint32_t k = 0; k < parallel_header(p)->params.n; k++) {
        vec_push(cx, &params, parallel_header(p)->params.at[k]);
        vec_push(cx, &values, final_of(p, end, params.at[k], &enter, final));
    }
    ir_jump(cx, fn, pre, b, 0, NULL);
    ir_jump(cx, fn, end, p->out.to, p->out.n, p->out.args);
    for (uint32_t k = 0; k < p->loop->nblocks; k++) ir_kill_block(fn, p->loop->blocks[k]);
    for (uint32_t k = 0; k < params.n; k++) ir_replace_uses(fn, params.at[k], values.at[k]);
    opt_drop_unreachable(cx, fn);
}
