/* Runs loops whose only obstacle to vector code are checks on values in strips of 64 iterations:
 *
 *     strip(i, sums):    i + 8 < n ?  no: ----------------------------> the loop as it was(i, sums)
 *     first pass:        what the checks ask for, faults counted; costly values to buffers ^
 *                        any fault ?  yes: ----------------------------------------------------'
 *     second pass:       the loop without its checks, costly values from the buffers
 *                        strip(i + 64, sums)
 *
 * relies on: version (checks that need no value are gone)    keeps: nothing
 * breaks: the graph before each such loop
 *
 * A check that may leave the loop makes its trip count unknown, and the back end does not vectorize
 * it: a quotient per element costs eight times as much checked as not. Both passes are plain loops.
 * Nothing is written before the faults of a strip are known, so the loop as it was, which takes
 * over at the start of the strip, raises at the right iteration with everything done before it and
 * nothing after. It also takes what is too short for a strip, and a negative subscript, which the
 * first pass counts as a fault: so the second pass needs no wrapping.
 *
 * What goes through buffers is a matter of cost: at best what is stored, so that the second pass
 * only copies; under conditions, or where the first pass must not read all that the loop reads,
 * single values that are expensive; nothing where the checks ask for little and the rest is the
 * second pass's own. Subscripts that were read from memory always do: another thread may change them
 * between the passes. Stores and sums stay in the second pass, in their order.
 *
 * Why 64: the machine overlaps the end of one pass with the start of the next as long as it has
 * both in sight, some hundred instructions. Strips of 256 cost 40 % on a division, of 64 still 15.
 * So where both passes are straight and all is stored, a strip is 16 iterations, exactly: the back end
 * makes a few vectors of them without a loop, its buffer is in registers, and no branch is ever
 * guessed wrong. That costs 3 %. Not where functions are called, which a longer strip is nothing
 * beside, and which would be so many more calls to compile.
 *
 * The first pass runs up to 63 iterations ahead of the stores, so it must not read what they write
 * before it is time. Within one array the subscripts tell; for two arrays a test before the loop
 * compares where they lie, and the loop as it was runs if they overlap. */
#include "opt/strip_decide.h"

#include "base/remark.h"
#include "ir/math.h"
#include "ir/remark.h"
#include "opt/report.h"

/* --- the loop --------------------------------------------------------------------------------- */

/* while counter < limit, counter += 1 */
static bool find_counter(StripPlan *p) {
    const Loop *l = p->loop;
    const Term *t = &p->fn->blocks.at[l->header].term, *back = &p->fn->blocks.at[l->latch].term;
    if (t->kind != TERM_BRANCH || back->kind != TERM_JUMP || l->latch == l->header) return false;
    const Ins *test = strip_ins(p, t->arg);
    if (!strip_at(p, t->succ[0].to) || strip_at(p, t->succ[1].to)) return false;
    if (test->op != OP_LT && test->op != OP_GT) return false;
    p->counter = test->args[test->op == OP_GT];
    p->limit = test->args[test->op == OP_LT];
    const Ins *c = strip_ins(p, p->counter);
    if (c->op != OP_PARAM || c->block != l->header || c->ty != TY_I(64) ||
        strip_is_inside(p, p->limit))
        return false;
    const Ins *next = strip_ins(p, strip_latch_arg(p, (uint32_t)c->imm));
    int64_t step;
    return next->op == OP_ADD && next->args[0] == p->counter &&
           opt_int_const(p->fn, next->args[1], &step) && step == 1;
}

/* No way out but the header's test. */
static bool has_one_exit(const StripPlan *p) {
    for (uint32_t k = 1; k < p->loop->nblocks; k++) {
        const Block *b = &p->fn->blocks.at[p->loop->blocks[k]];
        if (opt_has_handler(b) && strip_at(p, b->handler.to)) return false;
        if (b->term.kind != TERM_JUMP && b->term.kind != TERM_BRANCH) return false;
        for (uint32_t s = 0; s < opt_nsucc(&b->term); s++)
            if (!strip_at(p, b->term.succ[s].to)) return false;
    }
    return true;
}

/* Has the back end a vector form of it? */
static bool is_vector_op(const StripPlan *p, const Ins *i) {
    if (i->op == OP_MATH) return math_info[i->sub].intrinsic || math_info[i->sub].sleef;
    if (i->op == OP_FLOORDIV || i->op == OP_FLOORMOD)
        return strip_is_division(p->fn, i) ||
               (i->ty->kind == TY_INT && ir_is_const(p->fn, i->args[1]));
    return true;
}

/* Is `next` the parameter combined with something, in a way that may be taken in any order? */
static bool is_sum(const Ins *next, Ref param) {
    bool left = next->nargs == 2 && next->args[0] == param;
    if (next->nargs != 2 || (!left && next->args[1] != param)) return false;
    bool any_order =
        next->ty->kind == TY_INT || next->ty->kind == TY_BOOL || (next->fast & FAST_REASSOC);
    switch ((int)next->op) {
    case OP_SUB: return left && any_order;
    case OP_ADD:
    case OP_MUL:
    case OP_AND:
    case OP_OR:
    case OP_XOR: return any_order;
    case OP_MATH: return next->sub == MATH_MIN || next->sub == MATH_MAX;
    default: return false;
    }
}

static uint32_t count_uses(const StripPlan *p, Ref r) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < p->loop->nblocks; b++) n += opt_uses_in(p->fn, p->loop->blocks[b], r);
    const Edge *out = &p->fn->blocks.at[p->loop->header].term.succ[1];
    for (uint32_t i = 0; i < out->n; i++) n -= out->args[i] == r;
    return n;
}

/* Parameters of the header: the counter, others like it, sums that nothing else looks at. */
static bool has_vector_params(const StripPlan *p) {
    const Refs *params = &p->fn->blocks.at[p->loop->header].params;
    for (uint32_t k = 0; k < params->n; k++) {
        Ref param = params->at[k], next = strip_latch_arg(p, k);
        const Ins *i = strip_ins(p, next);
        int64_t step;
        if (i->op == OP_ADD && i->args[0] == param && opt_int_const(p->fn, i->args[1], &step))
            continue;
        if (!is_sum(i, param) || count_uses(p, param) != 1 || count_uses(p, next) != 1)
            return false;
    }
    return true;
}

static bool note_ins(Decide *d, uint32_t pos, Ref r) {
    StripPlan *p = d->p;
    const Ins *i = strip_ins(p, r);
    if (strip_is_division(p->fn, i)) vec_push(p->cx, &p->divisions, r);
    if (op_info[i->op].effects & PURE) return is_vector_op(p, i);
    if (pos == 0) return false; /* the header runs once more than the rest */
    switch ((int)i->op) {
    case OP_LOAD: return true;
    case OP_STORE: vec_push(p->cx, &d->stores, r); return true;
    case OP_CHECK: vec_push(p->cx, &p->checks, r); return true;
    case OP_CHECK_INDEX:
        if (opt_is_promise(i)) return true;
        d->subscribes = true;
        vec_push(p->cx, &p->checks, r);
        if (strip_ins(p, i->args[0])->op == OP_WRAP &&
            strip_ins(p, i->args[0])->args[1] == i->args[1])
            map_set(p->cx, &p->wraps, i->args[0], strip_ins(p, i->args[0])->args[0]);
        return true;
    default: return false;
    }
}

static bool look_at_loop(Decide *d) {
    StripPlan *p = d->p;
    Loop *l = p->loop;
    if (l->latch == NO_BLOCK || l->preheader == NO_BLOCK) return false;
    for (uint32_t k = 0; k < l->nblocks; k++) map_set(p->cx, &p->at, l->blocks[k], k + 1);
    if (!find_counter(p) || !has_one_exit(p)) return false;
    for (uint32_t k = 0; k < l->nblocks; k++) {
        const Refs *ins = &p->fn->blocks.at[l->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (!note_ins(d, k, ins->at[i])) return false;
    }
    return p->checks.n + p->divisions.n && has_vector_params(p);
}

/* --- what the checks ask for ------------------------------------------------------------------ */

/* For each block the one where its ways meet: its immediate post-dominator, in the loop without the
 * back edge. */
static void find_meets(StripPlan *p) {
    uint32_t n = p->loop->nblocks;
    for (uint32_t k = n; k-- > 0;) {
        const Block *b = &p->fn->blocks.at[p->loop->blocks[k]];
        p->meet[k] = k;
        if (p->loop->blocks[k] == p->loop->latch || k == 0) continue;
        uint32_t a = strip_at(p, b->term.succ[0].to) - 1;
        uint32_t c = b->term.kind == TERM_BRANCH ? strip_at(p, b->term.succ[1].to) - 1 : a;
        while (a != c)
            if (a < c)
                a = p->meet[a];
            else
                c = p->meet[c];
        p->meet[k] = a;
    }
}

static void need(Decide *d, Ref r) {
    if (strip_is_inside(d->p, r) && map_set(d->p->cx, &d->p->first, r, 1))
        vec_push(d->p->cx, &d->work, r);
}

static bool need_param(Decide *d, Ref r, const Ins *i) {
    StripPlan *p = d->p;
    if (i->block == p->loop->header) return r == p->counter;
    p->merges[strip_at(p, i->block) - 1] = true;
    const Incoming *in = &p->af->in;
    for (uint32_t e = in->start[i->block]; e < in->start[i->block + 1]; e++)
        need(d, opt_edge_arg(p->fn, in->at[e], (uint32_t)i->imm));
    return true;
}

static bool look_at_needed(Decide *d, Ref r) {
    StripPlan *p = d->p;
    const Ins *i = strip_ins(p, r);
    if (i->op == OP_PARAM) return need_param(d, r, i);
    d->busy[strip_at(p, i->block) - 1] = true;
    if (i->op == OP_LOAD) vec_push(p->cx, &d->reads, r);
    if (i->op != OP_LOAD && !(op_info[i->op].effects & PURE)) return false;
    uint32_t n = map_get(&p->wraps, r, 0) ? 1 : i->nargs;
    for (uint32_t a = 0; a < n; a++) need(d, i->args[a]);
    return true;
}

static bool look_at_all_needed(Decide *d) {
    while (d->work.n)
        if (!look_at_needed(d, d->work.at[--d->work.n])) return false;
    return true;
}

/* Has the first pass anything to do that depends on the branch at position k? */
static bool is_branch_needed(const Decide *d, uint32_t k) {
    const StripPlan *p = d->p;
    uint32_t end = p->meet[k];
    if (p->merges[end]) return true;
    bool *seen = NEWN(p->cx, bool, p->loop->nblocks);
    seen[k] = true;
    for (uint32_t b = k; b < end; b++) { /* blocks stand in an order that all edges go along */
        if (!seen[b]) continue;
        if (b != k && (d->busy[b] || p->merges[b])) return true;
        const Term *t = &p->fn->blocks.at[p->loop->blocks[b]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++) seen[strip_at(p, t->succ[s].to) - 1] = true;
    }
    return false;
}

/* Adds what the values needed so far need, and the branches that they depend on. */
static bool close_needed(Decide *d) {
    StripPlan *p = d->p;
    bool good = look_at_all_needed(d), again = good;
    while (again) {
        again = false;
        for (uint32_t k = 1; k < p->loop->nblocks && good; k++) {
            const Term *t = &p->fn->blocks.at[p->loop->blocks[k]].term;
            if (t->kind != TERM_BRANCH || p->keeps[k] || !is_branch_needed(d, k)) continue;
            p->keeps[k] = again = true;
            need(d, t->arg);
            good = look_at_all_needed(d);
        }
    }
    return good;
}

static bool find_needed(Decide *d) {
    StripPlan *p = d->p;
    for (uint32_t k = 0; k < p->checks.n; k++) {
        const Ins *c = strip_ins(p, p->checks.at[k]);
        d->busy[strip_at(p, c->block) - 1] = true;
        Ref index = (Ref)map_get(&p->wraps, c->args[0], 0);
        need(d, index ? index : c->args[0]);
        if (c->op == OP_CHECK_INDEX) need(d, c->args[1]);
    }
    for (uint32_t k = 0; k < p->divisions.n; k++) {
        const Ins *i = strip_ins(p, p->divisions.at[k]);
        d->busy[strip_at(p, i->block) - 1] = true;
        for (uint32_t a = 0; a < 2; a++) need(d, i->args[a]);
    }
    return close_needed(d);
}

/* False: the first pass can not do that. */
static bool compute_stored(Decide *d) {
    StripPlan *p = d->p;
    for (uint32_t k = 0; k < d->stores.n; k++) need(d, strip_ins(p, d->stores.at[k])->args[1]);
    return close_needed(d) && strip_look_at_memory(d);
}

/* --- the pass --------------------------------------------------------------------------------- */

static bool plan(Decide *d, Loop *loop, bool all) {
    StripPlan *p = d->p;
    affine_set_nest(p->af, loop);
    if (!look_at_loop(d)) return false;
    p->meet = NEWN(p->cx, uint32_t, loop->nblocks);
    p->keeps = NEWN(p->cx, bool, loop->nblocks);
    p->merges = NEWN(p->cx, bool, loop->nblocks);
    d->busy = NEWN(p->cx, bool, loop->nblocks);
    find_meets(p);
    if (!find_needed(d) || !strip_look_at_memory(d) || (d->stores.n && strip_has_blind_read(d)))
        return false;
    if (all && !compute_stored(d)) return false;
    strip_choose_buffers(d);
    return d->stack <= STRIP_STACK;
}

static void report(const StripPlan *p) {
    if (!remark_wanted(p->cx)) return;
    for (uint32_t k = 0; k < p->checks.n; k++)
        opt_report_check(p->cx, p->fn, p->checks.at[k], REMARK_CHECK_STRIPS);
    Place place = ir_place_of_loop(p->cx, p->fn, p->loop);
    if (place.span.line)
        remark_add(p->cx, REMARK_STRIPS, place.span, cx_printf(p->cx, "%u", p->size))->via =
            place.via;
}

static bool strip_loop(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    StripPlan less = {.cx = cx, .fn = fn, .af = af, .loop = loop, .size = STRIP}, more = less;
    Decide d = {.p = &less}, d2 = {.p = &more};
    if (!plan(&d, loop, false)) return false;
    if (strip_can_be_short(&d)) more.size = STRIP_SHORT;
    StripPlan *best = strip_wants_commit(&d) && plan(&d2, loop, true) ? &more : &less;
    report(best);
    strip_build(best);
    return true;
}

static bool strip_loops(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    bool any = false;
    for (; loop; loop = loop->next)
        any |= loop->child ? strip_loops(cx, fn, af, loop->child) : strip_loop(cx, fn, af, loop);
    return any;
}

/* Is there anything that strips are for? */
static bool has_work(const Fn *fn) {
    for (Ref r = 1; r < fn->ins.n; r++) {
        const Ins *i = &fn->ins.at[r];
        if (i->block == NO_BLOCK || opt_is_promise(i)) continue;
        if (i->op == OP_CHECK || i->op == OP_CHECK_INDEX || strip_is_division(fn, i)) return true;
    }
    return false;
}

bool opt_strip(Cx *cx, Fn *fn) {
    if (fn->is_slow || ir_is_unsplit(fn) || fn->options.debug || !has_work(fn)) return false;
    Affine *af = affine_new_loops(cx, fn, LIN_EXACT);
    return af && strip_loops(cx, fn, af, af->loops->roots);
}
