/* The driver of lowering: functions, blocks, edges, and the HIGH operations that are not in a table. */
#include "lower/lower.h"

#include <string.h>

#include "infer/infer_int.h"
#include "lower/lower_int.h"

/* --- values --------------------------------------------------------------------------------------------------- */

static Ref lower_ins(Lower *lo, Ref r);

/* What has waited for its use, as a value after all. */
static Ref lower_waiting(Lower *lo, Ref high) {
    Ref user = lo->ins;
    Span span = lo->span;
    lo->span = ir_at(lo->high, high)->span;
    lo->map[high] = lower_ins(lo, high);
    lo->ins = user;
    lo->span = span;
    return lo->map[high];
}

Ref lo_get(Lower *lo, Ref high) {
    Ref r = lo->map[high];
    if (r) return r;
    if (lo->waits[high]) return lower_waiting(lo, high);
    const Ins *ins = ir_at(lo->high, high);
    if (ins->op == OP_UNSET || ins->ty->kind == TY_UNDEF) return lo_zero(lo, TY_OF(TY_NONE));
    if (ins->k) return lo_const(lo, ins->k);
    INTERNAL(lo->cx, lo->span,
             cx_printf(lo->cx, "value %u (%s) was not lowered", high, op_info[ins->op].text));
}

Ref lo_arg(Lower *lo, Arg a) {
    if (a.low) return a.low;
    if (a.packed) {
        Ref *items = NEWN(lo->cx, Ref, a.ty->nitems + 1);
        for (uint32_t i = 0; i < a.ty->nitems; i++) items[i] = lo_arg(lo, a.packed[i]);
        return lo_make(lo, a.ty, a.ty->nitems, items);
    }
    if (!a.ref) return lo_const(lo, a.k);
    Ref v = lo_get(lo, a.ref);
    return a.item < 0 ? v : lo_field(lo, v, (uint32_t)a.item);
}

Ref lo_arg_as(Lower *lo, Arg a, Type *to) { return lo_convert(lo, lo_arg(lo, a), to); }

Ref lower_concat(Lower *lo, uint32_t n, const Ref *pieces) {
    Type **types = NEWN(lo->cx, Type *, n + 1);
    for (uint32_t i = 0; i < n; i++) types[i] = TY_OF(TY_STR);
    Ref all = lo_make(lo, ty_tuple(types, n), n, pieces);
    return lo_rt(lo, "ws_str_concat", TY_OF(TY_STR), 2, (Ref[]){lo_int(lo, n), all});
}

Ref lo_prelude(Lower *lo, const char *name, uint32_t n, const Ref *args) {
    Arg *given = NEWN(lo->cx, Arg, n + 1);
    for (uint32_t i = 0; i < n; i++)
        given[i] = (Arg){.item = -1, .ty = lo_type(lo, args[i]), .low = args[i]};
    Callee c;
    if (!infer_prelude_call(lo->in, lo->inst, name, given, n, lo->ins, &c))
        INTERNAL(lo->cx, lo->span, cx_printf(lo->cx, "the prelude's %s was not typed", name));
    return lower_call_inst(lo, &c);
}

/* --- iteration ------------------------------------------------------------------------------------------------------ */

Ref lo_range_length(Lower *lo, Ref range) {
    Ref start = lo_field(lo, range, 0), stop = lo_field(lo, range, 1),
        step = lo_field(lo, range, 2);
    Ref zero = lo_int(lo, 0), one = lo_int(lo, 1);
    const Ins *k = ir_at(lo->fn, step);
    /* The distance fits uint64: the length, as long as it is below 2**63, is right. */
    if (k->op == OP_CONST && k->k->i == 1) {
        const Ins *s = ir_at(lo->fn, start);
        Ref up = lo_cmp(lo, OP_LT, start, stop);
        if (s->op == OP_CONST && s->k->i == 0) return lo_math2(lo, MATH_MAX, stop, zero);
        return lo_select(lo, up, lo_op2(lo, OP_SUB, stop, start), zero);
    }
    Type *u = TY_U(64);
    Ref positive = lo_cmp(lo, OP_GT, step, zero);
    Ref lower = lo_select(lo, positive, start, stop), upper = lo_select(lo, positive, stop, start);
    Ref width = lo_convert(lo, lo_op2(lo, OP_SUB, lo_op2(lo, OP_SUB, upper, lower), one), u);
    Ref size = lo_convert(lo, lo_select(lo, positive, step, lo_op1(lo, OP_NEG, TY_I(64), step)), u);
    /* range() has checked that the step is not 0; a select keeps the division safe for a folded-away one. */
    Ref n = lo_op2(lo, OP_ADD, lo_convert(lo, lo_op2(lo, OP_FLOORDIV, width, size), TY_I(64)), one);
    return lo_select(lo, lo_cmp(lo, OP_LT, lower, upper), n, zero);
}

static Ref product_of(Lower *lo, Ref sizes) {
    Ref n = lo_int(lo, 1);
    for (uint32_t i = 0; i < lo_type(lo, sizes)->nitems; i++)
        n = lo_op2(lo, OP_MUL, n, lo_field(lo, sizes, i));
    return n;
}

static Ref length_of(Lower *lo, Ref v) {
    Type *ty = lo_type(lo, v);
    switch ((TyKind)ty->kind) {
    case TY_ARRAY: return lo_array_dim(lo, v, 0);
    case TY_RANGE: return lo_range_length(lo, v);
    case TY_TUPLE: return lo_int(lo, ty->nitems);
    case TY_STR:
    case TY_BYTES: return lo_field(lo, v, 1);
    case TY_ITER: break;
    default: INTERNAL(lo->cx, lo->span, "no length");
    }
    if (ty->how == ITER_SHARED)
        return lo_op2(lo, OP_SUB, length_of(lo, lo_field(lo, v, 0)),
                      lo_cell_get(lo, lo_field(lo, v, 1)));
    if (ty->how == ITER_NDINDEX) return product_of(lo, lo_field(lo, v, 0));
    if (ty->how == ITER_NDENUMERATE) return lo_array_size(lo, lo_field(lo, v, 0));
    if (ty->how != ITER_ZIP) return length_of(lo, lo_field(lo, v, 0));
    if (!ty->nitems) return lo_int(lo, 0);
    Ref n = length_of(lo, lo_field(lo, v, 0));
    for (uint32_t i = 1; i < ty->nitems; i++)
        n = lo_math2(lo, MATH_MIN, n, length_of(lo, lo_field(lo, v, i)));
    return n;
}

Ref lower_length(Lower *lo, Ref v) { return length_of(lo, v); }

/* The subscripts of position pos, in C order, of an array with these sizes. The divisions are by
 * sizes > 0: else there are no positions. */
static void unravel(Lower *lo, Ref pos, uint32_t n, const Ref *sizes, Ref *at) {
    for (uint32_t i = n; i-- > 1;) {
        Ref next = lo_op2(lo, OP_FLOORDIV, pos, sizes[i]);
        at[i] = lo_op2(lo, OP_SUB, pos, lo_op2(lo, OP_MUL, next, sizes[i]));
        pos = next;
    }
    if (n) at[0] = pos;
}

/* Item pos of v; pos is in range. */
static Ref item_of(Lower *lo, Ref v, Ref pos) {
    Type *ty = lo_type(lo, v);
    const Ins *p = ir_at(lo->fn, pos);
    switch ((TyKind)ty->kind) {
    case TY_RANGE: {
        Ref start = lo_field(lo, v, 0), step = lo_field(lo, v, 2);
        return lo_op2(lo, OP_ADD, start, lo_op2(lo, OP_MUL, pos, step));
    }
    case TY_ARRAY: return ty->ndim == 1 ? lo_array_get(lo, v, &pos) : lo_array_row(lo, v, pos);
    case TY_STR: return lo_rt(lo, "ws_str_get", TY_OF(TY_STR), 2, (Ref[]){v, pos});
    case TY_BYTES: {
        Ref at = lo_op(lo, OP_OFFSET, TY_OF(TY_PTR), 2, (Ref[]){lo_field(lo, v, 0), pos});
        return lo_convert(lo, lo_load(lo, TY_U(8), at, false), TY_I(64));
    }
    case TY_TUPLE:
        if (p->op == OP_CONST) return lo_field(lo, v, (uint32_t)p->k->i);
        return lo_tuple_item(lo, v, pos);
    case TY_ITER: break;
    default: INTERNAL(lo->cx, lo->span, "no items");
    }
    switch ((IterHow)ty->how) {
    case ITER_PLAIN: return item_of(lo, lo_field(lo, v, 0), pos);
    case ITER_SHARED: { /* the next one, wherever the loop thinks it is */
        Ref cell = lo_field(lo, v, 1), at = lo_cell_get(lo, cell);
        lo_cell_set(lo, cell, lo_op2(lo, OP_ADD, at, lo_int(lo, 1)));
        return item_of(lo, lo_field(lo, v, 0), at);
    }
    case ITER_NDINDEX: {
        Ref shape = lo_field(lo, v, 0), sizes[32] = {0}, at[32];
        uint32_t n = lo_type(lo, shape)->nitems;
        for (uint32_t i = 0; i < n; i++) sizes[i] = lo_field(lo, shape, i);
        unravel(lo, pos, n, sizes, at);
        return lo_make(lo, lo_type(lo, shape), n, at);
    }
    case ITER_NDENUMERATE: {
        Ref a = lo_field(lo, v, 0), sizes[32] = {0}, at[32];
        uint32_t n = lo_type(lo, a)->ndim;
        for (uint32_t i = 0; i < n; i++) sizes[i] = lo_array_dim(lo, a, i);
        unravel(lo, pos, n, sizes, at);
        Ref items[] = {lo_make(lo, ty_int_tuple(n), n, at), lo_array_get(lo, a, at)};
        Type *types[] = {lo_type(lo, items[0]), lo_type(lo, items[1])};
        return lo_make(lo, ty_tuple(types, 2), 2, items);
    }
    case ITER_REVERSED: {
        Ref of = lo_field(lo, v, 0), last = lo_op2(lo, OP_SUB, length_of(lo, of), lo_int(lo, 1));
        if (lo_type(lo, of)->kind == TY_TUPLE && p->op == OP_CONST)
            return lo_field(lo, of, lo_type(lo, of)->nitems - 1 - (uint32_t)p->k->i);
        return item_of(lo, of, lo_op2(lo, OP_SUB, last, pos));
    }
    case ITER_ENUMERATE: {
        Ref items[] = {lo_op2(lo, OP_ADD, lo_field(lo, v, 1), pos),
                       item_of(lo, lo_field(lo, v, 0), pos)};
        Type *types[] = {TY_I(64), lo_type(lo, items[1])};
        return lo_make(lo, ty_tuple(types, 2), 2, items);
    }
    case ITER_ZIP: {
        Ref items[64];
        Type *types[64];
        for (uint32_t i = 0; i < ty->nitems; i++) {
            items[i] = item_of(lo, lo_field(lo, v, i), pos);
            types[i] = lo_type(lo, items[i]);
        }
        return lo_make(lo, ty_tuple(types, ty->nitems), ty->nitems, items);
    }
    }
    INTERNAL(lo->cx, lo->span, "no such iterator");
}

Ref lower_item(Lower *lo, Ref v, Ref pos) { return item_of(lo, v, pos); }

/* Does anything in v advance by itself, so that the length when the loop began says nothing? */
static bool is_shared(const Type *ty) {
    if (ty->kind != TY_ITER) return false;
    if (ty->how == ITER_SHARED) return true;
    return ty->of && is_shared(ty->of);
}

static Ref lower_more(Lower *lo, Ref v, Ref n, Ref pos) {
    if (is_shared(lo_type(lo, v))) return lo_cmp(lo, OP_GT, length_of(lo, v), lo_int(lo, 0));
    return lo_cmp(lo, OP_LT, pos, n);
}

/* Item pos of a tuple whose items have one type: a chain of selects. */
Ref lo_tuple_item(Lower *lo, Ref v, Ref pos) {
    Type *ty = lo_type(lo, v);
    Ref r = lo_field(lo, v, ty->nitems - 1);
    for (uint32_t i = ty->nitems - 1; i-- > 0;)
        r = lo_select(lo, lo_cmp(lo, OP_EQ, pos, lo_int(lo, i)), lo_field(lo, v, i), r);
    return r;
}

static Ref lower_unpack(Lower *lo, const Ins *ins) {
    Ref v = lo_get(lo, ins->args[0]);
    Type *ty = lo_type(lo, v);
    uint32_t before = (uint32_t)ins->imm, after = ins->imm2 < 0 ? 0 : (uint32_t)ins->imm2,
             n = before + after;
    Ref *items = NEWN(lo->cx, Ref, n + 2);
    if (ty->kind == TY_TUPLE) {
        if (ins->imm2 < 0) return v;
        uint32_t rest = ty->nitems - n;
        for (uint32_t i = 0; i < before; i++) items[i] = lo_field(lo, v, i);
        Ref *middle = NEWN(lo->cx, Ref, rest + 1);
        for (uint32_t i = 0; i < rest; i++) middle[i] = lo_field(lo, v, before + i);
        items[before] = lo_make(lo, ins->ty->items[before], rest, middle);
        for (uint32_t i = 0; i < after; i++)
            items[before + 1 + i] = lo_field(lo, v, before + rest + i);
        return lo_make(lo, ins->ty, n + 1, items);
    }
    Ref have = length_of(lo, v), want = lo_int(lo, n);
    lo_check2(lo, lo_cmp(lo, OP_GE, have, want), CHECK_UNPACK_SHORT, want, have);
    lo_check2(lo, lo_cmp(lo, OP_LE, have, want), CHECK_UNPACK_LONG, want, 0);
    for (uint32_t i = 0; i < n; i++) items[i] = item_of(lo, v, lo_int(lo, i));
    return lo_make(lo, ins->ty, n, items);
}

/* --- other operations --------------------------------------------------------------------------------------------------- */

static Arg arg_of(Lower *lo, Ref r) {
    const Ins *ins = ir_at(lo->high, r);
    return (Arg){.ref = r, .item = -1, .ty = ins->ty, .k = ins->k, .weak = ins->weak};
}

static Ref lower_unary(Lower *lo, Ref r) {
    const Ins *ins = ir_at(lo->high, r);
    Type *of = infer_plain(ir_at(lo->high, ins->args[0])->ty);
    if (of->kind == TY_ARRAY && ins->sub != UN_NOT) return elementwise_unary(lo, r);
    Ref v = lo_get(lo, ins->args[0]);
    if (ins->sub == UN_NOT) return lo_not(lo, lo_truth(lo, v));
    if (lo_type(lo, v)->kind == TY_OPTIONAL) v = lo_convert(lo, v, lo_type(lo, v)->of);
    v = lo_convert(lo, v, ins->ty);
    if (ins->sub == UN_POS) return v;
    if (ins->sub == UN_INVERT) return lo_op2(lo, OP_XOR, v, lo_number(lo, ins->ty, -1));
    if (ins->ty->kind != TY_COMPLEX) return lo_op1(lo, OP_NEG, ins->ty, v);
    Type *part = TY_F(ins->ty->bits / 2u);
    return lo_complex(lo, ins->ty, lo_op1(lo, OP_NEG, part, lo_field(lo, v, 0)),
                      lo_op1(lo, OP_NEG, part, lo_field(lo, v, 1)));
}

static Ref lower_slice(Lower *lo, const Ins *ins) {
    Ref fields[3];
    uint32_t n = 0;
    for (int i = 0; i < 3; i++)
        if (ins->ty->items[i]->kind != TY_NONE)
            fields[n++] = lo_convert(lo, lo_get(lo, ins->args[i]), TY_I(64));
    return lo_make(lo, ins->ty, n, fields);
}

static Ref lower_gather(Lower *lo, const Ins *ins) {
    Ref *fields = NEWN(lo->cx, Ref, ins->nargs + 1u);
    for (uint32_t i = 0; i < ins->nargs; i++) fields[i] = lo_get(lo, ins->args[i]);
    return lo_make(lo, ins->ty, ins->nargs, fields);
}

Ref lower_call_inst(Lower *lo, const Callee *c) {
    Fn *fn = lower_instance(lo->in, c->inst);
    Ref *args = NEWN(lo->cx, Ref, c->call.nargs + 1);
    for (uint32_t i = 0; i < c->call.nargs; i++)
        args[i] = lo_convert(lo, lo_arg(lo, c->call.args[i]), c->inst->args[i]);
    Ref r = lo_call(lo, fn, c->call.nargs, args);
    /* None is a value of its own: the call may be put in place, and then there is none */
    return lo_type(lo, r)->kind == TY_NONE ? lo_zero(lo, TY_OF(TY_NONE)) : r;
}

/* One of several functions: a branch for each. */
static Ref lower_choice(Lower *lo, Ref r, uint32_t n) {
    const Ins *ins = ir_at(lo->high, r);
    Ref which = lo_field(lo, lo_get(lo, ins->args[0]), 0);
    BlockId done = lo_block(lo, "called");
    Type *ty = ins->ty->kind == TY_UNDEF ? TY_OF(TY_NONE) : ins->ty;
    Ref result = lo_param(lo, done, ty);
    for (uint32_t i = 0; i < n; i++) {
        BlockId next = NO_BLOCK;
        if (i + 1 < n) {
            BlockId call = lo_block(lo, "call");
            next = lo_block(lo, "or");
            lo_branch(lo, lo_cmp(lo, OP_EQ, which, lo_int(lo, i)), call, next);
            lo->b = call;
        }
        Callee c;
        if (!infer_callee_at(lo->in, lo->inst, r, i, &c))
            INTERNAL(lo->cx, lo->span, "a call lost its callee");
        c.call.result = c.kind == CALLEE_ROW ? row_type(&c.call) : NULL;
        Ref v = c.kind == CALLEE_ROW ? row_lower(lo, &c.call) : lower_call_inst(lo, &c);
        v = c.kind == CALLEE_INST && c.inst->ret->kind == TY_UNDEF ? lo_zero(lo, ty)
                                                                   : lo_convert(lo, v, ty);
        lo_jump(lo, done, 1, &v);
        lo->b = next;
    }
    lo->b = done;
    return result;
}

/* A reduction that computes what it reduces; 0: it is called. */
static Ref lower_fused(Lower *lo, Ref r, const Callee *callee) {
    const Row *row = callee->public_row;
    if (!row || !(row->flags & ROW_REDUCES)) return 0;
    Call c = callee->call;
    c.in = lo->in, c.inst = lo->inst, c.ins = r, c.row = row;
    return row->lower(lo, &c);
}

static const Arg *argument_named(const Callee *c, const char *name) {
    for (uint32_t i = 0; i < c->def->nparams; i++)
        if (strcmp(c->def->params[i], name) == 0) return &c->call.args[i];
    return NULL;
}

static bool is_axis(const Const *axis, int64_t k, int64_t rank) {
    if (axis->ty->kind == TY_NONE) return true;
    if (axis->ty->kind != TY_TUPLE) return axis->i == k || axis->i + rank == k;
    for (uint32_t i = 0; i < axis->seq.n; i++)
        if (is_axis(axis->seq.items[i], k, rank)) return true;
    return false;
}

/* Axes that a reduction has kept have length 1: as constants, so that what is computed with them knows. */
static Ref with_kept_axes(Lower *lo, const Callee *c, Ref v) {
    Type *ty = lo_type(lo, v);
    if (!c->public_row || !(c->public_row->flags & ROW_REDUCES) || ty->kind != TY_ARRAY) return v;
    const Arg *axis = argument_named(c, "axis"), *keep = argument_named(c, "keepdims");
    if (!axis || !axis->k || !keep || !keep->k || !keep->k->i || ty->layout == 'A') return v;
    Ref shape[32];
    for (uint32_t k = 0; k < ty->ndim; k++)
        shape[k] = is_axis(axis->k, k, ty->ndim) ? lo_int(lo, 1) : lo_array_dim(lo, v, k);
    return lo_array_make(lo, ty, lo_array_data(lo, v), lo_array_owner(lo, v), shape, NULL);
}

static Ref lower_call(Lower *lo, Ref r) {
    uint32_t n = infer_callee_count(lo->inst, r);
    if (n > 1) return lower_choice(lo, r, n);
    Callee c;
    if (!infer_callee(lo->in, lo->inst, r, &c))
        INTERNAL(lo->cx, lo->span, "a call lost its callee");
    c.call.result = ir_at(lo->high, r)->ty;
    if (c.kind == CALLEE_ROW) return row_lower(lo, &c.call);
    Ref fused = lower_fused(lo, r, &c);
    return fused ? fused : with_kept_axes(lo, &c, lower_call_inst(lo, &c));
}

static Ref lower_global(Lower *lo, int64_t number, Type *ty) {
    Ref v = lo_op(lo, OP_GLOBAL, ty, 0, NULL);
    ir_at(lo->fn, v)->imm = number;
    return v;
}

static Ref lower_getattr(Lower *lo, Ref r) {
    const Ins *ins = ir_at(lo->high, r);
    Type *ty = ir_at(lo->high, ins->args[0])->ty;
    if (ty->kind == TY_MODULE && ins->imm) return lower_global(lo, ins->imm - 1, ins->ty);
    int field = infer_tuple_field(ty, ins->name);
    if (field >= 0) return lo_field(lo, lo_get(lo, ins->args[0]), (uint32_t)field);
    const Row *row = infer_attr_row(lo->in, ty, ins->name);
    if (row && row->flags & ROW_ATTRIBUTE) {
        Call c = infer_attr_call(lo->in, lo->inst, r, row);
        c.result = ins->ty;
        return row->lower(lo, &c);
    }
    if (ins->ty->kind == TY_CLOSURE) { /* a bound method */
        Ref self = lo_get(lo, ins->args[0]);
        if (row || infer_is_user_method(lo->in, ins->ty)) return lo_make(lo, ins->ty, 1, &self);
    }
    Callee c;
    if (infer_user_attribute(lo->in, lo->inst, r, &c)) return lower_call_inst(lo, &c);
    INTERNAL(lo->cx, lo->span, "an attribute lost its row");
}

/* Raises unless `ok`: the variable is not set. A captured one is another function's. */
static Ref check_bound(Lower *lo, Ref ok, const char *name, bool captured) {
    BlockId bad = lo_block(lo, "unset"), good = lo_block(lo, "set");
    lo_branch(lo, ok, good, bad);
    lo->fn->blocks.at[lo->b].term.cold = true;
    lo->b = bad;
    Const *text = NEW(lo->cx, Const);
    text->ty = TY_OF(TY_STR);
    text->str.s = cx_printf(
        lo->cx, "cannot access %s variable '%s' where it is not associated with a value%s",
        captured ? "free" : "local", name, captured ? " in enclosing scope" : "");
    text->str.n = strlen(text->str.s);
    Ref message = lo_const(lo, text);
    PyObject *cls = captured ? PyExc_NameError : PyExc_UnboundLocalError;
    lower_raise(lo, lower_new_exception(lo, cls, 1, &message));
    lo->b = good;
    return lo_none(lo);
}

static bool is_unset(const Lower *lo, Ref high) { return ir_at(lo->high, high)->op == OP_UNSET; }

static Ref lower_bind(Lower *lo, const Ins *ins) {
    if (!lo->in->module->debug || ir_at(lo->high, ins->args[0])->ty->kind == TY_UNDEF)
        return lo_none(lo);
    Ref v = lo_get(lo, ins->args[0]);
    Ref r = lo_op(lo, OP_BIND, TY_OF(TY_NONE), 1, &v);
    ir_at(lo->fn, r)->name = ins->name;
    return r;
}

static Ref lower_cell_get(Lower *lo, const Ins *ins) {
    Ref cell = lo_get(lo, ins->args[0]);
    bool captured = ir_at(lo->high, ins->args[0])->op == OP_ARG;
    check_bound(lo, lo_cell_is_set(lo, cell), ins->name, captured);
    return lo_cell_get(lo, cell);
}

static Ref lower_match_seq(Lower *lo, const Ins *ins) {
    Ref n = length_of(lo, lo_get(lo, ins->args[0]));
    return ins->imm2 ? lo_cmp(lo, OP_GE, n, lo_int(lo, ins->imm - 1))
                     : lo_cmp(lo, OP_EQ, n, lo_int(lo, ins->imm));
}

/* Pure operations whose value inference knows: made as constants. */
static bool is_foldable(Op op) {
    switch (op) {
    case OP_UNARY:
    case OP_BINARY:
    case OP_COMPARE:
    case OP_TRUTH:
    case OP_GETATTR:
    case OP_STRONG:
    case OP_SOME:
    case OP_TUPLE:
    case OP_SLICE:
    case OP_MATCH_SEQ:
    case OP_ITER_LEN:
    case OP_ITER_MORE:
    case OP_GETITEM: return true;
    default: return false;
    }
}

static Ref lower_ins(Lower *lo, Ref r) {
    const Ins *ins = ir_at(lo->high, r);
    lo->ins = r;
    if (ins->k && is_foldable((Op)ins->op)) return lo_const(lo, ins->k);
    switch ((Op)ins->op) {
    case OP_ARG: {
        if (ins->k) return 0; /* made as a constant where it is used: arguments stand first */
        Ref v = lo_op(lo, OP_ARG, ins->ty, 0, NULL);
        ir_at(lo->fn, v)->imm = ins->imm;
        return v;
    }
    case OP_CONST: return lo_const(lo, ins->k);
    case OP_UNSET: return 0;
    case OP_GLOBAL: return lower_global(lo, ins->imm, ins->ty);
    case OP_STRONG: return lo_convert(lo, lo_get(lo, ins->args[0]), ins->ty);
    case OP_SOME: {
        Ref v = lo_get(lo, ins->args[0]);
        return lo_type(lo, v)->kind == TY_OPTIONAL ? lo_field(lo, v, 1) : v;
    }
    case OP_UNARY: return lower_unary(lo, r);
    case OP_BINARY:
    case OP_INPLACE: {
        Arg a = arg_of(lo, ins->args[0]), b = arg_of(lo, ins->args[1]);
        return oprule_binary((BinOp)ins->sub, a.ty, b.ty)->lower(lo, r, a, b);
    }
    case OP_COMPARE: {
        Arg a = arg_of(lo, ins->args[0]), b = arg_of(lo, ins->args[1]);
        return oprule_compare((CmpOp)ins->sub, a.ty, b.ty)->lower(lo, r, a, b);
    }
    case OP_TRUTH: return lo_truth(lo, lo_get(lo, ins->args[0]));
    case OP_GETATTR: return lower_getattr(lo, r);
    case OP_GETITEM:
        return subscript_lower(lo, r, arg_of(lo, ins->args[0]), arg_of(lo, ins->args[1]));
    case OP_SETITEM:
        subscript_store(lo, r, arg_of(lo, ins->args[0]), arg_of(lo, ins->args[1]),
                        arg_of(lo, ins->args[2]));
        return lo_none(lo);
    case OP_SLICE: return lower_slice(lo, ins);
    case OP_TUPLE:
    case OP_CLOSURE: return lower_gather(lo, ins);
    case OP_UNPACK: return lower_unpack(lo, ins);
    case OP_CALL: return lower_call(lo, r);
    case OP_ITER: {
        Ref v = lo_get(lo, ins->args[0]);
        return lo_type(lo, v) == ins->ty ? v : lo_make(lo, ins->ty, 1, &v);
    }
    case OP_ITER_LEN: return length_of(lo, lo_get(lo, ins->args[0]));
    case OP_ITER_MORE:
        return lower_more(lo, lo_get(lo, ins->args[0]), lo_get(lo, ins->args[1]),
                          lo_get(lo, ins->args[2]));
    case OP_ITER_ITEM: return item_of(lo, lo_get(lo, ins->args[0]), lo_get(lo, ins->args[1]));
    case OP_FORMAT:
        return lower_format(lo, lo_get(lo, ins->args[0]), ins->sub,
                            ins->nargs > 1 ? lo_get(lo, ins->args[1]) : 0);
    case OP_CONCAT: {
        Ref *pieces = NEWN(lo->cx, Ref, ins->nargs + 1u);
        for (uint32_t i = 0; i < ins->nargs; i++) pieces[i] = lo_get(lo, ins->args[i]);
        return lower_concat(lo, ins->nargs, pieces);
    }
    case OP_BIND: return lower_bind(lo, ins);
    case OP_CHECK_SET: return check_bound(lo, lo_get(lo, ins->args[0]), ins->name, false);
    case OP_CELL_NEW: {
        Ref first = is_unset(lo, ins->args[0]) ? 0 : lo_get(lo, ins->args[0]);
        return lo_cell_new(lo, ins->ty->of, first);
    }
    case OP_CELL_GET: return lower_cell_get(lo, ins);
    case OP_CELL_SET:
        lo_cell_set(lo, lo_get(lo, ins->args[0]),
                    is_unset(lo, ins->args[1]) ? 0 : lo_get(lo, ins->args[1]));
        return lo_none(lo);
    case OP_EXC_MATCH:
        return lower_exc_match(lo, lo_get(lo, ins->args[0]), ir_at(lo->high, ins->args[1])->ty);
    case OP_EXC_AS: return lo_get(lo, ins->args[0]);
    case OP_EXC_CONTEXT: lower_exc_context(lo, ins); return lo_none(lo);
    case OP_EXC_ENTER: return lower_exc_enter(lo, lo_get(lo, ins->args[0]));
    case OP_EXC_LEAVE: lower_exc_leave(lo, lo_get(lo, ins->args[0])); return lo_none(lo);
    case OP_EXC_HANDLED: return lo_rt(lo, "ws_exc_handled", TY_OF(TY_EXC), 0, NULL);
    case OP_MATCH_SEQ: return lower_match_seq(lo, ins);
    default:
        INTERNAL(lo->cx, lo->span, cx_printf(lo->cx, "no lowering for %s", op_info[ins->op].text));
    }
}

/* --- blocks ------------------------------------------------------------------------------------------------------------- */

/* A parameter that lives on: it has a type and is not a constant. */
static bool has_param(const Lower *lo, Ref high) {
    const Ins *p = ir_at(lo->high, high);
    return p->ty->kind != TY_UNDEF && !p->k;
}

/* The LOW edge for a HIGH one; `skip`: parameters that are not listed in the edge (a handler's exception). */
static Edge lower_edge(Lower *lo, const Edge *e, uint32_t skip) {
    const Block *to = &lo->high->blocks.at[e->to];
    Ref *args = NEWN(lo->cx, Ref, to->params.n + 1);
    uint32_t n = 0;
    lo->entered[e->to] = true;
    for (uint32_t i = skip; i < to->params.n; i++) {
        Ref p = to->params.at[i];
        if (!has_param(lo, p)) continue;
        Type *want = ir_at(lo->high, p)->ty;
        Ref arg = e->args[i - skip];
        if (ir_at(lo->high, arg)->ty->kind == TY_UNDEF)
            args[n++] = lo_zero(lo, want);
        else
            args[n++] = lo_convert(lo, lo_get(lo, arg), want);
    }
    return ir_edge(lo->cx, lo->blocks[e->to], n, args);
}

static bool has_no_type(const Lower *lo, Ref high) {
    return high && ir_at(lo->high, high)->ty->kind == TY_UNDEF;
}

/* Inference has not gone on behind the block, or what it ends with has no type: something before it never returns,
 * which it found out late. */
static bool is_dead_end(const Lower *lo, BlockId hb) {
    const Term *t = &lo->high->blocks.at[hb].term;
    if (has_no_type(lo, t->arg) || has_no_type(lo, t->arg2)) return true;
    if (t->kind != TERM_JUMP && t->kind != TERM_BRANCH) return false;
    return !infer_edge_taken(lo->inst, hb, 0) &&
           (t->kind == TERM_JUMP || !infer_edge_taken(lo->inst, hb, 1));
}

/* Is this value what a call of prange gave? */
static bool is_prange(Lower *lo, Ref r) {
    Callee c;
    const Ins *i = ir_at(lo->high, r);
    return i->op == OP_CALL && infer_callee_count(lo->inst, r) == 1 &&
           infer_callee(lo->in, lo->inst, r, &c) && c.kind == CALLEE_ROW &&
           strcmp(c.row->name, "whipsnake.prange") == 0;
}

/* The header of `for i in prange(...)`, where the function asks for threads. */
static bool is_prange_header(Lower *lo, const Term *t) {
    if (!lo->fn->options.parallel || !t->arg) return false;
    const Ins *more = ir_at(lo->high, t->arg);
    if (more->op != OP_ITER_MORE) return false;
    const Ins *iter = ir_at(lo->high, more->args[0]);
    return iter->op == OP_ITER && is_prange(lo, iter->args[0]);
}

static void lower_term(Lower *lo, BlockId hb) {
    const Term *t = &lo->high->blocks.at[hb].term;
    lo->span = t->span;
    if (is_dead_end(lo, hb)) {
        lo->fn->blocks.at[lo->b].term.kind = TERM_UNREACHABLE;
        return;
    }
    switch ((TermKind)t->kind) {
    case TERM_JUMP: {
        Edge e = lower_edge(lo, &t->succ[0], 0);
        ir_jump(lo->cx, lo->fn, lo->b, e.to, e.n, e.args);
        break;
    }
    case TERM_BRANCH: {
        bool yes = infer_edge_taken(lo->inst, hb, 0), no = infer_edge_taken(lo->inst, hb, 1);
        if (yes != no) {
            Edge e = lower_edge(lo, &t->succ[yes ? 0 : 1], 0);
            ir_jump(lo->cx, lo->fn, lo->b, e.to, e.n, e.args);
        } else {
            Edge a = lower_edge(lo, &t->succ[0], 0), b = lower_edge(lo, &t->succ[1], 0);
            ir_branch(lo->cx, lo->fn, lo->b, lo_truth(lo, lo_get(lo, t->arg)), a, b, t->span);
            if (is_prange_header(lo, t))
                lo->fn->blocks.at[lo->blocks[hb]].parallel =
                    lo->cx->files[lo->fn->file].is_ours ? PARALLEL_MAY : PARALLEL_ASKED;
        }
        break;
    }
    case TERM_RETURN:
        ir_return(lo->fn, lo->b, lo_convert(lo, lo_get(lo, t->arg), lo->fn->ret), t->span);
        break;
    case TERM_RAISE: lower_raise_term(lo, t); break;
    case TERM_NONE:
    case TERM_UNREACHABLE: lo->fn->blocks.at[lo->b].term.kind = TERM_UNREACHABLE; break;
    }
}

/* --- waiting: an elementwise function whose result is used once, further down in its block, is computed there. No
 * store may stand between, and what raises there must not come before this would have. */

/* The one user of r, an instruction of the same block, or 0. */
static Ref only_user(const Lower *lo, Ref r) {
    const InstState *s = lo->inst->state;
    if (s->use_start[r + 1] - s->use_start[r] != 1) return 0;
    uint32_t user = s->users[s->use_start[r]];
    return user & USER_BLOCK || ir_at(lo->high, user)->block != ir_at(lo->high, r)->block ? 0
                                                                                          : user;
}

static bool can_wait(Lower *lo, const Refs *ins, uint32_t at, bool *raises) {
    Ref r = ins->at[at], user = only_user(lo, r);
    if (!user) return false;
    for (uint32_t i = at + 1; i < ins->n && ins->at[i] != user; i++)
        if (!elementwise_passes(lo->in, lo->inst, ins->at[i], raises)) return false;
    if (ir_at(lo->high, user)->op == OP_SETITEM) *raises = true; /* its subscripts */
    return true;
}

/* A bound method waits with its object. */
static bool is_waiting_method(const Lower *lo, Ref r) {
    const Ins *ins = ir_at(lo->high, r);
    return ins->op == OP_GETATTR && ins->ty->kind == TY_CLOSURE && lo->waits[ins->args[0]];
}

static bool waits(Lower *lo, const Refs *ins, uint32_t at) {
    Ref r = ins->at[at];
    bool raises = false, method = is_waiting_method(lo, r);
    if (!method && !elementwise_may_wait(lo->in, lo->inst, r)) return false;
    if (!can_wait(lo, ins, at, &raises)) return false;
    if (raises && !method) elementwise_check(lo, r);
    return lo->waits[r] = true;
}

/* It has no type, since an operand has none: that comes from something that never returns. */
static bool is_never_reached(const Lower *lo, Ref r) {
    const Ins *ins = ir_at(lo->high, r);
    if (ins->ty->kind != TY_UNDEF || ins->op == OP_UNSET) return false;
    return ins->op != OP_CALL || !infer_never_returns(lo->in, lo->inst, r);
}

static void lower_block(Lower *lo, BlockId hb) {
    const Block *block = &lo->high->blocks.at[hb];
    lo->b = lo->blocks[hb];
    lo->handler = (Edge){.to = NO_BLOCK};
    if (block->handler.to != NO_BLOCK && infer_reached(lo->inst, block->handler.to)) {
        /* Conversions for the handler's parameters stand in a block of their own, in front. */
        Edge handler = lower_edge(lo, &block->handler, 1);
        lo->handler = handler;
        BlockId body = lo_block(lo, block->label);
        lo_jump(lo, body, 0, NULL);
        lo->b = body;
    }
    for (uint32_t i = 0; i < block->ins.n; i++) {
        Ref r = block->ins.at[i];
        lo->span = ir_at(lo->high, r)->span;
        if (lo->map[r] || waits(lo, &block->ins, i)) continue;
        if (is_never_reached(lo, r)) {
            lo->fn->blocks.at[lo->b].term.kind = TERM_UNREACHABLE;
            return;
        }
        Ref v = lower_ins(lo, r);
        lo->map[r] = v;
        if (infer_never_returns(lo->in, lo->inst, r)) {
            lo->fn->blocks.at[lo->b].term.kind = TERM_UNREACHABLE;
            return;
        }
    }
    lower_term(lo, hb);
}

/* --- functions ------------------------------------------------------------------------------------------------------------ */

static void make_blocks(Lower *lo) {
    const Fn *high = lo->high;
    for (BlockId b = 0; b < high->blocks.n; b++) {
        if (!infer_reached(lo->inst, b)) continue;
        const Block *block = &high->blocks.at[b];
        BlockId id = lo->blocks[b] = b == 0 ? 0 : ir_new_block(lo->cx, lo->fn, block->label);
        for (uint32_t i = 0; i < block->params.n; i++) {
            const Ins *p = ir_at(high, block->params.at[i]);
            if (!has_param(lo, block->params.at[i])) continue;
            Ref r = ir_add_param(lo->cx, lo->fn, id, p->ty);
            ir_at(lo->fn, r)->name = p->name;
            ir_at(lo->fn, r)->span = p->span;
            lo->map[block->params.at[i]] = r;
        }
    }
}

/* A block that inference has reached may have nothing but dead ends before it (see there): what it uses is not there,
 * and nothing leads to it. Each block comes after one of those that lead to it, and only what comes after it leads
 * back. */
static void lower_blocks(Lower *lo) {
    const Cfg *cfg = ir_cfg(lo->cx, lo->high);
    lo->entered = NEWN(lo->cx, bool, lo->high->blocks.n);
    lo->entered[0] = true;
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        BlockId b = cfg->rpo[i];
        if (!infer_reached(lo->inst, b)) continue;
        if (lo->entered[b])
            lower_block(lo, b);
        else
            lo->fn->blocks.at[lo->blocks[b]].term.kind = TERM_UNREACHABLE;
    }
}

Fn *lower_instance(Infer *in, Inst *inst) {
    if (inst->low) return inst->low;
    Cx *cx = in->cx;
    Fn *fn = inst->low = ir_new_fn(cx, inst->def->name, STAGE_LOW);
    Module *m = in->module;
    vec_push(cx, &m->fns, fn);
    fn->module = m;
    fn->qualname = inst->def->qualname;
    fn->symbol = cx_printf(cx, "%s.%u", inst->def->name, m->fns.n - 1);
    fn->file = inst->high->file;
    fn->span = inst->high->span;
    fn->options = inst->options;
    fn->is_entry = m->fns.n == 1;
    fn->is_kernel = fn->is_entry && in->req->options.kernel;
    if (fn->is_kernel) memcpy(fn->block_dim, in->req->options.block_dim, sizeof fn->block_dim);
    fn->ret = inst->ret->kind == TY_UNDEF ? TY_OF(TY_NONE) : inst->ret;
    if (fn->is_entry && in->req->ret) fn->ret = in->req->ret;
    fn->nargs = inst->nargs;
    fn->args = NEWN(cx, FnArg, inst->nargs + 1);
    for (uint32_t i = 0; i < inst->nargs; i++) {
        fn->args[i].ty = inst->args[i];
        fn->args[i].name = i < inst->def->nparams ? inst->def->params[i]
                                                  : inst->def->captures[i - inst->def->nparams];
    }
    Lower lo = {.cx = cx, .in = in, .inst = inst, .high = inst->high, .fn = fn};
    if (!fn->blocks.n) ir_new_block(cx, fn, "entry");
    lo.map = NEWN(cx, Ref, inst->high->ins.n);
    lo.waits = NEWN(cx, bool, inst->high->ins.n);
    lo.blocks = NEWN(cx, BlockId, inst->high->blocks.n);
    make_blocks(&lo);
    lower_blocks(&lo);
    return fn;
}

void lower_module(Infer *in, Inst *entry) { lower_instance(in, entry); }
