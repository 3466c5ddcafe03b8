/* Expressions. */
#include <string.h>

#include "build/build_int.h"

void bd_deeper(Builder *b, Span span) {
    enum { LIMIT = 1000 };
    if (++b->depth > LIMIT) diag_fail(b->cx, span, D_TOO_DEEP);
}

/* --- refusals --------------------------------------------------------------------------------- */

Ref bd_refuse(Builder *b, Span span, DiagId id, const char *text, const char *hint) {
    Refusal *refusal = NEW(b->cx, Refusal);
    *refusal = (Refusal){.diag = id, .text = text, .hint = hint};
    Ref r = bd_add(b, OP_REFUSE, span, 0, NULL);
    ir_at(b->fn, r)->refusal = refusal;
    return r;
}

Ref bd_refuse_node(Builder *b, const Node *n) {
    return bd_refuse(b, n->span, D_NOT_YET, n->refused->what, n->refused->hint);
}

void bd_refuse_here(Builder *b, Span span, DiagId id, const char *text, const char *hint) {
    bd_refuse(b, span, id, text, hint);
    b->fn->blocks.at[b->at].term = (Term){
        .kind = TERM_UNREACHABLE, .span = span, .succ = {{.to = NO_BLOCK}, {.to = NO_BLOCK}}};
    b->at = NO_BLOCK;
}

/* --- operators -------------------------------------------------------------------------------- */

static Ref add_operator(Builder *b, Op op, uint8_t sub, Span span, uint32_t n, const Ref *args) {
    bool weak = op == OP_UNARY || op == OP_BINARY;
    for (uint32_t i = 0; i < n; i++) weak &= ir_at(b->fn, args[i])->weak;
    Ref r = bd_add(b, op, span, n, args);
    ir_at(b->fn, r)->sub = sub;
    ir_at(b->fn, r)->weak = weak;
    return r;
}

/* -1 is a constant for people. It must be one here for -2**63, whose digits alone fit no int64. */
static Ref negative_literal(Builder *b, const Node *n) {
    const Node *x = n->a;
    if (n->op != UN_NEG || x->kind != N_LITERAL) return 0;
    Const *k;
    if (x->lit->kind == LIT_FLOAT)
        k = ir_const_float(b->cx, TY_F(64), -x->lit->f[0]);
    else if (x->lit->kind == LIT_INT || (x->lit->kind == LIT_UINT && x->lit->i == INT64_MIN))
        k = ir_const_int(b->cx, TY_I(64), (int64_t)-(uint64_t)x->lit->i);
    else
        return 0;
    Ref r = bd_const(b, k, n->span);
    ir_at(b->fn, r)->weak = true;
    return r;
}

static Ref unary(Builder *b, const Node *n) {
    Ref r = negative_literal(b, n);
    if (r) return r;
    r = bd_expr(b, n->a);
    return add_operator(b, OP_UNARY, n->op, n->span, 1, &r);
}

static Ref binary(Builder *b, const Node *n) {
    Ref x = bd_expr(b, n->a), y = bd_expr(b, n->b);
    return add_operator(b, OP_BINARY, n->op, n->span, 2, (Ref[]){x, y});
}

static Span join_spans(Span from, Span to) {
    from.end_line = to.end_line;
    from.end_col = to.end_col;
    return from;
}

/* What stands behind `in` may be written as a list or set: it is only looked at. */
static Ref compared(Builder *b, uint8_t op, const Node *n) {
    bool is_display = n->kind == N_TUPLE && n->refused && (op == CMP_IN || op == CMP_NOTIN);
    return is_display ? bd_tuple(b, n) : bd_expr(b, n);
}

static Ref compare_pair(Builder *b, const Node *n, uint32_t i, Ref left, Ref *right) {
    *right = compared(b, n->ops[i], n->list[i]);
    Span span = join_spans(i ? n->list[i - 1]->span : n->a->span, n->list[i]->span);
    return add_operator(b, OP_COMPARE, n->ops[i], span, 2, (Ref[]){left, *right});
}

static Ref truth(Builder *b, Ref value, Span span) { return bd_add1(b, OP_TRUTH, span, value); }

/* The same of a comparison, which says itself where it stands. */
static Ref truth_of(Builder *b, Ref value) { return truth(b, value, ir_at(b->fn, value)->span); }

/* a < b < c: each is evaluated once; the first false comparison is the result. */
static Ref compare(Builder *b, const Node *n) {
    Ref right, r = compare_pair(b, n, 0, bd_expr(b, n->a), &right);
    if (n->n == 1) return r;
    uint32_t var = bd_new_var(b);
    BlockId done = bd_new_block(b, "compare.done");
    for (uint32_t i = 1;; i++) {
        bd_write(b, var, r);
        if (i == n->n) break;
        BlockId next = bd_new_block(b, "compare.next");
        bd_branch(b, truth_of(b, r), next, done, n->span);
        bd_enter(b, next);
        r = compare_pair(b, n, i, right, &right);
    }
    bd_jump(b, done);
    bd_enter(b, done);
    return bd_read(b, var);
}

/* --- values by way of control flow ------------------------------------------------------------ */

int bd_known_truth(const Node *n) {
    if (n->kind == N_UNARY && n->op == UN_NOT) {
        int known = bd_known_truth(n->a);
        return known < 0 ? known : !known;
    }
    if (n->kind != N_LITERAL) return -1;
    switch (n->lit->kind) {
    case LIT_NONE: return 0;
    case LIT_BOOL:
    case LIT_INT: return n->lit->i != 0;
    case LIT_FLOAT: return n->lit->f[0] != 0;
    case LIT_STR:
    case LIT_BYTES: return n->lit->n != 0;
    case LIT_UINT:
    case LIT_BIG:
    case LIT_ELLIPSIS: return 1;
    case LIT_COMPLEX:
    case LIT_OTHER: break;
    }
    return -1;
}

/* `a and b`: a if it is false, else b. */
static Ref and_or(Builder *b, const Node *n) {
    uint32_t var = bd_new_var(b);
    BlockId done = bd_new_block(b, "bool.done");
    for (uint32_t i = 0;; i++) {
        Ref r = bd_expr(b, n->list[i]);
        bd_write(b, var, r);
        if (i + 1 == n->n) break;
        BlockId next = bd_new_block(b, "bool.next");
        bool is_and = n->kind == N_AND;
        bd_branch_on(b, n->list[i], truth(b, r, n->list[i]->span), is_and ? next : done,
                     is_and ? done : next);
        bd_enter(b, next);
    }
    bd_jump(b, done);
    bd_enter(b, done);
    return bd_read(b, var);
}

static Ref if_expr(Builder *b, const Node *n) {
    int known = bd_known_truth(n->a);
    if (known >= 0) return bd_expr(b, known ? n->b : n->c);
    uint32_t var = bd_new_var(b);
    BlockId yes = bd_new_block(b, "then"), no = bd_new_block(b, "else"),
            done = bd_new_block(b, "ifexp.done");
    bd_cond(b, n->a, yes, no);
    for (int i = 0; i < 2; i++) {
        if (!bd_enter(b, i ? no : yes)) continue;
        bd_write(b, var, bd_expr(b, i ? n->c : n->b));
        bd_jump(b, done);
    }
    bd_enter(b, done);
    return bd_read(b, var);
}

static void cond_compare(Builder *b, const Node *n, BlockId yes, BlockId no) {
    Ref right = bd_expr(b, n->a);
    for (uint32_t i = 0; i < n->n; i++) {
        Ref r = compare_pair(b, n, i, right, &right);
        BlockId next = i + 1 < n->n ? bd_new_block(b, "and") : yes;
        bd_branch_on(b, n, truth_of(b, r), next, no);
        if (next != yes) bd_enter(b, next);
    }
}

static void cond_and_or(Builder *b, const Node *n, BlockId yes, BlockId no) {
    for (uint32_t i = 0; i + 1 < n->n && b->at != NO_BLOCK; i++) {
        BlockId next = bd_new_block(b, n->kind == N_AND ? "and" : "or");
        bd_cond(b, n->list[i], n->kind == N_AND ? next : yes, n->kind == N_AND ? no : next);
        bd_enter(b, next);
    }
    if (b->at != NO_BLOCK) bd_cond(b, n->list[n->n - 1], yes, no);
}

void bd_cond(Builder *b, const Node *n, BlockId yes, BlockId no) {
    int known = bd_known_truth(n);
    bd_deeper(b, n->span);
    if (known >= 0)
        bd_jump(b, known ? yes : no);
    else if (n->kind == N_UNARY && n->op == UN_NOT)
        bd_cond(b, n->a, no, yes);
    else if (n->kind == N_AND || n->kind == N_OR)
        cond_and_or(b, n, yes, no);
    else if (n->kind == N_COMPARE)
        cond_compare(b, n, yes, no);
    else
        bd_branch_on(b, n, truth(b, bd_expr(b, n), n->span), yes, no);
    bd_shallower(b);
}

/* --- the rest --------------------------------------------------------------------------------- */

static Ref attribute(Builder *b, const Node *n) {
    Ref r = bd_add1(b, OP_GETATTR, n->span, bd_expr(b, n->a));
    ir_at(b->fn, r)->name = n->name;
    return r;
}

static Ref slice(Builder *b, const Node *n) {
    const Node *parts[3] = {n->a, n->b, n->c};
    Ref args[3];
    for (int i = 0; i < 3; i++)
        args[i] = parts[i] ? bd_expr(b, parts[i]) : bd_const_none(b, n->span);
    return bd_add(b, OP_SLICE, n->span, 3, args);
}

Ref bd_tuple(Builder *b, const Node *n) {
    Refs items = {0};
    for (uint32_t i = 0; i < n->n; i++) {
        if (n->list[i]->kind == N_STAR)
            return bd_refuse(b, n->list[i]->span, D_NOT_YET, "* inside a tuple",
                             "join tuples with +");
        vec_push(b->cx, &items, bd_expr(b, n->list[i]));
    }
    return bd_add(b, OP_TUPLE, n->span, items.n, items.at);
}

/* [1, 2] is a tuple where an array is made of it: inference decides (the instruction's imm is 1). */
static Ref list_display(Builder *b, const Node *n) {
    if (strcmp(n->refused->ast_class, "List") != 0) return bd_refuse_node(b, n);
    Ref r = bd_tuple(b, n);
    if (ir_at(b->fn, r)->op == OP_TUPLE) ir_at(b->fn, r)->imm = 1;
    return r;
}

static Ref walrus(Builder *b, const Node *n) {
    Ref value = bd_strong(b, bd_expr(b, n->b), n->a->name, n->span);
    bd_write_name(b, n->a->name, value, n->span);
    return value;
}

static Ref build_expr(Builder *b, const Node *n) {
    switch ((NodeKind)n->kind) {
    case N_NAME: return bd_read_name(b, n->name, n->span);
    case N_LITERAL: return bd_literal(b, n);
    case N_BINARY: return binary(b, n);
    case N_UNARY: return unary(b, n);
    case N_AND:
    case N_OR: return and_or(b, n);
    case N_COMPARE: return compare(b, n);
    case N_IFEXP: return if_expr(b, n);
    case N_CALL: return bd_call(b, n);
    case N_ATTRIBUTE: return attribute(b, n);
    case N_SUBSCRIPT: {
        Ref object = bd_expr(b, n->a);
        return bd_add2(b, OP_GETITEM, n->span, object, bd_expr(b, n->b));
    }
    case N_SLICE: return slice(b, n);
    case N_TUPLE: return n->refused ? list_display(b, n) : bd_tuple(b, n);
    case N_LAMBDA: return bd_make_closure(b, n);
    case N_WALRUS: return walrus(b, n);
    case N_FSTRING:
    case N_FORMAT: return bd_fstring(b, n);
    case N_REFUSED: return bd_refuse_node(b, n);
    case N_STAR: return bd_refuse(b, n->span, D_NOT_YET, "* here", NULL);
    default: INTERNAL(b->cx, n->span, "not an expression");
    }
}

Ref bd_expr(Builder *b, const Node *n) {
    bd_deeper(b, n->span);
    Ref r = build_expr(b, n);
    bd_shallower(b);
    return r;
}
