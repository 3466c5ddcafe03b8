/* _core.Launch: a kernel with its grid, its block, its stream: a call of it runs it.
 *
 * Arguments are unboxed as in any call (dispatch/call.c). Arrays of the device go in as they are, and the launch is
 * queued. An array of NumPy is memory that the CPU device can use as it is too: nothing need be copied; but since the
 * program may look at it right after, such a launch is done when it returns. */
#include "dispatch/numpy.h"

#include <string.h>
#include <structmember.h>

#include "base/mem.h"
#include "dispatch/function.h"
#include "py/abi.h"
#include "py/py.h"
#include "python/device.h"

typedef struct Launch {
    PyObject_HEAD VectorCall call;
    PyObject *function; /* a Dispatcher, for blocks of this size; owned, as are the next */
    PyObject *stream, *kernel;
    uint32_t grid[3], block[3], dynamic;
} Launch;

static PyTypeObject *launch_type;
static PyObject *as_argument; /* whipsnake.cuda._arguments.as_argument; owned */

/* --- one launch ------------------------------------------------------------------------------- */

typedef struct Call {
    Launch *self;
    PyObject *args; /* tuple: what is to stay alive */
    bool waits; /* an array of NumPy is among the arguments */
} Call;

static void fill_launch(SimtLaunch *l, const Launch *self, const Entry *e, uint64_t *slots,
                        const uint64_t *globals) {
    *l =
        (SimtLaunch){.unit = e->unit, .slots = slots, .globals = globals, .dynamic = self->dynamic};
    memcpy(l->grid, self->grid, sizeof l->grid);
    memcpy(l->block, self->block, sizeof l->block);
}

/* If the stream has nothing to do and the device can: 1, or -1 with an exception set; 0: it is to be queued. */
static int run_now(const Call *c, const Entry *e, uint64_t *slots) {
    enum { FEW = 64 };
    uint64_t globals[FEW];
    const Device *device;
    DeviceStream *stream;
    SimtLaunch l;
    ExcObj *exc = NULL;
    if (!device_of(c->self->stream, &device, &stream)) return -1;
    if (!device->run_now || e->nglobals > FEW) return 0;
    if (entry_read_captured(e, globals)) return -1;
    fill_launch(&l, c->self, e, slots, globals);
    if (!device->run_now(stream, &l, &exc)) return 0;
    if (exc) device_raise(exc);
    return exc || device_check(c->self->stream) ? -1 : 1;
}

/* Takes made. */
static PyObject *queue_launch(const Call *c, const Entry *e, const uint64_t *slots, Made *made) {
    size_t size = sizeof(DeviceLaunch) + (e->nslots + e->nglobals) * sizeof(uint64_t);
    DeviceLaunch *op =
        (DeviceLaunch *)device_new_op(size, DEVICE_LAUNCH, c->args, (PyObject *)c->self);
    if (!op || entry_read_captured(e, op->data + e->nslots)) {
        disp_release_made(made);
        for (int k = 0; op && k < 2; k++) Py_CLEAR(op->base.keep[k]);
        mem_free(op);
        return NULL;
    }
    op->made = *made;
    memcpy(op->data, slots, e->nslots * sizeof *slots);
    fill_launch(&op->l, c->self, e, op->data, op->data + e->nslots);
    uint64_t number = device_push(c->self->stream, &op->base, !c->waits);
    if (!number || (c->waits && device_wait(c->self->stream, number))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *run_entry(const Entry *e, uint64_t *slots, Made *made, void *arg) {
    const Call *c = arg;
    int rc = c->waits ? run_now(c, e, slots) : 0;
    if (rc == 0) return queue_launch(c, e, slots, made);
    disp_release_made(made);
    return rc > 0 ? Py_NewRef(Py_None) : NULL;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Numbers, and what else dispatch knows and is no array. */
static bool is_simple(PyObject *obj) {
    PyTypeObject *cls = Py_TYPE(obj);
    if (cls == &PyFloat_Type || cls == &PyLong_Type || cls == &PyBool_Type ||
        cls == &PyComplex_Type || cls == &PyUnicode_Type || obj == Py_None)
        return true;
    for (int k = 0; k < DISP_NUMS; k++)
        if (disp.scalar[k] == cls) return true;
    return false;
}

/* What compiled code takes for obj: new. */
static PyObject *convert(Call *c, PyObject *obj) {
    PyObject *view = device_view(obj);
    if (view) return Py_NewRef(view);
    if (Py_TYPE(obj) == disp.array) {
        c->waits = true;
        return Py_NewRef(obj);
    }
    if (is_simple(obj)) return Py_NewRef(obj);
    if (!as_argument) as_argument = py_import_attr("whipsnake.cuda._arguments", "as_argument");
    PyObject *both = as_argument ? PyObject_CallFunctionObjArgs(as_argument, obj, NULL) : NULL;
    if (!both) return NULL;
    PyObject *arg = Py_XNewRef(PyTuple_GetItem(both, 0));
    c->waits |= PyTuple_GetItem(both, 1) == Py_True;
    Py_DECREF(both);
    return arg;
}

static PyObject *call_launch(PyObject *self, PyObject *const *args, size_t nargsf,
                             PyObject *kwnames) {
    size_t n = nargsf & ~VECTORCALL_OFFSET;
    size_t all = n + (kwnames ? (size_t)PyTuple_Size(kwnames) : 0);
    Call c = {.self = (Launch *)self, .args = PyTuple_New((Py_ssize_t)all)};
    PyObject *few[24], **given = few, *result = NULL;
    if (all > 24) given = PyMem_Malloc(all * sizeof *given);
    bool good = c.args && given;
    if (c.args && !given) PyErr_NoMemory();
    for (size_t i = 0; good && i < all; i++) {
        given[i] = convert(&c, args[i]);
        good = given[i] && PyTuple_SetItem(c.args, (Py_ssize_t)i, given[i]) == 0;
    }
    if (good) result = function_call_with(c.self->function, given, n, kwnames, run_entry, &c);
    if (given != few) PyMem_Free(given);
    Py_XDECREF(c.args);
    return result;
}

/* --- the class -------------------------------------------------------------------------------- */

static PyObject *new_launch(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
    PyObject *kernel, *function, *stream;
    unsigned g[3], b[3], dynamic;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OOO(III)(III)I", &kernel, &function, &stream, &g[0], &g[1], &g[2],
                          &b[0], &b[1], &b[2], &dynamic))
        return NULL;
    if (Py_TYPE(function) != disp.dispatcher)
        return PyErr_Format(PyExc_TypeError, "%R is no compiled function", function);
    const Device *device;
    DeviceStream *on;
    if (!device_of(stream, &device, &on)) return NULL;
    Launch *l = (Launch *)PyType_GenericAlloc(cls, 0);
    if (!l) return NULL;
    l->call = call_launch;
    l->kernel = Py_NewRef(kernel);
    l->function = Py_NewRef(function);
    l->stream = Py_NewRef(stream);
    l->dynamic = dynamic;
    for (int k = 0; k < 3; k++) l->grid[k] = g[k], l->block[k] = b[k];
    return (PyObject *)l;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Launch *l = (Launch *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(l->kernel);
    Py_VISIT(l->function);
    Py_VISIT(l->stream);
    return 0;
}

static int clear(PyObject *self) {
    Launch *l = (Launch *)self;
    Py_CLEAR(l->kernel);
    Py_CLEAR(l->function);
    Py_CLEAR(l->stream);
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *cls = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    freefunc release = (freefunc)PyType_GetSlot(cls, Py_tp_free);
    release(self);
    Py_DECREF(cls);
}

static PyObject *call_with_tuple(PyObject *self, PyObject *args, PyObject *kwargs) {
    return PyVectorcall_Call(self, args, kwargs);
}

static PyObject *repr(PyObject *self) {
    const Launch *l = (Launch *)self;
    return PyUnicode_FromFormat("<%R on grid (%u, %u, %u), block (%u, %u, %u)>", l->kernel,
                                l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                                l->block[2]);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Launch, call), READONLY, NULL},
    {"kernel", T_OBJECT_EX, offsetof(Launch, kernel), READONLY, NULL},
    {"stream", T_OBJECT_EX, offsetof(Launch, stream), READONLY, NULL},
    {"sharedmem", T_UINT, offsetof(Launch, dynamic), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyObject *get_grid(PyObject *self, void *none) {
    (void)none;
    const uint32_t *g = ((Launch *)self)->grid;
    return Py_BuildValue("(III)", g[0], g[1], g[2]);
}

static PyObject *get_block(PyObject *self, void *none) {
    (void)none;
    const uint32_t *b = ((Launch *)self)->block;
    return Py_BuildValue("(III)", b[0], b[1], b[2]);
}

static PyGetSetDef getset[] = {{"grid", get_grid, NULL, "Blocks along x, y, z.", NULL},
                               {"block", get_block, NULL, "Threads of a block.", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, (void *)(uintptr_t)new_launch},
                              {Py_tp_dealloc, (void *)(uintptr_t)dealloc},
                              {Py_tp_traverse, (void *)(uintptr_t)traverse},
                              {Py_tp_clear, (void *)(uintptr_t)clear},
                              {Py_tp_call, (void *)(uintptr_t)call_with_tuple},
                              {Py_tp_repr, (void *)(uintptr_t)repr},
                              {Py_tp_getset, getset},
                              {Py_tp_members, members},
                              {0, NULL}};
static PyType_Spec spec = {"whipsnake._core.Launch", sizeof(Launch), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | HAVE_VECTORCALL, slots};

int device_init_launch(PyObject *module) {
    launch_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!launch_type) return -1;
    return PyModule_AddObjectRef(module, "Launch", (PyObject *)launch_type);
}
