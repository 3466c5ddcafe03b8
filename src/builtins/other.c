/* Attributes and methods of dtypes, enum members, tuples and exceptions; functions on dtypes. */
#include <string.h>

#include "builtins/tables.h"

/* --- dtypes --------------------------------------------------------------------------------------------------------- */

/* The np.dtype object of a type; new reference or NULL. */
static PyObject *dtype_object(const Type *ty) {
    PyObject *np = build_get_item(PyImport_GetModuleDict(), "numpy");
    PyObject *make = np ? build_get_attr(np, "dtype") : NULL;
    PyObject *r =
        make ? PyObject_CallFunction(make, "s", ty->kind == TY_BOOL ? "bool" : ty->name) : NULL;
    Py_XDECREF(make);
    build_clear_error();
    return r;
}

/* Any attribute of the dtype object that is a constant: type, itemsize, kind, name, char ... */
static Const *const_dtype_attr(Call *c) {
    const char *dot = c->row->name;
    while (*dot != '.') dot++;
    PyObject *d = dtype_object(c->self.ty->of);
    Const *k = d ? infer_object_attr(c->in, d, dot + 1) : NULL;
    Py_XDECREF(d);
    return k;
}

static Type *type_dtype_attr(Call *c) {
    Const *k = const_dtype_attr(c);
    return k ? k->ty : rule_no_overload(c);
}

/* np.finfo(dtype), np.iinfo(dtype): NumPy's object, one for each dtype and process, whose attributes are
 * constants. */
static PyObject *limits_object(Call *c) {
    static PyObject *known; /* dict: "iinfo int8" -> the object; for good */
    Type *of = rule_dtype(c, 0, NULL);
    const char *function = strrchr(c->row->name, '.') + 1;
    bool right = of && (of->kind == TY_INT) == (*function == 'i') && of->kind != TY_BOOL;
    if (!right || (!known && !(known = PyDict_New()))) return NULL;
    PyObject *key = PyUnicode_FromFormat("%s %s", function, of->name);
    PyObject *limits = key ? PyDict_GetItemWithError(known, key) : NULL; /* borrowed */
    if (key && !limits) {
        PyObject *np = build_get_item(PyImport_GetModuleDict(), "numpy");
        PyObject *make = np ? build_get_attr(np, function) : NULL, *d = dtype_object(of);
        limits = make && d ? PyObject_CallFunctionObjArgs(make, d, NULL) : NULL;
        if (limits && PyDict_SetItem(known, key, limits)) Py_CLEAR(limits);
        Py_XDECREF(limits); /* known has it */
        Py_XDECREF(make);
        Py_XDECREF(d);
    }
    Py_XDECREF(key);
    build_clear_error();
    return limits;
}

static Type *type_limits(Call *c) {
    PyObject *limits = limits_object(c);
    return limits ? ty_object(TY_MODULE, limits) : rule_no_overload(c);
}

static Const *const_limits(Call *c) {
    Const *k = NEW(c->in->cx, Const);
    k->ty = type_limits(c);
    return k;
}

/* np.dtype(x) */
static Const *const_dtype(Call *c) {
    Type *of = rule_dtype(c, 0, TY_F(64));
    if (!of) return NULL;
    Const *k = NEW(c->in->cx, Const);
    k->ty = ty_dtype(of);
    return k;
}

static Type *type_dtype(Call *c) {
    Const *k = const_dtype(c);
    return k ? k->ty : NULL;
}

/* --- enums ------------------------------------------------------------------------------------------------------------ */

static Type *type_enum_value(Call *c) { return c->self.ty->is_signed ? TY_I(64) : c->self.ty->of; }

/* The members of an enum class in order, a new list; NULL: none. */
static PyObject *enum_members(const Type *ty) {
    PyObject *list = PySequence_List(ty->obj);
    build_clear_error();
    return list;
}

/* The member behind an enum constant; new reference or NULL. */
static PyObject *enum_member(const Type *ty, const Const *k) {
    PyObject *list = enum_members(ty), *r = NULL;
    if (ty->is_signed) {
        r = PyObject_CallFunction(ty->obj, "L", (long long)k->i);
    } else if (list && k->i >= 0 && k->i < PyList_Size(list)) {
        r = PyList_GetItem(list, (Py_ssize_t)k->i);
        Py_XINCREF(r);
    }
    Py_XDECREF(list);
    build_clear_error();
    return r;
}

static Const *const_enum_attr(Call *c) {
    if (!c->self.k) return NULL;
    PyObject *m = enum_member(c->self.ty, c->self.k);
    Const *k = m ? infer_object_attr(c->in, m, c->row->data ? "name" : "value") : NULL;
    Py_XDECREF(m);
    return k;
}

/* A member known only at run time: the values of all, chosen by its index. */
static Ref enum_value_of(Lower *lo, Call *c, Ref member) {
    Type *ty = c->self.ty;
    PyObject *list = enum_members(ty);
    Py_ssize_t n = list ? PyList_Size(list) : 0;
    Ref r = 0, index = lo_op1(lo, OP_BITCAST, TY_I(64), member);
    for (Py_ssize_t i = n; i-- > 0;) {
        Const *k = infer_object_attr(lo->in, PyList_GetItem(list, i), "value");
        if (!k || k->ty != ty->of)
            continue; /* typing has seen one type; another cannot be asked for */
        Ref v = lo_const(lo, k);
        r = r ? lo_select(lo, lo_cmp(lo, OP_EQ, index, lo_int(lo, i)), v, r) : v;
    }
    Py_XDECREF(list);
    return r ? r : lo_zero(lo, ty->of);
}

static Ref lower_enum_value(Lower *lo, Call *c) {
    Const *k = const_enum_attr(c);
    if (k) return lo_const(lo, k);
    Ref member = lo_arg(lo, c->self);
    return c->self.ty->is_signed ? lo_convert(lo, member, TY_I(64)) : enum_value_of(lo, c, member);
}

static Type *type_enum_name(Call *c) {
    Const *k = const_enum_attr(c);
    return k ? k->ty
             : infer_fail(c->in, c->span, D_NOT_CONSTANT,
                          "the enum member whose name is asked for");
}

/* --- tuples ------------------------------------------------------------------------------------------------------------ */

static Type *type_tuple_search(Call *c) {
    for (uint32_t i = 0; i < c->self.ty->nitems; i++)
        if (!lo_can_equal(c->self.ty->items[i], c->args[0].ty)) return rule_no_overload(c);
    return TY_I(64);
}

static Ref lower_tuple_count(Lower *lo, Call *c) {
    Ref t = lo_arg(lo, c->self), v = lo_arg(lo, c->args[0]), n = lo_int(lo, 0);
    for (uint32_t i = 0; i < c->self.ty->nitems; i++)
        n = lo_op2(lo, OP_ADD, n, lo_convert(lo, lo_equal(lo, lo_field(lo, t, i), v), TY_I(64)));
    return n;
}

static Ref lower_tuple_index(Lower *lo, Call *c) {
    Ref t = lo_arg(lo, c->self), v = lo_arg(lo, c->args[0]), at = lo_int(lo, -1);
    for (uint32_t i = c->self.ty->nitems; i-- > 0;)
        at = lo_select(lo, lo_equal(lo, lo_field(lo, t, i), v), lo_int(lo, i), at);
    lo_check(lo, lo_cmp(lo, OP_GE, at, lo_int(lo, 0)), CHECK_NOT_IN_TUPLE);
    return at;
}

/* --- ranges and slices ------------------------------------------------------------------------------------------- */

static Type *type_range_part(Call *c) { return (void)c, TY_I(64); }
static Ref lower_range_part(Lower *lo, Call *c) {
    return lo_field(lo, lo_arg(lo, c->self), (uint32_t)c->row->data);
}

/* One of start, stop, step of a slice: an integer, or None. */
static Type *type_slice_part(Call *c) { return c->self.ty->items[c->row->data]; }

static Ref lower_slice_part(Lower *lo, Call *c) {
    Type *const *items = c->self.ty->items;
    if (items[c->row->data]->kind == TY_NONE) return lo_none(lo);
    uint32_t field = 0;
    for (int i = 0; i < c->row->data; i++) field += items[i]->kind != TY_NONE;
    return lo_field(lo, lo_arg(lo, c->self), field);
}

/* slice.indices(n): the start, stop and step that a sequence of n items would use. */
static Type *type_slice_indices(Call *c) {
    if (!ty_is_integral(plain(c, 0))) return rule_no_overload(c);
    Type *i = TY_I(64);
    return ty_tuple((Type *[]){i, i, i}, 3);
}

static Ref lower_slice_indices(Lower *lo, Call *c) {
    Ref n = lo_arg_as(lo, c->args[0], TY_I(64));
    Ref limits[3];
    subscript_slice_limits(lo, lo_arg(lo, c->self), c->self.ty, n, limits);
    return lo_make(lo, c->result, 3, limits);
}

#define ATTRIBUTE(name_, type_, lower_, constant_, data_) \
    {.name = name_,                                       \
     .params = "",                                        \
     .type = type_,                                       \
     .lower = lower_,                                     \
     .constant = constant_,                               \
     .flags = ROW_ATTRIBUTE,                              \
     .data = data_}
#define DTYPE_ATTR(name_) ATTRIBUTE(name_, type_dtype_attr, lower_constant, const_dtype_attr, 0)

const Row rows_other_methods[] = {
    DTYPE_ATTR("dtype.type"),
    DTYPE_ATTR("dtype.itemsize"),
    DTYPE_ATTR("dtype.kind"),
    DTYPE_ATTR("dtype.name"),
    DTYPE_ATTR("dtype.char"),
    ATTRIBUTE("enum.value", type_enum_value, lower_enum_value, const_enum_attr, 0),
    ATTRIBUTE("enum.name", type_enum_name, lower_constant, const_enum_attr, 1),
    ATTRIBUTE("range.start", type_range_part, lower_range_part, NULL, 0),
    ATTRIBUTE("range.stop", type_range_part, lower_range_part, NULL, 1),
    ATTRIBUTE("range.step", type_range_part, lower_range_part, NULL, 2),
    ATTRIBUTE("slice.start", type_slice_part, lower_slice_part, NULL, 0),
    ATTRIBUTE("slice.stop", type_slice_part, lower_slice_part, NULL, 1),
    ATTRIBUTE("slice.step", type_slice_part, lower_slice_part, NULL, 2),
    {.name = "slice.indices",
     .params = "length",
     .type = type_slice_indices,
     .lower = lower_slice_indices,
     .flags = ROW_METHOD},
    {.name = "tuple.count",
     .params = "value",
     .type = type_tuple_search,
     .lower = lower_tuple_count,
     .flags = ROW_METHOD},
    {.name = "tuple.index",
     .params = "value",
     .type = type_tuple_search,
     .lower = lower_tuple_index,
     .flags = ROW_METHOD},
    {0},
};

static Type *type_int64(Call *c) { return (void)c, TY_I(64); }

static Ref lower_thread_id(Lower *lo, Call *c) {
    (void)c;
    return lo_rt(lo, "ws_thread_number", TY_I(64), 0, NULL);
}

const Row rows_dtype[] = {
    {.name = "whipsnake._threads.get_thread_id",
     .params = "",
     .type = type_int64,
     .lower = lower_thread_id,
     .doc = "the number of the thread that runs an iteration"},
    {.name = "numpy.dtype",
     .params = "dtype",
     .type = type_dtype,
     .lower = lower_constant,
     .constant = const_dtype},
    {.name = "numpy.finfo",
     .takes = "a floating-point or complex dtype",
     .params = "dtype",
     .type = type_limits,
     .lower = lower_constant,
     .constant = const_limits,
     .doc = "eps, max, min, tiny ... of a dtype"},
    {.name = "numpy.iinfo",
     .takes = "an integer dtype",
     .params = "type",
     .type = type_limits,
     .lower = lower_constant,
     .constant = const_limits,
     .doc = "min, max, bits of an integer dtype"},
    {0},
};
