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
 * such shape, a barrier that only some threads reach, is refused. */
#include "base/diag.h"
#include "opt/simt.h"
#include "opt/version.h"

enum { SHORT_TRIPS = 64, SHORT_WEIGHT = 2048 };

static bool is_op(const Fn *fn, Ref r, Op op) { return ir_at(fn, r)->op == op; }

/* --- before anything else --------------------------------------------------------------------- */

/* Constants for what the size of the block decides. */
static bool fold_dims(Cx *cx, Fn *fn, const uint32_t dim[AXES]) {
    bool changed = false;
    for (Ref r = 1; r < fn->ins.n; r++) {
        Ins *i = ir_at(fn, r);
        if (i->op != OP_SREG || i->block == NO_BLOCK) continue;
        bool size = i->sub == SREG_NTID, alone = i->sub == SREG_TID && dim[i->imm] == 1;
        if (!size && !alone) continue;
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
            if (i->op == OP_SREG || i->op == OP_BARRIER || i->op == OP_SHARED) return true;
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

_Noreturn void simt_refuse(Cx *cx, const Fn *fn, const Ins *i, const char *what) {
    diag_function(cx, i->origin ? fn->origins.at[i->origin].qualname : fn->qualname);
    diag_fail(cx, i->span, D_NOT_YET, what);
}

/* What the split cannot take, said with its line. */
static void refuse_unsupported(Cx *cx, const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        const Block *block = &fn->blocks.at[b];
        if (block->dead) continue;
        if (opt_has_handler(block))
            diag_fail(cx, fn->span, D_NOT_YET, "handling exceptions in a kernel");
        for (uint32_t k = 0; k < block->ins.n; k++) {
            const Ins *i = ir_at(fn, block->ins.at[k]);
            if (i->op == OP_CALL_FN && uses_threads(i->callee))
                simt_refuse(
                    cx, fn, i,
                    "a recursive function that asks for thread numbers, barriers or shared memory");
        }
    }
}

/* --- the graph as the split wants it ---------------------------------------------------------- */

/* Each barrier gets a block of its own. */
static bool isolate_barriers(Cx *cx, Fn *fn) {
    bool any = false;
    for (BlockId b = 0; b < fn->blocks.n; b++) /* grows: what is cut off is looked at later */
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            if (!is_op(fn, fn->blocks.at[b].ins.at[k], OP_BARRIER)) continue;
            any = true;
            if (fn->blocks.at[b].ins.n == 1 && fn->blocks.at[b].term.kind == TERM_JUMP) break;
            if (k == 0) k = 1;
            BlockId rest = ir_split(cx, fn, b, k);
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

static bool is_barrier_block(const Fn *fn, BlockId b) {
    return fn->blocks.at[b].ins.n == 1 && is_op(fn, fn->blocks.at[b].ins.at[0], OP_BARRIER);
}

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
        if (is_barrier_block(s->fn, loop->blocks[k])) return false;
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
        if (s->in.start[exit + 1] - s->in.start[exit] == 1 && !is_barrier_block(s->fn, exit) &&
            (kind == TERM_JUMP || kind == TERM_RETURN))
            s->forced[exit] = true;
    }
}

/* --- the split -------------------------------------------------------------------------------- */

static void refuse_apart_barriers(Simt *s) {
    for (uint32_t k = 0; k < s->cfg->nrpo; k++) {
        BlockId b = s->cfg->rpo[k];
        if (!is_barrier_block(s->fn, b) || !s->apart[b]) continue;
        if (s->torn_by[b] != NO_BLOCK)
            diag_note(s->cx, s->fn->blocks.at[s->torn_by[b]].term.span,
                      "the threads of a block part here");
        diag_hint(
            s->cx,
            "let all threads of a block pass it: move it out of branches and loops that depend "
            "on the thread's number or on data");
        simt_refuse(s->cx, s->fn, ir_at(s->fn, s->fn->blocks.at[b].ins.at[0]),
                    "a barrier that only some threads of a block reach, or not at the same time");
    }
}

/* No barrier: one loop over the threads around all that follows the guards. */
static void force_all(Simt *s) {
    BlockId b = 0;
    for (uint32_t k = 0; k < s->cfg->nrpo; k++) s->forced[s->cfg->rpo[k]] = s->cfg->rpo[k] != 0;
    for (uint32_t g = 0; g < s->nguards; b = s->guards[g++].go)
        for (; b != s->guards[g].at; b = s->fn->blocks.at[b].term.succ[0].to) s->forced[b] = false;
    for (uint32_t g = 0; g < s->nguards; g++)
        s->forced[s->guards[g].at] = s->forced[s->guards[g].go] = false;
}

static void open_split(Simt *s, Cx *cx, Fn *fn) {
    bool has_barrier = isolate_barriers(cx, fn);
    split_edges(cx, fn);
    opt_make_preheaders(cx, fn, ir_loops(cx, fn, ir_cfg(cx, fn)));
    *s =
        (Simt){.cx = cx, .fn = fn, .has_barrier = has_barrier, .af = affine_new(cx, fn, LIN_EXACT)};
    s->cfg = s->af->cfg;
    s->loops = s->af->loops;
    s->in = s->af->in;
    s->forced = NEWN(cx, bool, fn->blocks.n);
}

bool opt_simt_split(Cx *cx, Fn *fn) {
    if (!fn->is_kernel || fn->runs_blocks || !fn->block_dim[0]) return false;
    refuse_unsupported(cx, fn);
    Simt s;
    open_split(&s, cx, fn);
    simt_fill_uniform(&s);
    simt_find_guards(&s);
    force_short_loops(&s, s.loops->roots);
    simt_fill_uniform(&s);
    if (s.has_barrier) refuse_apart_barriers(&s);
    if (simt_emit(&s)) return true;
    if (s.has_barrier)
        diag_fail(cx, fn->span, D_NOT_YET, "this flow of control around the barriers of a kernel");
    force_all(&s);
    simt_fill_uniform(&s);
    if (!simt_emit(&s)) INTERNAL(cx, fn->span, "a kernel without barriers was not split");
    return true;
}
