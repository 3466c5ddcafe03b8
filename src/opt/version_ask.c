/* What is asked before a nest: that its goals hold, and that no sum in them wraps around. */
#include "opt/version.h"

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

int version_find_small(Version *v) {
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
        if (version_same_goal(&v->goals.at[k], &v->goals.at[i])) return true;
    return false;
}

Ref version_ask(Version *v, int bits) {
    Ref ok = emit_guards(v, bits);
    for (uint32_t i = 0; i < v->af->used.n; i++)
        if (v->af->used.at[i].condition)
            ok = both(v, ok, emit_never_positive(v, &v->af->used.at[i]));
    for (uint32_t i = 0; i < v->goals.n; i++)
        if (!is_taken(&v->goals.at[i]) && !is_repeated(v, i))
            ok = both(v, ok, emit_goal(v, &v->goals.at[i]));
    return ok;
}
