/* Types of Python objects, which these tests do without: src/types/object.c needs Python. */
#include "types/types.h"

Type *ty_named_tuple(PyObject *cls, const char *const *names, Type *const *items, uint32_t n) {
    (void)cls, (void)names, (void)items, (void)n;
    return NULL;
}

Type *ty_enum(PyObject *cls, Type *of) {
    (void)cls, (void)of;
    return NULL;
}

Type *ty_object(TyKind kind, PyObject *obj) {
    (void)kind, (void)obj;
    return NULL;
}
