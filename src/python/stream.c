/* _core.Stream and _core.Event, and the operations that they queue. */
#include "dispatch/numpy.h"

#include <string.h>
#include <structmember.h>

#include "base/mem.h"
#include "python/device.h"

typedef struct Stream {
    PyObject_HEAD const Device *device;
    DeviceStream *on; /* the device's */
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

static void drop_list(DeviceOp *list) {
    for (DeviceOp *d = list, *next; d; d = next) {
        next = (DeviceOp *)d->op.next;
        if (d->op.run) { /* else it only waited, and is no more than its place in the queue */
            if (d->kind == DEVICE_LAUNCH) disp_release_made(&((DeviceLaunch *)d)->made);
            for (int k = 0; k < 3; k++) Py_CLEAR(d->keep[k]);
        }
        mem_free(d);
    }
}

void device_drop_finished(void) { drop_list(cpu_device.take_finished()); }

static int drop_now(void *arg) {
    (void)arg;
    device_drop_finished();
    return 0;
}

void device_drop_later(void) { Py_AddPendingCall(drop_now, NULL); }

bool device_of(PyObject *obj, const Device **device, DeviceStream **stream) {
    if (!PyType_IsSubtype(Py_TYPE(obj), stream_type)) {
        PyErr_Format(PyExc_TypeError, "%R is no stream", obj);
        return false;
    }
    *device = ((Stream *)obj)->device;
    *stream = ((Stream *)obj)->on;
    return true;
}

DeviceOp *device_new_op(size_t size, DeviceOpKind kind, PyObject *a, PyObject *b) {
    DeviceOp *op = mem_alloc(size);
    if (!op) return (DeviceOp *)PyErr_NoMemory();
    *op = (DeviceOp){.kind = (uint8_t)kind, .keep = {Py_XNewRef(a), Py_XNewRef(b), NULL}};
    return op;
}

uint64_t device_push(PyObject *stream, DeviceOp *op, bool beside) {
    const Stream *s = (Stream *)stream;
    device_drop_finished();
    op->keep[2] = Py_NewRef(stream);
    uint64_t number = s->device->push(s->on, op, beside);
    if (number) return number;
    op->op.next = NULL;
    drop_list(op);
    PyErr_NoMemory();
    return 0;
}

void device_raise(ExcObj *exc) {
    DispThread *t = disp_thread();
    if (!t) {
        exc_release(exc);
        return;
    }
    exc_release(t->ctx.exc);
    t->ctx.exc = exc;
    disp_raise(&t->ctx);
}

static int check(const Device *device, DeviceStream *s) {
    ExcObj *e = device->take_error(s);
    if (e) device_raise(e);
    return e ? -1 : 0;
}

int device_check(PyObject *stream) {
    return check(((Stream *)stream)->device, ((Stream *)stream)->on);
}

static int wait_for(const Device *device, DeviceStream *s, uint64_t number) {
    for (bool done = device->has_done(s, number); !done;) {
        PyThreadState *state = PyEval_SaveThread();
        done = device->wait(s, number, WAIT_NS);
        PyEval_RestoreThread(state);
        if (!done && PyErr_CheckSignals()) {
            device->stop(s);
            return -1;
        }
    }
    return 0;
}

int device_wait(PyObject *stream, uint64_t number) {
    const Stream *s = (Stream *)stream;
    if (wait_for(s->device, s->on, number)) return -1;
    device_drop_finished();
    return check(s->device, s->on);
}

void device_stamp(PyObject *event, uint64_t ns) { atomic_store(&((Event *)event)->ns, ns); }

/* --- Stream ------------------------------------------------------------------------------------- */

static PyObject *new_stream(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"is_default", "alone", NULL};
    int is_default = 0, alone = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pp", keywords, &is_default, &alone))
        return NULL;
    Stream *s = (Stream *)PyType_GenericAlloc(cls, 0);
    if (!s) return NULL;
    s->device = &cpu_device;
    s->on = s->device->open(is_default, alone);
    if (s->on) return (PyObject *)s;
    Py_DECREF(s);
    return PyErr_NoMemory();
}

static void free_stream(PyObject *self) {
    Stream *s = (Stream *)self;
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (s->weakrefs) PyObject_ClearWeakRefs(self);
    if (s->on) s->device->close(s->on);
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
    const Stream *s = (Stream *)self;
    return device_wait(self, s->device->last(s->on)) ? NULL : Py_NewRef(Py_None);
}

static PyObject *stream_done(PyObject *self, PyObject *none) {
    (void)none;
    const Stream *s = (Stream *)self;
    return PyBool_FromLong(s->device->has_done(s->on, s->device->last(s->on)));
}

/* _call(callable, *args): queued. */
static PyObject *stream_call(PyObject *self, PyObject *args) {
    Py_ssize_t n = PyTuple_Size(args);
    if (n < 1) return PyErr_Format(PyExc_TypeError, "a callable is missing");
    PyObject *rest = PyTuple_GetSlice(args, 1, n);
    DeviceOp *op =
        rest ? device_new_op(sizeof *op, DEVICE_CALL, PyTuple_GetItem(args, 0), rest) : NULL;
    Py_XDECREF(rest);
    return op && device_push(self, op, true) ? Py_NewRef(Py_None) : NULL;
}

/* _copy(to, from, beside): queued; the arrays have one shape. beside=False: also waits for it. */
static PyObject *stream_copy(PyObject *self, PyObject *args) {
    PyObject *to, *from;
    int beside = 1;
    if (!PyArg_ParseTuple(args, "O!O!|p", &PyArray_Type, &to, &PyArray_Type, &from, &beside))
        return NULL;
    DeviceOp *op = device_new_op(sizeof *op, DEVICE_COPY, to, from);
    uint64_t number = op ? device_push(self, op, beside) : 0;
    if (!number || (!beside && device_wait(self, number))) return NULL;
    Py_RETURN_NONE;
}

/* _join(other): what is queued from now on waits for what the other has queued. */
static PyObject *stream_join(PyObject *self, PyObject *other) {
    const Device *device;
    DeviceStream *o;
    if (!device_of(other, &device, &o)) return NULL;
    if (device->join(((Stream *)self)->on, o, device->last(o))) Py_RETURN_NONE;
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
    const Device *device;
    DeviceStream *s;
    if (!device_of(stream, &device, &s)) return NULL;
    atomic_store(&e->ns, 0);
    DeviceOp *op = device_new_op(sizeof *op, DEVICE_STAMP, self, NULL);
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
    const Stream *s = (Stream *)e->stream;
    return PyBool_FromLong(s->device->has_done(s->on, e->number));
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
    const Device *device;
    DeviceStream *s;
    if (!device_of(stream, &device, &s)) return NULL;
    if (!e->stream || device->join(s, ((Stream *)e->stream)->on, e->number)) Py_RETURN_NONE;
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

/* wait_for_streams(): raises the first exception of any. */
static PyObject *wait_for_streams(PyObject *module, PyObject *none) {
    enum { FEW = 256 };
    DeviceStream *few[FEW], **all = few;
    const Device *device = &cpu_device;
    (void)module, (void)none;
    uint32_t n = device->streams(few, FEW);
    if (n > FEW) {
        uint32_t room = n + FEW;
        all = PyMem_Malloc(room * sizeof *all);
        if (!all) return PyErr_NoMemory();
        n = device->streams(all, room);
        if (n > room) n = room;
    }
    int rc = 0;
    for (uint32_t k = 0; rc == 0 && k < n; k++) rc = wait_for(device, all[k], device->last(all[k]));
    device_drop_finished();
    for (uint32_t k = 0; rc == 0 && k < n; k++) rc = check(device, all[k]);
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
