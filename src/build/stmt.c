/* Statements without loops, matching and exceptions. */
#include "build/build_int.h"

/* --- assignment ------------------------------------------------------------------------------- */

static uint32_t find_star(const Node *target) {
    for (uint32_t i = 0; i < target->n; i++)
        if (target->list[i]->kind == N_STAR) return i;
    return target->n;
}

/* a, *b, c = value: a tuple of as many items as there are targets, whose items are then assigned
 * in turn. */
static void unpack(Builder *b, const Node *target, Ref value) {
    uint32_t star = find_star(target);
    Ref tuple = bd_add1(b, OP_UNPACK, target->span, value);
    ir_at(b->fn, tuple)->imm = star;
    ir_at(b->fn, tuple)->imm2 = star == target->n ? -1 : (int64_t)(target->n - star - 1);
    for (uint32_t i = 0; i < target->n; i++) {
        const Node *to = i == star ? target->list[i]->a : target->list[i];
        Ref index = bd_const_int(b, i, to->span);
        bd_assign(b, to, bd_add2(b, OP_GETITEM, to->span, tuple, index));
    }
}

static void add_store(Builder *b, Op op, Span span, uint32_t n, const Ref *args, const char *name) {
    Ref r = bd_add(b, op, span, n, args);
    ir_at(b->fn, r)->name = name;
}

void bd_assign(Builder *b, const Node *target, Ref value) {
    if (b->at == NO_BLOCK) return;
    if (target->kind == N_NAME) {
        bd_write_name(b, target->name, value, target->span);
    } else if (target->kind == N_TUPLE) {
        unpack(b, target, value);
    } else if (target->kind == N_SUBSCRIPT) {
        Ref object = bd_expr(b, target->a), index = bd_expr(b, target->b);
        add_store(b, OP_SETITEM, target->span, 3, (Ref[]){object, index, value}, NULL);
    } else if (target->kind == N_ATTRIBUTE) {
        Ref object = bd_expr(b, target->a);
        add_store(b, OP_SETATTR, target->span, 2, (Ref[]){object, value}, target->name);
    } else {
        INTERNAL(b->cx, target->span, "not a target");
    }
}

/* a, b = b, a and the like: no tuple is made. */
static bool assign_side_by_side(Builder *b, const Node *n) {
    const Node *target = n->list[0], *value = n->a;
    if (n->n != 1 || target->kind != N_TUPLE || value->kind != N_TUPLE || target->n != value->n)
        return false;
    if (find_star(target) < target->n || find_star(value) < value->n) return false;
    Ref *values = NEWN(b->cx, Ref, value->n);
    for (uint32_t i = 0; i < value->n; i++)
        values[i] = bd_strong(b, bd_expr(b, value->list[i]), NULL, value->list[i]->span);
    for (uint32_t i = 0; i < value->n; i++) bd_assign(b, target->list[i], values[i]);
    return true;
}

static void assign(Builder *b, const Node *n) {
    if (assign_side_by_side(b, n)) return;
    Ref value = bd_expr(b, n->a);
    if (n->n > 1) value = bd_strong(b, value, NULL, n->a->span);
    for (uint32_t i = 0; i < n->n; i++) bd_assign(b, n->list[i], value);
}

static Ref inplace(Builder *b, const Node *n, Ref old) {
    Ref r = bd_add2(b, OP_INPLACE, n->span, old, bd_expr(b, n->b));
    ir_at(b->fn, r)->sub = n->op;
    return r;
}

/* x op= y: what x names is evaluated once. */
static void augment(Builder *b, const Node *n) {
    const Node *to = n->a;
    if (to->kind == N_NAME) {
        bd_write_name(b, to->name, inplace(b, n, bd_read_name(b, to->name, to->span)), to->span);
    } else if (to->kind == N_SUBSCRIPT) {
        Ref object = bd_expr(b, to->a), index = bd_expr(b, to->b);
        Ref value = inplace(b, n, bd_add2(b, OP_GETITEM, to->span, object, index));
        add_store(b, OP_SETITEM, to->span, 3, (Ref[]){object, index, value}, NULL);
    } else {
        Ref object = bd_expr(b, to->a), old = bd_add1(b, OP_GETATTR, to->span, object);
        ir_at(b->fn, old)->name = to->name;
        Ref value = inplace(b, n, old);
        add_store(b, OP_SETATTR, to->span, 2, (Ref[]){object, value}, to->name);
    }
}

static void delete_target(Builder *b, const Node *target) {
    if (b->at == NO_BLOCK) return;
    if (target->kind == N_NAME) {
        bd_delete_name(b, target->name, target->span);
    } else if (target->kind == N_TUPLE) {
        for (uint32_t i = 0; i < target->n; i++) delete_target(b, target->list[i]);
    } else if (target->kind == N_SUBSCRIPT) {
        Ref object = bd_expr(b, target->a), index = bd_expr(b, target->b);
        add_store(b, OP_DELITEM, target->span, 2, (Ref[]){object, index}, NULL);
    } else {
        bd_refuse_here(b, target->span, D_UNSUPPORTED, "deleting an attribute", NULL);
    }
}

/* --- branches and exits ----------------------------------------------------------------------- */

static void if_stmt(Builder *b, const Node *n) {
    BlockId yes = bd_new_block(b, "then"), no = bd_new_block(b, "else"),
            done = bd_new_block(b, "endif");
    bd_cond(b, n->a, yes, no);
    if (bd_enter(b, yes)) bd_stmts(b, n->list, n->n);
    bd_jump(b, done);
    if (bd_enter(b, no)) bd_stmts(b, n->list2, n->n2);
    bd_jump(b, done);
    bd_enter(b, done);
}

static void return_stmt(Builder *b, const Node *n) {
    Ref value = n->a ? bd_expr(b, n->a) : bd_const_none(b, n->span);
    Way way = bd_way_out(b, NULL);
    if (b->at != NO_BLOCK) bd_return(b, value, n->span);
    bd_back_in(b, way);
}

static void leave_loop(Builder *b, const Node *n) {
    const Frame *loop = b->frame;
    while (loop && loop->kind != FRAME_LOOP) loop = loop->outer;
    if (!loop) INTERNAL(b->cx, n->span, "break or continue outside of a loop");
    Way way = bd_way_out(b, loop);
    bd_jump(b, n->kind == N_BREAK ? loop->to_break : loop->to_continue);
    bd_back_in(b, way);
}

/* `python -O` leaves assertions out, and so do we. */
static bool keeps_assertions(Builder *b) {
    return bd_find_global(b, cx_name(b->cx, "__debug__")) != Py_False;
}

static void assert_stmt(Builder *b, const Node *n) {
    if (!keeps_assertions(b)) return;
    BlockId good = bd_new_block(b, "assert.good"), bad = bd_new_block(b, "assert.bad");
    bd_cond(b, n->a, good, bad);
    if (bd_enter(b, bad)) {
        Ref exc = bd_read_builtin(b, "AssertionError", n->span);
        if (n->b) exc = bd_call_refs(b, n->span, 2, (Ref[]){exc, bd_expr(b, n->b)});
        bd_raise(b, exc, 0, n->a->span);
    }
    bd_enter(b, good);
}

static void def_stmt(Builder *b, const Node *n) {
    const Func *f = n->func;
    if (f->decorators.n)
        bd_refuse_here(
            b, f->decorators.at[0]->span, D_NOT_YET, "decorators on inner functions",
            "leave the decorator out: inner functions are compiled with the function around them");
    else
        bd_write_name(b, f->name, bd_make_closure(b, n), n->span);
}

/* --- all -------------------------------------------------------------------------------------- */

static void build_stmt(Builder *b, const Node *n) {
    switch ((NodeKind)n->kind) {
    case N_EXPR:
        if (n->a->kind != N_LITERAL) bd_expr(b, n->a);
        return;
    case N_ASSIGN: assign(b, n); return;
    case N_AUGMENT: augment(b, n); return;
    case N_DECLARE:
    case N_GLOBAL:
    case N_NONLOCAL:
    case N_PASS: return;
    case N_IF: if_stmt(b, n); return;
    case N_WHILE: bd_while(b, n); return;
    case N_FOR: bd_for(b, n); return;
    case N_BREAK:
    case N_CONTINUE: leave_loop(b, n); return;
    case N_RETURN: return_stmt(b, n); return;
    case N_ASSERT: assert_stmt(b, n); return;
    case N_RAISE: bd_raise_stmt(b, n); return;
    case N_DELETE:
        for (uint32_t i = 0; i < n->n; i++) delete_target(b, n->list[i]);
        return;
    case N_MATCH: bd_match(b, n); return;
    case N_TRY: bd_try(b, n); return;
    case N_BLOCK: bd_stmts(b, n->list, n->n); return;
    case N_FUNCTION: def_stmt(b, n); return;
    case N_REFUSED:
        bd_refuse_here(b, n->span, D_NOT_YET, n->refused->what, n->refused->hint);
        return;
    default: INTERNAL(b->cx, n->span, "not a statement");
    }
}

void bd_stmt(Builder *b, const Node *n) {
    bd_deeper(b, n->span);
    build_stmt(b, n);
    bd_shallower(b);
}

void bd_stmts(Builder *b, Node *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n && b->at != NO_BLOCK; i++) bd_stmt(b, list[i]);
}
