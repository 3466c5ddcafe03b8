/* Looks for loops whose iterations do not depend on each other: prange would be safe for them. For reports only;
 * changes nothing.
 *
 * relies on: version, hoist (as few checks and wraps as there will be)    keeps: everything    breaks: nothing
 *
 * A loop is safe if it is counted, nothing leaves it early but an exception, what it carries from one iteration to
 * the next are sums and the like, and no two iterations touch one element that one of them writes. The last is shown
 * only in the plainest way: some axis of both subscripts is c * counter + the same, c != 0. Where that does not do, or
 * something is called that is not looked into, the answer is "not known", not "no". */
#include "base/diag.h"
#include "base/remark.h"
#include "ir/math.h"
#include "ir/remark.h"
#include "opt/affine.h"
#include "opt/report.h"

typedef struct Access {
    Ref ins, elem, root; /* LOAD or STORE; the ELEM of its address; see find_root */
    bool is_store;
} Access;

typedef struct Ask {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const Loop *loop;
    Ref counter;
    VEC(Access) accesses;
    Map chain; /* values of the reduction that is being looked at */
    Buf sums, apart;
    const char *why; /* it is not safe, or (is_unknown) may not be; NULL: nothing found yet */
    bool is_unknown;
} Ask;

static const Ins *at(const Ask *a, Ref r) { return ir_at(a->fn, r); }
static bool is_inside(const Ask *a, Ref r) { return affine_is_in(a->af, a->loop, at(a, r)->block); }

static bool refuse(Ask *a, const char *why) {
    if (!a->why) a->why = why;
    return false;
}

static bool doubt(Ask *a, const char *why) {
    a->is_unknown |= !a->why;
    return refuse(a, why);
}

static const char *source_of(Ask *a, Ref r) {
    const char *text = diag_source(a->cx, at(a, r)->span);
    return text ? cx_printf(a->cx, "`%s`", text) : "something";
}

/* --- ways out --------------------------------------------------------------------------------- */

static bool only_raises(const Fn *fn, BlockId b) {
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
            if (!affine_is_in(a->af, a->loop, t->succ[s].to) && !only_raises(a->fn, t->succ[s].to))
                return refuse(a, "it may be left early (break, return, or a condition)");
        if (t->kind == TERM_RETURN) return refuse(a, "it may be left early (return)");
    }
    return true;
}

static bool find_counter(Ask *a) {
    const Refs *params = &a->fn->blocks.at[a->loop->header].params;
    for (uint32_t k = 0; k < params->n && !a->counter; k++) {
        const Counter *c = affine_counter(a->af, params->at[k]);
        if (c && c->loop == a->loop) a->counter = params->at[k];
    }
    if (!a->counter || a->loop->latch == NO_BLOCK)
        return refuse(a, "how often it runs is not known when it begins");
    return true;
}

/* --- what is carried over --------------------------------------------------------------------- */

typedef enum Family { NOT_ONE, SUM, PRODUCT, EXTREME, BITS } Family;
static const char *const family_words[] = {"", "sum", "product", "minimum or maximum",
                                           "combination of bits"};

static Family family_of(const Ins *i) {
    switch ((int)i->op) {
    case OP_ADD:
    case OP_SUB: return SUM;
    case OP_MUL: return PRODUCT;
    case OP_AND:
    case OP_OR:
    case OP_XOR: return BITS;
    case OP_MATH:
        return i->sub == MATH_MIN || i->sub == MATH_FMIN || i->sub == MATH_MAX ||
                       i->sub == MATH_FMAX
                   ? EXTREME
                   : NOT_ONE;
    default: return NOT_ONE;
    }
}

/* x < y ? x : y and the like: the comparison, if it is for nothing else; 0: it is something else. */
static Ref find_comparison(const Ask *a, const Ins *i) {
    if (i->op != OP_SELECT) return 0;
    const Ins *c = at(a, i->args[0]);
    bool orders = c->op == OP_LT || c->op == OP_LE || c->op == OP_GT || c->op == OP_GE;
    bool same = orders && ((c->args[0] == i->args[1] && c->args[1] == i->args[2]) ||
                           (c->args[0] == i->args[2] && c->args[1] == i->args[1]));
    return same && ir_use_counts(a->cx, a->fn)[i->args[0]] == 1 ? i->args[0] : 0;
}

enum { STEP = 1, COMPARISON = 2 }; /* in Ask.chain */

/* Is v the parameter, or that combined with other values, over branches and inner loops? Its steps go to
 * a->chain. */
static bool is_chain(Ask *a, Ref v, Ref param, Family *family, int depth) {
    if (v == param || map_get(&a->chain, v, 0) == STEP) return true;
    const Ins *i = at(a, v);
    if (!depth || !is_inside(a, v)) return false;
    if (i->op == OP_PARAM) {
        map_set(a->cx, &a->chain, v, STEP);
        const Incoming *in = &a->af->in;
        for (uint32_t e = in->start[i->block]; e < in->start[i->block + 1]; e++) {
            Ref arg = opt_edge_arg(a->fn, in->at[e], (uint32_t)i->imm);
            if (!arg || !is_chain(a, arg, param, family, depth - 1)) return false;
        }
        return true;
    }
    Ref comparison = find_comparison(a, i);
    Family f = comparison ? EXTREME : family_of(i);
    if (comparison) map_set(a->cx, &a->chain, comparison, COMPARISON);
    if (!f || (i->nargs != 2 && !comparison) || (*family && f != *family)) return false;
    *family = f;
    map_set(a->cx, &a->chain, v, STEP);
    const Ref *sides = i->args + (comparison != 0);
    if (is_chain(a, sides[0], param, family, depth - 1)) return true;
    return i->op != OP_SUB && is_chain(a, sides[1], param, family, depth - 1);
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

static bool look_at_param(Ask *a, Ref param, Ref next) {
    enum { DEEPEST = 24 };
    Family family = NOT_ONE;
    a->chain = (Map){0};
    map_set(a->cx, &a->chain, param, STEP);
    const char *name = name_of(a, param);
    if (is_chain(a, next, param, &family, DEEPEST) && family && !chain_leaks(a)) {
        bool rounds = at(a, param)->ty->kind == TY_FLOAT && (family == SUM || family == PRODUCT);
        buf_printf(a->cx, &a->sums, "; %s is a %s%s", name, family_words[family],
                   rounds ? ", whose last digits depend on the order" : "");
        return true;
    }
    if (!is_used_inside(a, param))
        return refuse(a,
                      cx_printf(a->cx, "%s of the last iteration is used behind the loop", name));
    return refuse(a, cx_printf(a->cx, "%s of one iteration is needed by the next", name));
}

static bool look_at_params(Ask *a) {
    const Block *header = &a->fn->blocks.at[a->loop->header];
    const Term *back = &a->fn->blocks.at[a->loop->latch].term;
    const Edge *e = &back->succ[back->succ[0].to != a->loop->header];
    for (uint32_t k = 0; k < header->params.n; k++) {
        Ref param = header->params.at[k];
        const Counter *c = affine_counter(a->af, param);
        if (param == a->counter || (c && c->loop == a->loop)) continue;
        if (!look_at_param(a, param, e->args[k])) return false;
    }
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The argument or the allocation that an array or address comes from; 0: not known. */
static Ref find_root(const Ask *a, Ref r) {
    for (int steps = 0; steps < 16; steps++) {
        const Ins *i = at(a, r);
        switch ((int)i->op) {
        case OP_ARG:
        case OP_ALLOC:
        case OP_GLOBAL: return r;
        case OP_MAKE:
        case OP_FIELD:
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
    Access x = {.ins = r, .is_store = i->op == OP_STORE, .root = find_root(a, i->args[0])};
    if (at(a, i->args[0])->op == OP_ELEM) x.elem = i->args[0];
    vec_push(a->cx, &a->accesses, x);
    return true;
}

static bool look_at_ins(Ask *a, Ref r) {
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
        return doubt(a, cx_printf(a->cx, "it calls %s()", i->callee->qualname));
    default: break;
    }
    if (effects & (READS | WRITES))
        return doubt(a, cx_printf(a->cx, "what %s does is not looked into", source_of(a, r)));
    return true;
}

static bool look_at_body(Ask *a) {
    for (uint32_t k = 0; k < a->loop->nblocks; k++) {
        const Refs *ins = &a->fn->blocks.at[a->loop->blocks[k]].ins;
        for (uint32_t i = 0; i < ins->n; i++)
            if (!look_at_ins(a, ins->at[i])) return false;
    }
    return true;
}

/* A subscript: index = *c * counter + *rest. False: rest changes in the loop. */
static bool split_index(const Ask *a, Ref index, int64_t *c, Lin *rest) {
    Lin l = affine_lin(a->af, index, LIN_MODULO);
    *c = 0;
    *rest = lin_const(l.c);
    for (uint32_t i = 0; l.ok && i < l.n; i++) {
        Term2 t = l.t[i];
        if (t.a == a->counter && !t.b) {
            *c = t.k;
            continue;
        }
        if (!affine_is_invariant(a->af, t.a) || (t.b && !affine_is_invariant(a->af, t.b)))
            return false;
        Lin one = {.ok = true, .n = 1, .t = {t}};
        *rest = lin_add(*rest, one, 1);
    }
    return l.ok && rest->ok;
}

typedef enum Meeting { NEVER, AT_OTHER_ITERATION, MAYBE } Meeting;

/* May two accesses of one array, in different iterations, touch one element? */
static Meeting look_at_axis(const Ask *a, Ref x, Ref y) {
    int64_t cx, cy;
    Lin rest_x, rest_y;
    if (!split_index(a, x, &cx, &rest_x) || !split_index(a, y, &cy, &rest_y)) return MAYBE;
    Lin d = lin_add(rest_x, rest_y, -1);
    if (cx != cy || !d.ok || d.n) return MAYBE;
    if (cx == 0) return d.c ? NEVER : AT_OTHER_ITERATION;
    if (d.c == 0 || d.c % cx != 0) return NEVER;
    return AT_OTHER_ITERATION;
}

static Meeting look_at_elements(const Ask *a, Ref x, Ref y) {
    const Ins *e = at(a, x), *f = at(a, y);
    bool all = true;
    for (uint32_t k = 1; k < e->nargs; k++) {
        Meeting m = look_at_axis(a, e->args[k], f->args[k]);
        if (m == NEVER) return NEVER;
        all &= m == AT_OTHER_ITERATION;
    }
    return all ? AT_OTHER_ITERATION : MAYBE;
}

static bool is_fresh(const Ask *a, Ref root) { return root && at(a, root)->op == OP_ALLOC; }

static const char *array_name(Ask *a, const Access *x) {
    const Ins *i = x->root ? at(a, x->root) : NULL;
    if (i && i->op == OP_ARG && a->fn->args[i->imm].name)
        return cx_printf(a->cx, "'%s'", a->fn->args[i->imm].name);
    return source_of(a, x->ins);
}

static void note_apart(Ask *a, const Access *w, const Access *x) {
    const char *text = cx_printf(a->cx, "%s and %s", array_name(a, w), array_name(a, x));
    if (a->apart.n && strstr(a->apart.at, text)) return;
    buf_printf(a->cx, &a->apart, "%s%s", a->apart.n ? ", " : "; if these share no memory: ", text);
}

static bool look_at_pair(Ask *a, const Access *w, const Access *x) {
    if (is_fresh(a, w->root) && is_inside(a, w->root)) return true; /* each iteration has its own */
    if (!w->root || !x->root || !w->elem || !x->elem)
        return doubt(a, cx_printf(a->cx, "where %s lies is not looked into",
                                  source_of(a, w->root && w->elem ? x->ins : w->ins)));
    if (w->root != x->root) {
        if (!is_fresh(a, w->root) && !is_fresh(a, x->root)) note_apart(a, w, x);
        return true;
    }
    bool same = at(a, w->elem)->args[0] == at(a, x->elem)->args[0] &&
                affine_is_invariant(a->af, at(a, w->elem)->args[0]);
    Meeting m = same ? look_at_elements(a, w->elem, x->elem) : MAYBE;
    if (m == NEVER) return true;
    if (m == MAYBE)
        return doubt(a, cx_printf(a->cx, "two iterations may meet at %s", source_of(a, w->ins)));
    if (w->ins == x->ins)
        return refuse(a, cx_printf(a->cx, "every iteration writes %s", source_of(a, w->ins)));
    return refuse(a, cx_printf(a->cx, "%s of one iteration is written by another",
                               source_of(a, x->is_store ? w->ins : x->ins)));
}

/* A definite answer counts more than a doubt. */
static bool look_at_memory(Ask *a) {
    bool good = true;
    for (uint32_t i = 0; i < a->accesses.n; i++)
        for (uint32_t k = 0; a->accesses.at[i].is_store && k < a->accesses.n; k++) {
            if (a->accesses.at[k].is_store && k < i) continue;
            if (look_at_pair(a, &a->accesses.at[i], &a->accesses.at[k])) continue;
            if (!a->is_unknown) return false;
            good = false;
        }
    return good;
}

/* --- the report ------------------------------------------------------------------------------- */

static bool is_safe(Ask *a) {
    return look_at_exits(a) && find_counter(a) && look_at_params(a) && look_at_body(a) &&
           look_at_memory(a);
}

static void ask(Cx *cx, Fn *fn, Affine *af, Loop *loop) {
    for (; loop; loop = loop->next) {
        Ask a = {.cx = cx, .fn = fn, .af = af, .loop = loop};
        affine_set_nest(af, loop);
        bool safe = is_safe(&a);
        Place p = ir_place_of_loop(cx, fn, loop);
        if (p.span.line && !p.via) {
            if (safe)
                remark_add(cx, REMARK_PARALLEL, p.span, a.apart.at, a.sums.at);
            else
                remark_add(cx, a.is_unknown ? REMARK_PARALLEL_UNKNOWN : REMARK_NOT_PARALLEL, p.span,
                           a.why);
        }
        if (!safe) ask(cx, fn, af, loop->child);
    }
}

void opt_report_parallel(Cx *cx, Module *m) {
    for (uint32_t i = 0; remark_wanted(cx) && i < m->fns.n; i++) {
        Fn *fn = m->fns.at[i];
        if (fn->is_slow || fn->is_kernel) continue;
        Affine *af = affine_new(cx, fn, LIN_EXACT);
        ask(cx, fn, af, af->loops->roots);
    }
}
