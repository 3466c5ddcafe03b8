/* Python objects into slots.
 *
 * Two rules of one table: `exact` wants precisely the type (it is the type test of a call),
 * otherwise the value is converted, as for explicit signatures. */
#include "dispatch/numpy.h"

#include <string.h>

#include "dispatch/disp.h"
#include "runtime/runtime.h"

typedef struct Unbox {
    bool exact, lasting;
    Made *made;
} Unbox;

/* 1 done, 0 another type (exact only), -1 exception set. */
static int put(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots);

static int wrong(const Unbox *u, const Type *t, PyObject *obj) {
    if (u->exact) return 0;
    PyErr_Format(PyExc_TypeError, "cannot convert %R to %s", obj, t->name);
    return -1;
}

/* disp_typeof has refused the object. Where only a type is tested, it is none of these: whoever asks
 * for its type then hears why. */
static int cannot(const Unbox *u) {
    if (!u->exact || PyErr_ExceptionMatches(PyExc_MemoryError)) return -1;
    PyErr_Clear();
    return 0;
}

static int keep(const Unbox *u, WsOwner *o) {
    if (!o) {
        PyErr_NoMemory();
        return -1;
    }
    o->next = u->made->owners;
    u->made->owners = o;
    return 1;
}

void disp_release_made(Made *made) {
    for (WsOwner *o = made->owners, *next; o; o = next) {
        next = o->next;
        mem_release_owner_held(o);
    }
}

static uint64_t float_bits(double d) {
    return (union {
               double d;
               uint64_t u;
           }){d}
        .u;
}
static uint64_t float32_bits(float f) {
    return (union {
               float f;
               uint32_t u;
           }){f}
        .u;
}

/* IEEE half from a double by way of NumPy's own scalar. */
static int put_half(PyObject *obj, uint64_t *slot) {
    PyObject *half = PyObject_CallFunctionObjArgs((PyObject *)disp.scalar[NPY_HALF], obj, NULL);
    npy_half bits = 0;
    if (half) PyArray_ScalarAsCtype(half, &bits);
    Py_XDECREF(half);
    *slot = bits;
    return half ? 1 : -1;
}

/* A NumPy scalar's value as the 8 bytes of its slot (integers extended). */
static uint64_t load_element(const Type *t, const void *at) {
    switch (t->size) {
    case 1: {
        uint8_t v;
        memcpy(&v, at, 1);
        return t->kind == TY_INT && t->is_signed ? (uint64_t)(int8_t)v : v;
    }
    case 2: {
        uint16_t v;
        memcpy(&v, at, 2);
        return t->kind == TY_INT && t->is_signed ? (uint64_t)(int16_t)v : v;
    }
    case 4: {
        uint32_t v;
        memcpy(&v, at, 4);
        return t->kind == TY_INT && t->is_signed ? (uint64_t)(int32_t)v : v;
    }
    default: {
        uint64_t v;
        memcpy(&v, at, 8);
        return v;
    }
    }
}

void disp_load(const Type *t, const void *at, uint64_t *slots) {
    if (t->kind == TY_COMPLEX) {
        Type *part = TY_F(t->bits / 2u);
        slots[0] = load_element(part, at);
        slots[1] = load_element(part, (const char *)at + part->size);
    } else {
        slots[0] = load_element(t, at);
    }
}

static int put_numpy_scalar(const Type *t, PyObject *obj, uint64_t *slots) {
    _Alignas(16) char value[16];
    PyArray_ScalarAsCtype(obj, value);
    disp_load(t, value, slots);
    return 1;
}

/* Is obj a NumPy scalar of exactly this type. */
static bool is_scalar_of(const Type *t, PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    int num = disp_type_num(t);
    if (cls == disp.scalar[num]) return true;
    return t->kind == TY_INT && t->bits == 64 &&
           cls == disp.scalar[t->is_signed ? NPY_LONGLONG : NPY_ULONGLONG];
}

static int put_bool(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (obj == Py_True || obj == Py_False) {
        slots[0] = obj == Py_True;
        return 1;
    }
    if (is_scalar_of(t, obj)) return put_numpy_scalar(t, obj, slots);
    if (u->exact) return 0;
    int truth = PyObject_IsTrue(obj);
    slots[0] = truth > 0;
    return truth < 0 ? -1 : 1;
}

/* The low bits of a number, as casting does. */
static int convert_int(const Type *t, PyObject *obj, uint64_t *slot) {
    PyObject *number = PyNumber_Long(obj);
    if (!number) return -1;
    uint64_t bits = PyLong_AsUnsignedLongLongMask(number);
    Py_DECREF(number);
    if (bits == UINT64_MAX && PyErr_Occurred()) return -1;
    *slot = load_element(t, &bits); /* little endian: the low bytes come first */
    return 1;
}

static int put_int(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (Py_TYPE(obj) == &PyLong_Type && t->bits == 64) {
        int overflow;
        slots[0] = (uint64_t)PyLong_AsLongLongAndOverflow(obj, &overflow);
        if (t->is_signed && !overflow) return 1;
        if (!t->is_signed && overflow > 0) {
            slots[0] = PyLong_AsUnsignedLongLong(obj);
            if (!PyErr_Occurred()) return 1;
            PyErr_Clear();
        }
        if (u->exact) return 0;
    }
    if (is_scalar_of(t, obj)) return put_numpy_scalar(t, obj, slots);
    if (!u->exact) return convert_int(t, obj, slots);
    if (t->bits == 64 && PyLong_Check(obj) && Py_TYPE(obj) != &PyBool_Type && disp_typeof(obj) == t)
        return convert_int(t, obj, slots);
    if (PyErr_Occurred()) PyErr_Clear();
    return 0;
}

static int convert_float(const Type *t, PyObject *obj, uint64_t *slot) {
    if (t->bits == 16) return put_half(obj, slot);
    double d = PyFloat_AsDouble(obj);
    if (d == -1.0 && PyErr_Occurred()) return -1;
    *slot = t->bits == 32 ? float32_bits((float)d) : float_bits(d);
    return 1;
}

static int put_float(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    PyTypeObject *cls = Py_TYPE(obj);
    if (t->bits == 64 && (cls == &PyFloat_Type || cls == disp.scalar[NPY_DOUBLE])) {
        slots[0] = float_bits(PyFloat_AsDouble(obj));
        return 1;
    }
    if (is_scalar_of(t, obj)) return put_numpy_scalar(t, obj, slots);
    if (!u->exact || (t->bits == 64 && PyFloat_Check(obj) && disp_typeof(obj) == t))
        return convert_float(t, obj, slots);
    return 0;
}

static int convert_complex(const Type *t, PyObject *obj, uint64_t *slots) {
    double re = PyComplex_RealAsDouble(obj), im = PyComplex_ImagAsDouble(obj);
    if (PyErr_Occurred()) return -1;
    slots[0] = t->bits == 64 ? float32_bits((float)re) : float_bits(re);
    slots[1] = t->bits == 64 ? float32_bits((float)im) : float_bits(im);
    return 1;
}

static int put_complex(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (is_scalar_of(t, obj)) return put_numpy_scalar(t, obj, slots);
    if (u->exact && !(t->bits == 128 && Py_TYPE(obj) == &PyComplex_Type)) return 0;
    if (PyComplex_Check(obj)) return convert_complex(t, obj, slots);
    /* np.complex64 is no Python complex, and neither are ints and floats */
    PyObject *z = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, obj, NULL);
    int rc = z ? convert_complex(t, z, slots) : -1;
    Py_XDECREF(z);
    return rc;
}

/* Text that is not ASCII is copied as UCS-4: the stable ABI shows no other form of it. */
static int put_wide_str(const Unbox *u, PyObject *obj, Py_ssize_t length, uint64_t *slots) {
    WsOwner *o = mem_new_owner(length * 4);
    if (keep(u, o) < 0) return -1;
    if (length && !PyUnicode_AsUCS4(obj, owner_data(o), length, 0)) return -1;
    *(StrSlots *)slots = (StrSlots){owner_data(o), length, 4, o};
    return 1;
}

static int put_text(const Unbox *u, PyObject *obj, const char *data, Py_ssize_t length,
                    uint64_t *slots) {
    WsOwner *o = NULL;
    if (u->lasting && keep(u, o = mem_own_object(obj)) < 0) return -1;
    *(StrSlots *)slots = (StrSlots){data, length, 1, o};
    return 1;
}

static int put_str(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (!PyUnicode_Check(obj)) return wrong(u, t, obj);
    Py_ssize_t bytes, length = PyUnicode_GetLength(obj);
    const char *utf8 = PyUnicode_AsUTF8AndSize(obj, &bytes);
    if (utf8 && bytes == length) return put_text(u, obj, utf8, length, slots);
    PyErr_Clear();
    return put_wide_str(u, obj, length, slots);
}

static int put_bytes(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    char *data;
    Py_ssize_t n;
    if (!PyBytes_CheckExact(obj)) return wrong(u, t, obj);
    if (PyBytes_AsStringAndSize(obj, &data, &n)) return -1;
    return put_text(u, obj, data, n, slots);
}

/* An integer attribute of a range or slice; None is skipped. */
static int put_attribute(PyObject *obj, const char *name, bool skip, uint64_t *slot) {
    if (skip) return 1;
    PyObject *value = PyObject_GetAttrString(obj, name);
    if (!value) return -1;
    Py_ssize_t i = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    Py_DECREF(value);
    if (i == -1 && PyErr_Occurred()) return -1;
    *slot = (uint64_t)i;
    return 1;
}

static const char *const bounds[] = {"start", "stop", "step"};

static int put_range(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (Py_TYPE(obj) != &PyRange_Type) return wrong(u, t, obj);
    if (!disp_typeof(obj)) return cannot(u);
    for (int i = 0; i < 3; i++)
        if (put_attribute(obj, bounds[i], false, &slots[i]) < 0) return -1;
    return 1;
}

static int put_slice(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (Py_TYPE(obj) != &PySlice_Type) return wrong(u, t, obj);
    Type *actual = disp_typeof(obj);
    if (actual != t) return actual ? wrong(u, t, obj) : cannot(u);
    for (uint32_t i = 0; i < 3; i++)
        if (put_attribute(obj, bounds[i], t->items[i]->kind == TY_NONE,
                          &slots[ty_item_part(t, i)]) < 0)
            return -1;
    return 1;
}

static int put_tuple(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    PyTypeObject *cls = Py_TYPE(obj);
    bool good = t->obj     ? (PyObject *)cls == t->obj
                : u->exact ? cls == &PyTuple_Type
                           : PyTuple_Check(obj);
    if (!good || PyTuple_Size(obj) != (Py_ssize_t)t->nitems) return wrong(u, t, obj);
    for (uint32_t i = 0; i < t->nitems; slots += t->items[i++]->nparts) {
        int rc = put(u, t->items[i], PyTuple_GetItem(obj, i), slots);
        if (rc != 1) return rc;
    }
    return 1;
}

static int put_optional(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    memset(slots, 0, t->nparts * sizeof *slots);
    if (obj == Py_None) return 1;
    slots[0] = 1;
    return put(u, t->of, obj, slots + 1);
}

void disp_fill_array(const Type *t, PyObject *array, WsOwner *owner, uint64_t *slots) {
    PyArrayObject *a = (PyArrayObject *)array;
    slots[0] = (uint64_t)(uintptr_t)PyArray_DATA(a);
    slots[1] = (uint64_t)(uintptr_t)owner;
    const npy_intp *dims = PyArray_DIMS(a), *strides = PyArray_STRIDES(a);
    for (int i = 0; i < t->ndim; i++) slots[2 + i] = (uint64_t)dims[i];
    if (t->layout == 'A')
        for (int i = 0; i < t->ndim; i++) slots[2 + t->ndim + i] = (uint64_t)strides[i];
}

static int put_array(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (Py_TYPE(obj) != disp.array && Py_TYPE(obj) != disp.memmap) return wrong(u, t, obj);
    const Type *actual = disp_typeof(obj);
    if (actual != t && (u->exact || !actual || ty_fit(actual, t) == FIT_NONE)) {
        if (!actual && u->exact) PyErr_Clear();
        return u->exact || actual ? wrong(u, t, obj) : -1;
    }
    WsOwner *o = NULL;
    if (u->lasting && keep(u, o = mem_own_object(obj)) < 0) return -1;
    disp_fill_array(t, obj, o, slots);
    return 1;
}

/* A member of an enum that is not made of ints: its position. */
static int put_enum(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if ((PyObject *)Py_TYPE(obj) != t->obj) return wrong(u, t, obj);
    if (t->is_signed) return convert_int(TY_I(64), obj, slots);
    PyObject *members = PySequence_List(t->obj);
    if (!members) return -1;
    Py_ssize_t n = PyList_Size(members), i = 0;
    while (i < n && PyList_GetItem(members, i) != obj) i++;
    Py_DECREF(members);
    slots[0] = (uint64_t)i;
    return i < n ? 1 : wrong(u, t, obj);
}

static int put_dtype(const Unbox *u, const Type *t, PyObject *obj) {
    if (!PyArray_DescrCheck(obj)) return wrong(u, t, obj);
    const Type *actual = disp_typeof(obj);
    if (!actual && u->exact) PyErr_Clear();
    return actual == t ? 1 : !actual && !u->exact ? -1 : wrong(u, t, obj);
}

static void release_exception(PyObject *capsule) {
    exc_release(PyCapsule_GetPointer(capsule, NULL));
}

/* Its own count is released with the call's owners: a capsule is what they can hold. */
static int put_exception(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    if (!PyExceptionInstance_Check(obj)) return wrong(u, t, obj);
    ExcObj *e = rt_exception_of(NULL, obj);
    PyObject *capsule = PyCapsule_New(e, NULL, release_exception);
    if (!capsule) {
        exc_release(e);
        return -1;
    }
    int rc = keep(u, mem_own_object(capsule));
    Py_DECREF(capsule);
    slots[0] = (uint64_t)(uintptr_t)e;
    return rc < 0 ? -1 : 1;
}

static int put(const Unbox *u, const Type *t, PyObject *obj, uint64_t *slots) {
    switch ((TyKind)t->kind) {
    case TY_NONE: return obj == Py_None ? 1 : wrong(u, t, obj);
    case TY_BOOL: return put_bool(u, t, obj, slots);
    case TY_INT: return put_int(u, t, obj, slots);
    case TY_FLOAT: return put_float(u, t, obj, slots);
    case TY_COMPLEX: return put_complex(u, t, obj, slots);
    case TY_STR: return put_str(u, t, obj, slots);
    case TY_BYTES: return put_bytes(u, t, obj, slots);
    case TY_SLICE: return put_slice(u, t, obj, slots);
    case TY_RANGE: return put_range(u, t, obj, slots);
    case TY_TUPLE: return put_tuple(u, t, obj, slots);
    case TY_OPTIONAL: return put_optional(u, t, obj, slots);
    case TY_ARRAY: return put_array(u, t, obj, slots);
    case TY_DTYPE: return put_dtype(u, t, obj);
    case TY_ENUM: return put_enum(u, t, obj, slots);
    case TY_EXC: return put_exception(u, t, obj, slots);
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS: return obj == t->obj ? 1 : wrong(u, t, obj);
    case TY_UNDEF:
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_PTR:
    case TY_KINDS: return wrong(u, t, obj);
    }
    return 0;
}

int disp_unbox(const Type *t, PyObject *obj, uint64_t *slots, bool lasting, Made *made) {
    return put(&(Unbox){true, lasting, made}, t, obj, slots);
}

int disp_convert(const Type *t, PyObject *obj, uint64_t *slots, bool lasting, Made *made) {
    return put(&(Unbox){false, lasting, made}, t, obj, slots) == 1 ? 0 : -1;
}
