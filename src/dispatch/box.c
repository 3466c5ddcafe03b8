/* Slots into Python objects. Memory goes over to NumPy without a copy. */
#include "dispatch/numpy.h"

#include <math.h>
#include <string.h>

#include "core/values.h"
#include "dispatch/disp.h"
#include "runtime/runtime.h"

/* --- what keeps a block alive for NumPy ------------------------------------------------------- */

typedef struct Memory {
    PyObject_HEAD WsOwner *owner; /* owned */
} Memory;

static void free_memory(PyObject *self) {
    PyTypeObject *cls = Py_TYPE(self);
    mem_release_owner_held(((Memory *)self)->owner);
    PyObject_Free(self);
    Py_DECREF(cls);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, (void *)(uintptr_t)free_memory},
    {Py_tp_doc,
     (void *)(uintptr_t)"Memory that compiled code allocated; the base of arrays it returned."},
    {0, NULL}};
static PyType_Spec memory_spec = {"whipsnake._core.Memory", sizeof(Memory), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  memory_slots};

int disp_init_memory(PyObject *module) {
    disp.memory = (PyTypeObject *)PyType_FromModuleAndSpec(module, &memory_spec, NULL);
    return disp.memory ? 0 : -1;
}

/* The object that stands for the owner as an array's base. Takes the owner, also when it fails. */
static PyObject *base_of(WsOwner *o) {
    if (o->kind == OWNER_PYOBJECT) {
        PyObject *obj = Py_NewRef(o->obj);
        mem_release_owner_held(o);
        return obj;
    }
    Memory *m = PyObject_New(Memory, disp.memory);
    if (m)
        m->owner = o;
    else
        mem_release_owner_held(o);
    return (PyObject *)m;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* Strides in bytes of a contiguous array. */
static void fill_strides(const Type *t, const npy_intp *shape, npy_intp *strides) {
    npy_intp step = t->elem->size;
    for (int k = 0; k < t->ndim; k++) {
        int axis = t->layout == 'F' ? k : t->ndim - 1 - k;
        strides[axis] = step;
        step *= shape[axis];
    }
}

typedef struct ArrayParts {
    char *data;
    WsOwner *owner;
    npy_intp shape[64], strides[64];
} ArrayParts;

static void read_parts(const Type *t, const uint64_t *slots, ArrayParts *p) {
    p->data = (char *)(uintptr_t)slots[0];
    p->owner = (WsOwner *)(uintptr_t)slots[1];
    for (int i = 0; i < t->ndim; i++) p->shape[i] = (npy_intp)slots[2 + i];
    if (t->layout != 'A')
        fill_strides(t, p->shape, p->strides);
    else
        for (int i = 0; i < t->ndim; i++) p->strides[i] = (npy_intp)slots[2 + t->ndim + i];
}

/* Is this the very array that came in: then the same object goes out. A contiguous array may write
 * the strides of an axis of length 0 or 1 as it likes. */
static bool is_same_array(const Type *t, const ArrayParts *p, PyObject *obj) {
    if (!PyArray_Check(obj)) return false;
    PyArrayObject *a = (PyArrayObject *)obj;
    if (PyArray_DATA(a) != p->data || PyArray_NDIM(a) != t->ndim || PyArray_TYPE(a) >= DISP_NUMS ||
        disp.elem[PyArray_TYPE(a)] != t->elem || (!t->readonly && !PyArray_ISWRITEABLE(a)) ||
        (t->readonly && PyArray_ISWRITEABLE(a)))
        return false;
    for (int i = 0; i < t->ndim; i++)
        if (PyArray_DIM(a, i) != p->shape[i]) return false;
    for (int i = 0; i < t->ndim; i++)
        if (p->shape[i] > 1 && PyArray_STRIDE(a, i) != p->strides[i]) return PyArray_SIZE(a) == 0;
    return true;
}

static PyObject *new_array(const Type *t, ArrayParts *p) {
    int num = disp_type_num(t->elem);
    /* A pointer into nothing that lasts: give NumPy a copy. */
    bool lasting = p->owner != NULL;
    PyObject *a = PyArray_NewFromDescr(disp.array, (PyArray_Descr *)Py_NewRef(disp.descr[num]),
                                       t->ndim, p->shape, p->strides, p->data,
                                       t->readonly ? 0 : NPY_ARRAY_WRITEABLE, NULL);
    if (a && !lasting) {
        PyObject *copy = PyArray_NewCopy((PyArrayObject *)a, NPY_KEEPORDER);
        Py_DECREF(a);
        return copy;
    }
    if (!a) {
        if (lasting) mem_release_owner_held(p->owner);
        return NULL;
    }
    PyObject *base = base_of(p->owner);
    if (base && PyArray_SetBaseObject((PyArrayObject *)a, base) == 0) return a; /* takes base */
    Py_DECREF(a);
    return NULL;
}

static PyObject *box_array(const Type *t, const uint64_t *slots) {
    ArrayParts p;
    read_parts(t, slots, &p);
    if (p.owner && p.owner->kind == OWNER_PYOBJECT && is_same_array(t, &p, p.owner->obj))
        return base_of(p.owner);
    return new_array(t, &p);
}

/* --- the others ------------------------------------------------------------------------------- */

/* IEEE half: 1 sign bit, 5 of exponent (bias 15), 10 of fraction. */
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static double float_of(unsigned bits, uint64_t slot) {
    if (bits == 64)
        return (union {
                   uint64_t u;
                   double d;
               }){slot}
            .d;
    if (bits == 32)
        return (union {
                   uint32_t u;
                   float f;
               }){(uint32_t)slot}
            .f;
    return half_value((uint16_t)slot);
}

static int64_t int_of(const Type *t, uint64_t slot) {
    int shift = 64 - t->bits;
    return t->is_signed ? (int64_t)(slot << shift) >> shift : (int64_t)(slot << shift >> shift);
}

static PyObject *box_int(const Type *t, uint64_t slot) {
    int64_t i = int_of(t, slot);
    return t->is_signed || i >= 0 ? PyLong_FromLongLong(i)
                                  : PyLong_FromUnsignedLongLong((uint64_t)i);
}

static PyObject *box_str(const Type *t, const uint64_t *slots) {
    StrSlots s;
    memcpy(&s, slots, sizeof s);
    PyObject *obj = NULL;
    if (s.owner && s.owner->kind == OWNER_PYOBJECT && s.kind == 1) { /* the argument itself? */
        PyObject *arg = s.owner->obj;
        Py_ssize_t n = -1;
        const char *data = NULL;
        if (t->kind == TY_STR && PyUnicode_Check(arg)) data = PyUnicode_AsUTF8AndSize(arg, &n);
        if (t->kind == TY_BYTES && PyBytes_Check(arg))
            data = PyBytes_AsString(arg), n = PyBytes_Size(arg);
        if (data == s.data && n == s.length) obj = Py_NewRef(arg);
    }
    if (!obj)
        obj = t->kind == TY_STR ? rt_new_str(&s)
                                : PyBytes_FromStringAndSize(s.data, (Py_ssize_t)s.length);
    mem_release_owner_held(s.owner);
    return obj;
}

static PyObject *box_range(const uint64_t *slots) {
    PyObject *args[3] = {0}, *range = NULL;
    bool ok = true;
    for (int i = 0; i < 3; i++) ok &= (args[i] = PyLong_FromLongLong((int64_t)slots[i])) != NULL;
    if (ok)
        range = PyObject_CallFunctionObjArgs((PyObject *)&PyRange_Type, args[0], args[1], args[2],
                                             NULL);
    for (int i = 0; i < 3; i++) Py_XDECREF(args[i]);
    return range;
}

static PyObject *box_slice(const Type *t, const uint64_t *slots) {
    PyObject *args[3] = {0}, *slice = NULL;
    bool ok = true;
    for (uint32_t i = 0; i < 3; i++) {
        bool is_none = t->items[i]->kind == TY_NONE;
        args[i] =
            is_none ? Py_NewRef(Py_None) : PyLong_FromLongLong((int64_t)slots[ty_item_part(t, i)]);
        ok &= args[i] != NULL;
    }
    if (ok) slice = PySlice_New(args[0], args[1], args[2]);
    for (int i = 0; i < 3; i++) Py_XDECREF(args[i]);
    return slice;
}

static PyObject *box_tuple(const Type *t, uint64_t *slots) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)t->nitems);
    for (uint32_t i = 0; i < t->nitems; slots += t->items[i++]->nparts) {
        if (!tuple) { /* what is left still owns something */
            val_release(t->items[i], slots);
            continue;
        }
        PyObject *item = disp_box(t->items[i], slots);
        if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item)) Py_CLEAR(tuple);
    }
    if (!tuple || !t->obj) return tuple;
    PyObject *named = PyObject_CallMethod(t->obj, "_make", "(O)", tuple);
    Py_DECREF(tuple);
    return named;
}

static PyObject *box_enum(const Type *t, uint64_t slot) {
    if (t->is_signed) {
        PyObject *value = PyLong_FromLongLong((int64_t)slot);
        PyObject *member = value ? PyObject_CallFunctionObjArgs(t->obj, value, NULL) : NULL;
        Py_XDECREF(value);
        return member;
    }
    PyObject *members = PySequence_List(t->obj);
    PyObject *member = members ? PySequence_GetItem(members, (Py_ssize_t)slot) : NULL;
    Py_XDECREF(members);
    return member;
}

/* Takes e. */
static PyObject *box_exception(const Type *t, ExcObj *e) {
    PyObject *obj = rt_exc_facet(e, t->bits);
    exc_release(e);
    return obj;
}

PyObject *disp_box(const Type *t, uint64_t *slots) {
    switch ((TyKind)t->kind) {
    case TY_NONE: return Py_NewRef(Py_None);
    case TY_BOOL: return PyBool_FromLong(slots[0] & 1);
    case TY_INT: return box_int(t, slots[0]);
    case TY_FLOAT: return PyFloat_FromDouble(float_of(t->bits, slots[0]));
    case TY_COMPLEX:
        return PyComplex_FromDoubles(float_of(t->bits / 2u, slots[0]),
                                     float_of(t->bits / 2u, slots[1]));
    case TY_STR:
    case TY_BYTES: return box_str(t, slots);
    case TY_SLICE: return box_slice(t, slots);
    case TY_RANGE: return box_range(slots);
    case TY_TUPLE: return box_tuple(t, slots);
    case TY_OPTIONAL: return slots[0] & 1 ? disp_box(t->of, slots + 1) : Py_NewRef(Py_None);
    case TY_ARRAY: return box_array(t, slots);
    case TY_DTYPE: return Py_NewRef(disp.descr[disp_type_num(t->of)]);
    case TY_ENUM: return box_enum(t, slots[0]);
    case TY_EXC: return box_exception(t, (ExcObj *)(uintptr_t)slots[0]);
    case TY_FUNC: return Py_NewRef(t->nitems ? t->items[slots[0]]->obj : t->obj);
    case TY_MODULE:
    case TY_CLASS: return Py_NewRef(t->obj);
    case TY_UNDEF:
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_PTR:
    case TY_KINDS: break;
    }
    val_release(t, slots);
    PyErr_Format(PyExc_TypeError, "a value of type %s cannot be returned to Python", t->name);
    return NULL;
}

PyObject *disp_box_borrowed(const Type *t, const uint64_t *slots) {
    uint64_t few[64], *copy = t->nparts <= 64 ? few : PyMem_Malloc(t->nparts * sizeof *copy);
    if (!copy) return PyErr_NoMemory();
    memcpy(copy, slots, t->nparts * sizeof *copy);
    val_retain(t, copy);
    PyObject *obj = disp_box(t, copy);
    if (copy != few) PyMem_Free(copy);
    return obj;
}
