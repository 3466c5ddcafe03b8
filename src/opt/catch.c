/* Exceptions that are raised and caught in one function: jumps.
 *
 * A raise whose handler waits in the function becomes a jump to a copy of all that the handler does, in which the
 * exception is known: which `except` takes it folds away (opt/fold.c). Mostly nobody asks then for the exception
 * itself. One that is only handed to something rare (to be the context of what the handler raises) is made there.
 *
 * Relies on: SSA; that a handler's block may be jumped to. Keeps: what the traceback shows, by ws_exc_trace in the
 * raise's place. Runs behind inlining, which brings raise and handler together, and once more when folding has shown
 * what is left of the copies.
 *
 * Copies rather than a class number that is passed along: the exception would have to be made all the same. */
#include "base/map.h"
#include "ir/rt.h"
#include "opt/opt_int.h"

enum {
    MOST_COPIED = 120,  /* instructions of a handler */
    MOST_GROWTH = 1200, /* of all copies in a function */
};

/* --- raises become jumps ---------------------------------------------------------------------- */

static bool is_call_of(const Fn *fn, Ref r, const char *name) {
    const Ins *i = ir_at(fn, r);
    return i->op == OP_CALL_RT && strcmp(i->rt->name, name) == 0;
}

/* The instruction at the end of b that raises what is made in this function; 0: there is none. */
static Ref find_raise(const Fn *fn, BlockId b) {
    const Block *blk = &fn->blocks.at[b];
    if (blk->dead || !opt_has_handler(blk) || blk->term.kind != TERM_UNREACHABLE || !blk->ins.n)
        return 0;
    Ref last = blk->ins.at[blk->ins.n - 1];
    bool known = is_call_of(fn, last, "ws_exc_raise") &&
                 ir_at(fn, ir_at(fn, last)->args[0])->op == OP_EXC_MAKE;
    return known ? last : 0;
}

typedef struct Region {
    VEC(BlockId) blocks;
    uint32_t size;
} Region;

/* What only the handler leads to. False: too much, or the raise itself. */
static bool find_region(Cx *cx, const Fn *fn, const Cfg *cfg, BlockId raise, Region *out) {
    BlockId handler = fn->blocks.at[raise].handler.to;
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        BlockId b = cfg->rpo[i];
        if (!cfg_dominates(cfg, handler, b)) continue;
        out->size += fn->blocks.at[b].ins.n + 1;
        vec_push(cx, &out->blocks, b);
        if (b == raise || out->size > MOST_COPIED) return false;
    }
    return true;
}

static void add_trace(Cx *cx, Fn *fn, BlockId b, Ref exc, Span span, uint32_t origin) {
    if (!span.line) return; /* raised again: that is no new place */
    Ref r = ir_add(cx, fn, b, OP_CALL_RT, ty_basic(TY_NONE, 0, false), span, 1, &exc);
    ir_at(fn, r)->rt = rt_find("ws_exc_trace");
    ir_at(fn, r)->origin = origin;
}

/* The place of the raise and of the inlined calls that the exception leaves. */
static void add_traces(Cx *cx, Fn *fn, BlockId b, const Ins *raise) {
    uint32_t origin = raise->origin;
    BlockId handler = fn->blocks.at[b].handler.to;
    uint32_t stop = ir_at(fn, fn->blocks.at[handler].params.at[0])->origin;
    add_trace(cx, fn, b, raise->args[0], raise->span, origin);
    while (origin && origin != stop) {
        Origin o = fn->origins.at[origin];
        origin = o.outer;
        add_trace(cx, fn, b, raise->args[0], o.call, origin);
    }
}

static void jump_to_copy(Cx *cx, Fn *fn, BlockId b, Ref raise, const Region *region) {
    Map refs = {0}, ids = {0};
    const Ins old = *ir_at(fn, raise);
    ir_clone(cx, fn, fn, region->blocks.at, region->blocks.n, &refs, &ids);
    add_traces(cx, fn, b, &old);
    Block *blk = &fn->blocks.at[b];
    blk->term.arg = old.args[0];
    blk->term.span = old.span;
    opt_raise_to_jump(cx, fn, b);
    blk->term.succ[0].to = (BlockId)map_get(&ids, blk->handler.to, NO_BLOCK);
    ir_delete(fn, raise);
}

static bool catch_raises(Cx *cx, Fn *fn) {
    uint32_t growth = 0;
    bool any = false;
    const Cfg *cfg = NULL; /* of the graph as it is; NULL: not looked at since it has changed */
    for (BlockId b = 0; b < fn->blocks.n && growth < MOST_GROWTH; b++) {
        Ref raise = find_raise(fn, b);
        Region region = {0};
        if (!raise) continue;
        if (!cfg) cfg = ir_cfg(cx, fn);
        if (cfg->rpo_index[b] == UINT32_MAX || !find_region(cx, fn, cfg, b, &region)) continue;
        jump_to_copy(cx, fn, b, raise, &region);
        cfg = NULL;
        growth += region.size;
        any = true;
    }
    return any;
}

/* --- exceptions that nobody asks for ---------------------------------------------------------- */

/* How one exception is used. */
typedef struct Use {
    Refs traces;
    Ref user; /* the one that is no trace; 0: none */
    uint32_t others; /* beyond that one, and as arguments of edges */
    Fn *fn;
    Cx *cx;
    Ref exc;
} Use;

static void note_use(void *arg, Ref *ref) {
    Use *u = arg;
    u->others += *ref == u->exc;
}

static void find_uses(Use *u) {
    for (BlockId b = 0; b < u->fn->blocks.n; b++) {
        const Block *blk = &u->fn->blocks.at[b];
        if (blk->dead) continue;
        ir_visit_uses(u->fn, b, note_use, u);
        for (uint32_t i = 0; i < blk->ins.n; i++) {
            const Ins *ins = ir_at(u->fn, blk->ins.at[i]);
            for (uint32_t a = 0; a < ins->nargs; a++) {
                if (ins->args[a] != u->exc) continue;
                if (is_call_of(u->fn, blk->ins.at[i], "ws_exc_trace"))
                    vec_push(u->cx, &u->traces, blk->ins.at[i]);
                else if (!u->user)
                    u->user = blk->ins.at[i];
                else
                    continue;
                u->others--;
            }
        }
    }
}

/* Do only exceptions lead to b? */
static bool is_rare(const Cfg *cfg, const Fn *fn, BlockId b) {
    for (uint32_t i = 0; i < cfg->npreds[b]; i++)
        if (fn->blocks.at[cfg->preds[b][i]].handler.to != b) return false;
    return cfg->npreds[b] > 0;
}

/* Is b in a loop that `from` is not in? What is sunk there would be made again and again. */
static bool is_in_loop_behind(const Loops *loops, BlockId from, BlockId b) {
    const Loop *l = loops->of[b];
    return l && !ir_loop_has(loops, l, from);
}

/* Is every trace, in one block, on the way to the user, which comes as often as they do? */
static bool can_sink(const Cfg *cfg, const Loops *loops, const Use *u) {
    BlockId to = ir_at(u->fn, u->user)->block;
    BlockId from = ir_at(u->fn, u->exc)->block;
    for (uint32_t i = 0; i < u->traces.n; i++) {
        BlockId b = ir_at(u->fn, u->traces.at[i])->block;
        if (i && b != ir_at(u->fn, u->traces.at[0])->block) return false;
        if (!cfg_end_dominates(cfg, b, to)) return false;
    }
    return to != from && is_rare(cfg, u->fn, to) && !is_in_loop_behind(loops, from, to);
}

static uint32_t position(const Fn *fn, Ref r) {
    const Refs *list = &fn->blocks.at[ir_at(fn, r)->block].ins;
    uint32_t i = 0;
    while (list->at[i] != r) i++;
    return i;
}

/* A copy of instruction r in front of `user`, with `exc` for the exception. */
static Ref copy_before(Use *u, Ref r, Ref exc) {
    const Ins old = *ir_at(u->fn, r);
    Ref made = ir_insert(u->cx, u->fn, ir_at(u->fn, u->user)->block, position(u->fn, u->user),
                         (Op)old.op, old.ty, old.span, old.nargs, old.args);
    Ins *i = ir_at(u->fn, made);
    i->imm = old.imm;
    i->origin = old.origin;
    if (!exc) return made;
    i->rt = old.rt;
    i->args[0] = exc;
    return made;
}

static void sink(Use *u) {
    Ref exc = copy_before(u, u->exc, 0);
    for (uint32_t i = 0; i < u->traces.n; i++) copy_before(u, u->traces.at[i], exc);
    Ins *user = ir_at(u->fn, u->user);
    for (uint32_t a = 0; a < user->nargs; a++)
        if (user->args[a] == u->exc) user->args[a] = exc;
}

/* The exception is not made where nobody asks for it. */
static bool drop(Cx *cx, Fn *fn, const Cfg *cfg, const Loops *loops, Ref exc) {
    Use u = {.fn = fn, .cx = cx, .exc = exc};
    find_uses(&u);
    if (!u.traces.n || u.others || (u.user && !can_sink(cfg, loops, &u))) return false;
    if (u.user) sink(&u);
    for (uint32_t i = 0; i < u.traces.n; i++) ir_delete(fn, u.traces.at[i]);
    ir_delete(fn, exc);
    return true;
}

/* Those that are traced here were raised by a jump. */
static bool drop_all(Cx *cx, Fn *fn) {
    Refs made = {0};
    bool any = false;
    for (Ref r = 1; r < fn->ins.n; r++) {
        const Ins *i = ir_at(fn, r);
        if (i->block == NO_BLOCK || !is_call_of(fn, r, "ws_exc_trace")) continue;
        if (ir_at(fn, i->args[0])->op != OP_EXC_MAKE) continue;
        if (!made.n || made.at[made.n - 1] != i->args[0]) vec_push(cx, &made, i->args[0]);
    }
    if (!made.n) return false;
    const Cfg *cfg = ir_cfg(cx, fn); /* of blocks, which all stay */
    const Loops *loops = ir_loops(cx, fn, cfg);
    for (uint32_t k = 0; k < made.n; k++)
        if (ir_at(fn, made.at[k])->block != NO_BLOCK) any |= drop(cx, fn, cfg, loops, made.at[k]);
    return any;
}

bool opt_catch(Cx *cx, Fn *fn) {
    bool dropped = drop_all(cx, fn);
    return catch_raises(cx, fn) || dropped;
}
