/* Python's builtin functions on single values, and attributes of what is neither number nor array. */
#include <string.h>

#include "builtins/tables.h"

/* --- abs, divmod, pow, round ------------------------------------------------------------------------------------ */

static Type *number_of(Type *ty) { return ty->kind == TY_ENUM && ty->is_signed ? TY_I(64) : ty; }

static Type *type_abs(Call *c) {
    Type *ty = number_of(plain(c, 0));
    if (ty->kind == TY_BOOL) return TY_I(64);
    if (ty->kind == TY_INT) return ty->bits == 64 ? ty : TY_I(64);
    if (ty->kind == TY_FLOAT) return ty;
    if (ty->kind == TY_COMPLEX) return TY_F(ty->bits / 2u);
    return rule_no_overload(c);
}

static Ref lower_abs(Lower *lo, Call *c) {
    Type *ty = number_of(plain(c, 0));
    Ref v = lo_arg_as(lo, c->args[0], ty);
    if (ty->kind == TY_COMPLEX)
        return lo_math2(lo, MATH_HYPOT, lo_field(lo, v, 0), lo_field(lo, v, 1));
    if (ty->kind == TY_FLOAT) return lo_math1(lo, MATH_FABS, v);
    v = lo_convert(lo, v, c->result);
    return lo_type(lo, v)->is_signed ? lo_math1(lo, MATH_ABS, v) : v;
}

static bool promote2(Call *c, BinOp op, Promotion *p) {
    Operand a = {.ty = number_of(plain(c, 0)), .weak = c->args[0].weak};
    Operand b = {.ty = number_of(plain(c, 1)), .weak = c->args[1].weak};
    return ty_is_number(a.ty) && ty_is_number(b.ty) && ty_promote(op, a, b, p);
}

static Type *type_divmod(Call *c) {
    Promotion p;
    if (!promote2(c, BIN_FLOORDIV, &p)) return rule_no_overload(c);
    return ty_tuple((Type *[]){p.result, p.result}, 2);
}

static Ref lower_divmod(Lower *lo, Call *c) {
    Promotion p;
    promote2(c, BIN_FLOORDIV, &p);
    Ref a = lo_arg_as(lo, c->args[0], p.operand), b = lo_arg_as(lo, c->args[1], p.operand);
    if (p.operand->kind == TY_FLOAT && !lo->fn->options.numpy_errors)
        lo_check(lo, lo_cmp(lo, OP_NE, b, lo_number(lo, p.operand, 0)), CHECK_ZERO_DIVMOD);
    Ref q = lo_binary_number(lo, BIN_FLOORDIV, a, b, p.operand, p.result, c->args[1].k);
    Ref m = lo_binary_number(lo, BIN_MOD, a, b, p.operand, p.result, c->args[1].k);
    return lo_make(lo, c->result, 2, (Ref[]){q, m});
}

static Type *type_pow(Call *c) {
    if (given(c, 2)) {
        for (uint32_t i = 0; i < 3; i++)
            if (!ty_is_integral(plain(c, i))) return rule_no_overload(c);
        return TY_I(64);
    }
    Type *ty = rule_binary(c, BIN_POW);
    return ty ? ty : rule_no_overload(c);
}

Type *rule_binary(Call *c, BinOp op) {
    Promotion p;
    Operand a = {.ty = number_of(plain(c, 0)), .weak = c->args[0].weak};
    Operand b = {.ty = number_of(plain(c, 1)), .weak = c->args[1].weak};
    const Const *k = c->args[1].k;
    if (k && b.weak && ty_is_integral(k->ty)) b.negative = k->i < 0, b.nonneg = !b.negative;
    return ty_is_number(a.ty) && ty_is_number(b.ty) && ty_promote(op, a, b, &p) ? p.result : NULL;
}

static Ref lower_pow_mod(Lower *lo, Call *c) {
    Ref v[3], zero = lo_int(lo, 0);
    for (uint32_t i = 0; i < 3; i++) v[i] = lo_arg_as(lo, c->args[i], TY_I(64));
    lo_check(lo, lo_cmp(lo, OP_GE, v[1], zero), CHECK_NEG_POW_MOD);
    lo_check(lo, lo_cmp(lo, OP_NE, v[2], zero), CHECK_ZERO_POW_MOD);
    return lo_rt(lo, "ws_powmod", TY_I(64), 3, v);
}

static Ref lower_pow(Lower *lo, Call *c) {
    if (given(c, 2)) return lower_pow_mod(lo, c);
    Promotion p;
    Operand a = {.ty = number_of(plain(c, 0)), .weak = c->args[0].weak};
    Operand b = {.ty = number_of(plain(c, 1)), .weak = c->args[1].weak};
    Const *k = c->args[1].k;
    if (k && b.weak && ty_is_integral(k->ty)) b.negative = k->i < 0, b.nonneg = !b.negative;
    ty_promote(BIN_POW, a, b, &p);
    return lo_binary_number(lo, BIN_POW, lo_arg_as(lo, c->args[0], a.ty),
                            lo_arg_as(lo, c->args[1], b.ty), p.operand, p.result, k);
}

static Type *type_round(Call *c) {
    Type *ty = plain(c, 0);
    bool digits = given(c, 1) && c->args[1].ty->kind != TY_NONE;
    if (digits && !ty_is_integral(plain(c, 1))) return rule_no_overload(c);
    if (ty_is_integral(ty)) return ty->kind == TY_INT && ty->bits == 64 ? ty : TY_I(64);
    if (ty->kind == TY_FLOAT) return digits ? ty : TY_I(64);
    return rule_no_overload(c);
}

static Ref lower_round(Lower *lo, Call *c) {
    Type *ty = plain(c, 0), *result = c->result;
    bool digits = given(c, 1) && c->args[1].ty->kind != TY_NONE;
    Ref v = lo_arg_as(lo, c->args[0], ty);
    if (ty_is_integral(ty)) {
        v = lo_convert(lo, v, result);
        if (!digits) return v;
        Ref n = lo_arg_as(lo, c->args[1], TY_I(64));
        Ref r = lo_rt(lo, "ws_round_int", TY_I(64), 2, (Ref[]){lo_convert(lo, v, TY_I(64)), n});
        return lo_convert(lo, r, result);
    }
    if (!digits) return lo_float_to_int(lo, lo_math1(lo, MATH_RINT, v));
    Ref args[] = {lo_convert(lo, v, TY_F(64)), lo_arg_as(lo, c->args[1], TY_I(64))};
    return lo_convert(lo, lo_rt(lo, "ws_round_digits", TY_F(64), 2, args), result);
}

/* --- hash -------------------------------------------------------------------------------------------------------------- */

static bool can_hash(const Type *ty) {
    if (ty->kind == TY_TUPLE) {
        for (uint32_t i = 0; i < ty->nitems; i++)
            if (!can_hash(ty->items[i])) return false;
        return true;
    }
    return ty_is_number(ty) || ty->kind == TY_NONE || ty->kind == TY_STR;
}

static Type *type_hash(Call *c) { return can_hash(c->args[0].ty) ? TY_I(64) : rule_no_overload(c); }

static Ref hash_value(Lower *lo, Ref v) {
    Type *ty = lo_type(lo, v), *h = TY_I(64);
    switch ((TyKind)ty->kind) {
    case TY_NONE: return lo_rt(lo, "ws_hash_none", h, 0, NULL);
    case TY_STR: return lo_rt(lo, "ws_str_hash", h, 1, &v);
    case TY_FLOAT: v = lo_convert(lo, v, TY_F(64)); return lo_rt(lo, "ws_hash_float", h, 1, &v);
    case TY_COMPLEX: {
        Ref parts[] = {lo_convert(lo, lo_field(lo, v, 0), TY_F(64)),
                       lo_convert(lo, lo_field(lo, v, 1), TY_F(64))};
        return lo_rt(lo, "ws_hash_complex", h, 2, parts);
    }
    case TY_TUPLE: {
        Ref *items = NEWN(lo->cx, Ref, ty->nitems + 1);
        Type **types = NEWN(lo->cx, Type *, ty->nitems + 1);
        for (uint32_t i = 0; i < ty->nitems; i++)
            items[i] = hash_value(lo, lo_field(lo, v, i)), types[i] = h;
        Ref all = lo_make(lo, ty_tuple(types, ty->nitems), ty->nitems, items);
        return lo_rt(lo, "ws_hash_tuple", h, 2, (Ref[]){lo_int(lo, ty->nitems), all});
    }
    default: {
        bool big = ty->kind == TY_INT && !ty->is_signed && ty->bits == 64;
        v = lo_convert(lo, v, h);
        return lo_rt(lo, big ? "ws_hash_uint" : "ws_hash_int", h, 1, &v);
    }
    }
}

static Ref lower_hash(Lower *lo, Call *c) { return hash_value(lo, lo_arg(lo, c->args[0])); }

/* --- questions about types --------------------------------------------------------------------------------------------- */

/* The Python class of values of a type; borrowed. NULL: it has none here. */
static PyObject *class_of(Infer *in, const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_BOOL: return (PyObject *)&PyBool_Type;
    case TY_INT: return (PyObject *)&PyLong_Type;
    case TY_FLOAT: return (PyObject *)&PyFloat_Type;
    case TY_COMPLEX: return (PyObject *)&PyComplex_Type;
    case TY_STR: return (PyObject *)&PyUnicode_Type;
    case TY_BYTES: return (PyObject *)&PyBytes_Type;
    case TY_NONE: return (PyObject *)Py_TYPE(Py_None);
    case TY_RANGE: return (PyObject *)&PyRange_Type;
    case TY_SLICE: return (PyObject *)&PySlice_Type;
    case TY_TUPLE: return ty->obj ? ty->obj : (PyObject *)&PyTuple_Type;
    case TY_ENUM: return ty->obj;
    case TY_EXC:
        if (ty->bits == EXC_ITS_CLASS) return (PyObject *)&PyType_Type;
        return ty->bits == EXC_ITS_ARGS ? (PyObject *)&PyTuple_Type : NULL;
    case TY_ARRAY: {
        PyObject *np = build_get_item(PyImport_GetModuleDict(), "numpy");
        PyObject *cls = np ? build_get_attr(np, "ndarray") : NULL;
        build_clear_error();
        if (cls) cx_defer(in->cx, (void (*)(void *))Py_DecRef, cls);
        return cls;
    }
    default: return NULL;
    }
}

/* isinstance(value of ty, cls): 1, 0; -1: cls is no class. A whipsnake or NumPy number type holds for that very type,
 * abstract number classes for their kind. */
static int is_instance(Infer *in, const Type *ty, const Type *cls) {
    if (cls->kind == TY_TUPLE) {
        int any = 0;
        for (uint32_t i = 0; i < cls->nitems; i++) {
            int r = is_instance(in, ty, cls->items[i]);
            if (r < 0) return r;
            any = any || r;
        }
        return any;
    }
    if ((cls->kind != TY_CLASS && cls->kind != TY_FUNC) || !cls->obj) return -1;
    PyObject *mine = class_of(in, ty);
    if (PyType_Check(cls->obj) && mine &&
        PyType_IsSubtype((PyTypeObject *)mine, (PyTypeObject *)cls->obj))
        return 1;
    Type *number = rule_object_type(in, cls->obj);
    bool python = cls->obj == (PyObject *)&PyLong_Type || cls->obj == (PyObject *)&PyFloat_Type ||
                  cls->obj == (PyObject *)&PyBool_Type || cls->obj == (PyObject *)&PyComplex_Type;
    if (number && !python) return number == ty;
    if (!PyType_Check(cls->obj)) return -1;
    if (!mine) return 0;
    int r = PyObject_IsSubclass(mine, cls->obj); /* numbers.Number and other abstract classes */
    if (r < 0) build_clear_error();
    return r > 0;
}

static Const *const_isinstance(Call *c) {
    if (rule_is_about_exception(c)) return NULL;
    int r = is_instance(c->in, c->args[0].ty, c->args[1].ty);
    return r < 0 || c->args[0].ty->kind == TY_OPTIONAL ? NULL : const_bool(c->in->cx, r);
}

static Type *type_isinstance(Call *c) {
    if (is_instance(c->in, c->args[0].ty, c->args[1].ty) < 0) {
        infer_hint(c->in, "the second argument is a type, or a tuple of types");
        return rule_no_overload(c);
    }
    return TY_OF(TY_BOOL);
}

static Ref lower_isinstance(Lower *lo, Call *c) {
    if (rule_is_about_exception(c)) return lower_is_exception(lo, c);
    Type *ty = c->args[0].ty, *cls = c->args[1].ty;
    if (ty->kind != TY_OPTIONAL) return lo_const(lo, const_isinstance(c));
    bool value = is_instance(lo->in, ty->of, cls) > 0,
         none = is_instance(lo->in, TY_OF(TY_NONE), cls) > 0;
    return lo_select(lo, lo_field(lo, lo_arg(lo, c->args[0]), 0), lo_bool(lo, value),
                     lo_bool(lo, none));
}

static bool are_classes(const Type *ty) {
    if (ty->kind == TY_CLASS) return PyType_Check(ty->obj);
    for (uint32_t i = 0; ty->kind == TY_TUPLE && i < ty->nitems; i++)
        if (!are_classes(ty->items[i])) return false;
    return ty->kind == TY_TUPLE;
}

static Type *type_issubclass(Call *c) {
    Type *cls = c->args[0].ty;
    bool good = ty_is_exc(cls, EXC_ITS_CLASS) || (cls->kind == TY_CLASS && are_classes(cls));
    return good && are_classes(c->args[1].ty) ? TY_OF(TY_BOOL) : rule_no_overload(c);
}

static bool is_subclass(PyObject *cls, const Type *of) {
    if (of->kind == TY_CLASS) {
        int is = PyObject_IsSubclass(cls, of->obj);
        if (is < 0) build_clear_error();
        return is > 0;
    }
    for (uint32_t i = 0; i < of->nitems; i++)
        if (is_subclass(cls, of->items[i])) return true;
    return false;
}

static Const *const_issubclass(Call *c) {
    Type *cls = c->args[0].ty;
    return cls->kind == TY_CLASS ? const_bool(c->in->cx, is_subclass(cls->obj, c->args[1].ty))
                                 : NULL;
}

static Ref lower_issubclass(Lower *lo, Call *c) {
    if (c->args[0].ty->kind == TY_CLASS) return lo_const(lo, const_issubclass(c));
    return lower_exc_is_of(lo, lo_arg(lo, c->args[0]), c->args[1].ty);
}

static Type *type_bool(Call *c) { return (void)c, TY_OF(TY_BOOL); }

static Const *const_callable(Call *c) {
    TyKind k = (TyKind)c->args[0].ty->kind;
    return const_bool(c->in->cx, k == TY_FUNC || k == TY_CLASS || k == TY_CLOSURE);
}

static Type *type_type(Call *c) {
    if (ty_is_exc(c->args[0].ty, EXC_ITSELF)) return TY_EXC_OF(EXC_ITS_CLASS);
    PyObject *cls = class_of(c->in, c->args[0].ty);
    return cls ? ty_object(TY_CLASS, cls) : rule_no_overload(c);
}

static Const *const_of_type(Call *c) {
    Type *ty = type_type(c);
    if (!ty || ty->kind != TY_CLASS) return NULL;
    Const *k = NEW(c->in->cx, Const);
    k->ty = ty;
    k->obj = ty->obj;
    return k;
}

static Ref lower_type(Lower *lo, Call *c) {
    if (c->result->kind == TY_EXC) return lower_exc_class(lo, lo_arg(lo, c->args[0]));
    return lower_constant(lo, c);
}

/* --- len, slice, tuple -------------------------------------------------------------------------------------------------- */

static Type *type_len(Call *c) {
    Type *ty = c->args[0].ty;
    if (ty->kind == TY_TUPLE || ty->kind == TY_STR || ty->kind == TY_RANGE || ty->kind == TY_BYTES)
        return TY_I(64);
    if (ty->kind == TY_ARRAY && ty->ndim > 0) return TY_I(64);
    if (ty_is_exc(ty, EXC_ITS_ARGS)) return TY_I(64);
    return rule_no_overload(c);
}

static Const *const_len(Call *c) {
    Type *ty = c->args[0].ty;
    return ty->kind == TY_TUPLE ? ir_const_int(c->in->cx, TY_I(64), ty->nitems) : NULL;
}

static Ref lower_len(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->args[0]);
    TyKind k = (TyKind)lo_type(lo, v)->kind;
    if (k == TY_EXC) return lower_exc_count(lo, v);
    return k == TY_STR || k == TY_BYTES ? lo_field(lo, v, 1) : lower_length(lo, v);
}

static Type *type_slice(Call *c) {
    Type *none = TY_OF(TY_NONE), *p[3] = {none, none, none};
    uint32_t n = 0;
    while (n < 3 && given(c, n)) n++;
    for (uint32_t i = 0; i < n; i++) {
        Type *ty = c->args[i].ty;
        if (ty->kind != TY_NONE && !ty_is_integral(ty)) return rule_no_overload(c);
        p[n == 1 ? 1 : i] = ty->kind == TY_NONE ? ty : TY_I(64);
    }
    return ty_slice(p[0], p[1], p[2]);
}

static Ref lower_slice(Lower *lo, Call *c) {
    Ref fields[3];
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3 && given(c, i); i++)
        if (c->args[i].ty->kind != TY_NONE) fields[n++] = lo_arg_as(lo, c->args[i], TY_I(64));
    return lo_make(lo, c->result, n, fields);
}

static Type *type_tuple(Call *c) {
    if (!given(c, 0)) return ty_tuple(NULL, 0);
    Type *ty = c->args[0].ty;
    return ty->kind == TY_TUPLE ? ty_tuple(ty->items, ty->nitems) : rule_no_overload(c);
}

static Ref lower_tuple(Lower *lo, Call *c) {
    Type *ty = c->result;
    if (!given(c, 0)) return lo_make(lo, ty, 0, NULL);
    Ref v = lo_arg(lo, c->args[0]);
    return lo_type(lo, v) == ty ? v : lo_convert(lo, v, ty);
}

/* --- classes without a row of their own ---------------------------------------------------------------------------------- */

static PyObject *called_class(Call *c) {
    return ir_at(c->inst->high, ir_at(c->inst->high, c->ins)->args[0])->ty->obj;
}

static const char *const *field_names(Infer *in, PyObject *cls, uint32_t *n) {
    PyObject *fields = build_get_attr(cls, "_fields");
    if (!fields || !PyTuple_Check(fields)) {
        build_clear_error();
        Py_XDECREF(fields);
        return NULL;
    }
    *n = (uint32_t)PyTuple_Size(fields);
    const char **names = NEWN(in->cx, const char *, *n + 1);
    for (uint32_t i = 0; i < *n; i++) {
        const char *s = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(fields, i), NULL);
        names[i] = cx_name(in->cx, s ? s : "");
    }
    Py_DECREF(fields);
    return names;
}

/* Value i: as given, or the field's default. */
static Arg namedtuple_arg(Call *c, PyObject *cls, const char *name, uint32_t i) {
    if (given(c, i)) return c->args[i];
    PyObject *defaults = build_get_attr(cls, "_field_defaults");
    PyObject *value = defaults ? build_get_item(defaults, name) : NULL;
    Const *k = value ? build_const(c->in->cx, value) : NULL;
    build_clear_error();
    Py_XDECREF(defaults);
    return (Arg){.item = -1, .ty = k ? k->ty : NULL, .k = k};
}

static Type *type_namedtuple(Call *c) {
    uint32_t n = 0;
    PyObject *cls = called_class(c);
    const char *const *names = field_names(c->in, cls, &n);
    Type *items[32];
    for (uint32_t i = 0; i < n; i++) {
        items[i] = namedtuple_arg(c, cls, names[i], i).ty;
        if (!items[i])
            return infer_fail(c->in, c->span, D_ARG_COUNT,
                              cx_printf(c->in->cx, "%s() missing required argument: '%s'",
                                        infer_object_name(c->in, cls), names[i]));
    }
    return ty_named_tuple(cls, names, items, n);
}

static Ref lower_namedtuple(Lower *lo, Call *c) {
    uint32_t n = 0;
    PyObject *cls = called_class(c);
    const char *const *names = field_names(lo->in, cls, &n);
    Ref items[32];
    for (uint32_t i = 0; i < n; i++) items[i] = lo_arg(lo, namedtuple_arg(c, cls, names[i], i));
    return lo_make(lo, c->result, n, items);
}

/* A row for this class: its parameters are its fields. */
static const Row *namedtuple_row(Infer *in, PyObject *cls) {
    uint32_t n = 0;
    const char *const *names = field_names(in, cls, &n);
    if (!names || n > 32) return NULL;
    Buf params = {0};
    for (uint32_t i = 0; i < n; i++) buf_printf(in->cx, &params, "%s%s=", i ? ", " : "", names[i]);
    Row *row = NEW(in->cx, Row);
    *row = (Row){.name = infer_object_name(in, cls),
                 .params = params.at ? params.at : "",
                 .type = type_namedtuple,
                 .lower = lower_namedtuple};
    return row;
}

static const Row *cast_row(const Type *ty) { return ty && ty_is_number(ty) ? &row_cast : NULL; }

const Row *row_of_class(Infer *in, PyObject *obj) {
    if (!PyType_Check(obj)) return cast_row(in->core->as_type(obj));
    PyTypeObject *cls = (PyTypeObject *)obj;
    if (PyType_IsSubtype(cls, (PyTypeObject *)PyExc_BaseException)) return &row_exception;
    if (PyType_IsSubtype(cls, &PyTuple_Type)) return namedtuple_row(in, obj);
    return cast_row(rule_object_type(in, obj));
}

/* --- tables -------------------------------------------------------------------------------------------------------------------- */

const Row rows_core[] = {
    {.name = "builtins.abs",
     .loops = "=numpy.absolute",
     .takes = "numbers",
     .params = "x",
     .type = type_abs,
     .lower = lower_abs,
     .doc = "absolute value"},
    {.name = "builtins.divmod", .params = "a, b", .type = type_divmod, .lower = lower_divmod},
    {.name = "builtins.pow", .params = "base, exp, mod=", .type = type_pow, .lower = lower_pow},
    {.name = "builtins.round",
     .params = "number, ndigits=",
     .type = type_round,
     .lower = lower_round},
    {.name = "builtins.hash", .params = "x", .type = type_hash, .lower = lower_hash},
    {.name = "builtins.isinstance",
     .params = "x, cls",
     .type = type_isinstance,
     .lower = lower_isinstance,
     .constant = const_isinstance},
    {.name = "builtins.issubclass",
     .params = "cls, classes",
     .type = type_issubclass,
     .lower = lower_issubclass,
     .constant = const_issubclass},
    {.name = "builtins.callable",
     .params = "x",
     .type = type_bool,
     .lower = lower_constant,
     .constant = const_callable},
    {.name = "builtins.type",
     .params = "x",
     .type = type_type,
     .lower = lower_type,
     .constant = const_of_type},
    {.name = "builtins.len",
     .takes = "arrays, tuples, ranges and strings",
     .params = "x",
     .type = type_len,
     .lower = lower_len,
     .constant = const_len},
    {.name = "builtins.slice", .params = "a, b=, c=", .type = type_slice, .lower = lower_slice},
    {.name = "builtins.tuple", .params = "x=", .type = type_tuple, .lower = lower_tuple},
    {0},
};
