/* Calls: to functions of the module, of the runtime, of C; and the sites that exceptions name. */
#include <string.h>

#include "codegen/cg.h"
#include "core/region.h"

/* --- sites ------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * 0x9E3779B97F4A7C15u ^ (h >> 29); }

/* Names are those of the function that the instruction was written in. */
static uint32_t add_site(Cg *cg) {
    const Span *s = &cg->span;
    const SourceFile *f = s->file < cg->cx->nfiles ? &cg->cx->files[s->file] : NULL;
    const Origin *o = cg->origin ? &cg->fn->origins.at[cg->origin] : NULL;
    uint32_t shift = f ? f->dedent : 0;
    *vec_add(cg->cx, &cg->sites) = (Site){.function = o ? o->name : cg->fn->name,
                                          .qualname = o ? o->qualname : cg->fn->qualname,
                                          .filename = f ? f->name : "<unknown>",
                                          .line = s->line,
                                          .end_line = s->end_line,
                                          .col = s->col + shift,
                                          .end_col = s->end_col + shift};
    return cg->sites.n - 1;
}

uint32_t cg_site(Cg *cg) {
    const Span *s = &cg->span;
    uint64_t key = mix(map_key(cg->fn), (uint64_t)cg->origin << 32 | s->line);
    key = mix(mix(key, (uint64_t)s->col << 32 | s->end_col), s->end_line);
    uint32_t site = (uint32_t)map_get(&cg->site_numbers, key, UINT32_MAX);
    if (site == UINT32_MAX) map_set(cg->cx, &cg->site_numbers, key, site = add_site(cg));
    return site;
}

void cg_trace_origins(Cg *cg, uint32_t stop) {
    uint32_t origin = cg->origin;
    Span span = cg->span;
    while (cg->origin && cg->origin != stop) {
        const Origin *o = &cg->fn->origins.at[cg->origin];
        cg->span = o->call;
        cg->origin = o->outer;
        cg_call_helper(cg, HELPER_TRACE, 0, NULL);
    }
    cg->origin = origin;
    cg->span = span;
}

/* --- declaring -------------------------------------------------------------------------------- */

External *cg_external(Cg *cg, const char *name, LLVMTypeRef type, uint64_t memory) {
    name = cx_name(cg->cx, name);
    External *e = map_ptr(&cg->externals, name);
    if (e) return e;
    e = NEW(cg->cx, External);
    e->type = type;
    e->fn = LLVMAddFunction(cg->mod, name, type);
    cg_fn_attr(cg, e->fn, "nounwind", 0);
    if (memory != MEM_ALL(MEM_RW)) {
        cg_fn_attr(cg, e->fn, "memory", memory);
        cg_fn_attr(cg, e->fn, "willreturn", 0);
    }
    map_put(cg->cx, &cg->externals, name, e);
    return e;
}

static LLVMTypeRef letter_type(Cg *cg, char c) {
    switch (c) {
    case 'i': return cg->i64;
    case 'l':
    case 's': return cg->i32;
    case 'b': return cg->part[P_I1];
    case 'd': return cg->part[P_F64];
    case 'f': return cg->part[P_F32];
    case 'p':
    case 'A':
    case 'R': return cg->ptr;
    case 'v': return cg->void_;
    default: INTERNAL(cg->cx, cg->span, cx_printf(cg->cx, "bad letter '%c' in a prototype", c));
    }
}

/* "r(args)" as a function type; c is two parameters, the context and the site. */
static LLVMTypeRef proto_type(Cg *cg, const char *proto) {
    LLVMTypeRef *t = NEWN(cg->cx, LLVMTypeRef, strlen(proto) + 1);
    unsigned n = 0;
    for (const char *p = proto + 2; *p != ')'; p++) {
        if (*p == 'c') {
            t[n++] = cg->ptr;
            t[n++] = cg->i32;
        } else {
            t[n++] = letter_type(cg, *p);
        }
    }
    return LLVMFunctionType(letter_type(cg, proto[0]), t, n, false);
}

/* C passes a bool as a byte that is 0 or 1. */
static void mark_bools(Cg *cg, Val fn, const char *proto) {
    unsigned n = 1;
    if (proto[0] == 'b')
        LLVMAddAttributeAtIndex(fn, LLVMAttributeReturnIndex, cg_attr(cg, "zeroext", 0));
    for (const char *p = proto + 2; *p != ')'; p++, n++) {
        if (*p == 'b') LLVMAddAttributeAtIndex(fn, n, cg_attr(cg, "zeroext", 0));
        if (*p == 'c') n++;
    }
}

static const struct {
    const char *symbol, *proto;
    uint64_t memory;
    bool cold;
} helpers[HELPERS] = {
#define HELPER(name, symbol, proto, memory, cold) {symbol, proto, memory, cold},
#include "codegen/helpers.def"
#undef HELPER
};

static External *helper(Cg *cg, Helper h) {
    const char *name = cx_name(cg->cx, helpers[h].symbol);
    External *e = map_ptr(&cg->externals, name);
    if (e) return e;
    e = cg_external(cg, name, proto_type(cg, helpers[h].proto), helpers[h].memory);
    if (helpers[h].cold) {
        cg_fn_attr(cg, e->fn, "cold", 0);
        cg_fn_attr(cg, e->fn, "noinline", 0);
    }
    return e;
}

/* A GPU has no runtime: a thread that raises just ends. */
static Val leave_out_helper(Cg *cg, Helper h) {
    if (h == HELPER_ALLOC) cg_refuse(cg, "making an array in a kernel for the GPU");
    LLVMTypeRef ty = letter_type(cg, helpers[h].proto[0]);
    return ty == cg->void_ ? NULL : LLVMConstNull(ty);
}

Val cg_call_helper(Cg *cg, Helper h, unsigned n, Val *args) {
    if (cg->target->is_gpu) return leave_out_helper(cg, h);
    External *e = helper(cg, h);
    Val all[8];
    unsigned k = 0;
    if (strchr(helpers[h].proto, 'c')) {
        all[k++] = cg->ws;
        all[k++] = cg_i32(cg, cg_site(cg));
    }
    for (unsigned a = 0; a < n; a++) all[k + a] = args[a];
    return LLVMBuildCall2(cg->b, e->type, e->fn, all, k + n, "");
}

Val cg_call_quietly(Cg *cg, Helper h) {
    Val call = cg_call_helper(cg, h, 0, NULL);
    if (cg->target->is_gpu) return call;
    LLVMSetFunctionCallConv(helper(cg, h)->fn, LLVMPreserveMostCallConv);
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
    return call;
}

/* --- calls inside the module ------------------------------------------------------------------ */

/* A slow copy is part of its caller: it has noted everything. */
static void fail_call(Cg *cg, void *arg) {
    const Ins *i = arg;
    if (i->callee->is_slow)
        cg->origin = 0;
    else
        cg_call_helper(cg, HELPER_TRACE, 0, NULL);
}

void cg_mark_call(Cg *cg, Val call) {
    if (cg->target->is_gpu) {
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 cg_attr(cg, "convergent", 0));
        return;
    }
    LLVMSetInstructionCallConv(call, LLVMFastCallConv);
    if (cg->target->pins_context) LLVMAddCallSiteAttribute(call, 1, cg_attr(cg, "swiftself", 0));
}

void cg_op_call_fn(Cg *cg, Ref r, const Ins *i) {
    CgFn *callee = &cg->fns[map_get(&cg->fn_index, map_key(i->callee), 0)];
    uint32_t n = 1, k = 0;
    for (unsigned a = 0; a < i->nargs; a++) n += cg_type(cg, i->args[a])->nparts;
    Val *args = NEWN(cg->cx, Val, n);
    args[k++] = cg->ws;
    for (unsigned a = 0; a < i->nargs; a++)
        for (uint32_t p = 0; p < cg_type(cg, i->args[a])->nparts; p++)
            args[k++] = cg_parts(cg, i->args[a])[p];
    if (n != LLVMCountParams(callee->fn)) INTERNAL(cg->cx, i->span, "bad arguments of a call");
    Val call = LLVMBuildCall2(cg->b, callee->type, callee->fn, args, n, "");
    cg_mark_call(cg, call);
    if (callee->may_raise) {
        Val status = LLVMBuildExtractValue(cg->b, call, 0, "");
        cg_require(cg, LLVMBuildIsNull(cg->b, status, ""), fail_call, (void *)i);
    }
    Val *out = cg_new_parts(cg, r);
    for (uint32_t p = 0; p < i->ty->nparts; p++)
        out[p] = LLVMBuildExtractValue(cg->b, call, p + 1, "");
}

/* --- calls of the runtime --------------------------------------------------------------------- */

static uint32_t slots_of_call(const Fn *fn, const Ins *i) {
    uint32_t n = 0;
    unsigned a = 0;
    if (i->op == OP_EXC_MAKE)
        for (; a < i->nargs; a++) n += fn->ins.at[i->args[a]].ty->nparts;
    if (i->op == OP_REGION) {
        n = REGION_HEAD;
        for (a = REGION_VALUES; a < i->nargs; a++) n += fn->ins.at[i->args[a]].ty->nparts;
    }
    if (i->op == OP_CALL_RT)
        for (const char *p = i->rt->proto + 2; *p != ')'; p++) {
            if (*p == 'A') n += fn->ins.at[i->args[a]].ty->nparts;
            if (*p == 'R') n += i->ty->nparts;
            a += *p != 'c' && *p != 'R';
        }
    return n;
}

uint32_t cg_scratch_slots(const Fn *fn) {
    uint32_t most = 0;
    for (uint32_t r = 1; r < fn->ins.n; r++) {
        if (fn->ins.at[r].block == NO_BLOCK) continue;
        uint32_t n = slots_of_call(fn, &fn->ins.at[r]);
        if (n > most) most = n;
    }
    return most;
}

/* Effects of a row as LLVM's. What takes slots by address at least touches those. */
static uint64_t memory_of(const RtFn *rt) {
    if (rt->effects & (WRITES | RAISES | ALLOCS)) return MEM_ALL(MEM_RW);
    uint64_t memory = rt->effects & READS ? MEM_ALL(MEM_R) : 0;
    return strpbrk(rt->proto, "AR") ? memory | MEM_ARGS(MEM_RW) : memory;
}

/* The value of one operand for a letter; A: its parts stored from *slot on. */
static Val pass_operand(Cg *cg, char letter, Ref r, uint32_t *slot) {
    Type *ty = cg_type(cg, r);
    if (letter == 'A') {
        Val at =
            ty->nparts ? cg_offset(cg, cg->scratch, 8 * (int64_t)*slot) : LLVMConstNull(cg->ptr);
        cg_store_slots(cg, ty, cg_parts(cg, r), at, true);
        *slot += ty->nparts;
        return at;
    }
    if (ty->nparts != 1)
        INTERNAL(cg->cx, cg->span, cx_printf(cg->cx, "'%c' cannot pass a %s", letter, ty->name));
    Val v = cg_val(cg, r);
    if (letter == 'i' || letter == 'l')
        return cg_int_to(cg, v, ty->kind == TY_INT && ty->is_signed, letter_type(cg, letter));
    if (letter == 'd' || letter == 'f')
        return LLVMBuildFPCast(cg->b, v, letter_type(cg, letter), "");
    return v;
}

static External *runtime_function(Cg *cg, const RtFn *rt) {
    if (cg->target->is_gpu)
        cg_refuse(cg, "in a kernel for the GPU, what needs the runtime library");
    const char *name = cx_name(cg->cx, rt->name);
    External *e = map_ptr(&cg->externals, name);
    if (e) return e;
    e = cg_external(cg, name, proto_type(cg, rt->proto), memory_of(rt));
    mark_bools(cg, e->fn, rt->proto);
    if (rt->inlined) cg->uses_bitcode++;
    return e;
}

static void fail_runtime(Cg *cg, void *arg) {
    (void)cg, (void)arg; /* it has raised, site included */
}

/* The result as the instruction's type has it. */
static void set_result(Cg *cg, Ref r, const Ins *i, Val call) {
    char letter = i->rt->proto[0];
    if (i->ty->nparts == 0) {
        cg_new_parts(cg, r);
        return;
    }
    LLVMTypeRef to = cg_part_type(cg, i->ty, 0);
    if (letter == 'i' || letter == 'l')
        call = LLVMGetTypeKind(to) == LLVMIntegerTypeKind ? cg_int_to(cg, call, true, to) : call;
    else if (letter == 'd' || letter == 'f')
        call = LLVMBuildFPCast(cg->b, call, to, "");
    cg_set(cg, r, call);
}

/* The site for a runtime function; one that is TYPED has its own. */
static uint32_t site_for(Cg *cg, const Ins *i) {
    if (!(i->rt->effects & TYPED)) return cg_site(cg);
    uint32_t site = add_site(cg);
    Type **types = NEWN(cg->cx, Type *, 1);
    types[0] = ir_slots_type(cg->fn, i);
    cg->sites.at[site].arg_types = types;
    cg->sites.at[site].nargs = 1;
    return site;
}

void cg_op_call_rt(Cg *cg, Ref r, const Ins *i) {
    const char *proto = i->rt->proto;
    Val *args = NEWN(cg->cx, Val, strlen(proto) + 1), result = NULL;
    uint32_t n = 0, slot = 0;
    unsigned a = 0;
    for (const char *p = proto + 2; *p != ')'; p++) {
        if (*p == 'c') {
            args[n++] = cg->ws;
            args[n++] = cg_i32(cg, site_for(cg, i));
        } else if (*p == 'R') {
            args[n++] = result = i->ty->nparts ? cg_offset(cg, cg->scratch, 8 * (int64_t)slot)
                                               : LLVMConstNull(cg->ptr);
        } else if (a < i->nargs) {
            args[n++] = pass_operand(cg, *p, i->args[a++], &slot);
        }
    }
    External *e = runtime_function(cg, i->rt);
    if (n != LLVMCountParams(e->fn) || a != i->nargs)
        INTERNAL(cg->cx, i->span, cx_printf(cg->cx, "bad arguments of %s", i->rt->name));
    Val call = LLVMBuildCall2(cg->b, e->type, e->fn, args, n, "");
    if (proto[0] == 's') cg_require(cg, LLVMBuildIsNull(cg->b, call, ""), fail_runtime, NULL);
    if (result)
        cg_load_slots(cg, i->ty, cg_new_parts(cg, r), result);
    else
        set_result(cg, r, i, call);
}

/* --- exceptions ------------------------------------------------------------------------------- */

void cg_op_exc_make(Cg *cg, Ref r, const Ins *i) {
    if (cg->target->is_gpu) {
        cg_set(cg, r, LLVMConstNull(cg->ptr));
        return;
    }
    uint32_t slot = 0, site = add_site(cg);
    Type **types = NEWN(cg->cx, Type *, i->nargs + 1);
    for (unsigned a = 0; a < i->nargs; a++) {
        types[a] = cg_type(cg, i->args[a]);
        pass_operand(cg, 'A', i->args[a], &slot);
    }
    cg->sites.at[site].arg_types = types;
    cg->sites.at[site].nargs = i->nargs;
    External *e = helper(cg, HELPER_EXC_MAKE);
    Val args[] = {cg->ws, cg_i32(cg, site), cg_i32(cg, i->imm),
                  slot ? cg->scratch : LLVMConstNull(cg->ptr)};
    Val exc = LLVMBuildCall2(cg->b, e->type, e->fn, args, 4, "");
    cg_require(cg, LLVMBuildIsNotNull(cg->b, exc, ""), fail_runtime, NULL);
    cg_set(cg, r, exc);
}
