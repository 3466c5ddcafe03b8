/* Runs LOW modules without LLVM, on slots exactly like a compiled unit: for tests of passes and of
 * code generation, and as WHIPSNAKE_DISABLE_JIT=ir.
 *
 * A module is prepared once (what each instruction needs is looked up and laid out) and can then be
 * called from any thread. Exceptions, memory and text come from the same runtime functions that
 * compiled code calls. */
#pragma once
#include "core/unit.h"
#include "ir/ir.h"

typedef struct Interp Interp;

/* Prepares m, which must have passed ir_verify and must not change any more; lives as long as cx.
 * find_symbol: address of a runtime function or of vector math, or NULL; aborts with a diagnostic
 * if one that is called is missing. */
Interp *ir_interp_new(Cx *cx, const Module *m, void *(*find_symbol)(const char *name));

/* Sites that exceptions name: for Unit.sites, which the running unit (WsCtx.unit) must have. */
const Site *ir_interp_sites(const Interp *p, uint32_t *n);
/* Slots of the argument block: the larger of the entry's arguments and its result. */
uint32_t ir_interp_nslots(const Interp *p);

/* Calls the entry, as UnitEntry: slots hold the arguments on entry and the result on return; 0, or
 * 1 with ctx->exc set. Needs no memory of a Cx. Deep recursion raises RecursionError: at
 * ctx->stack_end, or, where there is none, at a fixed depth. */
int32_t ir_interp_call(const Interp *p, WsCtx *ctx, uint64_t *slots);

/* All of it at once, for tests: ctx->unit is set for the call. */
int32_t ir_interp_run(Cx *cx, const Module *m, WsCtx *ctx, void *(*find_symbol)(const char *name),
                      uint64_t *slots);
