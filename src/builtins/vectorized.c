/* Ufuncs made by vectorize, in compiled code: a row is made for each as it is met. Numbers call the function behind
 * it; arrays go the way of all elementwise functions, and that function is called for each element. */
#include <string.h>

#include "builtins/elementwise.h"
#include "py/py.h"

typedef struct VectorizedRow {
    Row row;
    Type *function; /* of the compiled function */
    uint32_t nin, nloops;
    Type **loops; /* given signatures: nin + 1 types each; none: any types will do */
    uint32_t *ranks; /* generalized: of each parameter */
} VectorizedRow;

static const VectorizedRow *row_of(const Call *c) { return (const VectorizedRow *)c->row; }

static bool is_same(Type *from, Type *to) { return from == to; }
static bool fits(Type *from, Type *to) { return from == to || ty_dtype_join(from, to) == to; }

/* The first signature that takes all arguments so, or NULL. */
static Type *const *first_loop(const Call *c, bool (*takes)(Type *from, Type *to)) {
    const VectorizedRow *v = row_of(c);
    for (uint32_t k = 0; k < v->nloops; k++) {
        Type *const *loop = v->loops + k * (v->nin + 1);
        uint32_t i = 0;
        while (i < v->nin && takes(math_number(c, i), loop[i])) i++;
        if (i == v->nin) return loop;
    }
    return NULL;
}

/* The signature of just the arguments' types, or the first that takes them without loss, as NumPy chooses. */
static Type *const *find_loop(const Call *c) {
    Type *const *exact = first_loop(c, is_same);
    return exact ? exact : first_loop(c, fits);
}

/* The function's instance for the arguments; *out tells how to call it. NULL: refused, or not yet known. */
static Inst *find_instance(const Call *c, Callee *out) {
    const VectorizedRow *v = row_of(c);
    Type *const *loop = v->nloops ? find_loop(c) : NULL;
    Arg *args = NEWN(c->in->cx, Arg, v->nin);
    for (uint32_t i = 0; i < v->nin; i++) {
        Type *ty = math_number(c, i);
        args[i] = (Arg){.item = -1, .ty = loop ? loop[i] : ty};
    }
    Arg callee = {.item = -1, .ty = v->function};
    return infer_call_value(c->in, c->inst, callee, args, v->nin, c->ins, out);
}

static Type *type_vectorized(Call *c) {
    const VectorizedRow *v = row_of(c);
    for (uint32_t i = 0; i < v->nin; i++)
        if (!math_number(c, i)) return rule_no_overload(c);
    Type *const *loop = v->nloops ? find_loop(c) : NULL;
    if (v->nloops && !loop) return rule_no_overload(c);
    Callee callee;
    Inst *f = find_instance(c, &callee);
    if (!f || f->ret->kind == TY_UNDEF) return NULL;
    Type *result = loop ? loop[v->nin] : f->ret;
    return ty_is_number(result) ? result : rule_no_overload(c);
}

static Ref lower_vectorized(Lower *lo, Call *c) {
    const VectorizedRow *v = row_of(c);
    Callee callee;
    if (!find_instance(c, &callee)) INTERNAL(lo->cx, c->span, "a ufunc's function was not typed");
    Arg *args = NEWN(lo->cx, Arg, v->nin);
    for (uint32_t i = 0; i < v->nin; i++) {
        args[i] = callee.call.args[i];
        args[i].low = lo_convert(lo, lo_arg(lo, c->args[i]), args[i].ty);
    }
    callee.call.args = args;
    Ref result = lower_call_inst(lo, &callee);
    Type *const *loop = v->nloops ? find_loop(c) : NULL;
    return loop ? lo_convert(lo, result, loop[v->nin]) : result;
}

/* --- generalized: the function itself, on arrays of just the dimensions of the layout --------------------------- */

static uint32_t rank_of(const Call *c, uint32_t i) {
    return plain(c, i)->kind == TY_ARRAY ? plain(c, i)->ndim : 0;
}

static Inst *find_generalized(const Call *c, Callee *out) {
    const VectorizedRow *v = row_of(c);
    Arg callee = {.item = -1, .ty = v->function};
    return infer_call_value(c->in, c->inst, callee, c->args, c->nargs, c->ins, out);
}

static Type *type_generalized(Call *c) {
    const VectorizedRow *v = row_of(c);
    for (uint32_t i = 0; i < c->nargs; i++) {
        if (rank_of(c, i) == v->ranks[i]) continue;
        infer_hint(c->in, "call it in a loop, with arrays of the dimensions that its layout has");
        infer_fail(c->in, c->span, D_NOT_YET, "a loop over generalized ufuncs in compiled code");
        return NULL;
    }
    Callee callee;
    Inst *f = find_generalized(c, &callee);
    return f && f->ret->kind != TY_UNDEF ? TY_OF(TY_NONE) : NULL;
}

static Ref lower_generalized(Lower *lo, Call *c) {
    Callee callee;
    if (!find_generalized(c, &callee))
        INTERNAL(lo->cx, c->span, "a ufunc's function was not typed");
    lower_call_inst(lo, &callee);
    return lo_none(lo);
}

/* "(m,n),(n)->()": 2, 1, and 1 for an output without dimensions. */
static void read_ranks(Infer *in, const char *layout, VectorizedRow *v) {
    v->ranks = NEWN(in->cx, uint32_t, strlen(layout) + 1);
    bool output = false;
    uint32_t k = 0;
    for (const char *s = layout; *s; s++) {
        if (*s == '>') output = true;
        if (*s != '(') continue;
        uint32_t rank = s[1] != ')';
        for (const char *t = s; *t != ')'; t++) rank += *t == ',';
        v->ranks[k++] = rank || !output ? rank : 1;
    }
}

/* --- making ------------------------------------------------------------------------------------------------------ */

/* The types of the signatures, a list of tuples of type objects. */
static void read_loops(Infer *in, PyObject *list, VectorizedRow *v) {
    uint32_t n = (uint32_t)PyList_Size(list), width = v->nin + 1;
    v->loops = NEWN(in->cx, Type *, n * width + 1);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < width; i++)
            v->loops[k * width + i] =
                in->core->as_type(PyTuple_GetItem(PyList_GetItem(list, k), i));
    v->nloops = n;
}

static const Row *make_row(Infer *in, PyObject *obj) {
    Cx *cx = in->cx;
    VectorizedRow *v = NEW(cx, VectorizedRow);
    PyObject *function = py_attr(cx, obj, "_function"),
             *names = py_attr(cx, function, "_parameters");
    PyObject *frozen = py_attr(cx, obj, "_frozen");
    v->function = function ? in->core->type_of(function) : NULL;
    if (!v->function || !names || !PyTuple_Check(names)) return NULL;
    v->nin = (uint32_t)PyTuple_Size(names);
    const char *layout = py_text_attr(cx, obj, "signature");
    Buf params = {0}, loops = {0};
    for (uint32_t i = 0; i < v->nin; i++) {
        buf_printf(cx, &params, "%s%s", i ? ", " : "",
                   py_text(cx, PyTuple_GetItem(names, i), NULL));
        buf_add(cx, &loops, "X", 1);
    }
    buf_add(cx, &loops, ">", 1);
    PyObject *list =
        frozen == Py_True ? py_keep(cx, PyObject_CallMethod(obj, "_loops", NULL)) : NULL;
    if (list && PyList_Check(list) && !layout) read_loops(in, list, v);
    v->row = (Row){.name = py_text_attr(cx, obj, "__name__"),
                   .params = params.at,
                   .type = type_vectorized,
                   .lower = lower_vectorized,
                   .flags = ROW_CALLS,
                   .loops = v->nin <= MAX_INPUTS ? loops.at : NULL,
                   .takes = "numbers and arrays of them"};
    if (!layout) return &v->row;
    read_ranks(in, layout, v);
    v->row.type = type_generalized;
    v->row.lower = lower_generalized;
    v->row.loops = NULL;
    v->row.takes = "arrays with the dimensions of its layout";
    return &v->row;
}

const Row *row_of_vectorized(Infer *in, PyObject *obj) {
    if (!py_is_a(obj, "Ufunc")) return NULL;
    const Row *known = map_ptr(&in->vectorized, obj);
    if (!known)
        map_put(in->cx, &in->vectorized, obj, (void *)(uintptr_t)(known = make_row(in, obj)));
    return known;
}
