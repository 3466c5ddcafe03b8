/* Devices, and what Python sees of them: streams, events, arrays in a device's memory, launches. The rest of the
 * interface is Python: whipsnake/cuda.
 *
 *   Device          what a device does, as a table of functions: cpu_device.c has the CPU's
 *   stream.c        Stream and Event, on any device
 *   device_array.c  DeviceArray
 *   launch.c        Launch: unboxes the arguments and queues the kernel
 *
 * Nothing but the tables knows which device it is: another one is another table. */
#pragma once
#include <Python.h>

#include "dispatch/disp.h"
#include "simt/grid.h"
#include "simt/stream.h"

typedef enum DeviceOpKind {
    DEVICE_LAUNCH, /* DeviceLaunch */
    DEVICE_COPY, /* keep[0][...] = keep[1], ndarrays over memory of the device or of the host */
    DEVICE_CALL, /* keep[0](*keep[1]), with the GIL */
    DEVICE_STAMP /* notes the time in the event keep[0] */
} DeviceOpKind;

/* An operation with what it keeps alive. */
typedef struct DeviceOp {
    SimtOp op; /* its place in a queue of ours */
    uint8_t kind; /* DeviceOpKind */
    PyObject *keep[3]; /* owned, some NULL; the last is the stream */
} DeviceOp;

typedef struct DeviceLaunch {
    DeviceOp base;
    SimtLaunch l;
    Made made;
    uint64_t data[]; /* slots, globals */
} DeviceLaunch;

typedef struct DeviceStream DeviceStream; /* the device's own */

/* The GIL is held in all but `wait`. Numbers count the operations of a stream, from 1. */
typedef struct Device {
    const char *name;
    /* A stream; is_default: in order with all others that are not `alone`. NULL: no memory. */
    DeviceStream *(*open)(bool is_default, bool alone);
    /* What is queued still runs. */
    void (*close)(DeviceStream *s);
    /* Queues op, which comes back through take_finished. beside: soon, whether anybody waits or not. Its number; 0: no
     * memory, nothing was queued. */
    uint64_t (*push)(DeviceStream *s, DeviceOp *op, bool beside);
    /* What is queued from now on waits for operation `number` of another stream. False: no memory. */
    bool (*join)(DeviceStream *s, DeviceStream *other, uint64_t number);
    uint64_t (*last)(DeviceStream *s); /* the operation queued last */
    bool (*has_done)(DeviceStream *s, uint64_t number);
    /* Waits for operation `number`, without the GIL; false: that many nanoseconds are over. */
    bool (*wait)(DeviceStream *s, uint64_t number, uint64_t ns);
    /* The program was interrupted while it waited: ends what runs, as soon as that can be, and leaves out what is queued.
     * Nobody hears of it. */
    void (*stop)(DeviceStream *s);
    /* What the first operation that failed has raised, taken; NULL: all is well. */
    ExcObj *(*take_error)(DeviceStream *s);
    /* Runs a launch in this thread instead of queueing it, if the stream has nothing to do: true, with its exception in
     * *exc (or NULL). NULL: the device cannot. */
    bool (*run_now)(DeviceStream *s, const SimtLaunch *l, ExcObj **exc);
    DeviceOp *(*take_finished)(void); /* operations that are done, through op.next */
    uint32_t (*streams)(DeviceStream **out, uint32_t room); /* all there are; how many */
} Device;

extern const Device cpu_device;

/* A stream object's device and stream; false with an exception set: obj is none. */
bool device_of(PyObject *obj, const Device **device, DeviceStream **stream);
/* A new operation of `size` bytes that keeps a and b (or NULL); NULL with an exception set. */
DeviceOp *device_new_op(size_t size, DeviceOpKind kind, PyObject *a, PyObject *b);
/* Queues op (takes it), which keeps obj, its stream, alive. 0 with an exception set, or its number. */
uint64_t device_push(PyObject *stream, DeviceOp *op, bool beside);
/* Waits for an operation, listening to signals, and raises what the stream's operations have raised: 0 or -1. */
int device_wait(PyObject *stream, uint64_t number);
/* Raises the stream's exception if there is one: 0 or -1. */
int device_check(PyObject *stream);
/* Raises exc, which is taken. */
void device_raise(ExcObj *exc);
/* Frees operations that are done. */
void device_drop_finished(void);
/* The same, soon, from a thread without the GIL. */
void device_drop_later(void);
/* The event's time, in nanoseconds. */
void device_stamp(PyObject *event, uint64_t ns);

/* The view behind an array in device memory: borrowed, an ndarray; NULL without an exception: obj is none. */
PyObject *device_view(PyObject *obj);

int device_init_streams(PyObject *module); /* stream.c */
int device_init_arrays(PyObject *module); /* device_array.c */
int device_init_launch(PyObject *module); /* launch.c */
