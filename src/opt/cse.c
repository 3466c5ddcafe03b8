/* Computes nothing twice: a pure instruction equal to one that is always executed before it takes
 * that one's value; a check that has already been passed is dropped; a condition that the way here
 * has already decided is constant.
 *
 * relies on: nothing    keeps: cfg, dominance, loops    breaks: uses
 *
 * First, constants move to the entry and fields to where the aggregate comes from, so that the size
 * of an array is one value wherever it is asked for: range and version compare sizes by name.
 *
 * One walk in reverse post-order with one hash table: a block's dominators come before it, so a
 * candidate is good if the end of its block dominates the place at hand. No scopes to undo. Chains
 * are followed for a few steps only, which keeps the pass linear; a dominating value that went
 * unnoticed costs an instruction, not correctness. Loads are left to LLVM, which knows better what
 * a store changes. */
#include "base/map.h"
#include "ir/rt.h"
#include "opt/opt_int.h"

enum { TRIES = 8 };

/* Entries with the same hash (or facts about the same value), newest first. */
typedef struct Seen Seen;
struct Seen {
    Seen *older;
    Ref ref;
    BlockId block;
    bool at_end; /* fact: from the end of the block on (else from its start) */
    bool value; /* fact: what the condition is */
};

typedef struct Cse {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    Incoming in;
    Map table; /* hash of an instruction -> Seen */
    Seen **facts; /* per Ref */
    uint32_t nfacts;
    Subst sub;
    bool changed;
} Cse;

/* --- equal instructions ----------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t hash_const(const Const *k) {
    uint64_t h = mix(1, k->ty->id), bits;
    memcpy(&bits, &k->i, sizeof bits);
    bool scalar = k->ty->kind == TY_BOOL || k->ty->kind == TY_INT || k->ty->kind == TY_FLOAT;
    return scalar ? mix(h, bits) : h;
}

/* How many operands count: those of an index check's message do not. */
static uint32_t key_args(const Ins *i) { return i->op == OP_CHECK_INDEX ? 2 : i->nargs; }

static uint64_t hash_ins(const Ins *i) {
    if (i->op == OP_CONST) return hash_const(i->k);
    uint64_t h = mix(mix(mix(i->op, i->sub), i->ty->id), (uint64_t)i->imm);
    if (i->op == OP_CALL_RT) h = mix(h, map_key(i->rt));
    if (op_info[i->op].effects & COMM)
        return mix(h, (uint64_t)i->args[0] * i->args[1] + i->args[0] + i->args[1]);
    for (uint32_t a = 0; a < key_args(i); a++) h = mix(h, i->args[a]);
    return h;
}

static bool equal_ins(const Ins *a, const Ins *b) {
    if (a->op != b->op || a->ty != b->ty) return false;
    if (a->op == OP_CONST) return ir_const_equal(a->k, b->k);
    if (a->op == OP_CHECK_INDEX) return a->args[0] == b->args[0] && a->args[1] == b->args[1];
    if (a->op == OP_CALL_RT && a->rt != b->rt) return false;
    if (a->sub != b->sub || a->imm != b->imm || a->imm2 != b->imm2 || a->nargs != b->nargs ||
        a->fast != b->fast)
        return false;
    if (!a->nargs || memcmp(a->args, b->args, a->nargs * sizeof(Ref)) == 0) return true;
    return (op_info[a->op].effects & COMM) && a->args[0] == b->args[1] && a->args[1] == b->args[0];
}

/* May two of these, with equal operands, be one? */
static bool is_mergeable(const Ins *i) {
    if (i->op == OP_CHECK_INDEX || (i->op == OP_CALL_RT && (i->rt->effects & PURE))) return true;
    if (!(op_info[i->op].effects & PURE)) return false;
    return i->op != OP_ARG && i->op != OP_PARAM && i->op != OP_NOP && i->op != OP_SHARED;
}

static bool is_before(const Cse *c, BlockId a, BlockId b) {
    return a == b || cfg_end_dominates(c->cfg, a, b);
}

/* The equal instruction executed before r, or 0; then r is noted for others to find. */
static Ref find_equal(Cse *c, Ref r) {
    const Ins *i = ir_at(c->fn, r);
    uint64_t h = hash_ins(i);
    Seen *first = (Seen *)(uintptr_t)map_get(&c->table, h, 0);
    int tries = 0;
    for (Seen *s = first; s && tries < TRIES; s = s->older, tries++)
        if (is_before(c, s->block, i->block) && equal_ins(ir_at(c->fn, s->ref), i)) return s->ref;
    Seen *made = NEW(c->cx, Seen);
    *made = (Seen){.older = first, .ref = r, .block = i->block};
    map_set(c->cx, &c->table, h, map_key(made));
    return 0;
}

/* --- conditions already decided --------------------------------------------------------------- */

static void add_fact(Cse *c, Ref cond, bool value, BlockId b, bool at_end) {
    if (cond >= c->nfacts) return;
    const Ins *i = ir_at(c->fn, cond);
    int64_t k;
    if (i->op == OP_XOR && opt_int_const(c->fn, i->args[1], &k) && k == 1)
        add_fact(c, i->args[0], !value, b, at_end);
    if (i->op == (value ? OP_AND : OP_OR) && i->ty->kind == TY_BOOL) {
        add_fact(c, i->args[0], value, b, at_end);
        add_fact(c, i->args[1], value, b, at_end);
    }
    Seen *s = NEW(c->cx, Seen);
    *s = (Seen){.older = c->facts[cond], .block = b, .at_end = at_end, .value = value};
    c->facts[cond] = s;
}

/* The condition's value in block b as far as the walk has come: 0, 1, or -1 for unknown. */
static int find_fact(const Cse *c, Ref cond, BlockId b) {
    int tries = 0;
    if (cond >= c->nfacts) return -1;
    for (const Seen *s = c->facts[cond]; s && tries < TRIES; s = s->older, tries++)
        if (s->at_end ? is_before(c, s->block, b) : cfg_dominates(c->cfg, s->block, b))
            return s->value;
    return -1;
}

static void add_branch_facts(Cse *c, BlockId b) {
    const Term *t = &c->fn->blocks.at[b].term;
    if (t->kind != TERM_BRANCH || t->succ[0].to == t->succ[1].to) return;
    for (uint32_t s = 0; s < 2; s++) {
        BlockId to = t->succ[s].to;
        if (c->in.start[to + 1] - c->in.start[to] == 1) add_fact(c, t->arg, s == 0, to, false);
    }
}

/* --- the walk --------------------------------------------------------------------------------- */

static void drop(Cse *c, Ref r, Ref by) {
    if (by) subst_set(c->cx, &c->sub, r, by);
    ir_kill(c->fn, r);
    c->changed = true;
}

static void visit(Cse *c, BlockId b, Ref r) {
    Ins *i = ir_at(c->fn, r);
    for (uint32_t a = 0; a < i->nargs; a++) i->args[a] = subst_get(&c->sub, i->args[a]);
    if (i->op == OP_CHECK) {
        if (find_fact(c, i->args[0], b) == 1)
            drop(c, r, 0);
        else
            add_fact(c, i->args[0], true, b, true);
        return;
    }
    if (i->op == OP_SELECT) {
        int known = find_fact(c, i->args[0], b);
        if (known >= 0) {
            drop(c, r, i->args[known ? 1 : 2]);
            return;
        }
    }
    if (!is_mergeable(i)) return;
    Ref same = find_equal(c, r);
    if (same) drop(c, r, i->op == OP_CHECK_INDEX ? 0 : same);
}

static void visit_term(Cse *c, BlockId b) {
    Term *t = &c->fn->blocks.at[b].term;
    if (t->kind != TERM_BRANCH) return;
    t->arg = subst_get(&c->sub, t->arg);
    int known = find_fact(c, t->arg, b);
    if (known < 0 || ir_is_const(c->fn, t->arg)) {
        add_branch_facts(c, b);
        return;
    }
    Const *k = ir_const_int(c->cx, ir_at(c->fn, t->arg)->ty, known);
    Ref r = ir_const(c->cx, c->fn, b, k, t->span);
    c->fn->blocks.at[b].term.arg = r;
    c->changed = true;
}

/* Constants and fields of aggregates cost nothing: they stand where they can serve every use. */
static void move_up(Cse *c, BlockId b) {
    Refs *ins = &c->fn->blocks.at[b].ins;
    uint32_t n = 0;
    for (uint32_t k = 0; k < ins->n; k++) {
        Ref r = ins->at[k];
        Ins *i = ir_at(c->fn, r);
        BlockId to = i->op == OP_CONST   ? 0
                     : i->op == OP_FIELD ? ir_at(c->fn, i->args[0])->block
                                         : b;
        if (to == b || !cfg_end_dominates(c->cfg, to, b)) {
            ins->at[n++] = r;
            continue;
        }
        i->block = to;
        vec_push(c->cx, &c->fn->blocks.at[to].ins, r);
    }
    ins->n = n;
}

bool opt_cse(Cx *cx, Fn *fn) {
    Cse c = {
        .cx = cx, .fn = fn, .cfg = ir_cfg(cx, fn), .in = opt_incoming(cx, fn), .nfacts = fn->ins.n};
    c.facts = NEWN(cx, Seen *, fn->ins.n);
    for (uint32_t k = 0; k < c.cfg->nrpo; k++) move_up(&c, c.cfg->rpo[k]);
    for (uint32_t k = 0; k < c.cfg->nrpo; k++) {
        BlockId b = c.cfg->rpo[k];
        for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++)
            visit(&c, b, fn->blocks.at[b].ins.at[i]);
        visit_term(&c, b);
    }
    subst_apply(fn, &c.sub);
    ir_sweep(fn);
    return c.changed;
}
