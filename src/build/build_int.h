/* Shared by the files of the builder. */
#pragma once
#include <Python.h>

#include "base/diag.h"
#include "build/scopes.h"

/* What surrounds a statement and has a say when control leaves it. */
typedef enum FrameKind {
    FRAME_LOOP,    /* break and continue end here */
    FRAME_FINALLY, /* its body runs on the way out */
    FRAME_HANDLER  /* an exception is being handled; `as name` is unset on the way out */
} FrameKind;

typedef struct Frame Frame;
struct Frame {
    FrameKind kind;
    Frame *outer;
    BlockId to_break, to_continue; /* LOOP */
    const Node *final;             /* FINALLY: BLOCK */
    BlockId handler;               /* FINALLY: where exceptions go outside of the try statement */
    Ref exc, before;               /* HANDLER: the exception; the one that was being handled */
    const char *name;              /* HANDLER, or NULL */
};

/* Edges into a block. */
typedef struct Pred {
    BlockId from;
    uint8_t slot; /* succ[0], succ[1]; 2: from's handler edge */
} Pred;

typedef struct BlockInfo {
    VEC(Pred) preds;
    VEC(BlockId) guarded; /* handlers: the blocks whose exceptions come here */
    bool sealed;          /* all preds are known */
    bool dirty;           /* a variable was written in it: the values at its entry are old */
} BlockInfo;

typedef struct Phi {
    Ref ref; /* the OP_PARAM */
    BlockId block;
    uint32_t var;
    Ref *ops;      /* one per pred, filled at the end */
    uint32_t nops;
    Ref same_as;   /* it always equals this; 0: it is a value of its own */
    Ref is_set;    /* the bool beside it that says whether the variable is set; 0: not needed */
    bool may_be_unset, live;
} Phi;

typedef struct Builder {
    Cx *cx;
    Fn *fn;
    Module *module;
    const FnDef *def;
    const FnDef *root; /* outermost: its closure and globals count */
    Scope *scope;
    const Unroll *unrolls;
    uint32_t nunrolls;
    BlockId at;        /* being filled; NO_BLOCK: this place cannot be reached */
    BlockId handler;   /* where exceptions go, NO_BLOCK: out of the function */
    Frame *frame;
    VEC(BlockInfo) info; /* per block */
    VEC(Phi) phis;
    VEC(const char *) names; /* per SSA variable: the scope's, then nameless ones (NULL) */
    Map now, before;   /* (block, var) -> value at its end so far; at its entry */
    Ref *cells;        /* per variable of the scope: its cell, 0: none */
    Ref unset;         /* the one OP_UNSET */
    Refs checks;       /* CHECK_SETs whose operand is still the value itself */
    Map checked;       /* (block, value) that were */
    Map globals;       /* name -> Const, once looked up; its lowest bit: weak */
    uint64_t path;     /* which copies of unrolled loops surround this place; 0: none */
    int depth;
} Builder;

/* --- ssa.c: blocks and variables ----------------------------------------------------------- */

BlockId bd_new_block(Builder *b, const char *label);
/* Begins to fill a block, under the current handler. */
void bd_start(Builder *b, BlockId block);
/* The same when all edges to it are made: false if there are none, then this place cannot be
 * reached. */
bool bd_enter(Builder *b, BlockId block);
/* All edges to it are made. */
void bd_seal(Builder *b, BlockId block);
void bd_jump(Builder *b, BlockId to);
void bd_branch(Builder *b, Ref cond, BlockId yes, BlockId no, Span span);
/* Ends the current block by returning or raising. */
void bd_return(Builder *b, Ref value, Span span);
void bd_raise(Builder *b, Ref exc, Ref cause, Span span);
/* Changes where exceptions go from here on; goes on in a new block. */
void bd_set_handler(Builder *b, BlockId handler);
/* All code that `handler` guards is built: false if none of it can raise. */
bool bd_seal_handler(Builder *b, BlockId handler);

/* Appends an instruction, in a new block if an exception must see the variables as they are now. */
Ref bd_add(Builder *b, Op op, Span span, uint32_t nargs, const Ref *args);
Ref bd_add1(Builder *b, Op op, Span span, Ref x);
Ref bd_add2(Builder *b, Op op, Span span, Ref x, Ref y);

uint32_t bd_new_var(Builder *b);
void bd_write(Builder *b, uint32_t var, Ref value);
/* The value; OP_UNSET where nothing was assigned. */
Ref bd_read(Builder *b, uint32_t var);
/* Raises UnboundLocalError if `value`, just read from the variable of that name, may be unset. */
void bd_check_set(Builder *b, Ref value, const char *name, Span span);
/* Fills in the parameters of blocks; nothing may be built after it. */
void bd_finish(Builder *b);

/* --- names.c -------------------------------------------------------------------------------- */

Ref bd_read_name(Builder *b, const char *name, Span span);
void bd_write_name(Builder *b, const char *name, Ref value, Span span);
void bd_delete_name(Builder *b, const char *name, Span span);
/* A global of the outermost function or a builtin. */
Ref bd_read_global(Builder *b, const char *name, Span span);
Ref bd_read_builtin(Builder *b, const char *name, Span span);
/* The Python object behind a global name, borrowed from the compile; NULL if there is none. */
PyObject *bd_find_global(Builder *b, const char *name);
/* The inner function of a def or lambda, its default values evaluated here. */
Ref bd_make_closure(Builder *b, const Node *n);
/* Makes the cells of the function's own variables, and gives arguments to parameters. */
void bd_open_variables(Builder *b);

/* --- pyconst.c ------------------------------------------------------------------------------ */

Ref bd_const(Builder *b, const Const *k, Span span);
Ref bd_const_none(Builder *b, Span span);
Ref bd_const_bool(Builder *b, bool value, Span span);
Ref bd_const_int(Builder *b, int64_t value, Span span); /* not weak */
Ref bd_const_str(Builder *b, const char *s, size_t n, Span span);
Ref bd_literal(Builder *b, const Node *n);
Const *bd_ellipsis(Cx *cx);

/* --- expr.c, call.c -------------------------------------------------------------------------- */

Ref bd_expr(Builder *b, const Node *n);
/* Goes to yes or no by the truth of n; the current block ends. */
void bd_cond(Builder *b, const Node *n, BlockId yes, BlockId no);
/* Branches by the value of the condition n (narrow.c). */
void bd_branch_on(Builder *b, const Node *n, Ref cond, BlockId yes, BlockId no);
/* Without the mark of a weak constant. */
Ref bd_strong(Builder *b, Ref value, const char *name, Span span);
/* An error that counts only if it can be reached. Its value is of no type. */
Ref bd_refuse(Builder *b, Span span, DiagId id, const char *text, const char *hint);
Ref bd_refuse_node(Builder *b, const Node *n);
/* The same as a statement: nothing behind it is reached. */
void bd_refuse_here(Builder *b, Span span, DiagId id, const char *text, const char *hint);
Ref bd_tuple(Builder *b, const Node *n);
Ref bd_call(Builder *b, const Node *n);
/* callee(args...), without keywords. */
Ref bd_call_refs(Builder *b, Span span, uint32_t n, const Ref *refs);
Ref bd_fstring(Builder *b, const Node *n);
/* The branch that a condition of literals always takes: 1, 0, or -1: not known. */
int bd_known_truth(const Node *n);

/* --- stmt.c, loop.c, match.c, try.c ----------------------------------------------------------- */

void bd_stmts(Builder *b, Node *const *list, uint32_t n);
void bd_stmt(Builder *b, const Node *n);
void bd_assign(Builder *b, const Node *target, Ref value);
void bd_for(Builder *b, const Node *n);
void bd_while(Builder *b, const Node *n);
void bd_match(Builder *b, const Node *n);
void bd_try(Builder *b, const Node *n);
void bd_raise_stmt(Builder *b, const Node *n);
/* Runs what has to run on the way out to `to` (NULL: out of the function). Afterwards this place
 * may not be reached any more. Undone by bd_back_in, which puts frame and handler back. */
typedef struct Way {
    Frame *frame;
    BlockId handler;
} Way;
Way bd_way_out(Builder *b, const Frame *to);
void bd_back_in(Builder *b, Way way);

/* Guards the recursion of the builder. */
void bd_deeper(Builder *b, Span span);
static inline void bd_shallower(Builder *b) { b->depth--; }
