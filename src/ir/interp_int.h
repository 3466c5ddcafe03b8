/* Inside ir/interp*.c.
 *
 * A value is its parts, one 8-byte slot each, in the frame of the running function. A slot holds
 * the part's bits, the rest zero: integers are extended by their sign only when they are read. */
#pragma once
#include <string.h>

#include "ir/interp.h"
#include "ir/math.h"
#include "ir/rt.h"

/* Where something is raised, for tracebacks. */
typedef struct Where {
    uint32_t site;
    const uint32_t *leave; /* sites of the inlined calls that the exception leaves, innermost first,
                              0 at the end; NULL: none */
} Where;

/* What an instruction needs at run time, by Ref. */
typedef struct Prep {
    uint32_t slot; /* of its first part, in the frame */
    Where where;
    union {
        const uint64_t *parts; /* CONST */
        const struct InterpFn *callee; /* CALL_FN, REGION */
        void *address; /* CALL_RT, MATH (NULL: see ir/interp_math.c) */
        uint64_t offset; /* STACK: bytes into the frame's stack; GLOBAL: slots into ctx->globals */
    };
} Prep;

typedef struct InterpFn {
    const Fn *fn;
    Prep *prep; /* per Ref */
    const Where *raise; /* per block: its TERM_RAISE */
    uint32_t nslots; /* values */
    uint32_t nscratch; /* slots behind them, for arguments on their way */
    uint64_t stack; /* bytes behind those, for STACK */
} InterpFn;

/* clang-format off */
/* Functions of the runtime that the interpreter itself calls, one row each: RTFN(field, symbol,
 * result, parameters). */
#define INTERP_RUNTIME(RTFN)                                                                      \
    RTFN(raise_check, "ws_raise_check", void, (WsCtx *, int32_t, int32_t kind, int64_t, int64_t)) \
    RTFN(raise_index, "ws_raise_index", void, (WsCtx *, int32_t, int64_t i, int64_t n, int32_t))  \
    RTFN(raise, "ws_raise", void, (WsCtx *, int32_t, ExcObj *exc))                                \
    RTFN(trace, "ws_trace", void, (WsCtx *, int32_t))                                             \
    RTFN(exc_make, "ws_exc_make", ExcObj *, (WsCtx *, int32_t, int32_t cls, const uint64_t *))    \
    RTFN(exc_retain, "ws_exc_retain", void, (ExcObj *))                                           \
    RTFN(exc_release, "ws_exc_release", void, (ExcObj *))                                         \
    RTFN(poll, "ws_poll", int32_t, (WsCtx *, int32_t))                                            \
    RTFN(check_stack, "ws_check_stack", int32_t, (WsCtx *, int32_t))                              \
    RTFN(alloc, "ws_alloc", void *, (WsCtx *, int32_t, int64_t bytes))                            \
    RTFN(retain, "ws_retain", void, (void *))                                                     \
    RTFN(release, "ws_release", void, (void *))

/* clang-format on */
struct Interp {
    const Module *m;
    InterpFn *fns; /* as m->fns */
    const Site *sites;
    uint32_t nsites, nslots;
#define RTFN(field, symbol, result, params) result(*field) params;
    INTERP_RUNTIME(RTFN)
#undef RTFN
};

/* A running function. */
typedef struct Frame {
    const Interp *p;
    const InterpFn *f;
    WsCtx *ctx;
    uint64_t *slots; /* of the values */
    uint64_t *scratch; /* behind them */
    char *stack; /* 64-byte aligned */
    const uint64_t *args; /* the caller's block */
    uint32_t depth;
} Frame;

static inline uint64_t *frame_at(const Frame *fr, Ref r) { return fr->slots + fr->f->prep[r].slot; }
static inline uint64_t *frame_arg(const Frame *fr, const Ins *i, uint32_t k) {
    return frame_at(fr, i->args[k]);
}
static inline Type *frame_type(const Frame *fr, Ref r) { return ir_at(fr->f->fn, r)->ty; }

/* --- parts (ir/interp_ops.c) ------------------------------------------------------------------ */

/* BOOL, INT, ENUM: the number in a slot, extended by its sign. */
int64_t interp_int(const Type *ty, uint64_t slot);
uint64_t interp_put_int(const Type *ty, uint64_t v); /* wrapped to the type's width */
/* P_F16, P_F32, P_F64: exact both ways but for the rounding to the part's precision. */
double interp_float(PartKind kind, uint64_t slot);
uint64_t interp_put_float(PartKind kind, double v);

/* Executes a scalar or aggregate operation that neither raises nor touches memory: true; false: not
 * one of them. */
bool interp_pure(Frame *fr, const Ins *i, uint64_t *out);

/* --- math (ir/interp_math.c) ------------------------------------------------------------------ */

/* Address of the function that compiled code calls for this one and this part, or NULL: C's own is
 * used. */
void *interp_find_math(Cx *cx, MathFn f, PartKind kind, void *(*find_symbol)(const char *name));
uint64_t interp_math(MathFn f, const Type *ty, const Type *result, void *address,
                     const uint64_t *const *args);

/* --- calls of C (ir/interp_call.c) ------------------------------------------------------------ */

/* Calls i->rt with the operands' parts; 0, or 1 with ctx->exc set. */
int32_t interp_call_rt(Frame *fr, const Ins *i, Ref r);
/* Integers filled up to 8 bytes by their sign, as in an argument block. */
void interp_extend(const Type *ty, uint64_t *slots);
/* Slots of scratch that a call of the runtime, or EXC_MAKE, needs. */
uint32_t interp_scratch_slots(const Fn *fn, const Ins *i);
