/* LLVM's passes, and the hints we give them. */
#include <stdlib.h>
#include <string.h>

#include "codegen/cg.h"

/* What our own inliner leaves and should go in all the same is marked: LLVM's takes a twentieth of
 * the compile to find out. Then what default<O3> does for loops and arithmetic, without what our
 * code never needs: 0.6 of its time for code that runs within 5 %. Our own passes have hoisted
 * checks and expanded nests before. No run-time unrolling; loops are interleaved only where
 * cg_fill_reductions says so. Unswitching stays: stencils with conditions need it. */
static const char quick_passes[] =
    "always-inline,function(early-cse<memssa>,simplifycfg,loop-simplify,lcssa,"
    "loop-mssa(loop-rotate,licm,simple-loop-unswitch<nontrivial>),instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-unroll-full),gvn<>,simplifycfg,loop-vectorize<interleave-forced-only>,"
    "instcombine<no-verify-fixpoint>,slp-vectorizer,loop-mssa(licm),simplifycfg)";

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

/* --- interleaving ----------------------------------------------------------------------------- */

/* Several accumulators hide the latency of a reduction's operation; in any other loop they only
 * cost. */
enum { INTERLEAVE = 4 };

static bool loop_has(const Loop *l, BlockId b) {
    for (uint32_t k = 0; k < l->nblocks; k++)
        if (l->blocks[k] == b) return true;
    return false;
}

static bool combines(const Ins *i) {
    switch (i->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: return ty_is_integral(i->ty) || (i->fast & FAST_REASSOC);
    case OP_AND:
    case OP_OR:
    case OP_XOR: return true;
    case OP_MATH:
        return i->sub == MATH_MIN || i->sub == MATH_MAX || i->sub == MATH_FMIN ||
               i->sub == MATH_FMAX;
    default: return false;
    }
}

/* Is `next` the parameter combined with something that changes in the loop? (Else it only counts.)
 */
static bool is_reduction(const Fn *fn, const Loop *l, Ref param, Ref next) {
    const Ins *i = ir_at(fn, next);
    if (!combines(i) || i->nargs != 2) return false;
    Ref other = i->args[0] == param ? i->args[1] : i->args[1] == param ? i->args[0] : 0;
    if (!other || ir_is_const(fn, other) || !loop_has(l, ir_at(fn, other)->block)) return false;
    const Ins *o = ir_at(fn, other); /* counting is quick enough, and opt/strip's loops are short */
    return o->op != OP_SELECT || !ir_is_const(fn, o->args[1]) || !ir_is_const(fn, o->args[2]);
}

static const Edge *edge_to(const Block *b, BlockId to) {
    for (int k = 0; k < 2; k++)
        if (b->term.succ[k].to == to) return &b->term.succ[k];
    return NULL;
}

static void mark_loop(Cg *cg, const Loop *l) {
    for (const Loop *c = l->child; c; c = c->next) mark_loop(cg, c);
    if (l->child || l->latch == NO_BLOCK) return;
    const Block *header = &cg->fn->blocks.at[l->header];
    const Edge *back = edge_to(&cg->fn->blocks.at[l->latch], l->header);
    for (uint32_t k = 0; back && k < back->n; k++)
        if (is_reduction(cg->fn, l, header->params.at[k], back->args[k]))
            cg->blocks[l->latch].reduces = true;
}

void cg_fill_reductions(Cg *cg, const Cfg *cfg) {
    if (cg->options->debug) return;
    const Loops *loops = ir_loops(cg->cx, cg->fn, cfg);
    for (const Loop *l = loops->roots; l; l = l->next) mark_loop(cg, l);
}

/* A loop's metadata starts with itself, which makes it distinct. */
Val cg_loop_node(Cg *cg, bool interleave, LLVMMetadataRef number) {
    static const char name[] = "llvm.loop.interleave.count";
    LLVMMetadataRef self = LLVMTemporaryMDNode(cg->ctx, NULL, 0), parts[3] = {self};
    unsigned n = 1;
    if (number) parts[n++] = number;
    if (interleave) {
        LLVMMetadataRef hint[] = {LLVMMDStringInContext2(cg->ctx, name, sizeof name - 1),
                                  LLVMValueAsMetadata(cg_i32(cg, INTERLEAVE))};
        parts[n++] = LLVMMDNodeInContext2(cg->ctx, hint, 2);
    }
    LLVMMetadataRef loop = LLVMMDNodeInContext2(cg->ctx, parts, n);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    return LLVMMetadataAsValue(cg->ctx, loop);
}
