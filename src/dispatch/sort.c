/* np.sort for compiled code (runtime/sort.c): NumPy's own loops, which want neither an array object nor the GIL. */
#include "dispatch/numpy.h"

#include "dispatch/disp.h"
#include "runtime/runtime.h"

/* By KeyForm and by width: 1, 2, 4, 8 bytes. */
static const int type_nums[3][4] = {
    [FORM_UNSIGNED] = {NPY_UINT8, NPY_UINT16, NPY_UINT32, NPY_UINT64},
    [FORM_SIGNED] = {NPY_INT8, NPY_INT16, NPY_INT32, NPY_INT64},
    [FORM_FLOAT] = {NPY_NOTYPE, NPY_FLOAT16, NPY_FLOAT32, NPY_FLOAT64},
};

int disp_sort(void *data, int64_t n, int64_t width, int64_t form) {
    int num = type_nums[form][width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3];
    if (num == NPY_NOTYPE || (uintptr_t)data % (uintptr_t)width != 0) return -1;
    PyArray_Descr *descr = (PyArray_Descr *)disp.descr[num];
    PyArray_SortFunc *sort = PyDataType_GetArrFuncs(descr)->sort[NPY_QUICKSORT];
    return sort ? sort(data, (npy_intp)n, NULL) : -1;
}
