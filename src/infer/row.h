/* What compiled code may call, read and subscript: one row each, everything derived from it.
 *
 * A row says how Python names it, which parameters it has, how its result is typed, how it is lowered, and what it
 * promises. Inference calls `type`, lowering calls `lower`; both get the same Call. Rows live in tables by area
 * (builtins/), each ended by a zeroed row, listed in builtins/table.c. */
#pragma once
#include "infer/infer.h"

typedef struct Lower Lower; /* lower/lower.h */

typedef Type *TypeRule(Call *c);           /* NULL: not typable; call infer_fail first */
typedef Ref LowerRule(Lower *lo, Call *c); /* the LOW value, of the instruction's type */
typedef Const *ConstRule(Call *c);         /* the result as a constant, or NULL */

enum RowFlag {
    ROW_METHOD = 1, /* "ndarray.sum": a method or attribute of a type, not a callable of a module */
    ROW_ATTRIBUTE = 2, /* read without a call */
    ROW_PRELUDE = 4, /* written in Python: whipsnake.prelude.<prelude> */
    ROW_REDUCES =
        16, /* only reads its arguments; a prelude function whose `lower` is tried first: it
                         may compute the first argument on the way, or give 0 */
    ROW_CALLS =
        64, /* calls a function of the user's, which may do anything: never waits, nothing waits for it */
    ROW_LISTS = 32, /* takes lists that are written in the call: as tuples */
    ROW_UFUNC =
        128, /* an elementwise function that takes out=, where= and dtype=, too: Call.keywords */
    ROW_MEMBERS = 8, /* a class that stands for values: the row is that of all its attributes */
};

struct Row {
    const char *name; /* "math.sqrt", "builtins.abs"; methods: "array.sum", "number.real" */
    const char *
        params; /* "x", "a, axis=, dtype=", "*args, key=, default="; a '=' marks what may be left out */
    TypeRule *type;
    LowerRule *lower;
    ConstRule *constant; /* or NULL */
    unsigned flags;
    const char
        *sigs; /* for rule_sigs: "d->d f->f"; letters as NumPy's: ? b B h H i I l L f d F D */
    int data; /* MathFn, BinOp ... as the lowering likes */
    int data2;
    const char *prelude; /* "creation.linspace" */
    const char *doc; /* one line for the manual */
    /* Elementwise functions, for arrays: "XX>X:bBhHilL" (builtins/loops.c); NULL: none */
    const char *loops;
    const char *takes; /* for "it takes ..." where a call is refused: "numbers"; or NULL */
};

/* The row of a Python object (function or class), or NULL. GIL held. */
const Row *row_of_object(Infer *in, PyObject *obj);
/* The row of a ufunc that vectorize or guvectorize made; NULL: obj is none. */
const Row *row_of_vectorized(Infer *in, PyObject *obj);
/* The method or attribute `name` of values of this type, or NULL. */
const Row *row_of_method(const Type *ty, const char *name);
/* Names of the methods and attributes that `ty` has, for messages; `near` looks at each. */
const char *row_method_names(Cx *cx, const Type *ty, Near *near);
/* Names of the functions of `module` ("math") that there are, *n of them; `near` (or NULL) looks at each. */
const char *row_function_names(Cx *cx, const char *module, Near *near, uint32_t *n);

/* All rows, for the manual and for tests: a new list of tuples (name, kind, params or None, doc or None, prelude or
 * None), kind being "function", "method" or "attribute"; NULL with an exception set. GIL held. */
PyObject *row_list(void);

/* The rules of a row on a call: its own, or where an elementwise function is given arrays those of
 * builtins/elementwise.c, which use its own for each element. */
Type *row_type(Call *c);
Ref row_lower(Lower *lo, Call *c);

/* Operators on whole arrays are calls of NumPy's elementwise functions. */
Type *elementwise_unary_type(Infer *in, Inst *inst, Ref r);
Ref elementwise_unary(Lower *lo, Ref r);
/* Is the instruction an elementwise function with an array as its result, which could be computed
 * where it is used? */
bool elementwise_may_wait(Infer *in, Inst *inst, Ref r);
/* Does an instruction leave all arrays alone, so that one that waits may be computed behind it?
 * *raises: but it may raise. */
bool elementwise_passes(Infer *in, Inst *inst, Ref r, bool *raises);
/* Raises now where the shapes of a waiting instruction do not fit. */
void elementwise_check(Lower *lo, Ref r);

/* A bound method is a closure whose code is the row. */
const Row *row_of_closure(const Type *ty);

/* A binary or comparison operator, in-place too: how numbers, tuples, strings, arrays ... are computed with. */
typedef struct OpRule {
    Type *(*type)(Infer *in, Inst *inst, Ref ins, Arg a, Arg b, Const **k);
    Ref (*lower)(Lower *lo, Ref ins, Arg a, Arg b);
} OpRule;
/* Never NULL: the last rule of each table reports the error. */
const OpRule *oprule_binary(BinOp op, const Type *a, const Type *b);
const OpRule *oprule_compare(CmpOp op, const Type *a, const Type *b);

/* Items start, start + step ... (n of them) that a constant slice takes of a sequence of `length`. */
typedef struct TupleSlice {
    int64_t start, step, n;
} TupleSlice;
TupleSlice subscript_slice(const Const *slice, int64_t length);
/* slice.indices(n): the limits start, stop, step. */
void subscript_slice_limits(Lower *lo, Ref slice, Type *ty, Ref n, Ref out[3]);

/* Subscripts: obj[index], obj[index] = value. */
Type *subscript_type(Infer *in, Inst *inst, Ref ins, Arg obj, Arg index, Const **k);
Ref subscript_lower(Lower *lo, Ref ins, Arg obj, Arg index);
bool subscript_store_ok(Infer *in, Inst *inst, Ref ins, Arg obj, Arg index, Arg value);
void subscript_store(Lower *lo, Ref ins, Arg obj, Arg index, Arg value);
