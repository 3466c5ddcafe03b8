/* src/ir/cfg.c, live.c and verify.c on random graphs, against the definitions written out. */
#include <stdlib.h>
#include <string.h>

#include "base/cx.h"
#include "check.h"
#include "ir/ir.h"
#include "ir/live.h"

enum { MAX = 24, ROUNDS = 300 };

/* --- random functions ------------------------------------------------------------------------- */

static BlockId random_target(Rng *rng, const Fn *fn) {
    return 1 + rng_below(rng, fn->blocks.n - 1);
}

/* Blocks with random edges; near targets are likelier, so that loops nest. No values but the
 * branches' condition. */
static Fn *random_graph(Cx *cx, Rng *rng, uint32_t n, bool handlers) {
    Fn *fn = ir_new_fn(cx, "g", STAGE_LOW);
    fn->ret = TY_OF(TY_NONE);
    for (uint32_t b = 0; b < n; b++) ir_new_block(cx, fn, NULL);
    Ref cond = ir_const(cx, fn, 0, ir_const_int(cx, TY_OF(TY_BOOL), 1), (Span){0});
    for (BlockId b = 0; b < n; b++) {
        BlockId near = b + 1 < n ? b + 1 : 1;
        uint32_t kind = rng_below(rng, 10);
        if (n == 1 || kind == 0)
            ir_return(fn, b, 0, (Span){0});
        else if (kind < 4)
            ir_jump(cx, fn, b, kind == 1 ? random_target(rng, fn) : near, 0, NULL);
        else
            ir_branch(cx, fn, b, cond, (Edge){.to = near}, (Edge){.to = random_target(rng, fn)},
                      (Span){0});
        if (handlers && n > 1 && rng_below(rng, 4) == 0)
            fn->blocks.at[b].handler.to = random_target(rng, fn);
    }
    return fn;
}

/* --- definitions ------------------------------------------------------------------------------ */

/* Blocks reachable from `from`, not entering `without`; with `cut`, the end of that block is never
 * reached (its handler edge is still there). */
static void reach(const Fn *fn, BlockId from, BlockId without, BlockId cut, bool *seen) {
    if (from == without || seen[from]) return;
    seen[from] = true;
    const Block *b = &fn->blocks.at[from];
    for (int k = 0; k < 2 && from != cut; k++)
        if (b->term.succ[k].to != NO_BLOCK) reach(fn, b->term.succ[k].to, without, cut, seen);
    if (b->handler.to != NO_BLOCK) reach(fn, b->handler.to, without, cut, seen);
}

static bool naive_dominates(const Fn *fn, BlockId a, BlockId b) {
    bool seen[MAX] = {false};
    reach(fn, 0, a, NO_BLOCK, seen);
    return !seen[b];
}

static bool naive_end_dominates(const Fn *fn, BlockId a, BlockId b) {
    bool seen[MAX] = {false};
    reach(fn, 0, NO_BLOCK, a, seen);
    return !seen[b];
}

static void check_dominators(const Fn *fn, const Cfg *cfg) {
    bool seen[MAX] = {false};
    reach(fn, 0, NO_BLOCK, NO_BLOCK, seen);
    for (BlockId b = 0; b < cfg->n; b++) {
        EXPECT(seen[b] == (cfg->rpo_index[b] != UINT32_MAX));
        EXPECT(seen[b] == (cfg->idom[b] != NO_BLOCK));
        for (BlockId a = 0; a < cfg->n && seen[b]; a++) {
            if (!seen[a]) continue;
            EXPECT(cfg_dominates(cfg, a, b) == naive_dominates(fn, a, b));
            EXPECT(cfg_end_dominates(cfg, a, b) == naive_end_dominates(fn, a, b));
            if (b && a != b && cfg_dominates(cfg, a, b))
                EXPECT(cfg_dominates(cfg, a, cfg->idom[b]));
        }
    }
}

static void check_order(const Fn *fn, const Cfg *cfg) {
    uint32_t edges = 0, preds = 0;
    EXPECT(cfg->nrpo && cfg->rpo[0] == 0);
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        BlockId to[3], b = cfg->rpo[i];
        EXPECT(cfg->rpo_index[b] == i);
        uint32_t n = ir_successors(fn, b, to);
        edges += n;
        preds += cfg->npreds[b];
        for (uint32_t k = 0; k < cfg->npreds[b]; k++) {
            bool found = false;
            n = ir_successors(fn, cfg->preds[b][k], to);
            for (uint32_t j = 0; j < n; j++) found |= to[j] == b;
            EXPECT(found);
        }
    }
    EXPECT(edges == preds);
}

static void random_body(Cx *cx, void *arg) {
    (void)arg;
    Rng rng = {7};
    for (int round = 0; round < ROUNDS; round++) {
        const Fn *fn = random_graph(cx, &rng, 1 + rng_below(&rng, MAX), round % 2);
        const Cfg *cfg = ir_cfg(cx, fn);
        check_order(fn, cfg);
        check_dominators(fn, cfg);
    }
}

void test_cfg_random(void) { with_cx(random_body, NULL); }

/* --- small ones by hand ----------------------------------------------------------------------- */

static void diamond_body(Cx *cx, void *arg) {
    (void)arg;
    const Fn *fn =
        ir_parse(cx, "fn low @f() -> none {\nb0:\n    %1 = const bool true\n    branch %1, b1, b2\n"
                     "b1:\n    jump b3\nb2:\n    jump b3\nb3:\n    return\nb4:\n    jump b3\n}\n")
            ->fns.at[0];
    const Cfg *cfg = ir_cfg(cx, fn);
    EXPECT(cfg->nrpo == 4 && cfg->idom[3] == 0 && cfg->idom[4] == NO_BLOCK);
    EXPECT(cfg->npreds[3] == 2); /* not the unreachable one */
    EXPECT(cfg_dominates(cfg, 0, 3) && !cfg_dominates(cfg, 1, 3) && cfg_dominates(cfg, 3, 3));
    EXPECT(!cfg_end_dominates(cfg, 3, 3) && cfg_end_dominates(cfg, 0, 3));
    EXPECT(cfg_dominates(cfg, 4, 4) && !cfg_dominates(cfg, 0, 4) && !cfg_dominates(cfg, 4, 3));
}

void test_cfg_diamond(void) { with_cx(diamond_body, NULL); }

/* What b1 computes is there in b2, not in its handler b3, nor where the two meet. */
static void handler_body(Cx *cx, void *arg) {
    (void)arg;
    const Fn *fn =
        ir_parse(cx,
                 "fn low @f() -> none {\nb0:\n    jump b1\nb1 handler b3:\n    poll\n    jump b2\n"
                 "b2:\n    jump b4\nb3(%1: exc):\n    jump b4\nb4:\n    return\n}\n")
            ->fns.at[0];
    const Cfg *cfg = ir_cfg(cx, fn);
    EXPECT(cfg_end_dominates(cfg, 1, 2) && !cfg_end_dominates(cfg, 1, 3) &&
           !cfg_end_dominates(cfg, 1, 4));
    EXPECT(cfg_dominates(cfg, 1, 3) && cfg->idom[4] == 1 && cfg_end_dominates(cfg, 0, 4));
}

void test_cfg_handler(void) { with_cx(handler_body, NULL); }

/* Deep graphs must not use the C stack. */
static void long_body(Cx *cx, void *arg) {
    (void)arg;
    enum { LONG = 100000 };
    Fn *fn = ir_new_fn(cx, "g", STAGE_LOW);
    for (uint32_t b = 0; b < LONG; b++) ir_new_block(cx, fn, NULL);
    for (uint32_t b = 0; b + 1 < LONG; b++) ir_jump(cx, fn, b, b + 1, 0, NULL);
    ir_return(fn, LONG - 1, 0, (Span){0});
    const Cfg *cfg = ir_cfg(cx, fn);
    EXPECT(cfg->nrpo == LONG && cfg->rpo[LONG - 1] == LONG - 1);
    EXPECT(cfg_dominates(cfg, 17, LONG - 1) && !cfg_dominates(cfg, LONG - 1, 17));
    EXPECT(ir_loops(cx, fn, cfg)->n == 0);
}

void test_cfg_long(void) { with_cx(long_body, NULL); }

/* --- loops ------------------------------------------------------------------------------------ */

static void grow_body(const Cfg *cfg, BlockId header, BlockId b, bool *in) {
    if (in[b]) return;
    in[b] = true;
    if (b == header) return;
    for (uint32_t k = 0; k < cfg->npreds[b]; k++) grow_body(cfg, header, cfg->preds[b][k], in);
}

/* The natural loop of a header: 0 if it is none. */
static uint32_t naive_loop(const Cfg *cfg, BlockId header, bool *in) {
    uint32_t n = 0;
    memset(in, 0, MAX);
    for (uint32_t k = 0; k < cfg->npreds[header]; k++)
        if (cfg_dominates(cfg, header, cfg->preds[header][k]))
            grow_body(cfg, header, cfg->preds[header][k], in);
    for (BlockId b = 0; b < cfg->n; b++) n += in[b];
    return n;
}

static uint32_t check_loop_list(const Cfg *cfg, const Loops *loops, const Loop *l,
                                const Loop *parent) {
    uint32_t n = 0;
    for (; l; l = l->next) {
        bool in[MAX];
        EXPECT(l->parent == parent && l->depth == (parent ? parent->depth + 1 : 1));
        EXPECT(naive_loop(cfg, l->header, in) == l->nblocks && l->blocks[0] == l->header);
        for (uint32_t i = 0; i < l->nblocks; i++) {
            EXPECT(in[l->blocks[i]]);
            EXPECT(i == 0 || cfg->rpo_index[l->blocks[i - 1]] < cfg->rpo_index[l->blocks[i]]);
        }
        EXPECT(loops->of[l->header] == l);
        n += 1 + check_loop_list(cfg, loops, l->child, l);
    }
    return n;
}

static void check_loops(const Cfg *cfg, const Loops *loops) {
    uint32_t best[MAX], count = 0; /* per block: blocks of the smallest loop around it */
    BlockId header[MAX];
    for (BlockId b = 0; b < cfg->n; b++) best[b] = UINT32_MAX;
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        bool in[MAX];
        uint32_t n = naive_loop(cfg, cfg->rpo[i], in);
        count += n > 0;
        for (BlockId b = 0; b < cfg->n; b++)
            if (in[b] && n < best[b]) best[b] = n, header[b] = cfg->rpo[i];
    }
    EXPECT(loops->n == count);
    EXPECT(check_loop_list(cfg, loops, loops->roots, NULL) == count);
    for (BlockId b = 0; b < cfg->n; b++) {
        EXPECT((best[b] == UINT32_MAX) == (loops->of[b] == NULL));
        if (loops->of[b])
            EXPECT(loops->of[b]->header == header[b] && loops->of[b]->nblocks == best[b]);
    }
}

static void loops_body(Cx *cx, void *arg) {
    (void)arg;
    Rng rng = {11};
    uint32_t found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const Fn *fn = random_graph(cx, &rng, 2 + rng_below(&rng, MAX - 2), round % 3 == 0);
        const Cfg *cfg = ir_cfg(cx, fn);
        const Loops *loops = ir_loops(cx, fn, cfg);
        check_loops(cfg, loops);
        found += loops->n;
    }
    EXPECT(found > ROUNDS);
}

void test_loops_random(void) { with_cx(loops_body, NULL); }

static BlockId preheader_of(Cx *cx, const char *blocks) {
    const Fn *fn =
        ir_parse(cx, cx_printf(cx, "fn low @f(c: bool) -> none {\n%s}\n", blocks))->fns.at[0];
    const Loops *loops = ir_loops(cx, fn, ir_cfg(cx, fn));
    EXPECT(loops->n == 1);
    return loops->roots->preheader;
}

static void preheader_body(Cx *cx, void *arg) {
    (void)arg;
    const char *b0 = "b0:\n    %1: bool = arg #0\n";
    const char *rest = "b2:\n    branch %1, b2, b3\nb3:\n    return\n";
    const char *jumps = "    branch %1, b1, b4\nb1:\n    jump b2\nb4:\n    jump b2\n";
    EXPECT(preheader_of(cx, cx_printf(cx, "%s    jump b2\n%s", b0, rest)) == 0);
    EXPECT(preheader_of(cx, cx_printf(cx, "%s    branch %%1, b2, b3\n%s", b0, rest)) == NO_BLOCK);
    EXPECT(preheader_of(cx, cx_printf(cx, "%s%s%s", b0, jumps, rest)) == NO_BLOCK);
}

void test_preheader(void) { with_cx(preheader_body, NULL); }

/* A nest of loops: header k jumps to header k + 1, the innermost back out, each latch to its
 * header. */
static void deep_body(Cx *cx, void *arg) {
    (void)arg;
    enum { DEPTH = 500 };
    Fn *fn = ir_new_fn(cx, "g", STAGE_LOW);
    for (uint32_t b = 0; b < 2 * DEPTH + 2; b++) ir_new_block(cx, fn, NULL);
    Ref cond = ir_const(cx, fn, 0, ir_const_int(cx, TY_OF(TY_BOOL), 1), (Span){0});
    BlockId latch = DEPTH + 1; /* of the innermost; outer ones follow */
    for (uint32_t b = 0; b <= DEPTH; b++) ir_jump(cx, fn, b, b + 1, 0, NULL);
    for (uint32_t k = 0; k < DEPTH; k++)
        ir_branch(cx, fn, latch + k, cond, (Edge){.to = DEPTH - k}, (Edge){.to = latch + k + 1},
                  (Span){0});
    ir_return(fn, 2 * DEPTH + 1, 0, (Span){0});
    const Cfg *cfg = ir_cfg(cx, fn);
    const Loops *loops = ir_loops(cx, fn, cfg);
    EXPECT(loops->n == DEPTH && loops->of[DEPTH]->depth == DEPTH &&
           loops->of[DEPTH]->latch == latch);
    EXPECT(loops->roots->nblocks == 2 * DEPTH && loops->roots->preheader == 0 &&
           !loops->roots->next);
    EXPECT(loops->of[DEPTH]->preheader == DEPTH - 1);
}

void test_loops_deep(void) { with_cx(deep_body, NULL); }

/* --- values: liveness and the verifier -------------------------------------------------------- */

/* Is r there at the end (`at_end`) or at the start of b? */
static bool is_there(const Fn *fn, Ref r, BlockId b, bool at_end) {
    BlockId def = ir_at(fn, r)->block;
    if (def == b) return at_end || ir_at(fn, r)->op == OP_PARAM;
    return naive_end_dominates(fn, def, b);
}

static Ref random_value(Rng *rng, const Fn *fn, BlockId b, bool at_end) {
    Ref start = 1 + rng_below(rng, fn->ins.n - 1);
    for (uint32_t k = 0; k < fn->ins.n - 1; k++) {
        Ref r = 1 + (start - 1 + k) % (fn->ins.n - 1);
        if (ir_at(fn, r)->ty == TY_I(64) && is_there(fn, r, b, at_end)) return r;
    }
    return 0;
}

static void random_edge(Cx *cx, Rng *rng, const Fn *fn, BlockId b, Edge *e, bool handler) {
    if (e->to == NO_BLOCK) return;
    uint32_t n = fn->blocks.at[e->to].params.n - handler;
    Ref args[4];
    for (uint32_t k = 0; k < n; k++) args[k] = random_value(rng, fn, b, !handler);
    *e = ir_edge(cx, e->to, n, args);
}

/* A graph with parameters, values and uses, correct by construction. */
static Fn *random_function(Cx *cx, Rng *rng) {
    Fn *fn = random_graph(cx, rng, 2 + rng_below(rng, MAX - 2), true);
    bool caught[MAX] = {false};
    ir_const(cx, fn, 0, ir_const_int(cx, TY_I(64), 1), (Span){0});
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        if (b == 0)
            fn->blocks.at[b].handler.to = NO_BLOCK; /* so that there is a value everywhere */
        BlockId to = fn->blocks.at[b].handler.to;
        if (to != NO_BLOCK) caught[to] = true;
    }
    /* a jump to a handler would have to pass an exception: send it elsewhere */
    for (BlockId b = 0; b < fn->blocks.n; b++)
        for (int k = 0; k < 2; k++) {
            Edge *e = &fn->blocks.at[b].term.succ[k];
            if (e->to != NO_BLOCK && caught[e->to])
                fn->blocks.at[b].term =
                    (Term){.kind = TERM_RETURN, .succ = {{.to = NO_BLOCK}, {.to = NO_BLOCK}}};
        }
    for (BlockId b = 1; b < fn->blocks.n; b++) {
        if (caught[b]) ir_add_param(cx, fn, b, TY_OF(TY_EXC));
        for (uint32_t k = rng_below(rng, 3); k > 0; k--) ir_add_param(cx, fn, b, TY_I(64));
    }
    const Cfg *cfg = ir_cfg(cx, fn);
    for (uint32_t i = 0; i < cfg->nrpo; i++)
        for (uint32_t k = rng_below(rng, 4); k > 0; k--) {
            Ref args[] = {random_value(rng, fn, cfg->rpo[i], true),
                          random_value(rng, fn, cfg->rpo[i], true)};
            ir_add(cx, fn, cfg->rpo[i], OP_ADD, TY_I(64), (Span){0}, 2, args);
        }
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Block *block = &fn->blocks.at[b];
        if (cfg->rpo_index[b] == UINT32_MAX) {
            ir_kill_block(fn, b);
            continue;
        }
        random_edge(cx, rng, fn, b, &block->term.succ[0], false);
        random_edge(cx, rng, fn, b, &block->term.succ[1], false);
        random_edge(cx, rng, fn, b, &block->handler, true);
    }
    return fn;
}

/* Does b use r before it could define it: in an instruction, its terminator or an edge? Handler
 * arguments count. */
static bool uses_inside(const Fn *fn, BlockId b, Ref r) {
    const Block *block = &fn->blocks.at[b];
    bool found = block->term.arg == r;
    for (uint32_t i = 0; i < block->ins.n; i++)
        for (uint32_t k = 0; k < ir_at(fn, block->ins.at[i])->nargs; k++)
            found |= ir_at(fn, block->ins.at[i])->args[k] == r;
    const Edge *edges[] = {&block->term.succ[0], &block->term.succ[1], &block->handler};
    for (int e = 0; e < 3; e++)
        for (uint32_t k = 0; edges[e]->to != NO_BLOCK && k < edges[e]->n; k++)
            found |= edges[e]->args[k] == r;
    return found;
}

/* The data-flow equations, round and round until nothing changes. */
static void naive_live(const Fn *fn, Ref r, bool *in, bool *out) {
    memset(in, 0, MAX);
    memset(out, 0, MAX);
    BlockId def = ir_at(fn, r)->block;
    for (bool changed = true; changed;) {
        changed = false;
        for (BlockId b = 0; b < fn->blocks.n; b++) {
            const Block *block = &fn->blocks.at[b];
            if (block->dead) continue;
            for (int k = 0; k < 2; k++)
                if (block->term.succ[k].to != NO_BLOCK && in[block->term.succ[k].to] && !out[b])
                    out[b] = changed = true;
            bool caught = block->handler.to != NO_BLOCK && in[block->handler.to];
            bool needed = out[b] || caught || uses_inside(fn, b, r);
            if (needed && def != b && !in[b]) in[b] = changed = true;
        }
    }
}

static bool is_odd(const Fn *fn, Ref r) {
    (void)fn;
    return r & 1;
}

static void live_body(Cx *cx, void *arg) {
    (void)arg;
    Rng rng = {13};
    uint32_t found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const Fn *fn = random_function(cx, &rng);
        const Cfg *cfg = ir_cfg(cx, fn);
        const Live *all = ir_live(cx, fn, cfg, NULL), *odd = ir_live(cx, fn, cfg, is_odd);
        for (Ref r = 1; r < fn->ins.n; r++) {
            bool in[MAX], out[MAX];
            if (ir_at(fn, r)->block == NO_BLOCK) continue;
            naive_live(fn, r, in, out);
            for (BlockId b = 0; b < fn->blocks.n; b++) {
                EXPECT(live_has(&all->in[b], r) == in[b] && live_has(&all->out[b], r) == out[b]);
                EXPECT(live_has(&odd->in[b], r) == (in[b] && (r & 1)));
                found += in[b];
            }
        }
    }
    EXPECT(found > 10 * ROUNDS);
}

void test_live_random(void) { with_cx(live_body, NULL); }

/* Correct functions pass; a value used where it is not there does not. */
static void verify_body(Cx *cx, void *arg) {
    (void)arg;
    Rng rng = {17};
    uint32_t broken = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Fn *fn = random_function(cx, &rng);
        const char *wrong = ir_verify(cx, fn);
        EXPECT(wrong == NULL);
        if (wrong) {
            Buf out = {0};
            ir_print_fn(cx, &out, fn);
            printf("%s\n%s", wrong, out.at);
            return;
        }
        BlockId b = rng_below(&rng, fn->blocks.n);
        Ref r = 1 + rng_below(&rng, fn->ins.n - 1);
        if (fn->blocks.at[b].dead || !fn->blocks.at[b].ins.n || ir_at(fn, r)->ty != TY_I(64))
            continue;
        Ins *user = ir_at(fn, fn->blocks.at[b].ins.at[0]);
        if (user->op != OP_ADD || ir_at(fn, r)->block == NO_BLOCK) continue;
        user->args[0] = r;
        bool there = is_there(fn, r, b, false);
        EXPECT(there == (ir_verify(cx, fn) == NULL));
        broken += !there;
    }
    EXPECT(broken > 20);
}

void test_verify_random(void) { with_cx(verify_body, NULL); }

static void counts_body(Cx *cx, void *arg) {
    (void)arg;
    Rng rng = {19};
    for (int round = 0; round < 50; round++) {
        const Fn *fn = random_function(cx, &rng);
        const uint32_t *counts = ir_use_counts(cx, fn);
        for (Ref r = 1; r < fn->ins.n; r++) {
            bool used = false;
            for (BlockId b = 0; b < fn->blocks.n; b++)
                used |= !fn->blocks.at[b].dead && uses_inside(fn, b, r);
            EXPECT((counts[r] > 0) == used);
        }
    }
}

void test_use_counts(void) { with_cx(counts_body, NULL); }
