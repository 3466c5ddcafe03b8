/* Counts references: the last pass, and the only one that knows of counting.
 *
 * relies on: nothing    keeps: values, dominance of old blocks
 * breaks: blocks are split, edges get blocks
 *
 *   owned     holds one count of its own: results of ALLOC, CALL_FN, EXC_MAKE and of runtime calls
 *             that allocate, block parameters of owning types, a handler's exception
 *   borrowed  everything else: arguments, captured arrays, constants; and what is *derived* from
 *             owned values by MAKE, FIELD, SELECT, ELEM ...: it needs its *roots*, the owned
 *             values below it, alive
 *
 * An owned value is released after its last use, where "use" includes uses of what is derived from
 * it; on the edge where it dies if one branch needs it and the other does not; or it is moved: into
 * the block parameter, result or raised exception that takes over its count. Whatever else goes
 * into an owner's place is retained first.
 *
 * A raising instruction leaves through a chain of cleanup blocks that releases what is owned at
 * that point and then goes to the block's handler, or raises again. A block has one handler, whose
 * values must be there when the block is entered, so blocks are cut where the owned values change
 * between raising instructions. Chains share their ends (the block that releases v[k] continues
 * with the one for v[0..k-1]), so their number is linear.
 *
 * Why late and by liveness, not counts placed at once and pairs removed later: fusion, inlining and
 * exception edges would have to keep them right, and there is nothing to remove here. Liveness
 * walks back from uses, one owned value after the other: its cost is what it finds, nothing for
 * code that owns nothing. */
#include <stdlib.h>

#include "base/diag.h"
#include "opt/opt_int.h"

/* A sorted list of owned values, by number. */
typedef VEC(uint32_t) Set;

/* A cleanup block; its parameter is the exception. `parent` releases the smaller ones, the root
 * goes on. */
typedef struct Cleanup Cleanup;
struct Cleanup {
    Cleanup *parent, *sibling, *children;
    uint32_t owned; /* what it releases; unused in a root */
    BlockId block; /* NO_BLOCK (roots): nothing to do */
    Edge handler; /* root: where the exceptions of its blocks went */
};

typedef struct Rc {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    Incoming in;
    uint32_t *number; /* per Ref: number of the owned value + 1, or 0 */
    Refs owned; /* by number: in order of definition */
    Set *roots; /* per Ref: numbers of the owned values it needs */
    Set *live_in; /* per block */
    Set *
        at_start; /* per block: to be released when it is entered (died on the only edge into it) */
    VEC(Cleanup *) cleanups; /* roots */
    Type *none;
} Rc;

static void set_add(Cx *cx, Set *s, uint32_t x) {
    uint32_t i = s->n;
    while (i > 0 && s->at[i - 1] > x) i--;
    if (i > 0 && s->at[i - 1] == x) return;
    vec_push(cx, s, x);
    memmove(s->at + i + 1, s->at + i, (s->n - 1 - i) * sizeof x);
    s->at[i] = x;
}

static void set_add_all(Cx *cx, Set *s, const Set *more) {
    for (uint32_t i = 0; i < more->n; i++) set_add(cx, s, more->at[i]);
}

static bool set_has(const Set *s, uint32_t x) {
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (s->at[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->n && s->at[low] == x;
}

static bool set_equal(const Set *a, const Set *b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

static void set_remove(Set *s, uint32_t x) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i] != x) s->at[n++] = s->at[i];
    s->n = n;
}

/* --- who owns --------------------------------------------------------------------------------- */

static bool is_owned(const Fn *fn, Ref r) {
    const Ins *i = ir_at(fn, r);
    if (i->op == OP_PARAM || i->op == OP_CALL_FN) return i->ty->owning;
    return (opt_effects(fn, r) & ALLOCS) && (i->ty->owning || i->ty->kind == TY_PTR);
}

/* Can this value lead to memory that is counted? */
static bool may_lead(const Type *t) { return t->owning || t->kind == TY_PTR; }

static void number_owned(Rc *rc) {
    for (uint32_t k = 0; k < rc->cfg->nrpo; k++) {
        const Block *b = &rc->fn->blocks.at[rc->cfg->rpo[k]];
        for (uint32_t i = 0; i < b->params.n + b->ins.n; i++) {
            Ref r = i < b->params.n ? b->params.at[i] : b->ins.at[i - b->params.n];
            if (!is_owned(rc->fn, r)) continue;
            rc->number[r] = rc->owned.n + 1;
            vec_push(rc->cx, &rc->owned, r);
        }
    }
}

static void add_roots(Rc *rc, Set *s, Ref v) {
    if (!v) return;
    if (rc->number[v])
        set_add(rc->cx, s, rc->number[v] - 1);
    else
        set_add_all(rc->cx, s, &rc->roots[v]);
}

/* A pointer that comes in on edges: roots must be there on all of them. */
static bool add_param_roots(Rc *rc, Ref p) {
    const Ins *i = ir_at(rc->fn, p);
    uint32_t before = rc->roots[p].n;
    for (uint32_t e = rc->in.start[i->block]; e < rc->in.start[i->block + 1]; e++)
        add_roots(rc, &rc->roots[p], opt_edge_arg(rc->fn, rc->in.at[e], (uint32_t)i->imm));
    for (uint32_t k = 0; k < rc->roots[p].n; k++) {
        BlockId def = ir_at(rc->fn, rc->owned.at[rc->roots[p].at[k]])->block;
        if (!cfg_dominates(rc->cfg, def, i->block))
            INTERNAL(rc->cx, i->span, "a pointer outlives its owner through a block parameter");
    }
    return rc->roots[p].n != before;
}

static bool find_roots_once(Rc *rc) {
    bool again = false;
    for (uint32_t k = 0; k < rc->cfg->nrpo; k++) {
        const Block *b = &rc->fn->blocks.at[rc->cfg->rpo[k]];
        for (uint32_t i = 0; i < b->params.n; i++)
            if (ir_at(rc->fn, b->params.at[i])->ty->kind == TY_PTR)
                again |= add_param_roots(rc, b->params.at[i]);
        for (uint32_t i = 0; i < b->ins.n; i++) {
            const Ins *in = ir_at(rc->fn, b->ins.at[i]);
            if (rc->number[b->ins.at[i]] || !may_lead(in->ty) || in->op == OP_LOAD) continue;
            for (uint32_t a = 0; a < in->nargs; a++)
                add_roots(rc, &rc->roots[b->ins.at[i]], in->args[a]);
        }
    }
    return again;
}

/* --- where it is alive ------------------------------------------------------------------------ */

/* What block b's handler needs: alive whenever something in b may raise. */
static void add_handler_needs(Rc *rc, BlockId b, Set *s) {
    const Edge *h = &rc->fn->blocks.at[b].handler;
    if (h->to == NO_BLOCK) return;
    set_add_all(rc->cx, s, &rc->live_in[h->to]);
    for (uint32_t i = 0; i < h->n; i++) add_roots(rc, s, h->args[i]);
}

static void add_edge_needs(Rc *rc, const Edge *e, Set *s) {
    set_add_all(rc->cx, s, &rc->live_in[e->to]);
    for (uint32_t i = 0; i < e->n; i++) add_roots(rc, s, e->args[i]);
}

typedef struct Use {
    uint32_t owned;
    BlockId block;
} Use;
typedef struct Uses {
    Rc *rc;
    BlockId b;
    Set found;
} Uses;

static void note_use(void *arg, Ref *use) {
    Uses *u = arg;
    add_roots(u->rc, &u->found, *use);
}

/* o is needed at the start of b: note it, and walk back to its definition. */
static void mark_live(Rc *rc, uint32_t o, BlockId b, BlockId *stack) {
    BlockId def = ir_at(rc->fn, rc->owned.at[o])->block;
    uint32_t top = 0;
    if (b != def) stack[top++] = b;
    while (top) {
        b = stack[--top];
        Set *in = &rc->live_in[b];
        if (in->n && vec_last(in) == o) continue; /* values come in rising order */
        vec_push(rc->cx, in, o);
        for (uint32_t k = 0; k < rc->cfg->npreds[b]; k++) {
            BlockId p = rc->cfg->preds[b][k];
            if (p == def || (rc->live_in[p].n && vec_last(&rc->live_in[p]) == o)) continue;
            stack[top++] = p;
        }
    }
}

static int by_owned(const void *a, const void *b) {
    const Use *x = a, *y = b;
    return x->owned != y->owned ? (x->owned < y->owned ? -1 : 1) : 0;
}

static void find_live(Rc *rc) {
    VEC(Use) uses = {0};
    uint32_t edges = 1;
    for (uint32_t k = 0; k < rc->cfg->nrpo; k++) {
        Uses u = {rc, rc->cfg->rpo[k], {0}};
        edges += rc->cfg->npreds[u.b];
        ir_visit_uses(rc->fn, u.b, note_use, &u);
        for (uint32_t i = 0; i < u.found.n; i++)
            vec_push(rc->cx, &uses, ((Use){u.found.at[i], u.b}));
    }
    if (uses.n) qsort(uses.at, uses.n, sizeof *uses.at, by_owned);
    BlockId *stack = NEWN(rc->cx, BlockId, edges);
    for (uint32_t i = 0; i < uses.n; i++) mark_live(rc, uses.at[i].owned, uses.at[i].block, stack);
}

/* --- counting --------------------------------------------------------------------------------- */

static void count(Rc *rc, BlockId b, Op op, Ref v) {
    ir_add(rc->cx, rc->fn, b, op, rc->none, (Span){0}, 1, &v);
}

static void release_all(Rc *rc, BlockId b, const Set *s) {
    for (uint32_t i = s->n; i-- > 0;) count(rc, b, OP_RELEASE, rc->owned.at[s->at[i]]);
}

/* Does v hold each of its roots' counts exactly once, so that it can take them over? They are added
 * to *taken. */
static bool takes_roots(Rc *rc, Ref v, Set *taken) {
    const Ins *i = ir_at(rc->fn, v);
    if (rc->number[v]) {
        if (set_has(taken, rc->number[v] - 1)) return false;
        set_add(rc->cx, taken, rc->number[v] - 1);
        return true;
    }
    if (i->op == OP_CONST || i->op == OP_UNSET) return true;
    if (i->op != OP_MAKE) return false;
    unsigned kind = i->ty->kind;
    bool raw =
        kind == TY_ARRAY || kind == TY_STR || kind == TY_BYTES; /* its owner is a plain pointer */
    for (uint32_t a = 0; a < i->nargs; a++) {
        bool counted =
            raw ? a == (kind == TY_ARRAY ? 1 : 3) : ir_at(rc->fn, i->args[a])->ty->owning;
        if (counted && !takes_roots(rc, i->args[a], taken)) return false;
    }
    return true;
}

/* v goes where a count is owned. Moved if nothing in `needed` or *moved wants its roots, else
 * *retain gets it. */
static void hand_over(Rc *rc, Ref v, const Set *needed, Set *moved, Refs *retain) {
    Set taken = {0};
    bool can_move = takes_roots(rc, v, &taken);
    for (uint32_t i = 0; can_move && i < taken.n; i++)
        can_move = !set_has(needed, taken.at[i]) && !set_has(moved, taken.at[i]);
    if (can_move)
        set_add_all(rc->cx, moved, &taken);
    else
        vec_push(rc->cx, retain, v);
}

/* What must be done on an edge: held: owned when it is taken. */
static void plan_edge(Rc *rc, const Edge *e, uint32_t skip, const Set *held, Refs *retain,
                      Set *release) {
    const Refs *params = &rc->fn->blocks.at[e->to].params;
    Set moved = {0};
    for (uint32_t i = 0; i < e->n; i++)
        if (ir_at(rc->fn, params->at[i + skip])->ty->owning)
            hand_over(rc, e->args[i], &rc->live_in[e->to], &moved, retain);
    for (uint32_t i = 0; i < held->n; i++)
        if (!set_has(&rc->live_in[e->to], held->at[i]) && !set_has(&moved, held->at[i]))
            vec_push(rc->cx, release, held->at[i]);
}

static void do_edge(Rc *rc, BlockId b, uint32_t which, const Set *held) {
    Edge e = rc->fn->blocks.at[b].term.succ[which];
    Refs retain = {0};
    Set release = {0};
    plan_edge(rc, &e, 0, held, &retain, &release);
    if (!retain.n && !release.n) return;
    if (rc->fn->blocks.at[b].term.kind == TERM_BRANCH) {
        if (!retain.n && rc->in.start[e.to + 1] - rc->in.start[e.to] == 1) {
            rc->at_start[e.to] = release;
            return;
        }
        BlockId mid = ir_new_block(rc->cx, rc->fn, "edge");
        ir_jump(rc->cx, rc->fn, mid, e.to, e.n, e.args);
        rc->fn->blocks.at[b].term.succ[which] = (Edge){.to = mid};
        b = mid;
    }
    for (uint32_t i = 0; i < retain.n; i++) count(rc, b, OP_RETAIN, retain.at[i]);
    release_all(rc, b, &release);
}

static void do_term(Rc *rc, BlockId b, const Set *held) {
    Term t = rc->fn->blocks.at[b].term;
    for (uint32_t s = 0; s < opt_nsucc(&t); s++) do_edge(rc, b, s, held);
    if (t.kind != TERM_RETURN && t.kind != TERM_RAISE) return;
    Refs retain = {0};
    Set moved = {0}, nothing = {0};
    if (t.arg && ir_at(rc->fn, t.arg)->ty->owning) hand_over(rc, t.arg, &nothing, &moved, &retain);
    for (uint32_t i = 0; i < retain.n; i++) count(rc, b, OP_RETAIN, retain.at[i]);
    for (uint32_t i = held->n; i-- > 0;)
        if (!set_has(&moved, held->at[i])) count(rc, b, OP_RELEASE, rc->owned.at[held->at[i]]);
}

/* --- exceptions ------------------------------------------------------------------------------- */

/* It belongs to the inlined call that its handler (or NO_BLOCK) was written in: exceptions on their way to it have
 * left those further in, and no others. */
static BlockId new_cleanup_block(Rc *rc, BlockId handler) {
    BlockId b = ir_new_block(rc->cx, rc->fn, "cleanup");
    Ref exc = ir_add_param(rc->cx, rc->fn, b, ty_basic(TY_EXC, 0, false));
    if (handler != NO_BLOCK)
        ir_at(rc->fn, exc)->origin = ir_at(rc->fn, rc->fn->blocks.at[handler].params.at[0])->origin;
    return b;
}

static void end_cleanup(Rc *rc, BlockId b, const Cleanup *root) {
    Ref exc = rc->fn->blocks.at[b].params.at[0];
    if (root->handler.to == NO_BLOCK) {
        ir_raise(rc->fn, b, exc, 0, (Span){0});
        return;
    }
    Refs args = {0};
    vec_push(rc->cx, &args, exc);
    for (uint32_t i = 0; i < root->handler.n; i++) vec_push(rc->cx, &args, root->handler.args[i]);
    ir_jump(rc->cx, rc->fn, b, root->handler.to, args.n, args.at);
}

/* The last step of a cleanup: on to the handler of block b, with the counts it wants, or out of the
 * function. */
static Cleanup *cleanup_root(Rc *rc, BlockId b) {
    Edge h = rc->fn->blocks.at[b].handler;
    for (uint32_t i = rc->cleanups.n, tries = 8; i-- > 0 && tries-- > 0;)
        if (opt_same_edge(&rc->cleanups.at[i]->handler, &h)) return rc->cleanups.at[i];
    Cleanup *c = NEW(rc->cx, Cleanup);
    c->handler = h;
    c->block = NO_BLOCK;
    vec_push(rc->cx, &rc->cleanups, c);
    if (h.to == NO_BLOCK) return c;
    Refs retain = {0};
    Set release = {0}, held = {0};
    add_handler_needs(rc, b, &held);
    plan_edge(rc, &h, 1, &held, &retain, &release);
    if (!retain.n && !release.n) return c; /* the handler itself will do */
    c->block = new_cleanup_block(rc, h.to);
    for (uint32_t i = 0; i < retain.n; i++) count(rc, c->block, OP_RETAIN, retain.at[i]);
    release_all(rc, c->block, &release);
    end_cleanup(rc, c->block, c);
    return c;
}

static Cleanup *cleanup_step(Rc *rc, Cleanup *parent, const Cleanup *root, uint32_t o) {
    for (Cleanup *c = parent->children; c; c = c->sibling)
        if (c->owned == o) return c;
    Cleanup *c = NEW(rc->cx, Cleanup);
    c->parent = parent;
    c->sibling = parent->children;
    parent->children = c;
    c->owned = o;
    c->block = new_cleanup_block(rc, root->handler.to);
    count(rc, c->block, OP_RELEASE, rc->owned.at[o]);
    if (parent->block == NO_BLOCK)
        end_cleanup(rc, c->block, root);
    else
        ir_jump(rc->cx, rc->fn, c->block, parent->block, 1,
                &rc->fn->blocks.at[c->block].params.at[0]);
    return c;
}

/* The handler for a piece of block b in which `held` is owned whenever something raises. */
static Edge cleanup_for(Rc *rc, BlockId b, const Set *held) {
    Set keep = {0};
    add_handler_needs(rc, b, &keep);
    Cleanup *root = cleanup_root(rc, b), *c = root;
    for (uint32_t i = 0; i < held->n; i++)
        if (!set_has(&keep, held->at[i])) c = cleanup_step(rc, c, root, held->at[i]);
    return c->block == NO_BLOCK ? root->handler : (Edge){.to = c->block};
}

/* --- one block -------------------------------------------------------------------------------- */

/* What the walk back through a block finds out about one of its instructions. */
typedef struct Step {
    Set release; /* after it */
    Set held; /* before it; for raising ones only */
} Step;

static void walk_back(Rc *rc, BlockId b, const Refs *ins, Step *steps, Set *live) {
    Set needs = {0};
    add_handler_needs(rc, b, &needs);
    for (uint32_t k = ins->n; k-- > 0;) {
        Ref r = ins->at[k];
        Set before = {0};
        bool raises = opt_raises(rc->fn, r);
        for (uint32_t a = 0; a < ir_at(rc->fn, r)->nargs; a++)
            add_roots(rc, &before, ir_at(rc->fn, r)->args[a]);
        if (raises) set_add_all(rc->cx, &before, &needs);
        if (rc->number[r]) {
            if (!set_has(live, rc->number[r] - 1))
                set_add(rc->cx, &steps[k].release, rc->number[r] - 1);
            set_remove(live, rc->number[r] - 1);
        }
        for (uint32_t i = 0; i < before.n; i++) {
            if (set_has(live, before.at[i])) continue;
            set_add(rc->cx, &steps[k].release, before.at[i]);
            set_add(rc->cx, live, before.at[i]);
        }
        if (raises) set_add_all(rc->cx, &steps[k].held, live);
    }
}

/* Is something in the set defined in block b, in the piece that began at instruction `first`? */
static bool has_new(const Rc *rc, const Set *s, BlockId piece) {
    for (uint32_t i = 0; i < s->n; i++) {
        const Ins *def = ir_at(rc->fn, rc->owned.at[s->at[i]]);
        if (def->block == piece && def->op != OP_PARAM) return true;
    }
    return false;
}

static BlockId cut(Rc *rc, BlockId piece) {
    BlockId next = ir_new_block(rc->cx, rc->fn, rc->fn->blocks.at[piece].label);
    rc->fn->blocks.at[next].term = rc->fn->blocks.at[piece].term;
    ir_jump(rc->cx, rc->fn, piece, next, 0, NULL);
    return next;
}

/* Lays the block's instructions out again with their releases, cut where the held set changes. */
static BlockId lay_out(Rc *rc, BlockId b, const Refs *ins, const Step *steps) {
    BlockId piece = b;
    const Set *held = NULL; /* of the raising instructions of this piece */
    Edge first = {
        .to = NO_BLOCK}; /* the handler of b itself is set last: cleanup_for still reads it */
    for (uint32_t k = 0; k < ins->n; k++) {
        if (opt_raises(rc->fn, ins->at[k])) {
            const Set *now = &steps[k].held;
            if (held ? !set_equal(held, now) : has_new(rc, now, piece)) {
                piece = cut(rc, piece);
                held = NULL;
            }
            if (!held) {
                Edge h = cleanup_for(rc, b, now);
                *(piece == b ? &first : &rc->fn->blocks.at[piece].handler) = h;
                held = now;
            }
        }
        ir_at(rc->fn, ins->at[k])->block = piece;
        vec_push(rc->cx, &rc->fn->blocks.at[piece].ins, ins->at[k]);
        release_all(rc, piece, &steps[k].release);
    }
    rc->fn->blocks.at[b].handler = first;
    return piece;
}

static void do_block(Rc *rc, BlockId b) {
    Refs ins = rc->fn->blocks.at[b].ins;
    const Block *blk = &rc->fn->blocks.at[b];
    Step *steps = NEWN(rc->cx, Step, ins.n);
    Set at_end = {0}, live = {0}, unused = {0};
    for (uint32_t s = 0; s < opt_nsucc(&blk->term); s++)
        add_edge_needs(rc, &blk->term.succ[s], &at_end);
    add_roots(rc, &at_end, blk->term.arg);
    set_add_all(rc->cx, &live, &at_end);
    walk_back(rc, b, &ins, steps, &live);
    for (uint32_t i = 0; i < blk->params.n; i++) {
        uint32_t n = rc->number[blk->params.at[i]];
        if (n && !set_has(&live, n - 1)) set_add(rc->cx, &unused, n - 1);
    }
    rc->fn->blocks.at[b].ins = (Refs){0};
    release_all(rc, b, &rc->at_start[b]);
    release_all(rc, b, &unused);
    BlockId last = lay_out(rc, b, &ins, steps);
    /* What a raise leaves behind is released in front of it: no cleanup may do that again. */
    const Block *end = &rc->fn->blocks.at[last];
    if (end->term.kind == TERM_RAISE && end->handler.to != NO_BLOCK) last = cut(rc, last);
    do_term(rc, last, &at_end);
}

/* Raising where a handler waits is a jump; a block that can not raise needs no handler (and keeps
 * nothing alive). */
static void prepare(Cx *cx, Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Block *blk = &fn->blocks.at[b];
        if (blk->dead || !opt_has_handler(blk)) continue;
        if (blk->term.kind == TERM_RAISE) {
            if (!blk->term.arg) INTERNAL(cx, fn->span, "a bare raise with a handler is left over");
            opt_raise_to_jump(cx, fn, b);
        }
        if (!opt_block_raises(fn, b)) blk->handler = (Edge){.to = NO_BLOCK};
    }
    opt_drop_unreachable(cx, fn);
}

/* Does anything here hold a count of its own, or give one away? */
static bool counts_anything(const Fn *fn) {
    if (fn->ret && fn->ret->owning) return true;
    for (Ref r = 1; r < fn->ins.n; r++)
        if (ir_at(fn, r)->block != NO_BLOCK && is_owned(fn, r)) return true;
    return false;
}

bool opt_rc_insert(Cx *cx, Fn *fn) {
    if (!counts_anything(fn)) return false;
    prepare(cx, fn);
    Rc rc = {.cx = cx, .fn = fn, .cfg = ir_cfg(cx, fn), .none = ty_basic(TY_NONE, 0, false)};
    rc.number = NEWN(cx, uint32_t, fn->ins.n);
    rc.roots = NEWN(cx, Set, fn->ins.n);
    rc.live_in = NEWN(cx, Set, fn->blocks.n);
    rc.at_start = NEWN(cx, Set, fn->blocks.n);
    rc.in = opt_incoming(cx, fn);
    number_owned(&rc);
    while (find_roots_once(&rc)) continue;
    find_live(&rc);
    for (uint32_t i = 0; i < rc.cfg->nrpo; i++) do_block(&rc, rc.cfg->rpo[i]);
    return true;
}
