/* Python objects and literals as compile-time constants. */
#include <string.h>

#include "build/build_int.h"
#include "py/py.h"

static Const *new_const(Cx *cx, Type *ty) {
    if (!ty) cx_abort(cx); /* no memory for the type */
    Const *k = NEW(cx, Const);
    k->ty = ty;
    return k;
}

Const *bd_ellipsis(Cx *cx) {
    Const *k = new_const(cx, ty_object(TY_CLASS, Py_Ellipsis));
    k->obj = Py_Ellipsis;
    return k;
}

static Const *const_object(Cx *cx, TyKind kind, PyObject *obj) {
    Const *k = new_const(cx, ty_object(kind, obj));
    k->obj = obj;
    return k;
}

static Const *const_int(Cx *cx, PyObject *obj) {
    int overflow;
    int64_t i = PyLong_AsLongLongAndOverflow(obj, &overflow);
    if (!overflow) return ir_const_int(cx, TY_I(64), i);
    uint64_t bits = PyLong_AsUnsignedLongLong(obj);
    if (!PyErr_Occurred()) return ir_const_int(cx, TY_U(64), (int64_t)bits);
    py_clear_error();
    return NULL;
}

static Const *const_complex(Cx *cx, Type *ty, PyObject *obj) {
    Const *k = new_const(cx, ty);
    k->f[0] = PyComplex_RealAsDouble(obj);
    k->f[1] = PyComplex_ImagAsDouble(obj);
    return k;
}

static Const *const_text(Cx *cx, TyKind kind, const char *s, size_t n) {
    Const *k = new_const(cx, TY_OF(kind));
    k->str.s = s;
    k->str.n = n;
    return k;
}

static Const *const_bytes(Cx *cx, PyObject *obj) {
    char *s = NULL;
    Py_ssize_t n = 0;
    PyBytes_AsStringAndSize(obj, &s, &n);
    char *copy = cx_alloc(cx, (size_t)n + 1);
    if (n) memcpy(copy, s, (size_t)n);
    return const_text(cx, TY_BYTES, copy, (size_t)n);
}

/* Items as constants; false if one is none. *types gets theirs. */
static bool const_items(Cx *cx, PyObject *const *objs, uint32_t n, Const ***items, Type ***types) {
    *items = NEWN(cx, Const *, n);
    *types = NEWN(cx, Type *, n);
    for (uint32_t i = 0; i < n; i++) {
        (*items)[i] = build_const(cx, objs[i]);
        if (!(*items)[i]) return false;
        (*types)[i] = (*items)[i]->ty;
    }
    return true;
}

static const char **field_names(Cx *cx, PyObject *fields, uint32_t n) {
    const char **names = NEWN(cx, const char *, n);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = py_text(cx, PyTuple_GetItem(fields, i), NULL);
        if (!names[i]) return NULL;
    }
    return names;
}

static Const *const_tuple(Cx *cx, PyObject *obj) {
    uint32_t n = (uint32_t)PyTuple_Size(obj);
    PyObject **objs = NEWN(cx, PyObject *, n);
    Const **items;
    Type **types, *ty;
    for (uint32_t i = 0; i < n; i++) objs[i] = PyTuple_GetItem(obj, i);
    if (!const_items(cx, objs, n, &items, &types)) return NULL;
    if (PyTuple_CheckExact(obj)) {
        ty = ty_tuple(types, n);
    } else {
        PyObject *fields = py_attr(cx, (PyObject *)Py_TYPE(obj), "_fields");
        if (!fields || !PyTuple_Check(fields) || PyTuple_Size(fields) != (Py_ssize_t)n) return NULL;
        const char **names = field_names(cx, fields, n);
        if (!names) return NULL;
        ty = ty_named_tuple((PyObject *)Py_TYPE(obj), names, types, n);
    }
    Const *k = new_const(cx, ty);
    k->seq.items = items;
    k->seq.n = n;
    return k;
}

/* range and slice: three attributes. */
static Const *const_triple(Cx *cx, PyObject *obj, bool is_range) {
    PyObject *objs[3] = {py_attr(cx, obj, "start"), py_attr(cx, obj, "stop"),
                         py_attr(cx, obj, "step")};
    Const **items;
    Type **types;
    if (!objs[0] || !objs[1] || !objs[2] || !const_items(cx, objs, 3, &items, &types)) return NULL;
    if (is_range && (types[0] != TY_I(64) || types[1] != TY_I(64) || types[2] != TY_I(64)))
        return NULL;
    Const *k = new_const(cx, is_range ? TY_OF(TY_RANGE) : ty_slice(types[0], types[1], types[2]));
    k->seq.items = items;
    k->seq.n = 3;
    return k;
}

/* --- enums ------------------------------------------------------------------------------------ */

/* Position of a member in its class, in the order of definition. */
static int64_t member_index(Cx *cx, PyObject *member) {
    PyObject *list = py_keep(cx, PySequence_List((PyObject *)Py_TYPE(member)));
    for (Py_ssize_t i = 0; list && i < PyList_Size(list); i++)
        if (PyList_GetItem(list, i) == member) return i;
    return -1;
}

/* A member of an int enum is its value; of another enum its index, and the type says what the
 * values are. */
static Const *const_enum(Cx *cx, PyObject *obj) {
    PyObject *member = py_attr(cx, obj, "value");
    Const *value = member ? build_const(cx, member) : NULL;
    if (!value) return NULL;
    Const *k = new_const(cx, ty_enum((PyObject *)Py_TYPE(obj), value->ty));
    k->i = PyLong_Check(obj) ? value->i : member_index(cx, obj);
    return k->i < 0 && !PyLong_Check(obj) ? NULL : k;
}

/* --- NumPy ------------------------------------------------------------------------------------ */

static Type *type_of_dtype(Cx *cx, PyObject *dtype) {
    const char *kind = py_text_attr(cx, dtype, "kind");
    PyObject *native = py_attr(cx, dtype, "isnative");
    unsigned bits = (unsigned)py_int_attr(cx, dtype, "itemsize", 0) * 8;
    if (!kind || native != Py_True || bits == 0) return NULL;
    switch (kind[0]) {
    case 'b': return TY_OF(TY_BOOL);
    case 'i': return TY_I(bits);
    case 'u': return TY_U(bits);
    case 'f': return bits <= 64 ? TY_F(bits) : NULL;
    case 'c': return bits <= 128 ? TY_C(bits) : NULL;
    default: return NULL;
    }
}

/* A NumPy scalar counts with its own type. */
static Const *const_numpy_scalar(Cx *cx, PyObject *obj) {
    PyObject *dtype = py_attr(cx, obj, "dtype");
    Type *ty = dtype ? type_of_dtype(cx, dtype) : NULL;
    PyObject *item = ty ? py_keep(cx, PyObject_CallMethod(obj, "item", NULL)) : NULL;
    if (!item) return NULL;
    if (ty->kind == TY_COMPLEX) return const_complex(cx, ty, item);
    if (ty->kind == TY_FLOAT) return ir_const_float(cx, ty, PyFloat_AsDouble(item));
    if (ty->kind == TY_BOOL) return ir_const_int(cx, ty, item == Py_True);
    Const *k = PyLong_Check(item) ? const_int(cx, item) : NULL;
    return k ? ir_const_int(cx, ty, k->i) : NULL;
}

static Const *const_dtype(Cx *cx, PyObject *obj) {
    Type *of = type_of_dtype(cx, obj);
    if (!of) return NULL;
    Const *k = new_const(cx, ty_dtype(of));
    k->obj = obj;
    return k;
}

/* --- all -------------------------------------------------------------------------------------- */

PyObject *build_get_attr(PyObject *obj, const char *name) { return py_get_attr(obj, name); }
PyObject *build_get_item(PyObject *dict, const char *name) { return py_get_item(dict, name); }
void build_clear_error(void) { py_clear_error(); }

Const *build_const(Cx *cx, PyObject *obj) {
    if (obj == Py_None) return new_const(cx, TY_OF(TY_NONE));
    if (obj == Py_Ellipsis) return bd_ellipsis(cx);
    if (PyBool_Check(obj)) return ir_const_int(cx, TY_OF(TY_BOOL), obj == Py_True);
    if (PyLong_CheckExact(obj)) return const_int(cx, obj);
    if (PyFloat_CheckExact(obj)) return ir_const_float(cx, TY_F(64), PyFloat_AsDouble(obj));
    if (PyComplex_CheckExact(obj)) return const_complex(cx, TY_C(128), obj);
    if (PyUnicode_CheckExact(obj)) {
        size_t n = 0;
        const char *s = py_text(cx, obj, &n);
        return s ? const_text(cx, TY_STR, s, n) : NULL;
    }
    if (PyBytes_CheckExact(obj)) return const_bytes(cx, obj);
    if (PyTuple_Check(obj)) return const_tuple(cx, obj);
    if (PyModule_Check(obj)) return const_object(cx, TY_MODULE, obj);
    if (PyType_Check(obj)) return const_object(cx, TY_CLASS, obj);
    if (PyRange_Check(obj)) return const_triple(cx, obj, true);
    if (PySlice_Check(obj)) return const_triple(cx, obj, false);
    if (py_is_instance(cx, obj, "enum", "Enum")) return const_enum(cx, obj);
    if (py_is_instance(cx, obj, "numpy", "generic")) return const_numpy_scalar(cx, obj);
    if (py_is_instance(cx, obj, "numpy", "dtype")) return const_dtype(cx, obj);
    if (py_is_instance(cx, obj, "numpy", "ndarray")) return NULL;
    return PyCallable_Check(obj) ? const_object(cx, TY_FUNC, obj) : NULL;
}

/* --- in code ---------------------------------------------------------------------------------- */

Ref bd_const(Builder *b, const Const *k, Span span) {
    return ir_const(b->cx, b->fn, b->at, (Const *)(uintptr_t)k, span);
}

Ref bd_const_none(Builder *b, Span span) {
    return bd_const(b, new_const(b->cx, TY_OF(TY_NONE)), span);
}

Ref bd_const_bool(Builder *b, bool value, Span span) {
    return bd_const(b, ir_const_int(b->cx, TY_OF(TY_BOOL), value), span);
}

Ref bd_const_int(Builder *b, int64_t value, Span span) {
    return bd_const(b, ir_const_int(b->cx, TY_I(64), value), span);
}

Ref bd_const_str(Builder *b, const char *s, size_t n, Span span) {
    return bd_const(b, const_text(b->cx, TY_STR, s, n), span);
}

/* A value that has no constant is refused where it stands. Numbers are weak. */
Ref bd_literal(Builder *b, const Node *n) {
    const Literal *lit = n->lit;
    Const *k = NULL;
    switch (lit->kind) {
    case LIT_NONE: return bd_const_none(b, n->span);
    case LIT_ELLIPSIS: return bd_const(b, bd_ellipsis(b->cx), n->span);
    case LIT_BOOL: return bd_const_bool(b, lit->i, n->span);
    case LIT_INT: k = ir_const_int(b->cx, TY_I(64), lit->i); break;
    case LIT_UINT: k = ir_const_int(b->cx, TY_U(64), lit->i); break;
    case LIT_BIG:
        return bd_refuse(b, n->span, D_UNSUPPORTED, "an integer beyond 64 bits",
                         "write a float, such as 1e30");
    case LIT_FLOAT: k = ir_const_float(b->cx, TY_F(64), lit->f[0]); break;
    case LIT_COMPLEX:
        k = new_const(b->cx, TY_C(128));
        memcpy(k->f, lit->f, sizeof k->f);
        break;
    case LIT_STR: return bd_const_str(b, lit->s, lit->n, n->span);
    case LIT_BYTES: return bd_const(b, const_text(b->cx, TY_BYTES, lit->s, lit->n), n->span);
    case LIT_OTHER:
        return bd_refuse(b, n->span, D_UNSUPPORTED, "a string with lone surrogates", NULL);
    }
    Ref r = bd_const(b, k, n->span);
    ir_at(b->fn, r)->weak = true;
    return r;
}
