/* Math functions on GPUs by NVIDIA: those of libdevice, the library of bitcode that comes with CUDA's toolkit.
 *
 * Its path is in WHIPSNAKE_LIBDEVICE, or it is looked for where the toolkit puts it. All of it would take longer to
 * optimise than everything else: its functions are given to the module as ones that may be left out, and those that
 * nobody calls are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include "codegen/nvptx.h"

Val gpu_math(Cg *cg, const char *name, LLVMTypeRef ty, Val *args, unsigned n, bool scales) {
    const char *symbol = cx_printf(cg->cx, "__nv_%s%s", name, ty == cg->part[P_F32] ? "f" : "");
    LLVMTypeRef types[] = {ty, scales ? cg->i32 : ty, ty};
    Val all[3];
    for (unsigned k = 0; k < n; k++) all[k] = args[k];
    if (scales) { /* an exponent of int64: what is beyond 2**20 is as good as that */
        Val ends[] = {cg_i64(cg, 1 << 20), cg_i64(cg, -(1 << 20))};
        Val e = cg_intrinsic(cg, "llvm.smin", cg->i64, (Val[]){args[1], ends[0]}, 2);
        e = cg_intrinsic(cg, "llvm.smax", cg->i64, (Val[]){e, ends[1]}, 2);
        all[1] = LLVMBuildTrunc(cg->b, e, cg->i32, "");
    }
    External *f = cg_external(cg, symbol, LLVMFunctionType(ty, types, n, false), 0);
    cg->uses_libdevice = true;
    return LLVMBuildCall2(cg->b, f->type, f->fn, all, n, "");
}

/* --- the library ------------------------------------------------------------------------------ */

static LLVMMemoryBufferRef read_file(const char *path) {
    LLVMMemoryBufferRef buffer = NULL;
    char *text = NULL;
    if (!path || !*path || LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &text) == 0)
        return buffer;
    LLVMDisposeMessage(text);
    return NULL;
}

static LLVMMemoryBufferRef find_library(Cg *cg) {
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    static const char place[] = "nvvm/libdevice/libdevice.10.bc";
    const char *path = getenv("WHIPSNAKE_LIBDEVICE");
    if (path && *path) return read_file(path);
    LLVMMemoryBufferRef found = NULL;
    for (int k = 0; !found && k < 2; k++)
        if (getenv(homes[k]))
            found = read_file(cx_printf(cg->cx, "%s/%s", getenv(homes[k]), place));
    if (!found) found = read_file(cx_printf(cg->cx, "/usr/local/cuda/%s", place));
    return found;
}

/* As those of the module itself: only what is called stays. */
static void let_go(LLVMModuleRef library) {
    for (Val f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

static void keep_inside(Cg *cg) {
    for (Val f = LLVMGetFirstFunction(cg->mod); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        const char *name = LLVMGetValueName2(f, &n);
        if (!LLVMIsDeclaration(f) && n > 5 && memcmp(name, "__nv_", 5) == 0)
            LLVMSetLinkage(f, LLVMInternalLinkage);
    }
}

void gpu_link_math(Cg *cg) {
    if (!cg->uses_libdevice) return;
    LLVMMemoryBufferRef buffer = find_library(cg);
    LLVMModuleRef library = NULL;
    if (!buffer) {
        diag_hint(cg->cx, "install CUDA's toolkit or the wheel nvidia-cuda-nvcc, or set "
                          "WHIPSNAKE_LIBDEVICE to the path of libdevice.10.bc");
        cg_refuse(cg, "math functions for the GPU without libdevice, which was not found");
    }
    if (LLVMGetBitcodeModuleInContext2(cg->ctx, buffer, &library))
        cg_fail_llvm(cg, "libdevice cannot be read");
    LLVMSetTarget(library, cg->target->triple);
    LLVMSetDataLayout(library, LLVMGetDataLayoutStr(cg->mod));
    let_go(library);
    if (LLVMLinkModules2(cg->mod, library)) cg_fail_llvm(cg, "libdevice cannot be linked");
    keep_inside(cg);
}
