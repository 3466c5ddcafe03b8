/* Conversions: int(), float(), np.float32() ...; and the attributes of numbers. */
#include <math.h>

#include "builtins/tables.h"

/* --- int ---------------------------------------------------------------------------------------------------------- */

Ref lo_float_to_int(Lower *lo, Ref v) {
    Type *ty = lo_type(lo, v);
    Ref low = lo_cmp(lo, OP_GE, v, lo_float(lo, ty, -0x1p63)),
        high = lo_cmp(lo, OP_LT, v, lo_float(lo, ty, 0x1p63));
    lo_check2(lo, lo_and(lo, low, high), CHECK_FLOAT_TO_INT, v, 0);
    return lo_op1(lo, OP_CAST, TY_I(64), v);
}

/* int("12"), int("ff", 16): only texts that are known when compiling. */
static Const *int_of_text(Call *c) {
    const Const *k = c->args[0].k, *base = given(c, 1) ? c->args[1].k : NULL;
    if (!k || k->ty->kind != TY_STR || (given(c, 1) && (!base || !ty_is_integral(base->ty))))
        return NULL;
    const char *text = cx_printf(c->in->cx, "%.*s", (int)k->str.n, k->str.s);
    PyObject *i = PyLong_FromString(text, NULL, base ? (int)base->i : 10);
    int64_t value = i ? PyLong_AsLongLong(i) : -1;
    Const *r = i && !PyErr_Occurred() ? ir_const_int(c->in->cx, TY_I(64), value) : NULL;
    build_clear_error();
    Py_XDECREF(i);
    return r;
}

static Type *type_int(Call *c) {
    if (!given(c, 0)) return TY_I(64);
    if (given(c, 1) || c->args[0].ty->kind == TY_STR)
        return int_of_text(c) ? TY_I(64) : rule_no_overload(c);
    Type *ty = plain(c, 0);
    bool good =
        ty_is_integral(ty) || ty->kind == TY_FLOAT || (ty->kind == TY_ENUM && ty->is_signed);
    return good ? TY_I(64) : rule_no_overload(c);
}

static Const *const_int(Call *c) {
    if (!given(c, 0)) return ir_const_int(c->in->cx, TY_I(64), 0);
    const Const *k = c->args[0].k;
    if (k && k->ty->kind == TY_STR) return int_of_text(c);
    return k && ty_is_integral(k->ty) ? ir_const_int(c->in->cx, TY_I(64), k->i) : NULL;
}

static Ref lower_int(Lower *lo, Call *c) {
    if (!given(c, 0)) return lo_int(lo, 0);
    if (c->args[0].ty->kind == TY_STR) return lo_const(lo, const_int(c));
    Ref v = lo_arg_as(lo, c->args[0], plain(c, 0));
    return lo_type(lo, v)->kind == TY_FLOAT ? lo_float_to_int(lo, v) : lo_convert(lo, v, TY_I(64));
}

/* --- float, complex, bool ------------------------------------------------------------------------------------------ */

/* float("inf") and friends: only texts that are known when compiling. */
static Const *float_of_text(Call *c) {
    const Const *k = c->args[0].k;
    if (!k || k->ty->kind != TY_STR) return NULL;
    PyObject *s = PyUnicode_FromStringAndSize(k->str.s, (Py_ssize_t)k->str.n);
    PyObject *f = s ? PyFloat_FromString(s) : NULL;
    Const *r = f ? ir_const_float(c->in->cx, TY_F(64), PyFloat_AsDouble(f)) : NULL;
    build_clear_error();
    Py_XDECREF(s);
    Py_XDECREF(f);
    return r;
}

static Const *const_float(Call *c) {
    if (!given(c, 0)) return ir_const_float(c->in->cx, TY_F(64), 0);
    const Const *k = c->args[0].k;
    if (!k) return NULL;
    return k->ty->kind == TY_STR ? float_of_text(c)
           : ty_is_number(k->ty) ? fold_convert(c->in->cx, k, TY_F(64))
                                 : NULL;
}

static Type *type_float(Call *c) {
    if (!given(c, 0)) return TY_F(64);
    Type *ty = plain(c, 0);
    if (ty_is_integral(ty) || ty->kind == TY_FLOAT || (ty->kind == TY_ENUM && ty->is_signed))
        return TY_F(64);
    return float_of_text(c) ? TY_F(64) : rule_no_overload(c);
}

static Ref lower_float(Lower *lo, Call *c) {
    Const *k = const_float(c);
    return k ? lo_const(lo, k) : lo_convert(lo, lo_arg_as(lo, c->args[0], plain(c, 0)), TY_F(64));
}

static Type *type_complex(Call *c) {
    for (uint32_t i = 0; i < 2; i++)
        if (given(c, i) && !ty_is_number(plain(c, i))) return rule_no_overload(c);
    return TY_C(128);
}

/* complex(a, b) is a + b*1j, also for complex a and b. */
static Ref lower_complex(Lower *lo, Call *c) {
    Type *ty = TY_C(128);
    Ref a =
        given(c, 0) ? lo_convert(lo, lo_arg_as(lo, c->args[0], plain(c, 0)), ty) : lo_zero(lo, ty);
    if (!given(c, 1)) return a;
    Ref re = lo_field(lo, a, 0), im = lo_field(lo, a, 1),
        b = lo_arg_as(lo, c->args[1], plain(c, 1));
    bool whole = plain(c, 0)->kind == TY_COMPLEX;
    if (plain(c, 1)->kind == TY_COMPLEX) {
        b = lo_convert(lo, b, ty);
        re = lo_op2(lo, OP_SUB, re, lo_field(lo, b, 1));
        b = lo_field(lo, b, 0);
    }
    b = lo_convert(lo, b, TY_F(64));
    return lo_complex(lo, ty, re, whole ? lo_op2(lo, OP_ADD, im, b) : b);
}

static Type *type_to_bool(Call *c) {
    if (given(c, 0) && c->args[0].ty->kind == TY_ARRAY && c->args[0].ty->ndim)
        return rule_no_overload(c);
    return TY_OF(TY_BOOL);
}

static Const *const_to_bool(Call *c) {
    if (!given(c, 0)) return const_bool(c->in->cx, false);
    Const *no = c->args[0].k ? fold_unary(c->in->cx, UN_NOT, c->args[0].k, TY_OF(TY_BOOL)) : NULL;
    return no ? const_bool(c->in->cx, !no->i) : NULL;
}

static Ref lower_to_bool(Lower *lo, Call *c) {
    return given(c, 0) ? lo_truth(lo, lo_arg(lo, c->args[0])) : lo_bool(lo, false);
}

/* --- classes of numbers: np.float32(x), types.uint8(x) ------------------------------------------------------------ */

static Type *cast_target(Call *c) {
    return rule_object_type(c->in,
                            ir_at(c->inst->high, ir_at(c->inst->high, c->ins)->args[0])->ty->obj);
}

static Type *type_cast(Call *c) {
    Type *to = cast_target(c);
    if (!given(c, 0)) return to;
    Type *from = plain(c, 0);
    if (float_of_text(c) && to->kind == TY_FLOAT) return to;
    if (!ty_is_number(from) && !(from->kind == TY_ENUM && from->is_signed))
        return rule_no_overload(c);
    return from->kind == TY_COMPLEX && to->kind != TY_COMPLEX && to->kind != TY_BOOL
               ? rule_no_overload(c)
               : to;
}

static Const *const_cast(Call *c) {
    if (!given(c, 0) || !c->args[0].k) return NULL;
    Const *k = c->args[0].k->ty->kind == TY_STR ? float_of_text(c) : c->args[0].k;
    return k && ty_is_number(k->ty) ? fold_convert(c->in->cx, k, cast_target(c)) : NULL;
}

static Ref lower_cast(Lower *lo, Call *c) {
    Type *to = cast_target(c);
    if (!given(c, 0)) return lo_zero(lo, to);
    Const *k = const_cast(c);
    return k ? lo_const(lo, k) : lo_convert(lo, lo_arg_as(lo, c->args[0], plain(c, 0)), to);
}

const Row row_cast = {.name = "builtins.number",
                      .params = "x=",
                      .loops = "X>",
                      .type = type_cast,
                      .lower = lower_cast,
                      .constant = const_cast};

/* --- attributes and methods of numbers ------------------------------------------------------------------------------ */

static Type *type_part(Call *c) {
    Type *ty = c->self.ty;
    if (ty->kind == TY_COMPLEX) return TY_F(ty->bits / 2u);
    return ty->kind == TY_BOOL ? TY_I(64) : ty;
}

static Ref lower_real(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->self);
    return c->self.ty->kind == TY_COMPLEX ? lo_field(lo, v, 0) : lo_convert(lo, v, type_part(c));
}

static Ref lower_imag(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->self);
    return c->self.ty->kind == TY_COMPLEX ? lo_field(lo, v, 1) : lo_zero(lo, type_part(c));
}

static Type *type_conjugate(Call *c) { return c->self.ty->kind == TY_BOOL ? TY_I(64) : c->self.ty; }

static Ref lower_conjugate(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->self);
    if (c->self.ty->kind != TY_COMPLEX) return lo_convert(lo, v, type_conjugate(c));
    Ref im = lo_field(lo, v, 1);
    return lo_complex(lo, c->self.ty, lo_field(lo, v, 0), lo_op1(lo, OP_NEG, lo_type(lo, im), im));
}

static Type *type_item(Call *c) { return c->self.ty; }
static Ref lower_item_of_number(Lower *lo, Call *c) { return lo_arg(lo, c->self); }

static Type *type_bits(Call *c) { return (void)c, TY_I(64); }

/* Bits of the absolute value. */
static Ref magnitude(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->self);
    bool is_signed = c->self.ty->kind == TY_INT && c->self.ty->is_signed;
    v = lo_convert(lo, v, TY_I(64));
    return lo_convert(lo, is_signed ? lo_math1(lo, MATH_ABS, v) : v, TY_U(64));
}

static Ref lower_bit_length(Lower *lo, Call *c) {
    Ref zeros = lo_math1(lo, MATH_CLZ, magnitude(lo, c));
    return lo_op2(lo, OP_SUB, lo_int(lo, 64), lo_convert(lo, zeros, TY_I(64)));
}

static Ref lower_bit_count(Lower *lo, Call *c) {
    return lo_convert(lo, lo_math1(lo, MATH_CTPOP, magnitude(lo, c)), TY_I(64));
}

static Type *type_is_integer(Call *c) { return (void)c, TY_OF(TY_BOOL); }

static Ref lower_is_integer(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->self);
    Ref whole = lo_cmp(lo, OP_EQ, lo_math1(lo, MATH_FLOOR, v), v);
    return lo_and(lo, whole, lo_math1(lo, MATH_ISFINITE, v));
}

#define ATTRIBUTE(name_, type_, lower_) \
    {.name = name_, .params = "", .type = type_, .lower = lower_, .flags = ROW_ATTRIBUTE}
#define METHOD(name_, params_, type_, lower_) \
    {.name = name_, .params = params_, .type = type_, .lower = lower_, .flags = ROW_METHOD}

const Row rows_number_methods[] = {
    ATTRIBUTE("number.real", type_part, lower_real),
    ATTRIBUTE("number.imag", type_part, lower_imag),
    METHOD("number.conjugate", "", type_conjugate, lower_conjugate),
    METHOD("number.conj", "", type_conjugate, lower_conjugate),
    METHOD("number.item", "", type_item, lower_item_of_number),
    METHOD("int.bit_length", "", type_bits, lower_bit_length),
    METHOD("int.bit_count", "", type_bits, lower_bit_count),
    METHOD("float.is_integer", "", type_is_integer, lower_is_integer),
    {0},
};

const Row rows_convert[] = {
    {.name = "builtins.int",
     .takes = "integers, floats and texts known when compiling; of a complex number, take z.real",
     .params = "x=, base=",
     .type = type_int,
     .lower = lower_int,
     .constant = const_int},
    {.name = "builtins.float",
     .takes = "integers, floats and texts known when compiling; of a complex number, take z.real",
     .params = "x=",
     .type = type_float,
     .lower = lower_float,
     .constant = const_float},
    {.name = "builtins.complex",
     .params = "real=, imag=",
     .type = type_complex,
     .lower = lower_complex},
    {.name = "builtins.bool",
     .params = "x=",
     .type = type_to_bool,
     .lower = lower_to_bool,
     .constant = const_to_bool},
    {0},
};
