/* From a Module to an LLVM module: types, declarations, the entry thunk. */
#include <string.h>

#include "codegen/cg.h"

LLVMAttributeRef cg_attr(const Cg *cg, const char *name, uint64_t value) {
    return LLVMCreateEnumAttribute(cg->ctx, LLVMGetEnumAttributeKindForName(name, strlen(name)),
                                   value);
}

void cg_fn_attr(const Cg *cg, Val fn, const char *name, uint64_t value) {
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            cg_attr(cg, name, value));
}

void cg_fn_text_attr(const Cg *cg, Val fn, const char *name, const char *value) {
    LLVMAttributeRef a = LLVMCreateStringAttribute(cg->ctx, name, (unsigned)strlen(name), value,
                                                   (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

unsigned cg_md_kind(const Cg *cg, const char *name) {
    return LLVMGetMDKindIDInContext(cg->ctx, name, (unsigned)strlen(name));
}

static void make_types(Cg *cg) {
    LLVMContextRef c = cg->ctx;
    LLVMTypeRef part[] = {
        [P_I1] = LLVMInt1TypeInContext(c),        [P_I8] = LLVMInt8TypeInContext(c),
        [P_I16] = LLVMInt16TypeInContext(c),      [P_I32] = LLVMInt32TypeInContext(c),
        [P_I64] = LLVMInt64TypeInContext(c),      [P_F16] = LLVMHalfTypeInContext(c),
        [P_F32] = LLVMFloatTypeInContext(c),      [P_F64] = LLVMDoubleTypeInContext(c),
        [P_PTR] = LLVMPointerTypeInContext(c, 0),
    };
    memcpy(cg->part, part, sizeof part);
    cg->i32 = part[P_I32];
    cg->i64 = part[P_I64];
    cg->ptr = part[P_PTR];
    cg->void_ = LLVMVoidTypeInContext(c);
}

/* --- which functions raise, which recurse ----------------------------------------------------- */

/* Depth-first search for cycles of calls (Tarjan). */
typedef struct Search {
    uint32_t *order, *low, *stack;
    bool *on_stack;
    uint32_t n, depth;
} Search;

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void search_cycles(Cg *cg, Search *s, uint32_t v) {
    const Fn *fn = cg->m->fns.at[v];
    s->order[v] = s->low[v] = ++s->n;
    s->stack[s->depth++] = v;
    s->on_stack[v] = true;
    for (uint32_t r = 1; r < fn->ins.n; r++) {
        const Ins *i = &fn->ins.at[r];
        if ((i->op != OP_CALL_FN && i->op != OP_REGION) || i->block == NO_BLOCK) continue;
        uint32_t w = (uint32_t)map_get(&cg->fn_index, map_key(i->callee), UINT32_MAX);
        if (w == UINT32_MAX) INTERNAL(cg->cx, i->span, "a called function is not in the module");
        if (w == v) cg->fns[v].recursive = true;
        if (!s->order[w]) {
            search_cycles(cg, s, w);
            s->low[v] = min_u32(s->low[v], s->low[w]);
        } else if (s->on_stack[w]) {
            s->low[v] = min_u32(s->low[v], s->order[w]);
        }
    }
    if (s->low[v] != s->order[v]) return;
    bool alone = s->stack[s->depth - 1] == v;
    uint32_t w;
    do {
        w = s->stack[--s->depth];
        s->on_stack[w] = false;
        if (!alone) cg->fns[w].recursive = true;
    } while (w != v);
}

static void fill_recursive(Cg *cg) {
    uint32_t n = cg->m->fns.n;
    Search s = {NEWN(cg->cx, uint32_t, n),
                NEWN(cg->cx, uint32_t, n),
                NEWN(cg->cx, uint32_t, n),
                NEWN(cg->cx, bool, n),
                0,
                0};
    for (uint32_t v = 0; v < n; v++)
        if (!s.order[v]) search_cycles(cg, &s, v);
}

/* Can an exception leave the function, given what is known of those it calls? */
static bool raises_now(Cg *cg, uint32_t v) {
    const Fn *fn = cg->m->fns.at[v];
    if (cg->fns[v].recursive) return true;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const Block *bl = &fn->blocks.at[b];
        if (bl->dead || bl->handler.to != NO_BLOCK) continue;
        if (bl->term.kind == TERM_RAISE) return true;
        for (uint32_t k = 0; k < bl->ins.n; k++) {
            const Ins *i = &fn->ins.at[bl->ins.at[k]];
            if (i->op == OP_CALL_FN) {
                if (cg->fns[map_get(&cg->fn_index, map_key(i->callee), 0)].may_raise) return true;
            } else if (ir_effects(fn, bl->ins.at[k]) & RAISES) {
                return true;
            }
        }
    }
    return false;
}

static void fill_raising(Cg *cg) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t v = cg->m->fns.n; v-- > 0;)
            if (!cg->fns[v].may_raise && raises_now(cg, v)) changed = cg->fns[v].may_raise = true;
    }
}

/* --- declarations ----------------------------------------------------------------------------- */

/* Hardly ever run: not worth LLVM's time, which would be half of the compile. */
static void declare_slow(Cg *cg, Val f) {
    cg_fn_attr(cg, f, "cold", 0);
    cg_fn_attr(cg, f, "noinline", 0);
    cg_fn_attr(cg, f, "optnone", 0);
}

static void declare_attributes(Cg *cg, const Fn *fn, Val f) {
    cg_fn_attr(cg, f, "nounwind", 0);
    if (cg->target->is_gpu) {
        cg_fn_attr(cg, f, "convergent",
                   0); /* until proven otherwise: there may be a barrier in it */
        return;
    }
    cg_fn_text_attr(cg, f, "probe-stack", "inline-asm");
    cg_fn_text_attr(cg, f, "frame-pointer", "none");
    if (fn && fn->options.inline_always) cg_fn_attr(cg, f, "alwaysinline", 0);
    if (cg->options->debug) cg_fn_attr(cg, f, "uwtable", 2);
    if (fn && fn->is_slow) declare_slow(cg, f);
}

/* The context is this thread's own: nothing that arrays point to overlaps it. */
static void declare_context(Cg *cg, Val f) {
    if (cg->target->is_gpu) return; /* there is none */
    LLVMAddAttributeAtIndex(f, 1, cg_attr(cg, "noalias", 0));
    LLVMAddAttributeAtIndex(f, 1, cg_attr(cg, "nonnull", 0));
    LLVMAddAttributeAtIndex(f, 1, cg_attr(cg, "dereferenceable", sizeof(WsCtx)));
}

static LLVMTypeRef return_type(Cg *cg, const Type *ret) {
    LLVMTypeRef *t = NEWN(cg->cx, LLVMTypeRef, ret->nparts + 1);
    t[0] = cg->i32;
    for (uint32_t k = 0; k < ret->nparts; k++) t[k + 1] = cg_part_type(cg, ret, k);
    return LLVMStructTypeInContext(cg->ctx, t, ret->nparts + 1, false);
}

/* The prefix keeps a user's `sin` or `free` apart from C's. */
const char *cg_symbol(Cg *cg, const Fn *fn) {
    return cx_printf(cg->cx, "py_%s", fn->symbol ? fn->symbol : fn->name);
}

static void declare_function(Cg *cg, uint32_t index) {
    const Fn *fn = cg->m->fns.at[index];
    CgFn *out = &cg->fns[index];
    uint32_t n = 1, k = 0;
    for (uint32_t a = 0; a < fn->nargs; a++) n += fn->args[a].ty->nparts;
    LLVMTypeRef *t = NEWN(cg->cx, LLVMTypeRef, n);
    t[k++] = cg->ptr;
    for (uint32_t a = 0; a < fn->nargs; a++)
        for (uint32_t p = 0; p < fn->args[a].ty->nparts; p++)
            t[k++] = cg_part_type(cg, fn->args[a].ty, p);
    out->ret = return_type(cg, fn->ret);
    out->type = LLVMFunctionType(out->ret, t, n, false);
    out->fn = LLVMAddFunction(cg->mod, cg_symbol(cg, fn), out->type);
    LLVMSetLinkage(out->fn, LLVMInternalLinkage);
    if (!cg->target->is_gpu) LLVMSetFunctionCallConv(out->fn, LLVMFastCallConv);
    declare_attributes(cg, fn, out->fn);
    if (index == 0 && !out->recursive)
        cg_fn_attr(cg, out->fn, "alwaysinline", 0); /* into the thunk */
    declare_context(cg, out->fn);
    if (cg->target->pins_context) LLVMAddAttributeAtIndex(out->fn, 1, cg_attr(cg, "swiftself", 0));
}

/* --- the entry thunk -------------------------------------------------------------------------- */

static const char entry_symbol[] = "ws_entry";

static uint32_t count_slots(const Fn *fn) {
    uint32_t n = 0;
    for (uint32_t a = 0; a < fn->nargs; a++) n += fn->args[a].ty->nparts;
    return n > fn->ret->nparts ? n : fn->ret->nparts;
}

/* An argument is a value, never undefined: conditions of it may be joined without freezing it. */
static void say_defined(Cg *cg, Val *parts, uint32_t n) {
    Val fixed = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    for (uint32_t k = 0; k < n; k++)
        if (LLVMIsALoadInst(parts[k])) /* of a bool a byte is loaded, then cut */
            LLVMSetMetadata(parts[k], cg_md_kind(cg, "noundef"), fixed);
}

/* i32 entry(ctx, slots): arguments from the slots, the result back into them. */
void cg_entry_thunk(Cg *cg) {
    const Fn *fn = cg->m->fns.at[0];
    CgFn *in = &cg->fns[0];
    LLVMTypeRef params[] = {cg->ptr, cg->ptr};
    Val f = LLVMAddFunction(cg->mod, entry_symbol, LLVMFunctionType(cg->i32, params, 2, false));
    declare_attributes(cg, NULL, f);
    declare_context(cg, f);
    LLVMAddAttributeAtIndex(f, 2, cg_attr(cg, "noalias", 0));
    LLVMPositionBuilderAtEnd(cg->b, LLVMAppendBasicBlockInContext(cg->ctx, f, "entry"));
    cg->fn = fn;
    uint32_t n = 1;
    Val slots = LLVMGetParam(f, 1), *args = NEWN(cg->cx, Val, LLVMCountParams(in->fn));
    args[0] = LLVMGetParam(f, 0);
    for (uint32_t a = 0; a < fn->nargs; a++) {
        const Type *ty = fn->args[a].ty;
        cg_load_slots(cg, ty, args + n, cg_offset(cg, slots, 8 * ((int64_t)n - 1)));
        say_defined(cg, args + n, ty->nparts);
        n += ty->nparts;
    }
    Val call = LLVMBuildCall2(cg->b, in->type, in->fn, args, n, "");
    cg_mark_call(cg, call);
    Val *parts = NEWN(cg->cx, Val, fn->ret->nparts + 1);
    for (uint32_t k = 0; k < fn->ret->nparts; k++)
        parts[k] = LLVMBuildExtractValue(cg->b, call, k + 1, "");
    cg_store_slots(cg, fn->ret, parts, slots, true);
    LLVMBuildRet(cg->b, LLVMBuildExtractValue(cg->b, call, 0, ""));
}

void cg_module(Cg *cg) {
    make_types(cg);
    uint32_t n = cg->m->fns.n;
    cg->fns = NEWN(cg->cx, CgFn, n);
    for (uint32_t v = 0; v < n; v++) map_set(cg->cx, &cg->fn_index, map_key(cg->m->fns.at[v]), v);
    fill_recursive(cg);
    fill_raising(cg);
    cg_debug_begin(cg);
    cg_report_begin(cg);
    for (uint32_t v = 0; v < n; v++) declare_function(cg, v);
    for (uint32_t v = 0; v < n; v++) cg_function(cg, v);
    LLVMSetCurrentDebugLocation2(cg->b, NULL); /* the last function's is not the thunk's */
    cg->target->entry(cg);
    cg_debug_end(cg);
    cg_keep_declarations(cg);
    if (cg->uses_bitcode) cg_link_bitcode(cg);
}

/* --- the way of one module -------------------------------------------------------------------- */

static void dispose_module(void *p) {
    if (!cg_llvm_broken()) LLVMDisposeModule(p);
}

static void dispose_builder(void *p) {
    if (!cg_llvm_broken()) LLVMDisposeBuilder(p);
}

static void open_module(Cg *cg) {
    const Fn *fn = cg->m->fns.at[0];
    cg->llvm = cg_take_llvm(cg->cx, cg->target, cg->errors);
    cg->ctx = cg->llvm->ctx;
    LLVMContextSetDiscardValueNames(cg->ctx, cg->options->want == WANT_CODE ||
                                                 cg->options->want == WANT_ASM);
    cg->mod = LLVMModuleCreateWithNameInContext(fn->name, cg->ctx);
    cx_defer(cg->cx, dispose_module, cg->mod);
    cg->b = LLVMCreateBuilderInContext(cg->ctx);
    cx_defer(cg->cx, dispose_builder, cg->b);
    LLVMSetTarget(cg->mod, cg->target->triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cg_machine(cg));
    LLVMSetModuleDataLayout(cg->mod, layout);
    LLVMDisposeTargetData(layout);
}

/* In builds with assertions, and for texts: what LLVM thinks of our IR, before it crashes on it. */
static void verify_module(Cg *cg) {
    char *text = NULL;
    bool bad = LLVMVerifyModule(cg->mod, LLVMReturnStatusAction, &text);
    const char *why = cg_own_text(cg, text);
    if (bad) cg_fail_llvm(cg, cx_printf(cg->cx, "invalid code: %s", why));
}

static void make_output(Cg *cg, CodegenResult *out) {
    size_t n;
    switch (cg->options->want) {
    case WANT_ASM:
    case WANT_PTX: cg_emit(cg, LLVMAssemblyFile, &out->text, &n); break;
    case WANT_LLVM: out->text = cg_own_text(cg, LLVMPrintModuleToString(cg->mod)); break;
    case WANT_CFG: out->text = cg_dot(cg); break;
    case WANT_EXPLAIN: break;
    case WANT_CODE:
    case WANT_TYPES:
    case WANT_RESULT:
    case WANT_IR:
    case WANT_INTERP: cg_emit(cg, LLVMObjectFile, &out->object, &out->object_size); break;
    }
}

void codegen_compile(Cx *cx, const Module *m, const CodegenOptions *options, CodegenResult *out) {
    uint64_t t0 = cg_now_ns();
    Cg *cg = NEW(cx, Cg);
    *cg = (Cg){.cx = cx,
               .m = m,
               .options = options,
               .target =
                   options->want == WANT_PTX ? target_nvptx(cx, options->ptx_target) : target_cpu(),
               .errors = NEW(cx, LlvmErrors)};
    cg->errors->cx = cx;
    open_module(cg);
    cg_module(cg);
#ifdef WS_CHECKS
    verify_module(cg);
#else
    if (options->want != WANT_CODE) verify_module(cg);
#endif
    uint64_t t1 = cg_now_ns();
    if (!options->unoptimised) cg_optimise(cg);
    cg_report_end(cg);
    make_output(cg, out);
    uint64_t t2 = cg_now_ns();
    cx->stage_ns[STAGE_CODEGEN] += t1 - t0;
    cx->stage_ns[STAGE_LLVM] += t2 - t1;
    out->entry = entry_symbol;
    out->sites = cg->sites.at;
    out->nsites = cg->sites.n;
    out->nslots = count_slots(m->fns.at[0]);
}
