/* Control-flow graph, dominators, loops, use counts.
 *
 * Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": iteration over
 * reverse post-order, which needs one round for most code and no more memory than the tree itself.
 * The graph it runs on has two nodes per block, because a handler edge leaves a block before the
 * block's values are computed:
 *
 *     in(b) ---> out(b) ---> in(succ)        in(b) ---> in(handler)
 *
 * Node 2*i is the start and node 2*i+1 the end of the i-th block in reverse post-order; a node's
 * immediate dominator has a smaller number. dom_pre and dom_size give each node an interval of a
 * walk over the tree, so that asking is two compares. */
#include <string.h>

#include "base/assert.h"
#include "ir/ir.h"

#define UNREACHABLE UINT32_MAX

uint32_t ir_successors(const Fn *fn, BlockId b, BlockId to[3]) {
    const Block *block = &fn->blocks.at[b];
    uint32_t n = 0;
    if (block->term.succ[0].to != NO_BLOCK) to[n++] = block->term.succ[0].to;
    if (block->term.succ[1].to != NO_BLOCK) to[n++] = block->term.succ[1].to;
    if (block->handler.to != NO_BLOCK) to[n++] = block->handler.to;
    return n;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Depth first with a stack of our own: graphs may be as deep as the program is long. */
static void fill_rpo(Cx *cx, const Fn *fn, Cfg *cfg) {
    struct Visit {
        BlockId b;
        uint32_t next; /* successor to look at */
    } *stack = NEWN(cx, struct Visit, cfg->n);
    uint32_t depth = 0, at = cfg->n;
    BlockId *order = NEWN(cx, BlockId, cfg->n);
    for (uint32_t i = 0; i < cfg->n; i++) cfg->rpo_index[i] = UNREACHABLE;
    bool *seen = NEWN(cx, bool, cfg->n);
    stack[depth++] = (struct Visit){0, 0};
    seen[0] = true;
    while (depth) {
        struct Visit *v = &stack[depth - 1];
        BlockId to[3];
        uint32_t n = ir_successors(fn, v->b, to);
        if (v->next == n) {
            order[--at] = v->b;
            depth--;
            continue;
        }
        /* The last successor first, so that a loop's body comes before what follows the loop. */
        BlockId s = to[n - ++v->next];
        if (!seen[s]) {
            seen[s] = true;
            stack[depth++] = (struct Visit){s, 0};
        }
    }
    cfg->rpo = order + at;
    cfg->nrpo = cfg->n - at;
    for (uint32_t i = 0; i < cfg->nrpo; i++) cfg->rpo_index[cfg->rpo[i]] = i;
}

static void fill_preds(Cx *cx, const Fn *fn, Cfg *cfg) {
    BlockId to[3];
    uint32_t total = 0;
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        uint32_t n = ir_successors(fn, cfg->rpo[i], to);
        for (uint32_t k = 0; k < n; k++) cfg->npreds[to[k]]++;
        total += n;
    }
    BlockId *all = NEWN(cx, BlockId, total);
    for (BlockId b = 0; b < cfg->n; b++) {
        cfg->preds[b] = all;
        all += cfg->npreds[b];
        cfg->npreds[b] = 0;
    }
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        uint32_t n = ir_successors(fn, cfg->rpo[i], to);
        for (uint32_t k = 0; k < n; k++) cfg->preds[to[k]][cfg->npreds[to[k]]++] = cfg->rpo[i];
    }
}

/* --- dominators ------------------------------------------------------------------------------- */

static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b) {
    while (a != b) {
        while (a > b) a = idom[a];
        while (b > a) b = idom[b];
    }
    return a;
}

/* The common dominator of the ways into block number i that are known so far. */
static uint32_t meet_preds(const Fn *fn, const Cfg *cfg, const uint32_t *idom, uint32_t i) {
    BlockId b = cfg->rpo[i];
    uint32_t best = UNREACHABLE;
    for (uint32_t k = 0; k < cfg->npreds[b]; k++) {
        BlockId p = cfg->preds[b][k];
        uint32_t node = 2 * cfg->rpo_index[p] + (fn->blocks.at[p].handler.to != b);
        if (idom[node] == UNREACHABLE) continue;
        best = best == UNREACHABLE ? node : meet(idom, best, node);
    }
    return best;
}

static uint32_t *find_idoms(Cx *cx, const Fn *fn, const Cfg *cfg) {
    uint32_t n = 2 * cfg->nrpo;
    uint32_t *idom = NEWN(cx, uint32_t, n);
    for (uint32_t i = 2; i < n; i++) idom[i] = UNREACHABLE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < cfg->nrpo; i++) {
            uint32_t d = meet_preds(fn, cfg, idom, i);
            changed |= d != idom[2 * i];
            idom[2 * i] = d;
            idom[2 * i + 1] = 2 * i;
        }
    }
    return idom;
}

/* Intervals of the tree. Children have larger numbers than their parents, so two sweeps do. */
static void fill_intervals(Cfg *cfg, const uint32_t *idom, uint32_t *next) {
    uint32_t n = 2 * cfg->nrpo;
    for (uint32_t i = n; i-- > 0;) {
        cfg->dom_size[i]++;
        if (i) cfg->dom_size[idom[i]] += cfg->dom_size[i];
    }
    next[0] = 1;
    for (uint32_t i = 1; i < n; i++) {
        cfg->dom_pre[i] = next[idom[i]];
        next[idom[i]] += cfg->dom_size[i];
        next[i] = cfg->dom_pre[i] + 1;
    }
}

Cfg *ir_cfg(Cx *cx, const Fn *fn) {
    Cfg *cfg = NEW(cx, Cfg);
    uint32_t n = cfg->n = fn->blocks.n;
    cfg->rpo_index = NEWN(cx, uint32_t, n);
    cfg->idom = NEWN(cx, BlockId, n);
    cfg->preds = NEWN(cx, BlockId *, n);
    cfg->npreds = NEWN(cx, uint32_t, n);
    if (!n) return cfg;
    fill_rpo(cx, fn, cfg);
    fill_preds(cx, fn, cfg);
    const uint32_t *idom = find_idoms(cx, fn, cfg);
    for (BlockId b = 0; b < n; b++) {
        uint32_t i = cfg->rpo_index[b];
        cfg->idom[b] = i == UNREACHABLE ? NO_BLOCK : cfg->rpo[idom[2 * i] / 2];
    }
    cfg->dom_pre = NEWN(cx, uint32_t, 2 * cfg->nrpo);
    cfg->dom_size = NEWN(cx, uint32_t, 2 * cfg->nrpo);
    fill_intervals(cfg, idom, NEWN(cx, uint32_t, 2 * cfg->nrpo));
    return cfg;
}

static bool node_dominates(const Cfg *cfg, uint32_t a, uint32_t b) {
    return cfg->dom_pre[b] - cfg->dom_pre[a] < cfg->dom_size[a]; /* wraps if b comes before a */
}

bool cfg_dominates(const Cfg *cfg, BlockId a, BlockId b) {
    uint32_t ia = cfg->rpo_index[a], ib = cfg->rpo_index[b];
    if (ia == UNREACHABLE || ib == UNREACHABLE) return a == b;
    return node_dominates(cfg, 2 * ia, 2 * ib);
}

bool cfg_end_dominates(const Cfg *cfg, BlockId a, BlockId b) {
    uint32_t ia = cfg->rpo_index[a], ib = cfg->rpo_index[b];
    if (ia == UNREACHABLE || ib == UNREACHABLE) return false;
    return node_dominates(cfg, 2 * ia + 1, 2 * ib);
}

/* --- loops ------------------------------------------------------------------------------------ */

static Loop *outermost(Loop *l) {
    while (l->parent) l = l->parent;
    return l;
}

/* Walks backwards from the latches. A block that is in an inner loop already stands for that whole
 * loop: the walk goes on before its header. (Loops are found innermost first, since their headers
 * come last.) */
static void collect_body(const Cfg *cfg, Loops *loops, Loop *loop, BlockId *work, uint32_t n) {
    while (n) {
        BlockId b = work[--n];
        Loop *inner = loops->of[b] ? outermost(loops->of[b]) : NULL;
        if (inner == loop) continue;
        if (inner) {
            inner->parent = loop;
            b = inner->header;
        } else {
            loops->of[b] = loop;
        }
        if (b == loop->header) continue;
        for (uint32_t k = 0; k < cfg->npreds[b]; k++) work[n++] = cfg->preds[b][k];
    }
}

static void find_loop(Cx *cx, const Cfg *cfg, Loops *loops, BlockId header, BlockId *work) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < cfg->npreds[header]; k++)
        if (cfg_dominates(cfg, header, cfg->preds[header][k])) work[n++] = cfg->preds[header][k];
    if (!n) return;
    Loop *loop = NEW(cx, Loop);
    loop->header = header;
    loop->preheader = NO_BLOCK;
    loop->latch = n == 1 ? work[0] : NO_BLOCK;
    loops->n++;
    loops->of[header] = loop;
    collect_body(cfg, loops, loop, work, n);
}

/* Not a block of a loop beside this one, which jumps here when it is left: what is put there would be in that
 * loop, whose blocks are copied and cut out without this one. */
static void find_preheader(const Fn *fn, const Cfg *cfg, const Loops *loops, Loop *loop) {
    BlockId from = NO_BLOCK;
    uint32_t outside = 0;
    for (uint32_t k = 0; k < cfg->npreds[loop->header]; k++) {
        BlockId p = cfg->preds[loop->header][k];
        if (ir_loop_has(loops, loop, p)) continue;
        from = p;
        outside++;
    }
    if (outside != 1 || loops->of[from] != loop->parent) return;
    const Block *b = &fn->blocks.at[from];
    if (b->term.kind == TERM_JUMP && b->term.succ[0].to == loop->header) loop->preheader = from;
}

/* Depths, the tree, and the lists of blocks, once all loops and parents are known. */
static void finish_loops(Cx *cx, const Fn *fn, const Cfg *cfg, Loops *loops) {
    for (uint32_t i = 0; i < cfg->nrpo; i++)
        for (Loop *l = loops->of[cfg->rpo[i]]; l; l = l->parent) l->nblocks++;
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        BlockId b = cfg->rpo[i];
        for (Loop *l = loops->of[b]; l; l = l->parent) {
            if (l->header == b) {
                l->depth = l->parent ? l->parent->depth + 1 : 1;
                l->blocks = NEWN(cx, BlockId, l->nblocks);
                l->nblocks = 0;
                find_preheader(fn, cfg, loops, l);
            }
            l->blocks[l->nblocks++] = b;
        }
    }
    for (uint32_t i = cfg->nrpo; i-- > 0;) { /* backwards: the lists end up in order */
        Loop *l = loops->of[cfg->rpo[i]];
        if (!l || l->header != cfg->rpo[i]) continue;
        Loop **list = l->parent ? &l->parent->child : &loops->roots;
        l->next = *list;
        *list = l;
    }
}

Loops *ir_loops(Cx *cx, const Fn *fn, const Cfg *cfg) {
    Loops *loops = NEW(cx, Loops);
    loops->of = NEWN(cx, Loop *, cfg->n);
    loops->nblocks = cfg->n;
    uint32_t edges = 0;
    for (BlockId b = 0; b < cfg->n; b++) edges += cfg->npreds[b];
    BlockId *work = NEWN(cx, BlockId, edges + 1);
    for (uint32_t i = cfg->nrpo; i-- > 0;) find_loop(cx, cfg, loops, cfg->rpo[i], work);
    finish_loops(cx, fn, cfg, loops);
    return loops;
}

/* --- uses ------------------------------------------------------------------------------------- */

static void count_use(void *arg, Ref *use) { ((uint32_t *)arg)[*use]++; }

uint32_t *ir_use_counts(Cx *cx, const Fn *fn) {
    uint32_t *counts = NEWN(cx, uint32_t, fn->ins.n);
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead) ir_visit_uses((Fn *)(uintptr_t)fn, b, count_use, counts);
    return counts;
}
