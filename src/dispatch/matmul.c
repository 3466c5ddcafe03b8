/* np.dot for compiled code (runtime/matmul.c). */
#include "dispatch/numpy.h"

#include "dispatch/disp.h"
#include "runtime/runtime.h"

static const int type_nums[] = {NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE}; /* by kind */

/* The array as NumPy's, memory borrowed: new, or NULL with an exception set. */
static PyObject *wrap(int kind, const RtArray *a) {
    npy_intp shape[2] = {0}, strides[2] = {0};
    for (int i = 0; i < a->rank; i++) {
        shape[i] = (npy_intp)a->shape[i];
        strides[i] = (npy_intp)a->strides[i];
    }
    return PyArray_New(&PyArray_Type, a->rank, shape, type_nums[kind], strides, a->data, 0,
                       NPY_ARRAY_WRITEABLE, NULL);
}

/* a's rows by b's columns. */
static PyObject *wrap_result(int kind, const RtArray *a, const RtArray *b, void *data) {
    npy_intp shape[2];
    int rank = 0;
    if (a->rank == 2) shape[rank++] = (npy_intp)a->shape[0];
    if (b->rank == 2) shape[rank++] = (npy_intp)b->shape[1];
    return PyArray_New(&PyArray_Type, rank, shape, type_nums[kind], NULL, data, 0, NPY_ARRAY_CARRAY,
                       NULL);
}

int disp_matmul(int kind, const RtArray *a, const RtArray *b, void *out) {
    PyObject *x = wrap(kind, a), *y = wrap(kind, b), *z = wrap_result(kind, a, b, out);
    PyObject *result =
        x && y && z ? PyArray_MatrixProduct2(x, y, (PyArrayObject *)(void *)z) : NULL;
    Py_XDECREF(result);
    Py_XDECREF(z);
    Py_XDECREF(y);
    Py_XDECREF(x);
    return result ? 0 : -1;
}
