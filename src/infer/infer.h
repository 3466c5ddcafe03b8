/* Type inference: which type, and which constant if always the same, each value of HIGH IR has.
 *
 * One sparse conditional fixpoint over all functions that the entry reaches (Wegman and Zadeck, 1991, with
 * types and constants as one lattice):
 *
 *   1. A function instance (Inst) is a definition with argument types. The entry's instance is queued.
 *   2. A block that becomes reachable has all its instructions evaluated; a value that rises in the lattice
 *      (UNDEF < constant < type < wider type) queues its users; a rising return type queues the calls.
 *   3. A branch on a constant makes one side reachable. So `if x is None` is decided per instance.
 *   4. A loop over a tuple of mixed types asks the builder for the function again, with that loop unrolled.
 *   5. What cannot be typed stays UNDEF; when nothing changes any more, infer_check evaluates once again
 *      in final mode, where the first such place, in program order, is the error.
 *
 * The GIL is held throughout: user overloads are Python, and module attributes are looked up. */
#pragma once
#include "base/diag.h"
#include "base/map.h"
#include "base/near.h"
#include "build/build.h"
#include "core/unit.h"
#include "ir/ir.h"

typedef struct Infer Infer;
typedef struct Inst Inst;
typedef struct Row Row; /* infer/row.h */

/* A call in another instance that waits for this one's return type. */
typedef struct Waiter {
    Inst *inst;
    uint32_t generation; /* of inst, when it was noted */
    Ref call;
} Waiter;

struct Inst {
    const FnDef *def;
    Type **args;    /* parameters, then captures */
    Const *
        *arg_ks; /* their constants, where the instance is made for one; NULL entries otherwise */
    uint32_t nargs;
    Type *ret; /* UNDEF: no return reached (yet, or ever: it always raises) */
    Const *ret_k;
    bool ret_varies;
    FnOptions options;
    Fn *high;
    Fn *low; /* made by lowering */
    VEC(Waiter) waiters;
    VEC(Unroll) unrolls;
    uint32_t generation; /* counts rebuilds */
    const Inst *caller;  /* who asked first, and where: for "while compiling" notes */
    Span call_span;
    const Row *public_row; /* of a prelude function that is called by its public name */
    bool checked;
    struct InstState *state; /* uses, reachability; engine.c */
};

/* Something to evaluate again. */
typedef struct QueueItem {
    Inst *inst;
    uint32_t generation;
    uint32_t user; /* a Ref, or a block with USER_BLOCK (engine.c) */
} QueueItem;

/* What a captured variable of type `of`, by its owner's assignments, is by those of inner functions. */
typedef struct Wider {
    const FnDef *def;
    const char *name;
    Type *of, *to;
} Wider;

/* A call that makes an exception. */
typedef struct Made {
    const Inst *inst;
    Ref call;
    PyObject *cls; /* borrowed from its type */
    Type *args; /* a tuple */
} Made;

struct Infer {
    Cx *cx;
    const CoreApi *core;
    Module *module;
    const CompileRequest *req;
    VEC(Inst *) insts;
    VEC(QueueItem) queue;
    uint32_t queue_head;
    Map defs; /* PyObject * function -> FnDef * */
    Map impls; /* overload results, by hash of function and types */
    Map preludes; /* name (by pointer) -> PyObject * */
    Map vectorized; /* ufunc object -> const Row *: builtins/vectorized.c */
    Map user_methods; /* list of overloads -> UserMethod *: see attr.c */
    VEC(Wider) wider; /* of captured variables: see cell.c */
    VEC(Made) made; /* exceptions that are made: see exception.c */
    VEC(QueueItem) late; /* reads of e.args that are typed when all else is */
    bool final; /* infer_check: errors are real */
    bool asks_handled; /* there is an exc.handled: exc.enter and exc.leave count */
    Inst *inst; /* being evaluated */
    uint32_t rebuilds;
};

/* One actual argument of a call, or one operand. A HIGH value; item `item` of a tuple value (written *x); several
 * arguments packed into a tuple (for a parameter *args); a constant (a default); or not given (ty is NULL). */
typedef struct Arg {
    Ref ref; /* 0: a constant, packed, or not given */
    int32_t item; /* -1: the value itself */
    Type *ty;
    Const *k; /* known constant, or NULL */
    bool weak;
    const struct Arg *packed; /* ty->nitems of them, or NULL */
    Ref low; /* lowering only: a LOW value that stands for the argument */
} Arg;

/* A call being typed or lowered. */
typedef struct Call {
    Infer *in;
    Inst *inst;
    Ref ins; /* the OP_CALL */
    Span span;
    const Row *row;
    Arg *args; /* bound to the row's parameters, in their order; *rest comes last */
    uint32_t nargs;
    const Arg *keywords; /* ROW_UFUNC: out, where, dtype; NULL: none of them is given */
    Arg self; /* methods: the object */
    Type *result; /* lowering: the type of the result */
} Call;

/* Runs the fixpoint and the check for the request; returns the entry's instance. Aborts with a diagnostic. */
Inst *infer_run(Infer *in, Cx *cx, const CoreApi *core, Module *module, const CompileRequest *req);

/* The instance of def for these arguments (parameters then captures), made and queued if new. */
Inst *infer_instance(Infer *in, const FnDef *def, Type *const *args, Const *const *ks, uint32_t n,
                     FnOptions options, Span span);

/* The type of an instruction after evaluation of its operands; NULL: not (yet) typable. Sets *k. */
Type *infer_op(Infer *in, Inst *inst, Ref r, Const **k);

/* Is it an exception class, or (tuples too) a tuple of such? */
bool infer_is_exception_class(const Type *ty);
bool infer_is_exception_classes(const Type *ty);
/* Notes that the call makes an exception of this class with these arguments. */
void infer_note_made(Infer *in, const Inst *inst, Ref call, PyObject *cls, Type *args);
/* All exceptions that the program makes and that this value may be (exception.c). */
const Made *const *infer_exc_sources(Infer *in, Inst *inst, Ref exc, uint32_t *n);
/* The type of e.args or another attribute that is made of arguments, the instruction r: known when the fixpoint is
 * (exc_args.c). */
Type *infer_exc_read(Infer *in, Inst *inst, Ref r);
/* Which of the arguments is asked for, by the types of all of them. */
enum { EXC_NOTHING = -1, EXC_ALL = -2, EXC_MISSING = -3 }; /* None; the tuple; IndexError */
typedef struct ExcPick {
    Type *args;
    int32_t item;
} ExcPick;
typedef struct ExcPicks {
    VEC(ExcPick) of;
    bool others; /* there are exceptions without the attribute */
} ExcPicks;
/* args[k], where args is EXC_ITS_ARGS; the attribute that the instruction r reads. */
Type *infer_exc_item(Infer *in, Inst *inst, Ref args, int64_t k, ExcPicks *out);
Type *infer_exc_attribute(Infer *in, Inst *inst, Ref r, ExcPicks *out);
/* The class of Python's whose attribute it is; NULL: of none. */
PyObject *infer_exc_owner(const char *name);

/* --- for type rules ----------------------------------------------------------------------------------------- */

/* Records the error in final mode; always returns NULL, so that a rule can `return infer_fail(...)`. */
Type *infer_fail(Infer *in, Span span, DiagId id, ...);
/* The same with notes telling the types of these values and where they came from. */
Type *infer_fail_about(Infer *in, Inst *inst, const Ref *about, uint32_t n, Span span, DiagId id,
                       ...);
/* The place of an operand, where it stands inside the instruction's; a variable has its place elsewhere: then the
 * instruction's own. */
Span infer_part(const Inst *inst, Ref ins, Ref operand);
/* Adds the note for one value: "'x' is int64: argument 1 of f". Only in final mode. */
void infer_explain(Infer *in, Inst *inst, Ref r);

/* Attribute of an object known when compiling: a constant; NULL if there is none (no exception left). */
Const *infer_object_attr(Infer *in, PyObject *obj, const char *name);
/* The same for what is said of `name` (a variable that the value was assigned to), and for arguments. */
void infer_explain_as(Infer *in, Inst *inst, Ref r, const char *name);
void infer_explain_args(Infer *in, Inst *inst, const Arg *args, uint32_t n);
/* A hint for the error that follows; nothing before the final mode. */
void infer_hint(Infer *in, const char *text);
/* "did you mean ...?", or the other hint (NULL: none). */
void infer_suggest(Infer *in, const Near *near, const char *otherwise);

/* How a type is called in messages: "int64", "tuple (int64, float64)", "the function f". */
const char *infer_type_text(Cx *cx, const Type *ty);
/* A value of the type: "an int64", "None", "the function f". */
const char *infer_value_text(Cx *cx, const Type *ty);
/* "int64, float64": the types of arguments, packed ones spelt out. */
const char *infer_types_text(Cx *cx, const Arg *args, uint32_t n);
/* The type inside an optional, else the type. */
static inline Type *infer_plain(Type *t) { return t->kind == TY_OPTIONAL ? t->of : t; }

/* Reached by the fixpoint: blocks and edges (succ 0, 1; 2: the handler). */
bool infer_reached(const Inst *inst, BlockId b);
bool infer_edge_taken(const Inst *inst, BlockId b, int succ);
/* Does the instruction never come back (it always raises)? The rest of its block is dead. */
bool infer_never_returns(Infer *in, Inst *inst, Ref r);

/* How a CALL resolves; used by inference and again by lowering. */
typedef enum CalleeKind { CALLEE_UNKNOWN, CALLEE_ROW, CALLEE_INST } CalleeKind;
typedef struct Callee {
    CalleeKind kind;
    const Row *row; /* CALLEE_ROW: call.row's arguments are bound */
    Call call;
    const FnDef *def; /* CALLEE_INST: arguments in call.args, one per parameter and capture */
    FnOptions options;
    bool literal_args; /* the prelude: specialise on constants */
    const Row
        *public_row; /* the prelude: the row behind which it stands ("numpy.zeros"); else NULL */
    Inst *inst; /* CALLEE_INST, once the argument types are known; else NULL */
} Callee;
/* Types of all operands must be known. False: not typable (fails in final mode). */
bool infer_callee(Infer *in, Inst *inst, Ref call, Callee *out);

/* Of a call of one of several functions: how many, and each. */
uint32_t infer_callee_count(const Inst *inst, Ref call);
bool infer_callee_at(Infer *in, Inst *inst, Ref call, uint32_t which, Callee *out);

/* A Python function called with these arguments, e.g. the key of max(): its instance, or NULL (not typable). */
Inst *infer_call_value(Infer *in, Inst *inst, Arg callee, const Arg *args, uint32_t n, Ref call,
                       Callee *out);

/* The instance of a prelude function ("index.assign") for these argument types, for a rule that needs it: `user` is
 * evaluated again when its return type rises. */
Inst *infer_prelude(Infer *in, Inst *inst, const char *name, Type *const *types, uint32_t n,
                    Ref user);
/* The same with the arguments themselves, their constants too; *out tells how to call it. NULL: not typable. */
Inst *infer_prelude_call(Infer *in, Inst *inst, const char *name, const Arg *args, uint32_t n,
                         Ref user, Callee *out);

/* GETATTR on values: the row (method or attribute), the Call it is typed and lowered with, the field of a named
 * tuple (-1: none), and the function behind a user's overload_attribute (NULL: none). */
const Row *infer_attr_row(Infer *in, const Type *ty, const char *name);
Call infer_attr_call(Infer *in, Inst *inst, Ref r, const Row *row);
int infer_tuple_field(const Type *ty, const char *name);
/* Is this type a method bound by a user's overload_method? */
bool infer_is_user_method(Infer *in, const Type *closure);
Inst *infer_user_attribute(Infer *in, Inst *inst, Ref r, Callee *out);
