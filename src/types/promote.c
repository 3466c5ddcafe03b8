/* The rules for numbers. Pure: compiled into both shared objects. */
#include "types/promote.h"

const char *const bin_symbol[BIN_OPS] = {
    [BIN_ADD] = "+",       [BIN_SUB] = "-",     [BIN_MUL] = "*",  [BIN_TRUEDIV] = "/",
    [BIN_FLOORDIV] = "//", [BIN_MOD] = "%",     [BIN_POW] = "**", [BIN_MATMUL] = "@",
    [BIN_LSHIFT] = "<<",   [BIN_RSHIFT] = ">>", [BIN_AND] = "&",  [BIN_OR] = "|",
    [BIN_XOR] = "^",
};
const char *const bin_name[BIN_OPS] = {
    [BIN_ADD] = "add",         [BIN_SUB] = "sub",           [BIN_MUL] = "mul",
    [BIN_TRUEDIV] = "truediv", [BIN_FLOORDIV] = "floordiv", [BIN_MOD] = "mod",
    [BIN_POW] = "pow",         [BIN_MATMUL] = "matmul",     [BIN_LSHIFT] = "lshift",
    [BIN_RSHIFT] = "rshift",   [BIN_AND] = "and",           [BIN_OR] = "or",
    [BIN_XOR] = "xor",
};
const char *const cmp_symbol[CMP_OPS] = {
    [CMP_EQ] = "==", [CMP_NE] = "!=",        [CMP_LT] = "<",  [CMP_LE] = "<=",
    [CMP_GT] = ">",  [CMP_GE] = ">=",        [CMP_IS] = "is", [CMP_ISNOT] = "is not",
    [CMP_IN] = "in", [CMP_NOTIN] = "not in",
};

static bool is_uint64(const Type *t) { return t->kind == TY_INT && t->bits == 64 && !t->is_signed; }

static bool is_nonneg(Operand x) {
    return x.nonneg || x.ty->kind == TY_BOOL || (x.ty->kind == TY_INT && !x.ty->is_signed);
}

/* What + - * // % compute two integers in. */
static Type *join_ints(Operand a, Operand b) {
    if (!is_uint64(a.ty) && !is_uint64(b.ty)) return TY_I(64);
    return is_nonneg(a) && is_nonneg(b) ? TY_U(64) : TY_F(64);
}

/* Width in bits that an operand asks of a float: 0 for a weak constant, which takes what it meets.
 * An integer variable counts as 64 bits. */
static unsigned float_width(Operand x) {
    if (x.weak) return 0;
    if (x.ty->kind == TY_FLOAT) return x.ty->bits;
    return x.ty->kind == TY_COMPLEX ? x.ty->bits / 2 : 64;
}

/* What two numbers, at least one of them a float or complex, compute in. float16 is for storage: it
 * computes as float32. */
static Type *join_floats(Operand a, Operand b) {
    unsigned wa = float_width(a), wb = float_width(b), width = wa > wb ? wa : wb;
    if (width == 0) width = 64;
    if (width < 32) width = 32;
    bool is_complex = a.ty->kind == TY_COMPLEX || b.ty->kind == TY_COMPLEX;
    return is_complex ? TY_C(2 * width) : TY_F(width);
}

static Type *join_numbers(Operand a, Operand b) {
    return ty_is_integral(a.ty) && ty_is_integral(b.ty) ? join_ints(a, b) : join_floats(a, b);
}

static Type *join_bits(Operand a, Operand b) {
    if (a.ty->kind == TY_BOOL && b.ty->kind == TY_BOOL) return a.ty;
    if (!is_uint64(a.ty) && !is_uint64(b.ty)) return TY_I(64);
    return is_nonneg(a) && is_nonneg(b) ? TY_U(64) : TY_I(64);
}

/* The type that an operator computes in and yields; NULL where Python has no such operator. */
static Type *promoted(BinOp op, Operand a, Operand b) {
    bool ints = ty_is_integral(a.ty) && ty_is_integral(b.ty);
    bool is_complex = a.ty->kind == TY_COMPLEX || b.ty->kind == TY_COMPLEX;
    switch (op) {
    case BIN_ADD:
    case BIN_SUB:
    case BIN_MUL: return join_numbers(a, b);
    case BIN_TRUEDIV: return ints ? TY_F(64) : join_floats(a, b);
    case BIN_FLOORDIV:
    case BIN_MOD: return is_complex ? NULL : join_numbers(a, b);
    case BIN_POW: return ints && b.negative ? TY_F(64) : join_numbers(a, b);
    case BIN_LSHIFT:
    case BIN_RSHIFT:
        if (!ints) return NULL;
        return is_uint64(a.ty) ? a.ty : TY_I(64);
    case BIN_AND:
    case BIN_OR:
    case BIN_XOR: return ints ? join_bits(a, b) : NULL;
    case BIN_MATMUL:
    case BIN_OPS: return NULL;
    }
    return NULL;
}

bool ty_promote(BinOp op, Operand a, Operand b, Promotion *out) {
    if (!ty_is_number(a.ty) || !ty_is_number(b.ty)) return false;
    Type *t = promoted(op, a, b);
    *out = (Promotion){t, t};
    return t != NULL;
}

bool ty_promote_compare(Operand a, Operand b, Type **common, bool *mixed) {
    *mixed = false;
    if (!ty_is_number(a.ty) || !ty_is_number(b.ty)) return false;
    if (ty_is_integral(a.ty) && ty_is_integral(b.ty)) {
        *common = join_ints(a, b);
        *mixed = (*common)->kind == TY_FLOAT;
        return true;
    }
    /* By value: an integer constant must not be rounded to the float32 that it is compared with. */
    if (ty_is_integral(a.ty)) a.weak = false;
    if (ty_is_integral(b.ty)) b.weak = false;
    *common = join_floats(a, b);
    return true;
}

/* --- dtypes ----------------------------------------------------------------------------------- */

static Type *join_int_dtypes(Type *a, Type *b) {
    if (a->is_signed == b->is_signed) return a->bits >= b->bits ? a : b;
    Type *s = a->is_signed ? a : b, *u = a->is_signed ? b : a;
    if (s->bits > u->bits) return s;
    return u->bits == 64 ? TY_F(64) : TY_I(2u * u->bits);
}

/* Bits of the smallest float that holds all values of the type (int64: as good as one can). */
static unsigned float_bits(const Type *t) {
    if (t->kind == TY_FLOAT) return t->bits;
    if (t->kind == TY_COMPLEX) return t->bits / 2u;
    return t->bits <= 8 ? 16 : t->bits == 16 ? 32 : 64;
}

Type *ty_dtype_join(Type *a, Type *b) {
    if (a == b || b->kind == TY_BOOL) return a;
    if (a->kind == TY_BOOL) return b;
    if (a->kind == TY_INT && b->kind == TY_INT) return join_int_dtypes(a, b);
    unsigned wa = float_bits(a), wb = float_bits(b), width = wa > wb ? wa : wb;
    if (a->kind != TY_COMPLEX && b->kind != TY_COMPLEX) return TY_F(width);
    return TY_C(2 * (width < 32 ? 32 : width));
}

Type *ty_dtype_weak(Type *dtype, Type *weak) {
    if (dtype->kind >= weak->kind) return dtype;
    if (weak->kind == TY_COMPLEX && dtype->kind == TY_FLOAT) return ty_dtype_join(dtype, TY_C(64));
    return weak;
}

static Type *join_tuples(Type *a, Type *b) {
    if (a->nitems != b->nitems || a->obj != b->obj) return NULL;
    enum { FEW = 16 };
    Type *few[FEW];
    if (a->nitems > FEW) return NULL;
    for (uint32_t i = 0; i < a->nitems; i++) {
        few[i] = ty_join(a->items[i], b->items[i]);
        if (!few[i]) return NULL;
    }
    return a->obj ? ty_named_tuple(a->obj, a->names, few, a->nitems) : ty_tuple(few, a->nitems);
}

static Type *join_arrays(Type *a, Type *b) {
    if (a->elem != b->elem || a->ndim != b->ndim) return NULL;
    return ty_array(a->elem, a->ndim, a->layout == b->layout ? a->layout : 'A',
                    a->readonly || b->readonly, a->aligned && b->aligned);
}

enum { MAX_CHOICE = 8 };

/* Adds the functions of t to the sorted list of `n`; the new length, or more than MAX_CHOICE. */
static uint32_t add_functions(Type **list, uint32_t n, Type *t) {
    for (uint32_t k = 0; k < t->nitems; k++)
        if ((n = add_functions(list, n, t->items[k])) > MAX_CHOICE) return n;
    if (t->nitems) return n;
    uint32_t i = 0;
    while (i < n && list[i]->id < t->id) i++;
    if (i < n && list[i] == t) return n;
    if (n == MAX_CHOICE) return n + 1;
    for (uint32_t k = n; k > i; k--) list[k] = list[k - 1];
    list[i] = t;
    return n + 1;
}

/* One of several functions; which one is known only at run time. */
static Type *join_functions(Type *a, Type *b) {
    Type *list[MAX_CHOICE];
    uint32_t n = add_functions(list, 0, a);
    if (n <= MAX_CHOICE) n = add_functions(list, n, b);
    return n <= MAX_CHOICE ? ty_choice(list, n) : NULL;
}

Type *ty_join(Type *a, Type *b) {
    if (a == b || b->kind == TY_UNDEF) return a;
    if (a->kind == TY_UNDEF) return b;
    if (a->kind == TY_NONE) return ty_optional(b);
    if (b->kind == TY_NONE) return ty_optional(a);
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) {
        Type *t = ty_join(a->kind == TY_OPTIONAL ? a->of : a, b->kind == TY_OPTIONAL ? b->of : b);
        return t ? ty_optional(t) : NULL;
    }
    if (ty_is_number(a) && ty_is_number(b))
        return join_numbers((Operand){.ty = a}, (Operand){.ty = b});
    if (a->kind == TY_TUPLE && b->kind == TY_TUPLE) return join_tuples(a, b);
    if (a->kind == TY_ARRAY && b->kind == TY_ARRAY) return join_arrays(a, b);
    if (a->kind == TY_FUNC && b->kind == TY_FUNC) return join_functions(a, b);
    return NULL;
}

static Fit fit_to_int(const Type *from, const Type *to) {
    if (from->kind == TY_BOOL) return FIT_PROMOTE;
    if (from->kind == TY_FLOAT) return FIT_UNSAFE;
    if (from->is_signed == to->is_signed) return from->bits < to->bits ? FIT_PROMOTE : FIT_UNSAFE;
    return !from->is_signed && from->bits < to->bits ? FIT_SAFE : FIT_UNSAFE;
}

/* `bits`: of the float, or of one part of the complex number. */
static Fit fit_to_float(const Type *from, unsigned bits) {
    if (from->kind == TY_FLOAT) return from->bits <= bits ? FIT_PROMOTE : FIT_UNSAFE;
    return bits == 64 || from->bits * 2 <= bits ? FIT_SAFE : FIT_UNSAFE;
}

static Fit fit_number(const Type *from, const Type *to) {
    if (from->kind == TY_COMPLEX)
        return to->kind != TY_COMPLEX ? FIT_NONE : from->bits < to->bits ? FIT_PROMOTE : FIT_UNSAFE;
    if (to->kind == TY_INT) return fit_to_int(from, to);
    if (to->kind == TY_FLOAT) return fit_to_float(from, to->bits);
    if (to->kind == TY_BOOL) return FIT_UNSAFE;
    Fit fit = fit_to_float(from, to->bits / 2);
    return fit > FIT_SAFE ? FIT_SAFE : fit;
}

static Fit fit_array(const Type *from, const Type *to) {
    if (from->elem != to->elem || from->ndim != to->ndim) return FIT_NONE;
    if (to->layout != 'A' && to->layout != from->layout) return FIT_NONE;
    if ((from->readonly && !to->readonly) || (!from->aligned && to->aligned)) return FIT_NONE;
    return from->readonly == to->readonly ? FIT_PROMOTE : FIT_SAFE;
}

static Fit fit_tuple(const Type *from, const Type *to) {
    if (from->nitems != to->nitems || (to->obj && from->obj != to->obj)) return FIT_NONE;
    Fit worst = from->obj == to->obj ? FIT_EXACT : FIT_SAFE;
    for (uint32_t i = 0; i < from->nitems && worst; i++) {
        Fit fit = ty_fit(from->items[i], to->items[i]);
        if (fit < worst) worst = fit;
    }
    return worst;
}

Fit ty_fit(const Type *from, const Type *to) {
    if (from == to) return FIT_EXACT;
    if (to->kind == TY_OPTIONAL) {
        if (from->kind == TY_NONE) return FIT_PROMOTE;
        Fit fit = ty_fit(from->kind == TY_OPTIONAL ? from->of : from, to->of);
        return fit > FIT_PROMOTE ? FIT_PROMOTE : fit;
    }
    if (ty_is_number(from) && ty_is_number(to)) return fit_number(from, to);
    if (from->kind == TY_ENUM && from->is_signed && ty_is_number(to)) {
        Fit fit = ty_fit(TY_I(64), to);
        return fit > FIT_SAFE ? FIT_SAFE : fit;
    }
    if (from->kind == TY_ARRAY && to->kind == TY_ARRAY) return fit_array(from, to);
    if (from->kind == TY_TUPLE && to->kind == TY_TUPLE) return fit_tuple(from, to);
    return FIT_NONE;
}
