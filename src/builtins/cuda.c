/* CUDA's own functions and variables: numbers of threads and blocks, barriers, shared memory. */
#include <string.h>

#include "builtins/tables.h"

enum { MAX_SHARED = 48 << 10 }; /* bytes of one array; what every GPU has for a block */

/* True if a kernel is compiled; else the error. */
static bool in_kernel(Call *c) {
    if (c->in->req->options.kernel) return true;
    infer_hint(
        c->in,
        "decorate the outermost function with cuda.jit and launch it with kernel[grid, block](...)");
    infer_fail(c->in, c->span, D_TYPING,
               "this exists only in kernels and the functions that they call");
    return false;
}

/* --- threadIdx.x ... -------------------------------------------------------------------------------------------- */

/* The axis that an attribute names, or -1. */
static int axis_of(const char *name) {
    return name[0] >= 'x' && name[0] <= 'z' && !name[1] ? name[0] - 'x' : -1;
}

static Type *type_register(Call *c) {
    const Ins *ins = ir_at(c->inst->high, c->ins);
    if (ins->op != OP_GETATTR)
        return infer_fail(c->in, c->span, D_NOT_CALLABLE, c->row->name + strlen("whipsnake."));
    if (!in_kernel(c)) return NULL;
    if (axis_of(ins->name) >= 0) return TY_I(64);
    infer_hint(c->in, "it has x, y, z");
    return infer_fail(c->in, c->span, D_NO_ATTRIBUTE, c->row->name + strlen("whipsnake."),
                      ins->name);
}

static Ref sreg(Lower *lo, int kind, int axis) {
    Ref r = lo_op(lo, OP_SREG, TY_I(64), 0, NULL);
    ir_at(lo->fn, r)->sub = (uint16_t)kind;
    ir_at(lo->fn, r)->imm = axis;
    return r;
}

static Ref lower_register(Lower *lo, Call *c) {
    return sreg(lo, c->row->data, axis_of(ir_at(lo->high, c->ins)->name));
}

/* --- grid(n), gridsize(n) ----------------------------------------------------------------------------------------- */

static Type *type_grid(Call *c) {
    if (!in_kernel(c)) return NULL;
    const Const *k = c->args[0].k;
    if (!k || k->ty->kind != TY_INT)
        return infer_fail(c->in, c->span, D_NOT_CONSTANT, "the number of dimensions");
    if (k->i < 1 || k->i > 3)
        return infer_fail(c->in, c->span, D_TYPING, "a grid has 1, 2 or 3 dimensions");
    Type *items[] = {TY_I(64), TY_I(64), TY_I(64)};
    return k->i == 1 ? items[0] : ty_tuple(items, (uint32_t)k->i);
}

static Ref grid_axis(Lower *lo, const Call *c, int axis) {
    bool size = c->row->data;
    Ref blocks = sreg(lo, size ? SREG_NCTAID : SREG_CTAID, axis);
    Ref first = lo_op2(lo, OP_MUL, blocks, sreg(lo, SREG_NTID, axis));
    return size ? first : lo_op2(lo, OP_ADD, first, sreg(lo, SREG_TID, axis));
}

static Ref lower_grid(Lower *lo, Call *c) {
    uint32_t n = (uint32_t)c->args[0].k->i;
    Ref axes[3];
    for (uint32_t i = 0; i < n; i++) axes[i] = grid_axis(lo, c, (int)i);
    return n == 1 ? axes[0] : lo_make(lo, ir_at(lo->high, c->ins)->ty, n, axes);
}

/* --- barriers ------------------------------------------------------------------------------------------------------- */

static Type *type_barrier(Call *c) { return in_kernel(c) ? TY_OF(TY_NONE) : NULL; }

static Ref lower_barrier(Lower *lo, Call *c) {
    (void)c;
    lo_op(lo, OP_BARRIER, TY_OF(TY_NONE), 0, NULL);
    return lo_none(lo);
}

/* --- shared.array ------------------------------------------------------------------------------------------------------ */

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
        infer_fail(c->in, c->span, D_NOT_CONSTANT, "the shape of a shared array");
        return 0;
    }
    return n;
}

/* Bytes of the array, or 0 after infer_fail. */
static int64_t shared_bytes(Call *c, const int64_t *dims, uint32_t n, const Type *elem) {
    int64_t bytes = elem->size;
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i] == 0 && n == 1) {
            infer_fail(c->in, c->span, D_NOT_YET, "dynamic shared memory (shape 0)");
            return 0;
        }
        if (dims[i] < 1 || dims[i] > MAX_SHARED || (bytes *= dims[i]) > MAX_SHARED) {
            infer_fail(c->in, c->span, D_TYPING,
                       "a shared array has at least one element and at most 48 KiB");
            return 0;
        }
    }
    return bytes;
}

static Type *type_shared(Call *c) {
    int64_t dims[32];
    if (!in_kernel(c)) return NULL;
    Type *elem = rule_dtype(c, 1, NULL);
    if (!elem) return NULL;
    if (!elem->size) return rule_no_overload(c);
    uint32_t n = constant_shape(c, dims);
    if (!n || !shared_bytes(c, dims, n, elem)) return NULL;
    return ty_array(elem, n, 'C', false, true);
}

static Ref lower_shared(Lower *lo, Call *c) {
    Type *ty = ir_at(lo->high, c->ins)->ty;
    int64_t dims[32];
    uint32_t n = constant_shape(c, dims);
    Ref data = lo_op(lo, OP_SHARED, TY_OF(TY_PTR), 0, NULL), shape[32];
    ir_at(lo->fn, data)->imm = shared_bytes(c, dims, n, ty->elem);
    for (uint32_t i = 0; i < n; i++) shape[i] = lo_int(lo, dims[i]);
    return lo_array_make(lo, ty, data, lo_zero(lo, TY_OF(TY_PTR)), shape, NULL);
}

#define REGISTER(name_, kind)              \
    {.name = "whipsnake.cuda." name_,      \
     .params = "",                         \
     .type = type_register,                \
     .lower = lower_register,              \
     .flags = ROW_MEMBERS | ROW_ATTRIBUTE, \
     .data = (kind)}

const Row rows_cuda[] = {
    REGISTER("threadIdx", SREG_TID),
    REGISTER("blockIdx", SREG_CTAID),
    REGISTER("blockDim", SREG_NTID),
    REGISTER("gridDim", SREG_NCTAID),
    {.name = "whipsnake.cuda.grid",
     .params = "ndim",
     .type = type_grid,
     .lower = lower_grid,
     .doc = "number of the thread in the grid"},
    {.name = "whipsnake.cuda.gridsize",
     .params = "ndim",
     .type = type_grid,
     .lower = lower_grid,
     .data = 1,
     .doc = "threads of the grid along each axis"},
    {.name = "whipsnake.cuda.syncthreads",
     .params = "",
     .type = type_barrier,
     .lower = lower_barrier,
     .doc = "waits for all threads of the block"},
    {.name = "whipsnake.cuda.shared.array",
     .params = "shape, dtype, alignment=",
     .type = type_shared,
     .lower = lower_shared,
     .doc = "an array that the threads of a block share"},
    {0},
};
