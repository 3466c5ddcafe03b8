/* The tables of rows, by area, and what the rules of several areas share. */
#pragma once
#include "infer/infer_int.h"
#include "lower/lower_int.h"

extern const Row rows_core[];            /* core.c: abs, len, isinstance ... */
extern const Row rows_dtype[];           /* other.c: np.dtype ... */
extern const Row rows_iterate[];         /* iterate.c: range, zip, sum, max ... */
extern const Row rows_convert[];         /* convert.c: int, float, np.float32 ... */
extern const Row rows_text[];            /* text.c: print, str ... */
extern const Row rows_array_functions[]; /* array.c: np.empty, np.shape ... */
extern const Row rows_intrinsics[];      /* intrinsics.c: np.result_type ... */
extern const Row rows_sorting[];         /* sorting.c: what sorting is written with */
extern const Row rows_math[];            /* math.c */
extern const Row rows_cmath[];           /* cmath.c */
extern const Row rows_random[];          /* random.c */
extern const Row rows_numpy_math[];      /* numpy_math.c: np.sqrt ... on scalars */
extern const Row rows_numpy_ops[];       /* numpy_ops.c: np.add, np.minimum ... on scalars */
extern const Row rows_cuda_index[];      /* cuda_index.c: threadIdx, grid ... */
extern const Row rows_cuda_memory[];     /* cuda_memory.c: shared.array ... */
extern const Row rows_cuda_sync[];       /* cuda_sync.c: barriers and fences */
extern const Row rows_cuda_warp[];       /* cuda_warp.c: shuffles, votes ... */
extern const Row rows_cuda_atomic[];     /* cuda_atomic.c */
extern const Row rows_cuda_math[];       /* cuda_math.c: bits, fma, float16 ... */
extern const Row rows_atomic[];          /* atomic.c: whipsnake.atomic.add ... */
extern const Row rows_pointer[];         /* pointer.c: carray, farray */
extern const Row rows_prelude[];         /* prelude.c: functions written in Python */
extern const Row rows_operator[];        /* prelude.c: of the module operator */

extern const Row rows_exception_methods[]; /* exception.c: e.args ... */
extern const Row rows_number_methods[]; /* convert.c: x.real ... */
extern const Row rows_array_methods[];  /* array.c: a.shape ... */
extern const Row rows_other_methods[];  /* core.c: of tuples, dtypes, enums, exceptions */
extern const Row rows_prelude_methods[];

/* Classes that no row names: exception classes, named tuples, enums, whipsnake types; NULL: not callable here. */
const Row *row_of_class(Infer *in, PyObject *cls);

/* --- for type rules ---------------------------------------------------------------------------------------------- */
static inline bool given(const Call *c, uint32_t i) { return i < c->nargs && c->args[i].ty; }
/* The plain type (optionals unwrapped) of argument i. */
static inline Type *plain(const Call *c, uint32_t i) { return infer_plain(c->args[i].ty); }
/* "f does not take (int64, str)", with notes on the arguments. */
Type *rule_no_overload(Call *c);
/* The element type that argument i (a class, dtype or text) names; `otherwise` if not given; NULL: failed. */
Type *rule_dtype(Call *c, uint32_t i, Type *otherwise);
/* Dimensions that a shape argument gives, an integer or a tuple of at most 32; -1: it is no shape. */
int rule_shape_rank(const Type *ty);
/* The type that is asked for with an object: int, np.float32, np.dtype(...), a whipsnake type; NULL: none. */
Type *rule_object_type(Infer *in, PyObject *obj);

/* The type that one of NumPy's letters stands for: ? b B h H i I l L e f d F D; NULL: none. */
Type *rule_letter(char c);
/* rules by Row.sigs: "d->d f->f": the first whose letters take the arguments without loss. */
Type *rule_sigs(Call *c);
/* The argument types that rule_sigs chose. */
bool rule_sigs_types(Call *c, Type **args, uint32_t n);

/* The result of a binary operator on the first two arguments; NULL: not defined. */
Type *rule_binary(Call *c, BinOp op);
/* The row of number classes: np.float32(x), types.int8(x), float(x) ... (convert.c). */
extern const Row row_cast;

/* exception.c: the row of all exception classes; isinstance(e, classes). */
extern const Row row_exception;
bool rule_is_about_exception(const Call *c);
Ref lower_is_exception(Lower *lo, Call *c);
/* Is it of one of the classes; exc: the exception or its class. */
Ref lower_exc_is_of(Lower *lo, Ref exc, Type *classes);
/* type(e). Arguments of various types (EXC_ITS_ARGS): how many; args[index]. */
Ref lower_exc_class(Lower *lo, Ref e);
Ref lower_exc_count(Lower *lo, Ref args);
Type *rule_exc_item(Infer *in, Inst *inst, Ref r, Arg index);
Ref lower_exc_item(Lower *lo, Ref r, Ref args, Arg index);
/* text.c: a constant str; s: lives as long as the compile. */
Ref lower_text_const(Lower *lo, const char *s);

/* Constant results. */
Const *const_bool(Cx *cx, bool b);
/* What Row.constant says. */
Ref lower_constant(Lower *lo, Call *c);

/* Reductions (fused.c): of what is computed element by element on the way; 0: the argument is an array already. */
typedef enum ReduceFn {
    REDUCE_SUM,
    REDUCE_PROD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_MEAN,
    REDUCE_ANY,
    REDUCE_ALL,
    REDUCE_COUNT,
    REDUCE_ARGMIN,
    REDUCE_ARGMAX
} ReduceFn;
Ref fused_reduce(Lower *lo, Call *c);
