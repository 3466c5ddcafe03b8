/* What the threads of a warp do together. Masks are int64 in LOW IR and uint32 for the user. */
#include "builtins/cuda.h"

static Ref warp(Lower *lo, WarpOp op, Type *ty, int64_t group, uint32_t n, const Ref *args) {
    Ref r = lo_op(lo, OP_WARP, ty, n, args);
    ir_at(lo->fn, r)->sub = (uint16_t)op;
    ir_at(lo->fn, r)->imm = group;
    return r;
}

static bool is_mask(const Call *c, uint32_t i) { return ty_is_integral(plain(c, i)); }

/* An integer of 32 bits as int64, without its sign. */
static Ref mask_arg(Lower *lo, const Call *c, uint32_t i) {
    Ref m = lo_arg_as(lo, c->args[i], TY_I(64));
    return lo_op2(lo, OP_AND, m, lo_int(lo, UINT32_MAX));
}

/* Numbers of up to 64 bits travel as they are; a bool as an int64. */
static Type *value_type(const Call *c, uint32_t i) {
    Type *ty = plain(c, i);
    if (ty->kind == TY_BOOL) return TY_I(64);
    return ty->kind == TY_INT || ty->kind == TY_FLOAT ? ty : NULL;
}

/* --- shuffles --------------------------------------------------------------------------------------------------- */

/* The constant that says how many lanes shuffle among each other; 0 after infer_fail. */
static int64_t group_of(Call *c) {
    const Const *k = given(c, 3) ? c->args[3].k : NULL;
    if (!given(c, 3)) return WARP_SIZE;
    if (k && k->ty->kind == TY_INT && k->i >= 1 && k->i <= WARP_SIZE && !(k->i & (k->i - 1)))
        return k->i;
    cuda_refuse(c, "the width of a shuffle is a constant: 1, 2, 4, 8, 16 or 32");
    return 0;
}

static Type *type_shuffle(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    Type *ty = value_type(c, 1);
    if (!ty || !is_mask(c, 0) || !ty_is_integral(plain(c, 2))) return rule_no_overload(c);
    return group_of(c) ? ty : NULL;
}

static Ref lower_shuffle(Lower *lo, Call *c) {
    Ref args[] = {mask_arg(lo, c, 0), lo_arg_as(lo, c->args[1], c->result),
                  lo_arg_as(lo, c->args[2], TY_I(64))};
    return warp(lo, (WarpOp)c->row->data, c->result, group_of(c), 3, args);
}

/* --- votes ------------------------------------------------------------------------------------------------------ */

static Type *type_vote(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    if (!is_mask(c, 0) || !ty_is_number(plain(c, 1))) return rule_no_overload(c);
    return c->row->data == WARP_BALLOT ? TY_U(32) : TY_OF(TY_BOOL);
}

static Ref lower_vote(Lower *lo, Call *c) {
    bool ballot = c->row->data == WARP_BALLOT;
    Ref args[] = {mask_arg(lo, c, 0), lo_truth(lo, lo_arg(lo, c->args[1]))};
    Ref r = warp(lo, (WarpOp)c->row->data, ballot ? TY_I(64) : TY_OF(TY_BOOL), WARP_SIZE, 2, args);
    return ballot ? lo_convert(lo, r, TY_U(32)) : r;
}

/* match_any_sync: a mask; match_all_sync: a mask and whether it is all. */
static Type *type_match(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    if (!is_mask(c, 0) || !value_type(c, 1)) return rule_no_overload(c);
    Type *both[] = {TY_U(32), TY_OF(TY_BOOL)};
    return c->row->data == WARP_MATCH_ANY ? both[0] : ty_tuple(both, 2);
}

static Ref lower_match(Lower *lo, Call *c) {
    Ref args[] = {mask_arg(lo, c, 0), lo_arg_as(lo, c->args[1], value_type(c, 1))};
    Ref found = warp(lo, (WarpOp)c->row->data, TY_I(64), WARP_SIZE, 2, args);
    Ref mask = lo_convert(lo, found, TY_U(32));
    if (c->row->data == WARP_MATCH_ANY) return mask;
    Ref fields[] = {mask, lo_cmp(lo, OP_NE, found, lo_int(lo, 0))};
    return lo_make(lo, c->result, 2, fields);
}

/* --- sums and the like ------------------------------------------------------------------------------------------ */

static Type *type_reduce(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    Type *ty = value_type(c, 1);
    if (!ty || !is_mask(c, 0) || (ty->kind == TY_FLOAT && c->row->data >= WARP_AND))
        return rule_no_overload(c);
    return ty;
}

static Ref lower_reduce(Lower *lo, Call *c) {
    Ref args[] = {mask_arg(lo, c, 0), lo_arg_as(lo, c->args[1], c->result)};
    return warp(lo, (WarpOp)c->row->data, c->result, WARP_SIZE, 2, args);
}

/* --- others ----------------------------------------------------------------------------------------------------- */

static Type *type_active(Call *c) { return cuda_type(c, TY_U(32)); }

static Ref lower_active(Lower *lo, Call *c) {
    return lo_convert(lo, warp(lo, WARP_ACTIVE, TY_I(64), WARP_SIZE, 0, NULL), c->result);
}

static Type *type_sync(Call *c) {
    if (!cuda_in_kernel(c)) return NULL;
    return !given(c, 0) || is_mask(c, 0) ? TY_OF(TY_NONE) : rule_no_overload(c);
}

static Ref lower_sync(Lower *lo, Call *c) {
    Ref mask = given(c, 0) ? mask_arg(lo, c, 0) : lo_int(lo, UINT32_MAX);
    warp(lo, WARP_SYNC, TY_OF(TY_NONE), WARP_SIZE, 1, &mask);
    return lo_none(lo);
}

#define CUDA "whipsnake.cuda."
#define SHUFFLE(name_, op, params_, text)        \
    {.name = CUDA name_,                         \
     .params = (params_),                        \
     .type = type_shuffle,                       \
     .lower = lower_shuffle,                     \
     .data = (op),                               \
     .takes = "a mask, a number and an integer", \
     .doc = (text)}
#define VOTE(name_, op, text)        \
    {.name = CUDA name_,             \
     .params = "mask, predicate",    \
     .type = type_vote,              \
     .lower = lower_vote,            \
     .data = (op),                   \
     .takes = "a mask and a number", \
     .doc = (text)}
#define MATCH(name_, op, text)            \
    {.name = CUDA name_,                  \
     .params = "mask, value",             \
     .type = type_match,                  \
     .lower = lower_match,                \
     .data = (op),                        \
     .takes = "a mask and a real number", \
     .doc = (text)}
#define REDUCE(name_, op, text)      \
    {.name = CUDA name_,             \
     .params = "mask, value",        \
     .type = type_reduce,            \
     .lower = lower_reduce,          \
     .data = (op),                   \
     .takes = "a mask and a number", \
     .doc = (text)}

const Row rows_cuda_warp[] = {
    SHUFFLE("shfl_sync", WARP_SHFL_IDX, "mask, value, src_lane, width=", "the value of a lane"),
    SHUFFLE("shfl_up_sync", WARP_SHFL_UP,
            "mask, value, delta, width=", "the value of the lane so far before"),
    SHUFFLE("shfl_down_sync", WARP_SHFL_DOWN,
            "mask, value, delta, width=", "the value of the lane so far behind"),
    SHUFFLE("shfl_xor_sync", WARP_SHFL_XOR, "mask, value, lane_mask, width=",
            "the value of the lane with these bits of its number changed"),
    VOTE("all_sync", WARP_ALL, "is it true for all lanes of the mask"),
    VOTE("any_sync", WARP_ANY, "is it true for any lane of the mask"),
    VOTE("eq_sync", WARP_UNIFORM, "is it the same for all lanes of the mask"),
    VOTE("ballot_sync", WARP_BALLOT, "the lanes of the mask for which it is true"),
    MATCH("match_any_sync", WARP_MATCH_ANY, "the lanes of the mask with the same value"),
    MATCH("match_all_sync", WARP_MATCH_ALL,
          "the mask, if all its lanes have the same value, and whether they have"),
    REDUCE("reduce_add_sync", WARP_ADD, "sum of the lanes of the mask"),
    REDUCE("reduce_min_sync", WARP_MIN, "the least of the lanes of the mask"),
    REDUCE("reduce_max_sync", WARP_MAX, "the greatest of the lanes of the mask"),
    REDUCE("reduce_and_sync", WARP_AND, "bits that all lanes of the mask have"),
    REDUCE("reduce_or_sync", WARP_OR, "bits that any lane of the mask has"),
    REDUCE("reduce_xor_sync", WARP_XOR, "bits that an odd number of lanes have"),
    {.name = CUDA "activemask",
     .params = "",
     .type = type_active,
     .lower = lower_active,
     .doc = "the lanes that are here together"},
    {.name = CUDA "syncwarp",
     .params = "mask=",
     .type = type_sync,
     .lower = lower_sync,
     .takes = "a mask",
     .doc = "waits for the lanes of the mask"},
    {0},
};
