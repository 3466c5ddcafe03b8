/* What LLVM made of the loops, as remarks.
 *
 * Each loop of the LOW IR gets a number, which travels through LLVM as the line of a location in the loop's
 * metadata: remarks of the vectorizer and the unroller come with it, and so do loops that are still there at the
 * end. LLVM-C has no switch for remarks but the process's command line, so they are on from the first report on, for
 * all compiles; nobody listens to those of the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/remark.h"
#include "codegen/cg.h"
#include "ir/remark.h"

typedef struct LoopFacts {
    Place place;
    bool has_inner;
    const char *why; /* of its own: what may leave it in its middle; NULL: nothing does */
    const char *advice;
    /* from LLVM */
    unsigned width, interleave, unrolled; /* 0: not */
    const char *refused; /* text of the remark */
    bool is_there; /* in the final code */
} LoopFacts;

struct CgReport {
    VEC(LoopFacts) loops;
    LLVMDIBuilderRef di;
    LLVMMetadataRef scope;
    const char
        *unplaced; /* the remark before, if it is about an instruction: those have no place here */
};

/* --- why a loop cannot be counted ------------------------------------------------------------- */

static bool is_in(const Loop *l, BlockId b) {
    for (uint32_t k = 0; k < l->nblocks; k++)
        if (l->blocks[k] == b) return true;
    return false;
}

static const char *line_of(Cg *cg, Span span) {
    return span.line ? cx_printf(cg->cx, " in line %u", span.line) : "";
}

static void set_why(Cg *cg, LoopFacts *f, const char *what, Span span, const char *advice) {
    if (f->why) return;
    f->why = cx_printf(cg->cx, "%s%s may leave it at any iteration", what, line_of(cg, span));
    f->advice = advice;
}

static void look_at_ins(Cg *cg, LoopFacts *f, Ref r) {
    const Ins *i = ir_at(cg->fn, r);
    Span span = ir_place(cg->cx, cg->fn, i->span, i->origin).span;
    if (i->op == OP_POLL) return; /* Ctrl-C leaves any loop: no reason that anybody could remove */
    if (i->op == OP_CHECK || i->op == OP_CHECK_INDEX) {
        set_why(cg, f, i->op == OP_CHECK ? "a check" : "the check of a subscript", span,
                "see the checks that are made in every iteration");
    } else if (i->op == OP_CALL_FN) {
        uint32_t k = (uint32_t)map_get(&cg->fn_index, map_key(i->callee), 0);
        if (cg->fns[k].may_raise)
            set_why(cg, f, cx_printf(cg->cx, "%s(), which can raise,", i->callee->qualname), span,
                    "");
    } else if (ir_effects(cg->fn, r) & RAISES) {
        set_why(cg, f, i->op == OP_ALLOC ? "running out of memory" : "an exception", span,
                i->op == OP_ALLOC ? "make the array before the loop" : "");
    }
}

static void look_at_loop(Cg *cg, LoopFacts *f, const Loop *l) {
    for (uint32_t k = 0; k < l->nblocks; k++) {
        const Block *b = &cg->fn->blocks.at[l->blocks[k]];
        for (uint32_t n = 0; n < b->ins.n; n++) look_at_ins(cg, f, b->ins.at[n]);
        for (uint32_t s = 0; k > 0 && s < 2; s++) {
            BlockId to = b->term.succ[s].to;
            bool goes = s == 0 ? b->term.kind == TERM_JUMP || b->term.kind == TERM_BRANCH
                               : b->term.kind == TERM_BRANCH;
            if (goes && !is_in(l, to))
                set_why(cg, f, "a condition", b->term.span,
                        "look for the end in one loop and compute in another");
        }
    }
}

/* --- numbers for loops ------------------------------------------------------------------------ */

static void dispose_di(void *p) {
    if (!cg_llvm_broken()) LLVMDisposeDIBuilder(p);
}

static LLVMMetadataRef make_scope(Cg *cg) {
    CgReport *rep = cg->report;
    static const char file[] = "loop";
    rep->di = LLVMCreateDIBuilder(cg->mod);
    cx_defer(cg->cx, dispose_di, rep->di);
    LLVMMetadataRef f = LLVMDIBuilderCreateFile(rep->di, file, sizeof file - 1, "", 0);
    LLVMDIBuilderCreateCompileUnit(rep->di, LLVMDWARFSourceLanguagePython, f, "", 0, true, "", 0, 0,
                                   "", 0, LLVMDWARFEmissionNone, 0, false, false, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(rep->di, f, NULL, 0, LLVMDIFlagZero);
    return LLVMDIBuilderCreateFunction(rep->di, f, file, sizeof file - 1, "", 0, f, 0, type, true,
                                       true, 0, LLVMDIFlagZero, true);
}

static bool is_latch(const Cg *cg, const Loop *l, BlockId b) {
    const Term *t = &cg->fn->blocks.at[b].term;
    return (t->kind == TERM_JUMP || t->kind == TERM_BRANCH) &&
           (t->succ[0].to == l->header || (t->kind == TERM_BRANCH && t->succ[1].to == l->header));
}

static void number_loop(Cg *cg, const Loop *l) {
    CgReport *rep = cg->report;
    LoopFacts f = {.place = ir_place_of_loop(cg->cx, cg->fn, l), .has_inner = l->child};
    if (!f.has_inner) look_at_loop(cg, &f, l);
    vec_push(cg->cx, &rep->loops, f);
    LLVMMetadataRef number =
        LLVMDIBuilderCreateDebugLocation(cg->ctx, rep->loops.n, 0, rep->scope, NULL);
    const CgBlock *latch = l->latch == NO_BLOCK ? NULL : &cg->blocks[l->latch];
    Val node = cg->fn->blocks.at[l->header].lanes ? cg_lanes_node(cg, l, number)
                                                  : cg_loop_node(cg, latch, number);
    for (uint32_t k = 0; k < l->nblocks; k++)
        if (is_latch(cg, l, l->blocks[k])) cg->blocks[l->blocks[k]].loop = node;
}

static void number_loops(Cg *cg, const Loop *l) {
    for (; l; l = l->next) {
        number_loop(cg, l);
        number_loops(cg, l->child);
    }
}

void cg_report_function(Cg *cg, const Cfg *cfg) {
    if (!cg->report || cg->fn->is_slow || cg->fn->is_kernel) return;
    number_loops(cg, ir_loops(cg->cx, cg->fn, cfg)->roots);
}

void cg_report_begin(Cg *cg) {
    if (!remark_wanted(cg->cx) || cg->options->debug) return;
    cg->report = NEW(cg->cx, CgReport);
    cg->report->scope = make_scope(cg);
    cg->errors->report = cg->report;
}

/* --- listening to LLVM ------------------------------------------------------------------------ */

void cg_report_switch_on(void) {
    static const char *const words[] = {"whipsnake", "-pass-remarks=loop-vectorize|loop-unroll",
                                        "-pass-remarks-missed=loop-vectorize",
                                        "-pass-remarks-analysis=loop-vectorize"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, "");
}

static unsigned number_behind(const char *text, const char *words) {
    const char *at = strstr(text, words);
    return at ? (unsigned)strtoul(at + strlen(words), NULL, 10) : 0;
}

/* "loop:12:0: vectorized loop (vectorization width: 4, interleaved count: 1)". Below LLVM's frames: no way
 * out. */
void cg_report_note(CgReport *rep, const char *text) {
    unsigned n = number_behind(text, "loop:");
    if (strncmp(text, "loop:", 5) != 0 || !n || n > rep->loops.n) {
        if (strstr(text, "loop not vectorized: ")) rep->unplaced = text;
        return;
    }
    LoopFacts *f = &rep->loops.at[n - 1];
    if (strstr(text, "vectorized loop (")) {
        unsigned width = number_behind(text, "vectorization width: ");
        if (width > f->width) {
            f->width = width;
            f->interleave = number_behind(text, "interleaved count: ");
        }
    } else if (strstr(text, "unrolled loop")) {
        f->unrolled = number_behind(text, "unrolled loop with ");
    } else if (strstr(text, "vectorization is not beneficial")) {
        f->refused = text;
    } else if (strstr(text, "not vectorized") && !f->refused) {
        f->refused = strstr(text, "vectorized: ") ? text : rep->unplaced;
    }
    rep->unplaced = NULL;
}

/* --- what is left at the end ------------------------------------------------------------------ */

static void look_at_jump(Cg *cg, Val jump) {
    CgReport *rep = cg->report;
    Val node = LLVMGetMetadata(jump, cg_md_kind(cg, "llvm.loop"));
    if (!node) return;
    Val parts[16];
    unsigned n = LLVMGetMDNodeNumOperands(node);
    if (n > sizeof parts / sizeof *parts) return;
    LLVMGetMDNodeOperands(node, parts);
    for (unsigned k = 1; k < n; k++) {
        LLVMMetadataRef md = parts[k] ? LLVMValueAsMetadata(parts[k]) : NULL;
        if (!md || LLVMGetMetadataKind(md) != LLVMDILocationMetadataKind) continue;
        unsigned line = LLVMDILocationGetLine(md);
        if (line && line <= rep->loops.n) rep->loops.at[line - 1].is_there = true;
    }
}

static void look_at_code(Cg *cg) {
    for (Val f = LLVMGetFirstFunction(cg->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            Val t = LLVMGetBasicBlockTerminator(b);
            if (t && LLVMIsABranchInst(t)) look_at_jump(cg, t);
        }
}

/* --- telling ---------------------------------------------------------------------------------- */

static void tell_refusal(Cg *cg, const LoopFacts *f) {
    static const struct {
        const char *words, *why, *advice;
    } rows[] = {
#define WHY(words, why, advice) {words, why, advice},
#include "codegen/why_not.def"
#undef WHY
    };
    const char *why = f->why, *advice = f->why ? f->advice : "";
    for (size_t i = 0; !why && f->refused && i < sizeof rows / sizeof *rows; i++) {
        if (!strstr(f->refused, rows[i].words)) continue;
        why = rows[i].why;
        advice = rows[i].advice;
    }
    const char *words = f->refused ? strstr(f->refused, "not vectorized: ") : NULL;
    if (!why && words) why = words + strlen("not vectorized: ");
    if (why)
        remark_add(cg->cx, REMARK_NOT_VECTORIZED, f->place.span, why, advice)->via = f->place.via;
    else
        remark_add(cg->cx, REMARK_LOOP_UNKNOWN, f->place.span)->via = f->place.via;
}

static void tell_loop(Cg *cg, const LoopFacts *f) {
    Cx *cx = cg->cx;
    Remark *r = NULL;
    if (remark_has(cx, REMARK_LOCKSTEP_INSIDE, f->place.span, f->place.via))
        return; /* what is left of it is for the last few, or for arrays that share memory */
    if (f->width > 1)
        r = remark_add(cx, REMARK_VECTORIZED, f->place.span, cx_printf(cx, "%u", f->width),
                       cx_printf(cx, "%u", f->width * (f->interleave ? f->interleave : 1)));
    else if (f->unrolled > 1 && !f->is_there)
        r = remark_add(cx, REMARK_UNROLLED, f->place.span, cx_printf(cx, "%u", f->unrolled));
    else if (!f->is_there)
        r = remark_add(cx, REMARK_LOOP_GONE, f->place.span);
    if (r)
        r->via = f->place.via;
    else
        tell_refusal(cg, f);
}

static bool is_same_place(const LoopFacts *a, const LoopFacts *b) {
    return memcmp(&a->place.span, &b->place.span, sizeof(Span)) == 0 &&
           a->place.via == b->place.via && !a->has_inner == !b->has_inner;
}

/* One loop of the source may be several here: strips and their rest, copies by inlining. The rest of strips
 * counts only if nothing else does. */
static bool is_outdone(const CgReport *rep, uint32_t n) {
    const LoopFacts *f = &rep->loops.at[n];
    for (uint32_t k = 0; k < rep->loops.n; k++) {
        const LoopFacts *other = &rep->loops.at[k];
        if (k == n || !is_same_place(f, other)) continue;
        if (other->width > f->width || (k < n && other->width == f->width)) return true;
    }
    return false;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Is there still a call of `callee` in `caller`, or, if that is gone, anywhere? */
static bool still_calls(Cg *cg, const Fn *caller, const Fn *callee) {
    Val to = LLVMGetNamedFunction(cg->mod, cg_symbol(cg, callee));
    Val from = LLVMGetNamedFunction(cg->mod, cg_symbol(cg, caller));
    for (LLVMUseRef u = to ? LLVMGetFirstUse(to) : NULL; u; u = LLVMGetNextUse(u)) {
        Val user = LLVMGetUser(u);
        if (LLVMIsACallInst(user) &&
            (!from || LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == from))
            return true;
    }
    return false;
}

static void tell_call(Cg *cg, const Fn *fn, const Ins *i) {
    if (i->callee->is_slow || cg->cx->files[i->callee->file].is_ours) return;
    Place p = ir_place(cg->cx, fn, i->span, i->origin);
    if (!p.span.line) return;
    RemarkId id = still_calls(cg, fn, i->callee) ? REMARK_CALLED : REMARK_INLINED;
    remark_add(cg->cx, id, p.span, i->callee->qualname)->via = p.via;
}

static void tell_calls(Cg *cg, const Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n && !fn->is_slow; b++) {
        const Refs *ins = &fn->blocks.at[b].ins;
        for (uint32_t n = 0; n < ins->n && !fn->blocks.at[b].dead; n++)
            if (ir_at(fn, ins->at[n])->op == OP_CALL_FN) tell_call(cg, fn, ir_at(fn, ins->at[n]));
    }
}

void cg_report_end(Cg *cg) {
    CgReport *rep = cg->report;
    if (!rep) return;
    look_at_code(cg);
    for (uint32_t n = 0; n < rep->loops.n; n++) {
        const LoopFacts *f = &rep->loops.at[n];
        if (f->place.span.line && !f->has_inner && !is_outdone(rep, n)) tell_loop(cg, f);
    }
    for (uint32_t i = 0; i < cg->m->fns.n; i++) tell_calls(cg, cg->m->fns.at[i]);
}
