/* Runs iterations of a loop in lockstep through the loop inside it, where that is what vectors can do:
 *
 *     for j:                           for strips of up to 64 j:
 *         s = 0                            for j of the strip: s[j] = 0
 *         for k:                    ->     for k:
 *             s += a[i, k] * b[k, j]           for j of the strip: s[j] += a[i, k] * b[k, j]
 *         c[i, j] = s                      for j of the strip: c[i, j] = s[j]
 *
 * relies on: version (a loop with checks is left alone)    keeps: nothing
 * breaks: the graph before each such loop
 *
 * Sums of floats keep their order, so the loop over k waits for each addition, and b[k, j] is far from
 * b[k + 1, j]. Along j neighbours are neighbours, and each has a sum of its own. Nothing is computed in another
 * order that one iteration can see; for that the iterations of the loop over j must not depend on each other
 * (opt/depend), which also asks before the loop whether arrays share memory. The loop as it was runs if they do,
 * and takes what is less than a vector at the end.
 *
 * Only if the loop inside can not become vector code by itself: it would be as quick, and needs no buffers. Its
 * bounds are the same for all of the strip, and what it reads and writes follows j along memory or not at all. */
#include "base/assert.h"
#include "base/map.h"
#include "base/remark.h"
#include "ir/math.h"
#include "ir/remark.h"
#include "opt/depend.h"

enum {
    STRIP = 64,
    FEW = 4, /* iterations that are worth a vector */
    UNROLLED =
        16, /* iterations of an inner loop that the back end unrolls: then the outer one is a loop
                         without loops in it */
    KEPT = 16 /* values that need buffers: 8 KiB of stack at most */
};

/* A value of each iteration of the outer loop that lives from one part of it to another. */
typedef struct Kept {
    Ref value, buffer;
} Kept;

typedef struct Lockstep {
    Cx *cx;
    Fn *fn;
    Affine *af;
    Loop *outer, *inner;
    Ref lane, limit; /* of the outer loop: while lane < limit */
    Ref count; /* counter of the inner loop */
    VEC(BlockId) pre, post; /* the blocks of the outer one before and behind the inner one */
    Kept kept[KEPT];
    uint32_t nkept;
    Depend d;
    Ref start, end; /* of the strip */
    Map refs; /* value of the loops -> what it is in the part at hand */
} Lockstep;

static const Ins *at(const Lockstep *l, Ref r) { return ir_at(l->fn, r); }
static const Block *block(const Lockstep *l, BlockId b) { return &l->fn->blocks.at[b]; }
static bool is_inside(const Lockstep *l, const Loop *loop, Ref r) {
    return !ir_is_const(l->fn, r) && affine_is_in(l->af, loop, at(l, r)->block);
}

/* --- the two loops ---------------------------------------------------------------------------- */

static Ref latch_arg(const Lockstep *l, const Loop *loop, Ref param) {
    const Edge *e = &block(l, loop->latch)->term.succ[0];
    return e->args[at(l, param)->imm];
}

/* Its header tests, computes nothing that could fail, and is the only way out. */
static bool has_plain_ends(const Lockstep *l, const Loop *loop) {
    if (loop->preheader == NO_BLOCK || loop->latch == NO_BLOCK || loop->latch == loop->header ||
        block(l, loop->latch)->term.kind != TERM_JUMP)
        return false;
    const Block *h = block(l, loop->header);
    for (uint32_t k = 0; k < h->ins.n; k++)
        if (!opt_is_pure(l->fn, h->ins.at[k])) return false;
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        const Term *t = &block(l, loop->blocks[k])->term;
        if (t->kind != TERM_JUMP && t->kind != TERM_BRANCH) return false;
        for (uint32_t s = 0; s < opt_nsucc(t); s++) {
            bool inside = affine_is_in(l->af, loop, t->succ[s].to);
            if (inside == (k == 0 && s == 1)) return false;
        }
    }
    return h->term.kind == TERM_BRANCH;
}

/* A parameter of the header that goes up or down by something fixed, compared with something fixed. */
static Ref find_counter(const Lockstep *l, const Loop *loop, Ref *limit) {
    const Ins *test = at(l, block(l, loop->header)->term.arg);
    if (test->op != OP_LT && test->op != OP_LE && test->op != OP_GT && test->op != OP_GE) return 0;
    for (int a = 0; a < 2; a++) {
        const Ins *c = at(l, test->args[a]);
        if (c->op != OP_PARAM || c->block != loop->header || c->ty != TY_I(64)) continue;
        if (!affine_is_invariant(l->af, test->args[!a])) continue;
        const Ins *next = at(l, latch_arg(l, loop, test->args[a]));
        if ((next->op != OP_ADD && next->op != OP_SUB) || next->args[0] != test->args[a] ||
            !affine_is_invariant(l->af, next->args[1]))
            continue;
        *limit = test->args[!a];
        return test->args[a];
    }
    return 0;
}

static bool look_at_outer(Lockstep *l) {
    const Block *h = block(l, l->outer->header);
    int64_t step;
    if (!has_plain_ends(l, l->outer) || h->params.n != 1 || h->lanes || h->parallel) return false;
    affine_set_nest(l->af, l->outer);
    l->lane = find_counter(l, l->outer, &l->limit);
    const Ins *test = at(l, h->term.arg);
    return l->lane && test->op == OP_LT && test->args[0] == l->lane &&
           !is_inside(l, l->outer, l->limit) &&
           at(l, latch_arg(l, l->outer, l->lane))->op == OP_ADD &&
           opt_int_const(l->fn, at(l, latch_arg(l, l->outer, l->lane))->args[1], &step) &&
           step == 1;
}

static bool look_at_inner(Lockstep *l) {
    Ref limit;
    uint32_t trips = ir_const_trips(l->fn, l->af->cfg, l->af->loops, l->inner);
    if (!has_plain_ends(l, l->inner) || block(l, l->inner->header)->lanes ||
        (trips && trips <= UNROLLED))
        return false;
    l->count = find_counter(l, l->inner, &limit);
    const Edge *in = &block(l, l->inner->preheader)->term.succ[0];
    return l->count && affine_is_invariant(l->af, in->args[at(l, l->count)->imm]);
}

/* The blocks from b to `end`, one after the other. Only the first may have parameters. */
static bool follow(Lockstep *l, BlockId b, BlockId end, bool behind) {
    bool first = behind;
    while (b != end) {
        const Block *x = block(l, b);
        if (x->term.kind != TERM_JUMP || (x->params.n && !first)) return false;
        first = false;
        if (behind)
            vec_push(l->cx, &l->post, b);
        else
            vec_push(l->cx, &l->pre, b);
        b = x->term.succ[0].to;
    }
    return true;
}

static bool find_parts(Lockstep *l) {
    const Term *out = &block(l, l->outer->header)->term, *in = &block(l, l->inner->header)->term;
    l->pre.n = l->post.n = 0;
    return follow(l, out->succ[0].to, l->inner->header, false) &&
           follow(l, in->succ[1].to, l->outer->header, true) &&
           1 + l->pre.n + l->inner->nblocks + l->post.n == l->outer->nblocks;
}

/* --- what they do ------------------------------------------------------------------------------- */

typedef struct Access {
    bool follows_lane; /* its neighbour in memory is the next iteration's of the outer loop */
    bool is_far; /* from one iteration of the inner loop to the next */
    bool follows_count;
} Access;

/* The factor of `counter` in a sum. */
static bool factor_of(const Lockstep *l, const Lin *lin, Ref counter, int64_t *k) {
    *k = 0;
    for (uint32_t i = 0; i < lin->n; i++) {
        const Term2 *t = &lin->t[i];
        if (t->a == counter && !t->b)
            *k = t->k;
        else if (t->a == counter || t->b == counter)
            return false;
        else if ((t->a != l->lane && t->a != l->count && !affine_is_invariant(l->af, t->a)) ||
                 (t->b && !affine_is_invariant(l->af, t->b)))
            return false;
    }
    return true;
}

/* False: it does not follow the outer loop along memory, nor stays where it is. */
static bool look_at_access(const Lockstep *l, Ref r, Access *out) {
    const Ins *e = at(l, at(l, r)->args[0]);
    *out = (Access){0};
    if (e->op != OP_ELEM || is_inside(l, l->outer, e->args[0])) return false;
    const Type *ty = at(l, e->args[0])->ty;
    if (ty->kind != TY_ARRAY || ty->layout == 'A' || ty->elem->size > 8) return false;
    uint32_t unit = ty->layout == 'F' ? 1 : ty->ndim;
    for (uint32_t a = 1; a < e->nargs; a++) {
        int64_t lane, count;
        Lin lin = affine_lin(l->af, e->args[a], LIN_MODULO);
        if (!lin.ok || !factor_of(l, &lin, l->lane, &lane) || !factor_of(l, &lin, l->count, &count))
            return false;
        if (lane != 0 && (a != unit || lane != 1)) return false;
        out->follows_lane |= lane != 0;
        out->is_far |= count != 0 && (a != unit || (count != 1 && count != -1));
        out->follows_count |= count != 0;
    }
    return true;
}

static bool is_vector_type(const Type *ty) {
    return ty->kind == TY_BOOL || ty->kind == TY_INT || (ty->kind == TY_FLOAT && ty->bits >= 32);
}

typedef struct Work {
    bool serial; /* the inner loop can not become vector code */
    bool along; /* ... but the outer one can */
} Work;

static bool look_at_block(Lockstep *l, BlockId b, Work *w) {
    bool inner = affine_is_in(l->af, l->inner, b);
    const Refs *ins = &block(l, b)->ins;
    for (uint32_t k = 0; k < ins->n; k++) {
        const Ins *i = at(l, ins->at[k]);
        Access access;
        if (i->op != OP_LOAD && i->op != OP_STORE) {
            if (!opt_is_pure(l->fn, ins->at[k])) return false;
            continue;
        }
        if (!look_at_access(l, ins->at[k], &access)) return false;
        if (!is_vector_type(i->op == OP_LOAD ? i->ty : at(l, i->args[1])->ty)) return false;
        if (i->op == OP_STORE && !access.follows_lane) return false;
        if (!inner) continue;
        w->serial |= access.is_far || (i->op == OP_STORE && !access.follows_count);
        w->along |= access.follows_lane;
    }
    return true;
}

/* Does the next iteration wait for this one's, in an operation that takes long? */
static bool waits(const Lockstep *l, Ref param) {
    const Ins *next = at(l, latch_arg(l, l->inner, param));
    return next->ty->kind == TY_FLOAT && !(next->fast & FAST_REASSOC);
}

static bool is_worth_it(Lockstep *l) {
    Work w = {0};
    uint32_t kept = 0;
    for (uint32_t k = 0; k < l->outer->nblocks; k++)
        if (!look_at_block(l, l->outer->blocks[k], &w)) return false;
    const Refs *params = &block(l, l->inner->header)->params;
    for (uint32_t k = 0; k < params->n; k++) {
        if (params->at[k] == l->count) continue;
        if (!is_vector_type(at(l, params->at[k])->ty)) return false;
        w.serial |= waits(l, params->at[k]);
        kept++;
    }
    for (uint32_t k = 0; k < l->pre.n; k++)
        for (uint32_t i = 0; i < block(l, l->pre.at[k])->ins.n; i++)
            kept += at(l, block(l, l->pre.at[k])->ins.at[i])->op == OP_LOAD;
    return w.serial && w.along && kept <= KEPT;
}

/* Are the arrays that must not share memory there before the loop? */
static bool is_free(Lockstep *l) {
    l->d = depend_look(l->cx, l->fn, l->af, l->outer);
    if (l->d.answer != DEPEND_FREE || l->d.reductions.n) return false;
    for (uint32_t k = 0; k < l->d.asks.n; k++) {
        const RunTimeAsk *q = &l->d.asks.at[k];
        if (q->kind != ASK_APART || is_inside(l, l->outer, q->a) || is_inside(l, l->outer, q->b))
            return false;
    }
    return true;
}

/* --- building: values --------------------------------------------------------------------------- */

static Ref add(Lockstep *l, BlockId b, Op op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(l->cx, l->fn, b, op, ty, (Span){0}, n, args);
}
static Ref add_int(Lockstep *l, BlockId b, int64_t k) {
    return ir_const(l->cx, l->fn, b, ir_const_int(l->cx, TY_I(64), k), (Span){0});
}
static Ref add2(Lockstep *l, BlockId b, Op op, Ref x, Ref y) {
    return add(l, b, op, op == OP_LT || op == OP_AND ? TY_OF(TY_BOOL) : TY_I(64), 2, (Ref[]){x, y});
}

static uint32_t first_after_args(const Fn *fn) {
    uint32_t i = 0;
    while (i < fn->blocks.at[0].ins.n && ir_at(fn, fn->blocks.at[0].ins.at[i])->op == OP_ARG) i++;
    return i;
}

/* The buffer of a value of pre or of the inner header; false: it has none, and `make` does not say that it should. */
static bool find_buffer(Lockstep *l, Ref r, bool make, Ref *buffer) {
    for (uint32_t k = 0; k < l->nkept; k++)
        if (l->kept[k].value == r) {
            *buffer = l->kept[k].buffer;
            return true;
        }
    if (!make) return false;
    WS_ASSERT(l->nkept < KEPT);
    *buffer = ir_insert(l->cx, l->fn, 0, first_after_args(l->fn), OP_STACK, TY_OF(TY_PTR),
                        (Span){0}, 0, NULL);
    ir_at(l->fn, *buffer)->imm = STRIP * (int64_t)at(l, r)->ty->size;
    l->kept[l->nkept++] = (Kept){r, *buffer};
    return true;
}

static Ref buffer_place(Lockstep *l, BlockId b, Ref buffer, const Type *ty, Ref lane) {
    Ref done = add2(l, b, OP_SUB, lane, l->start);
    Ref bytes = add2(l, b, OP_MUL, done, add_int(l, b, ty->size));
    return add(l, b, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){buffer, bytes});
}

static void save(Lockstep *l, BlockId b, Ref r, Ref value, Ref lane) {
    Ref buffer;
    find_buffer(l, r, true, &buffer);
    Ref place = buffer_place(l, b, buffer, at(l, r)->ty, lane);
    add(l, b, OP_STORE, TY_OF(TY_NONE), 2, (Ref[]){place, value});
}

/* Value r in the part at hand, computed in block b: what comes from elsewhere in the iteration is read from its
 * buffer, or computed again. */
static Ref value(Lockstep *l, BlockId b, Ref r) {
    Ref made = (Ref)map_get(&l->refs, r, 0), buffer;
    if (made) return made;
    Ins i = *at(l, r);
    if (!affine_is_in(l->af, l->outer, i.block)) return r;
    if (i.op == OP_PARAM || i.op == OP_LOAD) {
        find_buffer(l, r, true, &buffer);
        Ref place = buffer_place(l, b, buffer, i.ty, (Ref)map_get(&l->refs, l->lane, 0));
        made = add(l, b, OP_LOAD, i.ty, 1, &place);
    } else {
        Ref *args = NEWN(l->cx, Ref, i.nargs + 1u);
        for (uint32_t k = 0; k < i.nargs; k++) args[k] = value(l, b, i.args[k]);
        made = add(l, b, (Op)i.op, i.ty, i.nargs, args);
        i.args = ir_at(l->fn, made)->args;
        i.block = b;
        *ir_at(l->fn, made) = i;
    }
    map_set(l->cx, &l->refs, r, made);
    return made;
}

/* Copies the instructions of block x to b. */
static void copy_block(Lockstep *l, BlockId b, BlockId x) {
    for (uint32_t k = 0; k < block(l, x)->ins.n; k++) {
        Ref r = block(l, x)->ins.at[k];
        Ins i = *at(l, r);
        Ref *args = NEWN(l->cx, Ref, i.nargs + 1u);
        for (uint32_t a = 0; a < i.nargs; a++) args[a] = value(l, b, i.args[a]);
        Ref made = add(l, b, (Op)i.op, i.ty, i.nargs, args);
        i.args = ir_at(l->fn, made)->args;
        i.block = b;
        *ir_at(l->fn, made) = i;
        map_set(l->cx, &l->refs, r, made);
    }
}

/* --- building: loops over the strip ------------------------------------------------------------- */

typedef struct Lanes {
    BlockId header, body;
    Ref lane;
} Lanes;

/* A loop over the strip, entered by a jump to its header with the strip's start. */
static Lanes open_lanes(Lockstep *l, BlockId behind) {
    Lanes n = {ir_new_block(l->cx, l->fn, "lanes.for"), ir_new_block(l->cx, l->fn, "lanes"), 0};
    n.lane = ir_add_param(l->cx, l->fn, n.header, TY_I(64));
    Ref more = add2(l, n.header, OP_LT, n.lane, l->end);
    ir_branch(l->cx, l->fn, n.header, more, ir_edge(l->cx, n.body, 0, NULL),
              ir_edge(l->cx, behind, 0, NULL), block(l, l->outer->header)->term.span);
    l->fn->blocks.at[n.header].lanes = true;
    l->refs = (Map){0};
    map_set(l->cx, &l->refs, l->lane, n.lane);
    return n;
}

static void close_lanes(Lockstep *l, const Lanes *n, BlockId b) {
    Ref next = add2(l, b, OP_ADD, n->lane, add_int(l, b, 1));
    ir_jump(l->cx, l->fn, b, n->header, 1, &next);
}

static bool is_kept(const Lockstep *l, Ref param) { return param != l->count; }

/* What the iterations do before the inner loop. Last of the three, for then it is known which loads the others
 * ask for. */
static BlockId build_pre(Lockstep *l, BlockId behind) {
    Lanes n = open_lanes(l, behind);
    Ref buffer;
    for (uint32_t k = 0; k < l->pre.n; k++) copy_block(l, n.body, l->pre.at[k]);
    for (uint32_t k = 0; k < l->nkept; k++) {
        Ref r = l->kept[k].value;
        if (at(l, r)->op == OP_LOAD && find_buffer(l, r, false, &buffer))
            save(l, n.body, r, value(l, n.body, r), n.lane);
    }
    const Edge *in = &block(l, l->inner->preheader)->term.succ[0];
    for (uint32_t k = 0; k < in->n; k++) {
        Ref param = block(l, l->inner->header)->params.at[k];
        if (is_kept(l, param)) save(l, n.body, param, value(l, n.body, in->args[k]), n.lane);
    }
    close_lanes(l, &n, n.body);
    return n.header;
}

typedef struct Uses {
    Lockstep *l;
    BlockId to;
} Uses;

static void bring(void *arg, Ref *use) {
    Uses *u = arg;
    const Loop *inner = u->l->inner;
    BlockId b = at(u->l, *use)->block;
    if (!affine_is_in(u->l->af, inner, b) || b == inner->header)
        map_set(u->l->cx, &u->l->refs, *use, value(u->l, u->to, *use));
}

/* One iteration of the inner loop for all of the strip. */
static BlockId build_step(Lockstep *l, BlockId behind, Ref count) {
    Lanes n = open_lanes(l, behind);
    const Loop *inner = l->inner;
    map_set(l->cx, &l->refs, l->count, count);
    BlockId end = ir_new_block(l->cx, l->fn, "lanes.end");
    const Refs *params = &block(l, inner->header)->params;
    for (uint32_t k = 0; k < params->n; k++) {
        Ref param = block(l, inner->header)->params.at[k];
        Ref next = ir_add_param(l->cx, l->fn, end, at(l, param)->ty);
        if (is_kept(l, param)) save(l, end, param, next, n.lane);
    }
    Uses uses = {l, n.body};
    for (uint32_t k = 1; k < inner->nblocks; k++)
        ir_visit_uses(l->fn, inner->blocks[k], bring, &uses);
    Edge in = block(l, inner->header)->term.succ[0];
    Ref *args = NEWN(l->cx, Ref, in.n + 1);
    for (uint32_t k = 0; k < in.n; k++) args[k] = value(l, n.body, in.args[k]);
    Map ids = {0};
    map_set(l->cx, &ids, inner->header, end);
    ir_clone(l->cx, l->fn, l->fn, inner->blocks + 1, inner->nblocks - 1, &l->refs, &ids);
    for (uint32_t k = 1; k < inner->nblocks; k++) {
        BlockId copy = (BlockId)map_get(&ids, inner->blocks[k], NO_BLOCK);
        l->fn->blocks.at[copy].handler = (Edge){.to = NO_BLOCK};
    }
    ir_jump(l->cx, l->fn, n.body, (BlockId)map_get(&ids, in.to, NO_BLOCK), in.n, args);
    close_lanes(l, &n, end);
    return n.header;
}

/* What the iterations do behind the inner loop. */
static BlockId build_post(Lockstep *l, BlockId behind, Ref count) {
    Lanes n = open_lanes(l, behind);
    map_set(l->cx, &l->refs, l->count, count);
    const Edge *out = &block(l, l->inner->header)->term.succ[1];
    for (uint32_t k = 0; k < out->n; k++) {
        Ref param = block(l, out->to)->params.at[k];
        map_set(l->cx, &l->refs, param, value(l, n.body, out->args[k]));
    }
    for (uint32_t k = 0; k < l->post.n; k++) copy_block(l, n.body, l->post.at[k]);
    close_lanes(l, &n, n.body);
    return n.header;
}

/* --- building: around them ---------------------------------------------------------------------- */

/* How many iterations the strip has: min(left, 64). */
static Ref add_size(Lockstep *l, BlockId b) {
    Ref n = add2(l, b, OP_SUB, l->limit, l->start);
    n = add2(l, b, OP_MATH, n, add_int(l, b, STRIP));
    ir_at(l->fn, n)->sub = MATH_MIN;
    return n;
}

static Ref add_questions(Lockstep *l, BlockId b) {
    Ref all = 0;
    for (uint32_t k = 0; k < l->d.asks.n; k++) {
        Ref yes = depend_ask_apart(l->cx, l->fn, b, l->d.asks.at[k].a, l->d.asks.at[k].b);
        all = all ? add2(l, b, OP_AND, all, yes) : yes;
    }
    return all;
}

static void build(Lockstep *l) {
    Fn *fn = l->fn;
    const Loop *outer = l->outer, *inner = l->inner;
    BlockId strip = ir_new_block(l->cx, fn, "strip"), size = ir_new_block(l->cx, fn, "strip.size");
    BlockId header = ir_new_block(l->cx, fn, "steps.for"), step = ir_new_block(l->cx, fn, "step");
    BlockId end = ir_new_block(l->cx, fn, "strip.end");
    l->start = ir_add_param(l->cx, fn, strip, TY_I(64));
    Ref last = opt_sub_far(l->cx, fn, outer->preheader, l->limit, FEW - 1);
    ir_branch(l->cx, fn, strip, add2(l, strip, OP_LT, l->start, last),
              ir_edge(l->cx, size, 0, NULL), ir_edge(l->cx, outer->header, 1, &l->start),
              (Span){0});
    l->end = add2(l, size, OP_ADD, l->start, add_size(l, size));
    ir_jump(l->cx, fn, end, strip, 1, &l->end);

    Ref count = ir_add_param(l->cx, fn, header, TY_I(64));
    BlockId steps = build_step(l, step, count), post = build_post(l, end, count);
    l->refs = (Map){0};
    map_set(l->cx, &l->refs, l->count, count);
    Ref more = value(l, header, block(l, inner->header)->term.arg);
    Edge start = ir_edge(l->cx, steps, 1, &l->start), out = ir_edge(l->cx, post, 1, &l->start);
    ir_branch(l->cx, fn, header, more, start, out, block(l, inner->header)->term.span);
    Ref next = value(l, step, latch_arg(l, inner, l->count));
    ir_jump(l->cx, fn, step, header, 1, &next);

    BlockId enter = ir_new_block(l->cx, fn, "steps");
    BlockId pre = build_pre(l, enter);
    l->refs = (Map){0};
    const Edge *in = &block(l, inner->preheader)->term.succ[0];
    Ref first = value(l, enter, in->args[at(l, l->count)->imm]);
    ir_jump(l->cx, fn, enter, header, 1, &first);
    ir_jump(l->cx, fn, size, pre, 1, &l->start);

    fn->blocks.at[outer->header].rest = fn->blocks.at[inner->header].rest = true;
    Edge old = block(l, outer->preheader)->term.succ[0];
    Ref ok = add_questions(l, outer->preheader);
    if (ok)
        ir_branch(l->cx, fn, outer->preheader, ok, ir_edge(l->cx, strip, old.n, old.args), old,
                  (Span){0});
    else
        ir_jump(l->cx, fn, outer->preheader, strip, old.n, old.args);
}

/* --- the pass ----------------------------------------------------------------------------------- */

static void report(const Lockstep *l) {
    if (!remark_wanted(l->cx)) return;
    const char *length = cx_printf(l->cx, "%d", STRIP);
    Place out = ir_place_of_loop(l->cx, l->fn, l->outer);
    Place in = ir_place_of_loop(l->cx, l->fn, l->inner);
    if (!out.span.line || !in.span.line) return;
    remark_add(l->cx, REMARK_LOCKSTEP, out.span, length)->via = out.via;
    remark_add(l->cx, REMARK_LOCKSTEP_INSIDE, in.span, length)->via = in.via;
}

static bool try_loop(Cx *cx, Fn *fn, Affine *af, Loop *outer) {
    Lockstep l = {.cx = cx, .fn = fn, .af = af, .outer = outer, .inner = outer->child};
    if (outer->child->next || outer->child->child || !look_at_outer(&l) || !look_at_inner(&l) ||
        !find_parts(&l) || !is_worth_it(&l) || !is_free(&l))
        return false;
    report(&l);
    build(&l);
    return true;
}

static bool try_loops(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    bool changed = false;
    for (; loop; loop = loop->next)
        if (loop->child)
            changed |= try_loop(cx, fn, af, loop) || try_loops(cx, fn, af, loop->child);
    return changed;
}

bool opt_lockstep(Cx *cx, Fn *fn) {
    if (fn->is_slow || fn->is_kernel || fn->options.debug) return false;
    Affine *af = affine_new_loops(cx, fn, LIN_EXACT);
    return af && try_loops(cx, fn, af, af->loops->roots);
}
