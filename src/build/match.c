/* The match statement. A pattern is tested by jumps to `fail`; what it captures goes to nameless
 * variables first and to the names only when all of it fits, as in Python. */
#include <string.h>

#include "build/build_int.h"
#include "py/py.h"

typedef struct Captures {
    VEC(const char *) names;
    VEC(uint32_t) vars;
} Captures;

typedef struct Match {
    Builder *b;
    BlockId fail;
    Captures *captures;
} Match;

static void test(Match *m, const Node *p, Ref subject);

static void capture(Match *m, const char *name, Ref value) {
    Captures *c = m->captures;
    uint32_t i = 0;
    while (i < c->names.n && c->names.at[i] != name) i++;
    if (i == c->names.n) {
        vec_push(m->b->cx, &c->names, name);
        vec_push(m->b->cx, &c->vars, bd_new_var(m->b));
    }
    bd_write(m->b, c->vars.at[i], value);
}

/* Goes on if the value is true. */
static void demand(Match *m, Ref cond, Span span) {
    BlockId fits = bd_new_block(m->b, "case.fits");
    bd_branch(m->b, cond, fits, m->fail, span);
    bd_enter(m->b, fits);
}

static void demand_truth(Match *m, Ref value, Span span) {
    demand(m, bd_add1(m->b, OP_TRUTH, span, value), span);
}

static void test_equal(Match *m, const Node *p, Ref subject, CmpOp op) {
    Ref r = bd_add2(m->b, OP_COMPARE, p->span, subject, bd_expr(m->b, p->a));
    ir_at(m->b->fn, r)->sub = (uint16_t)op;
    demand_truth(m, r, p->span);
}

static Ref item_at(Match *m, Ref subject, int64_t i, Span span) {
    return bd_add2(m->b, OP_GETITEM, span, subject, bd_const_int(m->b, i, span));
}

/* subject[before : -after], what the star takes. */
static Ref middle(Match *m, Ref subject, uint32_t before, uint32_t after, Span span) {
    Builder *b = m->b;
    Ref start = bd_const_int(b, before, span);
    Ref stop = after ? bd_const_int(b, -(int64_t)after, span) : bd_const_none(b, span);
    Ref index = bd_add(b, OP_SLICE, span, 3, (Ref[]){start, stop, bd_const_none(b, span)});
    return bd_add2(b, OP_GETITEM, span, subject, index);
}

static void test_sequence(Match *m, const Node *p, Ref subject) {
    uint32_t star = 0;
    while (star < p->n && p->list[star]->kind != N_PSTAR) star++;
    bool has_star = star < p->n;
    Ref fits = bd_add1(m->b, OP_MATCH_SEQ, p->span, subject);
    ir_at(m->b->fn, fits)->imm = p->n - has_star;
    ir_at(m->b->fn, fits)->imm2 = has_star;
    demand(m, fits, p->span);
    for (uint32_t i = 0; i < p->n; i++) {
        const Node *item = p->list[i];
        if (i == star) {
            if (item->name)
                capture(m, item->name, middle(m, subject, star, p->n - star - 1, item->span));
            continue;
        }
        if (item->kind == N_PAS && !item->a && !item->name) continue; /* _ */
        test(m, item, item_at(m, subject, i < star ? i : (int64_t)i - p->n, item->span));
    }
}

static void test_or(Match *m, const Node *p, Ref subject) {
    Builder *b = m->b;
    BlockId done = bd_new_block(b, "case.or.done"), fail = m->fail;
    for (uint32_t i = 0; i < p->n && b->at != NO_BLOCK; i++) {
        bool is_last = i + 1 == p->n;
        m->fail = is_last ? fail : bd_new_block(b, "case.or");
        test(m, p->list[i], subject);
        bd_jump(b, done);
        if (!is_last) bd_enter(b, m->fail);
    }
    m->fail = fail;
    bd_enter(b, done);
}

/* The class's own list of what its positional patterns mean; NULL if the class is not known
 * here. */
static PyObject *match_args(Match *m, const Node *cls) {
    if (cls->kind != N_NAME || bd_find_var(m->b->scope, cls->name)->kind == VAR_LOCAL) return NULL;
    PyObject *args = py_attr(m->b->cx, bd_find_global(m->b, cls->name), "__match_args__");
    return args && PyTuple_Check(args) ? args : NULL;
}

static void test_attribute(Match *m, const Node *p, const char *name, Ref subject) {
    Ref value = bd_add1(m->b, OP_GETATTR, p->span, subject);
    ir_at(m->b->fn, value)->name = name;
    test(m, p, value);
}

/* int(x): the subject itself. Point(x, y): its attributes in the order that the class says. */
static void test_positional(Match *m, const Node *p, Ref subject) {
    PyObject *args = match_args(m, p->a);
    if (!args && p->n == 1) {
        test(m, p->list[0], subject);
        return;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        PyObject *arg = args && i < PyTuple_Size(args) ? PyTuple_GetItem(args, i) : NULL;
        const char *name = py_text(m->b->cx, arg, NULL);
        if (!name) {
            bd_refuse(m->b, p->span, D_NOT_YET, "positional patterns of this class",
                      "name the attributes: C(x=0)");
            return;
        }
        test_attribute(m, p->list[i], cx_name(m->b->cx, name), subject);
    }
}

static void test_class(Match *m, const Node *p, Ref subject) {
    Builder *b = m->b;
    Ref isinstance = bd_read_builtin(b, "isinstance", p->span), cls = bd_expr(b, p->a);
    demand_truth(m, bd_call_refs(b, p->span, 3, (Ref[]){isinstance, subject, cls}), p->span);
    if (p->n) test_positional(m, p, subject);
    for (uint32_t i = 0; i < p->n2; i++)
        test_attribute(m, p->list2[i]->a, p->list2[i]->name, subject);
}

/* Goes on where the pattern fits. */
static void test(Match *m, const Node *p, Ref subject) {
    bd_deeper(m->b, p->span);
    switch ((NodeKind)p->kind) {
    case N_PVALUE: test_equal(m, p, subject, CMP_EQ); break;
    case N_PSINGLE: test_equal(m, p, subject, CMP_IS); break;
    case N_PSEQ: test_sequence(m, p, subject); break;
    case N_POR: test_or(m, p, subject); break;
    case N_PCLASS: test_class(m, p, subject); break;
    case N_PAS:
        if (p->a) test(m, p->a, subject);
        if (p->name) capture(m, p->name, subject);
        break;
    case N_REFUSED: bd_refuse_node(m->b, p); break;
    default: INTERNAL(m->b->cx, p->span, "not a pattern");
    }
    bd_shallower(m->b);
}

static void bind_captures(Builder *b, const Captures *c, Span span) {
    for (uint32_t i = 0; i < c->names.n; i++)
        bd_write_name(b, c->names.at[i], bd_read(b, c->vars.at[i]), span);
}

void bd_match(Builder *b, const Node *n) {
    Ref subject = bd_strong(b, bd_expr(b, n->a), NULL, n->a->span);
    BlockId done = bd_new_block(b, "match.done");
    for (uint32_t i = 0; i < n->n && b->at != NO_BLOCK; i++) {
        const Node *c = n->list[i];
        Captures captures = {0};
        Match m = {.b = b, .fail = bd_new_block(b, "case.next"), .captures = &captures};
        test(&m, c->a, subject);
        bind_captures(b, &captures, c->a->span);
        if (c->b) {
            BlockId body = bd_new_block(b, "case.body");
            bd_cond(b, c->b, body, m.fail);
            bd_enter(b, body);
        }
        if (b->at != NO_BLOCK) bd_stmts(b, c->list, c->n);
        bd_jump(b, done);
        bd_enter(b, m.fail);
    }
    bd_jump(b, done);
    bd_enter(b, done);
}
