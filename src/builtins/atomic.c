/* Operations on one element of an array that nobody else can come between: whipsnake.atomic.add(a, i, x) and the
 * like give the old value. Loops of prange may use them where two iterations may meet (opt/depend_memory.c). What no
 * processor does at once, the extremes of floats, is a loop around compare-and-swap, for which floats are the
 * integers with their bits. */
#include "builtins/tables.h"

/* What an operation takes beside the array and its subscript. */
enum { FIRST_VALUE = 2 };

static AtomicOp op_of(const Call *c) { return (AtomicOp)c->row->data; }
static bool is_of_bits(AtomicOp op) {
    return op == ATOMIC_AND || op == ATOMIC_OR || op == ATOMIC_XOR;
}

/* --- types ------------------------------------------------------------------------------------------------------ */

static bool is_index(const Type *ty) { return ty_is_integral(infer_plain((Type *)ty)); }

static bool is_good_index(const Type *index, uint32_t ndim) {
    if (index->kind != TY_TUPLE) return ndim == 1 && is_index(index);
    bool good = index->nitems == ndim;
    for (uint32_t i = 0; good && i < ndim; i++) good = is_index(index->items[i]);
    return good;
}

static Type *refuse(Call *c, const char *text, const char *hint) {
    infer_hint(c->in, hint);
    return infer_fail(c->in, c->span, D_TYPING, text);
}

static bool is_atomic_type(const Type *ty, AtomicOp op) {
    if (ty->kind == TY_FLOAT) return ty->bits >= 32 && !is_of_bits(op);
    return ty->kind == TY_INT;
}

static Type *type_atomic(Call *c) {
    const Type *array = c->args[0].ty;
    if (array->kind != TY_ARRAY || !is_atomic_type(array->elem, op_of(c)))
        return rule_no_overload(c);
    if (!is_good_index(c->args[1].ty, array->ndim))
        return refuse(c,
                      array->ndim == 1
                          ? "the subscript of an atomic operation on this array is one integer"
                          : cx_printf(c->in->cx,
                                      "the subscript of an atomic operation on this array is a "
                                      "tuple of %u integers",
                                      array->ndim),
                      "slices and index arrays are many elements: use a loop");
    if (array->readonly) return infer_fail(c->in, c->span, D_READONLY);
    if (!array->aligned)
        return refuse(c, "an atomic operation needs an aligned array", "copy the array: a.copy()");
    for (uint32_t i = FIRST_VALUE; i < c->nargs; i++) {
        const Type *ty = plain(c, i);
        if (!ty_is_integral(ty) && (ty->kind != TY_FLOAT || array->elem->kind != TY_FLOAT))
            return rule_no_overload(c);
    }
    return array->elem;
}

/* --- code ------------------------------------------------------------------------------------------------------- */

static Ref address(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), index = lo_arg(lo, c->args[1]), args[33] = {a};
    uint32_t n = lo_type(lo, a)->ndim;
    bool tuple = lo_type(lo, index)->kind == TY_TUPLE;
    for (uint32_t i = 0; i < n; i++)
        args[1 + i] = lo_index(lo, a, i, tuple ? lo_field(lo, index, i) : index);
    return lo_op(lo, OP_ELEM, TY_OF(TY_PTR), 1 + n, args);
}

static Ref atomic(Lower *lo, AtomicOp op, Type *ty, uint32_t n, const Ref *args) {
    Ref r = lo_op(lo, OP_ATOMIC, ty, n, args);
    ir_at(lo->fn, r)->sub = (uint16_t)op;
    return r;
}

static Type *bits_of(Type *ty) { return ty->kind == TY_FLOAT ? TY_I(ty->bits) : ty; }
static Ref to_bits(Lower *lo, Ref v) {
    Type *ty = lo_type(lo, v);
    return ty->kind == TY_FLOAT ? lo_op1(lo, OP_BITCAST, bits_of(ty), v) : v;
}
static Ref from_bits(Lower *lo, Type *ty, Ref v) {
    return ty->kind == TY_FLOAT ? lo_op1(lo, OP_BITCAST, ty, v) : v;
}

/* Does the old value stay? As np.minimum and np.maximum choose: a NaN is less and greater than all. */
static Ref stays(Lower *lo, AtomicOp op, Ref old, Ref v) {
    Ref nan = lo_cmp(lo, OP_NE, old, old);
    return lo_or(lo, nan, lo_cmp(lo, op == ATOMIC_MIN ? OP_LE : OP_GE, old, v));
}

/* while the old value does not stay: put the new one in its place, unless it is another by now */
static Ref lower_extreme(Lower *lo, AtomicOp op, Type *ty, Ref at, Ref v) {
    Type *bits = bits_of(ty);
    Ref first = atomic(lo, ATOMIC_LOAD, bits, 1, &at);
    BlockId again = lo_block(lo, "again"), swap = lo_block(lo, "swap"),
            retry = lo_block(lo, "retry"), done = lo_block(lo, "done");
    Ref old = lo_param(lo, again, bits);
    lo_jump(lo, again, 1, &first);
    lo->b = again;
    lo_branch(lo, stays(lo, op, from_bits(lo, ty, old), v), done, swap);
    lo->b = swap;
    Ref found = atomic(lo, ATOMIC_CAS, bits, 3, (Ref[]){at, old, to_bits(lo, v)});
    lo_branch(lo, lo_cmp(lo, OP_EQ, found, old), done, retry);
    lo->b = retry;
    lo_jump(lo, again, 1, &found);
    lo->b = done;
    return from_bits(lo, ty, old);
}

/* Exchanging and comparing looks at bits alone: a NaN is equal to itself, and -0.0 is not 0.0. */
static Ref lower_atomic(Lower *lo, Call *c) {
    AtomicOp op = op_of(c);
    Type *ty = c->result;
    Ref args[3] = {address(lo, c)};
    uint32_t n = 1;
    for (uint32_t i = FIRST_VALUE; i < c->nargs; i++) args[n++] = lo_arg_as(lo, c->args[i], ty);
    bool real = ty->kind == TY_FLOAT;
    if (real && (op == ATOMIC_MIN || op == ATOMIC_MAX))
        return lower_extreme(lo, op, ty, args[0], args[1]);
    if (!real || op == ATOMIC_ADD || op == ATOMIC_SUB) return atomic(lo, op, ty, n, args);
    for (uint32_t i = 1; i < n; i++) args[i] = to_bits(lo, args[i]);
    return from_bits(lo, ty, atomic(lo, op, bits_of(ty), n, args));
}

#define ATOMIC(name_, op, params_, takes_, text) \
    {.name = "whipsnake.atomic." name_,          \
     .params = (params_),                        \
     .type = type_atomic,                        \
     .lower = lower_atomic,                      \
     .data = (op),                               \
     .takes = (takes_),                          \
     .doc = (text)}
#define NUMBERS "an array of integers, float32 or float64, its subscript, and numbers that fit"
#define INTS    "an array of integers, its subscript, and an integer"
#define VALUE   "ary, idx, value"

const Row rows_atomic[] = {
    ATOMIC("load", ATOMIC_LOAD, "ary, idx", NUMBERS, "`ary[idx]`"),
    ATOMIC("add", ATOMIC_ADD, VALUE, NUMBERS,
           "`ary[idx] += value`; all of these give the old value"),
    ATOMIC("sub", ATOMIC_SUB, VALUE, NUMBERS, "`ary[idx] -= value`"),
    ATOMIC("min", ATOMIC_MIN, VALUE, NUMBERS, "the smaller one, as `np.minimum` has it"),
    ATOMIC("max", ATOMIC_MAX, VALUE, NUMBERS, "the larger one, as `np.maximum` has it"),
    ATOMIC("and_", ATOMIC_AND, VALUE, INTS, "`ary[idx] &= value`"),
    ATOMIC("or_", ATOMIC_OR, VALUE, INTS, "`ary[idx] |= value`"),
    ATOMIC("xor", ATOMIC_XOR, VALUE, INTS, "`ary[idx] ^= value`"),
    ATOMIC("exchange", ATOMIC_XCHG, VALUE, NUMBERS, "`ary[idx] = value`"),
    ATOMIC("compare_exchange", ATOMIC_CAS, "ary, idx, expected, value", NUMBERS,
           "`ary[idx] = value`, if it was `expected`, bit for bit"),
    {0},
};
