/* _core.DeviceArray: an array in a device's memory. Its shape, its type and where it lies are those of an ndarray that
 * nobody else gets to see: host code reaches the elements by copying alone. Compiled code is given that array. */
#include "dispatch/numpy.h"

#include <structmember.h>

#include "dispatch/disp.h"
#include "python/device.h"

typedef struct DeviceArray {
    PyObject_HEAD PyObject *view; /* owned, an ndarray */
    PyObject *dict, *weakrefs;
} DeviceArray;

static PyTypeObject *array_type;

PyObject *device_view(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    bool is = cls == array_type || PyType_IsSubtype(cls, array_type);
    return is ? ((DeviceArray *)obj)->view : NULL;
}

static PyObject *new_array(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    PyObject *view, *stream, *host; /* those are for __init__ */
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!|OO", &PyArray_Type, &view, &stream, &host)) return NULL;
    DeviceArray *a = (DeviceArray *)PyType_GenericAlloc(cls, 0);
    if (a) a->view = Py_NewRef(view);
    return (PyObject *)a;
}

static void free_array(PyObject *self) {
    DeviceArray *a = (DeviceArray *)self;
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (a->weakrefs) PyObject_ClearWeakRefs(self);
    Py_CLEAR(a->view);
    Py_CLEAR(a->dict);
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((DeviceArray *)self)->view);
    Py_VISIT(((DeviceArray *)self)->dict);
    return 0;
}

static int clear(PyObject *self) {
    Py_CLEAR(((DeviceArray *)self)->dict);
    return 0;
}

/* device_view(array): the ndarray behind it, for whipsnake.cuda alone. */
static PyObject *view_of(PyObject *module, PyObject *obj) {
    (void)module;
    PyObject *view = device_view(obj);
    if (view) return Py_NewRef(view);
    return PyErr_Format(PyExc_TypeError, "%R is no device array", obj);
}

static PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(DeviceArray, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(DeviceArray, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, (void *)(uintptr_t)new_array},
                              {Py_tp_dealloc, (void *)(uintptr_t)free_array},
                              {Py_tp_traverse, (void *)(uintptr_t)traverse},
                              {Py_tp_clear, (void *)(uintptr_t)clear},
                              {Py_tp_members, members},
                              {0, NULL}};
static PyType_Spec spec = {"whipsnake._core.DeviceArray", sizeof(DeviceArray), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
static PyMethodDef functions[] = {{"device_view", view_of, METH_O, NULL}, {NULL, NULL, 0, NULL}};

int device_init_arrays(PyObject *module) {
    array_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!array_type || PyModule_AddFunctions(module, functions)) return -1;
    return PyModule_AddObjectRef(module, "DeviceArray", (PyObject *)array_type);
}
