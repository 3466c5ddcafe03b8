/* What a loop carries from one iteration to the next: sums and the like, or more than that.
 *
 * A chain leads from a parameter of the header to what the next iteration gets for it, over operations of one
 * family, branches and inner loops; nothing else may look at a value of it. A minimum may also be a branch (`if x <
 * m: m = x`), whose way then may set other variables too, as long as nothing but values hangs on it. */
#include "ir/math.h"
#include "opt/depend_int.h"

static const char *const family_words[] = {
    [SUM] = "sum",
    [PRODUCT] = "product",
    [EXTREME] = "minimum or maximum",
    [FOLLOWS] = "value that goes with a minimum or maximum",
    [BITS_AND] = "combination of bits",
    [BITS_OR] = "combination of bits",
    [BITS_XOR] = "combination of bits",
};

Family depend_family_of(const Ins *i) {
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
    const Ins *c = depend_at(a, i->args[0]);
    bool same = is_order(c) && ((c->args[0] == i->args[1] && c->args[1] == i->args[2]) ||
                                (c->args[0] == i->args[2] && c->args[1] == i->args[1]));
    return same && a->uses[i->args[0]] == 1 ? i->args[0] : 0;
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
    const Ins *i = depend_at(a, v);
    const Incoming *in = &a->af->in;
    uint32_t first = in->start[i->block], side[2];
    if (i->op != OP_PARAM || in->start[i->block + 1] != first + 2) return false;
    BlockId b = find_branch(a, in->at[first], &side[0]);
    if (b == NO_BLOCK || b != find_branch(a, in->at[first + 1], &side[1]) || side[0] == side[1] ||
        !affine_is_in(a->af, a->loop, b))
        return false;
    out->branch = b;
    out->test = a->fn->blocks.at[b].term.arg;
    if (!is_order(depend_at(a, out->test)) || a->uses[out->test] != 1) return false;
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
    const Ins *i = depend_at(a, x), *k = depend_at(a, y);
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
    const Ins *t = depend_at(a, c->test);
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
        if (!best && (c.kept != param || !is_strict(depend_at(a, c.test)))) continue;
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
        a->reduction =
            (Reduction){.step = c.test, .test = c.test, .so_far = c.kept, .takes_if = c.takes_if};
        return true;
    }
    return false;
}

/* A parameter: is all that it gets the chain? */
static bool is_merge(Ask *a, Ref v, Ref param, Family *family, int depth) {
    const Incoming *in = &a->af->in;
    BlockId b = depend_at(a, v)->block;
    mark(a, v, STEP);
    for (uint32_t e = in->start[b]; e < in->start[b + 1]; e++) {
        Ref arg = opt_edge_arg(a->fn, in->at[e], (uint32_t)depend_at(a, v)->imm);
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
    const Ins *i = depend_at(a, v);
    Ref comparison = find_comparison(a, i);
    Family f = comparison ? EXTREME : depend_family_of(i);
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
        a->reduction =
            (Reduction){.step = v, .test = comparison, .so_far = sides[k], .takes_if = k == 1};
        return true;
    }
    return false;
}

/* Is v the parameter, or that combined with other values, over branches and inner loops? Its steps go to
 * a->chain. */
static bool is_chain(Ask *a, Ref v, Ref param, Family *family, int depth) {
    if (v == param || map_get(&a->chain, v, 0) == STEP) return true;
    if (!depth || !depend_is_inside(a, v)) return false;
    return depend_at(a, v)->op == OP_PARAM ? is_param_chain(a, v, param, family, depth)
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
            const Ins *i = depend_at(a, b->ins.at[n]);
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
            for (uint32_t x = 0; x < depend_at(a, b->ins.at[n])->nargs; x++)
                if (depend_at(a, b->ins.at[n])->args[x] == r) return true;
        if (b->term.arg == r) return true;
    }
    return false;
}

static const char *name_of(Ask *a, Ref param) {
    const char *name = depend_at(a, param)->name;
    return name ? cx_printf(a->cx, "'%s'", name) : "a value";
}

static bool is_number(const Type *t) {
    return t->kind == TY_INT || t->kind == TY_FLOAT || t->kind == TY_BOOL;
}

void depend_note_sum(Ask *a, const char *name, Family family, const Type *ty) {
    bool rounds = ty->kind == TY_FLOAT && (family == SUM || family == PRODUCT);
    buf_printf(a->cx, &a->sums, "; %s is a %s%s", name, family_words[family],
               rounds ? ", whose last digits depend on the order" : "");
}

static void note_reduction(Ask *a, Ref param, Family family, const char *name) {
    depend_note_sum(a, name, family, depend_at(a, param)->ty);
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
    Span span = depend_at(a, next)->span;
    if (!is_number(depend_at(a, param)->ty))
        return depend_doubt(a,
                            cx_printf(a->cx, "%s is carried from one iteration to the next", name));
    if (!is_used_inside(a, param))
        return depend_refuse(
            a, span, cx_printf(a->cx, "%s of the last iteration is used behind the loop", name));
    return depend_refuse(a, span,
                         cx_printf(a->cx, "%s of one iteration is needed by the next", name));
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
                return depend_refuse(a, depend_at(a, test)->span,
                                     cx_printf(a->cx,
                                               "what %s chooses depends on the iterations before",
                                               depend_source(a, test)));
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
            return depend_refuse(a, depend_at(a, r.test)->span,
                                 cx_printf(a->cx, "%s of the last iteration that chose it is left",
                                           name_of(a, r.param)));
        if (by_branch && !look_at_join(a, r.test, r.takes_if)) return false;
    }
    return true;
}

bool depend_look_at_params(Ask *a) {
    a->uses = ir_use_counts(a->cx, a->fn);
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
