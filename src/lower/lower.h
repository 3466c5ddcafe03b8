/* From typed HIGH IR to LOW IR: each Python operation becomes machine operations for the types at hand.
 *
 * A new Fn is built, block by block in the order of the HIGH one; a rule that needs control flow makes blocks and
 * goes on in the last. Everything appends at lo->b. */
#pragma once
#include "infer/infer.h"
#include "infer/row.h"
#include "ir/math.h"
#include "ir/rt.h"

struct Lower {
    Cx *cx;
    Infer *in;
    Inst *inst;
    const Fn *high;
    Fn *fn; /* being built */
    BlockId b; /* where instructions are appended */
    Ref ins; /* the HIGH instruction being lowered, and its place */
    Span span;
    Ref *map; /* HIGH Ref -> LOW Ref */
    bool *waits; /* per HIGH Ref: lowered where it is used, maybe as a part of that */
    BlockId *blocks; /* HIGH block -> LOW block */
    bool *entered; /* HIGH blocks that an edge of what is lowered leads to */
    Edge handler; /* of the blocks being made */
    bool dead; /* what follows in this block cannot be reached */
};

/* The LOW module of a checked entry instance: all that it reaches. */
void lower_module(Infer *in, Inst *entry);
/* The LOW function of an instance, made if need be. */
Fn *lower_instance(Infer *in, Inst *inst);

/* --- values -------------------------------------------------------------------------------------------------- */
Type *lo_type(Lower *lo, Ref low);
Ref lo_get(Lower *lo, Ref high); /* the LOW value of a HIGH one, of its inferred type */
Ref lo_arg(Lower *lo, Arg a); /* the same for an argument; constants are made */
Ref lo_arg_as(Lower *lo, Arg a, Type *to); /* converted */
Ref lo_const(Lower *lo, Const *k);
Ref lo_int(Lower *lo, int64_t i); /* int64 */
Ref lo_bool(Lower *lo, bool b);
Ref lo_float(Lower *lo, Type *ty, double f);
Ref lo_number(Lower *lo, Type *ty, double v); /* this value in any number type */
Ref lo_zero(Lower *lo, Type *ty); /* any type: all parts zero */
Ref lo_none(Lower *lo);

/* --- operations ------------------------------------------------------------------------------------------------ */
Ref lo_op(Lower *lo, Op op, Type *ty, uint32_t n, const Ref *args);
Ref lo_op1(Lower *lo, Op op, Type *ty, Ref a);
Ref lo_op2(Lower *lo, Op op, Ref a, Ref b); /* result type: a's */
Ref lo_cmp(Lower *lo, Op op, Ref a, Ref b); /* result bool */
Ref lo_select(Lower *lo, Ref cond, Ref a, Ref b);
Ref lo_not(Lower *lo, Ref b);
Ref lo_and(Lower *lo, Ref a, Ref b);
Ref lo_or(Lower *lo, Ref a, Ref b);
Ref lo_math(Lower *lo, MathFn fn, Type *ty, uint32_t n, const Ref *args);
Ref lo_math1(Lower *lo, MathFn fn, Ref a);
Ref lo_math2(Lower *lo, MathFn fn, Ref a, Ref b);
Ref lo_field(Lower *lo, Ref v, uint32_t i);
Ref lo_make(Lower *lo, Type *ty, uint32_t n, const Ref *fields);
Ref lo_load(Lower *lo, Type *ty, Ref address, bool misaligned);
void lo_store(Lower *lo, Ref address, Ref v, bool misaligned);
Ref lo_rt(Lower *lo, const char *name, Type *ty, uint32_t n, const Ref *args);
Ref lo_call(Lower *lo, Fn *callee, uint32_t n, const Ref *args);
void lo_check(Lower *lo, Ref ok, CheckKind kind);
void lo_check2(Lower *lo, Ref ok, CheckKind kind, Ref a, Ref b); /* b may be 0 */

/* --- control flow ------------------------------------------------------------------------------------------------ */
BlockId lo_block(Lower *lo, const char *label); /* with the current handler */
void lo_jump(Lower *lo, BlockId to, uint32_t n, const Ref *args);
void lo_branch(Lower *lo, Ref cond, BlockId yes, BlockId no);
Ref lo_param(Lower *lo, BlockId b, Type *ty);

/* --- conversions --------------------------------------------------------------------------------------------------- */
/* Value-preserving where types allow, else as Python's int(), float() ... would not raise: the plain cast. From a type
 * that joins into `to`, or between numbers. Optional to plain raises TypeError when it is None. */
Ref lo_convert(Lower *lo, Ref v, Type *to);
/* int(float): towards zero; NaN, infinity and what does not fit int64 raise. */
Ref lo_float_to_int(Lower *lo, Ref v);
/* Truth of a value: bool. */
Ref lo_truth(Lower *lo, Ref v);
/* v == w for values of any supported types; bool. */
Ref lo_equal(Lower *lo, Ref v, Ref w);
bool lo_can_equal(const Type *a, const Type *b);

/* --- numbers (lower/number.c): checks included as the function's options say ------------------------------------------ */
Ref lo_binary_number(Lower *lo, BinOp op, Ref a, Ref b, Type *operand, Type *result, Const *kb);
Ref lo_compare_number(Lower *lo, CmpOp op, Ref a, Ref b);
Ref lo_complex(Lower *lo, Type *ty, Ref re, Ref im);

/* --- cells (lower/cell.c): a variable in memory of its own. `value` 0: not set ----------------------------------- */
Ref lo_cell_new(Lower *lo, Type *of, Ref value);
Ref lo_cell_is_set(Lower *lo, Ref cell);
Ref lo_cell_get(Lower *lo, Ref cell);
void lo_cell_set(Lower *lo, Ref cell, Ref value);

/* --- arrays (lower/array.c) --------------------------------------------------------------------------------------------- */
Ref lo_array_data(Lower *lo, Ref a);
Ref lo_array_owner(Lower *lo, Ref a);
Ref lo_array_dim(Lower *lo, Ref a, uint32_t axis);
Ref lo_array_stride(Lower *lo, Ref a, uint32_t axis); /* bytes; computed for 'C' and 'F' */
Ref lo_array_size(Lower *lo, Ref a); /* elements */
/* An array value of type ty from data, owner, shape[ndim] and, for 'A', strides[ndim]. */
Ref lo_array_make(Lower *lo, Type *ty, Ref data, Ref owner, const Ref *shape, const Ref *strides);
/* The size in bytes of an array of type ty, which there can be: checks that no length is negative and that the size is
 * no more than an int64. */
Ref lo_array_bytes(Lower *lo, const Type *ty, const Ref *shape);
/* A new uninitialised array; sizes are checked. */
Ref lo_array_new(Lower *lo, Type *ty, const Ref *shape);
Ref lo_array_get(Lower *lo, Ref a, const Ref *index); /* indices checked already */
void lo_array_set(Lower *lo, Ref a, const Ref *index, Ref v);
/* int64 index (may be negative) against dimension `axis`: wrapped and checked (boundscheck=False:
 * promised, see opt/promise.c). */
Ref lo_index(Lower *lo, Ref a, uint32_t axis, Ref i);
/* The same for an integer of any type against a length n. */
Ref lo_index_in(Lower *lo, Ref i, Ref n, uint32_t axis);
/* A call of a prelude function ("index.assign") that inference has asked for with infer_prelude and these types. */
Ref lo_prelude(Lower *lo, const char *name, uint32_t n, const Ref *args);

/* Do two arrays of one type have the same data, shape and strides; bool. */
Ref lo_array_same(Lower *lo, Ref a, Ref b);
/* a[pos] of an array of two or more dimensions: a view; pos is in range. */
Ref lo_array_row(Lower *lo, Ref a, Ref pos);
/* Item pos (in range) of a tuple whose items have one type. */
Ref lo_tuple_item(Lower *lo, Ref v, Ref pos);
/* Number of items of a range: 0 or more. */
Ref lo_range_length(Lower *lo, Ref range);

/* Loop skeletons: for (i = 0; i < n; i++). The body block is current after lo_loop; lo_loop_end goes on behind it.
 * `carried` values come back as block parameters: current in loop->carried, the next ones passed at the end. */
typedef struct LoopBuild {
    BlockId header, exit;
    Ref i;
    Ref carried[4];
    uint32_t ncarried;
} LoopBuild;
void lo_loop(Lower *lo, LoopBuild *loop, Ref n, uint32_t ncarried, const Ref *first);
/* Leaves the final carried values in loop->carried. */
void lo_loop_end(Lower *lo, LoopBuild *loop, const Ref *next);
