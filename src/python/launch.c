#include "python/launch.h"

#include "dispatch/function.h"
#include "simt/box.h"

/* The grid's extents; 0, or -1 with an exception set. */
static int read_grid(PyObject *const *args, uint32_t grid[3]) {
    for (int axis = 0; axis < 3; axis++) {
        long long n = PyLong_AsLongLong(args[axis]);
        if (n == -1 && PyErr_Occurred()) return -1;
        if (n < 1 || n > INT32_MAX) {
            PyErr_Format(PyExc_ValueError,
                         "a grid has 1 to 2147483647 blocks along each axis, not %lld", n);
            return -1;
        }
        grid[axis] = (uint32_t)n;
    }
    return 0;
}

PyObject *python_launch(PyObject *module, PyObject *const *args, Py_ssize_t n) {
    (void)module;
    uint32_t grid[3];
    if (n < 4 || Py_TYPE(args[0]) != disp.dispatcher) {
        PyErr_SetString(PyExc_TypeError,
                        "launch takes a compiled function, three extents and arguments");
        return NULL;
    }
    DispThread *thread = disp_thread();
    if (!thread || read_grid(args + 1, grid)) return NULL;
    SimtBox box;
    simt_fill_box(&box, grid);
    const uint32_t *outer = thread->ctx.sregs;
    thread->ctx.sregs = box.sregs;
    PyObject *result = function_call(args[0], args + 4, (size_t)(n - 4), NULL);
    thread->ctx.sregs = outer;
    return result;
}
