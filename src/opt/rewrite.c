/* Edges, substitutions and sweeping: the mechanics under the passes. */
#include "ir/math.h"
#include "opt/opt_int.h"

static void count_edge(uint32_t *n, const Edge *e) { n[e->to + 1]++; }

Incoming opt_incoming(Cx *cx, const Fn *fn) {
    uint32_t nb = fn->blocks.n, total = 0;
    Incoming in = {NEWN(cx, uint32_t, nb + 2), NULL};
    for (BlockId b = 0; b < nb; b++) {
        const Block *blk = &fn->blocks.at[b];
        if (blk->dead) continue;
        for (uint32_t s = 0; s < opt_nsucc(&blk->term); s++)
            count_edge(in.start, &blk->term.succ[s]), total++;
        if (opt_has_handler(blk)) count_edge(in.start, &blk->handler), total++;
    }
    for (BlockId b = 0; b < nb; b++) in.start[b + 1] += in.start[b];
    uint32_t *fill = NEWN(cx, uint32_t, nb + 1);
    in.at = NEWN(cx, In, total + 1);
    for (BlockId b = 0; b < nb; b++) {
        const Block *blk = &fn->blocks.at[b];
        if (blk->dead) continue;
        for (uint32_t s = 0; s < opt_nsucc(&blk->term); s++) {
            BlockId to = blk->term.succ[s].to;
            in.at[in.start[to] + fill[to]++] = (In){b, s};
        }
        if (opt_has_handler(blk)) {
            BlockId to = blk->handler.to;
            in.at[in.start[to] + fill[to]++] = (In){b, IN_HANDLER};
        }
    }
    return in;
}

bool opt_same_edge(const Edge *a, const Edge *b) {
    if (a->to != b->to) return false;
    if (a->to == NO_BLOCK) return true;
    return a->n == b->n && (a->n == 0 || memcmp(a->args, b->args, a->n * sizeof(Ref)) == 0);
}

void opt_raise_to_jump(Cx *cx, Fn *fn, BlockId b) {
    Block *blk = &fn->blocks.at[b];
    Edge e = {.to = blk->handler.to, .n = blk->handler.n + 1};
    e.args = NEWN(cx, Ref, e.n);
    e.args[0] = blk->term.arg;
    for (uint32_t i = 1; i < e.n; i++) e.args[i] = blk->handler.args[i - 1];
    blk->term = (Term){.kind = TERM_JUMP, .succ = {e, {.to = NO_BLOCK}}, .span = blk->term.span};
}

bool opt_block_raises(const Fn *fn, BlockId b) {
    const Block *blk = &fn->blocks.at[b];
    if (blk->term.kind == TERM_RAISE) return true;
    for (uint32_t i = 0; i < blk->ins.n; i++)
        if (opt_raises(fn, blk->ins.at[i])) return true;
    return false;
}

bool opt_drop_handlers(Fn *fn) {
    bool any = false;
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Block *blk = &fn->blocks.at[b];
        if (blk->dead || !opt_has_handler(blk) || opt_block_raises(fn, b)) continue;
        blk->handler = (Edge){.to = NO_BLOCK};
        any = true;
    }
    return any;
}

void subst_set(Cx *cx, Subst *s, Ref from, Ref to) {
    if (from >= s->n) {
        uint32_t n = (from + 16) * 2;
        Ref *at = NEWN(cx, Ref, n);
        if (s->n) memcpy(at, s->to, s->n * sizeof(Ref));
        s->to = at;
        s->n = n;
    }
    s->to[from] = to;
    s->any = true;
}

Ref subst_get(Subst *s, Ref r) {
    if (r >= s->n || !s->to[r]) return r;
    Ref end = r;
    while (end < s->n && s->to[end]) end = s->to[end];
    while (r != end) { /* shorten the path for the next who asks */
        Ref next = s->to[r];
        s->to[r] = end;
        r = next;
    }
    return end;
}

static void subst_use(void *arg, Ref *use) { *use = subst_get(arg, *use); }

void subst_block(Fn *fn, Subst *s, BlockId b) {
    if (s->any) ir_visit_uses(fn, b, subst_use, s);
}

void subst_apply(Fn *fn, Subst *s) {
    for (BlockId b = 0; s->any && b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead) ir_visit_uses(fn, b, subst_use, s);
}

bool opt_drop_unreachable(Cx *cx, Fn *fn) {
    uint32_t nb = fn->blocks.n, top = 0;
    bool *seen = NEWN(cx, bool, nb), any = false;
    BlockId *stack = NEWN(cx, BlockId, nb);
    seen[0] = true;
    stack[top++] = 0;
    while (top) {
        const Block *blk = &fn->blocks.at[stack[--top]];
        BlockId next[3];
        uint32_t n = 0;
        for (uint32_t s = 0; s < opt_nsucc(&blk->term); s++) next[n++] = blk->term.succ[s].to;
        if (opt_has_handler(blk)) next[n++] = blk->handler.to;
        while (n--) {
            if (seen[next[n]]) continue;
            seen[next[n]] = true;
            stack[top++] = next[n];
        }
    }
    for (BlockId b = 0; b < nb; b++) {
        if (seen[b] || fn->blocks.at[b].dead) continue;
        ir_kill_block(fn, b);
        any = true;
    }
    return any;
}

/* --- dead values ------------------------------------------------------------------------------ */

typedef struct Marker {
    Fn *fn;
    Incoming in;
    bool *live;
    Ref *stack;
    uint32_t top;
} Marker;

static void mark(Marker *m, Ref r) {
    if (!r || m->live[r]) return;
    m->live[r] = true;
    m->stack[m->top++] = r;
}

static bool has_effect(const Fn *fn, Ref r) {
    return fn->ins.at[r].op == OP_ARG || (opt_effects(fn, r) & (WRITES | RAISES | CONV));
}

static void mark_roots(Marker *m) {
    for (BlockId b = 0; b < m->fn->blocks.n; b++) {
        const Block *blk = &m->fn->blocks.at[b];
        if (blk->dead) continue;
        for (uint32_t i = 0; i < blk->ins.n; i++)
            if (has_effect(m->fn, blk->ins.at[i])) mark(m, blk->ins.at[i]);
        mark(m, blk->term.arg);
        mark(m, blk->term.arg2);
    }
    /* The exception's place among a handler's parameters cannot go. */
    for (BlockId b = 0; b < m->fn->blocks.n; b++)
        for (uint32_t e = m->in.start[b]; e < m->in.start[b + 1]; e++)
            if (m->in.at[e].which == IN_HANDLER) mark(m, m->fn->blocks.at[b].params.at[0]);
}

static void mark_needed(Marker *m) {
    while (m->top) {
        const Ins *i = ir_at(m->fn, m->stack[--m->top]);
        for (uint32_t a = 0; a < i->nargs; a++) mark(m, i->args[a]);
        if (i->op != OP_PARAM) continue;
        for (uint32_t e = m->in.start[i->block]; e < m->in.start[i->block + 1]; e++)
            mark(m, opt_edge_arg(m->fn, m->in.at[e], (uint32_t)i->imm));
    }
}

/* Takes the arguments of dead parameters out of an edge. skip: parameters before the first
 * argument. */
static void shrink_edge(const Marker *m, Edge *e, uint32_t skip) {
    const Refs *params = &m->fn->blocks.at[e->to].params;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (m->live[params->at[i + skip]]) e->args[n++] = e->args[i];
    e->n = n;
}

static bool drop_params(Marker *m) {
    Fn *fn = m->fn;
    bool any = false;
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Block *blk = &fn->blocks.at[b];
        if (blk->dead) continue;
        for (uint32_t s = 0; s < opt_nsucc(&blk->term); s++) shrink_edge(m, &blk->term.succ[s], 0);
        if (opt_has_handler(blk)) shrink_edge(m, &blk->handler, 1);
    }
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Refs *p = &fn->blocks.at[b].params;
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->n; i++) {
            if (m->live[p->at[i]]) {
                fn->ins.at[p->at[i]].imm = n;
                p->at[n++] = p->at[i];
            } else {
                fn->ins.at[p->at[i]].op = OP_NOP;
                fn->ins.at[p->at[i]].block = NO_BLOCK;
                any = true;
            }
        }
        p->n = n;
    }
    return any;
}

bool opt_drop_dead(Cx *cx, Fn *fn) {
    Marker m = {fn, opt_incoming(cx, fn), NEWN(cx, bool, fn->ins.n), NEWN(cx, Ref, fn->ins.n), 0};
    bool any = false;
    mark_roots(&m);
    mark_needed(&m);
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Block *blk = &fn->blocks.at[b];
        for (uint32_t i = 0; i < blk->ins.n; i++) {
            if (m.live[blk->ins.at[i]]) continue;
            ir_kill(fn, blk->ins.at[i]);
            any = true;
        }
    }
    any |= drop_params(&m);
    if (any) ir_sweep(fn);
    return any;
}

typedef struct Uses {
    Ref of;
    uint32_t n;
} Uses;
static void count_use(void *arg, Ref *use) {
    Uses *u = arg;
    u->n += *use == u->of;
}

uint32_t opt_uses_in(Fn *fn, BlockId b, Ref r) {
    Uses u = {.of = r};
    ir_visit_uses(fn, b, count_use, &u);
    return u.n;
}

/* --- instructions ----------------------------------------------------------------------------- */

Ref opt_sub_far(Cx *cx, Fn *fn, BlockId b, Ref limit, int64_t n) {
    Type *i64 = TY_I(64);
    int64_t end = n > 0 ? INT64_MIN + n : INT64_MAX + n;
    Ref k = ir_const(cx, fn, b, ir_const_int(cx, i64, end), (Span){0});
    Ref near = ir_add(cx, fn, b, OP_MATH, i64, (Span){0}, 2, (Ref[]){limit, k});
    ir_at(fn, near)->sub = n > 0 ? MATH_MAX : MATH_MIN;
    k = ir_const(cx, fn, b, ir_const_int(cx, i64, n > 0 ? n : -n), (Span){0});
    return ir_add(cx, fn, b, n > 0 ? OP_SUB : OP_ADD, i64, (Span){0}, 2, (Ref[]){near, k});
}

uint32_t opt_weigh(const Fn *fn, Ref r) {
    const Ins *i = ir_at(fn, r);
    switch ((int)i->op) {
    case OP_CONST:
    case OP_FIELD:
    case OP_MAKE: return 0;
    case OP_FDIV:
    case OP_FLOORDIV:
    case OP_FLOORMOD: return 8;
    case OP_ATOMIC: return 20;
    case OP_MATH: return i->sub == MATH_ABS || i->sub == MATH_MIN || i->sub == MATH_MAX ? 1 : 16;
    case OP_ALLOC:
    case OP_CALL_RT: return 100;
    case OP_CALL_FN:
    case OP_REGION: return 1000;
    default: return 1;
    }
}

/* --- preheaders ------------------------------------------------------------------------------- */

/* The edge into the loop from outside, if there is but one. */
static const In *only_way_in(const Incoming *in, const Loops *loops, const Loop *loop) {
    const In *only = NULL;
    for (uint32_t e = in->start[loop->header]; e < in->start[loop->header + 1]; e++) {
        if (ir_loop_has(loops, loop, in->at[e].from)) continue;
        if (only) return NULL;
        only = &in->at[e];
    }
    return only;
}

/* The loop's only way in becomes a block that jumps to the header. */
static void make_preheader(Cx *cx, Fn *fn, const Incoming *in, const Loops *loops,
                           const Loop *loop) {
    BlockId made = ir_new_block(cx, fn, "preheader");
    const In *only = only_way_in(in, loops, loop);
    if (only && only->which != IN_HANDLER) { /* what it brings is seen from the header as it is */
        Edge e = *opt_edge(fn, *only);
        ir_jump(cx, fn, made, loop->header, e.n, e.args);
        *opt_edge(fn, *only) = ir_edge(cx, made, 0, NULL);
        return;
    }
    for (uint32_t i = 0; i < fn->blocks.at[loop->header].params.n; i++)
        ir_add_param(cx, fn, made, ir_at(fn, fn->blocks.at[loop->header].params.at[i])->ty);
    const Refs *params = &fn->blocks.at[made].params;
    ir_jump(cx, fn, made, loop->header, params->n, params->at);
    for (uint32_t e = in->start[loop->header]; e < in->start[loop->header + 1]; e++)
        if (!ir_loop_has(loops, loop, in->at[e].from)) opt_edge(fn, in->at[e])->to = made;
}

static bool make_preheaders(Cx *cx, Fn *fn, const Incoming *in, const Loops *loops,
                            const Loop *loop) {
    bool any = false;
    for (; loop; loop = loop->next) {
        if (loop->preheader == NO_BLOCK) {
            make_preheader(cx, fn, in, loops, loop);
            any = true;
        }
        any |= make_preheaders(cx, fn, in, loops, loop->child);
    }
    return any;
}

bool opt_make_preheaders(Cx *cx, Fn *fn, const Loops *loops) {
    Incoming in = opt_incoming(cx, fn);
    return make_preheaders(cx, fn, &in, loops, loops->roots);
}

bool opt_has_checks(const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++)
        for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++) {
            unsigned op = ir_at(fn, fn->blocks.at[b].ins.at[i])->op;
            if (op == OP_CHECK || op == OP_CHECK_INDEX || op == OP_WRAP) return true;
        }
    return false;
}
