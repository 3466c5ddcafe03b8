/* The type of a Python object. */
#include "dispatch/numpy.h"

#include <stdatomic.h>

#include "dispatch/disp.h"

/* Array types by dtype number, dimensions, layout (C, F, A), read-only, aligned: filled as they are
 * met. */
enum { CACHED_DIMS = 8 };
static _Atomic(Type *) array_cache[DISP_NUMS][CACHED_DIMS][3][2][2];

static int layout_of(int flags) {
    return flags & NPY_ARRAY_C_CONTIGUOUS ? 0 : flags & NPY_ARRAY_F_CONTIGUOUS ? 1 : 2;
}

Type *disp_array_type(int num, int ndim, int flags) {
    int layout = layout_of(flags);
    bool readonly = !(flags & NPY_ARRAY_WRITEABLE), aligned = flags & NPY_ARRAY_ALIGNED;
    _Atomic(Type *) *cached =
        ndim < CACHED_DIMS ? &array_cache[num][ndim][layout][readonly][aligned] : NULL;
    Type *t = cached ? atomic_load_explicit(cached, memory_order_acquire) : NULL;
    if (t) return t;
    t = ty_array(disp.elem[num], (unsigned)ndim, "CFA"[layout], readonly, aligned);
    if (!t) PyErr_NoMemory();
    if (cached) atomic_store_explicit(cached, t, memory_order_release);
    return t;
}

static Type *memory_error(Type *t) {
    if (!t) PyErr_NoMemory();
    return t;
}

/* What to pass instead of an array of that dtype. */
static const char *instead_of_dtype(int num) {
    switch (num) {
    case NPY_OBJECT: return "convert it to numbers, for example with a.astype(float)";
    case NPY_VOID: return "pass its fields as separate arrays";
    case NPY_STRING:
    case NPY_UNICODE:
        return "pass numbers for the texts, for example with numpy.unique(a, return_inverse=True)";
    case NPY_DATETIME:
    case NPY_TIMEDELTA: return "pass the numbers with a.astype('int64')";
    default: return "convert it to float64 or another plain type";
    }
}

/* The element type of a dtype; NULL with a TypeError that says why not. */
static Type *element_type(PyArray_Descr *d) {
    int num = d->type_num;
    if (num >= 0 && num < DISP_NUMS && disp.elem[num]) {
        if (PyArray_ISNBO(d->byteorder)) return disp.elem[num];
        PyErr_Format(PyExc_TypeError,
                     "an array of dtype %S is not in this machine's byte order; "
                     "convert it with a.astype(a.dtype.newbyteorder('='))",
                     d);
        return NULL;
    }
    PyErr_Format(PyExc_TypeError, "arrays of dtype %S are not supported; %s", d,
                 instead_of_dtype(num));
    return NULL;
}

static Type *type_of_array(PyObject *obj) {
    PyArrayObject *a = (PyArrayObject *)obj;
    if (!element_type(PyArray_DESCR(a))) return NULL;
    return disp_array_type(PyArray_TYPE(a), PyArray_NDIM(a), PyArray_FLAGS(a));
}

static Type *type_of_int(PyObject *obj) {
    int overflow;
    PyLong_AsLongLongAndOverflow(obj, &overflow);
    if (overflow == 0) return TY_I(64);
    if (overflow > 0) {
        PyLong_AsUnsignedLongLong(obj);
        if (!PyErr_Occurred()) return TY_U(64);
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_OverflowError, "the int does not fit in 64 bits");
    return NULL;
}

enum { FEW = 32 };

/* Types of n objects into an array: `few` if they fit, else new memory to be freed. NULL: exception
 * set. */
static Type **types_of_items(PyObject *tuple, Py_ssize_t n, Type **few) {
    Type **items = n <= FEW ? few : PyMem_Malloc((size_t)n * sizeof *items);
    if (!items) return (Type **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++) {
        items[i] = disp_typeof(PyTuple_GetItem(tuple, i)); /* borrowed */
        if (items[i]) continue;
        if (items != few) PyMem_Free(items);
        return NULL;
    }
    return items;
}

/* The names of a named tuple's fields (new tuple of str), or NULL: a plain subclass of tuple. No
 * exception. */
static PyObject *field_names(PyTypeObject *cls, Py_ssize_t n) {
    PyObject *fields = PyObject_GetAttrString((PyObject *)cls, "_fields");
    bool good = fields && PyTuple_Check(fields) && PyTuple_Size(fields) == n;
    for (Py_ssize_t i = 0; good && i < n; i++) good = PyUnicode_Check(PyTuple_GetItem(fields, i));
    if (good) return fields;
    Py_XDECREF(fields);
    PyErr_Clear();
    return NULL;
}

static Type *named_tuple_type(PyTypeObject *cls, Type **items, Py_ssize_t n) {
    PyObject *fields = field_names(cls, n);
    if (!fields) {
        PyErr_Format(PyExc_TypeError,
                     "%R is a subclass of tuple without named fields; pass a plain tuple", cls);
        return NULL;
    }
    Type *t = NULL;
    const char **names = PyMem_Malloc((size_t)(n ? n : 1) * sizeof *names);
    bool ok = names != NULL;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(fields, i), NULL);
        ok = names[i] != NULL;
    }
    if (ok) t = memory_error(ty_named_tuple((PyObject *)cls, names, items, (uint32_t)n));
    if (!ok && !PyErr_Occurred()) PyErr_NoMemory();
    PyMem_Free(names);
    Py_DECREF(fields);
    return t;
}

static Type *type_of_tuple(PyObject *obj) {
    Py_ssize_t n = PyTuple_Size(obj);
    Type *few[FEW], **items = types_of_items(obj, n, few), *t;
    if (!items) return NULL;
    if (Py_TYPE(obj) == &PyTuple_Type)
        t = memory_error(ty_tuple(items, (uint32_t)n));
    else
        t = named_tuple_type(Py_TYPE(obj), items, n);
    if (items != few) PyMem_Free(items);
    return t;
}

/* Type of a start, stop or step: int64 or None; NULL with an exception set. */
static Type *type_of_bound(PyObject *item) {
    if (item == Py_None) return TY_OF(TY_NONE);
    if (!PyIndex_Check(item)) {
        PyErr_SetString(PyExc_TypeError, "the parts of a slice must be integers or None");
        return NULL;
    }
    if (PyNumber_AsSsize_t(item, PyExc_OverflowError) != -1 || !PyErr_Occurred()) return TY_I(64);
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_SetString(PyExc_OverflowError, "a start, stop or step does not fit in 64 bits");
    return NULL;
}

/* Types of start, stop and step of a range or slice; 0, or -1 with an exception set. */
static int find_bounds(PyObject *obj, Type **items) {
    static const char *const names[] = {"start", "stop", "step"};
    for (int i = 0; i < 3; i++) {
        PyObject *item = PyObject_GetAttrString(obj, names[i]);
        items[i] = item ? type_of_bound(item) : NULL;
        Py_XDECREF(item);
        if (!items[i]) return -1;
    }
    return 0;
}

static Type *type_of_slice(PyObject *obj) {
    Type *items[3];
    return find_bounds(obj, items) ? NULL : memory_error(ty_slice(items[0], items[1], items[2]));
}

static Type *type_of_range(PyObject *obj) {
    Type *items[3];
    return find_bounds(obj, items) ? NULL : TY_OF(TY_RANGE);
}

static Type *type_of_enum(PyObject *obj) {
    PyObject *value = PyObject_GetAttrString(obj, "value");
    Type *of = NULL;
    if (value) {
        of = disp_typeof(value);
        if (!of) { /* members are compared by identity: what they hold need not be known */
            PyErr_Clear();
            of = TY_OF(TY_NONE);
        }
        Py_DECREF(value);
    }
    return of ? memory_error(ty_enum((PyObject *)Py_TYPE(obj), of)) : NULL;
}

/* NumPy's scalars: np.float32(1) and the like. NULL without an exception: not one that we know. */
static Type *type_of_numpy_scalar(PyTypeObject *cls) {
    for (int i = 0; i < DISP_NUMS; i++)
        if (disp.scalar[i] == cls) return disp.elem[i];
    return NULL;
}

static Type *refuse(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    PyObject *name = PyObject_GetAttrString((PyObject *)cls, "__name__");
    if (!name) return NULL;
    if (PyList_Check(obj) || PyDict_Check(obj) || PySet_Check(obj))
        PyErr_Format(PyExc_TypeError, "a %S cannot be used in compiled code yet; %s", name,
                     PyList_Check(obj) ? "pass numpy.array(...) or a tuple"
                                       : "pass its contents as arrays or tuples");
    else if (PyType_IsSubtype(cls, disp.array))
        PyErr_Format(PyExc_TypeError, "a %S may behave unlike an array; pass numpy.asarray(x)",
                     name);
    else
        PyErr_Format(PyExc_TypeError,
                     "an object of class %S cannot be used in compiled code; "
                     "pass its numbers and arrays as arguments of their own",
                     name);
    Py_DECREF(name);
    return NULL;
}

static bool is_callable_object(PyObject *obj, PyTypeObject *cls) {
    return cls == disp.function || cls == disp.builtin || cls == disp.ufunc ||
           cls == disp.dispatcher || cls == disp.vectorized ||
           PyType_IsSubtype(cls, disp.function) ||
           (PyCallable_Check(obj) && cls == &PyMethodDescr_Type);
}

static Type *type_of_rare(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    Type *t = type_of_numpy_scalar(cls);
    if (t) return t;
    if (disp_is_enum(cls)) return type_of_enum(obj);
    if (PyTuple_Check(obj)) return type_of_tuple(obj);
    if (cls == &PyRange_Type) return type_of_range(obj);
    if (cls == &PySlice_Type) return type_of_slice(obj);
    if (PyBytes_CheckExact(obj)) return TY_OF(TY_BYTES);
    if (cls == disp.memmap) return type_of_array(obj);
    if (PyArray_DescrCheck(obj)) {
        t = element_type((PyArray_Descr *)obj);
        return t ? memory_error(ty_dtype(t)) : NULL;
    }
    if (is_callable_object(obj, cls)) return memory_error(ty_object(TY_FUNC, obj));
    if (cls == disp.module || PyType_IsSubtype(cls, disp.module))
        return memory_error(ty_object(TY_MODULE, obj));
    if (PyType_Check(obj)) return memory_error(ty_object(TY_CLASS, obj));
    if ((t = disp_as_type(obj))) return memory_error(ty_object(TY_CLASS, obj));
    if (PyLong_Check(obj)) return type_of_int(obj);
    if (PyFloat_Check(obj)) return TY_F(64);
    if (PyUnicode_Check(obj)) return TY_OF(TY_STR);
    if (PyExceptionInstance_Check(obj)) return TY_OF(TY_EXC);
    return refuse(obj);
}

Type *disp_typeof(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    if (cls == &PyFloat_Type) return TY_F(64);
    if (cls == &PyLong_Type) return type_of_int(obj);
    if (cls == disp.array) return type_of_array(obj);
    if (obj == Py_None) return TY_OF(TY_NONE);
    if (cls == &PyBool_Type) return TY_OF(TY_BOOL);
    if (cls == &PyComplex_Type) return TY_C(128);
    if (cls == &PyTuple_Type) return type_of_tuple(obj);
    if (cls == &PyUnicode_Type) return TY_OF(TY_STR);
    return type_of_rare(obj);
}

Type *disp_from_dtype(PyObject *dtype) {
    PyArray_Descr *d = NULL;
    if (PyArray_DescrConverter(dtype, &d) != NPY_SUCCEED) return NULL;
    Type *t = element_type(d);
    Py_DECREF(d);
    return t;
}
