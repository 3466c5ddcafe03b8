/* Large products: computed by NumPy, which brings a BLAS. */
#include <Python.h>

#include "runtime/runtime.h"

RtMatmul rt_matmul;

Status ws_matmul(WsCtx *ctx, int32_t site, int64_t kind, void *a, int64_t a_rank,
                 const int64_t *a_shape, const int64_t *a_strides, void *b, int64_t b_rank,
                 const int64_t *b_shape, const int64_t *b_strides, void *out) {
    RtArray x = {a, (int)a_rank, a_shape, a_strides}, y = {b, (int)b_rank, b_shape, b_strides};
    PyGILState_STATE gil = PyGILState_Ensure();
    int rc = rt_matmul((int)kind, &x, &y, out);
    if (rc) rt_raise_python(ctx, site);
    PyGILState_Release(gil);
    return rc ? 1 : 0;
}
