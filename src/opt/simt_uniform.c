/* What is the same for all threads of a block, and where they are together.
 *
 * Optimistic: everything is uniform until shown otherwise. A branch on a value that varies tears the
 * threads apart up to its immediate post-dominator, where they meet again; parameters there may differ
 * by the way a thread came. What is computed while they are apart counts as varying. After the
 * divergence analysis of Karrenberg and Hack ("Whole-Function Vectorization", 2011), with the region of
 * influence taken whole, which is exact for structured code. */
#include "opt/simt.h"

/* --- post-dominators -------------------------------------------------------------------------- */

/* Cooper, Harvey and Kennedy on the reversed graph, from a point behind all returns. Ways that end in an
 * exception do not count: they end the launch. */
typedef struct Post {
    Simt *s;
    uint32_t *number; /* position in `order` + 1; 0: cannot return */
    BlockId *order; /* post-order of the reversed graph: the nearer to the end, the later */
    uint32_t n;
    bool *seen;
} Post;

static bool is_return(const Simt *s, BlockId b) {
    return s->fn->blocks.at[b].term.kind == TERM_RETURN;
}

/* Depth first against the edges. */
static void walk_back(Post *p, BlockId from) {
    const Cfg *cfg = p->s->cfg;
    struct Visit {
        BlockId b;
        uint32_t next;
    } *stack = NEWN(p->s->cx, struct Visit, cfg->n);
    uint32_t depth = 0;
    stack[depth++] = (struct Visit){from, 0};
    p->seen[from] = true;
    while (depth) {
        struct Visit *v = &stack[depth - 1];
        if (v->next == cfg->npreds[v->b]) {
            p->order[p->n] = v->b;
            p->number[v->b] = ++p->n;
            depth--;
            continue;
        }
        BlockId pred = cfg->preds[v->b][v->next++];
        if (p->seen[pred]) continue;
        p->seen[pred] = true;
        stack[depth++] = (struct Visit){pred, 0};
    }
}

/* The nearest block that both chains pass; NO_BLOCK: the end. */
static BlockId meet(const Post *p, BlockId a, BlockId b) {
    while (a != b) {
        if (a == NO_BLOCK || b == NO_BLOCK) return NO_BLOCK;
        if (p->number[a] < p->number[b])
            a = p->s->ipdom[a];
        else
            b = p->s->ipdom[b];
    }
    return a;
}

/* Where all ways on from b meet, by what is known so far; false: nothing is. */
static bool meet_ways(const Post *p, BlockId b, const bool *known, BlockId *out) {
    BlockId to[3];
    bool any = false;
    for (uint32_t i = ir_successors(p->s->fn, b, to); i-- > 0;) {
        if (!p->number[to[i]] || !known[to[i]]) continue;
        *out = any ? meet(p, *out, to[i]) : to[i];
        any = true;
    }
    return any;
}

static void fill_ipdom(Simt *s) {
    uint32_t n = s->fn->blocks.n;
    Post p = {s, NEWN(s->cx, uint32_t, n), NEWN(s->cx, BlockId, n), 0, NEWN(s->cx, bool, n)};
    bool *known = NEWN(s->cx, bool, n);
    s->ipdom = NEWN(s->cx, BlockId, n);
    for (BlockId b = 0; b < n; b++) s->ipdom[b] = NO_BLOCK;
    for (uint32_t k = 0; k < s->cfg->nrpo; k++)
        if (is_return(s, s->cfg->rpo[k]) && !p.seen[s->cfg->rpo[k]]) walk_back(&p, s->cfg->rpo[k]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = p.n; k-- > 0;) {
            BlockId b = p.order[k], now = NO_BLOCK;
            if (!is_return(s, b) && !meet_ways(&p, b, known, &now)) continue;
            changed |= !known[b] || s->ipdom[b] != now;
            known[b] = true;
            s->ipdom[b] = now;
        }
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static bool any_arg_varies(const Simt *s, const Ins *i) {
    for (uint32_t k = 0; k < i->nargs; k++)
        if (s->varies[i->args[k]]) return true;
    return false;
}

/* What all threads would do alike, so that doing it once is enough. */
static bool can_be_done_once(const Simt *s, Ref r) {
    const Ins *i = ir_at(s->fn, r);
    unsigned effects = opt_effects(s->fn, r);
    switch ((int)i->op) {
    case OP_STACK: return false; /* each thread has its own */
    case OP_CHECK:
    case OP_CHECK_INDEX:
    case OP_EXC_MAKE:
    case OP_LOAD: return true;
    default: return effects & PURE;
    }
}

/* Does r write memory that a load behind it in the same block might read? */
static bool writes(const Simt *s, Ref r) {
    return opt_effects(s->fn, r) & WRITES && !(opt_effects(s->fn, r) & CONV);
}

/* `written`: a thread has written memory in this block before, so that a load of the same address must see
 * what the thread itself wrote. */
static bool ins_varies(const Simt *s, Ref r, bool written) {
    const Ins *i = ir_at(s->fn, r);
    if (i->op == OP_CONST || i->op == OP_ARG || i->op == OP_UNSET || i->op == OP_BARRIER)
        return false;
    if (i->op == OP_SREG && i->sub == SREG_TID) return true;
    if (s->apart[i->block] || any_arg_varies(s, i) || !can_be_done_once(s, r)) return true;
    return i->op == OP_LOAD && written;
}

bool simt_is_per_thread(const Simt *s, Ref r) { return s->varies[r]; }

const SimtGuard *simt_guard_at(const Simt *s, BlockId b) {
    for (uint32_t k = 0; k < s->nguards; k++)
        if (s->guards[k].at == b) return &s->guards[k];
    return NULL;
}

static bool param_varies(const Simt *s, BlockId b, uint32_t k) {
    for (uint32_t e = s->in.start[b]; e < s->in.start[b + 1]; e++) {
        Ref a = opt_edge_arg(s->fn, s->in.at[e], k);
        if (a && s->cfg->rpo_index[s->in.at[e].from] != UINT32_MAX && s->varies[a]) return true;
    }
    return false;
}

/* Blocks that can be reached from b's successors before b's threads meet again. */
static void tear_apart(Simt *s, BlockId b, bool *meets) {
    VEC(BlockId) work = {0};
    BlockId join = s->ipdom[b], to[3];
    if (join != NO_BLOCK) meets[join] = true;
    vec_push(s->cx, &work, b);
    bool *seen = NEWN(s->cx, bool, s->fn->blocks.n);
    while (work.n) {
        BlockId at = work.at[--work.n];
        for (uint32_t i = ir_successors(s->fn, at, to); i-- > 0;) {
            if (to[i] == join || seen[to[i]]) continue;
            seen[to[i]] = true;
            if (!s->apart[to[i]]) s->torn_by[to[i]] = b;
            s->apart[to[i]] = true;
            vec_push(s->cx, &work, to[i]);
        }
    }
}

static bool visit_block(Simt *s, BlockId b, bool *meets, bool *torn) {
    const Block *block = &s->fn->blocks.at[b];
    bool changed = false, written = false;
    for (uint32_t k = 0; k < block->params.n; k++) {
        Ref p = block->params.at[k];
        if (s->varies[p] || !(s->apart[b] || meets[b] || param_varies(s, b, k))) continue;
        changed = s->varies[p] = true;
    }
    for (uint32_t k = 0; k < block->ins.n; k++) {
        Ref r = block->ins.at[k];
        if (!s->varies[r] && ins_varies(s, r, written)) changed = s->varies[r] = true;
        written |= writes(s, r);
    }
    const Term *t = &block->term;
    if (t->kind == TERM_BRANCH && s->varies[t->arg] && !torn[b] && !simt_guard_at(s, b)) {
        tear_apart(s, b, meets);
        changed = torn[b] = true;
    }
    if (t->kind == TERM_RAISE && t->arg && s->varies[t->arg] && !s->apart[b])
        changed = s->apart[b] = true;
    return changed;
}

void simt_fill_uniform(Simt *s) {
    uint32_t n = s->fn->blocks.n;
    s->apart = NEWN(s->cx, bool, n);
    s->varies = NEWN(s->cx, bool, s->fn->ins.n);
    bool *meets = NEWN(s->cx, bool, n), *torn = NEWN(s->cx, bool, n);
    memcpy(s->apart, s->forced, n * sizeof *s->apart);
    memcpy(s->varies, s->pinned, s->fn->ins.n * sizeof *s->varies);
    for (uint32_t k = 0; k < s->nguards; k++)
        if (s->guards[k].scoped && !s->guards[k].loop) meets[s->guards[k].join] = true;
    s->torn_by = NEWN(s->cx, BlockId, n);
    for (BlockId b = 0; b < n; b++) s->torn_by[b] = NO_BLOCK;
    if (!s->ipdom) fill_ipdom(s);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < s->cfg->nrpo; k++)
            changed |= visit_block(s, s->cfg->rpo[k], meets, torn);
    }
}
