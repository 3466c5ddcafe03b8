/* Numbers of threads and blocks. */
#include <string.h>

#include "builtins/cuda.h"

bool cuda_in_kernel(Call *c) {
    if (c->in->req->options.kernel) return true;
    infer_hint(
        c->in,
        "decorate the outermost function with cuda.jit and launch it with kernel[grid, block](...)");
    infer_fail(c->in, c->span, D_TYPING,
               "this exists only in kernels and the functions that they call");
    return false;
}

Type *cuda_type(Call *c, Type *ty) { return cuda_in_kernel(c) ? ty : NULL; }
Type *cuda_refuse(Call *c, const char *text) { return infer_fail(c->in, c->span, D_TYPING, text); }

Type *cuda_int(const Call *c, uint32_t i) {
    Type *ty = plain(c, i);
    if (!ty_is_integral(ty)) return NULL;
    if (ty->kind == TY_BOOL || ty->bits < 32) return TY_U(32);
    return ty;
}

Ref cuda_register(Lower *lo, SregKind kind, int axis) {
    Ref r = lo_op(lo, OP_SREG, TY_I(64), 0, NULL);
    ir_at(lo->fn, r)->sub = (uint16_t)kind;
    ir_at(lo->fn, r)->imm = axis;
    return r;
}

Ref cuda_thread(Lower *lo) {
    Ref r = cuda_register(lo, SREG_TID, 2);
    for (int axis = 1; axis >= 0; axis--) {
        r = lo_op2(lo, OP_MUL, r, cuda_register(lo, SREG_NTID, axis));
        r = lo_op2(lo, OP_ADD, r, cuda_register(lo, SREG_TID, axis));
    }
    return r;
}

Ref cuda_lane(Lower *lo) { return lo_op2(lo, OP_AND, cuda_thread(lo), lo_int(lo, WARP_SIZE - 1)); }

/* --- threadIdx.x ... ------------------------------------------------------------------------------------------ */

/* The axis that an attribute names, or -1. */
static int axis_of(const char *name) {
    return name[0] >= 'x' && name[0] <= 'z' && !name[1] ? name[0] - 'x' : -1;
}

static Type *type_register(Call *c) {
    const Ins *ins = ir_at(c->inst->high, c->ins);
    if (ins->op != OP_GETATTR)
        return infer_fail(c->in, c->span, D_NOT_CALLABLE, c->row->name + strlen("whipsnake."));
    if (!cuda_in_kernel(c)) return NULL;
    if (axis_of(ins->name) >= 0) return TY_I(64);
    infer_hint(c->in, "it has x, y, z");
    return infer_fail(c->in, c->span, D_NO_ATTRIBUTE, c->row->name + strlen("whipsnake."),
                      ins->name);
}

static Ref lower_register(Lower *lo, Call *c) {
    return cuda_register(lo, (SregKind)c->row->data, axis_of(ir_at(lo->high, c->ins)->name));
}

/* --- grid(n), gridsize(n) --------------------------------------------------------------------------------------- */

static Type *type_grid(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    const Const *k = c->args[0].k;
    if (!k || k->ty->kind != TY_INT)
        return infer_fail(c->in, c->span, D_NOT_CONSTANT, "the number of dimensions");
    if (k->i < 1 || k->i > 3) return cuda_refuse(c, "a grid has 1, 2 or 3 dimensions");
    return k->i == 1 ? TY_I(64) : ty_int_tuple((uint32_t)k->i);
}

static Ref grid_axis(Lower *lo, const Call *c, int axis) {
    bool size = c->row->data;
    Ref blocks = cuda_register(lo, size ? SREG_NCTAID : SREG_CTAID, axis);
    Ref first = lo_op2(lo, OP_MUL, blocks, cuda_register(lo, SREG_NTID, axis));
    return size ? first : lo_op2(lo, OP_ADD, first, cuda_register(lo, SREG_TID, axis));
}

static Ref lower_grid(Lower *lo, Call *c) {
    uint32_t n = (uint32_t)c->args[0].k->i;
    Ref axes[3];
    for (uint32_t i = 0; i < n; i++) axes[i] = grid_axis(lo, c, (int)i);
    return n == 1 ? axes[0] : lo_make(lo, ir_at(lo->high, c->ins)->ty, n, axes);
}

/* --- lanes ------------------------------------------------------------------------------------------------------ */

static Type *type_number(Call *c) { return cuda_type(c, TY_I(64)); }
static Type *type_mask(Call *c) { return cuda_type(c, TY_U(32)); }

static Ref lower_lane(Lower *lo, Call *c) { return (void)c, cuda_lane(lo); }
static Ref lower_thread(Lower *lo, Call *c) { return (void)c, cuda_thread(lo); }

/* A bit for each lane before this one. */
static Ref lower_lanes_before(Lower *lo, Call *c) {
    Ref bit = lo_op2(lo, OP_SHL, lo_int(lo, 1), cuda_lane(lo));
    return lo_convert(lo, lo_op2(lo, OP_SUB, bit, lo_int(lo, 1)), c->result);
}

#define CUDA "whipsnake.cuda."
#define REGISTER(name_, kind)              \
    {.name = CUDA name_,                   \
     .params = "",                         \
     .type = type_register,                \
     .lower = lower_register,              \
     .flags = ROW_MEMBERS | ROW_ATTRIBUTE, \
     .data = (kind)}

const Row rows_cuda_index[] = {
    REGISTER("threadIdx", SREG_TID),
    REGISTER("blockIdx", SREG_CTAID),
    REGISTER("blockDim", SREG_NTID),
    REGISTER("gridDim", SREG_NCTAID),
    {.name = CUDA "grid",
     .params = "ndim",
     .type = type_grid,
     .lower = lower_grid,
     .doc = "number of the thread in the grid"},
    {.name = CUDA "gridsize",
     .params = "ndim",
     .type = type_grid,
     .lower = lower_grid,
     .data = 1,
     .doc = "threads of the grid along each axis"},
    {.name = CUDA "laneid",
     .type = type_number,
     .lower = lower_lane,
     .flags = ROW_ATTRIBUTE,
     .doc = "number of the thread in its warp"},
    {.name = CUDA "lanemask_lt",
     .params = "",
     .type = type_mask,
     .lower = lower_lanes_before,
     .doc = "a bit for each lane before this one"},
    {.name = CUDA "_device.thread_rank", .params = "", .type = type_number, .lower = lower_thread},
    {0},
};
