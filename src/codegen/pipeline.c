/* LLVM's passes, and the hints we give them. */
#include <stdlib.h>
#include <string.h>

#include "codegen/cg.h"

/* What our own inliner leaves and should go in all the same is marked: LLVM's takes a twentieth of
 * the compile to find out. Then what default<O3> does for loops and arithmetic, without what our
 * code never needs: 0.6 of its time for code that runs within 5 %. Our own passes have hoisted
 * checks and expanded nests before. Loops are interleaved
 * or unrolled only where loops.c says so. Unswitching stays: stencils with conditions need it. */
static const char quick_passes[] =
    "always-inline,function(early-cse<memssa>,simplifycfg,loop-simplify,lcssa,"
    "loop-mssa(loop-rotate,licm,simple-loop-unswitch<nontrivial>),instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-unroll-full),gvn<>,simplifycfg,loop-vectorize<interleave-forced-only>,"
    "instcombine<no-verify-fixpoint>,slp-vectorizer,"
    "loop-unroll<O2;no-runtime;no-partial;no-peeling>,loop-mssa(licm),simplifycfg)";

/* WHIPSNAKE_OPT, for measuring: "3" is default<O3>, anything else a pass list in LLVM's syntax. */
static const char *choose_passes(const Target *target) {
    if (target->is_gpu)
        return "default<O3>"; /* unrolling matters more there, and the driver's compile dwarfs it */
    const char *opt = getenv("WHIPSNAKE_OPT");
    if (!opt || !*opt) return quick_passes;
    return strcmp(opt, "3") == 0 ? "default<O3>" : opt;
}

static void dispose_options(void *p) {
    if (!cg_llvm_broken()) LLVMDisposePassBuilderOptions(p);
}

void cg_optimise(Cg *cg) {
    if (cg->options->debug) return;
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    cx_defer(cg->cx, dispose_options, o);
    LLVMPassBuilderOptionsSetSLPVectorization(o, true); /* off in a fresh set; the others are on */
    LLVMErrorRef e = LLVMRunPasses(cg->mod, choose_passes(cg->target), cg_machine(cg), o);
    if (!e) return;
    char *text = LLVMGetErrorMessage(e);
    const char *kept = cx_name(cg->cx, text);
    LLVMDisposeErrorMessage(text);
    cg_fail_llvm(cg, kept);
}
