/* Where threads wait for each other, and the order of what they write. */
#include "builtins/cuda.h"

static Type *type_nothing(Call *c) { return cuda_type(c, TY_OF(TY_NONE)); }

static Ref barrier(Lower *lo, BarrierKind kind, Ref vote) {
    Ref r = lo_op(lo, OP_BARRIER, vote ? TY_I(64) : TY_OF(TY_NONE), vote != 0, &vote);
    ir_at(lo->fn, r)->sub = (uint16_t)kind;
    return r;
}

static Ref lower_barrier(Lower *lo, Call *c) {
    barrier(lo, (BarrierKind)c->row->data, 0);
    return lo_none(lo);
}

/* --- votes ------------------------------------------------------------------------------------------------------ */

static Type *type_vote(Call *c) {
    Type *ty = plain(c, 0);
    if (!cuda_in_kernel(c)) return NULL;
    return ty_is_number(ty) ? TY_I(64) : rule_no_overload(c);
}

static Ref lower_vote(Lower *lo, Call *c) {
    return barrier(lo, (BarrierKind)c->row->data, lo_truth(lo, lo_arg(lo, c->args[0])));
}

/* --- fences ----------------------------------------------------------------------------------------------------- */

static Ref lower_fence(Lower *lo, Call *c) {
    Ref r = lo_op(lo, OP_FENCE, TY_OF(TY_NONE), 0, NULL);
    ir_at(lo->fn, r)->sub = (uint16_t)c->row->data;
    return lo_none(lo);
}

static Type *type_sleep(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    return ty_is_integral(plain(c, 0)) ? TY_OF(TY_NONE) : rule_no_overload(c);
}

/* It may sleep for any time up to twice what is asked for: for none. */
static Ref lower_sleep(Lower *lo, Call *c) {
    (void)c;
    return lo_none(lo);
}

#define CUDA "whipsnake.cuda."
#define BARRIER(name_, kind, text) \
    {.name = CUDA name_,           \
     .params = "",                 \
     .type = type_nothing,         \
     .lower = lower_barrier,       \
     .data = (kind),               \
     .doc = (text)}
#define VOTE(name_, kind, text) \
    {.name = CUDA name_,        \
     .params = "predicate",     \
     .type = type_vote,         \
     .lower = lower_vote,       \
     .data = (kind),            \
     .doc = (text)}
#define FENCE(name_, scope, text) \
    {.name = CUDA name_,          \
     .params = "",                \
     .type = type_nothing,        \
     .lower = lower_fence,        \
     .data = (scope),             \
     .doc = (text)}

const Row rows_cuda_sync[] = {
    BARRIER("syncthreads", BARRIER_SYNC, "waits for all threads of the block"),
    BARRIER("_device.sync_grid", BARRIER_GRID, NULL),
    VOTE("syncthreads_count", BARRIER_COUNT, "waits; for how many threads is it true"),
    VOTE("syncthreads_and", BARRIER_AND, "waits; is it true for all threads"),
    VOTE("syncthreads_or", BARRIER_OR, "waits; is it true for any thread"),
    FENCE("threadfence_block", FENCE_BLOCK, "what was written before is seen first by the block"),
    FENCE("threadfence", FENCE_DEVICE, "what was written before is seen first by the device"),
    FENCE("threadfence_system", FENCE_SYSTEM, "what was written before is seen first by all"),
    {.name = CUDA "nanosleep",
     .params = "ns",
     .type = type_sleep,
     .lower = lower_sleep,
     .doc = "may give others a moment"},
    {0},
};
