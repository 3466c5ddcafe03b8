/* Atomic operations on elements of arrays: each gives the old value. What no processor does at once is a loop around
 * compare-and-swap; floats are compared and exchanged as the integers with their bits. */
#include "builtins/cuda.h"

/* What is stored in the place of `old`. */
typedef Ref Update(Lower *lo, Ref old, Ref value);

typedef struct AtomicRow {
    bool ints, floats;
    int op; /* AtomicOp for integers; -1: `update` */
    int float_op; /* the same for floats */
    Update *update;
} AtomicRow;

/* --- what a row does ------------------------------------------------------------------------------------------- */

static Ref is_nan(Lower *lo, Ref v) { return lo_math1(lo, MATH_ISNAN, v); }

/* A NaN stays. */
static Ref greater(Lower *lo, Ref old, Ref v) {
    Ref keep = lo_or(lo, is_nan(lo, old), lo_cmp(lo, OP_GE, old, v));
    return lo_select(lo, keep, old, v);
}

static Ref less(Lower *lo, Ref old, Ref v) {
    Ref keep = lo_or(lo, is_nan(lo, old), lo_cmp(lo, OP_LE, old, v));
    return lo_select(lo, keep, old, v);
}

/* A NaN is no value. */
static Ref greater_or_number(Lower *lo, Ref old, Ref v) {
    Ref take = lo_or(lo, is_nan(lo, old), lo_cmp(lo, OP_GT, v, old));
    return lo_select(lo, lo_and(lo, take, lo_not(lo, is_nan(lo, v))), v, old);
}

static Ref less_or_number(Lower *lo, Ref old, Ref v) {
    Ref take = lo_or(lo, is_nan(lo, old), lo_cmp(lo, OP_LT, v, old));
    return lo_select(lo, lo_and(lo, take, lo_not(lo, is_nan(lo, v))), v, old);
}

static Ref one_more(Lower *lo, Ref old, Ref v) {
    Type *ty = lo_type(lo, old);
    Ref next = lo_op2(lo, OP_ADD, old, lo_number(lo, ty, 1));
    return lo_select(lo, lo_cmp(lo, OP_GE, old, v), lo_number(lo, ty, 0), next);
}

static Ref one_less(Lower *lo, Ref old, Ref v) {
    Type *ty = lo_type(lo, old);
    Ref wraps = lo_or(lo, lo_cmp(lo, OP_EQ, old, lo_number(lo, ty, 0)), lo_cmp(lo, OP_GT, old, v));
    return lo_select(lo, wraps, v, lo_op2(lo, OP_SUB, old, lo_number(lo, ty, 1)));
}

enum { ADD, SUB, AND, OR, XOR, INC, DEC, EXCH, MAX, MIN, NANMAX, NANMIN, CAS, SWAP };
static const AtomicRow atomics[] = {
    [ADD] = {true, true, ATOMIC_ADD, ATOMIC_ADD, NULL},
    [SUB] = {true, true, ATOMIC_SUB, ATOMIC_SUB, NULL},
    [AND] = {true, false, ATOMIC_AND, -1, NULL},
    [OR] = {true, false, ATOMIC_OR, -1, NULL},
    [XOR] = {true, false, ATOMIC_XOR, -1, NULL},
    [INC] = {true, false, -1, -1, one_more},
    [DEC] = {true, false, -1, -1, one_less},
    [EXCH] = {true, true, ATOMIC_XCHG, ATOMIC_XCHG, NULL},
    [MAX] = {true, true, ATOMIC_MAX, -1, greater},
    [MIN] = {true, true, ATOMIC_MIN, -1, less},
    [NANMAX] = {true, true, ATOMIC_MAX, -1, greater_or_number},
    [NANMIN] = {true, true, ATOMIC_MIN, -1, less_or_number},
    [CAS] = {true, true, ATOMIC_CAS, ATOMIC_CAS, NULL},
    [SWAP] = {true, true, ATOMIC_CAS, ATOMIC_CAS, NULL},
};

/* --- types ------------------------------------------------------------------------------------------------------ */

/* compare_and_swap has no subscript: element 0. */
static bool has_index(const Call *c) { return c->row->data != SWAP; }

static bool good_index(const Call *c, const Type *array) {
    if (!has_index(c)) return array->ndim == 1;
    const Type *index = c->args[1].ty;
    if (index->kind != TY_TUPLE)
        return array->ndim == 1 && ty_is_integral(infer_plain(c->args[1].ty));
    if (index->nitems != array->ndim) return false;
    for (uint32_t i = 0; i < index->nitems; i++)
        if (!ty_is_integral(infer_plain(index->items[i]))) return false;
    return true;
}

static bool good_value(const Call *c, uint32_t i, const Type *elem) {
    const Type *ty = plain(c, i);
    return ty_is_integral(ty) || (elem->kind == TY_FLOAT && ty->kind == TY_FLOAT);
}

static Type *type_atomic(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    const AtomicRow *a = &atomics[c->row->data];
    const Type *array = c->args[0].ty;
    if (array->kind != TY_ARRAY) return rule_no_overload(c);
    Type *elem = array->elem;
    bool good = elem->kind == TY_INT ? a->ints : elem->kind == TY_FLOAT && a->floats;
    if (!good || !good_index(c, array)) return rule_no_overload(c);
    if (array->readonly) return cuda_refuse(c, "the array is read-only");
    if (!array->aligned) return cuda_refuse(c, "an atomic operation needs an aligned array");
    for (uint32_t i = has_index(c) ? 2 : 1; i < c->nargs; i++)
        if (!good_value(c, i, elem)) return rule_no_overload(c);
    return elem;
}

/* --- code ------------------------------------------------------------------------------------------------------- */

static Ref address(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), args[33] = {a};
    uint32_t n = lo_type(lo, a)->ndim;
    Ref index = has_index(c) ? lo_arg(lo, c->args[1]) : lo_int(lo, 0);
    bool tuple = lo_type(lo, index)->kind == TY_TUPLE;
    for (uint32_t i = 0; i < n; i++) {
        Ref at = lo_convert(lo, tuple ? lo_field(lo, index, i) : index, TY_I(64));
        args[1 + i] = lo_index(lo, a, i, at);
    }
    return lo_op(lo, OP_ELEM, TY_OF(TY_PTR), 1 + n, args);
}

static Ref as_bits(Lower *lo, Ref v) {
    const Type *ty = lo_type(lo, v);
    return ty->kind == TY_FLOAT ? lo_op1(lo, OP_BITCAST, TY_I(ty->bits), v) : v;
}

static Ref from_bits(Lower *lo, Type *ty, Ref v) {
    return ty->kind == TY_FLOAT ? lo_op1(lo, OP_BITCAST, ty, v) : v;
}

static Ref atomic(Lower *lo, AtomicOp op, Ref at, Ref v, Ref other) {
    Ref args[] = {at, v, other};
    Ref r = lo_op(lo, OP_ATOMIC, lo_type(lo, v), other ? 3 : 2, args);
    ir_at(lo->fn, r)->sub = (uint16_t)op;
    return r;
}

static Ref swap_loop(Lower *lo, const AtomicRow *a, Type *ty, Ref at, Ref value) {
    Type *bits = ty->kind == TY_FLOAT ? TY_I(ty->bits) : ty;
    Ref first = lo_load(lo, bits, at, false);
    BlockId again = lo_block(lo, "again"), done = lo_block(lo, "done"),
            retry = lo_block(lo, "retry");
    Ref old = lo_param(lo, again, bits);
    lo_jump(lo, again, 1, &first);
    lo->b = again;
    Ref now = as_bits(lo, a->update(lo, from_bits(lo, ty, old), value));
    Ref found = atomic(lo, ATOMIC_CAS, at, old, now);
    lo_branch(lo, lo_cmp(lo, OP_EQ, found, old), done, retry);
    lo->b = retry;
    lo_jump(lo, again, 1, &found);
    lo->b = done;
    return from_bits(lo, ty, found);
}

static Ref lower_atomic(Lower *lo, Call *c) {
    const AtomicRow *a = &atomics[c->row->data];
    Type *ty = c->result;
    uint32_t first = has_index(c) ? 2 : 1;
    Ref at = address(lo, c), v = lo_arg_as(lo, c->args[first], ty);
    int op = ty->kind == TY_FLOAT ? a->float_op : a->op;
    if (op < 0) return swap_loop(lo, a, ty, at, v);
    if (op == ATOMIC_ADD || op == ATOMIC_SUB || ty->kind != TY_FLOAT) {
        Ref other = op == ATOMIC_CAS ? lo_arg_as(lo, c->args[first + 1], ty) : 0;
        return atomic(lo, (AtomicOp)op, at, v, other);
    }
    Ref other = op == ATOMIC_CAS ? as_bits(lo, lo_arg_as(lo, c->args[first + 1], ty)) : 0;
    return from_bits(lo, ty, atomic(lo, (AtomicOp)op, at, as_bits(lo, v), other));
}

#define ATOMIC(name_, kind, params_, takes_, text) \
    {.name = "whipsnake.cuda.atomic." name_,       \
     .params = (params_),                          \
     .type = type_atomic,                          \
     .lower = lower_atomic,                        \
     .data = (kind),                               \
     .takes = (takes_),                            \
     .doc = (text)}
#define NUMBERS "an array of integers or floats, a subscript for each axis, and a number that fits"
#define INTS    "an array of integers, a subscript for each axis, and an integer"
#define VALUE   "ary, idx, val"

const Row rows_cuda_atomic[] = {
    ATOMIC("add", ADD, VALUE, NUMBERS, "ary[idx] += val"),
    ATOMIC("sub", SUB, VALUE, NUMBERS, "ary[idx] -= val"),
    ATOMIC("and_", AND, VALUE, INTS, "ary[idx] &= val"),
    ATOMIC("or_", OR, VALUE, INTS, "ary[idx] |= val"),
    ATOMIC("xor", XOR, VALUE, INTS, "ary[idx] ^= val"),
    ATOMIC("inc", INC, VALUE, INTS, "one more; 0 from val on"),
    ATOMIC("dec", DEC, VALUE, INTS, "one less; val from 0 on and where it was more"),
    ATOMIC("exch", EXCH, VALUE, NUMBERS, "ary[idx] = val"),
    ATOMIC("max", MAX, VALUE, NUMBERS, "the greater one; NaN is the greatest"),
    ATOMIC("min", MIN, VALUE, NUMBERS, "the lesser one; NaN is the least"),
    ATOMIC("nanmax", NANMAX, VALUE, NUMBERS, "the greater one; NaN is no number"),
    ATOMIC("nanmin", NANMIN, VALUE, NUMBERS, "the lesser one; NaN is no number"),
    ATOMIC("cas", CAS, "ary, idx, old, val", NUMBERS, "ary[idx] = val, if it was old"),
    ATOMIC("compare_and_swap", SWAP, "ary, old, val", "an array of one axis and two numbers",
           "ary[0] = val, if it was old"),
    {0},
};
