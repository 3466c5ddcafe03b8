/* _core.Stream and _core.Event. */
#include "dispatch/numpy.h"

#include <string.h>
#include <structmember.h>

#include "base/mem.h"
#include "core/os.h"
#include "dispatch/disp.h"
#include "python/device.h"
#include "runtime/runtime.h"

typedef struct Stream {
    PyObject_HEAD SimtStream *queue;
    PyObject *dict, *weakrefs;
} Stream;

typedef struct Event {
    PyObject_HEAD PyObject *stream; /* that it was recorded in last; owned; NULL: never */
    uint64_t number; /* of the operation that notes the time */
    _Atomic uint64_t ns;
} Event;

static PyTypeObject *stream_type, *event_type;

enum { WAIT_NS = 50 * 1000 * 1000 }; /* then signals are looked at */

/* --- operations ------------------------------------------------------------------------------- */

static void drop_list(SimtOp *list) {
    for (SimtOp *op = list, *next; op; op = next) {
        next = op->next;
        if (op->run) { /* else it only waited */
            DeviceOp *d = (DeviceOp *)op;
            if (d->drop) d->drop(d);
            for (int k = 0; k < 3; k++) Py_CLEAR(d->keep[k]);
        }
        mem_free(op);
    }
}

void device_drop_finished(void) {
    if (simt_has_finished()) drop_list(simt_take_finished());
}

static int drop_later(void *arg) {
    (void)arg;
    device_drop_finished();
    return 0;
}

SimtStream *device_stream(PyObject *obj) {
    if (PyType_IsSubtype(Py_TYPE(obj), stream_type)) return ((Stream *)obj)->queue;
    PyErr_Format(PyExc_TypeError, "%R is no stream", obj);
    return NULL;
}

uint64_t device_push(PyObject *stream, DeviceOp *op, bool beside) {
    device_drop_finished();
    op->keep[2] = Py_NewRef(stream);
    uint64_t number = simt_stream_push(((Stream *)stream)->queue, &op->op, beside);
    if (number) return number;
    op->op.next = NULL;
    drop_list(&op->op);
    PyErr_NoMemory();
    return 0;
}

int device_check(SimtStream *s) {
    ExcObj *e = simt_stream_take_exc(s);
    if (!e) return 0;
    DispThread *t = disp_thread();
    if (!t) {
        exc_release(e);
        return -1;
    }
    exc_release(t->ctx.exc);
    t->ctx.exc = e;
    disp_raise(&t->ctx);
    return -1;
}

int device_wait(PyObject *stream, uint64_t number) {
    SimtStream *s = ((Stream *)stream)->queue;
    for (bool done = simt_stream_has_done(s, number); !done;) {
        PyThreadState *state = PyEval_SaveThread();
        done = simt_stream_wait(s, number, WAIT_NS);
        PyEval_RestoreThread(state);
        if (!done && PyErr_CheckSignals()) return -1;
    }
    device_drop_finished();
    return device_check(s);
}

/* An exception of Python's for the stream: owned. GIL held. */
static ExcObj *take_python(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace) PyException_SetTraceback(value, trace);
    ExcObj *e = rt_exception_of(NULL, value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return e;
}

/* keep[0](*keep[1]), with the GIL */
static ExcObj *run_call(SimtOp *op) {
    DeviceOp *d = (DeviceOp *)op;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *r = PyObject_CallObject(d->keep[0], d->keep[1]);
    ExcObj *e = r ? NULL : take_python();
    Py_XDECREF(r);
    PyGILState_Release(gil);
    Py_AddPendingCall(drop_later, NULL);
    return e;
}

static bool is_plain(PyArrayObject *to, PyArrayObject *from) {
    int both = PyArray_FLAGS(to) & PyArray_FLAGS(from);
    bool same = PyArray_DESCR(to) == PyArray_DESCR(from) && PyArray_NDIM(to) == PyArray_NDIM(from);
    for (int k = 0; same && k < PyArray_NDIM(to); k++)
        same = PyArray_DIM(to, k) == PyArray_DIM(from, k);
    return same && (both & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) &&
           !PyDataType_REFCHK(PyArray_DESCR(to));
}

/* keep[0][...] = keep[1], without the GIL if it is one run of memory. */
static ExcObj *run_copy(SimtOp *op) {
    DeviceOp *d = (DeviceOp *)op;
    PyArrayObject *to = (PyArrayObject *)d->keep[0], *from = (PyArrayObject *)d->keep[1];
    ExcObj *e = NULL;
    if (is_plain(to, from)) {
        memmove(PyArray_DATA(to), PyArray_DATA(from), (size_t)PyArray_NBYTES(to));
    } else {
        PyGILState_STATE gil = PyGILState_Ensure();
        if (PyArray_CopyInto(to, from)) e = take_python();
        PyGILState_Release(gil);
    }
    Py_AddPendingCall(drop_later, NULL);
    return e;
}

static ExcObj *run_stamp(SimtOp *op) {
    Event *e = (Event *)((DeviceOp *)op)->keep[0];
    atomic_store(&e->ns, os_now_ns());
    Py_AddPendingCall(drop_later, NULL);
    return NULL;
}

static DeviceOp *new_op(ExcObj *(*run)(SimtOp *), PyObject *a, PyObject *b) {
    DeviceOp *op = mem_alloc(sizeof *op);
    if (!op) return (DeviceOp *)PyErr_NoMemory();
    *op = (DeviceOp){.op = {.run = run}, .keep = {Py_NewRef(a), Py_XNewRef(b), NULL}};
    return op;
}

/* --- Stream ------------------------------------------------------------------------------------- */

static PyObject *new_stream(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"is_default", "alone", NULL};
    int is_default = 0, alone = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pp", keywords, &is_default, &alone))
        return NULL;
    Stream *s = (Stream *)PyType_GenericAlloc(cls, 0);
    if (!s) return NULL;
    s->queue = simt_stream_new(is_default, alone);
    if (s->queue) return (PyObject *)s;
    Py_DECREF(s);
    return PyErr_NoMemory();
}

static void free_stream(PyObject *self) {
    Stream *s = (Stream *)self;
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (s->weakrefs) PyObject_ClearWeakRefs(self);
    if (s->queue) simt_stream_free(s->queue);
    Py_CLEAR(s->dict);
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

static int traverse_stream(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Stream *)self)->dict);
    return 0;
}

static int clear_stream(PyObject *self) {
    Py_CLEAR(((Stream *)self)->dict);
    return 0;
}

/* _wait(): until all that is queued is done; raises what it raised. */
static PyObject *stream_wait(PyObject *self, PyObject *none) {
    (void)none;
    return device_wait(self, simt_stream_last(((Stream *)self)->queue)) ? NULL : Py_NewRef(Py_None);
}

static PyObject *stream_done(PyObject *self, PyObject *none) {
    (void)none;
    SimtStream *s = ((Stream *)self)->queue;
    return PyBool_FromLong(simt_stream_has_done(s, simt_stream_last(s)));
}

/* _call(callable, *args): queued. */
static PyObject *stream_call(PyObject *self, PyObject *args) {
    Py_ssize_t n = PyTuple_Size(args);
    if (n < 1) return PyErr_Format(PyExc_TypeError, "a callable is missing");
    PyObject *rest = PyTuple_GetSlice(args, 1, n);
    DeviceOp *op = rest ? new_op(run_call, PyTuple_GetItem(args, 0), rest) : NULL;
    Py_XDECREF(rest);
    return op && device_push(self, op, true) ? Py_NewRef(Py_None) : NULL;
}

/* _copy(to, from, beside): queued; the arrays have one shape. beside=False: also waits for it. */
static PyObject *stream_copy(PyObject *self, PyObject *args) {
    PyObject *to, *from;
    int beside = 1;
    if (!PyArg_ParseTuple(args, "O!O!|p", &PyArray_Type, &to, &PyArray_Type, &from, &beside))
        return NULL;
    DeviceOp *op = new_op(run_copy, to, from);
    uint64_t number = op ? device_push(self, op, beside) : 0;
    if (!number || (!beside && device_wait(self, number))) return NULL;
    Py_RETURN_NONE;
}

/* _join(other): what is queued from now on waits for what the other has queued. */
static PyObject *stream_join(PyObject *self, PyObject *other) {
    SimtStream *o = device_stream(other);
    if (!o) return NULL;
    if (simt_stream_join(((Stream *)self)->queue, o, simt_stream_last(o))) Py_RETURN_NONE;
    return PyErr_NoMemory();
}

static PyMethodDef stream_methods[] = {
    {"_wait", stream_wait, METH_NOARGS, NULL},  {"_done", stream_done, METH_NOARGS, NULL},
    {"_call", stream_call, METH_VARARGS, NULL}, {"_copy", stream_copy, METH_VARARGS, NULL},
    {"_join", stream_join, METH_O, NULL},       {NULL, NULL, 0, NULL}};
static PyMemberDef stream_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Stream, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Stream, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot stream_slots[] = {{Py_tp_new, (void *)(uintptr_t)new_stream},
                                     {Py_tp_dealloc, (void *)(uintptr_t)free_stream},
                                     {Py_tp_traverse, (void *)(uintptr_t)traverse_stream},
                                     {Py_tp_clear, (void *)(uintptr_t)clear_stream},
                                     {Py_tp_methods, stream_methods},
                                     {Py_tp_members, stream_members},
                                     {0, NULL}};
static PyType_Spec stream_spec = {"whipsnake._core.Stream", sizeof(Stream), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                  stream_slots};

/* --- Event -------------------------------------------------------------------------------------- */

static void free_event(PyObject *self) {
    PyTypeObject *cls = Py_TYPE(self);
    Py_CLEAR(((Event *)self)->stream);
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

/* _record(stream): notes the time when the stream comes to this place. */
static PyObject *event_record(PyObject *self, PyObject *stream) {
    Event *e = (Event *)self;
    if (!device_stream(stream)) return NULL;
    atomic_store(&e->ns, 0);
    DeviceOp *op = new_op(run_stamp, self, NULL);
    uint64_t number = op ? device_push(stream, op, true) : 0;
    if (!number) return NULL;
    Py_XDECREF(e->stream);
    e->stream = Py_NewRef(stream);
    e->number = number;
    Py_RETURN_NONE;
}

/* _state(): None: never recorded; else has it happened. */
static PyObject *event_state(PyObject *self, PyObject *none) {
    const Event *e = (Event *)self;
    (void)none;
    if (!e->stream) Py_RETURN_NONE;
    return PyBool_FromLong(simt_stream_has_done(((Stream *)e->stream)->queue, e->number));
}

static PyObject *event_wait(PyObject *self, PyObject *none) {
    const Event *e = (Event *)self;
    (void)none;
    if (e->stream && device_wait(e->stream, e->number)) return NULL;
    Py_RETURN_NONE;
}

/* _hold(stream): what it has queued from now on waits for the event. */
static PyObject *event_hold(PyObject *self, PyObject *stream) {
    const Event *e = (Event *)self;
    SimtStream *s = device_stream(stream);
    if (!s) return NULL;
    if (!e->stream || simt_stream_join(s, ((Stream *)e->stream)->queue, e->number)) Py_RETURN_NONE;
    return PyErr_NoMemory();
}

static PyObject *event_ns(PyObject *self, PyObject *none) {
    (void)none;
    return PyLong_FromUnsignedLongLong(atomic_load(&((Event *)self)->ns));
}

static PyMethodDef event_methods[] = {
    {"_record", event_record, METH_O, NULL},  {"_state", event_state, METH_NOARGS, NULL},
    {"_wait", event_wait, METH_NOARGS, NULL}, {"_hold", event_hold, METH_O, NULL},
    {"_ns", event_ns, METH_NOARGS, NULL},     {NULL, NULL, 0, NULL}};
static PyType_Slot event_slots[] = {
    {Py_tp_dealloc, (void *)(uintptr_t)free_event}, {Py_tp_methods, event_methods}, {0, NULL}};
static PyType_Spec event_spec = {"whipsnake._core.Event", sizeof(Event), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, event_slots};

/* --- all of them -------------------------------------------------------------------------------- */

static int wait_for(SimtStream *s) {
    for (bool done = false; !done;) {
        PyThreadState *state = PyEval_SaveThread();
        done = simt_stream_wait(s, simt_stream_last(s), WAIT_NS);
        PyEval_RestoreThread(state);
        if (!done && PyErr_CheckSignals()) return -1;
    }
    return 0;
}

/* wait_for_streams(): raises the first exception of any. */
static PyObject *wait_for_streams(PyObject *module, PyObject *none) {
    enum { FEW = 256 };
    SimtStream *few[FEW], **all = few;
    (void)module, (void)none;
    uint32_t n = simt_streams(few, FEW);
    if (n > FEW) {
        uint32_t room = n + FEW;
        all = PyMem_Malloc(room * sizeof *all);
        if (!all) return PyErr_NoMemory();
        n = simt_streams(all, room);
        if (n > room) n = room;
    }
    int rc = 0;
    for (uint32_t k = 0; rc == 0 && k < n; k++) rc = wait_for(all[k]);
    device_drop_finished();
    for (uint32_t k = 0; rc == 0 && k < n; k++) rc = device_check(all[k]);
    if (all != few) PyMem_Free(all);
    return rc ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {{"wait_for_streams", wait_for_streams, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int device_init_streams(PyObject *module) {
    stream_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &stream_spec, NULL);
    event_type =
        stream_type ? (PyTypeObject *)PyType_FromModuleAndSpec(module, &event_spec, NULL) : NULL;
    if (!event_type || PyModule_AddFunctions(module, functions)) return -1;
    return PyModule_AddObjectRef(module, "Stream", (PyObject *)stream_type) ||
                   PyModule_AddObjectRef(module, "Event", (PyObject *)event_type)
               ? -1
               : 0;
}
