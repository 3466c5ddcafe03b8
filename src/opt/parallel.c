/* Loops that may run on several threads: prange, and loops over arrays that lowering made, in functions with
 * parallel=True (Block.parallel). The outermost that can becomes a function over a part of its iterations,
 * and a REGION that calls it:
 *
 *     before                                    before
 *     header(i, s): i < n ? body : out          questions; p = room for partial results
 *     body: ...; jump header(i + 1, s')    ->   chunks = region @body n, questions, cost, p, values
 *     out: ... s ...                            add(c, s): c < chunks ? s = s + p[c], again : out
 *
 *     @body(lo, hi, partial, values): jump header(lo, 0); header: i < hi; at the end s goes to *partial
 *
 * What runs in parallel is what one thread would have done, chunk by chunk, in the order of chunks, with sums
 * begun anew in each; so results do not depend on the number of threads. Chunks run one after the other in
 * this thread if the loop is small, or if a question has another answer than was hoped for.
 *
 * A loop of prange whose iterations surely depend on each other ends the compile. Where it is not known they
 * run on this thread, which is right for any loop; the report says why.
 *
 * relies on: inline, range (bodies are all there, as small as they get)    keeps: everything
 * breaks: loops of the function (they are gone) */
#include "opt/parallel.h"

#include "base/diag.h"
#include "base/remark.h"
#include "core/region.h"
#include "ir/remark.h"

enum { TAILS = 16 }; /* blocks behind a loop that only raise */

/* --- can it be done? -------------------------------------------------------------------------- */

/* `counter < n`, from 0 by 1, is the test, and nothing else is done in the header. */
static bool has_plain_header(Parallel *p) {
    const Block *h = parallel_header(p);
    const Term *t = &h->term;
    int64_t first;
    if (t->kind != TERM_BRANCH || !parallel_is_in(p, t->succ[0].to) ||
        parallel_is_in(p, t->succ[1].to))
        return false;
    const Ins *test = ir_at(p->fn, t->arg), *counter = ir_at(p->fn, p->d.counter);
    const Counter *c = affine_counter(p->af, p->d.counter);
    const Edge *in = &p->fn->blocks.at[p->loop->preheader].term.succ[0];
    if (test->op != OP_LT || test->args[0] != p->d.counter || c->step != 1 ||
        parallel_is_in(p, ir_at(p->fn, test->args[1])->block) || counter->ty != TY_I(64))
        return false;
    if (!opt_int_const(p->fn, in->args[counter->imm], &first) || first != 0) return false;
    for (uint32_t k = 0; k < h->ins.n; k++)
        if (!opt_is_pure(p->fn, h->ins.at[k])) return false;
    p->n = test->args[1];
    p->out = t->succ[1];
    return true;
}

/* The blocks behind the loop where it ends in an exception. */
static bool find_blocks(Parallel *p) {
    for (uint32_t k = 0; k < p->loop->nblocks; k++) vec_push(p->cx, &p->blocks, p->loop->blocks[k]);
    for (uint32_t k = 0; k < p->blocks.n; k++) {
        const Term *t = &p->fn->blocks.at[p->blocks.at[k]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++) {
            BlockId to = t->succ[s].to;
            bool known = parallel_is_in(p, to) || (k == 0 && s == 1);
            for (uint32_t i = p->loop->nblocks; i < p->blocks.n; i++)
                known |= p->blocks.at[i] == to;
            if (known) continue;
            if (!depend_only_raises(p->fn, to) || opt_has_handler(&p->fn->blocks.at[to]) ||
                p->blocks.n > p->loop->nblocks + TAILS)
                return false;
            vec_push(p->cx, &p->blocks, to);
        }
    }
    p->piece = cut_piece(p->cx, p->fn, p->blocks.at, p->blocks.n);
    return true;
}

static bool is_final(const Parallel *p, Ref r) {
    const Counter *c = affine_counter(p->af, r);
    if (c && c->loop == p->loop) return ir_at(p->fn, r)->ty == TY_I(64);
    for (uint32_t k = 0; k < p->d.reductions.n; k++)
        if (p->d.reductions.at[k].param == r) return true;
    return false;
}

typedef struct OutSearch {
    Parallel *p;
    bool good;
} OutSearch;

static void look_at_use(void *arg, Ref *use) {
    OutSearch *s = arg;
    if (parallel_is_in(s->p, ir_at(s->p->fn, *use)->block) && !is_final(s->p, *use))
        s->good = false;
}

/* Is nothing of the loop used behind it but what a region can give? */
static bool has_plain_results(Parallel *p) {
    OutSearch s = {p, true};
    for (uint32_t k = 0; k < p->out.n; k++) look_at_use(&s, &p->out.args[k]);
    for (BlockId b = 0; b < p->fn->blocks.n && s.good; b++)
        if (!p->fn->blocks.at[b].dead && !cut_has(&p->piece, b))
            ir_visit_uses(p->fn, b, look_at_use, &s);
    return s.good;
}

static bool can_move(const Parallel *p) {
    for (uint32_t k = 0; k < p->blocks.n; k++) {
        const Refs *ins = &p->fn->blocks.at[p->blocks.at[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++) {
            Op op = (Op)ir_at(p->fn, ins->at[i])->op;
            if (op == OP_YIELD || op == OP_STACK || op == OP_SHARED || op == OP_BIND) return false;
        }
    }
    return true;
}

/* --- which loops ------------------------------------------------------------------------------ */

static void refuse(Parallel *p) {
    Place place = ir_place_of_loop(p->cx, p->fn, p->loop);
    Span span = p->d.at.line ? p->d.at : place.span;
    if (p->d.at.line) diag_note(p->cx, place.span, "the loop");
    diag_fail(p->cx, span, p->d.answer == DEPEND_DATA ? D_PRANGE_DATA : D_PRANGE, p->d.why);
}

static void tell(Parallel *p, const char *why) {
    if (!remark_wanted(p->cx)) return;
    Place place = ir_place_of_loop(p->cx, p->fn, p->loop);
    if (!place.span.line || place.via) return;
    if (why)
        remark_add(p->cx, REMARK_NO_THREADS, place.span, why);
    else
        remark_add(p->cx, REMARK_THREADS, place.span, p->d.apart, p->d.sums);
}

/* A loop of lowering's that is known to be small: it would run on one thread anyway. */
static bool is_small(const Parallel *p) {
    uint32_t trips = ir_const_trips(p->fn, p->af->cfg, p->af->loops, p->loop);
    return trips && !p->loop->child && trips * parallel_weigh(p, p->loop) < REGION_ALONE;
}

/* True: the loop is gone. */
static bool try_loop(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    Parallel p = {.cx = cx, .fn = fn, .af = af, .loop = loop};
    bool asked = parallel_header(&p)->parallel == PARALLEL_ASKED;
    const Edge *handler = NULL;
    if (!asked && is_small(&p)) return false;
    p.d = depend_look(cx, fn, af, loop);
    if (asked && (p.d.answer == DEPEND_BOUND || p.d.answer == DEPEND_DATA)) refuse(&p);
    bool good = p.d.answer == DEPEND_FREE;
    if (good && !(has_plain_header(&p) && find_blocks(&p) && has_plain_results(&p) &&
                  cut_find_handler(&p.piece, &handler) && can_move(&p) && parallel_can_ask(&p))) {
        good = false;
        p.d.why = "it ends, or begins, in a way that cannot be cut into parts";
    }
    if (good || asked) tell(&p, good ? NULL : p.d.why);
    if (!good) return false;
    parallel_replace(&p, handler);
    return true;
}

/* The first loop with a mark, outermost first, that is done; marks of others are taken away. */
static bool do_one(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    for (; loop; loop = loop->next) {
        uint8_t *mark = &fn->blocks.at[loop->header].parallel;
        if (*mark && try_loop(cx, fn, af, loop)) return true;
        fn->blocks.at[loop->header].parallel = PARALLEL_NO;
        if (do_one(cx, fn, af, loop->child)) return true;
    }
    return false;
}

static bool has_marks(const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead && fn->blocks.at[b].parallel) return true;
    return false;
}

bool opt_parallel(Cx *cx, Fn *fn) {
    bool any = false;
    while (has_marks(fn) && !fn->is_kernel) {
        Affine *af = affine_new_loops(cx, fn, LIN_EXACT);
        if (!af || !do_one(cx, fn, af, af->loops->roots)) break;
        any = true;
    }
    return any;
}
