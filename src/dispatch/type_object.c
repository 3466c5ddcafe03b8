/* Types as Python sees them: one object per Type, compared by identity. The classes (Integer, Array
 * ...) are written in Python, in whipsnake/types.py, which hands them over when it is imported. */
#include "dispatch/numpy.h"

#include <string.h>
#include <structmember.h>

#include "dispatch/disp.h"
#include "dispatch/in_python.h"

typedef struct TypeObject {
    PyObject_HEAD Type *ty; /* NULL: a Python subclass made it without a type */
    PyObject *weakrefs;
} TypeObject;

static PyObject
    *classes; /* dict: kind name -> class; owned, NULL until whipsnake.types is imported */
static PyObject **objects; /* by Type.id; owned */
static uint32_t nobjects;

/* --- attributes ------------------------------------------------------------------------------- */

static Type *type_of(PyObject *self) { return ((TypeObject *)self)->ty; }

static PyObject *no_attribute(PyObject *self, const char *name) {
    return PyErr_Format(PyExc_AttributeError, "type %s has no attribute '%s'", type_of(self)->name,
                        name);
}

static PyObject *get_name(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(type_of(self)->name);
}

static const char *const kind_names[TY_KINDS] = {
    "undefined", "none",  "bool",    "int",      "float", "complex",   "str",     "bytes",
    "slice",     "range", "tuple",   "optional", "array", "dtype",     "enum",    "func",
    "module",    "class", "closure", "iter",     "cell",  "exception", "pointer",
};

static PyObject *get_kind(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(kind_names[type_of(self)->kind]);
}

static PyObject *get_bitwidth(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    if (t->kind == TY_BOOL) return PyLong_FromLong(8);
    return t->bits ? PyLong_FromLong(t->bits) : no_attribute(self, "bitwidth");
}

static PyObject *get_signed(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    return t->kind == TY_INT ? PyBool_FromLong(t->is_signed) : no_attribute(self, "signed");
}

static bool is_uniform(const Type *t) {
    for (uint32_t i = 1; i < t->nitems; i++)
        if (t->items[i] != t->items[0]) return false;
    return t->nitems > 0;
}

/* What it is made of: elements of an array, items of a uniform tuple, values of an enum. */
static PyObject *get_dtype(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    if (t->kind == TY_ARRAY) return disp_type_object(t->elem);
    if (t->kind == TY_DTYPE || t->kind == TY_ENUM) return disp_type_object(t->of);
    if (t->kind == TY_TUPLE && is_uniform(t)) return disp_type_object(t->items[0]);
    return no_attribute(self, "dtype");
}

static PyObject *get_type(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    return t->kind == TY_OPTIONAL ? disp_type_object(t->of) : no_attribute(self, "type");
}

enum ArrayField {
    ARRAY_NDIM,
    ARRAY_LAYOUT,
    ARRAY_MUTABLE,
    ARRAY_ALIGNED,
    ARRAY_READONLY,
    ARRAY_IS_C,
    ARRAY_IS_F
};
static const char *const array_fields[] = {"ndim",     "layout",      "mutable",    "aligned",
                                           "readonly", "is_c_contig", "is_f_contig"};

static PyObject *get_array_field(PyObject *self, void *closure) {
    Type *t = type_of(self);
    enum ArrayField field = (enum ArrayField)(uintptr_t)closure;
    if (t->kind != TY_ARRAY) return no_attribute(self, array_fields[field]);
    switch (field) {
    case ARRAY_NDIM: return PyLong_FromLong(t->ndim);
    case ARRAY_LAYOUT: return PyUnicode_FromStringAndSize(&t->layout, 1);
    case ARRAY_MUTABLE: return PyBool_FromLong(!t->readonly);
    case ARRAY_ALIGNED: return PyBool_FromLong(t->aligned);
    case ARRAY_READONLY: return PyBool_FromLong(t->readonly);
    case ARRAY_IS_C: return PyBool_FromLong(t->layout == 'C');
    case ARRAY_IS_F: return PyBool_FromLong(t->layout == 'F' || (t->ndim <= 1 && t->layout == 'C'));
    }
    return NULL;
}

static PyObject *get_types(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    if (t->kind != TY_TUPLE && t->kind != TY_SLICE) return no_attribute(self, "types");
    PyObject *tuple = PyTuple_New((Py_ssize_t)t->nitems);
    for (uint32_t i = 0; tuple && i < t->nitems; i++) {
        PyObject *item = disp_type_object(t->items[i]);
        if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item)) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_count(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    return t->kind == TY_TUPLE ? PyLong_FromLong((long)t->nitems) : no_attribute(self, "count");
}

static PyObject *get_fields(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    if (t->kind != TY_TUPLE || !t->obj) return no_attribute(self, "fields");
    return PyObject_GetAttrString(t->obj, "_fields");
}

/* The Python object that the type is about: a function, a module, a class, the class of a named
 * tuple. */
static PyObject *get_instance(PyObject *self, void *closure) {
    (void)closure;
    Type *t = type_of(self);
    return t->obj ? Py_NewRef(t->obj) : no_attribute(self, "instance_class");
}

static PyObject *type_repr(PyObject *self) { return get_name(self, NULL); }

static PyObject *reduce_type(PyObject *self, PyObject *unused) {
    (void)unused;
    return disp_ask_in_python("whipsnake.types", "_reduce", self);
}

static void free_type_object(PyObject *self) {
    PyTypeObject *cls = Py_TYPE(self);
    if (((TypeObject *)self)->weakrefs) PyObject_ClearWeakRefs(self);
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

#define ARRAY_GETTER(name, field) {name, get_array_field, NULL, NULL, (void *)(uintptr_t)(field)}
static PyGetSetDef type_getset[] = {{"name", get_name, NULL, NULL, NULL},
                                    {"key", get_name, NULL, NULL, NULL},
                                    {"kind", get_kind, NULL, NULL, NULL},
                                    {"bitwidth", get_bitwidth, NULL, NULL, NULL},
                                    {"signed", get_signed, NULL, NULL, NULL},
                                    {"dtype", get_dtype, NULL, NULL, NULL},
                                    {"type", get_type, NULL, NULL, NULL},
                                    ARRAY_GETTER("ndim", ARRAY_NDIM),
                                    ARRAY_GETTER("layout", ARRAY_LAYOUT),
                                    ARRAY_GETTER("mutable", ARRAY_MUTABLE),
                                    ARRAY_GETTER("aligned", ARRAY_ALIGNED),
                                    ARRAY_GETTER("readonly", ARRAY_READONLY),
                                    ARRAY_GETTER("is_c_contig", ARRAY_IS_C),
                                    ARRAY_GETTER("is_f_contig", ARRAY_IS_F),
                                    {"types", get_types, NULL, NULL, NULL},
                                    {"count", get_count, NULL, NULL, NULL},
                                    {"fields", get_fields, NULL, NULL, NULL},
                                    {"instance_class", get_instance, NULL, NULL, NULL},
                                    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef type_methods[] = {{"__reduce__", reduce_type, METH_NOARGS, NULL},
                                     {NULL, NULL, 0, NULL}};
static PyMemberDef type_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TypeObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot type_slots[] = {
    {Py_tp_dealloc, (void *)(uintptr_t)free_type_object},
    {Py_tp_repr, (void *)(uintptr_t)type_repr},
    {Py_tp_str, (void *)(uintptr_t)type_repr},
    {Py_tp_getset, type_getset},
    {Py_tp_methods, type_methods},
    {Py_tp_members, type_members},
    {Py_tp_doc, (void *)(uintptr_t)"A type of compiled code. Equal types are the same object."},
    {0, NULL}};
static PyType_Spec type_spec = {
    "whipsnake._core.Type", sizeof(TypeObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, type_slots};

/* --- Type <-> object -------------------------------------------------------------------------- */

/* The classes by kind: borrowed, or NULL with an exception set. */
static PyObject *class_for(const Type *t) {
    if (!classes) {
        PyObject *m = PyImport_ImportModule("whipsnake.types"); /* calls set_type_classes */
        Py_XDECREF(m);
        if (!m) return NULL;
    }
    const char *kind = kind_names[t->kind];
    if (t->kind == TY_TUPLE) kind = t->obj ? "namedtuple" : is_uniform(t) ? "unituple" : "tuple";
    PyObject *cls = classes ? PyDict_GetItemString(classes, kind) : NULL;
    if (!cls) cls = classes ? PyDict_GetItemString(classes, "other") : NULL;
    if (!cls) PyErr_Format(PyExc_SystemError, "no class for types of kind %s", kind);
    return cls;
}

static int make_room(uint32_t id) {
    if (id < nobjects) return 0;
    uint32_t n = (id + 64) * 2;
    PyObject **bigger = PyMem_Realloc(objects, n * sizeof *bigger);
    if (!bigger) {
        PyErr_NoMemory();
        return -1;
    }
    memset(bigger + nobjects, 0, (n - nobjects) * sizeof *bigger);
    objects = bigger;
    nobjects = n;
    return 0;
}

PyObject *disp_type_object(Type *t) {
    if (t->id < nobjects && objects[t->id]) return Py_NewRef(objects[t->id]);
    PyObject *cls = class_for(t);
    if (!cls || make_room(t->id)) return NULL;
    if (!objects[t->id]) { /* importing whipsnake.types may have made it */
        TypeObject *obj = (TypeObject *)PyType_GenericAlloc((PyTypeObject *)cls, 0);
        if (!obj) return NULL;
        obj->ty = t;
        objects[t->id] = (PyObject *)obj;
    }
    return Py_NewRef(objects[t->id]);
}

Type *disp_as_type(PyObject *obj) {
    if (Py_TYPE(obj) != disp.type && !PyType_IsSubtype(Py_TYPE(obj), disp.type)) return NULL;
    return type_of(obj);
}

/* The classes that programs mention most, without importing whipsnake.types (as_type there has them
 * all): NULL if it is none of these, no exception set. */
static Type *type_of_class(const PyObject *obj) {
    if (obj == (const PyObject *)&PyLong_Type) return TY_I(64);
    if (obj == (const PyObject *)&PyFloat_Type) return TY_F(64);
    if (obj == (const PyObject *)&PyBool_Type) return TY_OF(TY_BOOL);
    if (obj == (const PyObject *)&PyComplex_Type) return TY_C(128);
    for (int num = 0; num < DISP_NUMS; num++)
        if (disp.elem[num] && obj == (const PyObject *)disp.scalar[num]) return disp.elem[num];
    return NULL;
}

Type *disp_type_from(PyObject *obj) {
    Type *t = disp_as_type(obj);
    if (!t) t = type_of_class(obj);
    if (t) return t;
    PyObject *converted = disp_ask_in_python("whipsnake.types", "as_type", obj);
    t = converted ? disp_as_type(converted) : NULL;
    if (converted && !t) PyErr_Format(PyExc_TypeError, "%R is not a type of compiled code", obj);
    Py_XDECREF(converted);
    return t;
}

/* --- functions of the module ------------------------------------------------------------------ */

static PyObject *object_or_error(Type *t, const char *problem) {
    if (t) return disp_type_object(t);
    if (ty_ran_out()) return PyErr_NoMemory();
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, problem);
    return NULL;
}

static PyObject *set_type_classes(PyObject *module, PyObject *dict) {
    (void)module;
    PyObject *old = classes;
    classes = Py_NewRef(dict);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyObject *make_basic(PyObject *module, PyObject *args) {
    (void)module;
    const char *kind;
    unsigned bits = 0;
    int is_signed = 0, k = 0;
    if (!PyArg_ParseTuple(args, "s|Ip", &kind, &bits, &is_signed)) return NULL;
    while (k < TY_KINDS && strcmp(kind_names[k], kind) != 0) k++;
    if (k == TY_KINDS) return PyErr_Format(PyExc_ValueError, "no kind of types is called %s", kind);
    return object_or_error(ty_basic((TyKind)k, bits, is_signed), "no such type");
}

/* The types of a sequence of type objects: new memory, or NULL with an exception set. */
static Type **types_of_sequence(PyObject *seq, Py_ssize_t *n) {
    PyObject *tuple = PySequence_Tuple(seq);
    if (!tuple) return NULL;
    *n = PyTuple_Size(tuple);
    Type **items = PyMem_Malloc((size_t)(*n ? *n : 1) * sizeof *items);
    if (!items) PyErr_NoMemory();
    for (Py_ssize_t i = 0; items && i < *n; i++) {
        items[i] = disp_type_from(PyTuple_GetItem(tuple, i));
        if (items[i]) continue;
        PyMem_Free(items);
        items = NULL;
    }
    Py_DECREF(tuple);
    return items;
}

static PyObject *make_tuple(PyObject *module, PyObject *seq) {
    (void)module;
    Py_ssize_t n;
    Type **items = types_of_sequence(seq, &n);
    if (!items) return NULL;
    PyObject *t = object_or_error(ty_tuple(items, (uint32_t)n), "no such tuple type");
    PyMem_Free(items);
    return t;
}

static PyObject *make_named_tuple(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *cls, *fields, *seq;
    if (!PyArg_ParseTuple(args, "OO!O", &cls, &PyTuple_Type, &fields, &seq)) return NULL;
    Py_ssize_t n;
    Type **items = types_of_sequence(seq, &n);
    const char **names = items ? PyMem_Malloc((size_t)(n ? n : 1) * sizeof *names) : NULL;
    Type *t = NULL;
    bool ok = names && PyTuple_Size(fields) == n;
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = (names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(fields, i), NULL)) != NULL;
    if (ok) t = ty_named_tuple(cls, names, items, (uint32_t)n);
    PyMem_Free(names);
    PyMem_Free(items);
    return object_or_error(t, "a named tuple needs one type per field");
}

static PyObject *make_optional(PyObject *module, PyObject *of) {
    (void)module;
    Type *t = disp_type_from(of);
    return t ? object_or_error(ty_optional(t), "no such type") : NULL;
}

static PyObject *make_array(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *dtype;
    unsigned ndim;
    const char *layout;
    int readonly = 0, aligned = 1;
    if (!PyArg_ParseTuple(args, "OIs|pp", &dtype, &ndim, &layout, &readonly, &aligned)) return NULL;
    if (!strchr("CFA", layout[0]) || !layout[0] || layout[1])
        return PyErr_Format(PyExc_ValueError, "the layout of an array is 'C', 'F' or 'A', not %s",
                            layout);
    Type *elem = disp_type_from(dtype);
    if (!elem) return NULL;
    return object_or_error(ty_array(elem, ndim, layout[0], readonly, aligned),
                           "arrays hold numbers and bools");
}

static PyObject *make_dtype(PyObject *module, PyObject *of) {
    (void)module;
    Type *t = disp_type_from(of);
    return t ? object_or_error(ty_dtype(t), "no such type") : NULL;
}

static PyObject *make_slice(PyObject *module, PyObject *seq) {
    (void)module;
    Py_ssize_t n;
    Type **items = types_of_sequence(seq, &n);
    if (!items) return NULL;
    Type *t = n == 3 ? ty_slice(items[0], items[1], items[2]) : NULL;
    PyMem_Free(items);
    return object_or_error(t, "a slice has three parts");
}

static PyObject *make_of_object(PyObject *module, PyObject *args) {
    (void)module;
    const char *kind;
    PyObject *obj;
    if (!PyArg_ParseTuple(args, "sO", &kind, &obj)) return NULL;
    TyKind k = strcmp(kind, "module") == 0  ? TY_MODULE
               : strcmp(kind, "class") == 0 ? TY_CLASS
                                            : TY_FUNC;
    return object_or_error(ty_object(k, obj), "no such type");
}

static PyObject *typeof_object(PyObject *module, PyObject *obj) {
    (void)module;
    Type *t = disp_typeof(obj);
    return t ? disp_type_object(t) : NULL;
}

static PyObject *type_from_dtype(PyObject *module, PyObject *dtype) {
    (void)module;
    Type *t = disp_from_dtype(dtype);
    return t ? disp_type_object(t) : NULL;
}

static PyObject *as_numpy_dtype(PyObject *module, PyObject *obj) {
    (void)module;
    Type *t = disp_type_from(obj);
    if (!t) return NULL;
    if (t->kind == TY_DTYPE) t = t->of;
    int num = disp_type_num(t);
    if (num < 0) return PyErr_Format(PyExc_TypeError, "NumPy has no dtype for %s", t->name);
    return Py_NewRef(disp.descr[num]);
}

/* fit(from, to): 0 (none) to 4 (exact), as promote.h says. */
static PyObject *type_fit(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO", &a, &b)) return NULL;
    Type *from = disp_type_from(a), *to = from ? disp_type_from(b) : NULL;
    return to ? PyLong_FromLong(ty_fit(from, to)) : NULL;
}

static PyObject *type_join(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO", &a, &b)) return NULL;
    Type *x = disp_type_from(a), *y = x ? disp_type_from(b) : NULL;
    if (!y) return NULL;
    Type *t = ty_join(x, y);
    return t ? disp_type_object(t) : Py_NewRef(Py_None);
}

/* promote(symbol, a, b, weak_a=False, weak_b=False, nonneg_a=False, nonneg_b=False): (operand,
 * result) or None. */
static PyObject *type_promote(PyObject *module, PyObject *args) {
    (void)module;
    const char *symbol;
    PyObject *a, *b;
    int weak_a = 0, weak_b = 0, nonneg_a = 0, nonneg_b = 0, op = 0;
    if (!PyArg_ParseTuple(args, "sOO|pppp", &symbol, &a, &b, &weak_a, &weak_b, &nonneg_a,
                          &nonneg_b))
        return NULL;
    Type *x = disp_type_from(a), *y = x ? disp_type_from(b) : NULL;
    if (!y) return NULL;
    while (op < BIN_OPS && strcmp(bin_symbol[op], symbol) != 0) op++;
    if (op == BIN_OPS) return PyErr_Format(PyExc_ValueError, "no operator %s", symbol);
    Promotion p;
    Operand left = {x, weak_a, nonneg_a, false}, right = {y, weak_b, nonneg_b, weak_b && !nonneg_b};
    if (!ty_promote((BinOp)op, left, right, &p)) Py_RETURN_NONE;
    return Py_BuildValue("(NN)", disp_type_object(p.operand), disp_type_object(p.result));
}

static PyMethodDef functions[] = {
    {"set_type_classes", set_type_classes, METH_O, NULL},
    {"make_basic", make_basic, METH_VARARGS, NULL},
    {"make_tuple", make_tuple, METH_O, NULL},
    {"make_named_tuple", make_named_tuple, METH_VARARGS, NULL},
    {"make_optional", make_optional, METH_O, NULL},
    {"make_array", make_array, METH_VARARGS, NULL},
    {"make_dtype", make_dtype, METH_O, NULL},
    {"make_slice", make_slice, METH_O, NULL},
    {"make_of_object", make_of_object, METH_VARARGS, NULL},
    {"typeof", typeof_object, METH_O, "The type that compiled code gives to a value."},
    {"from_dtype", type_from_dtype, METH_O, "The type of the elements of a NumPy dtype."},
    {"as_dtype", as_numpy_dtype, METH_O, "The NumPy dtype of a number type."},
    {"fit", type_fit, METH_VARARGS, NULL},
    {"join", type_join, METH_VARARGS, NULL},
    {"promote", type_promote, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int disp_init_types(PyObject *module) {
    disp.type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &type_spec, NULL);
    if (!disp.type || PyModule_AddObjectRef(module, "Type", (PyObject *)disp.type)) return -1;
    return PyModule_AddFunctions(module, functions);
}
