/* Elementwise functions on arrays: types, trees, and what waits. See elementwise.h. */
#include "builtins/elementwise.h"

#include <string.h>

/* --- operators are functions ------------------------------------------------------------------------------------- */

static const char *const unary_names[] = {
    [UN_NEG] = "numpy.negative", [UN_POS] = "numpy.positive", [UN_INVERT] = "numpy.invert"};

const char *binary_name(BinOp op) {
    static const char *const names[BIN_OPS] = {
        [BIN_ADD] = "numpy.add",
        [BIN_SUB] = "numpy.subtract",
        [BIN_MUL] = "numpy.multiply",
        [BIN_TRUEDIV] = "numpy.divide",
        [BIN_FLOORDIV] = "numpy.floor_divide",
        [BIN_MOD] = "numpy.remainder",
        [BIN_POW] = "numpy.power",
        [BIN_LSHIFT] = "numpy.left_shift",
        [BIN_RSHIFT] = "numpy.right_shift",
        [BIN_AND] = "numpy.bitwise_and",
        [BIN_OR] = "numpy.bitwise_or",
        [BIN_XOR] = "numpy.bitwise_xor",
    };
    return names[op];
}

const char *compare_name(CmpOp op) {
    static const char *const names[] = {"numpy.equal",   "numpy.not_equal",
                                        "numpy.less",    "numpy.less_equal",
                                        "numpy.greater", "numpy.greater_equal"};
    return op <= CMP_GE ? names[op] : NULL;
}

static const Row *row_named(const char *name) {
    const Row *const tables[] = {rows_numpy_ops, rows_numpy_math};
    for (int t = 0; t < 2; t++)
        for (const Row *r = tables[t]; r->name; r++)
            if (strcmp(r->name, name) == 0) return r;
    return NULL;
}

Call operator_call(Infer *in, Inst *inst, Ref r, const char *name, Arg a, Arg b) {
    Arg *args = NEWN(in->cx, Arg, 8);
    args[0] = a;
    args[1] = b;
    return (Call){.in = in,
                  .inst = inst,
                  .ins = r,
                  .span = ir_at(inst->high, r)->span,
                  .row = name ? row_named(name) : NULL,
                  .args = args,
                  .nargs = b.ty ? 2 : 1};
}

static Arg value_arg(const Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    return (Arg){.ref = r, .item = -1, .ty = ins->ty, .k = ins->k, .weak = ins->weak};
}

/* --- types ----------------------------------------------------------------------------------------------------------- */

/* NumPy keeps the order of its operands: F where all that have an order, of two or more axes, have that one. */
Type *elementwise_array(Type *elem, uint32_t n, Type *const *inputs) {
    uint32_t rank = 0;
    bool fortran = false, other = false;
    for (uint32_t i = 0; i < n; i++) {
        const Type *ty = inputs[i];
        if (!ty || ty->kind != TY_ARRAY) continue;
        if (ty->ndim > rank) rank = ty->ndim;
    }
    for (uint32_t i = 0; i < n; i++) {
        const Type *ty = inputs[i];
        if (!ty || ty->kind != TY_ARRAY || ty->ndim < 2) continue;
        bool f = ty->layout == 'F' && ty->ndim == rank;
        fortran = fortran || f;
        other = other || !f;
    }
    return ty_array(elem, rank, fortran && !other ? 'F' : 'C', false, true);
}

/* The inputs as the elements that the loop takes: what the row's own rules are asked with. */
static Call element_call(const Call *c, const ElementLoop *loop) {
    Call e = *c;
    e.args = NEWN(c->in->cx, Arg, c->nargs + 1);
    e.self = (Arg){0};
    for (uint32_t i = 0; i < c->nargs; i++) {
        const Arg *a = &c->args[i];
        e.args[i] = *a;
        if (i >= loop->nin || !loop->in[i]) continue;
        const Const *k =
            a->k && ty_is_number(a->k->ty) && a->k->ty->kind <= loop->in[i]->kind ? a->k : NULL;
        e.args[i] = (Arg){.item = -1, .ty = loop->in[i], .k = (Const *)k};
    }
    return e;
}

static Type *tree_type(Type *elem, const Call *c, const ElementLoop *loop) {
    Type *inputs[MAX_INPUTS] = {0};
    for (uint32_t i = 0; i < loop->nin; i++)
        if (loop->in[i]) inputs[i] = plain(c, i);
    return elementwise_array(elem, loop->nin, inputs);
}

static Type *result_of(Type *elem, const Call *c, const ElementLoop *loop) {
    Type *ty = tree_type(elem, c, loop);
    bool converts = !strchr(c->row->loops, ':'); /* these keep arrays without axes */
    return ty->ndim || converts ? ty : elem;
}

static Type *no_loop(Call *c) {
    const char *name = c->row->name;
    bool bools = true;
    for (uint32_t i = 0; i < element_inputs(c->row); i++) {
        Type *ty = given(c, i) ? plain(c, i) : TY_OF(TY_BOOL);
        bools = bools && (ty->kind == TY_ARRAY ? ty->elem : ty)->kind == TY_BOOL;
    }
    if (bools && !strcmp(name, "numpy.subtract")) infer_hint(c->in, "of bools, write a ^ b");
    if (bools && !strcmp(name, "numpy.negative")) infer_hint(c->in, "of bools, write ~a");
    return rule_no_overload(c);
}

/* The loop and the type of an element of the result; NULL: refused. */
static Type *element_type(Call *c, ElementLoop *loop) {
    if (!element_loop(c, loop)) return no_loop(c);
    for (uint32_t i = loop->nin; i < c->nargs; i++)
        if (given(c, i) && plain(c, i)->kind == TY_ARRAY) return rule_no_overload(c);
    Call e = element_call(c, loop);
    Type *own = e.row->type(&e);
    return !own ? NULL : loop->out ? loop->out : own;
}

static Type *elementwise_type(Call *c) {
    ElementLoop loop;
    Type *elem = element_type(c, &loop);
    if (!elem || elem->kind != TY_TUPLE) return elem ? result_of(elem, c, &loop) : NULL;
    Type *items[] = {result_of(elem->items[0], c, &loop), result_of(elem->items[1], c, &loop)};
    return ty_tuple(items, 2);
}

Type *elementwise_tree_type(Call *c) {
    ElementLoop loop;
    Type *elem = element_type(c, &loop);
    return elem ? tree_type(elem, c, &loop) : NULL;
}

/* A method's object is the first argument of the function; "=numpy.f" stands for another row. */
static Call as_function(const Call *c) {
    Call f = *c;
    if (c->row->flags & ROW_METHOD) {
        f.args = NEWN(c->in->cx, Arg, c->nargs + 2);
        f.args[0] = c->self;
        if (c->nargs) memcpy(f.args + 1, c->args, c->nargs * sizeof(Arg));
        f.nargs++;
        f.self = (Arg){0};
    }
    if (*c->row->loops == '=' && plain(&f, 0)->kind == TY_ARRAY)
        f.row = row_named(c->row->loops + 1);
    return f;
}

/* --- out=, where=, dtype= --------------------------------------------------------------------------------------------- */

static const Arg *keyword(const Call *c, int which) {
    const Arg *a = &c->keywords[which];
    bool always = which == UFUNC_WHERE && a->k && a->k->ty->kind == TY_BOOL && a->k->i;
    return a->ty && a->ty->kind != TY_NONE && !always ? a : NULL;
}

static bool is_mask(const Type *ty) {
    return (ty->kind == TY_ARRAY ? ty->elem : ty)->kind == TY_BOOL;
}

static Type *out_type(Call *c, const Arg *out, const Arg *where) {
    ElementLoop loop;
    Type *elem = element_type(c, &loop), *ty = out->ty;
    if (!elem) return NULL;
    if (elem->kind == TY_TUPLE)
        return infer_fail(c->in, c->span, D_NOT_YET, "out= of a function with two results");
    Type *tree = tree_type(elem, c, &loop);
    if (ty->kind != TY_ARRAY || (where && !is_mask(where->ty))) return rule_no_overload(c);
    if (ty->readonly) return infer_fail_about(c->in, c->inst, &out->ref, 1, c->span, D_READONLY);
    if (element_kind_order(tree->elem) > element_kind_order(ty->elem))
        return infer_fail_about(c->in, c->inst, &out->ref, 1, c->span, D_BAD_STORE,
                                infer_value_text(c->in->cx, tree->elem),
                                infer_value_text(c->in->cx, ty));
    return ty;
}

static Type *keywords_type(Call *c) {
    const Arg *out = keyword(c, UFUNC_OUT), *where = keyword(c, UFUNC_WHERE);
    if (out) return out_type(c, out, where);
    if (where)
        return infer_fail(c->in, c->span, D_TYPING,
                          "where= needs out=, which says what the other elements are");
    return elementwise_type(c);
}

/* The tree where the mask is true, elsewhere what `to` has. */
static Node *masked(Lower *lo, const Call *c, Node *mask, Node *tree, Ref to) {
    Type *elem = lo_type(lo, to)->elem;
    Node *n = NEW(lo->cx, Node), *old = node_of_array(lo, to), *args[] = {mask, tree, old};
    *n = (Node){.row = row_named("numpy.where"), .elem = elem, .span = c->span};
    n->call = operator_call(lo->in, lo->inst, c->ins, n->row->name, (Arg){0}, (Arg){0});
    n->call.nargs = 3;
    n->loop = (ElementLoop){.nin = 3, .in = {TY_OF(TY_BOOL), elem, elem}, .out = elem};
    for (uint32_t i = 0; i < 3; i++) {
        n->args[i] = args[i];
        if (args[i]->rank > n->rank) n->rank = args[i]->rank;
    }
    return n;
}

static Ref keywords_lower(Lower *lo, Call *c) {
    const Arg *out = keyword(c, UFUNC_OUT), *where = keyword(c, UFUNC_WHERE);
    Node *n = node_of_call(lo, c);
    if (!out) return nest_array(lo, n, c->result);
    Ref to = lo_arg(lo, *out);
    if (where) n = masked(lo, c, node_of_arg(lo, *where), n, to);
    nest_assign(lo, to, n, ty_array(n->elem, n->rank, 'C', false, true), true);
    return to;
}

Type *row_type(Call *c) {
    if (!c->row->loops) return c->row->type(c);
    Call f = as_function(c);
    if (f.keywords) return keywords_type(&f);
    return element_has_array(&f) ? elementwise_type(&f) : f.row->type(&f);
}

Type *elementwise_unary_type(Infer *in, Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    Call c =
        operator_call(in, inst, r, unary_names[ins->sub], value_arg(inst, ins->args[0]), (Arg){0});
    return elementwise_type(&c);
}

/* --- trees ------------------------------------------------------------------------------------------------------------ */

bool elementwise_call(Lower *lo, Ref r, Call *out) {
    const Ins *ins = ir_at(lo->high, r);
    Inst *inst = lo->inst;
    const char *name = NULL;
    Callee callee;
    switch ((Op)ins->op) {
    case OP_BINARY: name = binary_name((BinOp)ins->sub); break;
    case OP_COMPARE: name = compare_name((CmpOp)ins->sub); break;
    case OP_UNARY: name = unary_names[ins->sub]; break;
    case OP_CALL:
        if (infer_callee_count(inst, r) > 1 || !infer_callee(lo->in, inst, r, &callee) ||
            callee.kind != CALLEE_ROW || !callee.row->loops || callee.call.keywords)
            return false;
        *out = as_function(&callee.call);
        return true;
    default: return false;
    }
    if (!name) return false;
    Arg b = ins->nargs > 1 ? value_arg(inst, ins->args[1]) : (Arg){0};
    *out = operator_call(lo->in, inst, r, name, value_arg(inst, ins->args[0]), b);
    return true;
}

Node *node_of_array(Lower *lo, Ref array) {
    Type *ty = lo_type(lo, array);
    Node *n = NEW(lo->cx, Node);
    *n = (Node){.leaf = array, .is_array = true, .elem = ty->elem, .rank = ty->ndim};
    return n;
}

/* What a bound method is bound to. */
static Ref behind_method(Lower *lo, Arg a) {
    const Ins *ins = ir_at(lo->high, a.ref);
    bool bound = a.item == 0 && ins->op == OP_GETATTR && ins->ty->kind == TY_CLOSURE;
    return bound ? ins->args[0] : a.item < 0 ? a.ref : 0;
}

bool elementwise_waits(Lower *lo, Arg a) {
    Ref r = a.ref && !a.low ? behind_method(lo, a) : 0;
    Call c;
    return r && lo->waits[r] && !lo->map[r] && elementwise_call(lo, r, &c);
}

Node *node_of_arg(Lower *lo, Arg a) {
    Ref r = a.ref && !a.low ? behind_method(lo, a) : 0;
    Call c;
    if (r && lo->waits[r] && !lo->map[r] && elementwise_call(lo, r, &c))
        return node_of_call(lo, &c);
    Ref v = lo_arg(lo, a);
    if (lo_type(lo, v)->kind == TY_OPTIONAL) v = lo_convert(lo, v, lo_type(lo, v)->of);
    if (lo_type(lo, v)->kind == TY_ARRAY && lo_type(lo, v)->ndim > 0) return node_of_array(lo, v);
    if (lo_type(lo, v)->kind == TY_ARRAY) v = lo_array_get(lo, v, NULL);
    Node *n = NEW(lo->cx, Node);
    *n = (Node){.leaf = v, .elem = lo_type(lo, v)};
    return n;
}

/* A Python integer that the array's type cannot hold raises, as in NumPy. */
static void check_fits(Lower *lo, Ref v, Type *to) {
    static const CheckKind kinds[2][4] = {
        {CHECK_NOT_UINT8, CHECK_NOT_UINT16, CHECK_NOT_UINT32, CHECK_NOT_UINT64},
        {CHECK_NOT_INT8, CHECK_NOT_INT16, CHECK_NOT_INT32, CHECK_NOT_INT32}};
    if (lo_type(lo, v) != TY_I(64) || to->kind != TY_INT || to == TY_I(64)) return;
    int width = to->bits == 8 ? 0 : to->bits == 16 ? 1 : to->bits == 32 ? 2 : 3;
    int64_t high = to->bits == 64 ? INT64_MAX : (1LL << (to->bits - to->is_signed)) - 1;
    Ref ok = lo_and(lo, lo_cmp(lo, OP_GE, v, lo_int(lo, to->is_signed ? -high - 1 : 0)),
                    lo_cmp(lo, OP_LE, v, lo_int(lo, high)));
    lo_check2(lo, ok, kinds[to->is_signed][width], v, 0);
}

Ref element_as(Lower *lo, Ref v, Type *to) {
    if (to->kind == TY_BOOL) return lo_truth(lo, v);
    if (to->kind != TY_TUPLE) return lo_convert(lo, v, to);
    Ref parts[2];
    for (uint32_t i = 0; i < 2; i++) parts[i] = element_as(lo, lo_field(lo, v, i), to->items[i]);
    return lo_make(lo, to, 2, parts);
}

Node *node_of_call(Lower *lo, const Call *c) {
    Node *n = NEW(lo->cx, Node);
    *n = (Node){.row = c->row, .call = *c, .span = c->span};
    Call typed = *c;
    n->elem = element_type(&typed, &n->loop);
    for (uint32_t i = 0; i < n->loop.nin; i++) {
        if (!n->loop.in[i]) continue;
        Node *arg = n->args[i] = node_of_arg(lo, c->args[i]);
        if (arg->rank > n->rank) n->rank = arg->rank;
        if (arg->row || arg->is_array) continue;
        if (lo_type(lo, arg->leaf)->kind == TY_ENUM)
            arg->leaf = lo_convert(lo, arg->leaf, TY_I(64));
        if (plain(c, i)->kind != TY_ARRAY) check_fits(lo, arg->leaf, n->loop.in[i]);
        arg->leaf = element_as(lo, arg->leaf, n->loop.in[i]);
        arg->elem = n->loop.in[i];
    }
    return n;
}

static Ref leaf_element(Lower *lo, const Node *n, const Ref *index, uint32_t rank) {
    if (!n->is_array) return n->leaf;
    if (n->line) return lo_array_get(lo, n->line, index);
    Ref at[MAX_RANK];
    for (uint32_t i = 0; i < n->rank; i++) {
        at[i] = index[rank - n->rank + i];
        if (is_one(lo, lo_array_dim(lo, n->leaf, i)))
            at[i] = lo_int(lo, 0);
        else if (n->flag)
            at[i] = lo_op2(lo, OP_MUL, at[i], n->flag[i]);
    }
    return lo_array_get(lo, n->leaf, at);
}

static Ref element_at(Lower *lo, Node *n, const Ref *index, uint32_t rank) {
    if (!n->row) return leaf_element(lo, n, index, rank);
    Call e = element_call(&n->call, &n->loop);
    for (uint32_t i = 0; i < n->loop.nin; i++)
        if (n->args[i])
            e.args[i].low = element_as(lo, element_at(lo, n->args[i], index, rank), n->loop.in[i]);
    e.result = e.row->type(&e);
    lo->span = n->span;
    return element_as(lo, e.row->lower(lo, &e), n->elem);
}

Ref node_element(Lower *lo, Node *n, const Ref *index) {
    Span span = lo->span;
    Ref v = element_at(lo, n, index, n->rank);
    lo->span = span;
    return v;
}

/* --- lowering ----------------------------------------------------------------------------------------------------------- */

Ref row_lower(Lower *lo, Call *c) {
    if (!c->row->loops) return c->row->lower(lo, c);
    Call f = as_function(c);
    if (f.keywords) return keywords_lower(lo, &f);
    if (!element_has_array(&f)) return f.row->lower(lo, &f);
    return nest_array(lo, node_of_call(lo, &f), c->result);
}

Ref elementwise_unary(Lower *lo, Ref r) {
    Call c;
    elementwise_call(lo, r, &c);
    return nest_array(lo, node_of_call(lo, &c), ir_at(lo->high, r)->ty);
}

Ref elementwise_inplace(Lower *lo, Call *c) {
    Ref to = lo_arg(lo, c->args[0]);
    nest_assign(lo, to, node_of_call(lo, c), elementwise_tree_type(c), true);
    return to;
}

void elementwise_store(Lower *lo, Ref to, Arg value) {
    Node *n = node_of_arg(lo, value);
    Type *elem = lo_type(lo, to)->elem, *ty = value.ty;
    if (!n->row && !n->is_array) {
        n->leaf = element_as(lo, n->leaf, elem);
        n->elem = elem;
    }
    if (ty->kind == TY_ARRAY)
        ty = ty_array(n->elem, n->rank, ty->layout == 'F' ? 'F' : 'C', false, true);
    nest_assign(lo, to, n, ty, false);
}

/* --- waiting ------------------------------------------------------------------------------------------------------------ */

static const Row *row_called(Infer *in, Inst *inst, Ref r, Callee *c) {
    if (infer_callee_count(inst, r) > 1 || !infer_callee(in, inst, r, c)) return NULL;
    return c->kind == CALLEE_ROW ? c->row : c->public_row;
}

bool elementwise_may_wait(Infer *in, Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    if (ins->ty->kind != TY_ARRAY) return false;
    Callee c;
    switch ((Op)ins->op) {
    case OP_BINARY: return ins->sub != BIN_MATMUL;
    case OP_COMPARE:
    case OP_UNARY: return true;
    case OP_CALL: {
        const Row *row = row_called(in, inst, r, &c);
        return row && row->loops && !(row->flags & ROW_CALLS) && !c.call.keywords;
    }
    default: return false;
    }
}

bool elementwise_passes(Infer *in, Inst *inst, Ref r, bool *raises) {
    const Ins *ins = ir_at(inst->high, r);
    if (op_info[ins->op].effects & RAISES && !elementwise_may_wait(in, inst, r)) *raises = true;
    Callee c;
    switch ((Op)ins->op) {
    case OP_CALL: {
        const Row *row = row_called(in, inst, r, &c);
        if (!row || row->flags & ROW_CALLS || c.call.keywords) return false;
        if (row->loops || row->flags & ROW_REDUCES) return true;
        bool numbers = ty_is_number(ins->ty);
        for (uint32_t i = 0; i < c.call.nargs; i++)
            numbers = numbers && (!c.call.args[i].ty || ty_is_number(c.call.args[i].ty));
        return numbers && c.kind == CALLEE_ROW && !c.call.self.ty;
    }
    default: return !(op_info[ins->op].effects & WRITES);
    }
}

void elementwise_check(Lower *lo, Ref r) {
    Call c;
    Ref shape[MAX_RANK];
    Span span = lo->span;
    if (!elementwise_call(lo, r, &c)) return;
    Node *n = node_of_call(lo, &c);
    shape_broadcast(lo, n, shape);
    lo->span = span;
}
