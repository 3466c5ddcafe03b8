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
#include "opt/affine.h"
#include "opt/report.h"

typedef struct Hoist {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const Loop *loop;
    BlockId before, first; /* the preheader; the new block, once there is one */
    Map copies; /* value of the loop -> its copy before the loop */
    bool changed;
} Hoist;

/* r as it is in block `to`, before the loop: itself, or a copy of what computes it. */
static Ref read_before(Hoist *h, BlockId to, Ref r) {
    if (!affine_is_in(h->af, h->loop, ir_at(h->fn, r)->block)) return r;
    Ref made = (Ref)map_get(&h->copies, r, 0);
    if (made) return made;
    Ins i = *ir_at(h->fn, r);
    Refs args = {0};
    for (uint32_t a = 0; a < i.nargs; a++) vec_push(h->cx, &args, read_before(h, to, i.args[a]));
    made = ir_add(h->cx, h->fn, to, (Op)i.op, i.ty, i.span, args.n, args.at);
    i.args = ir_at(h->fn, made)->args;
    i.block = to;
    *ir_at(h->fn, made) = i;
    map_set(h->cx, &h->copies, r, made);
    return made;
}

/* Can the header's test be asked before the loop: is it a pure function of what comes in? */
static bool is_test_simple(Hoist *h, Ref r, uint32_t depth) {
    const Ins *i = ir_at(h->fn, r);
    if (!affine_is_in(h->af, h->loop, i->block)) return true;
    if (i->op == OP_PARAM) return i->block == h->loop->header;
    if (!depth || !opt_is_pure(h->fn, r)) return false;
    for (uint32_t a = 0; a < i->nargs; a++)
        if (!is_test_simple(h, i->args[a], depth - 1)) return false;
    return true;
}

/* Would an exception of block b go to the same place, with the same values, before the loop? */
static bool keeps_handler(const Hoist *h, BlockId b) {
    const Edge *e = &h->fn->blocks.at[b].handler;
    if (e->to == NO_BLOCK) return true;
    if (affine_is_in(h->af, h->loop, e->to)) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (affine_is_in(h->af, h->loop, ir_at(h->fn, e->args[i])->block)) return false;
    return true;
}

static bool can_move(Hoist *h, Ref r) {
    const Ins *i = ir_at(h->fn, r);
    for (uint32_t a = 0; a < i->nargs; a++)
        if (!affine_is_invariant(h->af, i->args[a])) return false;
    return keeps_handler(h, i->block);
}

static void make_first(Hoist *h, BlockId handler_of) {
    Fn *fn = h->fn;
    const Refs *params = &fn->blocks.at[h->loop->header].params;
    Edge in = fn->blocks.at[h->before].term.succ[0];
    for (uint32_t i = 0; i < params->n; i++) map_set(h->cx, &h->copies, params->at[i], in.args[i]);
    Ref test = read_before(h, h->before, fn->blocks.at[h->loop->header].term.arg);
    h->copies = (Map){0}; /* the test is asked of what comes in, checks of what does not change */
    h->first = ir_new_block(h->cx, fn, "first");
    ir_jump(h->cx, fn, h->first, in.to, in.n, in.args);
    Edge to_first = ir_edge(h->cx, h->first, 0, NULL);
    bool yes = affine_is_in(h->af, h->loop, fn->blocks.at[h->loop->header].term.succ[0].to);
    ir_branch(h->cx, fn, h->before, test, yes ? to_first : in, yes ? in : to_first, (Span){0});
    Edge e = fn->blocks.at[handler_of].handler;
    if (e.to != NO_BLOCK) fn->blocks.at[h->first].handler = ir_edge(h->cx, e.to, e.n, e.args);
}

static void move(Hoist *h, Ref r) {
    opt_report_check(h->cx, h->fn, r, REMARK_CHECK_BEFORE);
    if (h->first == NO_BLOCK) make_first(h, ir_at(h->fn, r)->block);
    Refs args = {0};
    for (uint32_t a = 0; a < ir_at(h->fn, r)->nargs; a++)
        vec_push(h->cx, &args, read_before(h, h->first, ir_at(h->fn, r)->args[a]));
    Ins i = *ir_at(h->fn, r);
    Ref made = ir_add(h->cx, h->fn, h->first, (Op)i.op, i.ty, i.span, args.n, args.at);
    i.args = ir_at(h->fn, made)->args;
    i.block = h->first;
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
            bool same = h->first == NO_BLOCK || opt_same_edge(&h->fn->blocks.at[h->first].handler,
                                                              &h->fn->blocks.at[b].handler);
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
    const Term *t = &fn->blocks.at[loop->header].term;
    if (loop->preheader == NO_BLOCK || t->kind != TERM_BRANCH) return;
    bool yes = affine_is_in(h->af, loop, t->succ[0].to);
    if (yes == affine_is_in(h->af, loop, t->succ[1].to)) return;
    affine_set_nest(h->af, loop);
    h->loop = loop;
    h->before = loop->preheader;
    h->first = NO_BLOCK;
    h->copies = (Map){0};
    BlockId b = loop->header;
    if (!is_test_simple(h, t->arg, 8)) return;
    for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++)
        if (!opt_is_pure(fn, fn->blocks.at[b].ins.at[i])) return;
    b = fn->blocks.at[b].term.succ[!yes].to;
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
    if (fn->is_slow || (fn->is_kernel && !fn->runs_blocks) || !opt_has_checks(fn)) return false;
    Hoist h = {.cx = cx, .fn = fn, .af = affine_new_loops(cx, fn, LIN_EXACT)};
    if (!h.af) return false;
    hoist_loops(&h, h.af->loops->roots);
    ir_sweep(fn);
    return h.changed;
}
