/* The runtime functions that should inline: their bitcode is embedded in this library. */
#include <string.h>

#include "codegen/cg.h"

/* Made by the build from src/runtime/inline; size 0 if there are none. */
extern const unsigned char ws_inline_bitcode[];
extern const size_t ws_inline_bitcode_size;

/* They take on the machine of the unit that they end up in, and vanish once inlined. */
static void adapt_function(Cg *cg, Val f) {
    static const char *const own[] = {"target-cpu", "target-features", "tune-cpu"};
    (void)cg;
    if (LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage) return;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, own[k],
                                         (unsigned)strlen(own[k]));
}

/* Read lazily and linked as link-once: only what is called is taken over. */
void cg_link_bitcode(Cg *cg) {
    if (!ws_inline_bitcode_size) return;
    LLVMMemoryBufferRef at = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)ws_inline_bitcode, ws_inline_bitcode_size, "inline", false);
    LLVMModuleRef lib = NULL;
    if (LLVMGetBitcodeModuleInContext2(cg->ctx, at, &lib))
        cg_fail_llvm(cg, "the runtime's bitcode cannot be read");
    LLVMSetTarget(lib, cg->target->triple);
    LLVMSetDataLayout(lib, LLVMGetDataLayoutStr(cg->mod));
    for (Val f = LLVMGetFirstFunction(lib); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    if (LLVMLinkModules2(cg->mod, lib)) cg_fail_llvm(cg, "the runtime's bitcode cannot be linked");
    for (Val f = LLVMGetFirstFunction(cg->mod); f; f = LLVMGetNextFunction(f)) {
        adapt_function(cg, f);
        if (LLVMGetLinkage(f) != LLVMLinkOnceODRLinkage) continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        cg_fn_attr(cg, f, "alwaysinline", 0);
    }
}
