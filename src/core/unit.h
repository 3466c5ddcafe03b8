/* Where the compiler and the run time meet: what is asked for, and what a compiled unit is. */
#pragma once
#include "core/ctx.h"
#include "types/types.h"

/* int entry(ctx, slots): slots hold the arguments' parts on entry and the result's parts on return;
 * 0, or 1 with ctx->exc set. */
typedef int32_t (*UnitEntry)(WsCtx *ctx, uint64_t *slots);

/* A place that the compiler looked at, and what was there: the code is right as long as it is there. */
typedef struct PyRead {
    PyObject *home; /* a dict (of globals, of a module), a class, or a cell */
    PyObject *key; /* str; NULL: home is a cell */
    PyObject *value; /* NULL: there was nothing */
} PyRead;

/* What one call of a unit's entry does. */
typedef enum UnitMethod {
    UNIT_CALL, /* no kernel */
    UNIT_BLOCKS, /* a box of blocks (WsCtx.sregs) */
    UNIT_THREADS, /* one thread, from beginning to end */
    UNIT_RESUMES, /* one thread, which stops at barriers */
    UNIT_GRID /* the same, and blocks wait for each other */
} UnitMethod;

/* A compiled unit: immutable once published, never freed. */
struct Unit {
    UnitEntry entry;
    const char *name;
    Type **args;
    uint32_t nargs;
    uint32_t nslots; /* of the block: the larger of the arguments' parts and the result's */
    Type *ret;
    uint64_t escapes; /* bit i: array or str argument i may outlive the call: it needs an owner */
    bool nogil;
    uint8_t method; /* UnitMethod */
    uint32_t shared_bytes; /* UNIT_THREADS and behind: of the block's shared arrays */
    uint32_t stack_bytes; /* likewise: of a thread's local arrays */
    const Site *sites;
    uint32_t nsites;
    PyObject **classes; /* owned: exception classes by number */
    uint32_t nclasses;
    PyObject **
        captured; /* owned: arrays captured by reference; tuples (home, key): numbers that are looked up before
                            each call, in a dict of globals, or, with the key None, in a cell */
    Type **captured_types;
    uint32_t ncaptured;
    const PyRead *seen; /* the references are owned */
    uint32_t nseen;
    const void *code; /* machine code, for tools */
    size_t code_size;
    uint64_t stage_ns[8]; /* StageId */
    bool cached; /* it came from the cache */
};

/* A new unit in one block that is never freed: a copy of all that the draft points at, with references of
 * its own to classes, captured arrays and what was seen; NULL when out of memory. GIL held. */
Unit *unit_copy(const Unit *draft);

/* The object code of a compile, for the cache: see CompileRequest. */
typedef struct CompiledObject {
    char *bytes; /* owned: mem_free */
    size_t size;
    char *entry; /* symbol of the entry; behind the bytes */
    bool unlike_code; /* some source text was compiled that is not the code that Python runs */
} CompiledObject;

typedef enum StageId {
    STAGE_PARSE,
    STAGE_BUILD,
    STAGE_INFER,
    STAGE_LOWERING,
    STAGE_PASSES,
    STAGE_CODEGEN,
    STAGE_LLVM,
    STAGE_LOAD
} StageId;

/* Options of the decorator that reach the compiler. */
typedef struct JitOptions {
    uint8_t fast; /* FastFlag bits */
    bool numpy_errors, boundscheck, nogil, parallel, debug, inline_always;
    bool kernel; /* cuda.jit */
    uint32_t block_dim
        [3]; /* kernels: threads of a block along x, y, z; UINT32_MAX: known at the launch; 0: for PTX */
} JitOptions;

/* Texts that can be asked for instead of code. */
typedef enum Want {
    WANT_CODE,
    WANT_TYPES,
    WANT_IR,
    WANT_LLVM,
    WANT_ASM,
    WANT_CFG,
    WANT_PTX,
    WANT_EXPLAIN, /* what was done: see driver/report.h */
    WANT_RESULT, /* the name of the result's type */
    WANT_INTERP
} Want;

typedef struct CompileRequest {
    PyObject *func; /* a Python function; borrowed */
    Type **args; /* one per parameter: *args is one tuple, keyword-only ones follow in order */
    uint32_t nargs;
    Type *ret; /* asked for by a signature, or NULL */
    PyObject *locals; /* dict name -> type object of the Python package, or NULL; borrowed */
    PyObject *
        changing; /* list of tuples (home, key), as in Unit.captured: numbers that are no constants; or NULL;
                           borrowed */
    JitOptions options;
    Want want;
    const char *ptx_target; /* WANT_PTX: "sm_75" ... */
    CompiledObject *object; /* WANT_CODE: to be filled (bytes stay NULL without memory); or NULL */
} CompileRequest;

struct LoadRequest;
struct LoadResult;
struct MemFaults;

/* What _core gives to _compiler. */
typedef struct CoreApi {
    const TypesApi *types;
    /* Address of a runtime function or of a vector math function ("ws_...", "Sleef_..."), or
     * NULL. */
    void *(*find_symbol)(const char *name);
    /* loader_load of core/loader.h: an ELF object into executable memory. No GIL needed. */
    int (*load)(const struct LoadRequest *req, struct LoadResult *out);
    /* Type of a Python object, new or known; NULL with an exception set if compiled code cannot
     * hold it. */
    Type *(*type_of)(PyObject *obj);
    /* Unwraps a compiled-function object to its Python function (borrowed), with its options; NULL:
     * not one. */
    PyObject *(*unwrap)(PyObject *obj, JitOptions *options);
    /* The whipsnake type object (Python package) as a Type, and back (new reference). NULL:
     * exception set. */
    Type *(*type_from_object)(PyObject *obj);
    PyObject *(*type_to_object)(Type *ty);
    /* The Type of a whipsnake type object; NULL: the object is none, no exception set. */
    Type *(*as_type)(PyObject *obj);
    /* mem_faults of base/mem.h: one countdown for the allocations of both; NULL: none. */
    struct MemFaults *mem_faults;
} CoreApi;

/* What _compiler gives back. */
typedef struct CompilerApi {
    /* GIL held. 0 and a new unit (code), or a new str (texts) in *text; -1 with a Python exception
     * set. */
    int (*compile)(const CompileRequest *req, Unit **unit, PyObject **text);
    /* For tests: runs `what` ("parse-print", "verify", "pass NAME", "interp") on IR text; new str
     * or NULL. */
    PyObject *(*ir_tool)(const char *what, const char *text);
    /* row_list of infer/row.h: what compiled code may call; new list or NULL. */
    PyObject *(*list_rows)(void);
} CompilerApi;

/* The one exported function of _compiler. 0, or -1. `core` must outlive the process. */
int ws_compiler_open(const CoreApi *core, CompilerApi *out);
