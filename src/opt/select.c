/* Turns conditions into values in loops that could be vector code without them:
 *
 *     p: branch a, m, no                p: c = (what m computes)
 *     m: c = ...; branch c, yes, no  ->    branch (select a, c, false), yes, no
 *
 *     p: branch c, t, f                 p: v = select c, x, y
 *     t: store e, x; jump j          ->    store e, v
 *     f: store e, y; jump j                jump j
 *
 * relies on: version (checks are gone; loads are marked that are safe anyway because it has asked), strip
 * and carry (which
 * look at loops with their branches)    keeps: nothing    breaks: the graph in such loops
 *
 * The back end does this too, but not with loads, which it can not know to be safe; and it makes a
 * `switch` of comparisons of one value with constants, which no vector form is made of. A stencil with
 * conditions (game of life) runs seven times as fast.
 *
 * Only where all that a loop does is to compute and to store, each iteration for itself: elsewhere a
 * branch that is guessed right is worth more. And only what costs little: a condition is there to save
 * work.
 *
 * Two conditions are a select, not an `and`: with fast-math flags, what is computed in vain may have no value at all
 * (poison), which an `and` would hand on. */
#include "ir/math.h"
#include "opt/affine.h"

enum { CHEAP = 8 }; /* instructions that may be computed in vain */

typedef struct Select {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    const Loops *loops;
    const Loop *loop;
    Affine *af;       /* made when it is needed */
    uint32_t *npreds; /* per block: edges into it */
    bool changed;
} Select;

static Term *term(const Select *s, BlockId b) { return &s->fn->blocks.at[b].term; }

static bool is_own(const Select *s, BlockId b) {
    return b < s->cfg->n && s->loops->of[b] == s->loop && b != s->loop->header;
}

/* --- which loops ------------------------------------------------------------------------------ */

static bool is_simple(const Select *s, BlockId b) {
    const Block *block = &s->fn->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++) {
        const Ins *in = ir_at(s->fn, block->ins.at[i]);
        bool memory = in->op == OP_LOAD || in->op == OP_STORE;
        if (!memory && !(op_info[in->op].effects & PURE)) return false;
        if (memory && ir_at(s->fn, in->args[0])->op != OP_ELEM) return false;
    }
    return block->term.kind == TERM_JUMP || block->term.kind == TERM_BRANCH;
}

/* A counter is all that goes from one iteration to the next, only the header leaves it, and loops
 * inside will be unrolled. */
static bool is_candidate(const Select *s, const Loop *l) {
    const Block *header = &s->fn->blocks.at[l->header];
    bool branches = false;
    if (header->params.n != 1 || l->latch == NO_BLOCK) return false;
    for (const Loop *in = l->child; in; in = in->next)
        if (!ir_const_trips(s->fn, s->cfg, s->loops, in)) return false;
    for (uint32_t k = 0; k < l->nblocks; k++) {
        BlockId b = l->blocks[k];
        if (!is_simple(s, b)) return false;
        if (b == l->header) continue;
        for (uint32_t n = 0; n < opt_nsucc(term(s, b)); n++)
            if (!ir_loop_has(s->loops, l, term(s, b)->succ[n].to)) return false;
        branches |= s->loops->of[b] == l && term(s, b)->kind == TERM_BRANCH;
    }
    return branches;
}

/* --- what may be computed in vain ------------------------------------------------------------- */

/* Is the element there in every iteration? */
static bool is_there(Select *s, const Ins *elem) {
    const Term *t = &s->fn->blocks.at[s->loop->header].term;
    BlockId body = t->succ[!ir_loop_has(s->loops, s->loop, t->succ[0].to)].to;
    if (s->npreds[body] != 1) return false;
    if (!s->af) s->af = affine_new(s->cx, s->fn, LIN_EXACT);
    for (uint32_t a = 0; a + 1 < elem->nargs; a++) {
        Ref size = affine_size(s->af, elem->args[0], a);
        if (!size) return false;
        Lin i = affine_lin(s->af, elem->args[1 + a], LIN_EXACT),
            n = affine_lin(s->af, size, LIN_EXACT);
        if (!affine_prove(s->af, lin_add(lin_const(0), i, -1), body) ||
            !affine_prove(s->af, lin_add(lin_add(i, n, -1), lin_const(1), 1), body))
            return false;
    }
    return true;
}

static bool is_cheap(Select *s, const Ins *i) {
    switch ((int)i->op) {
    case OP_CONST:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_EQ:
    case OP_NE:
    case OP_CAST:
    case OP_BITCAST:
    case OP_SELECT:
    case OP_ELEM:
    case OP_FIELD: return true;
    case OP_LOAD: return i->imm2 == 1 || is_there(s, ir_at(s->fn, i->args[0]));
    default: return false;
    }
}

/* A block behind a branch of its own, which does nothing that may not be done anyway, but one store at
 * most. *store: 0 if there is none. */
static bool is_arm(Select *s, BlockId b, Ref *store) {
    const Block *block = &s->fn->blocks.at[b];
    uint32_t n = 0;
    *store = 0;
    if (!is_own(s, b) || s->npreds[b] != 1 || block->params.n) return false;
    for (uint32_t i = 0; i < block->ins.n; i++) {
        const Ins *in = ir_at(s->fn, block->ins.at[i]);
        if (*store) return false; /* it is the last */
        if (in->op == OP_STORE)
            *store = block->ins.at[i];
        else if (!is_cheap(s, in) || (n += in->op != OP_CONST) > CHEAP)
            return false;
    }
    return true;
}

/* --- the changes ------------------------------------------------------------------------------ */

static Ref add(Select *s, BlockId to, Op op, Type *ty, uint32_t n, const Ref *args) {
    Ref r = ir_add(s->cx, s->fn, to, op, ty, term(s, to)->span, n, args);
    ir_at(s->fn, r)->origin = ir_at(s->fn, args[0])->origin;
    return r;
}

static void move_into(Select *s, BlockId from, BlockId to) {
    Refs *list = &s->fn->blocks.at[from].ins;
    for (uint32_t i = 0; i < list->n; i++) {
        ir_at(s->fn, list->at[i])->block = to;
        vec_push(s->cx, &s->fn->blocks.at[to].ins, list->at[i]);
    }
    list->n = 0;
    ir_kill_block(s->fn, from);
}

static Ref add_bool(Select *s, BlockId to, bool value) {
    return ir_const(s->cx, s->fn, to, ir_const_int(s->cx, TY_OF(TY_BOOL), value),
                    term(s, to)->span);
}

static Ref negated_if(Select *s, BlockId to, Ref cond, bool negate) {
    if (!negate) return cond;
    return add(s, to, OP_XOR, TY_OF(TY_BOOL), 2, (Ref[]){cond, add_bool(s, to, true)});
}

/* p branches to m or out, m to out or elsewhere: p branches at once, on both conditions. */
static bool join_conditions(Select *s, BlockId p, uint32_t way) {
    Term at = *term(s, p);
    BlockId m = at.succ[way].to;
    Edge out = at.succ[!way];
    Ref store;
    if (!is_arm(s, m, &store) || store || term(s, m)->kind != TERM_BRANCH) return false;
    Term inner = *term(s, m);
    uint32_t k = opt_same_edge(&inner.succ[0], &out) ? 0 : 1;
    if (!opt_same_edge(&inner.succ[k], &out) || inner.succ[!k].to == out.to) return false;
    move_into(s, m, p);
    Ref first = negated_if(s, p, at.arg, way == 1), second = negated_if(s, p, inner.arg, k == 0);
    Ref both =
        add(s, p, OP_SELECT, TY_OF(TY_BOOL), 3, (Ref[]){first, second, add_bool(s, p, false)});
    ir_branch(s->cx, s->fn, p, both, inner.succ[!k], out, at.span);
    s->npreds[out.to]--;
    return true;
}

static bool is_same_place(const Select *s, Ref a, Ref b) {
    const Ins *x = ir_at(s->fn, a), *y = ir_at(s->fn, b);
    if (a == b) return true;
    if (x->op != OP_ELEM || y->op != OP_ELEM || x->nargs != y->nargs) return false;
    return memcmp(x->args, y->args, x->nargs * sizeof(Ref)) == 0;
}

/* p branches to two stores to one place: one store of one or the other value. */
static bool join_stores(Select *s, BlockId p) {
    Term at = *term(s, p);
    Ref store[2];
    for (uint32_t k = 0; k < 2; k++)
        if (!is_arm(s, at.succ[k].to, &store[k]) || !store[k] ||
            term(s, at.succ[k].to)->kind != TERM_JUMP)
            return false;
    const Edge out = term(s, at.succ[0].to)->succ[0];
    const Ins *x = ir_at(s->fn, store[0]), *y = ir_at(s->fn, store[1]);
    Ref value[2] = {x->args[1], y->args[1]}, place = x->args[0];
    Type *ty = ir_at(s->fn, value[0])->ty;
    bool scalar = ty->kind == TY_BOOL || ty->kind == TY_INT || ty->kind == TY_FLOAT;
    if (!opt_same_edge(&out, &term(s, at.succ[1].to)->succ[0]) || !scalar || x->imm != y->imm ||
        ir_at(s->fn, value[1])->ty != ty || !is_same_place(s, place, y->args[0]))
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        s->fn->blocks.at[at.succ[k].to].ins.n--; /* the store */
        move_into(s, at.succ[k].to, p);
    }
    value[0] = add(s, p, OP_SELECT, ty, 3, (Ref[]){at.arg, value[0], value[1]});
    ir_at(s->fn, store[0])->args[1] = value[0];
    ir_at(s->fn, store[0])->block = p;
    vec_push(s->cx, &s->fn->blocks.at[p].ins, store[0]);
    ir_at(s->fn, store[1])->op = OP_NOP;
    ir_jump(s->cx, s->fn, p, out.to, out.n, out.args);
    s->npreds[out.to]--;
    return true;
}

static bool join(Select *s, BlockId p) {
    if (s->fn->blocks.at[p].dead || s->loops->of[p] != s->loop || term(s, p)->kind != TERM_BRANCH)
        return false;
    bool body = p != s->loop->header && term(s, p)->succ[0].to != term(s, p)->succ[1].to;
    return body && (join_conditions(s, p, 0) || join_conditions(s, p, 1) || join_stores(s, p));
}

static void join_loop(Select *s, const Loop *l) {
    s->loop = l;
    for (bool again = true; again;) { /* inner conditions first: from the end */
        again = false;
        for (uint32_t k = l->nblocks; k-- > 0;) again |= join(s, l->blocks[k]);
        s->changed |= again;
    }
}

static void visit(Select *s, const Loop *l) {
    for (; l; l = l->next)
        if (is_candidate(s, l))
            join_loop(s, l);
        else
            visit(s, l->child);
}

static void count_preds(Select *s) {
    s->npreds = NEWN(s->cx, uint32_t, s->fn->blocks.n);
    Incoming in = opt_incoming(s->cx, s->fn);
    for (BlockId b = 0; b < s->fn->blocks.n; b++) s->npreds[b] = in.start[b + 1] - in.start[b];
}

bool opt_select(Cx *cx, Fn *fn) {
    if (fn->is_slow || ir_is_unsplit(fn)) return false;
    Select s = {.cx = cx, .fn = fn, .cfg = ir_cfg(cx, fn)};
    s.loops = ir_loops(cx, fn, s.cfg);
    if (!s.loops->roots) return false;
    count_preds(&s);
    visit(&s, s.loops->roots);
    return s.changed;
}
