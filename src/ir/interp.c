/* The interpreter: running a prepared module block by block. */
#include "ir/interp.h"

#include <stdatomic.h>

#include "base/assert.h"
#include "base/mem.h"
#include "core/region.h"
#include "ir/interp_int.h"

enum {
    MAX_DEPTH = 1000, /* calls inside calls, where the context knows no stack limit */
    OWNER_DATA = 64,  /* from an owner block to its data (core/memory.h) */
};

const Site *ir_interp_sites(const Interp *p, uint32_t *n) {
    *n = p->nsites;
    return p->sites;
}

uint32_t ir_interp_nslots(const Interp *p) { return p->nslots; }

/* --- memory ----------------------------------------------------------------------------------- */

static const uint8_t part_size[] = {[P_I1] = 1,  [P_I8] = 1,  [P_I16] = 2, [P_I32] = 4, [P_I64] = 8,
                                    [P_F16] = 2, [P_F32] = 4, [P_F64] = 8, [P_PTR] = 8};

/* Elements lie one part after the other, anything else as slots. */
static void load(const Type *ty, const char *at, uint64_t *out) {
    for (uint32_t k = 0; k < ty->nparts; k++) {
        uint32_t size = part_size[ty->parts[k]];
        out[k] = 0;
        memcpy(&out[k], at, size);
        if (ty->parts[k] == P_I1) out[k] = out[k] != 0;
        at += ty->size ? size : 8;
    }
}

static void store(const Type *ty, char *at, const uint64_t *v) {
    for (uint32_t k = 0; k < ty->nparts; k++) {
        if (ty->size) {
            memcpy(at, &v[k], part_size[ty->parts[k]]);
            at += part_size[ty->parts[k]];
        } else {
            memcpy(at, &v[k], 8);
            at += 8;
        }
    }
}

/* Visits the counted pointers in a value. An optional without a value has null owners. */
static void each_owner(Frame *fr, const Type *ty, const uint64_t *v, bool up) {
    const Interp *p = fr->p;
    if (ty->kind == TY_EXC) {
        if (v[0]) (up ? p->exc_retain : p->exc_release)((ExcObj *)(uintptr_t)v[0]);
    } else if (ty->kind == TY_ARRAY || ty->kind == TY_STR || ty->kind == TY_BYTES ||
               ty->kind == TY_PTR || ty->kind == TY_CELL) {
        uint64_t owner = ty->kind == TY_ARRAY                        ? v[1]
                         : ty->kind == TY_PTR || ty->kind == TY_CELL ? v[0]
                                                                     : v[3];
        if (owner) (up ? p->retain : p->release)((void *)(uintptr_t)owner);
    } else {
        for (uint32_t k = 0; k < ir_field_count(ty); k++)
            each_owner(fr, ir_field_type(ty, k), v + ir_field_part(ty, k), up);
    }
}

static _Atomic uint32_t *poll_word(Frame *fr) { return &fr->ctx->poll; }

/* --- instructions that do something ----------------------------------------------------------- */

/* An operand of a check's text as 64 bits. */
static int64_t text_operand(const Frame *fr, const Ins *i, uint32_t k) {
    if (k >= i->nargs) return 0;
    const Type *ty = frame_type(fr, i->args[k]);
    uint64_t v = *frame_arg(fr, i, k);
    if (ty->kind != TY_FLOAT) return interp_int(ty, v);
    return (int64_t)interp_put_float(P_F64, interp_float((PartKind)ty->parts[0], v));
}

static int check_index(Frame *fr, const Ins *i, uint32_t site) {
    int64_t n = (int64_t)*frame_arg(fr, i, 1);
    if (i->imm2 || *frame_arg(fr, i, 0) < (uint64_t)n) return 0;
    fr->p->raise_index(fr->ctx, (int32_t)site, (int64_t)*frame_arg(fr, i, 2), n, (int32_t)i->imm);
    return 1;
}

static int check(Frame *fr, const Ins *i, uint32_t site) {
    if (*frame_arg(fr, i, 0)) return 0;
    fr->p->raise_check(fr->ctx, (int32_t)site, i->sub, text_operand(fr, i, 1),
                       text_operand(fr, i, 2));
    return 1;
}

static int make_exception(Frame *fr, const Ins *i, const Prep *prep, uint64_t *out) {
    uint64_t *slots = fr->scratch;
    for (uint32_t k = 0; k < i->nargs; k++) {
        const Type *ty = frame_type(fr, i->args[k]);
        if (ty->nparts) memcpy(slots, frame_arg(fr, i, k), ty->nparts * sizeof *slots);
        interp_extend(ty, slots);
        slots += ty->nparts;
    }
    *out = (uint64_t)(uintptr_t)fr->p->exc_make(fr->ctx, (int32_t)prep->where.site, (int32_t)i->imm,
                                                fr->scratch);
    return *out == 0;
}

static int call(const Interp *p, WsCtx *ctx, const InterpFn *f, uint64_t *block, uint32_t depth,
                uint32_t site);

static int call_fn(Frame *fr, const Ins *i, const Prep *prep, uint64_t *out) {
    uint64_t *block = fr->scratch, *at = block;
    for (uint32_t k = 0; k < i->nargs; k++) {
        uint32_t n = frame_type(fr, i->args[k])->nparts;
        if (n) memcpy(at, frame_arg(fr, i, k), n * sizeof *at);
        at += n;
    }
    if (call(fr->p, fr->ctx, prep->callee, block, fr->depth + 1, prep->where.site)) {
        if (!i->callee->is_slow) fr->p->trace(fr->ctx, (int32_t)prep->where.site);
        return 1;
    }
    if (i->ty->nparts) memcpy(out, block, i->ty->nparts * sizeof *out);
    return 0;
}

/* All iterations are one chunk here. */
static int region(Frame *fr, const Ins *i, const Prep *prep, uint64_t *out) {
    uint64_t *block = fr->scratch, *at = block;
    *at++ = 0;
    *at++ = *frame_arg(fr, i, REGION_N);
    for (uint32_t k = REGION_PARTIALS; k < i->nargs;
         k++) { /* for the body's REGION_PARTIAL; the values */
        uint32_t n = frame_type(fr, i->args[k])->nparts;
        if (n) memcpy(at, frame_arg(fr, i, k), n * sizeof *at);
        at += n;
    }
    *out = 1;
    return call(fr->p, fr->ctx, prep->callee, block, fr->depth + 1, prep->where.site);
}

static uint64_t atomic_result(const Ins *i, const Type *ty, uint64_t old, const uint64_t *v) {
    PartKind kind = (PartKind)ty->parts[0];
    if (ty->kind == TY_FLOAT && i->sub <= ATOMIC_MAX) {
        double a = interp_float(kind, old), b = interp_float(kind, v[0]);
        double r = i->sub == ATOMIC_ADD                ? a + b
                   : i->sub == ATOMIC_SUB              ? a - b
                   : (i->sub == ATOMIC_MIN) == (b < a) ? b
                                                       : a;
        return interp_put_float(kind, r);
    }
    int64_t a = interp_int(ty, old), b = interp_int(ty, v[0]);
    bool less = ty->is_signed ? b < a : (uint64_t)b < (uint64_t)a;
    switch ((AtomicOp)i->sub) {
    case ATOMIC_ADD: return interp_put_int(ty, old + v[0]);
    case ATOMIC_SUB: return interp_put_int(ty, old - v[0]);
    case ATOMIC_MIN: return less ? v[0] : old;
    case ATOMIC_MAX: return less || a == b ? old : v[0];
    case ATOMIC_AND: return old & v[0];
    case ATOMIC_OR: return old | v[0];
    case ATOMIC_XOR: return old ^ v[0];
    case ATOMIC_XCHG: return v[0];
    case ATOMIC_CAS: return old == v[0] ? v[1] : old;
    case ATOMIC_LOAD: break;
    }
    return old;
}

/* Blocks and threads of a kernel run one after the other here, so plain loads and stores will
 * do. */
static void do_atomic(Frame *fr, const Ins *i, uint64_t *out) {
    char *at = (char *)(uintptr_t)*frame_arg(fr, i, 0);
    uint64_t v[2] = {i->nargs > 1 ? *frame_arg(fr, i, 1) : 0,
                     i->nargs > 2 ? *frame_arg(fr, i, 2) : 0},
             old = 0;
    load(i->ty, at, &old);
    uint64_t now = atomic_result(i, i->ty, old, v);
    store(i->ty, at, &now);
    *out = old;
}

/* As in codegen/cpu.c. */
static char *shared_memory(const Frame *fr, const Ins *i, const Prep *prep) {
    bool own = i->imm && !fr->p->m->fns.at[0]->runs_threads;
    return own ? fr->stack + prep->offset : (char *)fr->ctx->shared + i->imm2;
}

static int poll(Frame *fr, uint32_t site) {
    if (!atomic_load_explicit(poll_word(fr), memory_order_relaxed)) return 0;
    return fr->p->poll(fr->ctx, (int32_t)site) != 0;
}

static const uint64_t *arg_slots(const Frame *fr, int64_t number) {
    const uint64_t *at = fr->args;
    for (int64_t k = 0; k < number; k++) at += fr->f->fn->args[k].ty->nparts;
    return at;
}

static void copy(uint64_t *out, const uint64_t *from, const Type *ty) {
    if (ty->nparts) memcpy(out, from, ty->nparts * sizeof *out);
}

/* Runs one instruction: 0, or 1 with ctx->exc set. */
static int step(Frame *fr, Ref r) {
    const Ins *i = ir_at(fr->f->fn, r);
    const Prep *prep = &fr->f->prep[r];
    uint64_t *out = frame_at(fr, r);
    if (interp_pure(fr, i, out)) return 0;
    switch (i->op) {
    case OP_NOP: return 0;
    case OP_ARG: copy(out, arg_slots(fr, i->imm), i->ty); return 0;
    case OP_CONST: copy(out, prep->parts, i->ty); return 0;
    case OP_GLOBAL: copy(out, fr->ctx->globals + prep->offset, i->ty); return 0;
    case OP_LOAD: load(i->ty, (const char *)(uintptr_t)*frame_arg(fr, i, 0), out); return 0;
    case OP_STORE:
        store(frame_type(fr, i->args[1]), (char *)(uintptr_t)*frame_arg(fr, i, 0),
              frame_arg(fr, i, 1));
        return 0;
    case OP_ALLOC:
        *out = (uint64_t)(uintptr_t)fr->p->alloc(fr->ctx, (int32_t)prep->where.site,
                                                 (int64_t)*frame_arg(fr, i, 0));
        return *out == 0;
    case OP_DATA: *out = *frame_arg(fr, i, 0) + OWNER_DATA; return 0;
    case OP_STACK: *out = (uint64_t)(uintptr_t)(fr->stack + prep->offset); return 0;
    case OP_RETAIN:
    case OP_RELEASE:
        each_owner(fr, frame_type(fr, i->args[0]), frame_arg(fr, i, 0), i->op == OP_RETAIN);
        return 0;
    case OP_CHECK_INDEX: return check_index(fr, i, prep->where.site);
    case OP_CHECK: return check(fr, i, prep->where.site);
    case OP_CALL_FN: return call_fn(fr, i, prep, out);
    case OP_REGION: return region(fr, i, prep, out);
    case OP_CALL_RT: return interp_call_rt(fr, i, r);
    case OP_EXC_MAKE: return make_exception(fr, i, prep, out);
    case OP_BIND: return 0;
    case OP_POLL: return poll(fr, prep->where.site);
    case OP_SREG: *out = fr->ctx->sregs[3 * i->sub + i->imm]; return 0;
    case OP_BARRIER: return 0;
    case OP_FENCE: return 0;
    case OP_SHARED: *out = (uint64_t)(uintptr_t)shared_memory(fr, i, prep); return 0;
    case OP_ATOMIC: do_atomic(fr, i, out); return 0;
    default: WS_ASSERT(!"an operation the interpreter does not know"); return 0;
    }
}

/* --- control flow ----------------------------------------------------------------------------- */

/* All arguments are read before a parameter is written: they may be each other. */
static void pass_args(Frame *fr, const Edge *e, uint32_t skip) {
    const Fn *fn = fr->f->fn;
    uint64_t *at = fr->scratch;
    for (uint32_t k = 0; k < e->n; k++) {
        const Type *ty = frame_type(fr, e->args[k]);
        copy(at, frame_at(fr, e->args[k]), ty);
        at += ty->nparts;
    }
    at = fr->scratch;
    for (uint32_t k = 0; k < e->n; k++) {
        Ref param = fn->blocks.at[e->to].params.at[k + skip];
        const Type *ty = frame_type(fr, param);
        copy(frame_at(fr, param), at, ty);
        at += ty->nparts;
    }
}

/* The exception in the context goes to the block's handler: true; false: it leaves the function. */
static bool catch (Frame *fr, BlockId *b) {
    const Edge *e = &fr->f->fn->blocks.at[*b].handler;
    if (e->to == NO_BLOCK) return false;
    pass_args(fr, e, 1);
    *frame_at(fr, fr->f->fn->blocks.at[e->to].params.at[0]) = (uint64_t)(uintptr_t)fr->ctx->exc;
    fr->ctx->exc = NULL;
    *b = e->to;
    return true;
}

/* The exception leaves the inlined calls that it was raised in. */
static void leave(const Frame *fr, const Where *w) {
    for (const uint32_t *site = w->leave; site && *site; site++)
        fr->p->trace(fr->ctx, (int32_t)*site);
}

static bool run_ins(Frame *fr, const Block *b) {
    for (uint32_t k = 0; k < b->ins.n; k++) {
        Ref r = b->ins.at[k];
        if (!step(fr, r)) continue;
        leave(fr, &fr->f->prep[r].where);
        return false;
    }
    return true;
}

static void raise(Frame *fr, const Term *t, const Where *w) {
    if (t->arg) {
        ExcObj *exc = (ExcObj *)(uintptr_t)*frame_at(fr, t->arg);
        fr->p->raise(fr->ctx, (int32_t)w->site, exc);
    }
    leave(fr, w);
}

/* Leaves the result in `result`; 0, or 1 with ctx->exc set. */
static int run(Frame *fr, uint64_t *result) {
    const Fn *fn = fr->f->fn;
    BlockId b = 0;
    for (;;) {
        const Block *block = &fn->blocks.at[b];
        const Term *t = &block->term;
        bool raised = !run_ins(fr, block);
        if (!raised && t->kind == TERM_RAISE) {
            raise(fr, t, &fr->f->raise[b]);
            raised = true;
        }
        if (raised) {
            if (!catch (fr, &b)) return 1;
            continue;
        }
        if (t->kind == TERM_RETURN) {
            if (t->arg) copy(result, frame_at(fr, t->arg), fn->ret);
            return 0;
        }
        WS_ASSERT(t->kind == TERM_JUMP || t->kind == TERM_BRANCH);
        const Edge *e = &t->succ[t->kind == TERM_BRANCH && !*frame_at(fr, t->arg)];
        pass_args(fr, e, 0);
        b = e->to;
    }
}

/* As compiled functions do at their entry, here at every one. 0, or 1 with an exception. */
static int check_stack(const Interp *p, WsCtx *ctx, uint32_t depth, uint32_t site) {
    const char *limit = atomic_load_explicit(&ctx->stack_limit, memory_order_relaxed);
    if (!ctx->stack_end && depth > MAX_DEPTH) {
        p->raise_check(ctx, (int32_t)site, CHECK_RECURSION, 0, 0);
        return 1;
    }
    if ((uintptr_t)__builtin_frame_address(0) >= (uintptr_t)limit) return 0;
    return p->check_stack(ctx, (int32_t)site) != 0;
}

/* block: the arguments' slots on entry, the result's on return. */
static int call(const Interp *p, WsCtx *ctx, const InterpFn *f, uint64_t *block, uint32_t depth,
                uint32_t site) {
    if (check_stack(p, ctx, depth, site)) return 1;
    size_t size = (f->nslots + f->nscratch) * sizeof(uint64_t);
    uint64_t *memory = mem_alloc(size + f->stack + 64);
    if (!memory) { /* a frame of a compiled function would have found no stack */
        p->raise_check(ctx, (int32_t)site, CHECK_RECURSION, 0, 0);
        return 1;
    }
    Frame fr = {.p = p, .f = f, .ctx = ctx, .args = block, .depth = depth};
    fr.slots = memory;
    fr.scratch = fr.slots + f->nslots;
    fr.stack = (char *)(((uintptr_t)memory + size + 63) & ~(uintptr_t)63);
    int status = run(&fr, block);
    mem_free(memory);
    return status;
}

/* Only a part's own bytes of its slot count. */
static void clean_args(const Fn *fn, uint64_t *slots) {
    static const uint8_t bits[] = {
        [P_I1] = 1,   [P_I8] = 8,   [P_I16] = 16, [P_I32] = 32, [P_I64] = 64,
        [P_F16] = 16, [P_F32] = 32, [P_F64] = 64, [P_PTR] = 64};
    for (uint32_t i = 0; i < fn->nargs; i++)
        for (uint32_t k = 0; k < fn->args[i].ty->nparts; k++, slots++) {
            unsigned drop = 64u - bits[fn->args[i].ty->parts[k]];
            *slots = *slots << drop >> drop;
        }
}

int32_t ir_interp_call(const Interp *p, WsCtx *ctx, uint64_t *slots) {
    const Fn *entry = p->m->fns.at[0];
    clean_args(entry, slots);
    if (call(p, ctx, &p->fns[0], slots, 0, 0)) return 1;
    interp_extend(entry->ret, slots);
    return 0;
}

int32_t ir_interp_run(Cx *cx, const Module *m, WsCtx *ctx, void *(*find_symbol)(const char *name),
                      uint64_t *slots) {
    const Interp *p = ir_interp_new(cx, m, find_symbol);
    const Fn *entry = m->fns.at[0];
    Unit *unit = NEW(cx, Unit);
    unit->name = entry->name;
    unit->sites = ir_interp_sites(p, &unit->nsites);
    unit->classes = m->classes.at;
    unit->nclasses = m->classes.n;
    const Unit *before = ctx->unit;
    ctx->unit = unit;
    int32_t status = ir_interp_call(p, ctx, slots);
    ctx->unit = before;
    return status;
}
