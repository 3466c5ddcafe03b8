/* Finds loops whose iterations do not depend on each other, and why others do; changes nothing.
 *
 * A loop is free if it is counted, nothing leaves it early but an exception, what it carries from one iteration to
 * the next are sums and the like, and no two iterations touch one element that one of them writes. The last is shown
 * in two ways: some axis of both subscripts is c * counter + the same, c != 0; or both lie in rows of one array
 * which different iterations have their own of. What it needs of run-time values (arrays apart, subscripts not
 * negative) is left as questions. Where that does not do, or something is called that is not looked into, the
 * answer is "unknown", not "bound". */
#include "opt/depend.h"

#include "base/diag.h"
#include "ir/math.h"
#include "ir/rt.h"

typedef struct Access {
    Ref ins, elem, root; /* what reads or writes; the ELEM of its address, or 0; see find_root */
    bool is_store;
} Access;

typedef struct Ask {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const Loop *loop;
    Depend out;
    VEC(Access) accesses;
    Map chain; /* values of the reduction that is being looked at */
    Refs marked; /* in chain, in this order */
    Map joined; /* parameters that a test chose -> the test, + 1 if it takes where it is true */
    Reduction reduction;
    uint32_t nextremes; /* steps of it that choose */
    Buf sums, apart;
} Ask;

static const Ins *at(const Ask *a, Ref r) { return ir_at(a->fn, r); }
static bool is_inside(const Ask *a, Ref r) { return affine_is_in(a->af, a->loop, at(a, r)->block); }

static bool answer(Ask *a, DependAnswer answer, Span at, const char *why) {
    if (a->out.answer == DEPEND_FREE || (a->out.answer != DEPEND_BOUND && answer == DEPEND_BOUND)) {
        a->out.answer = answer;
        a->out.at = at;
        a->out.why = why;
    }
    return false;
}

static bool refuse(Ask *a, Span at, const char *why) { return answer(a, DEPEND_BOUND, at, why); }
static bool doubt(Ask *a, const char *why) {
    return answer(a, DEPEND_UNKNOWN, (Span){0}, why);
}

static const char *source_of(Ask *a, Ref r) {
    const char *text = diag_source(a->cx, at(a, r)->span);
    return text ? cx_printf(a->cx, "`%s`", text) : "something";
}

/* --- ways out --------------------------------------------------------------------------------- */

bool depend_only_raises(const Fn *fn, BlockId b) {
    for (int steps = 0; steps < 4; steps++) {
        const Term *t = &fn->blocks.at[b].term;
        if (t->kind == TERM_RAISE || t->kind == TERM_UNREACHABLE) return true;
        if (t->kind != TERM_JUMP) return false;
        b = t->succ[0].to;
    }
    return false;
}

static bool look_at_exits(Ask *a) {
    for (uint32_t k = 1; k < a->loop->nblocks; k++) {
        const Term *t = &a->fn->blocks.at[a->loop->blocks[k]].term;
        for (uint32_t s = 0; s < opt_nsucc(t); s++)
            if (!affine_is_in(a->af, a->loop, t->succ[s].to) && !depend_only_raises(a->fn, t->succ[s].to))
                return refuse(a, t->span, "it may be left early (break, return, or a condition)");
        if (t->kind == TERM_RETURN) return refuse(a, t->span, "it may be left early (return)");
    }
    return true;
}

static bool find_counter(Ask *a) {
    const Refs *params = &a->fn->blocks.at[a->loop->header].params;
    for (uint32_t k = 0; k < params->n && !a->out.counter; k++) {
        const Counter *c = affine_counter(a->af, params->at[k]);
        if (c && c->loop == a->loop) a->out.counter = params->at[k];
    }
    if (!a->out.counter || a->loop->latch == NO_BLOCK)
        return refuse(a, (Span){0}, "how often it runs is not known when it begins");
    return true;
}

/* --- what is carried over --------------------------------------------------------------------- */

static const char *const family_words[] = {
    [SUM] = "sum",
    [PRODUCT] = "product",
    [EXTREME] = "minimum or maximum",
    [FOLLOWS] = "value that goes with a minimum or maximum",
    [BITS_AND] = "combination of bits",
    [BITS_OR] = "combination of bits",
    [BITS_XOR] = "combination of bits",
};

static Family family_of(const Ins *i) {
    switch ((int)i->op) {
    case OP_ADD:
    case OP_SUB: return SUM;
    case OP_MUL:
    case OP_FDIV: return PRODUCT;
    case OP_AND: return BITS_AND;
    case OP_OR: return BITS_OR;
    case OP_XOR: return BITS_XOR;
    case OP_MATH:
        return i->sub == MATH_MIN || i->sub == MATH_FMIN || i->sub == MATH_MAX ||
                       i->sub == MATH_FMAX
                   ? EXTREME
                   : NOT_ONE;
    default: return NOT_ONE;
    }
}

static bool is_order(const Ins *i) {
    return i->op == OP_LT || i->op == OP_LE || i->op == OP_GT || i->op == OP_GE;
}

/* x < y ? x : y and the like: the comparison, if it is for nothing else; 0: it is something else. */
static Ref find_comparison(const Ask *a, const Ins *i) {
    if (i->op != OP_SELECT) return 0;
    const Ins *c = at(a, i->args[0]);
    bool same = is_order(c) && ((c->args[0] == i->args[1] && c->args[1] == i->args[2]) ||
                                (c->args[0] == i->args[2] && c->args[1] == i->args[1]));
    return same && ir_use_counts(a->cx, a->fn)[i->args[0]] == 1 ? i->args[0] : 0;
}

enum { STEP = 1, COMPARISON = 2 }; /* in Ask.chain */

static bool is_strict(const Ins *i) { return i->op == OP_LT || i->op == OP_GT; }

/* A parameter of a block where two ways meet again, behind `if test: take a new value`. */
typedef struct Choice {
    Ref test, kept, taken;
    BlockId branch;
    bool takes_if;
} Choice;

/* Is block b, on the way that takes, there for values alone? */
static bool only_computes(const Ask *a, BlockId b) {
    const Block *block = &a->fn->blocks.at[b];
    for (uint32_t k = 0; k < block->ins.n; k++)
        if (opt_effects(a->fn, block->ins.at[k]) & (WRITES | RAISES | ALLOCS)) return false;
    return !opt_has_handler(block);
}

/* The branch that edge `in` into a join comes from, by at most one block in between; *side: which of its ways. */
static BlockId find_branch(const Ask *a, In in, uint32_t *side) {
    const Block *from = &a->fn->blocks.at[in.from];
    if (in.which == IN_HANDLER) return NO_BLOCK;
    *side = in.which;
    if (from->term.kind == TERM_BRANCH) return in.from;
    const Incoming *all = &a->af->in;
    uint32_t first = all->start[in.from];
    if (all->start[in.from + 1] != first + 1 || !only_computes(a, in.from)) return NO_BLOCK;
    *side = all->at[first].which;
    bool branches = a->fn->blocks.at[all->at[first].from].term.kind == TERM_BRANCH;
    return branches && *side != IN_HANDLER ? all->at[first].from : NO_BLOCK;
}

/* What a join gets on both edges, if they are the two ways of one branch that orders. */
static bool find_choice(const Ask *a, Ref v, Choice *out) {
    const Ins *i = at(a, v);
    const Incoming *in = &a->af->in;
    uint32_t first = in->start[i->block], side[2];
    if (i->op != OP_PARAM || in->start[i->block + 1] != first + 2) return false;
    BlockId b = find_branch(a, in->at[first], &side[0]);
    if (b == NO_BLOCK || b != find_branch(a, in->at[first + 1], &side[1]) || side[0] == side[1] ||
        !affine_is_in(a->af, a->loop, b))
        return false;
    out->branch = b;
    out->test = a->fn->blocks.at[b].term.arg;
    if (!is_order(at(a, out->test)) || ir_use_counts(a->cx, a->fn)[out->test] != 1) return false;
    for (int k = 0; k < 2; k++)
        *(side[k] == 0 ? &out->taken : &out->kept) =
            opt_edge_arg(a->fn, in->at[first + (uint32_t)k], (uint32_t)i->imm);
    return out->takes_if = true;
}

static void turn(Choice *c) {
    Ref taken = c->taken;
    c->taken = c->kept;
    c->kept = taken;
    c->takes_if = !c->takes_if;
}

/* One value; or loaded from one place with no store in between: x before the test, y on the way behind it. */
static bool is_same_value(const Ask *a, BlockId branch, Ref x, Ref y) {
    const Ins *i = at(a, x), *k = at(a, y);
    if (x == y) return true;
    if (i->op != OP_LOAD || k->op != OP_LOAD || i->args[0] != k->args[0]) return false;
    const Incoming *in = &a->af->in;
    uint32_t first = in->start[k->block];
    if (i->block != branch || k->block == branch || in->start[k->block + 1] != first + 1 ||
        in->at[first].from != branch || !only_computes(a, k->block))
        return false;
    const Refs *ins = &a->fn->blocks.at[branch].ins;
    uint32_t n = 0;
    while (ins->at[n] != x) n++;
    for (; n < ins->n; n++)
        if (opt_effects(a->fn, ins->at[n]) & WRITES) return false;
    return true;
}

/* Does the test ask whether the new value is better than the one so far? */
static bool compares(const Ask *a, const Choice *c) {
    const Ins *t = at(a, c->test);
    return (t->args[0] == c->kept && is_same_value(a, c->branch, t->args[1], c->taken)) ||
           (t->args[1] == c->kept && is_same_value(a, c->branch, t->args[0], c->taken));
}

static bool is_chain(Ask *a, Ref v, Ref param, Family *family, int depth);

static void mark(Ask *a, Ref v, int as) {
    map_set(a->cx, &a->chain, v, (uint64_t)as);
    vec_push(a->cx, &a->marked, v);
}

/* What was tried and did not do leaves no marks. */
static bool unmark(Ask *a, uint32_t n) {
    while (a->marked.n > n) map_set(a->cx, &a->chain, a->marked.at[--a->marked.n], 0);
    return false;
}

static bool is_choice(Ask *a, Ref v, Ref param, Family *family, int depth) {
    Choice c;
    uint32_t before = a->marked.n;
    if (*family || !find_choice(a, v, &c)) return false;
    for (int way = 0; way < 2; way++, turn(&c)) {
        bool best = compares(a, &c);
        if (!best && (c.kept != param || !is_strict(at(a, c.test)))) continue;
        if (!is_chain(a, c.kept, param, family, depth - 1) || *family) {
            *family = NOT_ONE;
            unmark(a, before);
            continue;
        }
        *family = best ? EXTREME : FOLLOWS;
        mark(a, v, STEP);
        map_set(a->cx, &a->joined, v, c.test + (uint64_t)c.takes_if);
        if (best) mark(a, c.test, COMPARISON);
        a->nextremes++;
        a->reduction = (Reduction){
            .step = c.test, .test = c.test, .so_far = c.kept, .takes_if = c.takes_if};
        return true;
    }
    return false;
}

/* A parameter: is all that it gets the chain? */
static bool is_merge(Ask *a, Ref v, Ref param, Family *family, int depth) {
    const Incoming *in = &a->af->in;
    BlockId b = at(a, v)->block;
    mark(a, v, STEP);
    for (uint32_t e = in->start[b]; e < in->start[b + 1]; e++) {
        Ref arg = opt_edge_arg(a->fn, in->at[e], (uint32_t)at(a, v)->imm);
        if (!arg || !is_chain(a, arg, param, family, depth - 1)) return false;
    }
    return true;
}

static bool is_param_chain(Ask *a, Ref v, Ref param, Family *family, int depth) {
    Family outer = *family;
    uint32_t before = a->marked.n, extremes = a->nextremes;
    Reduction reduction = a->reduction;
    if (is_merge(a, v, param, family, depth)) return true;
    unmark(a, before);
    *family = outer;
    a->nextremes = extremes;
    a->reduction = reduction;
    return is_choice(a, v, param, family, depth);
}

static bool is_step(Ask *a, Ref v, Ref param, Family *family, int depth) {
    const Ins *i = at(a, v);
    Ref comparison = find_comparison(a, i);
    Family f = comparison ? EXTREME : family_of(i);
    if (!f || (i->nargs != 2 && !comparison) || (*family && f != *family)) return false;
    *family = f;
    mark(a, v, STEP);
    if (comparison) mark(a, comparison, COMPARISON);
    const Ref *sides = i->args + (comparison != 0);
    bool ordered = i->op == OP_SUB || i->op == OP_FDIV;
    uint32_t before = a->marked.n;
    for (int k = 0; k < 2 - ordered; k++) {
        if (!is_chain(a, sides[k], param, family, depth - 1) && !unmark(a, before)) continue;
        a->nextremes += f == EXTREME;
        a->reduction = (Reduction){
            .step = v, .test = comparison, .so_far = sides[k], .takes_if = k == 1};
        return true;
    }
    return false;
}

/* Is v the parameter, or that combined with other values, over branches and inner loops? Its steps go to
 * a->chain. */
static bool is_chain(Ask *a, Ref v, Ref param, Family *family, int depth) {
    if (v == param || map_get(&a->chain, v, 0) == STEP) return true;
    if (!depth || !is_inside(a, v)) return false;
    return at(a, v)->op == OP_PARAM ? is_param_chain(a, v, param, family, depth)
                                    : is_step(a, v, param, family, depth);
}

static bool has(const Ask *a, Ref r) { return r && map_get(&a->chain, r, 0) == STEP; }

static bool edge_leaks(const Ask *a, const Edge *e) {
    if (e->to == NO_BLOCK || !affine_is_in(a->af, a->loop, e->to)) return false;
    const Refs *params = &a->fn->blocks.at[e->to].params;
    for (uint32_t k = 0; k < e->n; k++)
        if (has(a, e->args[k]) && !has(a, params->at[params->n - e->n + k])) return true;
    return false;
}

/* Does anything in the loop look at an intermediate value of the chain? */
static bool chain_leaks(const Ask *a) {
    for (uint32_t k = 0; k < a->loop->nblocks; k++) {
        const Block *b = &a->fn->blocks.at[a->loop->blocks[k]];
        for (uint32_t n = 0; n < b->ins.n; n++) {
            const Ins *i = at(a, b->ins.at[n]);
            uint32_t uses = 0;
            if (map_get(&a->chain, b->ins.at[n], 0) == COMPARISON) continue;
            for (uint32_t x = 0; x < i->nargs; x++) uses += has(a, i->args[x]);
            if (uses > 1 || (uses && !has(a, b->ins.at[n]))) return true;
        }
        if (has(a, b->term.arg) || edge_leaks(a, &b->handler)) return true;
        for (uint32_t s = 0; s < opt_nsucc(&b->term); s++)
            if (edge_leaks(a, &b->term.succ[s])) return true;
    }
    return false;
}

static bool is_used_inside(const Ask *a, Ref r) {
    for (uint32_t k = 0; k < a->loop->nblocks; k++) {
        const Block *b = &a->fn->blocks.at[a->loop->blocks[k]];
        for (uint32_t n = 0; n < b->ins.n; n++)
            for (uint32_t x = 0; x < at(a, b->ins.at[n])->nargs; x++)
                if (at(a, b->ins.at[n])->args[x] == r) return true;
        if (b->term.arg == r) return true;
    }
    return false;
}

static const char *name_of(Ask *a, Ref param) {
    const char *name = at(a, param)->name;
    return name ? cx_printf(a->cx, "'%s'", name) : "a value";
}

static bool is_number(const Type *t) {
    return t->kind == TY_INT || t->kind == TY_FLOAT || t->kind == TY_BOOL;
}

static void note_reduction(Ask *a, Ref param, Family family, const char *name) {
    bool rounds = at(a, param)->ty->kind == TY_FLOAT && (family == SUM || family == PRODUCT);
    buf_printf(a->cx, &a->sums, "; %s is a %s%s", name, family_words[family],
               rounds ? ", whose last digits depend on the order" : "");
    a->reduction.param = param;
    a->reduction.family = family;
    vec_push(a->cx, &a->out.reductions, a->reduction);
}

static bool look_at_param(Ask *a, Ref param, Ref next) {
    enum { DEEPEST = 24 };
    Family family = NOT_ONE;
    a->chain = (Map){0};
    a->marked.n = a->nextremes = 0;
    mark(a, param, STEP);
    const char *name = name_of(a, param);
    if (is_chain(a, next, param, &family, DEEPEST) && family && a->nextremes <= 1 &&
        !chain_leaks(a)) {
        note_reduction(a, param, family, name);
        return true;
    }
    Span span = at(a, next)->span;
    if (!is_number(at(a, param)->ty))
        return doubt(a, cx_printf(a->cx, "%s is carried from one iteration to the next", name));
    if (!is_used_inside(a, param))
        return refuse(a, span,
                      cx_printf(a->cx, "%s of the last iteration is used behind the loop", name));
    return refuse(a, span, cx_printf(a->cx, "%s of one iteration is needed by the next", name));
}

static const Reduction *find_reduction(const Ask *a, Ref test, Family family, bool takes_if) {
    for (uint32_t k = 0; k < a->out.reductions.n; k++) {
        const Reduction *r = &a->out.reductions.at[k];
        if (r->test == test && r->family == family && r->takes_if == takes_if) return r;
    }
    return NULL;
}

/* Nothing else may hang on whether a new value was taken: that depends on those before. */
static bool look_at_join(Ask *a, Ref test, bool takes_if) {
    for (uint32_t k = 0; k < a->loop->nblocks; k++) {
        const Refs *params = &a->fn->blocks.at[a->loop->blocks[k]].params;
        for (uint32_t i = 0; i < params->n; i++) {
            Choice c;
            if (!find_choice(a, params->at[i], &c) || c.test != test || c.kept == c.taken) continue;
            if (map_get(&a->joined, params->at[i], 0) != test + (uint64_t)takes_if)
                return refuse(a, at(a, test)->span,
                              cx_printf(a->cx, "what %s chooses depends on the iterations before",
                                        source_of(a, test)));
        }
    }
    return true;
}

static bool look_at_choices(Ask *a) {
    for (uint32_t k = 0; k < a->out.reductions.n; k++) {
        Reduction r = a->out.reductions.at[k];
        if (r.family != EXTREME && r.family != FOLLOWS) continue;
        bool by_branch = r.test && r.step == r.test;
        if (r.family == FOLLOWS && !find_reduction(a, r.test, EXTREME, r.takes_if))
            return refuse(a, at(a, r.test)->span,
                          cx_printf(a->cx, "%s of the last iteration that chose it is left",
                                    name_of(a, r.param)));
        if (by_branch && !look_at_join(a, r.test, r.takes_if)) return false;
    }
    return true;
}

static bool look_at_params(Ask *a) {
    const Block *header = &a->fn->blocks.at[a->loop->header];
    const Term *back = &a->fn->blocks.at[a->loop->latch].term;
    const Edge *e = &back->succ[back->succ[0].to != a->loop->header];
    for (uint32_t k = 0; k < header->params.n; k++) {
        Ref param = header->params.at[k];
        const Counter *c = affine_counter(a->af, param);
        if (param == a->out.counter || (c && c->loop == a->loop)) continue;
        if (!look_at_param(a, param, e->args[k])) return false;
    }
    return look_at_choices(a);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The argument or the allocation that an array or address comes from; 0: not known. */
static Ref find_root(const Fn *fn, Ref r) {
    for (int steps = 0; steps < 16; steps++) {
        const Ins *i = ir_at(fn, r);
        switch ((int)i->op) {
        case OP_ARG:
        case OP_ALLOC:
        case OP_GLOBAL: return r;
        case OP_MAKE:
            if (i->ty->kind != TY_ARRAY) return 0;
            r = i->args[0];
            break;
        case OP_FIELD:
            if (ir_at(fn, i->args[0])->op == OP_MAKE)
                r = ir_at(fn, i->args[0])->args[i->imm];
            else
                r = i->args[0];
            break;
        case OP_ELEM:
        case OP_OFFSET:
        case OP_DATA: r = i->args[0]; break;
        default: return 0;
        }
    }
    return 0;
}

static bool note_access(Ask *a, Ref r) {
    const Ins *i = at(a, r);
    Access x = {.ins = r, .is_store = i->op == OP_STORE, .root = find_root(a->fn, i->args[0])};
    if (at(a, i->args[0])->op == OP_ELEM) x.elem = i->args[0];
    vec_push(a->cx, &a->accesses, x);
    return true;
}

/* A call that may read all that its arguments lead to. */
static bool note_reads(Ask *a, Ref r) {
    const Ins *i = at(a, r);
    for (uint32_t k = 0; k < i->nargs; k++) {
        const Type *t = at(a, i->args[k])->ty;
        if (!t->owning && t->kind != TY_PTR) continue;
        if (t->kind == TY_STR || t->kind == TY_BYTES || t->kind == TY_EXC) continue;
        Access x = {.ins = r, .root = find_root(a->fn, i->args[k])};
        vec_push(a->cx, &a->accesses, x);
    }
    return true;
}

/* Does a function write only memory that it has made itself, and see nothing but its arguments? */
static bool is_local(const Fn *fn, int depth) {
    for (Ref r = 1; r < fn->ins.n; r++) {
        const Ins *i = ir_at(fn, r);
        if (i->block == NO_BLOCK || i->op == OP_POLL || i->op == OP_STACK) continue;
        Ref root = i->op == OP_STORE ? find_root(fn, i->args[0]) : 0;
        if (i->op == OP_STORE ? !root || ir_at(fn, root)->op != OP_ALLOC
            : i->op == OP_CALL_FN
                ? !depth || i->callee == fn || !is_local(i->callee, depth - 1)
                : i->op == OP_GLOBAL || (opt_effects(fn, r) & WRITES))
            return false;
    }
    return true;
}

/* Functions of the runtime that write nothing but their result. */
static bool writes_result_only(const Ins *i) {
    static const char *const names[] = {"ws_reshape_plan", "ws_sum_c128", "ws_sum_c64"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (i->op == OP_CALL_RT && strcmp(i->rt->name, names[k]) == 0) return true;
    return false;
}

static bool look_at_ins(Ask *a, Ref r) {
    enum { DEEPEST = 6 };
    const Ins *i = at(a, r);
    unsigned effects = opt_effects(a->fn, r);
    switch ((int)i->op) {
    case OP_LOAD:
    case OP_STORE: return note_access(a, r);
    case OP_ALLOC:
    case OP_CHECK:
    case OP_CHECK_INDEX:
    case OP_EXC_MAKE:
    case OP_STACK:
    case OP_POLL: return true;
    case OP_CALL_FN:
        if (i->callee->is_slow) return doubt(a, "part of it was not looked into");
        if (is_local(i->callee, DEEPEST)) return note_reads(a, r);
        return doubt(a, cx_printf(a->cx, "it calls %s()", i->callee->qualname));
    default: break;
    }
    if (effects & WRITES && !writes_result_only(i))
        return doubt(a, cx_printf(a->cx, "what %s does is not looked into", source_of(a, r)));
    return effects & READS ? note_reads(a, r) : true;
}

static bool look_at_body(Ask *a) {
    for (uint32_t k = 0; k < a->loop->nblocks; k++) {
        const Refs *ins = &a->fn->blocks.at[a->loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (!look_at_ins(a, ins->at[i])) return false;
    }
    return true;
}

/* --- subscripts ------------------------------------------------------------------------------- */

static void ask(Ask *a, AskKind kind, Ref x, Ref y) {
    for (uint32_t k = 0; k < a->out.asks.n; k++) {
        const RunTimeAsk *q = &a->out.asks.at[k];
        if (q->kind == kind && ((q->a == x && q->b == y) || (q->a == y && q->b == x))) return;
    }
    vec_push(a->cx, &a->out.asks, ((RunTimeAsk){kind, x, y}));
}

/* A subscript: index = c * (by, if it is one) * counter + rest. */
typedef struct Split {
    int64_t c;
    Ref by;
    Lin rest;
    Ref wrapped; /* the subscript before negative ones are made positive, if they are */
} Split;

/* False: it is something else, or rest changes in the loop. */
static bool split_index(const Ask *a, Ref index, Split *out) {
    const Ins *i = at(a, index);
    *out = (Split){.wrapped = i->op == OP_WRAP ? i->args[0] : 0};
    Lin l = affine_lin(a->af, out->wrapped ? out->wrapped : index, LIN_MODULO);
    out->rest = lin_const(l.c);
    for (uint32_t k = 0; l.ok && k < l.n; k++) {
        Term2 t = l.t[k];
        bool first = t.a == a->out.counter, second = t.b == a->out.counter;
        if (first != second) {
            Ref other = first ? t.b : t.a;
            if (out->c || (other && !affine_is_invariant(a->af, other))) return false;
            out->c = t.k;
            out->by = other;
            continue;
        }
        if (!affine_is_invariant(a->af, t.a) || (t.b && !affine_is_invariant(a->af, t.b)))
            return false;
        Lin one = {.ok = true, .n = 1, .t = {t}};
        out->rest = lin_add(out->rest, one, 1);
    }
    return l.ok && out->rest.ok;
}

typedef enum Meeting { NEVER, AT_OTHER_ITERATION, MAYBE } Meeting;

/* They are apart if subscripts are not negative (those are made positive) and steps not 0. */
static Meeting apart_if(Ask *a, const Split *x, const Split *y) {
    if (x->wrapped) ask(a, ASK_PLAIN, x->wrapped, 0);
    if (y->wrapped) ask(a, ASK_PLAIN, y->wrapped, 0);
    if (x->by) ask(a, ASK_NONZERO, x->by, 0);
    return NEVER;
}

/* May two subscripts, in different iterations, be one? */
static Meeting look_at_axis(Ask *a, Ref x, Ref y) {
    Split s, t;
    if (!split_index(a, x, &s) || !split_index(a, y, &t)) return MAYBE;
    Lin d = lin_add(s.rest, t.rest, -1);
    if (s.c != t.c || s.by != t.by || !d.ok || d.n) return MAYBE;
    if (s.c == 0) return !d.c ? AT_OTHER_ITERATION : s.wrapped || t.wrapped ? MAYBE : NEVER;
    if (d.c == 0 || (!s.by && d.c % s.c != 0)) return apart_if(a, &s, &t);
    return s.by ? MAYBE : AT_OTHER_ITERATION;
}

static Meeting look_at_elements(Ask *a, Ref x, Ref y) {
    const Ins *e = at(a, x), *f = at(a, y);
    uint32_t nx = e->nargs, before = a->out.asks.n;
    bool all = true;
    for (uint32_t k = 1; k < nx; k++) {
        Meeting m = look_at_axis(a, e->args[k], f->args[k]);
        if (m == NEVER) return NEVER;
        all &= m == AT_OTHER_ITERATION;
    }
    a->out.asks.n = before;
    return all ? AT_OTHER_ITERATION : MAYBE;
}

/* --- rows ------------------------------------------------------------------------------------- */

enum { FACTORS = 12 };

/* A product: a constant and values, sorted. */
typedef struct Product {
    int64_t k;
    uint32_t n;
    Ref of[FACTORS];
} Product;

static bool multiply(const Ask *a, Product *p, Ref r, int depth) {
    const Ins *i = at(a, r);
    int64_t k;
    if (opt_int_const(a->fn, r, &k)) return !__builtin_mul_overflow(p->k, k, &p->k);
    if (i->op == OP_MUL && depth)
        return multiply(a, p, i->args[0], depth - 1) && multiply(a, p, i->args[1], depth - 1);
    if (p->n == FACTORS) return false;
    uint32_t at = p->n++;
    for (; at > 0 && p->of[at - 1] > r; at--) p->of[at] = p->of[at - 1];
    p->of[at] = r;
    return true;
}

static bool is_equal(const Product *x, const Product *y) {
    return x->k == y->k && x->n == y->n && memcmp(x->of, y->of, x->n * sizeof(Ref)) == 0;
}

/* Memory that starts `index` times `unit` bytes behind what belongs to all iterations, and is `unit`
 * bytes long. */
typedef struct Row {
    Ref index;
    Product unit;
} Row;

static bool unit_of_dims(const Ask *a, Product *out, const Type *ty, const Ref *dims) {
    *out = (Product){.k = (int64_t)ty->elem->size};
    for (uint32_t k = 0; k < ty->ndim; k++)
        if (!multiply(a, out, dims[k], 8)) return false;
    return true;
}

/* An array made in the loop of the address `data + index * unit`: a row of another. */
static bool row_of_view(const Ask *a, const Ins *view, Row *out) {
    const Ins *data = at(a, view->args[0]);
    Product extent;
    if (view->ty->layout == 'A' || data->op != OP_OFFSET || is_inside(a, data->args[0]) ||
        !unit_of_dims(a, &extent, view->ty, view->args + 2))
        return false;
    const Ins *bytes = at(a, data->args[1]);
    for (int side = 0; bytes->op == OP_MUL && side < 2; side++) {
        out->unit = (Product){.k = 1};
        out->index = bytes->args[!side];
        if (multiply(a, &out->unit, bytes->args[side], 8) && is_equal(&out->unit, &extent))
            return true;
    }
    return false;
}

/* An element of an array that all iterations see lies in a row along its first axis. */
static bool row_of_element(const Ask *a, const Ins *elem, Row *out) {
    const Type *ty = at(a, elem->args[0])->ty;
    if (ty->layout != 'C' || ty->ndim < 2) return false;
    out->index = elem->args[1];
    out->unit = (Product){.k = (int64_t)ty->elem->size};
    const Ins *array = at(a, elem->args[0]);
    for (uint32_t k = 1; k < ty->ndim; k++) {
        Ref dim = array->op == OP_MAKE ? array->args[2 + k] : 0;
        for (Ref r = 1; !dim && r < a->fn->ins.n; r++) {
            const Ins *f = at(a, r);
            if (f->op == OP_FIELD && f->block != NO_BLOCK && f->args[0] == elem->args[0] &&
                f->imm == 2 + k)
                dim = r;
        }
        if (!dim || !multiply(a, &out->unit, dim, 8)) return false;
    }
    return true;
}

static bool row_of(const Ask *a, Ref r, Row *out) {
    const Ins *elem = at(a, r), *array = at(a, elem->args[0]);
    if (!is_inside(a, elem->args[0])) return row_of_element(a, elem, out);
    return array->op == OP_MAKE && row_of_view(a, array, out);
}

static Meeting look_at_rows(Ask *a, Ref x, Ref y) {
    Row s, t;
    if (!row_of(a, x, &s) || !row_of(a, y, &t) || !is_equal(&s.unit, &t.unit)) return MAYBE;
    return look_at_axis(a, s.index, t.index) == NEVER ? NEVER : MAYBE;
}

/* --- pairs of accesses ------------------------------------------------------------------------ */

static bool is_fresh(const Ask *a, Ref root) { return root && at(a, root)->op == OP_ALLOC; }

static const char *array_name(Ask *a, const Access *x) {
    const Ins *i = x->root ? at(a, x->root) : NULL;
    if (i && i->op == OP_ARG && a->fn->args[i->imm].name)
        return cx_printf(a->cx, "'%s'", a->fn->args[i->imm].name);
    return source_of(a, x->ins);
}

static bool note_apart(Ask *a, const Access *w, const Access *x) {
    const char *text = cx_printf(a->cx, "%s and %s", array_name(a, w), array_name(a, x));
    if (at(a, w->root)->ty->kind != TY_ARRAY || at(a, x->root)->ty->kind != TY_ARRAY)
        return doubt(a, cx_printf(a->cx, "whether %s share memory is not looked into", text));
    ask(a, ASK_APART, w->root, x->root);
    if (a->apart.n && strstr(a->apart.at, text)) return true;
    buf_printf(a->cx, &a->apart, "%s%s", a->apart.n ? ", " : "; if these share no memory: ", text);
    return true;
}

/* Is a subscript computed from what is read in the loop? */
static bool is_read_from_memory(const Ask *a, Ref r, int depth) {
    const Ins *i = at(a, r);
    if (!is_inside(a, r) || !depth) return false;
    if (i->op == OP_LOAD) return true;
    bool yes = false;
    for (uint32_t k = 0; k < i->nargs && !yes; k++)
        yes = is_read_from_memory(a, i->args[k], depth - 1);
    return yes;
}

static bool doubt_subscripts(Ask *a, const Access *w) {
    const Ins *e = at(a, w->elem);
    bool data = false;
    for (uint32_t k = 1; k < e->nargs; k++) data |= is_read_from_memory(a, e->args[k], 8);
    return answer(a, data ? DEPEND_DATA : DEPEND_UNKNOWN, at(a, w->ins)->span,
                  cx_printf(a->cx, "two iterations may meet at %s", source_of(a, w->ins)));
}

static bool look_at_pair(Ask *a, const Access *w, const Access *x) {
    if (is_fresh(a, w->root) && is_inside(a, w->root)) return true; /* each iteration has its own */
    if (!w->root || !x->root || !w->elem || (w->root == x->root && !x->elem))
        return doubt(a, cx_printf(a->cx, "where %s lies is not looked into",
                                  source_of(a, w->root && w->elem ? x->ins : w->ins)));
    if (w->root != x->root)
        return is_fresh(a, w->root) || is_fresh(a, x->root) || note_apart(a, w, x);
    bool same = at(a, w->elem)->args[0] == at(a, x->elem)->args[0] &&
                affine_is_invariant(a->af, at(a, w->elem)->args[0]);
    Meeting m = same ? look_at_elements(a, w->elem, x->elem) : MAYBE;
    if (m == MAYBE) m = look_at_rows(a, w->elem, x->elem);
    if (m == NEVER) return true;
    if (m == MAYBE) return doubt_subscripts(a, w);
    Span span = at(a, w->ins)->span;
    if (w->ins == x->ins)
        return refuse(a, span, cx_printf(a->cx, "every iteration writes %s", source_of(a, w->ins)));
    const char *of = source_of(a, x->is_store ? w->ins : x->ins);
    return refuse(a, span, cx_printf(a->cx, "%s of one iteration is written by another", of));
}

/* A definite answer counts more than a doubt. */
static bool look_at_memory(Ask *a) {
    bool good = true;
    for (uint32_t i = 0; i < a->accesses.n; i++)
        for (uint32_t k = 0; a->accesses.at[i].is_store && k < a->accesses.n; k++) {
            if (a->accesses.at[k].is_store && k < i) continue;
            if (look_at_pair(a, &a->accesses.at[i], &a->accesses.at[k])) continue;
            if (a->out.answer == DEPEND_BOUND) return false;
            good = false;
        }
    return good;
}

Depend depend_look(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    Ask a = {.cx = cx, .fn = fn, .af = af, .loop = loop};
    affine_set_nest(af, loop);
    if (look_at_exits(&a) && find_counter(&a) && look_at_params(&a) && look_at_body(&a))
        look_at_memory(&a);
    a.out.apart = a.apart.at;
    a.out.sums = a.sums.at;
    return a.out;
}
