/* Which arguments may outlive a call: returned, stored, or kept by an exception. Fills Fn.escapes.
 *
 * relies on: nothing    keeps: everything    breaks: nothing
 *
 * Dispatch makes an owner block for an argument array only if its bit is set; others are borrowed
 * memory. Every value gets the set of arguments that it may share an owner with, as a bit mask;
 * parts that can not lead to an owner (numbers, addresses of elements) carry none. Masks only grow,
 * within a function over loops and in the module over recursion, so both are repeated until they
 * stand still: twice, in practice. Arguments from the 64th on share no bit: whoever reads
 * Fn.escapes takes them as escaping. */
#include "core/region.h"
#include "opt/opt_int.h"

typedef struct Escape {
    Cx *cx;
    Fn *fn;
    const Incoming *in;
    uint64_t *mask; /* per Ref */
    uint64_t escapes;
    bool changed;
} Escape;

/* Can an owner be reached through a value of this type? Pointers: an array's or string's owner
 * field is one. */
static bool carries(const Type *t) { return t->owning || t->kind == TY_PTR; }

static uint64_t args_mask(const Escape *e, const Ins *i) {
    uint64_t m = 0;
    for (uint32_t a = 0; a < i->nargs; a++) m |= e->mask[i->args[a]];
    return m;
}

static uint64_t param_mask(const Escape *e, const Ins *i) {
    uint64_t m = 0;
    for (uint32_t k = e->in->start[i->block]; k < e->in->start[i->block + 1]; k++) {
        Ref a = opt_edge_arg(e->fn, e->in->at[k], (uint32_t)i->imm);
        if (a) m |= e->mask[a];
    }
    return m;
}

static uint64_t call_escapes(const Escape *e, const Ins *i) {
    uint64_t m = 0;
    for (uint32_t a = 0; a < i->nargs; a++)
        if (a >= 64 || (i->callee->escapes >> a & 1)) m |= e->mask[i->args[a]];
    return m;
}

static uint64_t region_escapes(const Escape *e, const Ins *i) {
    uint64_t m = 0;
    for (uint32_t a = REGION_BODY_VALUES; a < i->callee->nargs; a++)
        if (a >= 64 || (i->callee->escapes >> a & 1))
            m |= e->mask[i->args[a - REGION_BODY_VALUES + REGION_VALUES]];
    return m;
}

/* A runtime call keeps what it gets only if it makes something or changes something, and can reach
 * an owner. */
static uint64_t runtime_escapes(const Escape *e, Ref r, const Ins *i) {
    uint64_t m = 0;
    if (!(opt_effects(e->fn, r) & (ALLOCS | WRITES))) return 0;
    for (uint32_t a = 0; a < i->nargs; a++)
        if (ir_at(e->fn, i->args[a])->ty->owning) m |= e->mask[i->args[a]];
    return m;
}

static void visit(Escape *e, Ref r) {
    const Ins *i = ir_at(e->fn, r);
    uint64_t m = 0;
    switch ((int)i->op) {
    case OP_ARG: m = i->imm < 64 ? (uint64_t)1 << i->imm : 0; break;
    case OP_PARAM: m = param_mask(e, i); break;
    case OP_CALL_FN:
        e->escapes |= call_escapes(e, i);
        break; /* its result is in the callee's bits */
    case OP_REGION: e->escapes |= region_escapes(e, i); break;
    case OP_CALL_RT: e->escapes |= runtime_escapes(e, r, i); break;
    case OP_EXC_MAKE: e->escapes |= args_mask(e, i); break;
    case OP_STORE: e->escapes |= e->mask[i->args[1]]; break;
    case OP_DATA:
    case OP_ELEM:
    case OP_LOAD: break; /* memory, not its owner */
    case OP_FIELD:
        if (ir_at(e->fn, i->args[0])->ty->kind == TY_ARRAY && i->imm != 1) break;
        m = args_mask(e, i);
        break;
    default: m = args_mask(e, i);
    }
    if (!carries(i->ty)) m = 0;
    if (m & ~e->mask[r]) e->changed = true;
    e->mask[r] |= m;
}

static bool visit_fn(Cx *cx, Fn *fn) {
    Incoming in = opt_incoming(cx, fn);
    Escape e = {.cx = cx, .fn = fn, .in = &in, .mask = NEWN(cx, uint64_t, fn->ins.n)};
    do {
        e.changed = false;
        for (BlockId b = 0; b < fn->blocks.n; b++) {
            const Block *blk = &fn->blocks.at[b];
            if (blk->dead) continue;
            for (uint32_t i = 0; i < blk->params.n; i++) visit(&e, blk->params.at[i]);
            for (uint32_t i = 0; i < blk->ins.n; i++) visit(&e, blk->ins.at[i]);
            if (blk->term.arg && (blk->term.kind == TERM_RETURN || blk->term.kind == TERM_RAISE))
                e.escapes |= e.mask[blk->term.arg];
        }
    } while (e.changed);
    bool grew = (e.escapes & ~fn->escapes) != 0;
    fn->escapes |= e.escapes;
    return grew;
}

/* Does any argument's type lead to an owner at all? */
static bool has_owning_arg(const Fn *fn) {
    for (uint32_t i = 0; i < fn->nargs; i++)
        if (fn->args[i].ty->owning) return true;
    return false;
}

bool opt_escape(Cx *cx, Module *m) {
    bool any = false, again;
    do {
        again = false;
        for (uint32_t i = m->fns.n; i-- > 0;) /* callees stand behind their callers, mostly */
            if (has_owning_arg(m->fns.at[i])) again |= visit_fn(cx, m->fns.at[i]);
        any |= again;
    } while (again);
    return any;
}
