/* The CPU as a target: x86-64 or AArch64, this machine's or the one asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Support.h>

#include "codegen/cg.h"
#include "core/os.h"

/* --- kernels on the CPU ----------------------------------------------------------------------- */

_Static_assert(3 * SREG_NCTAID == WS_SREG_NCTAID && 3 * SREG_FIRST == WS_SREG_FIRST &&
                   3 * SREG_END == WS_SREG_END && 3 * SREG_DYN == WS_SREG_DYN &&
                   (int)SREGS == (int)WS_SREGS,
               "the run time fills what compiled code reads");

/* ctx->sregs[3 * kind + axis]; thread and block numbers are loop variables by now, unless this is the code of one
 * thread: it finds its own whenever it runs. */
static void cpu_sreg(Cg *cg, Ref r, const Ins *i) {
    Val at = cg_offset(cg, cg->ws, offsetof(WsCtx, sregs));
    Val sregs = LLVMBuildLoad2(cg->b, cg->ptr, at, "");
    Val v = LLVMBuildLoad2(cg->b, cg->i32, cg_offset(cg, sregs, 4 * (3 * (int64_t)i->sub + i->imm)),
                           "");
    Val fixed = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    LLVMSetMetadata(v, cg_md_kind(cg, "invariant.load"), fixed);
    cg_set(cg, r, LLVMBuildZExt(cg->b, v, cg->i64, ""));
}

static void cpu_barrier(Cg *cg, Ref r, const Ins *i) {
    (void)r;
    INTERNAL(cg->cx, i->span, "a barrier was not split away");
}

static void cpu_fence(Cg *cg, Ref r, const Ins *i) {
    (void)r, (void)i;
    LLVMBuildFence(cg->b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

/* Stack memory of the block's function: what LLVM knows best. What the launch adds, and the memory of threads that run
 * one by one, comes from the launch. */
static void cpu_shared(Cg *cg, Ref r, const Ins *i) {
    if (i->imm && !cg->m->fns.at[0]->runs_threads) {
        cg_op_stack(cg, r, i);
        return;
    }
    Val at = cg_offset(cg, cg->ws, offsetof(WsCtx, shared));
    cg_set(cg, r, cg_offset(cg, LLVMBuildLoad2(cg->b, cg->ptr, at, ""), i->imm2));
}

static LLVMAtomicRMWBinOp atomic_op(const Ins *i, const Type *ty) {
    bool real = ty->kind == TY_FLOAT, sign = ty->is_signed;
    switch ((AtomicOp)i->sub) {
    case ATOMIC_ADD: return real ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
    case ATOMIC_SUB: return real ? LLVMAtomicRMWBinOpFSub : LLVMAtomicRMWBinOpSub;
    case ATOMIC_MIN:
        return real   ? LLVMAtomicRMWBinOpFMin
               : sign ? LLVMAtomicRMWBinOpMin
                      : LLVMAtomicRMWBinOpUMin;
    case ATOMIC_MAX:
        return real   ? LLVMAtomicRMWBinOpFMax
               : sign ? LLVMAtomicRMWBinOpMax
                      : LLVMAtomicRMWBinOpUMax;
    case ATOMIC_AND: return LLVMAtomicRMWBinOpAnd;
    case ATOMIC_OR: return LLVMAtomicRMWBinOpOr;
    case ATOMIC_XOR: return LLVMAtomicRMWBinOpXor;
    case ATOMIC_XCHG:
    case ATOMIC_CAS:
    case ATOMIC_LOAD: break;
    }
    return LLVMAtomicRMWBinOpXchg;
}

/* The new value, where nobody else looks meanwhile; NULL: there is no instruction for it. */
static Val plain_update(Cg *cg, const Ins *i, Val old) {
    const Type *ty = cg_type(cg, i->args[1]);
    Val v = cg_arg(cg, i, 1);
    bool real = ty->kind == TY_FLOAT;
    switch ((AtomicOp)i->sub) {
    case ATOMIC_ADD:
        return real ? LLVMBuildFAdd(cg->b, old, v, "") : LLVMBuildAdd(cg->b, old, v, "");
    case ATOMIC_SUB:
        return real ? LLVMBuildFSub(cg->b, old, v, "") : LLVMBuildSub(cg->b, old, v, "");
    case ATOMIC_AND: return LLVMBuildAnd(cg->b, old, v, "");
    case ATOMIC_OR: return LLVMBuildOr(cg->b, old, v, "");
    case ATOMIC_XOR: return LLVMBuildXor(cg->b, old, v, "");
    case ATOMIC_XCHG: return v;
    case ATOMIC_CAS:
        return LLVMBuildSelect(cg->b, LLVMBuildICmp(cg->b, LLVMIntEQ, old, v, ""), cg_arg(cg, i, 2),
                               old, "");
    case ATOMIC_MIN:
    case ATOMIC_MAX:
    case ATOMIC_LOAD: break;
    }
    return NULL;
}

/* Not marked as an access of the lanes: two of them may go to one place. */
static bool update_plainly(Cg *cg, Ref r, const Ins *i) {
    Val p = cg_arg(cg, i, 0), old = LLVMBuildLoad2(cg->b, LLVMTypeOf(cg_arg(cg, i, 1)), p, "");
    Val now = plain_update(cg, i, old);
    if (now) LLVMBuildStore(cg->b, now, p);
    cg_set(cg, r, old);
    return now != NULL;
}

/* Address, then for CAS the expected and the new value, nothing for LOAD, else one operand. */
static void cpu_atomic(Cg *cg, Ref r, const Ins *i) {
    Val p = cg_arg(cg, i, 0), old;
    if (i->imm && i->sub != ATOMIC_LOAD && update_plainly(cg, r, i)) return;
    if (i->sub == ATOMIC_LOAD) {
        old = LLVMBuildLoad2(cg->b, cg_part_type(cg, i->ty, 0), p, "");
        LLVMSetAlignment(old, i->ty->size);
        LLVMSetOrdering(old, LLVMAtomicOrderingMonotonic);
    } else if (i->sub == ATOMIC_CAS) {
        Val both =
            LLVMBuildAtomicCmpXchg(cg->b, p, cg_arg(cg, i, 1), cg_arg(cg, i, 2),
                                   LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic, false);
        old = LLVMBuildExtractValue(cg->b, both, 0, "");
    } else {
        old = LLVMBuildAtomicRMW(cg->b, atomic_op(i, cg_type(cg, i->args[1])), p, cg_arg(cg, i, 1),
                                 LLVMAtomicOrderingMonotonic, false);
    }
    cg_set(cg, r, old);
}

/* --- this machine ----------------------------------------------------------------------------- */

static Target cpu = {
    .name = "cpu",
    .pins_context = true,
    .sreg = cpu_sreg,
    .barrier = cpu_barrier,
    .warp = cpu_barrier,
    .fence = cpu_fence,
    .shared = cpu_shared,
    .atomic = cpu_atomic,
    .entry = cg_entry_thunk,
};

static char target_text[200];

#if defined(__aarch64__)

static const VectorMath vectors_neon[] = {{2, "advsimd"}, {0, NULL}};

static void open_llvm_target(void) {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    cpu.triple = "aarch64-unknown-linux-gnu";
    cpu.stack_register = "sp";
}

static void choose_math(void) {
    cpu.math_prefix = "Sleef_finz_";
    cpu.math_scalar = "purecfma";
    cpu.math_vectors = vectors_neon;
}

#else

static const VectorMath vectors_512[] = {{8, "avx512f"}, {4, "avx2"}, {2, "avx2128"}, {0, NULL}};
static const VectorMath vectors_fma[] = {{4, "avx2"}, {2, "avx2128"}, {0, NULL}};
static const VectorMath vectors_avx[] = {{4, "avx"}, {2, "sse4"}, {0, NULL}};
static const VectorMath vectors_sse[] = {{2, "sse2"}, {0, NULL}};

static void open_llvm_target(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    cpu.triple = "x86_64-unknown-linux-gnu";
    cpu.truncate[0] = "llvm.x86.sse.cvttss2si64", cpu.truncate[1] = "llvm.x86.sse2.cvttsd2si64";
    cpu.stack_register = "rsp";
}

static bool has_feature(const char *name) {
    size_t n = strlen(name);
    for (const char *p = cpu.features; p && (p = strstr(p, name)); p += n)
        if ((p[n] == ',' || p[n] == 0) && (p == cpu.features || p[-1] == ',')) return true;
    return false;
}

/* The named levels imply features that do not show in the feature text. */
static int cpu_level(void) {
    static const char prefix[] = "x86-64-v";
    return strncmp(cpu.cpu, prefix, sizeof prefix - 1) == 0 ? cpu.cpu[sizeof prefix - 1] - '0' : 0;
}

/* With fused multiply-add and without, SLEEF's results differ in the last bit: scalar and vector
 * versions are taken from the same family. */
static void choose_math(void) {
    int level = cpu_level();
    bool fma = (level >= 3 || (has_feature("+fma") && has_feature("+avx2"))) &&
               !has_feature("-fma") && !has_feature("-avx2");
    cpu.math_prefix = fma ? "Sleef_finz_" : "Sleef_cinz_";
    cpu.math_scalar = fma ? "purecfma" : "purec";
    if (fma)
        cpu.math_vectors = (level >= 4 && !has_feature("-avx512f")) || has_feature("+avx512f")
                               ? vectors_512
                               : vectors_fma;
    else
        cpu.math_vectors = level >= 3 || has_feature("+avx") ? vectors_avx : vectors_sse;
}

#endif

/* Scalars of one block become vectors only where that saves three instructions and more: LLVM takes the
 * shuffles around two lanes for cheaper than they are. It looks five operations deep for them; twelve,
 * as is usual, took half of a compile where expressions are long, and found the same. Loops that checks can leave are
 * unrolled as well where loops.c asks for it. */
static void set_options(void) {
    static const char *const options[] = {"whipsnake", "-slp-threshold=2",
                                          "-slp-recursion-max-depth=5",
                                          "-unroll-runtime-multi-exit"};
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
}

static void open_target(void) {
    open_llvm_target();
    set_options();
    const char *asked = getenv("WHIPSNAKE_CPU_NAME");
    if (asked && *asked && strcmp(asked, "native") != 0) {
        static char text[512]; /* "name,+feature,-feature" */
        snprintf(text, sizeof text, "%s", asked);
        char *comma = strchr(text, ',');
        if (comma) *comma = 0;
        cpu.cpu = text;
        cpu.features = comma ? comma + 1 : "";
    } else {
        cpu.cpu = LLVMGetHostCPUName();
        cpu.features = LLVMGetHostCPUFeatures();
    }
    choose_math();
    snprintf(target_text, sizeof target_text, "%s %.100s", cpu.triple, cpu.cpu);
}

const Target *target_cpu(void) {
    static OsOnce once = OS_ONCE_INIT;
    os_once(&once, open_target);
    return &cpu;
}

const char *codegen_target_text(void) {
    target_cpu();
    return target_text;
}
