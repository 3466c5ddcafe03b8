/* Sums, ranges of values, counters of loops, proofs. See affine.h. */
#include "opt/affine.h"

#include "core/memory.h"
#include "ir/math.h"

/* --- sums ------------------------------------------------------------------------------------- */

static const Lin no_lin = {.ok = false};

Lin lin_const(int64_t c) { return (Lin){.ok = true, .c = c}; }
Lin lin_symbol(Ref r) { return (Lin){.ok = true, .n = 1, .t = {{r, 0, 1}}}; }

static bool add_term(Lin *l, Ref a, Ref b, int64_t k) {
    for (uint32_t i = 0; i < l->n; i++) {
        Term2 *t = &l->t[i];
        if (t->a != a || t->b != b) continue;
        if (__builtin_add_overflow(t->k, k, &t->k)) return false;
        if (t->k == 0) *t = l->t[--l->n];
        return true;
    }
    if (k == 0) return true;
    if (l->n == LIN_TERMS) return false;
    l->t[l->n++] = (Term2){a, b, k};
    return true;
}

Lin lin_add(Lin a, Lin b, int64_t times) {
    int64_t k;
    if (!a.ok || !b.ok || __builtin_mul_overflow(b.c, times, &k) ||
        __builtin_add_overflow(a.c, k, &a.c))
        return no_lin;
    a.assumed |= b.assumed;
    for (uint32_t i = 0; i < b.n; i++)
        if (__builtin_mul_overflow(b.t[i].k, times, &k) || !add_term(&a, b.t[i].a, b.t[i].b, k))
            return no_lin;
    return a;
}

static bool add_product(Lin *out, Term2 x, Term2 y) {
    int64_t k;
    if (x.b || y.b || __builtin_mul_overflow(x.k, y.k, &k)) return false;
    return add_term(out, x.a < y.a ? x.a : y.a, x.a < y.a ? y.a : x.a, k);
}

Lin lin_mul(Lin a, Lin b) {
    if (!a.ok || !b.ok) return no_lin;
    Lin out = lin_add(lin_const(0), b, a.c);
    out.assumed |= a.assumed;
    Lin rest = b.c ? lin_add(lin_const(0), a, b.c) : lin_const(0);
    if (!out.ok || !rest.ok) return no_lin;
    if (b.c) { /* a.c * b.c is in `out` already */
        int64_t twice;
        if (__builtin_mul_overflow(a.c, b.c, &twice)) return no_lin;
        rest = lin_add(rest, lin_const(twice), -1);
    }
    out = lin_add(out, rest, 1);
    for (uint32_t i = 0; out.ok && i < a.n; i++)
        for (uint32_t j = 0; j < b.n; j++)
            if (!add_product(&out, a.t[i], b.t[j])) return no_lin;
    return out;
}

/* --- ranges ----------------------------------------------------------------------------------- */

static void find_counters(Affine *af, Loop *loop);

static const Range full = {INT64_MIN, INT64_MAX};

typedef __int128 Wide;

static Range fit(Wide lo, Wide hi) {
    return lo < INT64_MIN || hi > INT64_MAX ? full : (Range){(int64_t)lo, (int64_t)hi};
}

static Range unite(Range a, Range b) {
    return (Range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static Range range_mul(Range a, Range b) {
    Wide p[4] = {(Wide)a.lo * b.lo, (Wide)a.lo * b.hi, (Wide)a.hi * b.lo, (Wide)a.hi * b.hi},
         lo = p[0], hi = p[0];
    for (int i = 1; i < 4; i++) {
        if (p[i] < lo) lo = p[i];
        if (p[i] > hi) hi = p[i];
    }
    return fit(lo, hi);
}

static Range range_of_type(const Type *t) {
    if (t->kind == TY_BOOL) return (Range){0, 1};
    if (t->kind != TY_INT || t->bits == 64) return full;
    if (!t->is_signed) return (Range){0, (int64_t)(UINT64_MAX >> (64 - t->bits))};
    return (Range){-((int64_t)1 << (t->bits - 1)), ((int64_t)1 << (t->bits - 1)) - 1};
}

static Range math_range(Affine *af, const Ins *i) {
    if (i->sub != MATH_MIN && i->sub != MATH_MAX && i->sub != MATH_ABS) return full;
    Range a = affine_range(af, i->args[0]);
    if (i->sub == MATH_ABS) {
        if (a.lo == INT64_MIN) return full;
        int64_t most = a.hi > -a.lo ? a.hi : -a.lo;
        return (Range){a.lo > 0 ? a.lo : 0, most};
    }
    Range b = affine_range(af, i->args[1]);
    bool min = i->sub == MATH_MIN;
    return (Range){(a.lo < b.lo) == min ? a.lo : b.lo, (a.hi < b.hi) == min ? a.hi : b.hi};
}

static Range param_range(Affine *af, Ref r) {
    const Ins *i = ir_at(af->fn, r);
    const Counter *c = affine_counter(af, r);
    bool goes_up = c && c->step > 0 && c->stops && !c->stop_assumed;
    Range out = {INT64_MAX, INT64_MIN};
    if (i->block >= af->cfg->n) return full; /* the graph has grown since */
    for (uint32_t e = af->in.start[i->block]; e < af->in.start[i->block + 1]; e++) {
        In in = af->in.at[e];
        if (opt_edge(af->fn, in)->to != i->block) return full; /* an edge has been led elsewhere */
        Ref a = opt_edge_arg(af->fn, in, (uint32_t)i->imm);
        if (a == r || (goes_up && in.from == c->loop->latch)) continue;
        out = unite(out, a ? affine_range(af, a) : full);
    }
    if (out.lo > out.hi) return full;
    if (goes_up && c->end > out.hi) out.hi = c->end;
    return out;
}

/* Is a divisor of integers not 0 once the division is done? */
static bool has_checked_divisors(const Affine *af) { return !af->fn->options.numpy_errors; }

/* CUDA's limits: 1024 threads a block, grids below 2**31. */
static Range sreg_range(const Ins *i) {
    static const Range rows[] = {
        [SREG_TID] = {0, 1023},        [SREG_CTAID] = {0, INT32_MAX - 1},
        [SREG_NTID] = {1, 1024},       [SREG_NCTAID] = {1, INT32_MAX},
        [SREG_FIRST] = {0, INT32_MAX}, [SREG_END] = {0, INT32_MAX},
    };
    return rows[i->sub];
}

static Range compute_range(Affine *af, Ref r) {
    const Ins *i = ir_at(af->fn, r);
    Range a, b;
    switch ((int)i->op) {
    case OP_CONST: return i->ty->kind == TY_INT ? (Range){i->k->i, i->k->i} : full;
    case OP_PARAM: return param_range(af, r);
    case OP_SREG: return sreg_range(i);
    case OP_FIELD: {
        const Type *t = ir_at(af->fn, i->args[0])->ty;
        if (t->kind != TY_ARRAY || i->imm < 2 || i->imm >= 2 + t->ndim) return full;
        /* Of several axes one may be empty and the others anything: their bytes count in int64, and
         * that one may be added to any size is worth more than arrays of 2**62 bytes. */
        if (t->ndim == 1 && t->layout != 'A') return (Range){0, MEM_MOST_BYTES / t->elem->size};
        return (Range){0, INT64_MAX / (t->elem->size > 1 ? t->elem->size : 2)};
    }
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_FLOORDIV:
    case OP_FLOORMOD:
    case OP_SELECT:
    case OP_AND: break;
    case OP_CAST:
        a = range_of_type(ir_at(af->fn, i->args[0])->ty);
        return ir_at(af->fn, i->args[0])->ty->kind == TY_FLOAT ? full : a;
    case OP_MATH: return math_range(af, i);
    default: return full;
    }
    a = affine_range(af, i->args[i->op == OP_SELECT]);
    b = affine_range(af, i->args[1 + (i->op == OP_SELECT)]);
    switch ((int)i->op) {
    case OP_ADD: return fit((Wide)a.lo + b.lo, (Wide)a.hi + b.hi);
    case OP_SUB: return fit((Wide)a.lo - b.hi, (Wide)a.hi - b.lo);
    case OP_MUL: return range_mul(a, b);
    case OP_SELECT: return unite(a, b);
    case OP_AND: return b.lo >= 0 ? (Range){0, b.hi} : a.lo >= 0 ? (Range){0, a.hi} : full;
    case OP_FLOORDIV: return a.lo >= 0 && b.lo >= 1 ? (Range){a.lo / b.hi, a.hi / b.lo} : full;
    default: /* FLOORMOD */
        if (b.lo < (has_checked_divisors(af) ? 0 : 1)) return full;
        return (Range){0, b.hi > 0 ? b.hi - 1 : 0};
    }
}

Range affine_range(Affine *af, Ref r) {
    const Type *t = ir_at(af->fn, r)->ty;
    if (t->kind != TY_INT || t->bits != 64 || !t->is_signed) return range_of_type(t);
    uint64_t known = map_get(&af->ranges, r, 1);
    if (known == 0 || af->depth > 32) return full; /* round a loop, or deep */
    if (known != 1) return *(Range *)(uintptr_t)known;
    map_set(af->cx, &af->ranges, r, 0);
    af->depth++;
    Range *found = NEW(af->cx, Range);
    *found = compute_range(af, r);
    af->depth--;
    map_set(af->cx, &af->ranges, r, map_key(found));
    return *found;
}

/* --- what does not change --------------------------------------------------------------------- */

static bool is_safe_early(Affine *af, const Ins *i) {
    if (!(op_info[i->op].effects & PURE) || i->op == OP_PARAM || i->op == OP_ARG ||
        i->op == OP_SHARED)
        return false;
    if (i->op != OP_FLOORDIV && i->op != OP_FLOORMOD) return true;
    return i->ty->kind == TY_FLOAT || affine_range(af, i->args[1]).lo > 0;
}

bool affine_is_invariant(Affine *af, Ref r) {
    const Ins *i = ir_at(af->fn, r);
    if (!affine_is_in(af, af->nest, i->block)) return i->block >= af->cfg->n || !af->gone[i->block];
    uint64_t known = map_get(&af->invariant, r, 0);
    if (known) return known == 2;
    map_set(af->cx, &af->invariant, r, 1);
    bool same = af->depth < 32 && is_safe_early(af, i);
    af->depth++;
    for (uint32_t a = 0; same && a < i->nargs; a++) same = affine_is_invariant(af, i->args[a]);
    af->depth--;
    if (same) map_set(af->cx, &af->invariant, r, 2);
    return same;
}

void affine_set_nest(Affine *af, Loop *nest) {
    af->nest = nest;
    af->facts_at = NO_BLOCK;
    af->counters = af->invariant = af->ranges = af->follows = (Map){0};
    find_counters(af, nest);
}

/* --- values as sums --------------------------------------------------------------------------- */

/* Can the operation not wrap around? */
static bool is_exact(Affine *af, const Ins *i) {
    Range a = affine_range(af, i->args[0]);
    Range b = i->nargs > 1 ? affine_range(af, i->args[1]) : (Range){0, 0};
    Wide lo, hi;
    if (i->op == OP_ADD) {
        lo = (Wide)a.lo + b.lo, hi = (Wide)a.hi + b.hi;
    } else if (i->op == OP_SUB) {
        lo = (Wide)a.lo - b.hi, hi = (Wide)a.hi - b.lo;
    } else if (i->op == OP_MUL) {
        Range m = range_mul(a, b);
        return m.lo != INT64_MIN || m.hi != INT64_MAX;
    } else {
        return a.lo != INT64_MIN;
    }
    return lo >= INT64_MIN && hi <= INT64_MAX;
}

/* Is every symbol one whose size a check before the nest can bound? */
static bool can_be_small(Affine *af, const Lin *l) {
    for (uint32_t i = 0; l->ok && i < l->n; i++)
        for (int side = 0; side < 2; side++) {
            Ref r = side ? l->t[i].b : l->t[i].a;
            const Counter *c = r ? affine_counter(af, r) : NULL;
            bool counter =
                c && c->nlo && c->nhi && af->nest && affine_is_in(af, af->nest, c->loop->header);
            if (r && !counter && !affine_is_invariant(af, r)) return false;
        }
    return l->ok;
}

static Lin lin_of(Affine *af, Ref r, LinMode mode, int depth) {
    const Ins *i = ir_at(af->fn, r);
    int64_t k;
    if (i->ty->kind != TY_INT || i->ty->bits != 64 || !i->ty->is_signed) return no_lin;
    if (opt_int_const(af->fn, r, &k)) return lin_const(k);
    bool sum = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_NEG;
    if (!sum || depth == 0) return lin_symbol(r);
    bool exact = mode == LIN_MODULO || is_exact(af, i);
    if (!exact && mode == LIN_EXACT) return lin_symbol(r);
    Lin a = lin_of(af, i->args[0], mode, depth - 1), out;
    Lin b = i->nargs > 1 ? lin_of(af, i->args[1], mode, depth - 1) : no_lin;
    if (i->op == OP_ADD)
        out = lin_add(a, b, 1);
    else if (i->op == OP_SUB)
        out = lin_add(a, b, -1);
    else if (i->op == OP_MUL)
        out = lin_mul(a, b);
    else
        out = lin_add(lin_const(0), a, -1);
    if (!exact) {
        if (!can_be_small(af, &out)) return lin_symbol(r);
        out.assumed = true;
    }
    return out.ok ? out : lin_symbol(r);
}

Lin affine_lin(Affine *af, Ref r, LinMode mode) { return lin_of(af, r, mode, 8); }

static uint64_t size_key(Ref array, uint64_t field) { return (uint64_t)array << 8 | field; }

/* The first that reads each size. */
static void find_sizes(Affine *af) {
    for (Ref r = af->fn->ins.n; r-- > 1;) {
        const Ins *i = ir_at(af->fn, r);
        if (i->op != OP_FIELD || i->block == NO_BLOCK) continue;
        if (ir_at(af->fn, i->args[0])->ty->kind != TY_ARRAY) continue;
        map_set(af->cx, &af->sizes, size_key(i->args[0], (uint64_t)i->imm), r);
    }
    af->has_sizes = true;
}

Ref affine_size(Affine *af, Ref array, uint32_t axis) {
    const Ins *x = ir_at(af->fn, array);
    if (x->op == OP_MAKE) return x->args[2 + axis];
    if (!af->has_sizes) find_sizes(af);
    return (Ref)map_get(&af->sizes, size_key(array, 2 + axis), 0);
}

/* --- counters --------------------------------------------------------------------------------- */

Counter *affine_counter(const Affine *af, Ref param) {
    return (Counter *)(uintptr_t)map_get(&af->counters, param, 0);
}

bool affine_is_in(const Affine *af, const Loop *loop, BlockId b) {
    return ir_loop_has(af->loops, loop, b);
}

/* cond as `small < large`, or false. */
static bool match_less(const Affine *af, Ref cond, Ref *small, Ref *large) {
    const Ins *i = ir_at(af->fn, cond);
    if (i->op != OP_LT && i->op != OP_GT) return false;
    *small = i->args[i->op == OP_GT];
    *large = i->args[i->op == OP_LT];
    return true;
}

static bool lin_equal(Lin a, Lin b) {
    Lin d = lin_add(a, b, -1);
    return d.ok && d.n == 0 && d.c == 0;
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

static Op mirror(Op op) {
    return op == OP_LT   ? OP_GT
           : op == OP_GT ? OP_LT
           : op == OP_LE ? OP_GE
           : op == OP_GE ? OP_LE
                         : op;
}
static Op negate(Op op) {
    return op == OP_LT   ? OP_GE
           : op == OP_GE ? OP_LT
           : op == OP_LE ? OP_GT
           : op == OP_GT ? OP_LE
                         : op;
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
    return (Test){body, yes ? (Op)cond->op : negate((Op)cond->op), cond->args[0], cond->args[1]};
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
    Op op = test.a == p ? test.op : mirror(test.op);
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
                             can_be_small(af, &c->limit) && jump < (1 << 30));
    if (up) {
        if (c->stops) add_lower(af, c, init, true);
        add_upper(af, c, bound, inclusive);
        c->is_bound_simpler = c->nhi == 1 && c->scale == 1 && is_clamped(af, bound);
    } else {
        add_lower(af, c, bound, inclusive);
        if (c->stops) add_upper(af, c, init, true);
    }
}

static void find_counters(Affine *af, Loop *loop) {
    Test test = find_test(af, loop);
    const Refs *params = &af->fn->blocks.at[loop->header].params;
    for (uint32_t k = 0; test.body != NO_BLOCK && k < params->n; k++)
        if (ir_at(af->fn, params->at[k])->ty == TY_I(64)) add_counter(af, loop, k, test);
    for (Loop *inner = loop->child; inner; inner = inner->next) find_counters(af, inner);
}

static Affine *new_affine(Cx *cx, Fn *fn, LinMode mode, const Cfg *cfg, const Loops *loops) {
    Affine *af = NEW(cx, Affine);
    *af = (Affine){.cx = cx,
                   .fn = fn,
                   .cfg = cfg,
                   .loops = loops,
                   .in = opt_incoming(cx, fn),
                   .mode = mode,
                   .facts_at = NO_BLOCK};
    af->gone = NEWN(cx, bool, fn->blocks.n);
    return af;
}

Affine *affine_new(Cx *cx, Fn *fn, LinMode mode) {
    const Cfg *cfg = ir_cfg(cx, fn);
    Affine *af = new_affine(cx, fn, mode, cfg, ir_loops(cx, fn, cfg));
    for (Loop *l = af->loops->roots; l && mode != LIN_ASSUME; l = l->next) find_counters(af, l);
    return af;
}

Affine *affine_new_loops(Cx *cx, Fn *fn, LinMode mode) {
    const Cfg *cfg = ir_cfg(cx, fn);
    const Loops *loops = ir_loops(cx, fn, cfg);
    if (!loops->roots) return NULL;
    if (opt_make_preheaders(cx, fn, loops)) {
        cfg = ir_cfg(cx, fn);
        loops = ir_loops(cx, fn, cfg);
    }
    return new_affine(cx, fn, mode, cfg, loops);
}

/* --- facts ------------------------------------------------------------------------------------ */

static uint32_t add_fact(Lin *facts, uint32_t n, uint32_t max, Lin f) {
    if (f.ok && f.n && n < max) facts[n++] = f;
    return n;
}

/* What `cond == value` says, as sums that are <= 0. */
static uint32_t condition_facts(Affine *af, Ref cond, bool value, Lin *facts, uint32_t n,
                                uint32_t max) {
    const Ins *i = ir_at(af->fn, cond);
    if (i->ty->kind == TY_BOOL && i->op == (value ? OP_AND : OP_OR)) {
        n = condition_facts(af, i->args[0], value, facts, n, max);
        return condition_facts(af, i->args[1], value, facts, n, max);
    }
    bool ordered = i->op == OP_LT || i->op == OP_LE || i->op == OP_GT || i->op == OP_GE;
    if (!ordered && i->op != OP_EQ && i->op != OP_NE) return n;
    if (ir_at(af->fn, i->args[0])->ty != TY_I(64)) return n;
    Lin a = affine_lin(af, i->args[0], af->mode), b = affine_lin(af, i->args[1], af->mode);
    if (!ordered) {
        if ((i->op == OP_EQ) != value) return n;
        n = add_fact(facts, n, max, lin_add(a, b, -1));
        return add_fact(facts, n, max, lin_add(b, a, -1));
    }
    Op op = value ? (Op)i->op : negate((Op)i->op);
    if (op == OP_LT || op == OP_LE)
        return add_fact(facts, n, max, lin_add(lin_add(a, b, -1), lin_const(op == OP_LT), 1));
    return add_fact(facts, n, max, lin_add(lin_add(b, a, -1), lin_const(op == OP_GT), 1));
}

/* Is it the test of a counter whose bound says the same in simpler values? Before a nest, two ways to
 * ask one thing cost twice. */
static bool is_said_by_bound(const Affine *af, Ref cond) {
    const Ins *i = ir_at(af->fn, cond);
    const Counter *c = af->mode == LIN_ASSUME && i->nargs ? affine_counter(af, i->args[0]) : NULL;
    return c && c->is_bound_simpler && af->fn->blocks.at[c->loop->header].term.arg == cond;
}

/* Facts of the branches that lead to block `at`, nearest first. */
static void find_facts(Affine *af, BlockId at) {
    enum { FAR = 32 };
    if (af->facts_at == at) return;
    af->facts_at = at;
    af->nfacts = 0;
    for (int steps = 0; steps < FAR && af->nfacts < FACTS && at != 0;
         steps++, at = af->cfg->idom[at]) {
        uint32_t e = af->in.start[at];
        if (af->in.start[at + 1] - e != 1 || af->in.at[e].which == IN_HANDLER) continue;
        const Term *t = &af->fn->blocks.at[af->in.at[e].from].term;
        if (t->kind == TERM_BRANCH && !is_said_by_bound(af, t->arg))
            af->nfacts =
                condition_facts(af, t->arg, af->in.at[e].which == 0, af->facts, af->nfacts, FACTS);
    }
}

/* --- proofs ----------------------------------------------------------------------------------- */

/* The largest value d can have, from the ranges of its symbols alone. */
static bool is_never_positive(Affine *af, const Lin *d) {
    Wide most = d->c;
    for (uint32_t i = 0; i < d->n; i++) {
        Range r = affine_range(af, d->t[i].a);
        if (d->t[i].b) r = range_mul(r, affine_range(af, d->t[i].b));
        if (d->t[i].b && r.lo == INT64_MIN && r.hi == INT64_MAX)
            return false; /* it may be larger than that */
        most += (Wide)d->t[i].k * (d->t[i].k > 0 ? r.hi : r.lo);
        if (most > (Wide)INT64_MAX * 16) return false;
    }
    return most <= 0;
}

/* A successful proof rests on this sum. Forgotten again by setting used.n back. */
static void note_used(Affine *af, const Lin *l) {
    if (af->mode == LIN_ASSUME && l->ok && l->assumed) vec_push(af->cx, &af->used, *l);
}

static void note_counter(Affine *af, const Counter *c) {
    for (uint32_t i = 0; i < c->nlo; i++) note_used(af, &c->lo[i]);
    for (uint32_t i = 0; i < c->nhi; i++) note_used(af, &c->hi[i]);
    Lin limit = c->limit;
    limit.assumed |= c->stop_assumed;
    note_used(af, &limit);
}

/* The counter in d whose loop is innermost, with bounds that hold in block `at`. */
static const Counter *innermost_counter(const Affine *af, const Lin *d, BlockId at) {
    const Counter *best = NULL;
    for (uint32_t i = 0; i < d->n; i++) {
        for (int side = 0; side < 2; side++) {
            Ref r = side ? d->t[i].b : d->t[i].a;
            const Counter *c = r ? affine_counter(af, r) : NULL;
            if (c && cfg_dominates(af->cfg, c->body, at) &&
                (!best || c->loop->depth > best->loop->depth))
                best = c;
        }
    }
    return best;
}

/* Is r >= least? LIN_ASSUME: if need be, a check before the nest will say so. */
static bool is_at_least(Affine *af, Ref r, int64_t least) {
    if (affine_range(af, r).lo >= least) return true;
    if (af->mode != LIN_ASSUME || !affine_is_invariant(af, r)) return false;
    Lin c = lin_add(lin_const(least), lin_symbol(r), -1);
    c.condition = true;
    vec_push(af->cx, &af->used, c);
    return true;
}

/* k * counter * other at its largest. */
static Lin bound_term(Affine *af, const Counter *c, Term2 t, uint32_t which) {
    Ref other = t.a == c->param ? t.b : t.a;
    bool upper = t.k > 0;
    if (which >= (upper ? c->nhi : c->nlo)) return no_lin;
    Lin bound = upper ? c->hi[which] : c->lo[which];
    if (other && other == c->scaled_by) /* (step * counter) is what is bounded */
        return lin_add(lin_const(0), bound, upper ? t.k : 0);
    if (upper && c->scale != 1) {
        if (c->scale == 0) return no_lin;
        if (other || t.k % c->scale) return no_lin;
        return lin_add(lin_const(0), bound, t.k / c->scale);
    }
    Lin out = lin_add(lin_const(0), bound, t.k);
    if (!other) return out;
    if (other == c->param || !is_at_least(af, other, 0)) return no_lin;
    return lin_mul(out, lin_symbol(other));
}

bool affine_bound(Affine *af, Lin d, BlockId at, uint32_t which, Lin *out) {
    const Counter *c = innermost_counter(af, &d, at);
    if (!c) return false;
    Lin sum = lin_const(d.c);
    for (uint32_t i = 0; i < d.n && sum.ok; i++) {
        Term2 t = d.t[i];
        Lin one = {.ok = true, .n = 1, .t = {t}};
        sum =
            lin_add(sum, t.a == c->param || t.b == c->param ? bound_term(af, c, t, which) : one, 1);
    }
    *out = sum;
    if (sum.ok) note_counter(af, c);
    return sum.ok;
}

/* Something in d that is known to be at most (or at least) a simpler value: minima, maxima,
 * remainders, what follows a counter. */
static bool bound_symbol(Affine *af, Lin d, uint32_t i, uint32_t which, Lin *out) {
    Term2 t = d.t[i];
    const Ins *s = ir_at(af->fn, t.a);
    bool upper = t.k > 0;
    if (t.b) return false;
    Lin by = no_lin, lead;
    if (s->op == OP_MATH && (s->sub == MATH_MIN ? upper : s->sub == MATH_MAX && !upper))
        by = affine_lin(af, s->args[which], af->mode);
    else if (s->op == OP_FLOORMOD && which == 0 &&
             is_at_least(af, s->args[1], has_checked_divisors(af) ? 0 : 1))
        by = upper ? lin_add(affine_lin(af, s->args[1], af->mode), lin_const(1), -1) : lin_const(0);
    else if (s->op == OP_PARAM && which == 0 && upper && affine_leader(af, t.a, &lead))
        by = lead;
    else if (s->op == OP_PARAM && which == 0 && !upper && affine_least(af, t.a, &lead))
        by = lead;
    if (!by.ok) return false;
    Lin one = {.ok = true, .n = 1, .t = {t}};
    *out = lin_add(lin_add(d, one, -1), by, t.k);
    return out->ok;
}

enum { PROOF_DEPTH = 6, PROOF_STEPS = 64 };

typedef struct Proof {
    Affine *af;
    BlockId at;
    uint32_t steps;
} Proof;

/* Do d and the fact have a symbol in common, the same way round? */
static bool shares_symbol(const Lin *d, const Lin *fact) {
    for (uint32_t a = 0; a < d->n; a++)
        for (uint32_t b = 0; b < fact->n; b++)
            if (d->t[a].a == fact->t[b].a && d->t[a].b == fact->t[b].b &&
                (d->t[a].k > 0) == (fact->t[b].k > 0))
                return true;
    return false;
}

/* The n-th sum that is >= d and may be simpler: by a fact, a counter's bound, a symbol's bound.
 * NO_MORE: there are fewer; ok is false where that one does not fit. */
enum { NO_MORE = FACTS + BOUNDS + 2 * LIN_TERMS };
static Lin next_bound(Proof *p, const Lin *d, uint32_t n) {
    Lin next = no_lin;
    if (n < FACTS) {
        if (n >= p->af->nfacts || !shares_symbol(d, &p->af->facts[n])) return no_lin;
        next = lin_add(*d, p->af->facts[n], -1);
        if (next.ok && next.n > d->n) return no_lin;
        if (next.ok) note_used(p->af, &p->af->facts[n]);
        return next;
    }
    if (n < FACTS + BOUNDS) {
        affine_bound(p->af, *d, p->at, n - FACTS, &next);
        return next;
    }
    n -= FACTS + BOUNDS;
    if (n / 2 < d->n && bound_symbol(p->af, *d, n / 2, n % 2, &next)) note_used(p->af, &next);
    return next;
}

static bool prove(Proof *p, Lin d, uint32_t depth) {
    if (!d.ok || p->steps++ > PROOF_STEPS) return false;
    if (is_never_positive(p->af, &d)) return true;
    for (uint32_t n = 0; depth > 0 && n < NO_MORE; n++) {
        uint32_t mark = p->af->used.n;
        Lin next = next_bound(p, &d, n);
        if (next.ok && prove(p, next, n < FACTS ? 0 : depth - 1))
            return true; /* one fact, and last */
        p->af->used.n = mark;
    }
    return false;
}

static Proof new_proof(Affine *af, Lin d, BlockId at) {
    Proof p = {.af = af, .at = at};
    find_facts(af, at);
    note_used(af, &d);
    return p;
}

bool affine_prove(Affine *af, Lin d, BlockId at) {
    uint32_t mark = af->used.n;
    Proof p = new_proof(af, d, at);
    if (prove(&p, d, PROOF_DEPTH)) return true;
    af->used.n = mark;
    return false;
}

static bool has_only_invariants(Affine *af, const Lin *d) {
    for (uint32_t i = 0; i < d->n; i++)
        if (!affine_is_invariant(af, d->t[i].a) ||
            (d->t[i].b && !affine_is_invariant(af, d->t[i].b)))
            return false;
    return true;
}

static uint32_t reduce(Proof *p, Lin d, uint32_t depth, Lin *out, uint32_t n, uint32_t max) {
    if (!d.ok || n == max || p->steps++ > PROOF_STEPS) return n;
    if (has_only_invariants(p->af, &d)) {
        Lin never = lin_add(lin_const(1), d, -1); /* 1 - d <= 0: d is positive whatever happens */
        if (is_never_positive(p->af, &never)) return n;
        for (uint32_t i = 0; i < n; i++)
            if (lin_equal(out[i], d)) return n;
        out[n++] = d;
        return n;
    }
    for (uint32_t i = 0; depth > 0 && i < NO_MORE && n < max; i++) {
        uint32_t mark = p->af->used.n, before = n;
        Lin next = next_bound(p, &d, i);
        if (next.ok) n = reduce(p, next, depth - 1, out, n, max);
        if (n == before) p->af->used.n = mark;
    }
    return n;
}

uint32_t affine_reduce(Affine *af, Lin d, BlockId at, Lin *out, uint32_t max) {
    uint32_t mark = af->used.n;
    Proof p = new_proof(af, d, at);
    uint32_t n = reduce(&p, d, PROOF_DEPTH, out, 0, max);
    if (!n) af->used.n = mark;
    return n;
}
