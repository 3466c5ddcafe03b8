/* Pointers that a C callback is given: to compiled code they are arrays in C order whose length nobody knows
 * (dispatch/callback.c). carray and farray give them a shape, and another type of element. */
#include "builtins/tables.h"

static Type *type_shaped(Call *c) {
    Type *pointer = c->args[0].ty;
    int ndim = rule_shape_rank(plain(c, 1));
    if (pointer->kind != TY_ARRAY || pointer->ndim != 1 || pointer->layout != 'C' || ndim < 0)
        return rule_no_overload(c);
    Type *elem = rule_dtype(c, 2, pointer->elem);
    char layout = ndim > 1 ? (char)c->row->data : 'C';
    return elem ? ty_array(elem, (unsigned)ndim, layout, pointer->readonly, pointer->aligned)
                : NULL;
}

static Ref lower_shaped(Lower *lo, Call *c) {
    Ref a = lo_arg(lo, c->args[0]), v = lo_arg(lo, c->args[1]), shape[32];
    bool many = lo_type(lo, v)->kind == TY_TUPLE;
    for (uint32_t i = 0; i < c->result->ndim; i++)
        shape[i] = lo_convert(lo, many ? lo_field(lo, v, i) : v, TY_I(64));
    Ref bytes =
        lo_array_bytes(lo, c->result, shape); /* a pointer has all memory, other arrays an end */
    Ref most = lo_op2(lo, OP_MUL, lo_array_dim(lo, a, 0), lo_int(lo, c->args[0].ty->elem->size));
    lo_check2(lo, lo_cmp(lo, OP_LE, bytes, most), CHECK_SHAPE_BYTES, bytes, most);
    return lo_array_make(lo, c->result, lo_array_data(lo, a), lo_array_owner(lo, a), shape, NULL);
}

const Row rows_pointer[] = {
    {.name = "whipsnake.carray",
     .params = "ptr, shape, dtype=",
     .type = type_shaped,
     .lower = lower_shaped,
     .data = 'C',
     .takes = "a pointer (types.CPointer) and an int or a tuple of ints",
     .doc = "what a pointer of a `cfunc` points at, as an array in C order"},
    {.name = "whipsnake.farray",
     .params = "ptr, shape, dtype=",
     .type = type_shaped,
     .lower = lower_shaped,
     .data = 'F',
     .takes = "a pointer (types.CPointer) and an int or a tuple of ints",
     .doc = "the same in Fortran's order"},
    {0},
};
