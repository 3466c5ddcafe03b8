/* Binary operators and comparisons: a rule for each pair of kinds of operands.
 *
 * The first row whose two tests hold is taken; the last row holds for all and reports the error. */
#include <string.h>

#include "builtins/elementwise.h"

/* --- numbers -------------------------------------------------------------------------------------------------- */

static bool is_number(const Type *ty) {
    const Type *t = infer_plain((Type *)ty);
    return ty_is_number(t) || (t->kind == TY_ENUM && t->is_signed);
}

/* As the rules for numbers see it: the value of an int enum, the number inside an optional. */
static Type *number_type(Type *ty) {
    ty = infer_plain(ty);
    return ty->kind == TY_ENUM ? TY_I(64) : ty;
}

static Operand operand_of(Arg a) {
    Operand o = {.ty = number_type(a.ty), .weak = a.weak};
    if (a.k && a.weak && ty_is_number(a.k->ty) && a.k->ty->kind != TY_COMPLEX) {
        double v = a.k->ty->kind == TY_FLOAT ? a.k->f[0] : (double)a.k->i;
        o.negative = v < 0;
        o.nonneg = !o.negative;
    }
    return o;
}

/* What people mean who write an operator that there is not. */
static const char *operator_hint(const Inst *inst, const Ins *ins, const Type *a, const Type *b) {
    bool compares = ins->op == OP_COMPARE;
    const Ins *none = ir_at(inst->high, ins->args[a->kind == TY_NONE ? 0 : 1]);
    if (none->ty->kind == TY_NONE && none->op == OP_CALL)
        return "let the called function return a value";
    if (a->kind == TY_NONE || b->kind == TY_NONE)
        return "check for None before: `if x is None: ...` is decided when compiling";
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) return "check for None before";
    if (compares && (a->kind == TY_COMPLEX || b->kind == TY_COMPLEX))
        return "complex numbers have no order: compare abs(z) or z.real";
    if (compares) return NULL;
    if (ins->sub == BIN_SUB && a->kind == TY_ARRAY && a->elem->kind == TY_BOOL)
        return "of bools, write a ^ b";
    if (a->kind == TY_STR && ins->sub == BIN_MOD) return "write an f-string: f\"{n} items\"";
    if (ins->sub == BIN_ADD && (a->kind == TY_STR || b->kind == TY_STR))
        return "make a text of the number with str(x) or an f-string";
    if (a->kind == TY_COMPLEX || b->kind == TY_COMPLEX)
        return "complex numbers have + - * / and **: take z.real or abs(z)";
    if (ins->sub >= BIN_LSHIFT && (a->kind == TY_FLOAT || b->kind == TY_FLOAT))
        return "bit operations are for integers: convert with int(x)";
    return NULL;
}

static Type *no_operator(Infer *in, Inst *inst, Ref r, Arg a, Arg b) {
    const Ins *ins = ir_at(inst->high, r);
    const char *ta = infer_type_text(in->cx, a.ty), *tb = infer_type_text(in->cx, b.ty);
    const char *hint = operator_hint(inst, ins, a.ty, b.ty);
    if (hint) infer_hint(in, hint);
    if (ins->op == OP_COMPARE && ins->sub >= CMP_IN)
        return infer_fail_about(in, inst, ins->args, 2, ins->span, D_NO_MEMBER,
                                infer_value_text(in->cx, a.ty), infer_value_text(in->cx, b.ty));
    if (ins->op == OP_COMPARE)
        return infer_fail_about(in, inst, ins->args, 2, ins->span, D_NO_COMPARE, ta,
                                cmp_symbol[ins->sub], tb);
    return infer_fail_about(in, inst, ins->args, 2, ins->span, D_NO_OPERATOR, ta,
                            bin_symbol[ins->sub], tb);
}

static Type *number_type_rule(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    BinOp op = (BinOp)ir_at(inst->high, r)->sub;
    Promotion p;
    if (!ty_promote(op, operand_of(a), operand_of(b), &p)) return no_operator(in, inst, r, a, b);
    if (a.k && b.k) *k = fold_binary(in->cx, op, a.k, b.k, p.operand, p.result);
    return p.result;
}

/* The operand as a plain number. */
static Ref number_value(Lower *lo, Arg a) {
    Type *ty = number_type(a.ty);
    return a.ty == ty ? lo_arg(lo, a) : lo_convert(lo, lo_arg(lo, a), ty);
}

static Ref number_lower(Lower *lo, Ref r, Arg a, Arg b) {
    const Ins *ins = ir_at(lo->high, r);
    Promotion p;
    ty_promote((BinOp)ins->sub, operand_of(a), operand_of(b), &p);
    Const *kb = b.k && ty_is_number(b.k->ty) ? b.k : NULL;
    Ref v = lo_binary_number(lo, (BinOp)ins->sub, number_value(lo, a), number_value(lo, b),
                             p.operand, p.result, kb);
    return lo_convert(lo, v, ins->ty);
}

static Type *compare_type_rule(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    CmpOp op = (CmpOp)ir_at(inst->high, r)->sub;
    Type *common;
    bool mixed;
    bool ordered = op >= CMP_LT && op <= CMP_GE;
    if (ordered && (number_type(a.ty)->kind == TY_COMPLEX || number_type(b.ty)->kind == TY_COMPLEX))
        return no_operator(in, inst, r, a, b);
    if (!ty_promote_compare(operand_of(a), operand_of(b), &common, &mixed))
        return no_operator(in, inst, r, a, b);
    if (a.k && b.k) *k = fold_compare(in->cx, op, a.k, b.k);
    return TY_OF(TY_BOOL);
}

static Ref compare_lower(Lower *lo, Ref r, Arg a, Arg b) {
    CmpOp op = (CmpOp)ir_at(lo->high, r)->sub;
    /* == and != take None as a value; the ordering comparisons raise on it */
    if (op <= CMP_NE && (a.ty->kind == TY_OPTIONAL || b.ty->kind == TY_OPTIONAL)) {
        Ref eq = lo_equal(lo, lo_arg(lo, a), lo_arg(lo, b));
        return op == CMP_EQ ? eq : lo_not(lo, eq);
    }
    Ref x = number_value(lo, a), y = number_value(lo, b);
    /* a weak constant takes the other side's float type: x32[i] < 0.1 compares in float32, as NumPy 2 */
    if (a.weak && lo_type(lo, y)->kind == TY_FLOAT && lo_type(lo, x)->kind != TY_COMPLEX)
        x = lo_convert(lo, x, lo_type(lo, y));
    if (b.weak && lo_type(lo, x)->kind == TY_FLOAT && lo_type(lo, y)->kind != TY_COMPLEX)
        y = lo_convert(lo, y, lo_type(lo, x));
    return lo_compare_number(lo, op, x, y);
}

/* --- tuples ------------------------------------------------------------------------------------------------------ */

static Type *concat_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    (void)k;
    if (ir_at(inst->high, r)->sub != BIN_ADD) return no_operator(in, inst, r, a, b);
    uint32_t n = a.ty->nitems, m = b.ty->nitems;
    Type **items = NEWN(in->cx, Type *, n + m + 1);
    if (n) memcpy(items, a.ty->items, n * sizeof *items);
    if (m) memcpy(items + n, b.ty->items, m * sizeof *items);
    return ty_tuple(items, n + m);
}

static Ref concat_lower(Lower *lo, Ref r, Arg a, Arg b) {
    uint32_t n = a.ty->nitems, m = b.ty->nitems;
    Ref *items = NEWN(lo->cx, Ref, n + m + 1), x = lo_arg(lo, a), y = lo_arg(lo, b);
    for (uint32_t i = 0; i < n; i++) items[i] = lo_field(lo, x, i);
    for (uint32_t i = 0; i < m; i++) items[n + i] = lo_field(lo, y, i);
    return lo_make(lo, ir_at(lo->high, r)->ty, n + m, items);
}

static Type *repeat_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    (void)k;
    const Ins *ins = ir_at(inst->high, r);
    Arg t = a.ty->kind == TY_TUPLE ? a : b, n = a.ty->kind == TY_TUPLE ? b : a;
    if (ins->sub != BIN_MUL) return no_operator(in, inst, r, a, b);
    if (!n.k)
        return infer_fail_about(in, inst, ins->args, 2, ins->span, D_NOT_CONSTANT,
                                "the length of a repeated tuple");
    int64_t times = n.k->i < 0 ? 0 : n.k->i, total = times * t.ty->nitems;
    if (times > 1000 || total > 1000)
        return infer_fail(in, ins->span, D_CODE_SIZE, "a tuple of more than 1000 items");
    Type **items = NEWN(in->cx, Type *, total + 1);
    for (int64_t i = 0; i < total; i++) items[i] = t.ty->items[i % t.ty->nitems];
    return ty_tuple(items, (uint32_t)total);
}

static Ref repeat_lower(Lower *lo, Ref r, Arg a, Arg b) {
    Type *ty = ir_at(lo->high, r)->ty;
    Ref t = lo_arg(lo, a.ty->kind == TY_TUPLE ? a : b);
    Ref *items = NEWN(lo->cx, Ref, ty->nitems + 1);
    for (uint32_t i = 0; i < ty->nitems; i++)
        items[i] = lo_field(lo, t, i % lo_type(lo, t)->nitems);
    return lo_make(lo, ty, ty->nitems, items);
}

static bool can_order(const Type *a, const Type *b) {
    if (is_number(a) && is_number(b))
        return infer_plain((Type *)a)->kind != TY_COMPLEX &&
               infer_plain((Type *)b)->kind != TY_COMPLEX;
    if (a->kind == TY_STR && b->kind == TY_STR) return true;
    if (a->kind != TY_TUPLE || b->kind != TY_TUPLE) return false;
    for (uint32_t i = 0; i < a->nitems && i < b->nitems; i++)
        if (!can_order(a->items[i], b->items[i])) return false;
    return true;
}

static Type *order_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    CmpOp op = (CmpOp)ir_at(inst->high, r)->sub;
    bool good = op <= CMP_NE ? lo_can_equal(a.ty, b.ty) : can_order(a.ty, b.ty);
    if (!good) return no_operator(in, inst, r, a, b);
    if (a.k && b.k) *k = fold_compare(in->cx, op, a.k, b.k);
    return TY_OF(TY_BOOL);
}

static Ref order_values(Lower *lo, CmpOp op, Ref x, Ref y);

/* Lexicographic: the first differing item decides, then the length. */
static Ref order_tuples(Lower *lo, CmpOp op, Ref x, Ref y) {
    uint32_t n = lo_type(lo, x)->nitems, m = lo_type(lo, y)->nitems;
    bool less = op == CMP_LT || op == CMP_LE, strict = op == CMP_LT || op == CMP_GT;
    bool longer = n == m ? !strict : less == (n < m);
    Ref r = lo_bool(lo, longer);
    for (uint32_t i = n < m ? n : m; i-- > 0;) {
        Ref a = lo_field(lo, x, i), b = lo_field(lo, y, i);
        r = lo_select(lo, lo_equal(lo, a, b), r, order_values(lo, less ? CMP_LT : CMP_GT, a, b));
    }
    return r;
}

static Ref order_values(Lower *lo, CmpOp op, Ref x, Ref y) {
    static const Op ops[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    if (op <= CMP_NE) {
        Ref eq = lo_equal(lo, x, y);
        return op == CMP_EQ ? eq : lo_not(lo, eq);
    }
    if (lo_type(lo, x)->kind == TY_TUPLE) return order_tuples(lo, op, x, y);
    if (lo_type(lo, x)->kind == TY_STR) {
        Ref c = lo_rt(lo, "ws_str_compare", TY_I(64), 2, (Ref[]){x, y});
        return lo_cmp(lo, ops[op], c, lo_int(lo, 0));
    }
    return lo_compare_number(lo, op, x, y);
}

static Ref order_lower(Lower *lo, Ref r, Arg a, Arg b) {
    return order_values(lo, (CmpOp)ir_at(lo->high, r)->sub, lo_arg(lo, a), lo_arg(lo, b));
}

/* --- dtypes: against another, or what np.dtype() takes ----------------------------------------------------------- */

static bool is_dtype(const Type *ty) { return ty->kind == TY_DTYPE; }
static bool names_dtype(const Type *ty) {
    return ty->kind == TY_DTYPE || ty->kind == TY_CLASS || (ty->kind == TY_FUNC && ty->obj);
}

static Const *dtype_equal(Infer *in, CmpOp op, const Type *a, const Type *b) {
    const Type *x = a->kind == TY_DTYPE ? a->of : rule_object_type(in, a->obj);
    const Type *y = b->kind == TY_DTYPE ? b->of : rule_object_type(in, b->obj);
    return ir_const_int(in->cx, TY_OF(TY_BOOL), (x == y) == (op == CMP_EQ));
}

static Type *dtype_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    CmpOp op = (CmpOp)ir_at(inst->high, r)->sub;
    if (op > CMP_NE) return no_operator(in, inst, r, a, b);
    *k = dtype_equal(in, op, a.ty, b.ty);
    return TY_OF(TY_BOOL);
}

static Ref dtype_lower(Lower *lo, Ref r, Arg a, Arg b) {
    return lo_const(lo, dtype_equal(lo->in, (CmpOp)ir_at(lo->high, r)->sub, a.ty, b.ty));
}

/* --- text ----------------------------------------------------------------------------------------------------------- */

static Type *text_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    if (ir_at(inst->high, r)->sub != BIN_ADD) return no_operator(in, inst, r, a, b);
    if (a.k && b.k) {
        Const *c = NEW(in->cx, Const);
        char *s = cx_alloc(in->cx, a.k->str.n + b.k->str.n + 1);
        memcpy(s, a.k->str.s, a.k->str.n);
        memcpy(s + a.k->str.n, b.k->str.s, b.k->str.n);
        c->ty = a.ty;
        c->str.s = s;
        c->str.n = a.k->str.n + b.k->str.n;
        *k = c;
    }
    return a.ty;
}

static Ref text_lower(Lower *lo, Ref r, Arg a, Arg b) {
    (void)r;
    return lower_concat(lo, 2, (Ref[]){lo_arg(lo, a), lo_arg(lo, b)});
}

/* --- identity, membership ---------------------------------------------------------------------------------------------- */

/* What `is` says when the types alone decide: 1, 0; -1: at run time. */
static int static_is(const Type *a, const Type *b) {
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) {
        const Type *other = a->kind == TY_OPTIONAL ? b : a;
        return other->kind == TY_NONE || other->kind == TY_OPTIONAL || lo_can_equal(a, b) ? -1 : 0;
    }
    if (a->kind == TY_NONE || b->kind == TY_NONE) return a == b;
    if (ty_is_exc(a, EXC_ITS_CLASS) || ty_is_exc(b, EXC_ITS_CLASS)) return -1;
    if (a->kind == TY_FUNC && (a->nitems || b->nitems)) return -1;
    if (a->kind == TY_FUNC || a->kind == TY_CLASS || a->kind == TY_MODULE) return a == b;
    if (a->kind == TY_ENUM || b->kind == TY_ENUM) return a == b ? -1 : 0;
    return -1;
}

/* `x is None` where x is a value or None, whatever the value. */
static bool asks_for_none(const Type *a, const Type *b) {
    return (a->kind == TY_OPTIONAL && b->kind == TY_NONE) ||
           (a->kind == TY_NONE && b->kind == TY_OPTIONAL);
}

static Type *is_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    int known = static_is(a.ty, b.ty);
    if (known >= 0) {
        bool yes = known == (ir_at(inst->high, r)->sub == CMP_IS);
        *k = ir_const_int(in->cx, TY_OF(TY_BOOL), yes);
        return TY_OF(TY_BOOL);
    }
    bool arrays = a.ty->kind == TY_ARRAY && b.ty->kind == TY_ARRAY;
    if (!arrays && !asks_for_none(a.ty, b.ty) && !lo_can_equal(a.ty, b.ty))
        return no_operator(in, inst, r, a, b);
    return TY_OF(TY_BOOL);
}

/* Numbers, texts and tuples have no identity here: `is` compares them by type and value. */
static Ref is_lower(Lower *lo, Ref r, Arg a, Arg b) {
    bool yes = ir_at(lo->high, r)->sub == CMP_IS;
    Ref x = lo_arg(lo, a), y = lo_arg(lo, b), eq;
    if (asks_for_none(a.ty, b.ty))
        eq = lo_not(lo, lo_field(lo, a.ty->kind == TY_OPTIONAL ? x : y, 0));
    else if (a.ty->kind == TY_ARRAY)
        eq = lo_array_same(lo, x, y);
    else
        eq = lo_equal(lo, x, y);
    return yes ? eq : lo_not(lo, eq);
}

static Type *in_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    (void)k;
    bool good = false;
    Type *c = b.ty;
    if (c->kind == TY_TUPLE) {
        good = true;
        for (uint32_t i = 0; i < c->nitems; i++) good = good && lo_can_equal(a.ty, c->items[i]);
    } else if (c->kind == TY_RANGE) {
        good = is_number(a.ty);
    } else if (c->kind == TY_STR) {
        good = a.ty->kind == TY_STR;
    } else if (c->kind == TY_ARRAY && is_number(a.ty)) {
        infer_prelude(in, inst, "search.contains", (Type *[]){c, a.ty}, 2, r);
        good = true;
    }
    return good ? TY_OF(TY_BOOL) : no_operator(in, inst, r, a, b);
}

static Ref in_range(Lower *lo, Ref v, Ref range) {
    Ref start = lo_field(lo, range, 0), step = lo_field(lo, range, 2),
        n = lo_range_length(lo, range);
    Ref i = lo_convert(lo, v, TY_I(64));
    Ref exact = lo_compare_number(lo, CMP_EQ, i, v);
    Ref off = lo_op2(lo, OP_SUB, i, start);
    Ref pos = lo_op2(lo, OP_FLOORDIV, off, step), rest = lo_op2(lo, OP_FLOORMOD, off, step),
        zero = lo_int(lo, 0);
    Ref inside = lo_and(lo, lo_cmp(lo, OP_GE, pos, zero), lo_cmp(lo, OP_LT, pos, n));
    return lo_and(lo, exact, lo_and(lo, inside, lo_cmp(lo, OP_EQ, rest, zero)));
}

static Ref in_lower(Lower *lo, Ref r, Arg a, Arg b) {
    bool yes = ir_at(lo->high, r)->sub == CMP_IN;
    Ref v = lo_arg(lo, a), c = lo_arg(lo, b), found;
    if (b.ty->kind == TY_RANGE) {
        found = in_range(lo, lo_convert(lo, v, number_type(a.ty)), c);
    } else if (b.ty->kind == TY_STR) {
        found = lo_rt(lo, "ws_str_contains", TY_OF(TY_BOOL), 2, (Ref[]){c, v});
    } else if (b.ty->kind == TY_ARRAY) {
        found = lo_prelude(lo, "search.contains", 2, (Ref[]){c, v});
    } else {
        found = lo_bool(lo, false);
        for (uint32_t i = 0; i < b.ty->nitems; i++)
            found = lo_or(lo, found, lo_equal(lo, v, lo_field(lo, c, i)));
    }
    return yes ? found : lo_not(lo, found);
}

/* --- arrays ------------------------------------------------------------------------------------------------------------- */

static bool can_multiply(const Type *a, const Type *b) { return a->ndim >= 1 && b->ndim >= 1; }

static bool is_matmul(const Ins *ins) { return ins->op != OP_COMPARE && ins->sub == BIN_MATMUL; }

static const char *operator_name(const Ins *ins) {
    return ins->op == OP_COMPARE ? compare_name((CmpOp)ins->sub) : binary_name((BinOp)ins->sub);
}

/* a += b: the array stays as it is. */
static Type *inplace_type(Call *c) {
    Infer *in = c->in;
    Type *ty = c->args[0].ty, *tree = elementwise_tree_type(c);
    if (!tree) return NULL;
    if (ty->readonly) return infer_fail_about(in, c->inst, &c->args[0].ref, 1, c->span, D_READONLY);
    if (element_kind_order(tree->elem) > element_kind_order(ty->elem)) {
        const char *symbol = bin_symbol[ir_at(c->inst->high, c->ins)->sub];
        infer_hint(in, cx_printf(in->cx, "write a = a %s b for a new array", symbol));
        return infer_fail_about(in, c->inst, &c->args[0].ref, 1, c->span, D_BAD_STORE,
                                infer_value_text(in->cx, tree->elem), infer_value_text(in->cx, ty));
    }
    return ty;
}

static Type *array_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    const Ins *ins = ir_at(inst->high, r);
    (void)k;
    if (is_matmul(ins) && a.ty->kind == TY_ARRAY && b.ty->kind == TY_ARRAY) {
        if (!can_multiply(a.ty, b.ty))
            return infer_fail_about(
                in, inst, ins->args, 2, ins->span, D_NOT_YET,
                cx_printf(in->cx, "@ of %u and %u dimensions", a.ty->ndim, b.ty->ndim));
        Inst *dot = infer_prelude(in, inst, "linalg.matmul", (Type *[]){a.ty, b.ty}, 2, r);
        return dot->ret->kind == TY_UNDEF ? NULL : dot->ret;
    }
    const Type *other = a.ty->kind == TY_ARRAY ? b.ty : a.ty;
    if (other->kind != TY_ARRAY && !is_number(other)) return no_operator(in, inst, r, a, b);
    Call c = operator_call(in, inst, r, operator_name(ins), a, b);
    ElementLoop loop;
    if (!c.row || !element_loop(&c, &loop)) return no_operator(in, inst, r, a, b);
    return ins->op == OP_INPLACE && a.ty->kind == TY_ARRAY ? inplace_type(&c) : row_type(&c);
}

static Ref array_lower(Lower *lo, Ref r, Arg a, Arg b) {
    const Ins *ins = ir_at(lo->high, r);
    if (is_matmul(ins))
        return lo_prelude(lo, "linalg.matmul", 2, (Ref[]){lo_arg(lo, a), lo_arg(lo, b)});
    Call c = operator_call(lo->in, lo->inst, r, operator_name(ins), a, b);
    c.result = ins->ty;
    return ins->op == OP_INPLACE && a.ty->kind == TY_ARRAY ? elementwise_inplace(lo, &c)
                                                           : row_lower(lo, &c);
}

/* --- the tables ------------------------------------------------------------------------------------------------------------ */

static bool is_any(const Type *ty) { return ty != NULL; }
static bool is_tuple(const Type *ty) { return ty->kind == TY_TUPLE; }
static bool is_text(const Type *ty) { return ty->kind == TY_STR; }
static bool is_array(const Type *ty) { return ty->kind == TY_ARRAY; }
static bool is_integer(const Type *ty) { return ty_is_integral(ty); }

static Type *refuse_type(Infer *in, Inst *inst, Ref r, Arg a, Arg b, Const **k) {
    (void)k;
    return no_operator(in, inst, r, a, b);
}

static Ref refuse_lower(Lower *lo, Ref r, Arg a, Arg b) {
    (void)r, (void)a, (void)b;
    INTERNAL(lo->cx, lo->span, "an operator without a rule");
}

typedef struct OpRow {
    bool (*left)(const Type *), (*right)(const Type *);
    OpRule rule;
} OpRow;

static const OpRow binary_rows[] = {
    {is_number, is_number, {number_type_rule, number_lower}},
    {is_array, is_any, {array_type, array_lower}},
    {is_any, is_array, {array_type, array_lower}},
    {is_tuple, is_tuple, {concat_type, concat_lower}},
    {is_tuple, is_integer, {repeat_type, repeat_lower}},
    {is_integer, is_tuple, {repeat_type, repeat_lower}},
    {is_text, is_text, {text_type, text_lower}},
    {is_any, is_any, {refuse_type, refuse_lower}},
};

static const OpRow compare_rows[] = {
    {is_number, is_number, {compare_type_rule, compare_lower}},
    {is_array, is_any, {array_type, array_lower}},
    {is_any, is_array, {array_type, array_lower}},
    {is_dtype, names_dtype, {dtype_type, dtype_lower}},
    {names_dtype, is_dtype, {dtype_type, dtype_lower}},
    {is_any, is_any, {order_type, order_lower}},
};

static const OpRule is_rule = {is_type, is_lower}, in_rule = {in_type, in_lower};

static const OpRule *find(const OpRow *row, const Type *a, const Type *b) {
    while (!row->left(a) || !row->right(b)) row++;
    return &row->rule;
}

const OpRule *oprule_binary(BinOp op, const Type *a, const Type *b) {
    (void)op;
    return find(binary_rows, a, b);
}

const OpRule *oprule_compare(CmpOp op, const Type *a, const Type *b) {
    if (op == CMP_IS || op == CMP_ISNOT) return &is_rule;
    if (op == CMP_IN || op == CMP_NOTIN) return &in_rule;
    return find(compare_rows, a, b);
}
