/* Counters of loops and their bounds. */
#include "opt/affine_int.h"

#include "ir/math.h"

Counter *affine_counter(const Affine *af, Ref param) {
    return (Counter *)(uintptr_t)map_get(&af->counters, param, 0);
}

/* cond as `small < large`, or false. */
static bool match_less(const Affine *af, Ref cond, Ref *small, Ref *large) {
    const Ins *i = ir_at(af->fn, cond);
    if (i->op != OP_LT && i->op != OP_GT) return false;
    *small = i->args[i->op == OP_GT];
    *large = i->args[i->op == OP_LT];
    return true;
}

/* n = (distance // step) + 1 in unsigned arithmetic: the length of a range. */
static bool match_stepped(const Affine *af, Ref n, Ref *distance, Ref *step) {
    const Fn *fn = af->fn;
    const Ins *i = ir_at(fn, n);
    int64_t one;
    if (i->op != OP_ADD || !opt_int_const(fn, i->args[1], &one) || one != 1) return false;
    i = ir_at(fn, i->args[0]);
    if (i->op != OP_CAST || ir_at(fn, i->args[0])->op != OP_FLOORDIV) return false;
    i = ir_at(fn, i->args[0]);
    const Ins *w = ir_at(fn, i->args[0]), *s = ir_at(fn, i->args[1]);
    if (w->op != OP_CAST || i->ty->is_signed || i->ty->bits != 64) return false;
    *distance = w->args[0];
    *step = s->op == OP_CAST ? s->args[0] : i->args[1];
    return ir_at(fn, *distance)->ty == TY_I(64);
}

/* n = select(start < stop, what, 0), seen from a body that runs, so start < stop and whole numbers
 * tell the length: what is stop - start, or with a step as above. */
static bool add_range_length(Affine *af, Counter *c, const Ins *n) {
    Ref start, stop, distance = n->args[1], step = 0;
    int64_t k = 1;
    if (!match_less(af, n->args[0], &start, &stop)) return false;
    bool stepped = match_stepped(af, n->args[1], &distance, &step);
    Lin span = lin_add(affine_lin(af, stop, LIN_MODULO), affine_lin(af, start, LIN_MODULO), -1);
    Lin what = lin_add(affine_lin(af, distance, LIN_MODULO), lin_const(stepped), 1);
    if (!lin_equal(span, what)) return false;
    if (stepped && !opt_int_const(af->fn, step, &k)) {
        if (affine_range(af, step).lo <= 0) return false;
        k = 0;
    }
    if (k < 0 || (k != 1 && (c->lo[0].c != 0 || c->nhi > 0))) return false;
    Lin hi = lin_add(affine_lin(af, stop, af->mode), affine_lin(af, start, af->mode), -1);
    hi = lin_add(hi, lin_const(1), -1);
    if (!hi.ok || c->nhi == BOUNDS) return false;
    c->hi[c->nhi++] = hi;
    c->scale = k;
    c->scaled_by = k ? 0 : step;
    return true;
}

/* The bound `counter < n` (or <=), as the loop's body may rely on it. */
static void add_upper(Affine *af, Counter *c, Ref n, bool inclusive) {
    const Ins *i = ir_at(af->fn, n);
    int64_t k;
    /* A counter that is never negative and below n: n > 0. */
    bool positive = c->nlo == 1 && c->lo[0].n == 0 && c->lo[0].c >= 0 && !inclusive;
    if (positive && i->op == OP_MATH && i->sub == MATH_MAX &&
        opt_int_const(af->fn, i->args[1], &k) && k <= 0) {
        add_upper(af, c, i->args[0], false);
        return;
    }
    if (positive && i->op == OP_SELECT && opt_int_const(af->fn, i->args[2], &k) && k <= 0) {
        if (!add_range_length(af, c, i)) add_upper(af, c, i->args[1], false);
        return;
    }
    if (i->op == OP_MATH && i->sub == MATH_MIN) {
        add_upper(af, c, i->args[0], inclusive);
        if (c->scale == 1) add_upper(af, c, i->args[1], inclusive);
        return;
    }
    Lin hi = lin_add(affine_lin(af, n, af->mode), lin_const(!inclusive), -1);
    if (hi.ok && c->nhi < BOUNDS) c->hi[c->nhi++] = hi;
}

/* Is n a maximum or a select with something that is not positive? */
static bool is_clamped(const Affine *af, Ref n) {
    const Ins *i = ir_at(af->fn, n);
    int64_t k;
    uint32_t last = i->op == OP_SELECT ? 2 : 1;
    bool clamp = i->op == OP_SELECT || (i->op == OP_MATH && i->sub == MATH_MAX);
    return clamp && opt_int_const(af->fn, i->args[last], &k) && k <= 0;
}

static void add_lower(Affine *af, Counter *c, Ref n, bool inclusive) {
    Lin lo = lin_add(affine_lin(af, n, af->mode), lin_const(!inclusive), 1);
    if (lo.ok && c->nlo < BOUNDS) c->lo[c->nlo++] = lo;
}

/* The test in the loop's header that every iteration passes: `a op b` holds in *body. */
typedef struct Test {
    BlockId body; /* NO_BLOCK: there is no such test */
    Op op;
    Ref a, b;
} Test;

static Test find_test(const Affine *af, const Loop *loop) {
    const Term *t = &af->fn->blocks.at[loop->header].term;
    Test test = {.body = NO_BLOCK};
    if (loop->latch == NO_BLOCK || t->kind != TERM_BRANCH) return test;
    bool yes = affine_is_in(af, loop, t->succ[0].to), no = affine_is_in(af, loop, t->succ[1].to);
    const Ins *cond = ir_at(af->fn, t->arg);
    BlockId body = t->succ[!yes].to;
    if (yes == no || cond->nargs != 2 || af->in.start[body + 1] - af->in.start[body] != 1)
        return test;
    if (cond->op != OP_LT && cond->op != OP_LE && cond->op != OP_GT && cond->op != OP_GE)
        return test;
    return (Test){body, yes ? (Op)cond->op : opt_negate((Op)cond->op), cond->args[0],
                  cond->args[1]};
}

/* What comes into the header's parameter k from outside and from the latch; false: it is not that
 * simple. */
static bool find_step(const Affine *af, const Loop *loop, uint32_t k, Ref *init, int64_t *step) {
    Fn *fn = af->fn;
    Ref p = fn->blocks.at[loop->header].params.at[k], next = 0;
    *init = 0;
    for (uint32_t e = af->in.start[loop->header]; e < af->in.start[loop->header + 1]; e++) {
        In in = af->in.at[e];
        if (opt_edge(fn, in)->to != loop->header) return false; /* led elsewhere since */
        Ref a = opt_edge_arg(fn, in, k);
        if (in.from == loop->latch)
            next = a;
        else if (*init && *init != a)
            return false;
        else
            *init = a;
    }
    if (!*init || !next || ir_at(fn, next)->op != OP_ADD || ir_at(fn, next)->args[0] != p)
        return false;
    return opt_int_const(fn, ir_at(fn, next)->args[1], step) && *step != 0;
}

static void add_counter(Affine *af, Loop *loop, uint32_t k, Test test) {
    Ref p = af->fn->blocks.at[loop->header].params.at[k], init;
    int64_t step;
    if (!find_step(af, loop, k, &init, &step) || (test.a != p && test.b != p)) return;
    Op op = test.a == p ? test.op : opt_mirror(test.op);
    Ref bound = test.a == p ? test.b : test.a;
    bool up = op == OP_LT || op == OP_LE, inclusive = op == OP_LE || op == OP_GE;
    if (up != (step > 0)) return;
    Counter *c = NEW(af->cx, Counter);
    *c = (Counter){.param = p, .loop = loop, .body = test.body, .step = step, .scale = 1};
    map_set(af->cx, &af->counters, p, map_key(c));
    Range far = affine_range(af, bound);
    /* A step past the bound must not run over the ends of int64, or the counter would come round
     * again. */
    Wide room = up ? (Wide)INT64_MAX - far.hi : (Wide)far.lo - INT64_MIN;
    Wide jump = (up ? (Wide)step : -(Wide)step) - !inclusive;
    c->limit = affine_lin(af, bound, af->mode);
    c->stop_assumed = jump > room;
    if (!c->stop_assumed) c->end = (int64_t)(up ? far.hi + jump : far.lo - jump);
    c->stops =
        !c->stop_assumed || (af->mode == LIN_ASSUME && affine_is_in(af, af->nest, loop->header) &&
                             affine_can_be_small(af, &c->limit) && jump < (1 << 30));
    if (up) {
        if (c->stops) add_lower(af, c, init, true);
        add_upper(af, c, bound, inclusive);
        c->is_bound_simpler = c->nhi == 1 && c->scale == 1 && is_clamped(af, bound);
    } else {
        add_lower(af, c, bound, inclusive);
        if (c->stops) add_upper(af, c, init, true);
    }
}

void affine_find_counters(Affine *af, Loop *loop) {
    Test test = find_test(af, loop);
    const Refs *params = &af->fn->blocks.at[loop->header].params;
    for (uint32_t k = 0; test.body != NO_BLOCK && k < params->n; k++)
        if (ir_at(af->fn, params->at[k])->ty == TY_I(64)) add_counter(af, loop, k, test);
    for (Loop *inner = loop->child; inner; inner = inner->next) affine_find_counters(af, inner);
}
