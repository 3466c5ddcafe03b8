/* The rules for numbers: which type an operation computes in, which type two values have in common.
 * One function, one table; the manual's page on numbers is generated from it (tools print it). */
#pragma once
#include "types/types.h"

/* Python's binary operators, in the order of the tree, the IR and the tables. */
typedef enum BinOp {
    BIN_ADD,
    BIN_SUB,
    BIN_MUL,
    BIN_TRUEDIV,
    BIN_FLOORDIV,
    BIN_MOD,
    BIN_POW,
    BIN_MATMUL,
    BIN_LSHIFT,
    BIN_RSHIFT,
    BIN_AND,
    BIN_OR,
    BIN_XOR,
    BIN_OPS
} BinOp;

typedef enum CmpOp {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_IS,
    CMP_ISNOT,
    CMP_IN,
    CMP_NOTIN,
    CMP_OPS
} CmpOp;

typedef enum UnOp { UN_NEG, UN_POS, UN_INVERT, UN_NOT } UnOp;

extern const char *const bin_symbol[BIN_OPS]; /* "+", "-" ... */
extern const char *const bin_name[BIN_OPS]; /* "add", "sub" ... */
extern const char *const cmp_symbol[CMP_OPS]; /* "==", ... "not in" */

/* One side of an operation. Weak: a literal, an operator on literals, or a captured Python number,
 * which takes the other side's type. `nonneg`/`negative`: known from a constant. */
typedef struct Operand {
    Type *ty; /* a number */
    bool weak, nonneg, negative;
} Operand;

typedef struct Promotion {
    Type *operand; /* both sides are converted to it (shifts and integer powers: the left side's) */
    Type *result;
} Promotion;

/* For scalars. False when the operator is not defined for these numbers (complex % ...). Mixed-sign
 * integers: uint64 with a non-negative weak one or constant is uint64; with a signed one, float64
 * for + - * / // % ** and int64 (bits as they are) for & | ^; a shift has its left side's type.
 * Integers below 64 bits compute as int64. float16 computes as float32. */
bool ty_promote(BinOp op, Operand a, Operand b, Promotion *out);

/* The common type for == and < of two numbers. A signed and an unsigned 64-bit integer compare by
 * value: then *mixed is true and the operands stay as they are. */
bool ty_promote_compare(Operand a, Operand b, Type **common, bool *mixed);

/* --- arrays: NumPy's own rules, where integers keep their width ---------------------------------- */

/* What elements of two types compute in: NumPy's result_type of two dtypes. */
Type *ty_dtype_join(Type *a, Type *b);
/* The same for a dtype and a Python number of type `weak` (bool, int64, float64, complex128): the
 * dtype, unless the number is of a higher kind: int, float, complex. */
Type *ty_dtype_weak(Type *dtype, Type *weak);

/* The type in which a variable meets itself on two paths: numbers widen (int64 and float64 give
 * float64, bool and int64 int64, int64 and uint64 float64), T and none give optional(T), tuples
 * join item by item, arrays of one element type and rank join their layouts. NULL: no common type.
 * UNDEF joins with anything. */
Type *ty_join(Type *a, Type *b);

/* Can a value of `from` be converted to `to`, and how well. Used to choose among given
 * signatures. */
typedef enum Fit { FIT_NONE, FIT_UNSAFE, FIT_SAFE, FIT_PROMOTE, FIT_EXACT } Fit;
Fit ty_fit(const Type *from, const Type *to);
