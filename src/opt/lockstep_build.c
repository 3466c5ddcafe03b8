/* The loops over a strip, put before the loop (see lockstep.c for the picture):
 *
 *     strip(start):  start + 3 < limit ?  no: the loop as it was(start)
 *                    end = start + min(limit - start, 64)
 *     level 1:       for j of the strip: what comes before the loop
 *                    for k:   level 2, or for the innermost loop:
 *                             for j of the strip: its body
 *                    for j of the strip: what comes behind it
 *                    strip(end)
 *
 * Values that an iteration of the outer loop has in one part and needs in another are read from buffers, one place for
 * each iteration of the strip: what inner loops carry along, and what was loaded. All else is computed again. */
#include "opt/lockstep.h"

#include "base/assert.h"
#include "base/map.h"
#include "ir/math.h"

typedef struct Kept {
    Ref value, buffer;
} Kept;

typedef struct Build {
    Lockstep *l;
    Cx *cx;
    Fn *fn;
    Kept kept[LOCKSTEP_KEPT];
    uint32_t nkept;
    Ref start, end;           /* of the strip */
    Ref now
        [LOCKSTEP_LEVELS]; /* the counters of the loops that are built; [0]: of the part at hand */
    Map refs; /* value of the loops -> what it is in the part at hand */
} Build;

static const Ins *at(const Build *b, Ref r) { return ir_at(b->fn, r); }
static const Block *block(const Build *b, BlockId id) { return &b->fn->blocks.at[id]; }

static Ref add(Build *b, BlockId to, Op op, Type *ty, uint32_t n, const Ref *args) {
    return ir_add(b->cx, b->fn, to, op, ty, (Span){0}, n, args);
}
static Ref add_int(Build *b, BlockId to, int64_t k) {
    return ir_const(b->cx, b->fn, to, ir_const_int(b->cx, TY_I(64), k), (Span){0});
}
static Ref add2(Build *b, BlockId to, Op op, Ref x, Ref y) {
    bool is_bool = op == OP_LT || op == OP_AND;
    return add(b, to, op, is_bool ? TY_OF(TY_BOOL) : TY_I(64), 2, (Ref[]){x, y});
}
static BlockId new_block(Build *b, const char *label) { return ir_new_block(b->cx, b->fn, label); }

/* --- buffers ------------------------------------------------------------------------------------ */

static uint32_t first_after_args(const Fn *fn) {
    uint32_t i = 0;
    while (i < fn->blocks.at[0].ins.n && ir_at(fn, fn->blocks.at[0].ins.at[i])->op == OP_ARG) i++;
    return i;
}

static Ref find_buffer(Build *b, Ref r) {
    for (uint32_t k = 0; k < b->nkept; k++)
        if (b->kept[k].value == r) return b->kept[k].buffer;
    WS_ASSERT(b->nkept < LOCKSTEP_KEPT);
    Ref buffer = ir_insert(b->cx, b->fn, 0, first_after_args(b->fn), OP_STACK, TY_OF(TY_PTR),
                           (Span){0}, 0, NULL);
    ir_at(b->fn, buffer)->imm = LOCKSTEP_STRIP * (int64_t)at(b, r)->ty->size;
    b->kept[b->nkept++] = (Kept){r, buffer};
    return buffer;
}

/* Where the buffer of r has this iteration's, in block `to`. */
static Ref place_of(Build *b, BlockId to, Ref r) {
    Ref done = add2(b, to, OP_SUB, b->now[0], b->start);
    Ref bytes = add2(b, to, OP_MUL, done, add_int(b, to, at(b, r)->ty->size));
    return add(b, to, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){find_buffer(b, r), bytes});
}

static void save(Build *b, BlockId to, Ref r, Ref value) {
    add(b, to, OP_STORE, TY_OF(TY_NONE), 2, (Ref[]){place_of(b, to, r), value});
}

/* --- values ------------------------------------------------------------------------------------- */

static Ref value(Build *b, BlockId to, Ref r);

static Ref copy_ins(Build *b, BlockId to, Ref r) {
    Ins i = *at(b, r);
    Ref *args = NEWN(b->cx, Ref, i.nargs + 1u);
    for (uint32_t k = 0; k < i.nargs; k++) args[k] = value(b, to, i.args[k]);
    Ref made = add(b, to, (Op)i.op, i.ty, i.nargs, args);
    i.args = at(b, made)->args;
    i.block = to;
    *ir_at(b->fn, made) = i;
    return made;
}

/* Value r in the part at hand, computed in block `to`: what comes from another part is read from its buffer, or
 * computed again. */
static Ref value(Build *b, BlockId to, Ref r) {
    Ref made = (Ref)map_get(&b->refs, r, 0);
    if (made) return made;
    const Ins *i = at(b, r);
    if (!affine_is_in(b->l->af, b->l->levels[0].loop, i->block)) return r;
    if (i->op == OP_PARAM || i->op == OP_LOAD) {
        Type *ty = i->ty;
        Ref place = place_of(b, to, r);
        made = add(b, to, OP_LOAD, ty, 1, &place);
    } else {
        made = copy_ins(b, to, r);
    }
    map_set(b->cx, &b->refs, r, made);
    return made;
}

/* A part begins, inside of `levels` loops: their counters are there. */
static void begin_part(Build *b, uint32_t levels) {
    b->refs = (Map){0};
    for (uint32_t k = 0; k <= levels; k++)
        if (b->now[k]) map_set(b->cx, &b->refs, b->l->levels[k].count, b->now[k]);
}

static void copy_blocks(Build *b, BlockId to, const BlockId *blocks, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < block(b, blocks[k])->ins.n; i++) {
            Ref r = block(b, blocks[k])->ins.at[i];
            map_set(b->cx, &b->refs, r, copy_ins(b, to, r));
        }
}

/* What the header of a loop gets from an edge, into the buffers. All are read before any is written: two may change
 * places. */
static void save_params(Build *b, BlockId to, const Level *v, const Edge *e) {
    Ref *values = NEWN(b->cx, Ref, e->n + 1);
    for (uint32_t k = 0; k < e->n; k++) values[k] = value(b, to, e->args[k]);
    for (uint32_t k = 0; k < e->n; k++) {
        Ref param = block(b, v->loop->header)->params.at[k];
        if (param != v->count) save(b, to, param, values[k]);
    }
}

/* --- parts -------------------------------------------------------------------------------------- */

typedef struct Lanes {
    BlockId header, body;
} Lanes;

/* A loop over the strip, which `from` jumps to; goes on at `behind`. A part begins in its body. */
static Lanes open_lanes(Build *b, BlockId from, BlockId behind, uint32_t levels) {
    Lanes n = {new_block(b, "lanes.for"), new_block(b, "lanes")};
    b->now[0] = ir_add_param(b->cx, b->fn, n.header, TY_I(64));
    Ref more = add2(b, n.header, OP_LT, b->now[0], b->end);
    ir_branch(b->cx, b->fn, n.header, more, ir_edge(b->cx, n.body, 0, NULL),
              ir_edge(b->cx, behind, 0, NULL), block(b, b->l->levels[0].loop->header)->term.span);
    b->fn->blocks.at[n.header].lanes = true;
    ir_jump(b->cx, b->fn, from, n.header, 1, &b->start);
    begin_part(b, levels);
    return n;
}

static void close_lanes(Build *b, const Lanes *n, BlockId end) {
    Ref next = add2(b, end, OP_ADD, b->now[0], add_int(b, end, 1));
    ir_jump(b->cx, b->fn, end, n->header, 1, &next);
    b->now[0] = 0;
}

/* What level m - 1 does before the loop of level m. Built behind all that follows it, which asks for what it loads. */
static void build_pre(Build *b, uint32_t m, BlockId from, BlockId behind) {
    const Level *v = &b->l->levels[m], *around = v - 1;
    Lanes n = open_lanes(b, from, behind, m - 1);
    copy_blocks(b, n.body, around->pre.at, around->pre.n);
    for (uint32_t k = 0; k < b->nkept; k++) {
        Ref r = b->kept[k].value;
        for (uint32_t i = 0; i < around->pre.n && at(b, r)->op == OP_LOAD; i++)
            if (at(b, r)->block == around->pre.at[i]) save(b, n.body, r, value(b, n.body, r));
    }
    save_params(b, n.body, v, &block(b, v->loop->preheader)->term.succ[0]);
    close_lanes(b, &n, n.body);
}

/* What level m - 1 does behind the loop of level m. */
static void build_post(Build *b, uint32_t m, BlockId from, BlockId behind) {
    const Level *v = &b->l->levels[m], *around = v - 1;
    Lanes n = open_lanes(b, from, behind, m);
    const Edge *out = &block(b, v->loop->header)->term.succ[1];
    for (uint32_t k = 0; k < out->n; k++)
        map_set(b->cx, &b->refs, block(b, out->to)->params.at[k], value(b, n.body, out->args[k]));
    copy_blocks(b, n.body, around->post.at, around->post.n);
    if (m > 1) save_params(b, n.body, around, &block(b, around->loop->latch)->term.succ[0]);
    close_lanes(b, &n, n.body);
}

typedef struct Uses {
    Build *b;
    BlockId to;
} Uses;

/* What the innermost body uses of its surroundings, and of its header. */
static void bring(void *arg, Ref *use) {
    Uses *u = arg;
    const Loop *inner = u->b->l->levels[u->b->l->last].loop;
    BlockId from = at(u->b, *use)->block;
    if (!affine_is_in(u->b->l->af, inner, from) || from == inner->header)
        map_set(u->b->cx, &u->b->refs, *use, value(u->b, u->to, *use));
}

/* One iteration of the innermost loop. */
static void build_body(Build *b, BlockId from, BlockId behind) {
    const Level *v = &b->l->levels[b->l->last];
    const Loop *inner = v->loop;
    Lanes n = open_lanes(b, from, behind, b->l->last);
    BlockId end = new_block(b, "lanes.end");
    for (uint32_t k = 0; k < block(b, inner->header)->params.n; k++) {
        Ref param = block(b, inner->header)->params.at[k];
        Ref next = ir_add_param(b->cx, b->fn, end, at(b, param)->ty);
        if (param != v->count) save(b, end, param, next);
    }
    Uses uses = {b, n.body};
    for (uint32_t k = 1; k < inner->nblocks; k++)
        ir_visit_uses(b->fn, inner->blocks[k], bring, &uses);
    Edge in = block(b, inner->header)->term.succ[0];
    Ref *args = NEWN(b->cx, Ref, in.n + 1);
    for (uint32_t k = 0; k < in.n; k++) args[k] = value(b, n.body, in.args[k]);
    Map ids = {0};
    map_set(b->cx, &ids, inner->header, end);
    ir_clone(b->cx, b->fn, b->fn, inner->blocks + 1, inner->nblocks - 1, &b->refs, &ids);
    for (uint32_t k = 1; k < inner->nblocks; k++) {
        BlockId copy = (BlockId)map_get(&ids, inner->blocks[k], NO_BLOCK);
        b->fn->blocks.at[copy].handler = (Edge){.to = NO_BLOCK};
    }
    ir_jump(b->cx, b->fn, n.body, (BlockId)map_get(&ids, in.to, NO_BLOCK), in.n, args);
    close_lanes(b, &n, end);
}

/* The loop of level m and what level m - 1 does around it, for the strip. */
static void build_level(Build *b, uint32_t m, BlockId from, BlockId behind) {
    const Level *v = &b->l->levels[m];
    BlockId enter = new_block(b, "steps"), header = new_block(b, "steps.for");
    BlockId body = new_block(b, "step"), next = new_block(b, "step.end"),
            after = new_block(b, "steps.end");
    Ref count = ir_add_param(b->cx, b->fn, header, TY_I(64));
    b->now[m] = count;
    begin_part(b, m);
    Ref more = value(b, header, block(b, v->loop->header)->term.arg);
    ir_branch(b->cx, b->fn, header, more, ir_edge(b->cx, body, 0, NULL),
              ir_edge(b->cx, after, 0, NULL), block(b, v->loop->header)->term.span);
    begin_part(b, m);
    Ref up = value(b, next, lockstep_next(b->l, v->loop, v->count));
    ir_jump(b->cx, b->fn, next, header, 1, &up);
    if (m == b->l->last)
        build_body(b, body, next);
    else
        build_level(b, m + 1, body, next);
    build_post(b, m, after, behind);
    b->now[m] = 0;
    build_pre(b, m, from, enter);
    begin_part(b, m - 1);
    const Edge *in = &block(b, v->loop->preheader)->term.succ[0];
    Ref first = value(b, enter, in->args[at(b, v->count)->imm]);
    ir_jump(b->cx, b->fn, enter, header, 1, &first);
}

/* --- around them -------------------------------------------------------------------------------- */

/* How many iterations the strip has: min(left, 64). */
static Ref add_size(Build *b, BlockId to) {
    Ref n = add2(b, to, OP_SUB, b->l->limit, b->start);
    n = add2(b, to, OP_MATH, n, add_int(b, to, LOCKSTEP_STRIP));
    ir_at(b->fn, n)->sub = MATH_MIN;
    return n;
}

/* Does no array stand in the way? 0: none could. */
static Ref add_questions(Build *b, BlockId to) {
    Ref all = 0;
    for (uint32_t k = 0; k < b->l->d.asks.n; k++) {
        const RunTimeAsk *q = &b->l->d.asks.at[k];
        Ref yes = depend_ask_apart(b->cx, b->fn, to, q->a, q->b);
        all = all ? add2(b, to, OP_AND, all, yes) : yes;
    }
    return all;
}

void lockstep_build(Lockstep *l) {
    Build b = {.l = l, .cx = l->cx, .fn = l->fn};
    const Loop *outer = l->levels[0].loop;
    BlockId strip = new_block(&b, "strip"), size = new_block(&b, "strip.size"),
            end = new_block(&b, "strip.end");
    b.start = ir_add_param(b.cx, b.fn, strip, TY_I(64));
    Ref last = opt_sub_far(b.cx, b.fn, outer->preheader, l->limit, LOCKSTEP_FEW - 1);
    ir_branch(b.cx, b.fn, strip, add2(&b, strip, OP_LT, b.start, last),
              ir_edge(b.cx, size, 0, NULL), ir_edge(b.cx, outer->header, 1, &b.start), (Span){0});
    b.end = add2(&b, size, OP_ADD, b.start, add_size(&b, size));
    ir_jump(b.cx, b.fn, end, strip, 1, &b.end);
    build_level(&b, 1, size, end);

    for (uint32_t k = 0; k <= l->last; k++) b.fn->blocks.at[l->levels[k].loop->header].rest = true;
    Edge old = block(&b, outer->preheader)->term.succ[0];
    Ref ok = add_questions(&b, outer->preheader);
    if (ok)
        ir_branch(b.cx, b.fn, outer->preheader, ok, ir_edge(b.cx, strip, old.n, old.args), old,
                  (Span){0});
    else
        ir_jump(b.cx, b.fn, outer->preheader, strip, old.n, old.args);
}
