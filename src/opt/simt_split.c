/* Splits a kernel at its barriers: from the code of one thread to loops over blocks and threads.
 *
 * relies on: device functions that ask for thread numbers or wait at barriers are inlined, no exception is
 * handled    keeps: nothing    breaks: the whole graph of the kernel
 *
 *     kernel, one thread              after, for blocks of 16 threads
 *
 *     A; barrier; B; return           for each block of the launch:
 *                                         for t in 0..16: A
 *                                         for t in 0..16: B
 *
 * A uniform branch or loop stays outside the loops over threads, whether there is a barrier in it or not: a
 * loop over threads with a loop of unknown length in it would not be vectorized. Short loops with a constant
 * trip count and no barrier stay inside, where the back end unrolls them. Values that a thread carries from
 * one part to the next live in memory, one place per thread of the block, unless they are cheap to compute
 * again from the thread's number.
 *
 * Why not a state machine over barriers (as CBS does): the uniform part of the control flow is kept as it is,
 * so that the passes behind this one see ordinary counted nests and can version their checks. What has no
 * such shape, a barrier that only some threads reach, is left to threads that can be resumed. */
#include <stdlib.h>

#include "opt/simt.h"
#include "opt/version.h"

enum { SHORT_TRIPS = 64, SHORT_WEIGHT = 2048 };

/* --- before anything else --------------------------------------------------------------------- */

/* Constants for what the size of the block decides. */
static bool fold_dims(Cx *cx, Fn *fn, const uint32_t dim[AXES]) {
    bool changed = false;
    for (Ref r = 1; r < fn->ins.n; r++) {
        Ins *i = ir_at(fn, r);
        if (i->op != OP_SREG || i->block == NO_BLOCK) continue;
        bool size = i->sub == SREG_NTID, alone = i->sub == SREG_TID && dim[i->imm] == 1;
        if ((!size && !alone) || dim[i->imm] == ANY_DIM) continue;
        i->k = ir_const_int(cx, i->ty, size ? dim[i->imm] : 0);
        i->op = OP_CONST;
        i->sub = 0;
        i->imm = 0;
        changed = true;
    }
    return changed;
}

static bool uses_threads(const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const Ins *i = ir_at(fn, fn->blocks.at[b].ins.at[k]);
            if (i->op == OP_SREG || i->op == OP_BARRIER || i->op == OP_WARP || i->op == OP_SHARED)
                return true;
            if (i->op == OP_CALL_FN && i->callee->options.inline_always) return true;
        }
    return false;
}

/* Specialises a kernel on the size of its blocks, and asks for inlining of all functions that use what only
 * threads have, and of those that call them: the split sees the kernel alone.
 *
 * relies on: nothing    keeps: cfg    breaks: nothing */
bool opt_simt_dims(Cx *cx, Module *m) {
    const Fn *kernel = m->fns.at[0];
    bool changed = false;
    for (uint32_t f = 0; f < m->fns.n; f++)
        changed |= fold_dims(cx, m->fns.at[f], kernel->block_dim);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t f = 1; f < m->fns.n; f++) {
            Fn *fn = m->fns.at[f];
            if (fn->options.inline_always || !uses_threads(fn)) continue;
            more = changed = fn->options.inline_always = true;
        }
    }
    return changed;
}

/* Exceptions that are handled, functions that call themselves and ask for thread numbers. */
static bool can_be_split(const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Block *block = &fn->blocks.at[b];
        if (block->dead) continue;
        if (opt_has_handler(block)) return false;
        for (uint32_t k = 0; k < block->ins.n; k++) {
            const Ins *i = ir_at(fn, block->ins.at[k]);
            if (i->op == OP_CALL_FN && uses_threads(i->callee)) return false;
            if (i->op == OP_BARRIER && i->sub == BARRIER_GRID) return false;
        }
    }
    return true;
}

/* --- the graph as the split wants it ---------------------------------------------------------- */

/* Each barrier, and each operation of a warp, gets a block of its own that passes nothing on. */
static bool isolate(Cx *cx, Fn *fn) {
    bool any = false;
    for (BlockId b = 0; b < fn->blocks.n; b++) /* grows: what is cut off is looked at later */
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            if (!simt_is_collective(fn, fn->blocks.at[b].ins.at[k])) continue;
            const Term *t = &fn->blocks.at[b].term;
            any = true;
            if (simt_has_collective(fn, b) && t->kind == TERM_JUMP && !t->succ[0].n) break;
            BlockId rest = ir_split(cx, fn, b, k ? k : 1);
            ir_jump(cx, fn, b, rest, 0, NULL);
            break;
        }
    return any;
}

/* Values are passed on jumps only: a branch's edges with arguments get blocks of their own. */
static void split_edges(Cx *cx, Fn *fn) {
    for (BlockId b = 0, n = fn->blocks.n; b < n; b++) {
        if (fn->blocks.at[b].dead || fn->blocks.at[b].term.kind != TERM_BRANCH) continue;
        for (int k = 0; k < 2; k++) {
            Edge e = fn->blocks.at[b].term.succ[k];
            if (!e.n) continue;
            BlockId edge = ir_new_block(cx, fn, "edge");
            ir_jump(cx, fn, edge, e.to, e.n, e.args);
            fn->blocks.at[b].term.succ[k] = ir_edge(cx, edge, 0, NULL);
        }
    }
}

/* --- short loops ------------------------------------------------------------------------------ */

/* The one edge out of the loop leaves from the header; its target, or NO_BLOCK. */
static BlockId only_exit(const Simt *s, const Loop *loop) {
    BlockId exit = NO_BLOCK, to[3];
    for (uint32_t k = 0; k < loop->nblocks; k++)
        for (uint32_t i = ir_successors(s->fn, loop->blocks[k], to); i-- > 0;) {
            if (affine_is_in(s->af, loop, to[i])) continue;
            if (exit != NO_BLOCK || loop->blocks[k] != loop->header) return NO_BLOCK;
            exit = to[i];
        }
    return exit;
}

static bool is_short(const Simt *s, const Loop *loop) {
    uint32_t trips = ir_const_trips(s->fn, s->cfg, s->loops, loop), weight = 0;
    if (loop->child || loop->preheader == NO_BLOCK || trips == 0 || trips > SHORT_TRIPS)
        return false;
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        if (simt_has_collective(s->fn, loop->blocks[k])) return false;
        weight += s->fn->blocks.at[loop->blocks[k]].ins.n;
    }
    return weight * trips <= SHORT_WEIGHT;
}

/* Keeps short loops inside the loops over threads, and what follows them up to the next barrier or branch,
 * so that a sum need not go through memory between the two. */
static void force_short_loops(Simt *s, const Loop *loop) {
    for (; loop; loop = loop->next) {
        force_short_loops(s, loop->child);
        BlockId exit = only_exit(s, loop);
        if (exit == NO_BLOCK || !is_short(s, loop)) continue;
        for (uint32_t k = 0; k < loop->nblocks; k++) s->forced[loop->blocks[k]] = true;
        unsigned kind = s->fn->blocks.at[exit].term.kind;
        if (s->in.start[exit + 1] - s->in.start[exit] == 1 && !simt_has_collective(s->fn, exit) &&
            (kind == TERM_JUMP || kind == TERM_RETURN))
            s->forced[exit] = true;
    }
}

/* --- the split -------------------------------------------------------------------------------- */

/* Does a barrier stand where the threads of a block may be apart? */
static bool has_apart_barrier(const Simt *s) {
    for (uint32_t k = 0; k < s->cfg->nrpo; k++)
        if (simt_has_collective(s->fn, s->cfg->rpo[k]) && s->apart[s->cfg->rpo[k]]) return true;
    return false;
}

/* Does the run time look at what threads give, in the order of their numbers? */
static bool has_warp(const Fn *fn) {
    for (Ref r = 1; r < fn->ins.n; r++) {
        const Ins *i = ir_at(fn, r);
        if (i->block != NO_BLOCK && simt_is_collective(fn, r) && i->nargs) return true;
    }
    return false;
}

/* No barrier: one loop over the threads around all that follows the guards. */
static void force_all(Simt *s) {
    BlockId b = 0;
    for (uint32_t k = 0; k < s->cfg->nrpo; k++) s->forced[s->cfg->rpo[k]] = s->cfg->rpo[k] != 0;
    while (s->nguards && s->guards[s->nguards - 1].scoped) s->nguards--;
    for (uint32_t g = 0; g < s->nguards; b = s->guards[g++].go)
        for (; b != s->guards[g].at; b = s->fn->blocks.at[b].term.succ[0].to) s->forced[b] = false;
    for (uint32_t g = 0; g < s->nguards; g++)
        s->forced[s->guards[g].at] = s->forced[s->guards[g].go] = false;
}

static void open_split(Simt *s, Cx *cx, Fn *fn) {
    bool has_barrier = isolate(cx, fn);
    split_edges(cx, fn);
    opt_make_preheaders(cx, fn, ir_loops(cx, fn, ir_cfg(cx, fn)));
    simt_split_counters(cx, fn);
    *s = (Simt){.cx = cx,
                .fn = fn,
                .has_barrier = has_barrier,
                .has_warp = has_warp(fn),
                .af = affine_new(cx, fn, LIN_EXACT)};
    s->cfg = s->af->cfg;
    s->loops = s->af->loops;
    s->in = s->af->in;
    s->forced = NEWN(cx, bool, fn->blocks.n);
    s->pinned = NEWN(cx, bool, fn->ins.n);
}

static void analyse(Simt *s, Cx *cx, Fn *fn) {
    open_split(s, cx, fn);
    simt_fill_uniform(s);
    simt_find_guards(s);
    simt_find_scopes(s);
    force_short_loops(s, s->loops->roots);
    simt_fill_uniform(s);
}

/* False: it has no shape that could be split; its graph is the same code as before. */
static bool split(Simt *s) {
    if (has_apart_barrier(s)) return false;
    if (simt_emit(s)) return true;
    if (s->has_barrier) return false;
    force_all(s);
    simt_fill_uniform(s);
    return simt_emit(s);
}

/* Does the address lie in shared memory? */
static bool is_shared(const Fn *fn, Ref address) {
    const Ins *i = ir_at(fn, address);
    while (i->op == OP_ELEM || i->op == OP_OFFSET || i->op == OP_MAKE || i->op == OP_FIELD)
        i = ir_at(fn, i->args[0]);
    return i->op == OP_SHARED;
}

/* All threads of a block run on one thread of the system: what they share alone needs no lock. */
static void mark_own_atomics(Fn *fn) {
    for (Ref r = 1; r < fn->ins.n; r++) {
        Ins *i = ir_at(fn, r);
        if (i->block != NO_BLOCK && i->op == OP_ATOMIC) i->imm = is_shared(fn, i->args[0]);
    }
}

/* For tests: WHIPSNAKE_SIMT=threads runs all kernels thread by thread. */
static bool is_off(void) {
    const char *how = getenv("WHIPSNAKE_SIMT");
    return how && strcmp(how, "threads") == 0;
}

bool opt_simt_split(Cx *cx, Fn *fn) {
    if (!ir_is_unsplit(fn) || !fn->block_dim[0]) return false;
    Simt s;
    mark_own_atomics(fn);
    analyse(&s, cx, fn);
    if (is_off() || !can_be_split(fn) || !split(&s)) simt_run_threads(cx, fn, &s);
    return true;
}
