/* The CPU as a device: its memory is the program's, its streams are queues (simt/stream.c) whose operations run on
 * threads of ours, or on one that waits. */
#include "dispatch/numpy.h"

#include <string.h>

#include "core/os.h"
#include "python/device.h"
#include "runtime/runtime.h"

static SimtStream *queue(DeviceStream *s) { return (SimtStream *)(void *)s; }

/* --- operations ------------------------------------------------------------------------------- */

/* Without the GIL: NULL, or the exception. stop: as WsCtx.stop. */
static ExcObj *run_grid(const SimtLaunch *l, const _Atomic uint32_t *stop) {
    DispThread *t = disp_thread_anyway();
    if (!t) return exc_no_memory();
    WsCtx *ctx = &t->ctx;
    const Unit *outer_unit = ctx->unit;
    const uint64_t *outer_globals = ctx->globals;
    uint32_t outer_gil = ctx->nogil;
    uint32_t outer_running = atomic_exchange_explicit(&t->running, 1, memory_order_relaxed);
    if (atomic_load_explicit(&disp_timer_sleeps, memory_order_relaxed)) disp_wake_timer();
    ctx->unit = l->unit;
    ctx->globals = l->globals;
    ctx->nogil = WS_GIL_RELEASED;
    ctx->stop = stop;
    ExcObj *exc = NULL;
    if (simt_run(ctx, l)) {
        exc = ctx->exc;
        ctx->exc = NULL;
    }
    atomic_store_explicit(&t->running, outer_running, memory_order_relaxed);
    ctx->unit = outer_unit;
    ctx->globals = outer_globals;
    ctx->nogil = outer_gil;
    ctx->stop = NULL;
    return exc;
}

/* An exception that came from Python is a signal handler's: the thread that waits ran the kernel itself. */
static ExcObj *run_launch(SimtOp *op) {
    ExcObj *e = run_grid(&((DeviceLaunch *)op)->l, simt_stream_stop_word(op->stream));
    if (e && e->object) simt_stream_leave_out(op->stream);
    device_drop_later();
    return e;
}

static ExcObj *run_call(SimtOp *op) {
    DeviceOp *d = (DeviceOp *)op;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *r = PyObject_CallObject(d->keep[0], d->keep[1]);
    ExcObj *e = r ? NULL : rt_take_python(NULL);
    Py_XDECREF(r);
    PyGILState_Release(gil);
    device_drop_later();
    return e;
}

/* One run of memory on both sides? */
static bool is_plain(PyArrayObject *to, PyArrayObject *from) {
    int both = PyArray_FLAGS(to) & PyArray_FLAGS(from);
    bool same = PyArray_DESCR(to) == PyArray_DESCR(from) && PyArray_NDIM(to) == PyArray_NDIM(from);
    for (int k = 0; same && k < PyArray_NDIM(to); k++)
        same = PyArray_DIM(to, k) == PyArray_DIM(from, k);
    return same && (both & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) &&
           !PyDataType_REFCHK(PyArray_DESCR(to));
}

static ExcObj *run_copy(SimtOp *op) {
    DeviceOp *d = (DeviceOp *)op;
    PyArrayObject *to = (PyArrayObject *)d->keep[0], *from = (PyArrayObject *)d->keep[1];
    ExcObj *e = NULL;
    if (is_plain(to, from)) {
        memmove(PyArray_DATA(to), PyArray_DATA(from), (size_t)PyArray_NBYTES(to));
    } else {
        PyGILState_STATE gil = PyGILState_Ensure();
        if (PyArray_CopyInto(to, from)) e = rt_take_python(NULL);
        PyGILState_Release(gil);
    }
    device_drop_later();
    return e;
}

static ExcObj *run_stamp(SimtOp *op) {
    device_stamp(((DeviceOp *)op)->keep[0], os_now_ns());
    device_drop_later();
    return NULL;
}

/* --- the table -------------------------------------------------------------------------------- */

static DeviceStream *open_stream(bool is_default, bool alone) {
    return (DeviceStream *)(void *)simt_stream_new(is_default, alone);
}

static void close_stream(DeviceStream *s) { simt_stream_free(queue(s)); }

static uint64_t push(DeviceStream *s, DeviceOp *op, bool beside) {
    static ExcObj *(*const runs[])(SimtOp *) = {[DEVICE_LAUNCH] = run_launch,
                                                [DEVICE_COPY] = run_copy,
                                                [DEVICE_CALL] = run_call,
                                                [DEVICE_STAMP] = run_stamp};
    op->op.run = runs[op->kind];
    return simt_stream_push(queue(s), &op->op, beside);
}

static bool join(DeviceStream *s, DeviceStream *other, uint64_t number) {
    return simt_stream_join(queue(s), queue(other), number);
}

static uint64_t last(DeviceStream *s) { return simt_stream_last(queue(s)); }

static bool has_done(DeviceStream *s, uint64_t number) {
    return simt_stream_has_done(queue(s), number);
}

static bool wait_for(DeviceStream *s, uint64_t number, uint64_t ns) {
    return simt_stream_wait(queue(s), number, ns);
}

static void stop(DeviceStream *s) { simt_stream_stop(queue(s)); }

static ExcObj *take_error(DeviceStream *s) { return simt_stream_take_exc(queue(s)); }

static bool run_now(DeviceStream *s, const SimtLaunch *l, ExcObj **exc) {
    if (!simt_stream_begin(queue(s))) return false;
    PyThreadState *state = PyEval_SaveThread();
    *exc = run_grid(l, NULL);
    simt_stream_end(queue(s));
    PyEval_RestoreThread(state);
    return true;
}

static DeviceOp *take_finished(void) {
    return simt_has_finished() ? (DeviceOp *)(void *)simt_take_finished() : NULL;
}

static uint32_t streams(DeviceStream **out, uint32_t room) {
    return simt_streams((SimtStream **)(void *)out, room);
}

const Device cpu_device = {.name = "cpu",
                           .open = open_stream,
                           .close = close_stream,
                           .push = push,
                           .join = join,
                           .last = last,
                           .has_done = has_done,
                           .wait = wait_for,
                           .stop = stop,
                           .take_error = take_error,
                           .run_now = run_now,
                           .take_finished = take_finished,
                           .streams = streams};
