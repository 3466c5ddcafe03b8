/* The state of one translation, shared by the files of this folder.
 *
 * Each IR value is an array of LLVM values, its parts (types/types.h): a field of an aggregate is a
 * slice of that array and costs nothing. Block parameters are phis, one per part. A block of ours
 * becomes one or more of LLVM's: a check ends one and starts the next; what handles its failure
 * stands at the end of the function. */
#pragma once
#include "base/diag.h"
#include "base/map.h"
#include "codegen/codegen.h"
#include "codegen/llvm_compat.h"
#include "codegen/target.h"
#include "ir/math.h"
#include "ir/rt.h"

typedef LLVMValueRef Val;

/* What is kept from one compile to the next (emit.c). One compile at a time has it. */
typedef struct Llvm Llvm;
struct Llvm {
    LLVMContextRef ctx;
    LLVMTargetMachineRef machine;
    LLVMTargetMachineRef plain_machine; /* no optimisation, for debug; both made when asked for */
    unsigned uses;
    Llvm *next; /* in the list of free ones */
};

typedef struct CgReport CgReport;

/* What LLVM's handlers report during one compile. */
typedef struct LlvmErrors {
    Cx *cx;
    const char *first; /* text of the first error, in the arena; NULL: none */
    CgReport *report; /* remarks go there; NULL: nowhere */
} LlvmErrors;

typedef struct CgBlock {
    LLVMBasicBlockRef first;   /* with the phis; NULL: unreachable */
    LLVMBasicBlockRef landing; /* where the block's failures go, made on demand */
    Val *phis;                 /* of all parameters, part by part */
    bool reduces, unrolls; /* latch of an innermost loop: what its jump asks for (loops.c) */
    Val loop;     /* lanes.c, report.c: metadata of the loop this is the latch of, or NULL */
    Val accesses; /* lanes.c: the loop over threads that the block's loads and stores belong to, or NULL */
} CgBlock;

typedef struct CgFn {
    LLVMTypeRef type; /* of the LLVM function */
    LLVMTypeRef ret; /* {i32, parts ...} */
    Val fn;
    bool may_raise;
    bool recursive; /* on a cycle of calls */
} CgFn;

typedef struct Cg {
    Cx *cx;
    const Module *m;
    const CodegenOptions *options;
    const Target *target;
    Llvm *llvm;
    LlvmErrors *errors;
    LLVMTargetMachineRef gpu_machine; /* of a GPU, made when asked for */
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    LLVMTypeRef part[P_PTR + 1]; /* PartKind -> type */
    LLVMTypeRef i32, i64, ptr, void_;
    CgFn *fns; /* by position in m->fns */
    Map fn_index; /* Fn * -> position */
    Map externals; /* interned name -> External * (calls.c) */
    Map site_numbers;
    VEC(Site) sites;
    VEC(Val) keep; /* vector versions of math functions, which no call names */
    uint32_t uses_bitcode; /* runtime functions whose bitcode must be linked in */
    bool uses_libdevice; /* a GPU's functions of math must be linked in */
    struct CgDebug *debug; /* NULL: no debug information */
    CgReport *report; /* NULL: none is wanted */

    /* of the function being translated */
    const Fn *fn;
    CgFn *out;
    Val ws; /* the WsCtx * */
    Val scratch; /* slots for calls, [n x i64] in the entry block; NULL: none needed */
    CgBlock *blocks;
    BlockId block;
    LLVMBasicBlockRef entry; /* allocas go here */
    LLVMBasicBlockRef unwind; /* returns status 1; made on demand */
    Val **parts; /* Ref -> parts */
    const Cfg *places; /* lanes.c: of the function, if it has loops over threads and blocks */
    Span span; /* of the instruction at hand */
    uint32_t origin; /* its inlined call, as Ins.origin */
} Cg;

/* Row of the op table: translates instruction r and sets its parts. */
typedef void (*OpFn)(Cg *cg, Ref r, const Ins *i);

/* --- values (function.c) ---------------------------------------------------------------------- */

static inline Type *cg_type(const Cg *cg, Ref r) { return cg->fn->ins.at[r].ty; }
static inline Val *cg_parts(const Cg *cg, Ref r) { return cg->parts[r]; }
static inline Val cg_val(const Cg *cg, Ref r) { return cg->parts[r][0]; }
static inline Val cg_arg(const Cg *cg, const Ins *i, unsigned k) {
    return cg->parts[i->args[k]][0];
}
void cg_set(Cg *cg, Ref r, Val v); /* the only part of r */
Val *cg_new_parts(Cg *cg, Ref r); /* room for the parts of r, to be filled */
static inline LLVMTypeRef cg_part_type(const Cg *cg, const Type *ty, uint32_t k) {
    return cg->part[ty->parts[k]];
}
static inline Val cg_i64(const Cg *cg, int64_t i) {
    return LLVMConstInt(cg->i64, (uint64_t)i, true);
}
static inline Val cg_i32(const Cg *cg, int64_t i) {
    return LLVMConstInt(cg->i32, (uint64_t)i, true);
}
/* Gives v, if it is a float operation, the instruction's fast-math flags. Returns v. */
Val cg_fast(Val v, unsigned fast);
/* An alloca in the entry block, 64-byte aligned if `bytes`. */
Val cg_alloca(Cg *cg, LLVMTypeRef ty, unsigned align);
/* Address `bytes` behind p. */
Val cg_offset(Cg *cg, Val p, int64_t bytes);
/* Integer v to `to`: truncated or extended by the sign of its own type. */
Val cg_int_to(Cg *cg, Val v, bool is_signed, LLVMTypeRef to);

void cg_function(Cg *cg, uint32_t index);
/* Where an exception raised in the current block goes: its handler's landing, or the exit with
 * status 1. */
LLVMBasicBlockRef cg_landing(Cg *cg);
/* Ends a block in which something was raised: notes the inlined calls that the exception leaves,
 * then goes to the landing. */
void cg_leave(Cg *cg);
/* A new block behind the current one, to go on in. */
LLVMBasicBlockRef cg_next_block(Cg *cg, const char *name);
LLVMBasicBlockRef cg_cold_block(Cg *cg, const char *name);

/* --- attributes (module.c) -------------------------------------------------------------------- */

LLVMAttributeRef cg_attr(const Cg *cg, const char *name, uint64_t value);
void cg_fn_attr(const Cg *cg, Val fn, const char *name, uint64_t value);
void cg_fn_text_attr(const Cg *cg, Val fn, const char *name, const char *value);
/* Metadata for instructions that LLVM-C has only as numbers. */
unsigned cg_md_kind(const Cg *cg, const char *name);

/* --- calls (calls.c) -------------------------------------------------------------------------- */

/* A function outside the module: of the runtime, C, or SLEEF. */
typedef struct External {
    Val fn;
    LLVMTypeRef type;
} External;

/* Number of the site for the span at hand. */
uint32_t cg_site(Cg *cg);
/* Notes on the exception in the context that it passes the inlined calls from cg->origin up to
 * `stop` (0: out of the function). */
void cg_trace_origins(Cg *cg, uint32_t stop);
/* Declares `name` once, with this type and these effects on memory (MEM_...). */
External *cg_external(Cg *cg, const char *name, LLVMTypeRef type, uint64_t memory);
/* Calls a helper of the table in calls.c: status or pointer as it returns it. Where the proto says
 * c, context and site are passed first. */
typedef enum Helper {
#define HELPER(name, symbol, proto, memory, cold) HELPER_##name,
#include "codegen/helpers.def"
#undef HELPER
    HELPERS
} Helper;
Val cg_call_helper(Cg *cg, Helper h, unsigned n, Val *args);
/* Calls a helper of context and site that is WS_QUIET: general registers keep their values, so that the
 * code around need not make room for a call that hardly ever comes. */
Val cg_call_quietly(Cg *cg, Helper h);
/* Goes on in a new block if ok (i1); else runs `fail` in a cold block and leaves to the landing. */
void cg_require(Cg *cg, Val ok, void (*fail)(Cg *, void *), void *arg);
/* Stores the parts of a value into slots from p. */
void cg_store_slots(Cg *cg, const Type *ty, Val *parts, Val p, bool all);
void cg_load_slots(Cg *cg, const Type *ty, Val *parts, Val p);
/* Gives a call of a function of the module its calling convention. */
void cg_mark_call(Cg *cg, Val call);
/* Slots that one call of this function needs at most for arguments by address. */
uint32_t cg_scratch_slots(const Fn *fn);
void cg_raise_check(Cg *cg, int kind, Val a, Val b); /* only the call */

/* --- calls of scalar math (math.c) ------------------------------------------------------------ */

Val cg_math(Cg *cg, MathFn f, Type *ty, Val *args, unsigned fast);
Val cg_intrinsic(Cg *cg, const char *name, LLVMTypeRef overload, Val *args, unsigned n);

/* --- others ----------------------------------------------------------------------------------- */

Val *cg_const(Cg *cg, const Const *k); /* consts.c: parts of a constant */
void cg_link_bitcode(Cg *cg); /* bitcode.c: links the runtime's inline functions */
void cg_optimise(Cg *cg); /* pipeline.c */
/* loops.c: metadata for the jumps back of a loop; latch: what it asks for, or NULL; number: one thing more. */
Val cg_loop_node(Cg *cg, const CgBlock *latch, LLVMMetadataRef number);
void cg_fill_loops(Cg *cg, const Cfg *cfg); /* loops.c: decides what latches ask for */
Val cg_lanes_node(Cg *cg, const Loop *loop, LLVMMetadataRef number); /* lanes.c */
void cg_fill_lanes(Cg *cg, const Cfg *cfg); /* lanes.c: marks loops over threads */
void cg_fill_places(Cg *cg, const Cfg *cfg); /* lanes.c: finds loops over threads and blocks */
/* lanes.c: an exception leaves from here: notes in the context which thread of which block it was. */
void cg_note_place(Cg *cg);
void cg_mark_access(Cg *cg,
                    Val access); /* lanes.c: a load or store, if it belongs to such a loop */
void cg_emit(Cg *cg, LLVMCodeGenFileType kind, const char **at, size_t *n);
const char *cg_own_text(Cg *cg, char *text); /* copies and disposes of a message of LLVM's */
_Noreturn void cg_fail_llvm(Cg *cg, const char *text);
/* The instruction at hand does what the target cannot: D_NOT_YET. */
_Noreturn void cg_refuse(Cg *cg, const char *what);
Llvm *cg_take_llvm(Cx *cx, const Target *target, LlvmErrors *errors); /* given back by cx_close */
LLVMTargetMachineRef cg_machine(Cg *cg);
bool cg_llvm_broken(void); /* a fatal error left LLVM's locks in doubt */

void cg_debug_begin(Cg *cg); /* debug.c; all do nothing without options.debug */
void cg_debug_function(Cg *cg);
void cg_debug_span(Cg *cg, Span span); /* of cg->origin */
void cg_debug_end(Cg *cg);

/* report.c; all do nothing unless remarks are wanted. */
void cg_report_begin(Cg *cg);
void cg_report_function(Cg *cg, const Cfg *cfg); /* after loops and lanes */
void cg_report_end(Cg *cg);
void cg_report_switch_on(void); /* for the process, once, while no other thread compiles */
void cg_report_note(CgReport *report, const char *text); /* a remark of LLVM's; the text stays */

void cg_keep_declarations(Cg *cg); /* math.c: of what is in cg->keep */
void cg_module(Cg *cg); /* module.c */
const char *cg_symbol(Cg *cg, const Fn *fn); /* module.c */
void cg_entry_thunk(Cg *cg); /* module.c */
const char *cg_dot(Cg *cg); /* emit.c: the control-flow graphs as text for dot */
uint64_t cg_now_ns(void);

/* The rows' functions, by file. */
/* clang-format off */
#define CG_OPS(OPFN)                                                                             \
    OPFN(add) OPFN(sub) OPFN(mul) OPFN(neg) OPFN(fdiv) OPFN(floordiv) OPFN(floormod) OPFN(bits)  \
    OPFN(shl) OPFN(shr) OPFN(compare) OPFN(select) OPFN(cast) OPFN(bitcast) OPFN(wrap)           \
    OPFN(math) OPFN(make) OPFN(field) OPFN(elem) OPFN(offset) OPFN(load) OPFN(store) OPFN(alloc) \
    OPFN(data) OPFN(stack) OPFN(retain) OPFN(release) OPFN(check_index) OPFN(check)              \
    OPFN(call_fn) OPFN(call_rt) OPFN(region) OPFN(exc_make) OPFN(poll) OPFN(bind) OPFN(const)        \
    OPFN(unset) OPFN(global)
/* clang-format on */
#define OPFN(name) void cg_op_##name(Cg *cg, Ref r, const Ins *i);
CG_OPS(OPFN)
#undef OPFN
