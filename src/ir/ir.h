/* The IR: a typed SSA control-flow graph with block parameters.
 *
 * It lives in two stages. ir/build makes the HIGH stage from the syntax tree: Python's operations on values
 * whose types are not yet known. infer finds the types; lowering then builds the LOW stage, machine operations
 * on typed values, which the passes of opt/ change and codegen translates one by one. Both stages share this
 * data structure, the text form (ir/print.c, ir/parse.c), and the verifier; the interpreter runs LOW.
 *
 *   Module --- fns[] --- blocks[] --- params[], ins[] (numbers into Fn.ins) --- term (edges with arguments)
 *                                \--- handler: where an exception raised in this block goes
 *
 * Values are numbers: a Ref indexes Fn.ins, and an instruction is the value it yields. 0 is "none". Arrays may
 * move when they grow: hold a Ref, not an Ins *, across anything that adds. All memory is the compile's. */
#pragma once
#include "base/cx.h"
#include "base/vec.h"
#include "core/unit.h"
#include "types/promote.h"
#include "types/types.h"

typedef uint32_t Ref;     /* an instruction and its value; 0: none */
typedef uint32_t BlockId; /* index into Fn.blocks; 0 is the entry */
#define NO_BLOCK UINT32_MAX

typedef struct Fn Fn;
typedef struct Module Module;
typedef VEC(Ref) Refs;

typedef enum Op {
#define OP(name, text, nargs, effects) OP_##name,
#include "ir/ops.def"
#undef OP
    OPS
} Op;

enum Effect {
    PURE = 1,
    READS = 2,
    WRITES = 4,
    RAISES = 8,
    COMM = 16,
    ALLOCS = 32,
    CONV = 64,
    HIGH = 128,
    LOW = 256,
    TYPED = 512 /* runtime functions: their site says the type of what goes by address */
};
enum { VAR = -1 };

typedef struct OpInfo {
    const char *text;
    int nargs; /* or VAR */
    unsigned effects;
} OpInfo;
extern const OpInfo op_info[OPS];

typedef enum CheckKind {
#define CHECK(name, cls, text) CHECK_##name,
#include "ir/checks.def"
#undef CHECK
    CHECKS
} CheckKind;

typedef struct CheckInfo {
    const char *name, *cls, *text; /* "ZERO_DIV_INT", "ZeroDivisionError", ... */
} CheckInfo;
extern const CheckInfo check_info[CHECKS];

/* Per axis: numbers of thread and block, their counts, and, on the CPU, the blocks that this call runs: from
 * FIRST up to END. DYN (axis 0): bytes of shared memory that the launch adds. */
typedef enum SregKind {
    SREG_TID,
    SREG_CTAID,
    SREG_NTID,
    SREG_NCTAID,
    SREG_FIRST,
    SREG_END,
    SREG_DYN
} SregKind;
enum { SREGS = 3 * (SREG_DYN + 1) }; /* WsCtx.sregs, by 3 * kind + axis */

/* What all threads of a block (GRID: of the grid) wait for each other with. COUNT: for how many the bool is true;
 * AND, OR: is it for all, for any. */
typedef enum BarrierKind {
    BARRIER_SYNC,
    BARRIER_COUNT,
    BARRIER_AND,
    BARRIER_OR,
    BARRIER_GRID,
    BARRIER_KINDS
} BarrierKind;
/* What the threads of a warp do together, 32 of them with successive numbers. All but ACTIVE take an int64 first: the
 * mask of those that take part. SHFL_*: value, lane or distance (int64): the value of another thread. ALL, ANY,
 * UNIFORM: bool, giving a bool; BALLOT: bool, giving a mask (int64). MATCH_*: value, giving the mask of those that have
 * the same (ALL: of all, or 0). ADD ...: value, giving the sum ... SYNC gives nothing. */
typedef enum WarpOp {
    WARP_SHFL_IDX,
    WARP_SHFL_UP,
    WARP_SHFL_DOWN,
    WARP_SHFL_XOR,
    WARP_ALL,
    WARP_ANY,
    WARP_UNIFORM,
    WARP_BALLOT,
    WARP_MATCH_ANY,
    WARP_MATCH_ALL,
    WARP_ADD,
    WARP_MIN,
    WARP_MAX,
    WARP_AND,
    WARP_OR,
    WARP_XOR,
    WARP_ACTIVE,
    WARP_SYNC,
    WARP_OPS
} WarpOp;
enum { WARP_SIZE = 32 };
typedef enum FenceScope { FENCE_BLOCK, FENCE_DEVICE, FENCE_SYSTEM, FENCE_SCOPES } FenceScope;
typedef enum AtomicOp {
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_XCHG,
    ATOMIC_CAS,
    ATOMIC_LOAD
} AtomicOp;

/* Compile-time constants. `ty` decides which member counts. */
typedef struct Const Const;
struct Const {
    Type *ty;
    union {
        int64_t
            i; /* BOOL, INT (uint64 as its bits), ENUM (value of an int enum, else index of the member) */
        double f[2]; /* FLOAT: f[0]; COMPLEX: re, im */
        struct {
            const char *s; /* STR (UTF-8), BYTES */
            size_t n;
        } str;
        struct {
            Const **items; /* TUPLE, SLICE, OPTIONAL (1 item, or 0 for None), RANGE (3 ints) */
            uint32_t n;
        } seq;
    };
    PyObject *
        obj; /* FUNC, MODULE, CLASS: borrowed from the type. Captured ARRAY: borrowed from Module.captured */
};

/* How a call was written: args[0] is the callee, then npos positional ones (star[i]: written *x), then one value
 * per keyword. */
typedef struct CallInfo {
    uint32_t npos;
    const bool *star; /* NULL: none */
    const char *const *keywords;
    uint32_t nkeywords;
} CallInfo;

/* An error that stands in the code until inference knows whether it can be reached. */
typedef struct Refusal {
    int diag; /* DiagId; its row takes the one text */
    const char *text;
    const char *hint; /* or NULL */
} Refusal;

typedef struct Ins {
    uint16_t op; /* Op */
    uint16_t
        sub; /* UnOp, BinOp, CmpOp, MathFn, CheckKind, SregKind, AtomicOp, BarrierKind, WarpOp, FenceScope */
    bool weak; /* HIGH: a weak constant (set by the builder alone) */
    uint8_t fast; /* LOW: FastFlag bits of this operation */
    uint16_t nargs;
    BlockId block; /* that it stands in; NO_BLOCK once deleted */
    uint32_t
        origin; /* LOW: 0: written in this function; else index into Fn.origins: came in by inlining */
    int64_t imm;
    int64_t imm2;
    Ref *args;
    Type *ty; /* UNDEF until inferred; TY_NONE for what yields nothing */
    Const *
        k; /* OP_CONST: the value; otherwise, after inference, its value if it is always the same */
    union {
        const char *name;
        const CallInfo *call;
        const struct FnDef *closure; /* build's description of the inner function */
        const struct Refusal *refusal;
        Fn *callee;
        const struct RtFn *rt;
    };
    Span span;
} Ins;

enum FastFlag {
    FAST_NNAN = 1,
    FAST_NINF = 2,
    FAST_NSZ = 4,
    FAST_ARCP = 8,
    FAST_CONTRACT = 16,
    FAST_AFN = 32,
    FAST_REASSOC = 64,
    FAST_ALL = 127
};

typedef struct Edge {
    BlockId to; /* NO_BLOCK: no edge */
    uint32_t n;
    Ref *
        args; /* one per parameter of the target (handlers: the exception is parameter 0 and not listed) */
} Edge;

typedef enum TermKind {
    TERM_NONE, /* block not finished */
    TERM_JUMP,
    TERM_BRANCH, /* cond: bool; succ[0] if true */
    TERM_RETURN, /* arg */
    TERM_RAISE, /* arg: HIGH: instance or class (arg2: cause or 0), LOW: exception, taken. No arg: re-raise (LOW: the
                    exception that is in the context already) */
    TERM_UNREACHABLE
} TermKind;

typedef struct Term {
    uint8_t kind; /* TermKind */
    bool
        cold; /* succ[1] is an error path (a hint for layout only; never inside a loop nest's fast copy) */
    Ref arg, arg2;
    Edge succ[2];
    Span span;
    uint32_t origin; /* RAISE: as Ins.origin */
} Term;

typedef struct Block {
    Refs params; /* OP_PARAM instructions */
    Refs ins; /* in order, without the parameters */
    Term term;
    Edge
        handler; /* exception edge: taken when an instruction of the block, or its TERM_RAISE, raises. Its
                     arguments are values that are there when the block is entered. */
    const char *label; /* for people: "for.body" */
    bool dead; /* removed; not printed, no predecessors */
    bool
        lanes; /* header of a loop whose iterations may run in any order, or at once: over the threads of a
                  block, over a short strip */
    bool
        rest; /* header of a loop that runs in another form as far as that goes: for the rest, not worth much */
    uint8_t
        axis; /* header of a loop over threads along x, y or z: 1 to 3, over blocks: 4 to 6; its first parameter
                     counts them. 0: another block */
    uint8_t parallel; /* ParallelMark: header of a loop that may run on several threads */
} Block;

typedef enum ParallelMark {
    PARALLEL_NO,
    PARALLEL_MAY, /* made by lowering: worth a try */
    PARALLEL_ASKED /* prange: an error if its iterations depend on each other */
} ParallelMark;

typedef enum Stage { STAGE_HIGH, STAGE_LOW } Stage;

/* Options that change the meaning of code, per function. */
typedef struct FnOptions {
    uint8_t fast; /* FastFlag bits for every float operation */
    bool numpy_errors; /* error_model='numpy': x/0 is inf or nan, integer x//0 is 0 */
    bool boundscheck;
    bool parallel, nogil, debug, inline_always;
} FnOptions;

typedef struct FnArg {
    const char *name;
    Type *ty;
} FnArg;

/* A call that was inlined: for tracebacks, which still show the frame. */
typedef struct Origin {
    const char *name, *qualname; /* of the inlined function */
    Span call; /* where it was called, in the function `outer` stands for */
    uint32_t outer; /* that call's own origin; 0: the function itself */
} Origin;

#define ANY_DIM UINT32_MAX

struct Fn {
    const char *name; /* "f", as in Python */
    const char *qualname; /* "Outer.f" */
    const char *symbol; /* LOW: unique in its Module */
    uint32_t file; /* Cx.files */
    Span span; /* of the whole def or lambda */
    Stage stage;
    FnOptions options;
    Module *module;
    FnArg *args;
    uint32_t nargs;
    Type *ret;
    VEC(Ins) ins; /* ins.at[0] is unused */
    VEC(Block) blocks; /* blocks.at[0]: entry, no parameters */
    bool is_kernel; /* cuda.jit: returns nothing, may use SREG, BARRIER, SHARED */
    bool
        runs_blocks; /* a kernel that opt/simt_split made into loops over blocks and threads: no TID, CTAID, BARRIER */
    bool runs_threads; /* a kernel that was not split: its code is that of one thread */
    uint8_t method; /* kernels: UnitMethod of core/unit.h */
    uint32_t shared_bytes,
        stack_bytes; /* runs_threads: of all shared arrays, of a thread's local ones */
    uint32_t block_dim
        [3]; /* kernels: threads of a block along x, y, z; ANY_DIM: known at the launch only; 0: for a GPU */
    bool is_entry; /* called from outside the module */
    bool
        is_slow; /* a loop nest with all checks, cut out of its function by opt/version: cold, not to be inlined
                          or optimised; calls of it leave no entry in the traceback */
    bool is_region; /* the body of a parallel loop, part of the function that has the REGION */
    VEC(Origin) origins; /* origins.at[0] is unused */
    Origin
        called; /* for reports, of a function of ours: by whom of the user's, one of the calls; call.line 0: not known */
    uint64_t
        escapes; /* bit i: argument i may outlive the call (returned, stored); set by opt/escape */
};

/* A unit of compilation: an entry function and all it calls, lowered. */
struct Module {
    PyObject *changing; /* CompileRequest.changing; borrowed */
    PyObject *locals; /* dict: types asked for variables of the entry function, or NULL; borrowed */
    bool keeps_names; /* HIGH has a BIND for every assignment to a name; LOW too, if `debug` */
    bool debug;
    VEC(Fn *) fns; /* fns.at[0] is the entry */
    VEC(PyObject *)
    classes; /* exception classes named by EXC_MAKE, borrowed (kept alive by the compile) */
    VEC(uint64_t) class_bases; /* of those: bit i: derived from Python's own class i */
    VEC(PyObject *)
    captured; /* arrays, and places of numbers (see Unit.captured), named by GLOBAL; borrowed */
    VEC(Type *) captured_types;
    VEC(PyRead) seen; /* what was read of Python; borrowed (kept alive by the compile) */
    bool unlike_code; /* some function's text is not the code that Python runs */
};

/* --- making and changing (ir/edit.c). None fails: no memory leaves by cx_abort ---------------------------- */

/* A function without blocks, in no module: the first ir_new_block makes its entry, block 0. */
Fn *ir_new_fn(Cx *cx, const char *name, Stage stage);
BlockId ir_new_block(Cx *cx, Fn *fn, const char *label);

/* Appends an instruction to block b. args are copied. */
Ref ir_add(Cx *cx, Fn *fn, BlockId b, Op op, Type *ty, Span span, uint32_t nargs, const Ref *args);
/* The same at position `at` of the block's list. */
Ref ir_insert(Cx *cx, Fn *fn, BlockId b, uint32_t at, Op op, Type *ty, Span span, uint32_t nargs,
              const Ref *args);
Ref ir_add_param(Cx *cx, Fn *fn, BlockId b, Type *ty);
Ref ir_const(Cx *cx, Fn *fn, BlockId b, Const *k, Span span);
Const *ir_const_int(Cx *cx, Type *ty, int64_t i);
Const *ir_const_float(Cx *cx, Type *ty, double f);
bool ir_const_equal(const Const *a, const Const *b); /* floats by bits, so 0.0 is not -0.0 */

void ir_jump(Cx *cx, Fn *fn, BlockId b, BlockId to, uint32_t n, const Ref *args);
void ir_branch(Cx *cx, Fn *fn, BlockId b, Ref cond, Edge yes, Edge no, Span span);
void ir_return(Fn *fn, BlockId b, Ref value, Span span);
void ir_raise(Fn *fn, BlockId b, Ref exc, Ref cause, Span span);
Edge ir_edge(Cx *cx, BlockId to, uint32_t n, const Ref *args);

void ir_delete(Fn *fn, Ref r); /* takes it out of its block at once; not for parameters */
/* For many at once: ir_kill turns an instruction into OP_NOP where it stands, ir_sweep takes all of them out. */
void ir_kill(Fn *fn, Ref r);
void ir_sweep(Fn *fn);
void ir_kill_block(Fn *fn, BlockId b); /* a block nobody goes to any more, with its instructions */
/* Takes parameter number i away from block b, and its argument from every edge to b. */
void ir_delete_param(Fn *fn, BlockId b, uint32_t i);
void ir_replace_uses(Fn *fn, Ref from, Ref to); /* everywhere, edges included */
/* Many at once: each use of r becomes to[r] unless that is 0, and so on along the chain. `to` is indexed by Ref. */
void ir_rename_uses(Fn *fn, const Ref *to);
/* Cuts block b before position `at`: the rest and the terminator move to a new block, which is returned; b gets no
 * terminator. The handler is copied. */
BlockId ir_split(Cx *cx, Fn *fn, BlockId b, uint32_t at);

/* Copies blocks[0..n) of fn (into `into`, which may be fn itself). Values and blocks defined inside are renamed
 * through *refs and *ids (old -> new), which the caller may fill beforehand for what comes from outside;
 * anything else stays as it is. Edges that leave the region keep their target (renamed if *ids has it). An
 * instruction of the region that *refs has already is not copied (the ARGs of an inlined function). */
struct Map;
void ir_clone(Cx *cx, Fn *into, const Fn *fn, const BlockId *blocks, uint32_t n, struct Map *refs,
              struct Map *ids);

static inline Ins *ir_at(const Fn *fn, Ref r) { return &fn->ins.at[r]; }
/* Of a call of a runtime function that is TYPED: the type of what goes by address. */
Type *ir_slots_type(const Fn *fn, const Ins *call);
unsigned ir_effects(const Fn *fn, Ref r); /* of the op; of the runtime row for OP_CALL_RT */
/* A kernel as it was written, for one thread: only what holds for any thread may be done to it. */
static inline bool ir_is_unsplit(const Fn *fn) {
    return fn->is_kernel && !fn->runs_blocks && !fn->runs_threads;
}
static inline bool ir_is_const(const Fn *fn, Ref r) { return ir_at(fn, r)->op == OP_CONST; }

/* Fields of aggregate types, for MAKE and FIELD:
 *   complex: re, im     optional: has, value     tuple, closure, slice (items that are not none), zip: items
 *   range: start, stop, step     iter(T): its T (zip: its items); enumerate: then the int64 start; shared: then
 *   a cell with the position
 *   str, bytes: data, length, kind, owner     array: data, owner, shape..., strides... ('A' only) */
uint32_t ir_field_count(const Type *ty);
Type *ir_field_type(const Type *ty, uint32_t i);
uint32_t ir_field_part(const Type *ty, uint32_t i); /* its first part */

/* --- text and checks --------------------------------------------------------------------------------------- */

void ir_print_fn(Cx *cx, Buf *out, const Fn *fn);
void ir_print_module(Cx *cx, Buf *out, const Module *m);
enum PrintFlag { PRINT_SPANS = 1 }; /* "at 3:4-3:9" behind each instruction that has a place */
void ir_print_fn_with(Cx *cx, Buf *out, const Fn *fn, unsigned flags);
void ir_print_module_with(Cx *cx, Buf *out, const Module *m, unsigned flags);
/* Parses what ir_print_module printed; aborts with D_IR_TEXT on bad text. Values and blocks keep their numbers. Python
 * objects cannot be read from text: classes and captured arrays are NULL, and see ir/text_int.h for types. */
Module *ir_parse(Cx *cx, const char *text);
/* NULL if fn obeys the rules listed in ir/verify.c, else a sentence about the first breach. */
const char *ir_verify(Cx *cx, const Fn *fn);
const char *ir_verify_module(Cx *cx, const Module *m); /* every function of it */

/* --- analyses (ir/cfg.c); results are the caller's, valid until the graph changes ----------------------------- */

typedef struct Cfg {
    uint32_t n; /* blocks */
    BlockId *rpo; /* reachable blocks in reverse post-order */
    uint32_t nrpo;
    uint32_t *rpo_index; /* per block; UINT32_MAX: unreachable */
    BlockId *idom; /* immediate dominator; entry: itself; NO_BLOCK: unreachable */
    BlockId **preds; /* reachable ones, one per edge, handler edges included */
    uint32_t *npreds;
    uint32_t *dom_pre, *dom_size; /* the dominator tree as intervals; see ir/cfg.c */
} Cfg;
Cfg *ir_cfg(Cx *cx, const Fn *fn);
/* Every way to b enters a. An unreachable block is dominated by itself alone. */
bool cfg_dominates(const Cfg *cfg, BlockId a, BlockId b);
/* Every way to b has run a to its end, so that what a computes is there at the start of b: not so where b is reached
 * through a's handler. False if a == b. This, not cfg_dominates, says where a's values may be used. */
bool cfg_end_dominates(const Cfg *cfg, BlockId a, BlockId b);
/* Successors of b into to[3], handler last; returns how many. */
uint32_t ir_successors(const Fn *fn, BlockId b, BlockId to[3]);

typedef struct Loop Loop;
struct Loop {
    BlockId header;
    BlockId
        preheader; /* the one block that enters, from the loop around, and goes nowhere else; or NO_BLOCK */
    BlockId latch; /* NO_BLOCK: several back edges */
    Loop *parent, *child, *next; /* next sibling */
    uint32_t depth; /* outermost: 1 */
    BlockId *blocks; /* all of it in reverse post-order: header first; inner loops included */
    uint32_t nblocks;
};
typedef struct Loops {
    Loop *roots;
    Loop **of; /* per block: innermost loop, or NULL */
    uint32_t n, nblocks; /* loops; blocks: those made since are in no loop */
} Loops;
Loops *ir_loops(Cx *cx, const Fn *fn, const Cfg *cfg); /* irreducible parts belong to no loop */
/* Is b in the loop, or in one inside it? */
static inline bool ir_loop_has(const Loops *loops, const Loop *loop, BlockId b) {
    const Loop *l = b < loops->nblocks ? loops->of[b] : NULL;
    while (l && l != loop) l = l->parent;
    return l != NULL;
}

/* How often the body of a counted loop runs, where that is known when compiling: its header tests a counter that goes
 * from a constant up to a constant. 0: not known (or never). */
uint32_t ir_const_trips(const Fn *fn, const Cfg *cfg, const Loops *loops, const Loop *loop);

/* How often each value is used, edges and terminators included. */
uint32_t *ir_use_counts(Cx *cx, const Fn *fn);

/* Visits every Ref that an instruction, terminator or handler reads. */
typedef void (*RefVisitor)(void *arg, Ref *use);
void ir_visit_uses(Fn *fn, BlockId b, RefVisitor visit, void *arg);
