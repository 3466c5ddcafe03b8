/* Devices as Python sees them: streams, events, arrays in a device's memory, launches. The rest of their interface is
 * Python: whipsnake/cuda. */
#pragma once
#include <Python.h>

#include "simt/stream.h"

/* An operation with what it keeps alive. */
typedef struct DeviceOp DeviceOp;
struct DeviceOp {
    SimtOp op;
    void (*drop)(
        DeviceOp
            *op); /* releases what the kind of operation holds, not the op; GIL held; or NULL */
    PyObject *keep[3]; /* owned; some NULL */
};

/* A stream object's queue; NULL with an exception set: obj is none. */
SimtStream *device_stream(PyObject *obj);
/* Queues op (takes it), which keeps obj, its stream, alive. 0 with an exception set, or its number. */
uint64_t device_push(PyObject *stream, DeviceOp *op, bool beside);
/* Waits for an operation, listening to signals, and raises what the stream's operations have raised: 0 or -1. */
int device_wait(PyObject *stream, uint64_t number);
/* Raises the stream's exception if there is one: 0 or -1. */
int device_check(SimtStream *s);
/* Frees operations that are done. */
void device_drop_finished(void);

/* The view behind an array in device memory: borrowed, an ndarray; NULL without an exception: obj is none. */
PyObject *device_view(PyObject *obj);

int device_init_streams(PyObject *module); /* stream.c */
int device_init_arrays(PyObject *module); /* device_array.c */
int device_init_launch(PyObject *module); /* launch.c */
