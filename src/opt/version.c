/* Versions loop nests: one check before the outermost loop on all that its index checks ask for,
 * then the nest without them, else a copy of the nest as it was, cut out into a cold function.
 *
 * relies on: range (what can be proved is gone)    keeps: nothing
 * breaks: the graph around each nest
 *
 * As far out as all checks can be shown at once: a check before an inner loop runs as often as that
 * loop, and the back end works best on a simple nest without other branches in it. Where the arrays
 * change in an outer loop (two rows that swap places), it is the loops inside. An index is a sum of
 * counters and of values that do not change in the nest; replacing each counter by its bound,
 * innermost first, gives the largest (and smallest) index in terms of those values alone, and
 * comparing that with the array's size before the nest replaces the check in it. The sum before the
 * nest must not wrap around: the values in it are compared with a bound that makes all sums fit
 * int64. Checks that do not depend on the nest at all are asked before it too. If the check before
 * the nest fails, the copy runs and raises where the source says, or does not raise at all.
 *
 * What is left in the fast copy: checks on values (indirect subscripts, divisors), and checks whose
 * outcome can not be told from the counters. The nest is not versioned if the check could never
 * succeed. */
#include "opt/version.h"
#include "base/diag.h"
#include "base/remark.h"
#include "ir/math.h"
#include "opt/report.h"

enum { EITHER = 2 }; /* ways to show one thing, tried at run time */

/* One thing to be shown before the nest: any of the sums is <= 0, or the value `cond` is true (an
 * index check: would pass). */
typedef struct Goal {
    Lin any[EITHER];
    uint32_t n;
    Ref cond;
} Goal;

/* A check that the goals make needless. */
typedef struct Drop {
    Ref check; /* 0: a wrap without a check */
    Ref wrap; /* becomes its index, or index + size if `from_end`; 0: stays */
    bool from_end;
} Drop;

/* A subscript whose check goes, and would anywhere in its innermost loop. */
typedef struct Free {
    BlockId block;
    Ref index, size;
} Free;

typedef struct Version {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const OutUses *uses;
    Loop *nest;
    VEC(Goal) goals;
    VEC(Drop) drops;
    VEC(Free) frees;
    BlockId before; /* the preheader */
    Map early; /* value of the nest -> its copy in the preheader */
    Subst sub;      /* of wraps that went; applied once, at the end */
    bool changed;
} Version;

/* --- what to ask ------------------------------------------------------------------------------ */

/* Adds what must be shown for d <= 0 in block b; false if nothing would do. */
static bool add_goal(Version *v, Lin d, BlockId b) {
    if (affine_prove(v->af, d, b)) return true;
    Goal g = {0};
    g.n = affine_reduce(v->af, d, b, g.any, EITHER);
    if (!g.n) return false;
    vec_push(v->cx, &v->goals, g);
    return true;
}

typedef struct Mark {
    uint32_t goals, used;
} Mark;
static Mark mark(const Version *v) { return (Mark){v->goals.n, v->af->used.n}; }
static bool forget(Version *v, Mark m) {
    v->goals.n = m.goals;
    v->af->used.n = m.used;
    return false;
}

static bool add_both(Version *v, Lin d1, Lin d2, BlockId b) {
    Mark m = mark(v);
    return (add_goal(v, d1, b) && add_goal(v, d2, b)) || forget(v, m);
}

/* d <= 0 says that something is small without saying than what: sizes and counts rarely are. Such a
 * goal comes from a subscript like i - k, which is meant to be negative where it can be. */
static bool is_plausible(const Lin *d) {
    for (uint32_t i = 0; i < d->n; i++)
        if (d->t[i].k < 0) return true;
    return d->c < 0 || d->n == 0;
}

/* Adds what must be shown for the index i not to be negative; false if it may well be. */
static bool add_nonnegative(Version *v, Lin i, BlockId b) {
    Mark m = mark(v);
    if (!add_goal(v, lin_add(lin_const(0), i, -1), b)) return false;
    for (uint32_t g = m.goals; g < v->goals.n; g++)
        for (uint32_t k = 0; k < v->goals.at[g].n; k++)
            if (!is_plausible(&v->goals.at[g].any[k])) return forget(v, m);
    return true;
}

/* The wrap of a subscript in block b: is it one that may be changed there? */
static Ref own_wrap(const Version *v, Ref w, Ref n, BlockId b) {
    const Ins *i = ir_at(v->fn, w);
    return i->op == OP_WRAP && i->args[1] == n && i->block == b ? w : 0;
}

/* --- in any iteration ------------------------------------------------------------------------- */

static bool same_goal(const Goal *a, const Goal *b) {
    if (a->cond != b->cond || a->n != b->n) return false;
    for (uint32_t k = 0; k < a->n; k++) {
        Lin d = lin_add(a->any[k], b->any[k], -1);
        if (!d.ok || d.n || d.c) return false;
    }
    return true;
}

static bool same_used(const Lin *a, const Lin *b) {
    Lin d = lin_add(*a, *b, -1);
    return d.ok && !d.n && !d.c && a->condition == b->condition;
}

/* Is all that was asked since m asked before it already? */
static bool asks_nothing_new(const Version *v, Mark m) {
    for (uint32_t i = m.goals; i < v->goals.n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < m.goals && !known; k++)
            known = same_goal(&v->goals.at[k], &v->goals.at[i]);
        if (!known) return false;
    }
    for (uint32_t i = m.used; i < v->af->used.n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < m.used && !known; k++)
            known = same_used(&v->af->used.at[k], &v->af->used.at[i]);
        if (!known) return false;
    }
    return true;
}

/* Where the iterations of b's innermost loop start; NO_BLOCK: b does not stand behind a condition. */
static BlockId find_body(const Version *v, BlockId b) {
    const Loop *l = v->af->loops->of[b];
    if (!l || l->latch == NO_BLOCK || cfg_dominates(v->af->cfg, b, l->latch)) return NO_BLOCK;
    const Term *t = &v->fn->blocks.at[l->header].term;
    if (t->kind != TERM_BRANCH) return NO_BLOCK;
    BlockId body = t->succ[!affine_is_in(v->af, l, t->succ[0].to)].to;
    return v->af->in.start[body + 1] - v->af->in.start[body] == 1 ? body : NO_BLOCK;
}

/* Is 0 <= i < size shown for all iterations by what is asked already? */
static bool is_free(Version *v, Ref i, Ref size, BlockId body) {
    Mark m = mark(v);
    Lin at = affine_lin(v->af, i, LIN_ASSUME), end = affine_lin(v->af, size, LIN_ASSUME);
    bool good = add_goal(v, lin_add(lin_const(0), at, -1), body) &&
                add_goal(v, lin_add(lin_add(at, end, -1), lin_const(1), 1), body) &&
                asks_nothing_new(v, m);
    forget(v, m);
    return good;
}

static void note_free(Version *v, BlockId b, Ref i, Ref size) {
    BlockId body = find_body(v, b);
    if (body != NO_BLOCK && is_free(v, i, size, body))
        vec_push(v->cx, &v->frees, ((Free){b, i, size}));
}

static bool is_free_axis(Version *v, BlockId b, const Ins *elem, uint32_t a) {
    Ref i = subst_get(&v->sub, elem->args[1 + a]), size = affine_size(v->af, elem->args[0], a);
    for (uint32_t k = 0; k < v->frees.n; k++) {
        const Free *f = &v->frees.at[k];
        if (f->block == b && f->index == i && f->size == size) return true;
    }
    BlockId body = find_body(v, b);
    return size && body != NO_BLOCK && is_free(v, i, size, body);
}

/* Marks what may be read in every iteration, though it stands behind a condition: where conditions are
 * values, the loop can become vector code. (See opt/select.c) */
static void mark_free_loads(Version *v) {
    for (uint32_t k = 0; k < v->nest->nblocks && v->frees.n; k++) {
        BlockId b = v->nest->blocks[k];
        for (uint32_t i = 0; i < v->fn->blocks.at[b].ins.n; i++) {
            Ins *load = ir_at(v->fn, v->fn->blocks.at[b].ins.at[i]);
            if (load->op != OP_LOAD) continue;
            const Ins *elem = ir_at(v->fn, load->args[0]);
            bool good = elem->op == OP_ELEM;
            for (uint32_t a = 0; good && a + 1 < elem->nargs; a++)
                good = is_free_axis(v, b, elem, a);
            if (good) load->imm2 = 1;
        }
    }
}

/* --- checks ----------------------------------------------------------------------------------- */

/* In this order: never negative; always negative; sometimes, and then the wrap stays. */
static bool plan_index(Version *v, BlockId b, Ref r) {
    const Ins *check = ir_at(v->fn, r);
    Ref w = check->args[0], n = check->args[1];
    bool wrapped = ir_at(v->fn, w)->op == OP_WRAP && ir_at(v->fn, w)->args[1] == n;
    if (affine_is_invariant(v->af, w) && affine_is_invariant(v->af, n)) {
        vec_push(v->cx, &v->goals, ((Goal){.cond = r}));
        vec_push(v->cx, &v->drops, ((Drop){.check = r}));
        return true;
    }
    Lin i = affine_lin(v->af, wrapped ? ir_at(v->fn, w)->args[0] : w, LIN_ASSUME);
    Lin size = affine_lin(v->af, n, LIN_ASSUME);
    Lin below = lin_add(lin_add(i, size, -1), lin_const(1), 1);
    Lin from_end = lin_add(lin_add(lin_const(0), i, -1), size, -1);
    Drop d = {r, own_wrap(v, w, n, b), false};
    Mark m = mark(v);
    bool good = (add_nonnegative(v, i, b) && add_goal(v, below, b)) || forget(v, m);
    if (!good && wrapped && affine_prove(v->af, lin_add(i, lin_const(1), 1), b)) {
        d.from_end = true;
        good = add_goal(v, from_end, b) || forget(v, m);
    } else if (!good && wrapped) {
        d.wrap = 0;
        good = add_both(v, from_end, below, b);
    }
    if (!good) return false;
    vec_push(v->cx, &v->drops, d);
    if (!d.from_end && (d.wrap || !wrapped))
        note_free(v, b, wrapped ? ir_at(v->fn, w)->args[0] : w, n);
    return true;
}

/* A wrap whose index is not checked. */
static void plan_wrap(Version *v, BlockId b, Ref r) {
    Mark m = mark(v);
    Lin i = affine_lin(v->af, ir_at(v->fn, r)->args[0], LIN_ASSUME);
    Drop d = {0, r, false};
    bool good = add_nonnegative(v, i, b) || forget(v, m);
    if (!good) d.from_end = good = affine_prove(v->af, lin_add(i, lin_const(1), 1), b);
    if (good) vec_push(v->cx, &v->drops, d);
}

/* check c: c does not change in the nest, or is a comparison that the counters decide. */
static bool plan_check(Version *v, BlockId b, Ref r) {
    Ref c = ir_at(v->fn, r)->args[0];
    Mark m = mark(v);
    if (affine_is_invariant(v->af, c)) {
        vec_push(v->cx, &v->goals, ((Goal){.cond = c}));
        vec_push(v->cx, &v->drops, ((Drop){.check = r}));
        return true;
    }
    const Ins *i = ir_at(v->fn, c);
    bool is_ne = i->op == OP_NE, is_ge = i->op == OP_GE || i->op == OP_GT;
    if ((!is_ne && !is_ge && i->op != OP_LT && i->op != OP_LE) ||
        ir_at(v->fn, i->args[0])->ty != TY_I(64))
        return false;
    Lin x = affine_lin(v->af, i->args[0], LIN_ASSUME),
        y = affine_lin(v->af, i->args[1], LIN_ASSUME);
    Lin d = is_ge ? lin_add(y, x, -1) : lin_add(x, y, -1);
    int64_t strict = is_ne || i->op == OP_GT || i->op == OP_LT;
    bool good = add_goal(v, lin_add(d, lin_const(strict), 1), b);
    if (!good && is_ne)
        good = add_goal(v, lin_add(lin_add(lin_const(0), d, -1), lin_const(1), 1), b);
    if (!good) return forget(v, m);
    vec_push(v->cx, &v->drops, ((Drop){.check = r}));
    return true;
}

/* Plans the nest; returns how many checks in it would go. */
static uint32_t plan(Version *v, Loop *nest) {
    v->nest = nest;
    v->goals.n = v->drops.n = v->frees.n = 0;
    affine_set_nest(v->af, nest);
    v->af->used.n = 0;
    for (uint32_t k = 0; k < nest->nblocks; k++) {
        BlockId b = nest->blocks[k];
        for (uint32_t i = 0; i < v->fn->blocks.at[b].ins.n; i++) {
            Ref r = v->fn->blocks.at[b].ins.at[i];
            if (ir_at(v->fn, r)->op == OP_CHECK_INDEX) plan_index(v, b, r);
            if (ir_at(v->fn, r)->op == OP_CHECK) plan_check(v, b, r);
            if (ir_at(v->fn, r)->op == OP_WRAP && !v->fn->options.boundscheck) plan_wrap(v, b, r);
        }
    }
    return v->drops.n;
}

/* --- how large -------------------------------------------------------------------------------- */

/* Magnitudes as floats: a bound on |value| when every value that does not change is below
 * `small`. */
static double size_of_lin(Version *v, const Lin *l, double small, int depth);

static double size_of_symbol(Version *v, Ref r, double small, int depth) {
    const Counter *c = affine_counter(v->af, r);
    Range range = affine_range(v->af, r);
    double known = range.hi > -(range.lo + 1) ? (double)range.hi : -(double)range.lo;
    if (affine_is_invariant(v->af, r) || !c || depth == 0) return known < small ? known : small;
    double most = 0;
    for (uint32_t i = 0; i < c->nlo; i++) most += size_of_lin(v, &c->lo[i], small, depth - 1);
    for (uint32_t i = 0; i < c->nhi; i++) most += size_of_lin(v, &c->hi[i], small, depth - 1);
    return most < known ? most : known;
}

static double size_of_lin(Version *v, const Lin *l, double small, int depth) {
    double sum = (double)(l->c < 0 ? -(l->c + 1) : l->c) + 1;
    for (uint32_t i = 0; i < l->n; i++) {
        double k = l->t[i].k < 0 ? -(double)l->t[i].k : (double)l->t[i].k;
        k *= size_of_symbol(v, l->t[i].a, small, depth);
        if (l->t[i].b) k *= size_of_symbol(v, l->t[i].b, small, depth);
        sum += k;
    }
    return sum;
}

static bool all_fit(Version *v, double small) {
    const double most = 4e18;
    for (uint32_t i = 0; i < v->af->used.n; i++)
        if (size_of_lin(v, &v->af->used.at[i], small, 6) > most) return false;
    for (uint32_t i = 0; i < v->goals.n; i++)
        for (uint32_t k = 0; k < v->goals.at[i].n; k++)
            if (size_of_lin(v, &v->goals.at[i].any[k], small, 6) > most) return false;
    return true;
}

/* The largest bound 2**bits on what does not change that keeps every sum within int64; 0: none
 * would do. */
static int find_small(Version *v) {
    static const int tries[] = {60, 57, 52, 40, 31, 24};
    for (unsigned i = 0; i < sizeof tries / sizeof *tries; i++)
        if (all_fit(v, (double)((int64_t)1 << tries[i]))) return tries[i];
    return 0;
}

/* --- the check before the nest ---------------------------------------------------------------- */

static Ref add_ins(Version *v, Op op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(v->cx, v->fn, v->before, op, ty, (Span){0}, n, args);
}

static Ref add_int(Version *v, Type *ty, int64_t k) {
    return ir_const(v->cx, v->fn, v->before, ir_const_int(v->cx, ty, k), (Span){0});
}

/* r as it can be read before the nest: itself, or a copy of what computes it. */
static Ref read_early(Version *v, Ref r) {
    if (!affine_is_in(v->af, v->nest, ir_at(v->fn, r)->block)) return r;
    Ref made = (Ref)map_get(&v->early, r, 0);
    if (made) return made;
    Ins i = *ir_at(v->fn, r);
    Refs args = {0};
    for (uint32_t a = 0; a < i.nargs; a++) vec_push(v->cx, &args, read_early(v, i.args[a]));
    made = add_ins(v, (Op)i.op, i.ty, args.n, args.at);
    i.args = ir_at(v->fn, made)->args;
    i.block = v->before;
    *ir_at(v->fn, made) = i;
    map_set(v->cx, &v->early, r, made);
    return made;
}

static Ref both(Version *v, Ref a, Ref b) {
    if (!a) return b;
    return add_ins(v, OP_AND, TY_OF(TY_BOOL), 2, (Ref[]){a, b});
}

/* l <= 0: positive terms on one side, the others on the other, so that what is compared reads like
 * the source. */
static Ref emit_never_positive(Version *v, const Lin *l) {
    Type *i64 = TY_I(64);
    Ref side[2] = {0, 0}; /* left <= right */
    for (uint32_t i = 0; i < l->n; i++) {
        Term2 t = l->t[i];
        int right = t.k < 0;
        Ref x = read_early(v, t.a);
        if (t.b) x = add_ins(v, OP_MUL, i64, 2, (Ref[]){x, read_early(v, t.b)});
        int64_t k = right ? -t.k : t.k;
        if (k != 1) x = add_ins(v, OP_MUL, i64, 2, (Ref[]){x, add_int(v, i64, k)});
        side[right] = side[right] ? add_ins(v, OP_ADD, i64, 2, (Ref[]){side[right], x}) : x;
    }
    bool less = l->c == 1 && side[0] && side[1]; /* a + 1 <= b */
    int64_t c = less ? 0 : l->c;
    int right = c < 0;
    if (c || !side[0] || !side[1]) {
        int64_t k = right ? -c : c;
        int at = c ? right : !side[1];
        side[at] = side[at] ? add_ins(v, OP_ADD, i64, 2, (Ref[]){side[at], add_int(v, i64, k)})
                            : add_int(v, i64, k);
        if (!side[!at]) side[!at] = add_int(v, i64, 0);
    }
    return add_ins(v, less ? OP_LT : OP_LE, TY_OF(TY_BOOL), 2, side);
}

/* a <= b or a < b: nothing that could wrap around. */
static bool needs_no_sum(const Lin *l) {
    if (l->n > 2 || (l->c != 0 && l->c != 1)) return false;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->t[i].b || (l->t[i].k != 1 && l->t[i].k != -1)) return false;
    return l->n == 0 || (l->n == 1 ? l->c == 0 : l->t[0].k != l->t[1].k);
}

/* A goal that says r >= 0 and nothing else. */
static bool is_nonnegative(const Goal *g, Ref r) {
    const Lin *l = &g->any[0];
    return !g->cond && g->n == 1 && l->n == 1 && l->c == 0 && l->t[0].a == r && !l->t[0].b &&
           l->t[0].k == -1;
}

static bool is_taken(const Goal *g) { return !g->cond && !g->n; }

/* Takes such a goal off the list, since the guard of r will say it. */
static bool take_nonnegative(Version *v, Ref r) {
    bool any = false;
    for (uint32_t i = 0; i < v->goals.n; i++)
        if (is_nonnegative(&v->goals.at[i], r)) {
            v->goals.at[i].n = 0;
            any = true;
        }
    return any;
}

/* -2**bits <= r < 2**bits, or 0 <= r < 2**bits if that is a goal; in one unsigned comparison. */
static Ref emit_small(Version *v, Ref r, int bits) {
    Type *i64 = TY_I(64), *u64 = TY_U(64);
    int64_t down = take_nonnegative(v, r) ? 0 : (int64_t)1 << bits;
    Ref moved = read_early(v, r);
    if (down) moved = add_ins(v, OP_ADD, i64, 2, (Ref[]){moved, add_int(v, i64, down)});
    Ref as_unsigned = add_ins(v, OP_BITCAST, u64, 1, &moved);
    return add_ins(v, OP_LT, TY_OF(TY_BOOL), 2,
                   (Ref[]){as_unsigned, add_int(v, u64, ((int64_t)1 << bits) + down)});
}

typedef struct Guards {
    Version *v;
    int bits;
    Map seen;
    Ref ok;
} Guards;

static void guard_lin(Guards *g, const Lin *l, int depth);

static void guard_symbol(Guards *g, Ref r, int depth) {
    Version *v = g->v;
    if (!r || !map_set(v->cx, &g->seen, r, 1)) return;
    Range range = affine_range(v->af, r);
    int64_t end = (int64_t)1 << g->bits;
    if (range.lo >= -end && range.hi < end) return;
    if (affine_is_invariant(v->af, r)) {
        g->ok = both(v, g->ok, emit_small(v, r, g->bits));
        return;
    }
    const Counter *c = affine_counter(v->af, r);
    if (!c || depth == 0) return;
    for (uint32_t i = 0; i < c->nlo; i++) guard_lin(g, &c->lo[i], depth - 1);
    for (uint32_t i = 0; i < c->nhi; i++) guard_lin(g, &c->hi[i], depth - 1);
}

static void guard_lin(Guards *g, const Lin *l, int depth) {
    for (uint32_t i = 0; i < l->n; i++) {
        guard_symbol(g, l->t[i].a, depth);
        guard_symbol(g, l->t[i].b, depth);
    }
}

static Ref emit_guards(Version *v, int bits) {
    Guards g = {.v = v, .bits = bits};
    for (uint32_t i = 0; i < v->af->used.n; i++) guard_lin(&g, &v->af->used.at[i], 6);
    for (uint32_t i = 0; i < v->goals.n; i++)
        for (uint32_t k = 0; k < v->goals.at[i].n; k++)
            if (!needs_no_sum(&v->goals.at[i].any[k])) guard_lin(&g, &v->goals.at[i].any[k], 6);
    return g.ok;
}

/* 0 <= i < n in one unsigned comparison. */
static Ref emit_index_check(Version *v, Ref check) {
    Ref i = read_early(v, ir_at(v->fn, check)->args[0]);
    Ref n = read_early(v, ir_at(v->fn, check)->args[1]);
    i = add_ins(v, OP_BITCAST, TY_U(64), 1, &i);
    n = add_ins(v, OP_BITCAST, TY_U(64), 1, &n);
    return add_ins(v, OP_LT, TY_OF(TY_BOOL), 2, (Ref[]){i, n});
}

static Ref emit_goal(Version *v, const Goal *g) {
    if (g->cond && ir_at(v->fn, g->cond)->op == OP_CHECK_INDEX) return emit_index_check(v, g->cond);
    if (g->cond) return read_early(v, g->cond);
    Ref ok = emit_never_positive(v, &g->any[0]);
    for (uint32_t k = 1; k < g->n; k++)
        ok = add_ins(v, OP_OR, TY_OF(TY_BOOL), 2, (Ref[]){ok, emit_never_positive(v, &g->any[k])});
    return ok;
}

/* One sum asked for already, in the first few? (stencils ask much the same again and again) */
static bool is_repeated(const Version *v, uint32_t i) {
    for (uint32_t k = i > 32 ? i - 32 : 0; k < i; k++)
        if (same_goal(&v->goals.at[k], &v->goals.at[i])) return true;
    return false;
}

static Ref emit_checks(Version *v, int bits) {
    Ref ok = emit_guards(v, bits);
    for (uint32_t i = 0; i < v->af->used.n; i++)
        if (v->af->used.at[i].condition)
            ok = both(v, ok, emit_never_positive(v, &v->af->used.at[i]));
    for (uint32_t i = 0; i < v->goals.n; i++)
        if (!is_taken(&v->goals.at[i]) && !is_repeated(v, i))
            ok = both(v, ok, emit_goal(v, &v->goals.at[i]));
    return ok;
}

/* --- the fast copy ---------------------------------------------------------------------------- */

static void drop_checks(Version *v) {
    for (uint32_t i = 0; i < v->drops.n; i++) {
        const Drop *d = &v->drops.at[i];
        if (d->check) {
            opt_report_check(v->cx, v->fn, d->check, REMARK_CHECK_BEFORE);
            ir_kill(v->fn, d->check);
        }
        if (!d->wrap || ir_at(v->fn, d->wrap)->op != OP_WRAP) continue;
        if (d->from_end) {
            ir_at(v->fn, d->wrap)->op = OP_ADD;
            continue;
        }
        subst_set(v->cx, &v->sub, d->wrap, ir_at(v->fn, d->wrap)->args[0]);
        ir_kill(v->fn, d->wrap);
    }
}

static void version_nest(Version *v) {
    int bits = find_small(v);
    if (!bits || v->nest->preheader == NO_BLOCK || !outline_is_possible(v->af, v->uses, v->nest))
        return;
    v->before = v->nest->preheader;
    v->early = (Map){0};
    Ref ok = emit_checks(v, bits);
    if (ok) outline_slow(v->cx, v->af, v->uses, v->nest, ok);
    drop_checks(v);
    mark_free_loads(v);
    for (uint32_t k = 0; k < v->nest->nblocks; k++) v->af->gone[v->nest->blocks[k]] = true;
    v->changed = true;
}

/* How many checks could go if the loops inside were versioned one by one. */
static uint32_t plan_children(Version *v, Loop *loop) {
    uint32_t sum = 0;
    for (Loop *l = loop->child; l; l = l->next) {
        uint32_t own = plan(v, l), inner = plan_children(v, l);
        sum += own > inner ? own : inner;
    }
    return sum;
}

static void version_loops(Version *v, Loop *loop) {
    for (; loop; loop = loop->next) {
        uint32_t inner = plan_children(v, loop), own = plan(v, loop);
        if (inner > own)
            version_loops(v, loop->child);
        else if (own)
            version_nest(v);
    }
}

/* The loops that stand `depth` loops deep. */
static void version_depth(Version *v, Loop *loop, uint32_t depth) {
    if (!depth) {
        version_loops(v, loop);
        return;
    }
    for (; loop; loop = loop->next) version_depth(v, loop->child, depth - 1);
}

/* Is there a subscript check in loops deeper than that? */
static bool has_deeper_checks(const Version *v, uint32_t depth) {
    for (Ref r = 1; r < v->fn->ins.n; r++) {
        const Ins *i = ir_at(v->fn, r);
        if (i->op != OP_CHECK_INDEX || i->block >= v->af->cfg->n) continue;
        const Loop *l = v->af->loops->of[i->block];
        for (uint32_t k = 0; l && k <= depth; k++) l = l->parent;
        if (l) return true;
    }
    return false;
}

/* One round; true: another one, a loop deeper, may find more. The last one has left handlers of blocks that
 * raise no more: outline does not see those edges as ways out of a nest, so there must be none. */
static bool version_round(Cx *cx, Fn *fn, uint32_t depth, bool *changed) {
    if (opt_drop_handlers(fn)) opt_drop_unreachable(cx, fn);
    Version v = {.cx = cx, .fn = fn, .af = affine_new_loops(cx, fn, LIN_ASSUME)};
    if (!v.af) return false;
    v.uses = outline_find_uses(cx, v.af);
    version_depth(&v, v.af->loops->roots, depth);
    subst_apply(fn, &v.sub);
    *changed |= v.changed;
    return v.changed && has_deeper_checks(&v, depth);
}

bool opt_version(Cx *cx, Fn *fn) {
    if (fn->is_slow || (fn->is_kernel && !fn->runs_blocks) || !opt_has_checks(fn)) return false;
    bool changed = false;
    for (uint32_t depth = 0; version_round(cx, fn, depth, &changed); depth++) {}
    ir_sweep(fn);
    return changed;
}
