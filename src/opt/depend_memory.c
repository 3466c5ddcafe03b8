/* What iterations read and write: may two of them meet? */
#include "ir/rt.h"
#include "opt/depend_int.h"

#define THREAD_NUMBER "ws_thread_number"

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
    const Ins *i = depend_at(a, r);
    Access x = {.ins = r,
                .is_store = i->op == OP_STORE || (i->op == OP_ATOMIC && i->sub != ATOMIC_LOAD),
                .is_atomic = i->op == OP_ATOMIC,
                .root = find_root(a->fn, i->args[0])};
    if (depend_at(a, i->args[0])->op == OP_ELEM) x.elem = i->args[0];
    vec_push(a->cx, &a->accesses, x);
    return true;
}

/* A call that may read all that its arguments lead to. */
static bool note_reads(Ask *a, Ref r) {
    const Ins *i = depend_at(a, r);
    for (uint32_t k = 0; k < i->nargs; k++) {
        const Type *t = depend_at(a, i->args[k])->ty;
        if (!t->owning && t->kind != TY_PTR) continue;
        if (t->kind == TY_STR || t->kind == TY_BYTES || t->kind == TY_EXC) continue;
        Access x = {.ins = r, .root = find_root(a->fn, i->args[k])};
        vec_push(a->cx, &a->accesses, x);
    }
    return true;
}

/* The array that a function of the runtime fills, if it is one just made; 0: it writes something else. */
static Ref filled_by(const Fn *fn, const Ins *i) {
    static const struct {
        const char *name;
        unsigned to; /* argument */
    } fills[] = {{"ws_copy_bytes", 0}, {"ws_true_places", 2}, {"ws_take_true", 4}};
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
        if (i->op != OP_CALL_RT || strcmp(i->rt->name, fills[k].name) != 0) continue;
        Ref root = find_root(fn, i->args[fills[k].to]);
        return root && ir_at(fn, root)->op == OP_ALLOC ? root : 0;
    }
    return 0;
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
                : i->op == OP_GLOBAL || (opt_effects(fn, r) & WRITES && !filled_by(fn, i)))
            return false;
    }
    return true;
}

/* Functions of the runtime that write nothing but their result; long sums look for signals, as loops do. */
static bool writes_result_only(const Ins *i) {
    static const char *const names[] = {"ws_reshape_plan", "ws_sum_c128", "ws_sum_c64",
                                        "ws_sum_long", THREAD_NUMBER};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (i->op == OP_CALL_RT && strcmp(i->rt->name, names[k]) == 0) return true;
    return false;
}

static bool look_at_ins(Ask *a, Ref r) {
    enum { DEEPEST = 6 };
    const Ins *i = depend_at(a, r);
    unsigned effects = opt_effects(a->fn, r);
    switch ((int)i->op) {
    case OP_LOAD:
    case OP_STORE:
    case OP_ATOMIC: return note_access(a, r);
    case OP_ALLOC:
    case OP_CHECK:
    case OP_CHECK_INDEX:
    case OP_EXC_MAKE:
    case OP_STACK:
    case OP_POLL: return true;
    case OP_CALL_FN:
        if (i->callee->is_slow) return depend_doubt(a, "part of it was not looked into");
        if (is_local(i->callee, DEEPEST)) return note_reads(a, r);
        return depend_doubt(a, cx_printf(a->cx, "it calls %s()", i->callee->qualname));
    default: break;
    }
    Ref filled = filled_by(a->fn, i);
    if (effects & WRITES && !writes_result_only(i) && !(filled && depend_is_inside(a, filled)))
        return depend_doubt(
            a, cx_printf(a->cx, "what %s does is not looked into", depend_source(a, r)));
    return effects & READS ? note_reads(a, r) : true;
}

bool depend_look_at_body(Ask *a) {
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
    const Ins *i = depend_at(a, index);
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
    if (x->by) ask(a, ASK_STEP, x->by, 0);
    return NEVER;
}

/* Is the subscript the number of the thread? Iterations of one thread run one after the other. */
static bool is_thread_number(const Ask *a, Ref r) {
    const Ins *i = depend_at(a, r);
    if (i->op == OP_WRAP) i = depend_at(a, i->args[0]);
    return i->op == OP_CALL_RT && strcmp(i->rt->name, THREAD_NUMBER) == 0;
}

/* May two subscripts, in different iterations, be one? */
static Meeting look_at_axis(Ask *a, Ref x, Ref y) {
    Split s, t;
    if (is_thread_number(a, x) && is_thread_number(a, y)) return NEVER;
    if (!split_index(a, x, &s) || !split_index(a, y, &t)) return MAYBE;
    Lin d = lin_add(s.rest, t.rest, -1);
    if (s.c != t.c || s.by != t.by || !d.ok || d.n) return MAYBE;
    if (s.c == 0) return !d.c ? AT_OTHER_ITERATION : s.wrapped || t.wrapped ? MAYBE : NEVER;
    if (d.c == 0 || (!s.by && d.c % s.c != 0)) return apart_if(a, &s, &t);
    return s.by ? MAYBE : AT_OTHER_ITERATION;
}

static Meeting look_at_elements(Ask *a, Ref x, Ref y) {
    const Ins *e = depend_at(a, x), *f = depend_at(a, y);
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

bool depend_is_same_place(Ask *a, Ref x, Ref y) {
    const Ins *e = depend_at(a, x), *f = depend_at(a, y);
    return e->args[0] == f->args[0] && affine_is_invariant(a->af, e->args[0]) &&
           look_at_elements(a, x, y) == AT_OTHER_ITERATION;
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
    const Ins *i = depend_at(a, r);
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
    const Ins *data = depend_at(a, view->args[0]);
    Product extent;
    if (view->ty->layout == 'A' || data->op != OP_OFFSET || depend_is_inside(a, data->args[0]) ||
        !unit_of_dims(a, &extent, view->ty, view->args + 2))
        return false;
    const Ins *bytes = depend_at(a, data->args[1]);
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
    const Type *ty = depend_at(a, elem->args[0])->ty;
    if (ty->layout != 'C' || ty->ndim < 2) return false;
    out->index = elem->args[1];
    out->unit = (Product){.k = (int64_t)ty->elem->size};
    for (uint32_t k = 1; k < ty->ndim; k++) {
        Ref dim = affine_size(a->af, elem->args[0], k);
        if (!dim || !multiply(a, &out->unit, dim, 8)) return false;
    }
    return true;
}

static bool row_of(const Ask *a, Ref r, Row *out) {
    const Ins *elem = depend_at(a, r), *array = depend_at(a, elem->args[0]);
    if (!depend_is_inside(a, elem->args[0])) return row_of_element(a, elem, out);
    return array->op == OP_MAKE && row_of_view(a, array, out);
}

static Meeting look_at_rows(Ask *a, Ref x, Ref y) {
    Row s, t;
    if (!row_of(a, x, &s) || !row_of(a, y, &t) || !is_equal(&s.unit, &t.unit)) return MAYBE;
    return look_at_axis(a, s.index, t.index) == NEVER ? NEVER : MAYBE;
}

/* --- pairs of accesses ------------------------------------------------------------------------ */

static bool is_fresh(const Ask *a, Ref root) { return root && depend_at(a, root)->op == OP_ALLOC; }

static const char *array_name(Ask *a, const Access *x) {
    const Ins *i = x->root ? depend_at(a, x->root) : NULL;
    if (i && i->op == OP_ARG && a->fn->args[i->imm].name)
        return cx_printf(a->cx, "'%s'", a->fn->args[i->imm].name);
    return depend_source(a, x->ins);
}

static bool note_apart(Ask *a, const Access *w, const Access *x) {
    const char *text = cx_printf(a->cx, "%s and %s", array_name(a, w), array_name(a, x));
    if (depend_at(a, w->root)->ty->kind != TY_ARRAY || depend_at(a, x->root)->ty->kind != TY_ARRAY)
        return depend_doubt(a,
                            cx_printf(a->cx, "whether %s share memory is not looked into", text));
    ask(a, ASK_APART, w->root, x->root);
    if (a->apart.n && strstr(a->apart.at, text)) return true;
    buf_printf(a->cx, &a->apart, "%s%s", a->apart.n ? ", " : "; if these share no memory: ", text);
    return true;
}

/* Is a subscript computed from what is read in the loop? */
static bool is_read_from_memory(const Ask *a, Ref r, int depth) {
    const Ins *i = depend_at(a, r);
    if (!depend_is_inside(a, r) || !depth) return false;
    if (i->op == OP_LOAD) return true;
    bool yes = false;
    for (uint32_t k = 0; k < i->nargs && !yes; k++)
        yes = is_read_from_memory(a, i->args[k], depth - 1);
    return yes;
}

static bool doubt_subscripts(Ask *a, const Access *w) {
    const Ins *e = depend_at(a, w->elem);
    bool data = false;
    for (uint32_t k = 1; k < e->nargs; k++) data |= is_read_from_memory(a, e->args[k], 8);
    return depend_answer(
        a, data ? DEPEND_DATA : DEPEND_UNKNOWN, depend_at(a, w->ins)->span,
        cx_printf(a->cx, "two iterations may meet at %s", depend_source(a, w->ins)));
}

static bool look_at_pair(Ask *a, const Access *w, const Access *x) {
    if (is_fresh(a, w->root) && depend_is_inside(a, w->root))
        return true; /* each iteration has its own */
    if (w->is_atomic && x->is_atomic) return true;
    if (w->place && w->place == x->place) return true;
    if (!w->root || !x->root || !w->elem || (w->root == x->root && !x->elem))
        return depend_doubt(a, cx_printf(a->cx, "where %s lies is not looked into",
                                         depend_source(a, w->root && w->elem ? x->ins : w->ins)));
    if (w->root != x->root)
        return is_fresh(a, w->root) || is_fresh(a, x->root) || note_apart(a, w, x);
    bool same = depend_at(a, w->elem)->args[0] == depend_at(a, x->elem)->args[0] &&
                affine_is_invariant(a->af, depend_at(a, w->elem)->args[0]);
    Meeting m = same ? look_at_elements(a, w->elem, x->elem) : MAYBE;
    if (m == MAYBE) m = look_at_rows(a, w->elem, x->elem);
    if (m == NEVER) return true;
    if (m == MAYBE) return doubt_subscripts(a, w);
    Span span = depend_at(a, w->ins)->span;
    if (w->ins == x->ins)
        return depend_refuse(
            a, span, cx_printf(a->cx, "every iteration writes %s", depend_source(a, w->ins)));
    const char *of = depend_source(a, x->is_store ? w->ins : x->ins);
    return depend_refuse(a, span,
                         cx_printf(a->cx, "%s of one iteration is written by another", of));
}

/* A definite answer counts more than a doubt. */
bool depend_look_at_memory(Ask *a) {
    bool good = true;
    depend_find_places(a);
    for (uint32_t i = 0; i < a->accesses.n; i++)
        for (uint32_t k = 0; a->accesses.at[i].is_store && k < a->accesses.n; k++) {
            if (a->accesses.at[k].is_store && k < i) continue;
            if (look_at_pair(a, &a->accesses.at[i], &a->accesses.at[k])) continue;
            if (a->out.answer == DEPEND_BOUND) return false;
            good = false;
        }
    return good;
}
