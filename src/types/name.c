/* How types are written for people: Numba's spelling. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "types/types_int.h"

static const char *const facets[] = {"exception", "class of an exception",
                                     "arguments of an exception"};

typedef struct Text {
    char *at;
    size_t n, cap;
    bool failed;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *x, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t n = (size_t)vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (x->cap - x->n < n + 1) {
        size_t cap = (x->cap + n + 32) * 2;
        char *at = mem_realloc(x->at, cap);
        if (at) {
            x->at = at;
            x->cap = cap;
        }
        x->failed |= !at;
    }
    if (!x->failed) {
        vsnprintf(x->at + x->n, n + 1, fmt, again);
        x->n += n;
    }
    va_end(again);
}

static void put_list(Text *x, Type *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) put(x, "%s%s", i ? ", " : "", items[i]->name);
}

static void put_tuple(Text *x, const Type *t, const char *label) {
    bool uniform = t->nitems > 0;
    for (uint32_t i = 1; i < t->nitems; i++) uniform &= t->items[i] == t->items[0];
    put(x, "%s(", label ? label : uniform ? "UniTuple" : "Tuple");
    if (uniform)
        put(x, "%s x %u", t->items[0]->name, t->nitems);
    else
        put_list(x, t->items, t->nitems);
    put(x, ")");
}

static void put_array(Text *x, const Type *t) {
    put(x, "%s%sarray(%s, %ud, %c)", t->aligned ? "" : "unaligned ", t->readonly ? "readonly " : "",
        t->elem->name, t->ndim, t->layout);
}

static void put_iter(Text *x, const Type *t) {
    static const char *const how[] = {
        [ITER_PLAIN] = "iter",      [ITER_ENUMERATE] = "enumerate",
        [ITER_ZIP] = "zip",         [ITER_REVERSED] = "reversed",
        [ITER_NDINDEX] = "ndindex", [ITER_NDENUMERATE] = "ndenumerate",
        [ITER_SHARED] = "iterator"};
    put(x, "%s(", how[t->how]);
    if (t->nitems)
        put_list(x, t->items, t->nitems);
    else
        put(x, "%s", t->of->name);
    put(x, ")");
}

static void put_type(Text *x, const Type *t, const char *label) {
    if (!label && t->kind != TY_TUPLE) label = "?";
    switch ((TyKind)t->kind) {
    case TY_UNDEF: put(x, "undefined"); break;
    case TY_NONE: put(x, "none"); break;
    case TY_BOOL: put(x, "bool"); break;
    case TY_INT: put(x, "%sint%u", t->is_signed ? "" : "u", t->bits); break;
    case TY_FLOAT: put(x, "float%u", t->bits); break;
    case TY_COMPLEX: put(x, "complex%u", t->bits); break;
    case TY_STR: put(x, "unicode_type"); break;
    case TY_BYTES: put(x, "bytes"); break;
    case TY_SLICE:
        put(x, "slice(");
        put_list(x, t->items, t->nitems);
        put(x, ")");
        break;
    case TY_RANGE: put(x, "range"); break;
    case TY_TUPLE: put_tuple(x, t, label); break;
    case TY_OPTIONAL: put(x, "OptionalType(%s)", t->of->name); break;
    case TY_ARRAY: put_array(x, t); break;
    case TY_DTYPE: put(x, "dtype(%s)", t->of->name); break;
    case TY_ENUM: put(x, "%sEnum<%s>(%s)", t->is_signed ? "Int" : "", t->of->name, label); break;
    case TY_FUNC:
        if (t->nitems)
            put(x, "one of %u functions", t->nitems);
        else
            put(x, "function %s", label);
        break;
    case TY_MODULE: put(x, "module %s", label); break;
    case TY_CLASS: put(x, "class %s", label); break;
    case TY_CLOSURE: put(x, "function %s", label); break;
    case TY_ITER: put_iter(x, t); break;
    case TY_CELL: put(x, "cell(%s)", t->of->name); break;
    case TY_EXC: put(x, "%s", facets[t->bits]); break;
    case TY_PTR: put(x, "pointer"); break;
    case TY_KINDS: break;
    }
}

char *ty_new_name(const Type *t, const char *label) {
    Text x = {0};
    put_type(&x, t, label);
    if (!x.failed) return x.at;
    mem_free(x.at);
    return NULL;
}
