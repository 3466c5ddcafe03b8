/* SSA form while building.
 *
 * As in Braun et al., "Simple and Efficient Construction of SSA Form" (2013), a variable is
 * looked up backwards from where it is read, and a block with several predecessors gets a
 * parameter for it. Unlike there, the arguments of these parameters are filled in at the end,
 * when every edge is known: no recursion, whatever the size of the function. Then parameters
 * that turn out to be one value are replaced by it, and those that nobody reads go.
 *
 * An exception leaves a block somewhere in its middle, but a handler's arguments are values that
 * are there when the block is entered. So a variable has two values per block, `before` and
 * `now`, handler edges take the first, and an instruction that may raise, behind a write in the
 * same block, begins a new one (bd_add). */
#include <string.h>

#include "base/assert.h"
#include "build/build_int.h"

enum { SLOT_HANDLER = 2 };

/* --- blocks ----------------------------------------------------------------------------------- */

BlockId bd_new_block(Builder *b, const char *label) {
    BlockId block = ir_new_block(b->cx, b->fn, label);
    (void)vec_add(b->cx, &b->info);
    return block;
}

void bd_start(Builder *b, BlockId block) {
    b->at = block;
    if (b->handler == NO_BLOCK) return;
    b->fn->blocks.at[block].handler = ir_edge(b->cx, b->handler, 0, NULL);
    vec_push(b->cx, &b->info.at[b->handler].guarded, block);
}

void bd_seal(Builder *b, BlockId block) { b->info.at[block].sealed = true; }

bool bd_enter(Builder *b, BlockId block) {
    bd_seal(b, block);
    if (b->info.at[block].preds.n) {
        bd_start(b, block);
        return true;
    }
    ir_kill_block(b->fn, block);
    b->at = NO_BLOCK;
    return false;
}

static void add_pred(Builder *b, BlockId to, uint8_t slot) {
    WS_ASSERT(!b->info.at[to].sealed);
    vec_push(b->cx, &b->info.at[to].preds, ((Pred){b->at, slot}));
}

void bd_jump(Builder *b, BlockId to) {
    if (b->at == NO_BLOCK) return;
    ir_jump(b->cx, b->fn, b->at, to, 0, NULL);
    add_pred(b, to, 0);
    b->at = NO_BLOCK;
}

void bd_branch(Builder *b, Ref cond, BlockId yes, BlockId no, Span span) {
    Edge to_yes = ir_edge(b->cx, yes, 0, NULL), to_no = ir_edge(b->cx, no, 0, NULL);
    ir_branch(b->cx, b->fn, b->at, cond, to_yes, to_no, span);
    add_pred(b, yes, 0);
    add_pred(b, no, 1);
    b->at = NO_BLOCK;
}

void bd_return(Builder *b, Ref value, Span span) {
    ir_return(b->fn, b->at, value, span);
    b->at = NO_BLOCK;
}

static void go_on_in_new_block(Builder *b) {
    if (b->at == NO_BLOCK) return;
    BlockId next = bd_new_block(b, b->fn->blocks.at[b->at].label);
    bd_jump(b, next);
    bd_enter(b, next);
}

/* Something is about to raise here. */
static void expect_exception(Builder *b) {
    if (b->handler != NO_BLOCK && b->info.at[b->at].dirty) go_on_in_new_block(b);
}

void bd_raise(Builder *b, Ref exc, Ref cause, Span span) {
    expect_exception(b);
    ir_raise(b->fn, b->at, exc, cause, span);
    b->at = NO_BLOCK;
}

void bd_set_handler(Builder *b, BlockId handler) {
    if (handler == b->handler) return;
    b->handler = handler;
    go_on_in_new_block(b);
}

static bool can_raise(const Fn *fn, const Block *block) {
    if (block->term.kind == TERM_RAISE) return true;
    for (uint32_t i = 0; i < block->ins.n; i++)
        if (op_info[ir_at(fn, block->ins.at[i])->op].effects & RAISES) return true;
    return false;
}

bool bd_seal_handler(Builder *b, BlockId handler) {
    BlockInfo *info = &b->info.at[handler];
    for (uint32_t i = 0; i < info->guarded.n; i++) {
        BlockId from = info->guarded.at[i];
        Block *block = &b->fn->blocks.at[from];
        if (can_raise(b->fn, block))
            vec_push(b->cx, &info->preds, ((Pred){from, SLOT_HANDLER}));
        else
            block->handler.to = NO_BLOCK;
    }
    info->sealed = true;
    if (!info->preds.n) ir_kill_block(b->fn, handler);
    return info->preds.n > 0;
}

Ref bd_add(Builder *b, Op op, Span span, uint32_t nargs, const Ref *args) {
    if (op_info[op].effects & RAISES) expect_exception(b);
    return ir_add(b->cx, b->fn, b->at, op, TY_OF(TY_UNDEF), span, nargs, args);
}

Ref bd_add1(Builder *b, Op op, Span span, Ref x) { return bd_add(b, op, span, 1, &x); }

Ref bd_add2(Builder *b, Op op, Span span, Ref x, Ref y) {
    return bd_add(b, op, span, 2, (Ref[]){x, y});
}

/* --- variables -------------------------------------------------------------------------------- */

static uint64_t key_of(BlockId block, uint32_t x) { return (uint64_t)block << 32 | x; }

uint32_t bd_new_var(Builder *b) {
    vec_push(b->cx, &b->names, NULL);
    return b->names.n - 1;
}

void bd_write(Builder *b, uint32_t var, Ref value) {
    map_set(b->cx, &b->now, key_of(b->at, var), value);
    b->info.at[b->at].dirty = true;
}

static Ref new_phi(Builder *b, BlockId block, uint32_t var) {
    Ref r = ir_add_param(b->cx, b->fn, block, TY_OF(TY_UNDEF));
    vec_push(b->cx, &b->phis, ((Phi){.ref = r, .block = block, .var = var}));
    ir_at(b->fn, r)->imm2 = b->phis.n; /* back to its row, while building */
    return r;
}

/* The variable's value at the end of block (`at_end`), or at its entry. */
static Ref read_at(Builder *b, BlockId block, uint32_t var, bool at_end) {
    BlockId start = block;
    bool start_at_end = at_end;
    Ref r = 0;
    while (!r) {
        if (at_end) r = (Ref)map_get(&b->now, key_of(block, var), 0);
        if (!r) r = (Ref)map_get(&b->before, key_of(block, var), 0);
        if (r) break;
        const BlockInfo *info = &b->info.at[block];
        if (info->sealed && info->preds.n == 0) {
            r = b->unset;
        } else if (info->sealed && info->preds.n == 1) {
            at_end = info->preds.at[0].slot != SLOT_HANDLER;
            block = info->preds.at[0].from;
        } else {
            r = new_phi(b, block, var);
            map_set(b->cx, &b->before, key_of(block, var), r);
        }
    }
    /* The next reader need not walk as far. What block wrote itself is not what it was entered
     * with. */
    bool is_own = start_at_end && start == block && map_get(&b->now, key_of(start, var), 0);
    if (!is_own) map_set(b->cx, &b->before, key_of(start, var), r);
    return r;
}

Ref bd_read(Builder *b, uint32_t var) { return read_at(b, b->at, var, true); }

static Phi *phi_of(Builder *b, Ref r) {
    const Ins *i = ir_at(b->fn, r);
    return i->op == OP_PARAM && i->imm2 ? &b->phis.at[i->imm2 - 1] : NULL;
}

void bd_check_set(Builder *b, Ref value, const char *name, Span span) {
    if (value != b->unset && !phi_of(b, value)) return;
    if (!map_set(b->cx, &b->checked, key_of(b->at, value), 1)) return;
    Ref r = bd_add1(b, OP_CHECK_SET, span, value);
    ir_at(b->fn, r)->name = name;
    ir_at(b->fn, r)->ty = TY_OF(TY_NONE);
    vec_push(b->cx, &b->checks, r);
}

/* --- the end ---------------------------------------------------------------------------------- */

static Ref resolve(Builder *b, Ref r) {
    for (Phi *p; (p = phi_of(b, r)) && p->same_as;) {
        Phi *q = phi_of(b, p->same_as);
        if (q && q->same_as) p->same_as = q->same_as; /* halve the way for the next */
        r = p->same_as;
    }
    return r;
}

/* Reading for one parameter may make others: the list grows while it is walked. */
static void fill_operands(Builder *b) {
    for (uint32_t i = 0; i < b->phis.n; i++) {
        BlockId block = b->phis.at[i].block;
        uint32_t n = b->info.at[block].preds.n, var = b->phis.at[i].var;
        Ref *ops = NEWN(b->cx, Ref, n);
        for (uint32_t k = 0; k < n; k++) {
            Pred p = b->info.at[block].preds.at[k];
            ops[k] = read_at(b, p.from, var, p.slot != SLOT_HANDLER);
        }
        b->phis.at[i].ops = ops;
        b->phis.at[i].nops = n;
    }
}

/* A parameter whose arguments are all one value, or itself, is that value. */
static bool drop_trivial(Builder *b, Phi *p) {
    Ref only = 0;
    bool differ = false;
    for (uint32_t k = 0; k < p->nops; k++) {
        Ref r = p->ops[k] = resolve(b, p->ops[k]); /* all of them: who comes later relies on it */
        if (r == only || r == p->ref) continue;
        differ |= only != 0;
        only = r;
    }
    if (differ) return false;
    p->same_as = only ? only : b->unset;
    return true;
}

static void drop_all_trivial(Builder *b) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < b->phis.n; i++)
            if (!b->phis.at[i].same_as) changed |= drop_trivial(b, &b->phis.at[i]);
    }
}

static bool may_be_unset(Builder *b, Ref r) {
    const Phi *p = phi_of(b, r);
    return r == b->unset || (p && p->may_be_unset);
}

static void find_maybe_unset(Builder *b) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < b->phis.n; i++) {
            Phi *p = &b->phis.at[i];
            for (uint32_t k = 0; k < p->nops && !p->may_be_unset && !p->same_as; k++)
                changed |= p->may_be_unset = may_be_unset(b, p->ops[k]);
        }
    }
}

/* --- companions: is the variable set? --------------------------------------------------------- */

static Ref entry_bool(Builder *b, bool value) {
    Const *k = NEW(b->cx, Const);
    *k = (Const){.ty = TY_OF(TY_BOOL), .i = value};
    Ref r = ir_insert(b->cx, b->fn, 0, b->fn->nargs, OP_CONST, k->ty, b->fn->span, 0, NULL);
    ir_at(b->fn, r)->k = k;
    return r;
}

/* The bool for a value: for a parameter that may be unset, a parameter beside it, whose operands
 * come later. */
static Ref is_set(Builder *b, Ref value, const Ref known[2]) {
    if (!may_be_unset(b, value)) return known[1];
    if (value == b->unset) return known[0];
    Phi *p = phi_of(b, value);
    if (p->is_set) return p->is_set;
    Ref r = new_phi(b, p->block, p->var);
    p = phi_of(b, value);
    Phi *beside = phi_of(b, r);
    beside->nops = p->nops;
    beside->ops = NEWN(b->cx, Ref, p->nops);
    memcpy(beside->ops, p->ops, p->nops * sizeof(Ref)); /* values: the caller makes bools of them */
    p->is_set = r;
    return r;
}

static void make_checks(Builder *b) {
    Ref known[2] = {0, 0};
    uint32_t first = b->phis.n;
    for (uint32_t i = 0; i < b->checks.n; i++) {
        Ref check = b->checks.at[i], value = resolve(b, ir_at(b->fn, check)->args[0]);
        if (!may_be_unset(b, value)) {
            ir_kill(b->fn, check);
            continue;
        }
        if (!known[0])
            for (int k = 0; k < 2; k++) known[k] = entry_bool(b, k);
        Ref r = is_set(b, value, known);
        ir_at(b->fn, check)->args[0] = r;
    }
    for (uint32_t i = first; i < b->phis.n; i++)
        for (uint32_t k = 0; k < b->phis.at[i].nops; k++) {
            Ref r = is_set(b, b->phis.at[i].ops[k], known);
            b->phis.at[i].ops[k] = r;
        }
}

/* --- parameters in place ---------------------------------------------------------------------- */

typedef struct Marks {
    Builder *b;
    Refs work; /* live parameters whose arguments are still to be marked */
    bool unset_used;
} Marks;

static void mark(void *arg, Ref *use) {
    Marks *m = arg;
    *use = resolve(m->b, *use);
    m->unset_used |= *use == m->b->unset;
    Phi *p = phi_of(m->b, *use);
    if (!p || p->live) return;
    p->live = true;
    vec_push(m->b->cx, &m->work, *use);
}

static void mark_live(Builder *b) {
    Marks m = {.b = b};
    for (BlockId i = 0; i < b->fn->blocks.n; i++)
        if (!b->fn->blocks.at[i].dead) ir_visit_uses(b->fn, i, mark, &m);
    for (uint32_t i = 0; i < m.work.n; i++) {
        const Phi *p = phi_of(b, m.work.at[i]);
        for (uint32_t k = 0; k < p->nops; k++) mark(&m, &p->ops[k]);
    }
    if (!m.unset_used) ir_kill(b->fn, b->unset);
}

static Edge *edge_of(Builder *b, Pred p) {
    Block *from = &b->fn->blocks.at[p.from];
    return p.slot == SLOT_HANDLER ? &from->handler : &from->term.succ[p.slot];
}

/* The block's live parameters, and the arguments for them on each edge. */
static void place_params(Builder *b, BlockId id) {
    Block *block = &b->fn->blocks.at[id];
    const BlockInfo *info = &b->info.at[id];
    uint32_t n = 0, fixed = 0;
    for (uint32_t i = 0; i < block->params.n; i++) {
        const Phi *p = phi_of(b, block->params.at[i]);
        fixed += !p;
        if (!p || p->live) block->params.at[n++] = block->params.at[i];
    }
    block->params.n = n;
    for (uint32_t i = 0; i < n; i++) ir_at(b->fn, block->params.at[i])->imm = i;
    for (uint32_t k = 0; k < info->preds.n && n > fixed; k++) {
        Edge *e = edge_of(b, info->preds.at[k]);
        e->n = n - fixed;
        e->args = NEWN(b->cx, Ref, e->n);
        for (uint32_t i = fixed; i < n; i++)
            e->args[i - fixed] = phi_of(b, block->params.at[i])->ops[k];
    }
}

void bd_finish(Builder *b) {
    fill_operands(b);
    drop_all_trivial(b);
    find_maybe_unset(b);
    make_checks(b);
    mark_live(b);
    for (BlockId i = 0; i < b->fn->blocks.n; i++)
        if (!b->fn->blocks.at[i].dead) place_params(b, i);
    for (uint32_t i = 0; i < b->phis.n; i++) {
        Ins *param = ir_at(b->fn, b->phis.at[i].ref);
        const char *name = b->names.at[b->phis.at[i].var];
        param->imm2 = 0;
        if (b->phis.at[i].live)
            param->name = name;
        else
            *param = (Ins){.op = OP_NOP, .block = NO_BLOCK};
    }
    ir_sweep(b->fn);
}
