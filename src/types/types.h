/* Types: immutable, interned, alive as long as the process; equal types are the same pointer.
 *
 * The tables live in _core alone. _compiler reaches them through the same functions, forwarded by
 * types/remote.c, so that a Type made on either side compares by pointer. All calls are safe from
 * any thread (one lock inside); none needs the GIL unless it takes a PyObject.
 *
 * A value of a type is, in machine code, a list of *parts*: scalars that each fit a register.
 *
 *   none, functions, modules, classes   no parts: the type says it all
 *   one of several functions            which one: an int64 (a TY_FUNC with items)
 *   bool, ints, floats, enums           1
 *   complex                             re, im
 *   optional(T)                         bool "has a value", parts of T
 *   tuple                               parts of the items in order
 *   range                               start, stop, step (int64)
 *   slice(A, B, C)                      one int64 for each of A, B, C that is not none
 *   str, bytes                          data ptr, length i64, kind i64, owner ptr
 *   array                               data ptr, owner ptr, shape[ndim]; layout 'A': strides[ndim]
 *   iter(T)                             parts of T (zip: of the items); enumerate: the first number;
 *                                       shared (made by iter()): a cell with the position
 *   closure                             parts of the captured values
 *   cell, exception, ptr                1 pointer
 *
 * In the argument block of a compiled function each part has an 8-byte slot, in this order. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _object PyObject;

typedef enum TyKind {
    TY_UNDEF, /* nothing known yet: the bottom of inference's lattice */
    TY_NONE,
    TY_BOOL,
    TY_INT,
    TY_FLOAT,
    TY_COMPLEX,
    TY_STR,
    TY_BYTES,
    TY_SLICE,
    TY_RANGE,
    TY_TUPLE,
    TY_OPTIONAL,
    TY_ARRAY,
    TY_DTYPE,
    TY_ENUM,
    TY_FUNC,    /* one particular callable: compiled function, builtin, Python function */
    TY_MODULE,  /* one particular module */
    TY_CLASS,   /* one particular class, as a value */
    TY_CLOSURE, /* an inner function with what it captured */
    TY_ITER,
    TY_CELL,
    TY_EXC, /* an exception instance */
    TY_PTR, /* a machine pointer; only in lowered code */
    TY_KINDS
} TyKind;

/* Machine scalars. */
typedef enum PartKind { P_I1, P_I8, P_I16, P_I32, P_I64, P_F16, P_F32, P_F64, P_PTR } PartKind;

/* What iterates: TY_ITER's `how`. All but ITER_ENUM_* are read by position 0, 1, 2 ... < length. */
typedef enum IterHow {
    ITER_PLAIN,
    ITER_ENUMERATE,
    ITER_ZIP,
    ITER_REVERSED,
    ITER_NDINDEX, /* of a shape: a tuple of int64 */
    ITER_NDENUMERATE, /* of an array */
    ITER_SHARED
} IterHow;

/* What of an exception a value of type EXC stands for: at run time all are the exception itself. */
typedef enum ExcFacet {
    EXC_ITSELF,
    EXC_ITS_CLASS, /* type(e) */
    EXC_ITS_ARGS, /* e.args, where exceptions with various arguments meet */
    EXC_FACETS
} ExcFacet;

typedef struct Type Type;
struct Type {
    uint8_t kind; /* TyKind */
    uint8_t bits; /* INT, FLOAT, COMPLEX (all of it): 8 to 128; EXC: ExcFacet */
    bool is_signed; /* INT; ENUM: the members are ints and the part holds the value */
    bool owning; /* some part is a counted reference */
    uint32_t id; /* dense, in order of making */
    uint32_t nparts;
    uint32_t size; /* bytes of one element in an array; 0: cannot be an element */
    uint32_t align;
    const uint8_t *parts; /* PartKind[nparts] */
    const char *name; /* "float64", "array(float64, 2d, C)" */
    Type **items; /* TUPLE items, SLICE's three, ZIP's iterables, CLOSURE's captures */
    uint32_t nitems;
    union {
        Type *of; /* OPTIONAL, DTYPE, CELL, ITER (its iterable), ENUM (type of the values) */
        Type *elem; /* ARRAY */
    };
    union {
        struct {
            uint8_t ndim;
            char layout; /* 'C', 'F' or 'A'; a 0- or 1-dimensional contiguous array is 'C' */
            bool readonly, aligned;
        };
        uint8_t how; /* ITER: IterHow */
        const char **names; /* TUPLE: field names of a named tuple, else NULL */
    };
    /* FUNC, MODULE, CLASS: what it is; ENUM and named TUPLE: the class. Owned by the table */
    PyObject *obj;
    const void *code; /* CLOSURE: identity of the inner function's source node */
};

/* clang-format off */
/* The functions that both shared objects see, one row each: TYFN(result, name, (parameters),
 * (arguments)). */
#define TYPES_API(TYFN)                                                                                    \
    TYFN(Type *, ty_basic, (TyKind kind, unsigned bits, bool is_signed), (kind, bits, is_signed))           \
    TYFN(Type *, ty_tuple, (Type *const *items, uint32_t n), (items, n))                                    \
    TYFN(Type *, ty_named_tuple, (PyObject *cls, const char *const *names, Type *const *items, uint32_t n), \
         (cls, names, items, n))                                                                            \
    TYFN(Type *, ty_optional, (Type *of), (of))                                                             \
    TYFN(Type *, ty_array, (Type *elem, unsigned ndim, char layout, bool readonly, bool aligned),           \
         (elem, ndim, layout, readonly, aligned))                                                           \
    TYFN(Type *, ty_dtype, (Type *of), (of))                                                                \
    TYFN(Type *, ty_slice, (Type *start, Type *stop, Type *step), (start, stop, step))                      \
    TYFN(Type *, ty_enum, (PyObject *cls, Type *of), (cls, of))                                             \
    TYFN(Type *, ty_object, (TyKind kind, PyObject *obj), (kind, obj))                                      \
    TYFN(Type *, ty_closure, (const void *code, const char *name, Type *const *items, uint32_t n),          \
         (code, name, items, n))                                                                            \
    TYFN(Type *, ty_iter, (IterHow how, Type *of, Type *const *items, uint32_t n), (how, of, items, n))     \
    TYFN(Type *, ty_choice, (Type *const *items, uint32_t n), (items, n))                                   \
    TYFN(Type *, ty_cell, (Type *of), (of))
/* clang-format on */

/* Each returns the interned type, or NULL when out of memory (in _compiler the compile is left then)
 * or when the pieces make no type: an array of tuples. ty_object and ty_enum keep a reference to obj for good; the GIL must be held
 * for them.
 *
 * ty_basic: NONE, BOOL, INT (8-64), FLOAT (16, 32, 64), COMPLEX (64, 128), STR, BYTES, RANGE, EXC,
 * PTR, UNDEF; bits and is_signed are read only where they matter. ty_optional of none or of an
 * optional gives it back. */
#define TYFN(result, name, params, args) result name params;
TYPES_API(TYFN)
#undef TYFN

/* Was the last NULL that this thread was given for want of memory? */
bool ty_ran_out(void);

/* The pointers handed to _compiler, in the order of TYPES_API. */
typedef struct TypesApi {
    bool (*ran_out)(void);
#define TYFN(result, name, params, args) result(*name) params;
    TYPES_API(TYFN)
#undef TYFN
} TypesApi;

/* In _core: its functions. In _compiler (remote.c): to be set once, before any other call. */
extern const TypesApi *ty_api;

/* The basic types as expressions; never NULL after ty_init. */
#define TY_I(bits_)       ty_basic(TY_INT, (bits_), true)
#define TY_U(bits_)       ty_basic(TY_INT, (bits_), false)
#define TY_F(bits_)       ty_basic(TY_FLOAT, (bits_), false)
#define TY_C(bits_)       ty_basic(TY_COMPLEX, (bits_), false)
#define TY_OF(kind_)      ty_basic((kind_), 0, false)
#define TY_EXC_OF(facet_) ty_basic(TY_EXC, (facet_), false)

static inline bool ty_is_exc(const Type *ty, ExcFacet facet) {
    return ty->kind == TY_EXC && ty->bits == facet;
}

/* Around a fork: the child must not find the table locked by a thread that it does not have. */
void ty_before_fork(void);
void ty_after_fork(void);

/* Makes the tables (in _core, at import); 0, or -1 when out of memory. */
int ty_init(void);

static inline bool ty_is_number(const Type *t) {
    return t->kind == TY_BOOL || t->kind == TY_INT || t->kind == TY_FLOAT || t->kind == TY_COMPLEX;
}
static inline bool ty_is_integral(const Type *t) { return t->kind == TY_INT || t->kind == TY_BOOL; }

/* A tuple of n int64 (n <= 32): the shape of an array, subscripts. */
static inline Type *ty_int_tuple(uint32_t n) {
    Type *items[32];
    for (uint32_t i = 0; i < n; i++) items[i] = TY_I(64);
    return ty_tuple(items, n);
}

/* Where the parts of item i start (TUPLE, SLICE, CLOSURE, ZIP). */
uint32_t ty_item_part(const Type *t, uint32_t i);
