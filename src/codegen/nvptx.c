/* GPUs by NVIDIA as a target: PTX from the same LOW IR, as it is before kernels are split for the CPU.
 *
 * A kernel becomes a ptx_kernel function of scalars around the internal function that every target makes; what
 * can raise returns early from a thread, silently (a check that fails, an exception). LLVM 19 knows targets up to
 * sm_90, which newer GPUs run too. It aborts the process on some of what it does not know (fences, sin and cos,
 * orderings): nothing here makes these. */
#include <stdio.h>
#include <string.h>

#include "codegen/cg.h"
#include "codegen/nvptx.h"
#include "core/os.h"

enum { SPACE_SHARED = 3, ARRAY_OWNER = 1 };

/* --- special registers ------------------------------------------------------------------------ */

/* What a register can hold: [0, end). */
static void add_range(Cg *cg, Val call, int64_t first, int64_t end) {
    LLVMMetadataRef ends[] = {LLVMValueAsMetadata(cg_i32(cg, first)),
                              LLVMValueAsMetadata(cg_i32(cg, end))};
    Val range = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, ends, 2));
    LLVMSetMetadata(call, cg_md_kind(cg, "range"), range);
}

Val gpu_call(Cg *cg, const char *name, unsigned n, Val *args) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) INTERNAL(cg->cx, cg->span, cx_printf(cg->cx, "LLVM does not know %s", name));
    Val fn = LLVMGetIntrinsicDeclaration(cg->mod, id, NULL, 0);
    return LLVMBuildCall2(cg->b, LLVMIntrinsicGetType(cg->ctx, id, NULL, 0), fn, args, n, "");
}

/* Bytes of shared memory that the launch adds: LLVM has no name for this register. */
static Val dynamic_bytes(Cg *cg) {
    static const char code[] = "mov.u32 $0, %dynamic_smem_size;", out[] = "=r";
    LLVMTypeRef ty = LLVMFunctionType(cg->i32, NULL, 0, false);
    Val read = LLVMGetInlineAsm(ty, code, sizeof code - 1, out, sizeof out - 1, false, false,
                                LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(cg->b, ty, read, NULL, 0, "");
}

static void gpu_sreg(Cg *cg, Ref r, const Ins *i) {
    static const struct {
        const char *name;
        int64_t first, end[3]; /* per axis */
    } rows[] = {
        [SREG_TID] = {"tid", 0, {1024, 1024, 64}},
        [SREG_CTAID] = {"ctaid", 0, {INT32_MAX, 65535, 65535}},
        [SREG_NTID] = {"ntid", 1, {1025, 1025, 65}},
        [SREG_NCTAID] = {"nctaid", 1, {INT32_MAX, 65536, 65536}},
    };
    if (i->sub == SREG_DYN) {
        cg_set(cg, r, LLVMBuildZExt(cg->b, dynamic_bytes(cg), cg->i64, ""));
        return;
    }
    if (i->sub > SREG_NCTAID) INTERNAL(cg->cx, i->span, "a register that only the CPU has");
    Val v = gpu_call(
        cg, cx_printf(cg->cx, "llvm.nvvm.read.ptx.sreg.%s.%c", rows[i->sub].name, "xyz"[i->imm]), 0,
        NULL);
    add_range(cg, v, rows[i->sub].first, rows[i->sub].end[i->imm]);
    cg_set(cg, r, LLVMBuildZExt(cg->b, v, cg->i64, ""));
}

/* --- shared memory ---------------------------------------------------------------------------- */

/* A global of the module in the shared space; everything else sees a generic pointer, which LLVM traces back. What the
 * launch adds has no size here. */
static void gpu_shared(Cg *cg, Ref r, const Ins *i) {
    LLVMTypeRef ty = LLVMArrayType2(cg->part[P_I8], (uint64_t)i->imm);
    const char *name = i->imm ? cx_printf(cg->cx, "ws_shared_%u_%u",
                                          (unsigned)map_get(&cg->fn_index, map_key(cg->fn), 0), r)
                              : "ws_shared_dynamic";
    Val g = i->imm ? NULL : LLVMGetNamedGlobal(cg->mod, name);
    if (!g) {
        g = LLVMAddGlobalInAddressSpace(cg->mod, ty, name, SPACE_SHARED);
        LLVMSetLinkage(g, i->imm ? LLVMInternalLinkage : LLVMExternalLinkage);
        if (i->imm) LLVMSetInitializer(g, LLVMGetUndef(ty));
        LLVMSetAlignment(g, 16);
    }
    cg_set(cg, r, LLVMConstAddrSpaceCast(g, cg->ptr));
}

/* --- captured arrays --------------------------------------------------------------------------- */

enum { SPACE_GLOBAL = 1, SPACE_CONST = 4, MOST_CONST = 32 << 10 };

/* The elements, in constant memory if they are few. */
static Val captured_elements(Cg *cg, int64_t number) {
    const CapturedArray *a = &cg->options->captured[number];
    const char *name = cx_printf(cg->cx, "ws_const_%lld", (long long)number);
    Val g = LLVMGetNamedGlobal(cg->mod, name);
    if (g) return g;
    Val bytes = LLVMConstStringInContext2(cg->ctx, a->bytes, a->size, true);
    unsigned space = a->size <= MOST_CONST ? SPACE_CONST : SPACE_GLOBAL;
    g = LLVMAddGlobalInAddressSpace(cg->mod, LLVMTypeOf(bytes), name, space);
    LLVMSetInitializer(g, bytes);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetAlignment(g, 16);
    return g;
}

static void gpu_global(Cg *cg, Ref r, const Ins *i) {
    const Type *ty = i->ty;
    if (ty->kind != TY_ARRAY || !cg->options->captured)
        cg_refuse(cg, cx_printf(cg->cx, "a captured %s in a kernel for the GPU", ty->name));
    const CapturedArray *a = &cg->options->captured[i->imm];
    Val *out = cg_new_parts(cg, r);
    int64_t step = ty->elem->size;
    out[0] = LLVMConstAddrSpaceCast(captured_elements(cg, i->imm), cg->ptr);
    out[ARRAY_OWNER] = LLVMConstNull(cg->ptr);
    for (uint32_t k = 0; k < ty->ndim; k++) out[2 + k] = cg_i64(cg, a->shape[k]);
    for (uint32_t k = ty->ndim; ty->layout == 'A' && k-- > 0; step *= a->shape[k])
        out[2 + ty->ndim + k] = cg_i64(cg, step);
}

/* --- the kernel ------------------------------------------------------------------------------- */

/* A name that ptxas takes: other characters than letters, digits and _ become their code. */
static const char *mangle(Cx *cx, const char *name) {
    Buf out = {0};
    for (const char *p = name; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
                     (*p >= '0' && *p <= '9' && p != name);
        if (plain)
            buf_add(cx, &out, p, 1);
        else
            buf_printf(cx, &out, "_%02x_", (unsigned char)*p);
    }
    return out.at;
}

/* Parts of an argument that the GPU does not get. */
static bool is_left_out(const Type *ty, uint32_t part) {
    return ty->kind == TY_ARRAY && part == ARRAY_OWNER;
}

static void refuse_argument(Cg *cg, const FnArg *arg) {
    if (!arg->ty->owning || arg->ty->kind == TY_ARRAY) return;
    diag_fail(cg->cx, cg->fn->span, D_NOT_YET,
              cx_printf(cg->cx, "a %s as argument of a kernel", arg->ty->name));
}

/* void name(data, shape ..., strides ..., scalar ...): bools as bytes. */
static Val declare_kernel(Cg *cg, const Fn *fn) {
    LLVMTypeRef *t = NEWN(cg->cx, LLVMTypeRef, LLVMCountParams(cg->fns[0].fn) + 1);
    unsigned n = 0;
    for (uint32_t a = 0; a < fn->nargs; a++) {
        const Type *ty = fn->args[a].ty;
        refuse_argument(cg, &fn->args[a]);
        for (uint32_t k = 0; k < ty->nparts; k++)
            if (!is_left_out(ty, k))
                t[n++] = ty->parts[k] == P_I1 ? cg->part[P_I8] : cg_part_type(cg, ty, k);
    }
    Val f = LLVMAddFunction(cg->mod, mangle(cg->cx, fn->name),
                            LLVMFunctionType(cg->void_, t, n, false));
    LLVMSetFunctionCallConv(f, LLVMPTXKernelCallConv);
    cg_fn_attr(cg, f, "nounwind", 0);
    cg_fn_attr(cg, f, "convergent", 0);
    return f;
}

/* The parts of argument a from the kernel's parameters, of which `next` is the first. */
static unsigned take_argument(Cg *cg, Val kernel, unsigned next, const Type *ty, Val *out) {
    for (uint32_t k = 0; k < ty->nparts; k++) {
        if (is_left_out(ty, k)) {
            out[k] = LLVMConstNull(cg->ptr);
            continue;
        }
        Val p = LLVMGetParam(kernel, next++);
        out[k] = ty->parts[k] == P_I1 ? LLVMBuildTrunc(cg->b, p, cg->part[P_I1], "") : p;
    }
    return next;
}

static void gpu_entry(Cg *cg) {
    const Fn *fn = cg->fn = cg->m->fns.at[0];
    const CgFn *body = &cg->fns[0];
    Val kernel = declare_kernel(cg, fn), *args = NEWN(cg->cx, Val, LLVMCountParams(body->fn) + 1);
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, kernel, "entry"));
    unsigned n = 0, next = 0;
    args[n++] = LLVMConstNull(cg->ptr); /* no context */
    for (uint32_t a = 0; a < fn->nargs; n += fn->args[a++].ty->nparts)
        next = take_argument(cg, kernel, next, fn->args[a].ty, args + n);
    LLVMBuildCall2(cg->b, body->type, body->fn, args, n, "");
    LLVMBuildRetVoid(cg->b);
    cg_fn_attr(cg, body->fn, "alwaysinline", 0);
    gpu_link_math(cg);
}

/* --- the target ------------------------------------------------------------------------------- */

#if WS_TARGET_NVPTX
static void open_llvm_target(void) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

static void need_llvm_target(Cx *cx) {
    static OsOnce once = OS_ONCE_INIT;
    (void)cx;
    os_once(&once, open_llvm_target);
}
#else
static void need_llvm_target(Cx *cx) {
    diag_fail(cx, (Span){0}, D_UNSUPPORTED, "PTX, which this build of whipsnake leaves out,");
}
#endif

const Target *target_nvptx(Cx *cx, const char *sm) {
    need_llvm_target(cx);
    Target *t = NEW(cx, Target);
    *t = (Target){.name = "nvptx",
                  .triple = "nvptx64-nvidia-cuda",
                  .cpu = sm,
                  .features = "",
                  .is_gpu = true,
                  .sreg = gpu_sreg,
                  .barrier = gpu_barrier,
                  .warp = gpu_warp,
                  .fence = gpu_fence,
                  .shared = gpu_shared,
                  .atomic = target_cpu()->atomic,
                  .global = gpu_global,
                  .math = gpu_math,
                  .entry = gpu_entry};
    return t;
}
