/* Shared by the files of infer/. */
#pragma once
#include <Python.h>

#include "infer/infer.h"
#include "infer/row.h"

typedef struct Pred {
    BlockId block;
    uint8_t succ; /* 0, 1, or 2: the handler */
} Pred;
typedef VEC(Pred) Preds;

typedef struct InstState {
    uint8_t *reached;      /* per block */
    uint8_t *taken;        /* per block: bit per edge */
    uint8_t *block_queued; /* per block, per instruction: already in the queue */
    uint8_t *ins_queued;
    uint32_t *use_start, *users; /* users of r: users[use_start[r] .. use_start[r + 1]) */
    Preds *preds;
} InstState;

enum { USER_BLOCK = 1u << 31 }; /* in InstState.users: the user is a block's terminator or edges */

/* engine.c */
/* Puts r into the queue once more. */
void infer_again(Infer *in, Inst *inst, Ref r);
/* r has (at least) this type. */
void infer_raise_value(Infer *in, Inst *inst, Ref r, Type *ty);
Type *infer_param(Infer *in, Inst *inst, BlockId b, uint32_t index, Const **k, Ref clash[2]);
/* Rebuilds inst with this loop unrolled; false if it is already, or too often. */
bool infer_unroll(Infer *in, Inst *inst, int64_t loop, uint32_t n);
/* The return type of callee, NULL while unknown; notes that this call waits for it. */
Type *infer_wait(Infer *in, Inst *callee, Inst *inst, Ref call, Const **k);
FnOptions infer_options(const JitOptions *o);
/* Of a compiled function that is called: its own; but all code of a kernel has the kernel's ideas of errors. */
FnOptions infer_callee_options(const Infer *in, const JitOptions *own);

/* ops.c: the type of Module.captured[number]: found when it is first read. */
Type *infer_captured_type(Infer *in, int64_t number, Span span);
/* ops.c: what `for x in v` gives; NULL: the items differ in type, or v cannot be iterated. */
Type *infer_item_type(Type *ty);
bool infer_is_iterable(const Type *ty);

/* check.c: reports the first fault in program order, in all instances that can be reached from this one. */
void infer_check(Infer *in, Inst *inst);
/* Is inst a function of our own, written in Python? */
bool infer_is_prelude(Infer *in, const Inst *inst);
/* Completes the error on its way, which was found in inst (NULL: in none): function and callers. */
void infer_tell_where(Infer *in, const Inst *inst);

/* exception.c: the operands of `raise` are exception classes or instances. */
void infer_check_raise(Infer *in, Inst *inst, const Term *t);
Type *infer_exc_match(Infer *in, Inst *inst, const Ins *ins);
/* Nothing else can be typed any more: gives types to the `e.args` that wait for them. False: there are none. */
bool infer_settle_args(Infer *in);

/* cell.c */
Type *infer_cell_new(Infer *in, Inst *inst, Ref r, const Ins *ins);
Type *infer_cell_set(Infer *in, Inst *inst, const Ins *ins);

/* call.c */
const FnDef *infer_def(Infer *in, PyObject *func);
Type *infer_call(Infer *in, Inst *inst, Ref r, Const **k);

/* The function that the overloads `impls` (a list) give for these types, as a call with self alone; NULL: none. */
Inst *infer_call_impls(Infer *in, Inst *inst, PyObject *impls, const Arg *self, Ref r, Callee *out);

/* explain.c: a value of the same type that reaches the merge r; r itself if it is no merge, or there is none. */
Ref infer_source(Inst *inst, Ref r);
/* explain.c: the text of the exception that Python has set, which is cleared. */
const char *infer_python_error(Cx *cx);

/* names.c: hints for names that are not there. */
void infer_suggest_function(Infer *in, const char *name, PyObject *obj);
void infer_suggest_member(Infer *in, PyObject *owner, const char *name);

/* attr.c */
typedef struct UserMethod {
    PyObject *impls; /* list of overloads; kept alive by the compile */
} UserMethod;
/* The overloads behind a bound user method; NULL: it is none. */
PyObject *infer_user_method(Infer *in, const Type *closure);
bool infer_is_python_number(PyObject *obj, const char *name);
const char *infer_object_name(Infer *in, PyObject *obj);
Type *infer_getattr(Infer *in, Inst *inst, Ref r, Const **k);

/* fold.c: constants of operators on constants; NULL: not computed here. */
Const *fold_binary(Cx *cx, BinOp op, const Const *a, const Const *b, Type *operand, Type *result);
Const *fold_compare(Cx *cx, CmpOp op, const Const *a, const Const *b);
Const *fold_unary(Cx *cx, UnOp op, const Const *a, Type *result);
/* Conversion of a number constant; NULL if the value would not stay the same kind of thing. */
Const *fold_convert(Cx *cx, const Const *k, Type *to);
