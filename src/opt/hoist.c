/* Moves checks that do not change in a loop to before it, for loops that version left as they are:
 *
 *     before: jump header(init)              before: branch test(init), first, header(init)
 *     header: branch test, body, out    ->   first:  check x;  jump header(init)
 *     body:   check x ...                    header: branch test, body, out
 *                                            body:   ...
 *
 * relies on: version    keeps: nothing    breaks: the graph before each such loop
 *
 * Not loop-invariant code motion: a check may move only if the first iteration is sure to reach it,
 * with nothing done and nothing else raised before it; where there is no first iteration it is not
 * asked. What computes its operands is copied, if that can not raise; the back end's own motion
 * does the rest, which it can not do as long as a check may leave the loop. */
#include "base/remark.h"
#include "opt/first.h"
#include "opt/report.h"

typedef struct Hoist {
    Cx *cx;
    Fn *fn;
    Affine *af;
    First first;
    bool changed;
} Hoist;

/* Would an exception of block b go to the same place, with the same values, before the loop? Not if only the loop
 * leads there: then values of the loop may be used there. */
static bool keeps_handler(const Hoist *h, BlockId b) {
    const Edge *e = &h->fn->blocks.at[b].handler;
    if (e->to == NO_BLOCK) return true;
    if (cfg_dominates(h->af->cfg, h->first.loop->header, e->to)) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (affine_is_in(h->af, h->first.loop, ir_at(h->fn, e->args[i])->block)) return false;
    return true;
}

static bool can_move(Hoist *h, Ref r) {
    const Ins *i = ir_at(h->fn, r);
    for (uint32_t a = 0; a < i->nargs; a++)
        if (!affine_is_invariant(h->af, i->args[a])) return false;
    return keeps_handler(h, i->block);
}

static void move(Hoist *h, Ref r) {
    BlockId to = h->first.block;
    opt_report_check(h->cx, h->fn, r, REMARK_CHECK_BEFORE);
    if (to == NO_BLOCK) {
        first_make(&h->first, &h->fn->blocks.at[ir_at(h->fn, r)->block].handler);
        to = h->first.block;
    }
    Refs args = {0};
    for (uint32_t a = 0; a < ir_at(h->fn, r)->nargs; a++)
        vec_push(h->cx, &args, first_read(&h->first, to, ir_at(h->fn, r)->args[a]));
    Ins i = *ir_at(h->fn, r);
    Ref made = ir_add(h->cx, h->fn, to, (Op)i.op, i.ty, i.span, args.n, args.at);
    i.args = ir_at(h->fn, made)->args;
    i.block = to;
    *ir_at(h->fn, made) = i;
    ir_kill(h->fn, r);
    h->changed = true;
}

/* Moves what the first iteration is sure to reach in block b; true: it goes on to the end. */
static bool move_from(Hoist *h, BlockId b) {
    for (uint32_t i = 0; i < h->fn->blocks.at[b].ins.n; i++) {
        Ref r = h->fn->blocks.at[b].ins.at[i];
        unsigned op = ir_at(h->fn, r)->op;
        if (op == OP_CHECK || op == OP_CHECK_INDEX) {
            BlockId to = h->first.block;
            bool same = to == NO_BLOCK ||
                        opt_same_edge(&h->fn->blocks.at[to].handler, &h->fn->blocks.at[b].handler);
            if (!same || !can_move(h, r)) return false;
            move(h, r);
        } else if (opt_effects(h->fn, r) & (WRITES | RAISES | CONV)) {
            return false;
        }
    }
    return true;
}

static void hoist_loop(Hoist *h, Loop *loop) {
    Fn *fn = h->fn;
    affine_set_nest(h->af, loop);
    if (!first_look(&h->first, loop)) return;
    const Term *t = &fn->blocks.at[loop->header].term;
    BlockId b = t->succ[!affine_is_in(h->af, loop, t->succ[0].to)].to;
    const Incoming *in = &h->af->in;
    while (in->start[b + 1] - in->start[b] == 1 && affine_is_in(h->af, loop, b)) {
        if (!move_from(h, b) || fn->blocks.at[b].term.kind != TERM_JUMP) return;
        b = fn->blocks.at[b].term.succ[0].to;
    }
}

static void hoist_loops(Hoist *h, Loop *loop) {
    for (; loop; loop = loop->next) {
        hoist_loops(h, loop->child);
        hoist_loop(h, loop);
    }
}

bool opt_hoist(Cx *cx, Fn *fn) {
    if (fn->is_slow || ir_is_unsplit(fn) || !opt_has_checks(fn)) return false;
    Hoist h = {.cx = cx, .fn = fn, .af = affine_new_loops(cx, fn, LIN_EXACT)};
    if (!h.af) return false;
    h.first = (First){.cx = cx, .fn = fn, .af = h.af};
    hoist_loops(&h, h.af->loops->roots);
    ir_sweep(fn);
    return h.changed;
}
