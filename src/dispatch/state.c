/* What is looked up once per process: NumPy's element types and a few classes. */
#define WS_NUMPY_TABLE
#include "dispatch/numpy.h"

#include "cache/cache.h"
#include "dispatch/disp.h"
#include "dispatch/watch.h"
#include "py/py.h"
#include "runtime/runtime.h"

DispState disp;

static int init_elements(void) {
    const struct {
        int num;
        Type *ty;
    } rows[] = {
        {NPY_BOOL, TY_OF(TY_BOOL)},
        {NPY_BYTE, TY_I(8)},
        {NPY_UBYTE, TY_U(8)},
        {NPY_SHORT, TY_I(16)},
        {NPY_USHORT, TY_U(16)},
        {NPY_INT, TY_I(32)},
        {NPY_UINT, TY_U(32)},
        {NPY_LONG, TY_I(8 * sizeof(long))},
        {NPY_ULONG, TY_U(8 * sizeof(long))},
        {NPY_LONGLONG, TY_I(64)},
        {NPY_ULONGLONG, TY_U(64)},
        {NPY_HALF, TY_F(16)},
        {NPY_FLOAT, TY_F(32)},
        {NPY_DOUBLE, TY_F(64)},
        {NPY_CFLOAT, TY_C(64)},
        {NPY_CDOUBLE, TY_C(128)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int num = rows[i].num;
        disp.elem[num] = rows[i].ty;
        disp.descr[num] = (PyObject *)PyArray_DescrFromType(num);
        disp.scalar[num] = (PyTypeObject *)PyArray_TypeObjectFromType(num);
        if (!disp.descr[num] || !disp.scalar[num]) return -1;
    }
    return 0;
}

static int init_classes(void) {
    disp.array = &PyArray_Type;
    disp.memmap = (PyTypeObject *)py_import_attr("numpy", "memmap");
    disp.ufunc = (PyTypeObject *)py_import_attr("numpy", "ufunc");
    disp.function = (PyTypeObject *)py_import_attr("types", "FunctionType");
    disp.builtin = (PyTypeObject *)py_import_attr("types", "BuiltinFunctionType");
    disp.module = (PyTypeObject *)py_import_attr("types", "ModuleType");
    disp.method = py_import_attr("types", "MethodType");
    disp.enum_base = py_import_attr("enum", "Enum");
    bool all = disp.memmap && disp.ufunc && disp.function && disp.builtin && disp.module &&
               disp.method && disp.enum_base;
    return all ? 0 : -1;
}

bool disp_is_enum(PyTypeObject *cls) {
    return PyType_IsSubtype(cls, (PyTypeObject *)disp.enum_base);
}

int disp_type_num(const Type *elem) {
    switch ((TyKind)elem->kind) {
    case TY_BOOL: return NPY_BOOL;
    case TY_INT:
        switch (elem->bits) {
        case 8: return elem->is_signed ? NPY_INT8 : NPY_UINT8;
        case 16: return elem->is_signed ? NPY_INT16 : NPY_UINT16;
        case 32: return elem->is_signed ? NPY_INT32 : NPY_UINT32;
        default: return elem->is_signed ? NPY_INT64 : NPY_UINT64;
        }
    case TY_FLOAT:
        return elem->bits == 16 ? NPY_FLOAT16 : elem->bits == 32 ? NPY_FLOAT32 : NPY_FLOAT64;
    case TY_COMPLEX: return elem->bits == 64 ? NPY_COMPLEX64 : NPY_COMPLEX128;
    case TY_UNDEF:
    case TY_NONE:
    case TY_STR:
    case TY_BYTES:
    case TY_SLICE:
    case TY_RANGE:
    case TY_TUPLE:
    case TY_OPTIONAL:
    case TY_ARRAY:
    case TY_DTYPE:
    case TY_ENUM:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_EXC:
    case TY_PTR:
    case TY_KINDS: return -1;
    }
    return -1;
}

int disp_init(PyObject *module) {
    if (PyArray_ImportNumPyAPI() < 0) return -1;
    if (ty_init()) {
        PyErr_NoMemory();
        return -1;
    }
    watch_init();
    cache_open();
    if (init_elements() || init_classes()) return -1;
    rt_matmul = disp_matmul;
    rt_sort = disp_sort;
    disp_init_exceptions();
    return disp_init_memory(module) || disp_init_types(module) || disp_init_function(module) ? -1
                                                                                             : 0;
}
