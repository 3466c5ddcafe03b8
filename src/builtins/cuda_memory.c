/* Memory of a block, of a thread, and what is constant. */
#include "builtins/cuda.h"

enum {
    MAX_SHARED = 48 << 10, /* bytes of one array; what every GPU has for a block */
    MAX_LOCAL = 512 << 10
};

/* --- shapes that are constants --------------------------------------------------------------------------------- */

/* Constant dimensions of argument 0 into dims; how many, or 0 after infer_fail. */
static uint32_t constant_shape(Call *c, int64_t dims[32]) {
    const Const *k = c->args[0].k;
    bool tuple = k && k->ty->kind == TY_TUPLE;
    uint32_t n = tuple ? k->seq.n : 1;
    bool good = k && n >= 1 && n <= 32;
    for (uint32_t i = 0; good && i < n; i++) {
        const Const *d = tuple ? k->seq.items[i] : k;
        good = d->ty->kind == TY_INT;
        if (good) dims[i] = d->i;
    }
    if (!good) {
        const char *what =
            c->row->data ? "the shape of a local array" : "the shape of a shared array";
        infer_fail(c->in, c->span, D_NOT_CONSTANT, what);
        return 0;
    }
    return n;
}

/* Bytes of the array; -1 after infer_fail. 0: dynamic shared memory. */
static int64_t array_bytes(Call *c, const int64_t *dims, uint32_t n, const Type *elem) {
    int64_t bytes = elem->size, most = c->row->data ? MAX_LOCAL : MAX_SHARED;
    if (n == 1 && dims[0] == 0 && !c->row->data) return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i] >= 1 && dims[i] <= most && (bytes *= dims[i]) <= most) continue;
        cuda_refuse(c, c->row->data ? "a local array has at least one element and at most 512 KiB"
                                    : "a shared array has at least one element and at most 48 KiB");
        return -1;
    }
    return bytes;
}

/* A power of two, like those that CUDA takes. */
static bool good_alignment(Call *c) {
    if (!given(c, 2) || c->args[2].ty->kind == TY_NONE) return true;
    const Const *k = c->args[2].k;
    if (!k || k->ty->kind != TY_INT)
        infer_fail(c->in, c->span, D_NOT_CONSTANT, "the alignment of an array");
    else if (k->i < 1 || k->i > 64 || (k->i & (k->i - 1)))
        cuda_refuse(c, "the alignment of an array is a power of two, at most 64");
    else
        return true;
    return false;
}

static Type *type_array(Call *c) {
    int64_t dims[32];
    if (!cuda_in_kernel(c)) return NULL;
    Type *elem = rule_dtype(c, 1, NULL);
    if (!elem) return NULL;
    if (!elem->size) return rule_no_overload(c);
    uint32_t n = constant_shape(c, dims);
    if (!n || array_bytes(c, dims, n, elem) < 0 || !good_alignment(c)) return NULL;
    return ty_array(elem, n, 'C', false, true);
}

static Ref lower_array(Lower *lo, Call *c) {
    Type *ty = ir_at(lo->high, c->ins)->ty;
    int64_t dims[32];
    uint32_t n = constant_shape(c, dims);
    int64_t bytes = array_bytes(c, dims, n, ty->elem);
    Ref data = lo_op(lo, c->row->data ? OP_STACK : OP_SHARED, TY_OF(TY_PTR), 0, NULL), shape[32];
    ir_at(lo->fn, data)->imm = bytes;
    for (uint32_t i = 0; i < n; i++) shape[i] = lo_int(lo, dims[i]);
    if (!bytes) /* as much as the launch gives */
        shape[0] =
            lo_op2(lo, OP_FLOORDIV, cuda_register(lo, SREG_DYN, 0), lo_int(lo, ty->elem->size));
    return lo_array_make(lo, ty, data, lo_zero(lo, TY_OF(TY_PTR)), shape, NULL);
}

/* --- const.array_like ------------------------------------------------------------------------------------------- */

/* A captured array, which nobody writes. */
static Type *type_const(Call *c) {
    Type *ty = c->args[0].ty;
    if (!cuda_in_kernel(c)) return NULL;
    if (ty->kind != TY_ARRAY) return rule_no_overload(c);
    return ty_array(ty->elem, ty->ndim, ty->layout, true, ty->aligned);
}

static Ref lower_const(Lower *lo, Call *c) {
    return lo_convert(lo, lo_arg(lo, c->args[0]), c->result);
}

#define CUDA "whipsnake.cuda."

const Row rows_cuda_memory[] = {
    {.name = CUDA "shared.array",
     .params = "shape, dtype, alignment=",
     .type = type_array,
     .lower = lower_array,
     .doc = "an array that the threads of a block share; shape 0: as large as the launch says"},
    {.name = CUDA "local.array",
     .params = "shape, dtype, alignment=",
     .type = type_array,
     .lower = lower_array,
     .data = 1,
     .doc = "an array that each thread has for itself"},
    {.name = CUDA "const.array_like",
     .params = "ary",
     .type = type_const,
     .lower = lower_const,
     .doc = "a captured array, to be read only"},
    {0},
};
