/* Hints for loops over the threads of a block, and over short strips (Block.lanes): their iterations depend on nothing that another
 * one does, so LLVM vectorizes them without looking for aliases, and before it unrolls them.
 *
 *   the innermost of such loops   vectorize.enable, unroll.disable (a loop of 16 threads would be unrolled
 *                                 into scalar code before the vectorizer sees it), interleave.count as far as
 *                                 the block is wide enough: what the lanes have in common is then loaded once
 *                                 for several vectors; and its accesses marked
 *   short loops inside it         unroll.full: the vectorizer takes loops without loops in them only
 *
 * Accesses are marked by llvm.mem.parallel_loop_access, which names the loop itself: access groups need a
 * distinct empty node, which the C API cannot make. */
#include <string.h>

#include "codegen/cg.h"

static LLVMMetadataRef text_of(Cg *cg, const char *s) {
    return LLVMMDStringInContext2(cg->ctx, s, strlen(s));
}

/* A loop's metadata starts with itself, which makes it distinct. */
static Val loop_node(Cg *cg, const LLVMMetadataRef *hints, unsigned n) {
    LLVMMetadataRef self = LLVMTemporaryMDNode(cg->ctx, NULL, 0), parts[5] = {self};
    for (unsigned k = 0; k < n; k++) parts[k + 1] = hints[k];
    LLVMMetadataRef loop = LLVMMDNodeInContext2(cg->ctx, parts, n + 1);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    return LLVMMetadataAsValue(cg->ctx, loop);
}

/* The most threads that the loop runs over, by the constant in its test; 0: unknown. */
static uint32_t most_lanes(const Fn *fn, const Loop *loop) {
    const Term *t = &fn->blocks.at[loop->header].term;
    const Ins *test = t->kind == TERM_BRANCH ? ir_at(fn, t->arg) : NULL;
    if (!test || test->op != OP_LT) return 0;
    const Ins *end = ir_at(fn, test->args[1]);
    if (end->op == OP_MATH && end->sub == MATH_MIN) end = ir_at(fn, end->args[1]);
    return end->op == OP_CONST && end->k->i > 0 && end->k->i <= 1024 ? (uint32_t)end->k->i : 0;
}

/* Bytes of the widest element that the loop loads or stores: it decides how many fit a vector. */
static uint32_t widest_access(const Fn *fn, const Loop *loop) {
    uint32_t most = 0;
    for (uint32_t k = 0; k < loop->nblocks; k++) {
        const Refs *ins = &fn->blocks.at[loop->blocks[k]].ins;
        for (uint32_t n = 0; n < ins->n; n++) {
            const Ins *i = ir_at(fn, ins->at[n]);
            if (i->op != OP_LOAD && i->op != OP_STORE) continue;
            const Type *ty = i->op == OP_LOAD ? i->ty : ir_at(fn, i->args[1])->ty;
            if (ty->size > most) most = ty->size;
        }
    }
    return most;
}

/* How many vectors at a time; 1 where the loop may be too short for more, which would leave it scalar. */
static unsigned vectors_at_once(const Cg *cg, const Loop *loop) {
    const VectorMath *widest = cg->target->math_vectors;
    uint32_t lanes = most_lanes(cg->fn, loop), bytes = widest_access(cg->fn, loop);
    if (!widest || !bytes) return 1;
    uint32_t vector = 8 * widest->lanes64 / bytes;
    return vector && 4 * vector <= lanes ? 4 : vector && 2 * vector <= lanes ? 2 : 1;
}

Val cg_lanes_node(Cg *cg, const Loop *loop, LLVMMetadataRef number) {
    LLVMMetadataRef yes[] = {text_of(cg, "llvm.loop.vectorize.enable"),
                             LLVMValueAsMetadata(LLVMConstInt(cg->part[P_I1], 1, false))};
    LLVMMetadataRef count[] = {text_of(cg, "llvm.loop.interleave.count"),
                               LLVMValueAsMetadata(cg_i32(cg, vectors_at_once(cg, loop)))};
    LLVMMetadataRef whole = text_of(cg, "llvm.loop.unroll.disable");
    LLVMMetadataRef hints[] = {LLVMMDNodeInContext2(cg->ctx, yes, 2),
                               LLVMMDNodeInContext2(cg->ctx, count, 2),
                               LLVMMDNodeInContext2(cg->ctx, &whole, 1), number};
    return loop_node(cg, hints, number ? 4 : 3);
}

static Val unrolled_node(Cg *cg) {
    LLVMMetadataRef full = text_of(cg, "llvm.loop.unroll.full");
    LLVMMetadataRef hint = LLVMMDNodeInContext2(cg->ctx, &full, 1);
    return loop_node(cg, &hint, 1);
}

enum { SHORT = 64 };

/* Loops inside the lanes. */
static void mark_short(Cg *cg, const Cfg *cfg, const Loops *loops, const Loop *loop) {
    for (; loop; loop = loop->next) {
        mark_short(cg, cfg, loops, loop->child);
        uint32_t trips = ir_const_trips(cg->fn, cfg, loops, loop);
        if (!loop->child && trips && trips <= SHORT)
            cg->blocks[loop->latch].loop = unrolled_node(cg);
    }
}

static bool has_lanes_inside(const Cg *cg, const Loop *loop) {
    for (const Loop *l = loop->child; l; l = l->next)
        if (cg->fn->blocks.at[l->header].lanes || has_lanes_inside(cg, l)) return true;
    return false;
}

static void mark_loops(Cg *cg, const Cfg *cfg, const Loops *loops, const Loop *loop) {
    for (; loop; loop = loop->next) {
        if (!cg->fn->blocks.at[loop->header].lanes || has_lanes_inside(cg, loop) ||
            loop->latch == NO_BLOCK) {
            mark_loops(cg, cfg, loops, loop->child);
            continue;
        }
        Val node = cg_lanes_node(cg, loop, NULL);
        cg->blocks[loop->latch].loop = node;
        for (uint32_t k = 0; k < loop->nblocks; k++) cg->blocks[loop->blocks[k]].accesses = node;
        mark_short(cg, cfg, loops, loop->child);
    }
}

static bool has_lanes(const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (fn->blocks.at[b].lanes) return true;
    return false;
}

void cg_fill_lanes(Cg *cg, const Cfg *cfg) {
    if (cg->options->debug || !has_lanes(cg->fn)) return;
    const Loops *loops = ir_loops(cg->cx, cg->fn, cfg);
    mark_loops(cg, cfg, loops, loops->roots);
}

void cg_mark_access(Cg *cg, Val access) {
    Val loop = cg->blocks[cg->block].accesses;
    if (loop) LLVMSetMetadata(access, cg_md_kind(cg, "llvm.mem.parallel_loop_access"), loop);
}

/* --- which thread it was ---------------------------------------------------------------------- */

void cg_fill_places(Cg *cg, const Cfg *cfg) {
    cg->places = NULL;
    for (BlockId b = 0; b < cg->fn->blocks.n; b++)
        if (cg->fn->blocks.at[b].axis && !cg->fn->blocks.at[b].dead) cg->places = cfg;
}

/* A loop over threads or blocks whose body is on every way to the block at hand; what raises is in no loop. */
static bool counts_here(const Cg *cg, BlockId header) {
    const Block *b = &cg->fn->blocks.at[header];
    bool counts = b->axis && !b->dead && b->params.n && b->term.kind == TERM_BRANCH &&
                  cg_type(cg, b->params.at[0]) == TY_I(64);
    return counts &&
           (header == cg->block || cfg_dominates(cg->places, b->term.succ[0].to, cg->block));
}

/* Loops over threads may be in one function and those over blocks, whose slow copy it is, in another: each notes the
 * numbers that it counts. WsCtx.at: of the block, then of the thread. */
void cg_note_place(Cg *cg) {
    if (!cg->places || cg->target->is_gpu) return;
    for (BlockId h = 0; h < cg->fn->blocks.n; h++) {
        const Block *header = &cg->fn->blocks.at[h];
        if (!counts_here(cg, h)) continue;
        int64_t slot = header->axis > 3 ? header->axis - 4 : 3 + header->axis - 1;
        Val number = LLVMBuildTrunc(cg->b, cg_val(cg, header->params.at[0]), cg->i32, "");
        int64_t offset = (int64_t)offsetof(WsCtx, at) + slot * (int64_t)sizeof(int32_t);
        LLVMBuildStore(cg->b, number, cg_offset(cg, cg->ws, offset));
    }
}
