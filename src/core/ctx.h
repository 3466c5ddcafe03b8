/* What compiled code sees of the run time: its hidden first argument, and exceptions.
 *
 * Compiled code reads and writes the first fields of WsCtx by offset (codegen takes the offsets
 * from this header); it holds no other address. One WsCtx belongs to one thread at a time. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types/types.h"

typedef struct Unit Unit;
typedef struct ExcObj ExcObj;

/* Where things stand in WsCtx.sregs: three axes each, in the order of the IR's SregKind. Code that runs whole blocks
 * does not read the first two: numbers of threads and blocks are loop counters there. */
enum {
    WS_SREG_TID = 0,
    WS_SREG_CTAID = 3,
    WS_SREG_NTID = 6,
    WS_SREG_NCTAID = 9,
    WS_SREG_FIRST = 12,
    WS_SREG_END = 15,
    WS_SREG_DYN = 18,
    WS_SREGS = 21
};

typedef enum WsGil { WS_GIL_HELD, WS_GIL_RELEASED, WS_GIL_UNKNOWN } WsGil;

typedef struct WsCtx {
    ExcObj *exc; /* the exception on its way out; owned. NULL while all is well */
    _Atomic(const char *) stack_limit; /* a frame below this address: call ws_check_stack */
    _Atomic uint32_t poll; /* not 0: call ws_poll */
    uint32_t nogil; /* WsGil: was the GIL released at entry? */
    ExcObj *handled; /* by an `except` that is running, if anybody may ask; owned, or NULL */
    const uint64_t *globals; /* slots of the captured arrays of the running unit, in order */
    const Unit *unit; /* the running unit: resolves sites and classes */
    struct RandomState *random; /* of this thread: Python's and NumPy's legacy streams */
    const uint32_t *sregs; /* kernels on the CPU: [WS_SREGS], the grid and the blocks to run */
    void *
        shared; /* kernels on the CPU: the block's shared memory; of code that runs whole blocks, what the launch adds */
    int32_t at
        [6]; /* kernels on the CPU that have raised: number of the block and of the thread in it, along x, y, z */
    const _Atomic uint32_t *
        stop; /* not 0: what runs is not wanted any more, and is to end at its next poll; or NULL */
    struct SimtThread *thread; /* kernels on the CPU: the resumable thread that runs, or NULL */
    const char *stack_end; /* a frame below this address means RecursionError */
    bool is_main; /* the thread that handles signals */
    uint64_t looked; /* in nanoseconds: when it looked for signals last, without the GIL */
    struct PoolChunk
        *chunk; /* the part of a parallel loop that is running (runtime/pool.c), or NULL */
} WsCtx;

/* Where something can be raised, or a call can pass an exception on: for tracebacks. */
typedef struct Site {
    const char *function, *qualname, *filename;
    uint32_t line, end_line, col, end_col; /* as in Span; absolute lines */
    /* EXC_MAKE: types of the exception's arguments. Runtime functions that are TYPED: the one of what
     * goes by address. */
    Type **arg_types;
    uint32_t nargs;
} Site;

/* A counted exception value. Built without the GIL; turned into a Python object only when it
 * leaves. */
struct ExcObj {
    _Atomic int64_t refs;
    uint32_t cls; /* < EXC_USER: row of exceptions.def; else unit->classes[cls - EXC_USER] */
    uint32_t ntrace; /* sites passed so far, innermost first */
    const Unit *unit; /* resolves cls >= EXC_USER and the trace */
    const Site *site; /* where it was made: names the types of args */
    char *message; /* owned; the whole text of what the runtime raises, else NULL */
    const char *check; /* the same for checks: text with %d and %g for the operands; or NULL */
    int64_t operands[3]; /* float64 as bits */
    PyObject *
        object; /* owned; the exception in Python: it came from there, or was asked for; else NULL */
    ExcObj *cause, *context; /* owned */
    bool suppress_context, in_kernel;
    int32_t at[6]; /* in_kernel: number of the block and of the thread in it */
    uint32_t shown; /* of the trace: entries that `object` has */
    ExcObj *next; /* among those that are being freed, or made Python's */
    const Site *trace[16]; /* deeper recursion keeps the innermost 8 and the outermost 8 */
    uint64_t slots[]; /* parts of args */
};

enum { EXC_USER = 256 };

/* Sums of more numbers than this look for signals on the way: some milliseconds. */
enum { WS_SUM_LONG = 1 << 20 };
typedef enum SumKind { SUM_F32, SUM_F64, SUM_C64, SUM_C128 } SumKind;
/* How its sorting sees elements. */
typedef enum KeyForm { FORM_UNSIGNED, FORM_SIGNED, FORM_FLOAT } KeyForm;
/* What does not fit, in the text of ws_raise_shapes. */
typedef enum ShapeFault { SHAPES_BROADCAST, SHAPES_OUTPUT, SHAPES_INPUT } ShapeFault;

/* core/excobj.c. A new exception with zeroed slots; when there is no memory for it, the one
 * MemoryError that always exists: never NULL. `site` (or NULL) names the types of the slots.
 * Result: new. No GIL needed. */
ExcObj *exc_new(const Unit *unit, uint32_t cls, const Site *site, uint32_t nslots);
/* The class with the number `cls` of an exception: borrowed, lives for good. */
PyObject *exc_class(const Unit *unit, uint32_t cls);
ExcObj *exc_no_memory(void); /* new */
ExcObj *exc_no_memory_borrowed(void); /* for comparing: it must not be changed */
void exc_retain(ExcObj *e); /* NULL is allowed, here and below */
void exc_release(ExcObj *e);
/* The same exception in Python, made at the first request, with the traceback, cause and context that it has by
 * now: a new reference, or NULL with a Python exception set. GIL held. Set by dispatch, which can box. */
extern PyObject *(*exc_to_python)(ExcObj *e);
/* The slots of a value of just this type, which they own: 1; 0: it is of another type; -1 with a Python exception set.
 * GIL held. Set by dispatch, too. */
extern int (*exc_unbox)(const Type *t, PyObject *obj, uint64_t *slots);
/* Its text, if it has one in place of arguments, perhaps written to `line`: only who asks for it pays. Else NULL. */
enum { EXC_LINE = 256 };
const char *exc_text(const ExcObj *e, char line[EXC_LINE]);
/* The exception passed this site on its way out. */
void exc_trace(ExcObj *e, const Site *site);
