/* Local rewrites, one row each: operation and what its operands are -> function.
 *
 * Three laws: a rule keeps the result's type, does not look through block parameters (so never
 * across a loop's edge), and only ever makes code simpler, so that folding ends. Rules for floats
 * are exact for every value, the sign of zero included. */
#include "core/exceptions.h"
#include "ir/math.h"
#include "ir/rt.h"
#include "opt/opt_int.h"

typedef struct Fold {
    Cx *cx;
    Fn *fn;
    BlockId b; /* where new instructions are appended */
} Fold;

/* r: the instruction; a, b: its first operands, 0 if it has fewer. The replacement, or 0. */
typedef Ref (*RuleFn)(const Fold *f, Ref r, Ref a, Ref b);

static const Ins *at(const Fold *f, Ref r) { return ir_at(f->fn, r); }
static const Type *type(const Fold *f, Ref r) { return ir_at(f->fn, r)->ty; }
static bool is_float(const Fold *f, Ref r) { return type(f, r)->kind == TY_FLOAT; }
static bool is_op(const Fold *f, Ref r, Op op) { return at(f, r)->op == op; }

static bool is_int_k(const Fold *f, Ref r, int64_t want) {
    int64_t v;
    return opt_int_const(f->fn, r, &v) && v == want;
}

static bool is_float_k(const Fold *f, Ref r, double want) {
    const Ins *i = at(f, r);
    return i->op == OP_CONST && i->k->ty->kind == TY_FLOAT &&
           memcmp(&i->k->f[0], &want, sizeof want) == 0;
}

static Ref new_int(const Fold *f, Type *ty, int64_t v, Span span) {
    return ir_const(f->cx, f->fn, f->b, ir_const_int(f->cx, ty, opt_wrap_int(ty, (uint64_t)v)),
                    span);
}

static Ref new_ins(const Fold *f, Op op, Type *ty, Ref r, uint32_t n, const Ref *args) {
    Span span = at(f, r)->span;
    uint8_t fast = at(f, r)->fast;
    uint32_t origin = at(f, r)->origin;
    Ref made = ir_add(f->cx, f->fn, f->b, op, ty, span, n, args);
    ir_at(f->fn, made)->fast = fast;
    ir_at(f->fn, made)->origin = origin;
    return made;
}

/* --- arithmetic ------------------------------------------------------------------------------- */

static Ref same_int(const Fold *f, Ref r, Ref a, Ref b) { /* x op x, op in (and, or) */
    (void)f, (void)r;
    return a == b ? a : 0;
}

static Ref int_zero_if_same(const Fold *f, Ref r, Ref a, Ref b) { /* x - x, x ^ x */
    if (a != b || is_float(f, r)) return 0;
    return new_int(f, at(f, r)->ty, 0, at(f, r)->span);
}

static Ref add_k(const Fold *f, Ref r, Ref a, Ref b) {
    if (is_int_k(f, b, 0)) return a;
    if (is_float_k(f, b, -0.0)) return a;
    int64_t k1, k2; /* (x + k1) + k2 */
    if (!opt_int_const(f->fn, b, &k2) || !is_op(f, a, OP_ADD)) return 0;
    Ref x = at(f, a)->args[0];
    if (!opt_int_const(f->fn, at(f, a)->args[1], &k1)) return 0;
    Ref sum = new_int(f, at(f, r)->ty, (int64_t)((uint64_t)k1 + (uint64_t)k2), at(f, r)->span);
    return new_ins(f, OP_ADD, at(f, r)->ty, r, 2, (Ref[]){x, sum});
}

static Ref sub_k(const Fold *f, Ref r, Ref a, Ref b) {
    int64_t k;
    if (is_float_k(f, b, 0.0)) return a;
    if (!opt_int_const(f->fn, b, &k)) return 0;
    if (k == 0) return a;
    Ref minus = new_int(f, at(f, r)->ty, (int64_t)(0 - (uint64_t)k), at(f, r)->span);
    return new_ins(f, OP_ADD, at(f, r)->ty, r, 2, (Ref[]){a, minus});
}

static Ref mul_k(const Fold *f, Ref r, Ref a, Ref b) {
    if (is_int_k(f, b, 1) || is_float_k(f, b, 1.0)) return a;
    if (is_int_k(f, b, 0)) return b;
    int64_t k1, k2; /* (x * k1) * k2 */
    if (!opt_int_const(f->fn, b, &k2) || !is_op(f, a, OP_MUL)) return 0;
    Ref x = at(f, a)->args[0];
    if (!opt_int_const(f->fn, at(f, a)->args[1], &k1)) return 0;
    Ref k = new_int(f, at(f, r)->ty, (int64_t)((uint64_t)k1 * (uint64_t)k2), at(f, r)->span);
    return new_ins(f, OP_MUL, at(f, r)->ty, r, 2, (Ref[]){x, k});
}

static Ref neg_neg(const Fold *f, Ref r, Ref a, Ref b) {
    (void)r, (void)b;
    return at(f, a)->args[0];
}

static Ref div_one(const Fold *f, Ref r, Ref a, Ref b) { /* fdiv, floordiv of ints, shifts by 0 */
    if (is_op(f, r, OP_FDIV)) return is_float_k(f, b, 1.0) ? a : 0;
    return is_int_k(f, b, is_op(f, r, OP_FLOORDIV)) ? a : 0;
}

static Ref mod_one(const Fold *f, Ref r, Ref a, Ref b) {
    (void)a;
    return is_int_k(f, b, 1) ? new_int(f, at(f, r)->ty, 0, at(f, r)->span) : 0;
}

static int64_t all_ones(const Type *ty) { return opt_wrap_int(ty, UINT64_MAX); }

static Ref and_k(const Fold *f, Ref r, Ref a, Ref b) {
    if (is_int_k(f, b, 0)) return b;
    return is_int_k(f, b, all_ones(type(f, r))) ? a : 0;
}

static Ref or_k(const Fold *f, Ref r, Ref a, Ref b) {
    if (is_int_k(f, b, 0)) return a;
    return is_int_k(f, b, all_ones(type(f, r))) ? b : 0;
}

/* --- truth ------------------------------------------------------------------------------------ */

/* The comparison that is true exactly when `op` is false; OP_NOP: there is none (floats but for eq
 * and ne). */
static Op inverse(Op op, bool floats) {
    static const Op pair[][2] = {{OP_EQ, OP_NE}, {OP_LT, OP_GE}, {OP_GT, OP_LE}};
    for (unsigned i = 0; i < (floats ? 1 : 3); i++)
        for (unsigned k = 0; k < 2; k++)
            if (pair[i][k] == op) return pair[i][!k];
    return OP_NOP;
}

static Ref xor_k(const Fold *f, Ref r, Ref a, Ref b) {
    if (is_int_k(f, b, 0)) return a;
    if (type(f, r)->kind != TY_BOOL) return 0; /* not a: */
    if (is_op(f, a, OP_XOR) && is_int_k(f, at(f, a)->args[1], 1)) return at(f, a)->args[0];
    if (at(f, a)->nargs != 2) return 0;
    Ref x = at(f, a)->args[0], y = at(f, a)->args[1];
    const Type *t = type(f, x);
    if (t->kind != TY_INT && t->kind != TY_BOOL && t->kind != TY_FLOAT) return 0;
    Op op = inverse((Op)at(f, a)->op, t->kind == TY_FLOAT);
    return op == OP_NOP ? 0 : new_ins(f, op, at(f, r)->ty, r, 2, (Ref[]){x, y});
}

static Ref not(const Fold *f, Ref r, Ref a) {
    Ref one = new_int(f, at(f, a)->ty, 1, at(f, r)->span);
    return new_ins(f, OP_XOR, at(f, a)->ty, r, 2, (Ref[]){a, one});
}

/* bool == constant; cast(bool) != 0 and the like */
static Ref equal_k(const Fold *f, Ref r, Ref a, Ref b) {
    int64_t k;
    if (!opt_int_const(f->fn, b, &k)) return 0;
    Ref truth = type(f, a)->kind == TY_BOOL ? a : 0;
    if (is_op(f, a, OP_CAST) && type(f, at(f, a)->args[0])->kind == TY_BOOL && (k == 0 || k == 1))
        truth = at(f, a)->args[0];
    if (!truth) return 0;
    return (k == 1) == is_op(f, r, OP_EQ) ? truth : not(f, r, truth);
}

static Ref compare_same(const Fold *f, Ref r, Ref a, Ref b) {
    if (a != b || (type(f, a)->kind != TY_INT && type(f, a)->kind != TY_BOOL)) return 0;
    Op op = (Op)at(f, r)->op;
    return new_int(f, at(f, r)->ty, op == OP_EQ || op == OP_LE || op == OP_GE, at(f, r)->span);
}

/* min(x, y) compared ... no: comparing an unsigned value with 0 */
static Ref compare_unsigned(const Fold *f, Ref r, Ref a, Ref b) {
    if (type(f, a)->kind != TY_INT || type(f, a)->is_signed || !is_int_k(f, b, 0)) return 0;
    return new_int(f, at(f, r)->ty, is_op(f, r, OP_GE), at(f, r)->span);
}

/* x if x < y else y, and so on: what min() and max() of two integers come as. */
static Ref select_minmax(const Fold *f, Ref r, Ref c, Ref yes) {
    static const struct {
        uint8_t op, fn;
    } rows[] = {{OP_LT, MATH_MIN}, {OP_LE, MATH_MIN}, {OP_GT, MATH_MAX}, {OP_GE, MATH_MAX}};
    if (type(f, r)->kind != TY_INT || at(f, c)->nargs != 2) return 0;
    Ref no = at(f, r)->args[2], x = at(f, c)->args[0], y = at(f, c)->args[1];
    bool straight = yes == x && no == y;
    if (!straight && (yes != y || no != x)) return 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op != at(f, c)->op) continue;
        unsigned fn = straight ? rows[i].fn : rows[i].fn == MATH_MIN ? MATH_MAX : MATH_MIN;
        Ref made = new_ins(f, OP_MATH, at(f, r)->ty, r, 2, (Ref[]){x, y});
        ir_at(f->fn, made)->sub = (uint16_t)fn;
        return made;
    }
    return 0;
}

static Ref select_any(const Fold *f, Ref r, Ref c, Ref yes) {
    Ref no = at(f, r)->args[2];
    int64_t k;
    if (opt_int_const(f->fn, c, &k)) return k ? yes : no;
    if (yes == no) return yes;
    if (type(f, r)->kind == TY_BOOL) {
        if (is_int_k(f, yes, 1) && is_int_k(f, no, 0)) return c;
        if (is_int_k(f, yes, 0) && is_int_k(f, no, 1)) return not(f, r, c);
    }
    if (is_op(f, c, OP_XOR) && is_int_k(f, at(f, c)->args[1], 1))
        return new_ins(f, OP_SELECT, at(f, r)->ty, r, 3, (Ref[]){at(f, c)->args[0], no, yes});
    return 0;
}

/* --- conversions ------------------------------------------------------------------------------ */

/* Does every value of `from` exist in `to`? (integers and bool) */
static bool holds(const Type *to, const Type *from) {
    if (from->kind == TY_BOOL) return to->kind == TY_BOOL || to->kind == TY_INT;
    if (to->kind != TY_INT || from->kind != TY_INT) return false;
    if (to->is_signed == from->is_signed) return to->bits >= from->bits;
    return to->is_signed && to->bits > from->bits;
}

static Ref cast_any(const Fold *f, Ref r, Ref a, Ref b) {
    (void)b;
    if (type(f, r) == type(f, a)) return a;
    if (!is_op(f, a, OP_CAST)) return 0;
    Ref x = at(f, a)->args[0]; /* cast(cast(x)) where the inner one loses nothing */
    if (type(f, r) == type(f, x) && type(f, x)->kind == TY_INT && type(f, a)->kind == TY_INT &&
        type(f, a)->bits >= type(f, x)->bits)
        return x; /* to the other sign and back */
    if (!holds(type(f, a), type(f, x))) return 0;
    if (type(f, r) == type(f, x)) return x;
    if (type(f, r)->kind == TY_BOOL)
        return 0; /* truth of x: a comparison is clearer to the back end */
    return new_ins(f, OP_CAST, at(f, r)->ty, r, 1, &x);
}

static Ref bitcast_same(const Fold *f, Ref r, Ref a, Ref b) {
    (void)b;
    if (type(f, r) == type(f, a)) return a;
    if (is_op(f, a, OP_BITCAST) && type(f, at(f, a)->args[0]) == type(f, r))
        return at(f, a)->args[0];
    return 0;
}

/* --- aggregates ------------------------------------------------------------------------------- */

static Ref field_of_make(const Fold *f, Ref r, Ref a, Ref b) {
    (void)b;
    uint32_t k = (uint32_t)at(f, r)->imm;
    if (k >= at(f, a)->nargs) return 0;
    Ref x = at(f, a)->args[k];
    return type(f, x) == type(f, r) ? x : 0;
}

/* field k of select(c, make, make): one select of the fields */
static Ref field_of_select(const Fold *f, Ref r, Ref a, Ref b) {
    (void)b;
    Ref yes = at(f, a)->args[1], no = at(f, a)->args[2];
    if (!is_op(f, yes, OP_MAKE) || !is_op(f, no, OP_MAKE)) return 0;
    uint32_t k = (uint32_t)at(f, r)->imm;
    if (k >= at(f, yes)->nargs || k >= at(f, no)->nargs) return 0;
    Ref args[3] = {at(f, a)->args[0], at(f, yes)->args[k], at(f, no)->args[k]};
    if (type(f, args[1]) != type(f, r) || type(f, args[2]) != type(f, r)) return 0;
    return new_ins(f, OP_SELECT, at(f, r)->ty, r, 3, args);
}

/* make(field 0 of x, field 1 of x ...) is x */
static Ref make_of_fields(const Fold *f, Ref r, Ref a, Ref b) {
    (void)b;
    const Ins *make = at(f, r);
    if (!a || !is_op(f, a, OP_FIELD)) return 0;
    Ref x = at(f, a)->args[0];
    if (type(f, x) != make->ty || make->nargs != ir_field_count(make->ty)) return 0;
    for (uint32_t k = 0; k < make->nargs; k++) {
        const Ins *i = at(f, make->args[k]);
        if (i->op != OP_FIELD || i->args[0] != x || i->imm != k) return 0;
    }
    return x;
}

/* --- indices and checks ----------------------------------------------------------------------- */

/* Is an exception that was made here of the class: 1, 0, or -1 if only Python knows. */
static int is_of_class(const Module *m, const Ins *made, uint32_t wanted) {
    uint32_t cls = (uint32_t)made->imm;
    if (cls == wanted) return 1;
    if (cls == EXC_OSError && made->nargs > 1) return -1; /* it chooses one of its subclasses */
    if (wanted >= EXC_USER) return cls < EXC_USER ? 0 : -1;
    if (cls < EXC_USER) {
        while (cls != wanted && cls != EXC_BaseException) cls = (uint32_t)exc_classes[cls].base;
        return cls == wanted;
    }
    bool known = cls - EXC_USER < m->class_bases.n;
    return known ? (int)(m->class_bases.at[cls - EXC_USER] >> wanted & 1) : -1;
}

static Ref match_made(const Fold *f, Ref r, Ref a, Ref b) {
    int64_t wanted;
    if (strcmp(at(f, r)->rt->name, "ws_exc_match") != 0 || !opt_int_const(f->fn, b, &wanted))
        return 0;
    int is = is_of_class(f->fn->module, at(f, a), (uint32_t)wanted);
    return is < 0 ? 0 : new_int(f, at(f, r)->ty, is, at(f, r)->span);
}

static Ref wrap_k(const Fold *f, Ref r, Ref a, Ref b) {
    int64_t k;
    if (!opt_int_const(f->fn, a, &k)) return 0;
    return k >= 0 ? a : new_ins(f, OP_ADD, at(f, r)->ty, r, 2, (Ref[]){b, a});
}

static Ref check_k(const Fold *f, Ref r, Ref a, Ref b) {
    (void)r, (void)b;
    return is_int_k(f, a, 1) ? FOLD_DROP : 0;
}

static Ref check_index_k(const Fold *f, Ref r, Ref a, Ref b) {
    (void)r;
    int64_t i, n;
    return opt_int_const(f->fn, a, &i) && opt_int_const(f->fn, b, &n) && 0 <= i && i < n ? FOLD_DROP
                                                                                         : 0;
}

static Ref minmax_same(const Fold *f, Ref r, Ref a, Ref b) {
    MathFn m = (MathFn)at(f, r)->sub;
    return (m == MATH_MIN || m == MATH_MAX) && a == b ? a : 0;
}

/* --- the rows --------------------------------------------------------------------------------- */

#define ANY 0 /* OP_NOP: no operand is one */
#define K   OP_CONST
static const struct Rule {
    uint8_t op, left, right; /* operation; operation of its first and second operand, or ANY */
    RuleFn fn;
} rules[] = {
    /* clang-format off */
    {OP_ADD,         ANY,        K,   add_k},
    {OP_SUB,         ANY,        K,   sub_k},
    {OP_SUB,         ANY,        ANY, int_zero_if_same},
    {OP_MUL,         ANY,        K,   mul_k},
    {OP_NEG,         OP_NEG,     ANY, neg_neg},
    {OP_FDIV,        ANY,        K,   div_one},
    {OP_FLOORDIV,    ANY,        K,   div_one},
    {OP_FLOORMOD,    ANY,        K,   mod_one},
    {OP_SHL,         ANY,        K,   div_one},
    {OP_SHR,         ANY,        K,   div_one},
    {OP_AND,         ANY,        K,   and_k},
    {OP_AND,         ANY,        ANY, same_int},
    {OP_OR,          ANY,        K,   or_k},
    {OP_OR,          ANY,        ANY, same_int},
    {OP_XOR,         ANY,        K,   xor_k},
    {OP_XOR,         ANY,        ANY, int_zero_if_same},
    {OP_EQ,          ANY,        K,   equal_k},
    {OP_NE,          ANY,        K,   equal_k},
    {OP_LT,          ANY,        K,   compare_unsigned},
    {OP_GE,          ANY,        K,   compare_unsigned},
    {OP_EQ,          ANY,        ANY, compare_same},
    {OP_NE,          ANY,        ANY, compare_same},
    {OP_LT,          ANY,        ANY, compare_same},
    {OP_LE,          ANY,        ANY, compare_same},
    {OP_GT,          ANY,        ANY, compare_same},
    {OP_GE,          ANY,        ANY, compare_same},
    {OP_SELECT,      ANY,        ANY, select_any},
    {OP_SELECT,      ANY,        ANY, select_minmax},
    {OP_CAST,        ANY,        ANY, cast_any},
    {OP_BITCAST,     ANY,        ANY, bitcast_same},
    {OP_FIELD,       OP_MAKE,    ANY, field_of_make},
    {OP_FIELD,       OP_SELECT,  ANY, field_of_select},
    {OP_MAKE,        OP_FIELD,   ANY, make_of_fields},
    {OP_WRAP,        K,          ANY, wrap_k},
    {OP_MATH,        ANY,        ANY, minmax_same},
    {OP_CALL_RT,     OP_EXC_MAKE, K,  match_made},
    {OP_CHECK,       K,          ANY, check_k},
    {OP_CHECK_INDEX, K,          K,   check_index_k},
    /* clang-format on */
};
_Static_assert(OPS <= UINT8_MAX, "Rule.op is a byte");

static Ref eval(const Fold *f, Ref r) {
    const Const *k[4];
    const Ins *i = at(f, r);
    if (!i->nargs || i->nargs > 4 || !(op_info[i->op].effects & PURE)) return 0;
    for (uint32_t a = 0; a < i->nargs; a++) {
        if (!ir_is_const(f->fn, i->args[a])) return 0;
        k[a] = at(f, i->args[a])->k;
    }
    Const out;
    if (!opt_eval(i, k, &out) || out.ty != i->ty) return 0;
    Const *made = NEW(f->cx, Const);
    *made = out;
    return ir_const(f->cx, f->fn, f->b, made, i->span);
}

/* Constants to the right, so that each rule is needed once. */
static void order_operands(const Fold *f, Ref r) {
    static const uint8_t mirror[OPS] = {
        [OP_LT] = OP_GT, [OP_GT] = OP_LT, [OP_LE] = OP_GE, [OP_GE] = OP_LE};
    Ins *i = ir_at(f->fn, r);
    if (i->nargs != 2 || !ir_is_const(f->fn, i->args[0]) || ir_is_const(f->fn, i->args[1])) return;
    if (!(op_info[i->op].effects & COMM) && !mirror[i->op]) return;
    if (mirror[i->op]) i->op = mirror[i->op];
    Ref first = i->args[0];
    i->args[0] = i->args[1];
    i->args[1] = first;
}

Ref opt_fold(Cx *cx, Fn *fn, BlockId b, Ref r) {
    Fold f = {cx, fn, b};
    order_operands(&f, r);
    Ref made = eval(&f, r);
    const Ins *i = at(&f, r);
    Ref left = i->nargs > 0 ? i->args[0] : 0, right = i->nargs > 1 ? i->args[1] : 0;
    unsigned op = i->op, lop = left ? at(&f, left)->op : 0, rop = right ? at(&f, right)->op : 0;
    for (const struct Rule *rule = rules; !made && rule < rules + sizeof rules / sizeof *rules;
         rule++) {
        if (rule->op != op || (rule->left != ANY && rule->left != lop) ||
            (rule->right != ANY && rule->right != rop))
            continue;
        made = rule->fn(&f, r, left, right);
    }
    return made;
}
