/* The interpreter: preparing a module, and running it block by block. */
#include "ir/interp.h"

#include <stdatomic.h>

#include "base/assert.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/mem.h"
#include "core/ctx.h"
#include "ir/interp_int.h"

enum {
    MAX_DEPTH = 1000, /* calls inside calls, where the context knows no stack limit */
    OWNER_DATA = 64,  /* from an owner block to its data (core/memory.h) */
};

/* --- constants -------------------------------------------------------------------------------- */

static bool is_ascii(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] >= 0x80) return false;
    return true;
}

/* Code points of UTF-8 text as Python keeps it (lone surrogates included). */
static uint32_t *decode_utf8(Cx *cx, const char *s, size_t n, size_t *count) {
    uint32_t *out = NEWN(cx, uint32_t, n);
    size_t k = 0;
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i++];
        int more = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
        uint32_t code = more == 0 ? c : c & (0x3Fu >> more);
        for (; more > 0 && i < n; more--) code = code << 6 | ((unsigned char)s[i++] & 0x3F);
        out[k++] = code;
    }
    *count = k;
    return out;
}

/* data, length, kind (1: a byte a character, 4: UCS4), owner: none, the text lives as long as the
 * compile. */
static void text_parts(Cx *cx, const Const *k, uint64_t *out) {
    size_t n = k->str.n;
    bool bytes = k->ty->kind == TY_BYTES || is_ascii(k->str.s, n);
    const void *data = bytes ? (const void *)k->str.s : decode_utf8(cx, k->str.s, n, &n);
    out[0] = (uint64_t)(uintptr_t)data;
    out[1] = n;
    out[2] = bytes ? 1 : 4;
    out[3] = 0;
}

static void fill_const(Cx *cx, const Const *k, uint64_t *out) {
    const Type *ty = k->ty;
    switch ((TyKind)ty->kind) {
    case TY_BOOL:
    case TY_INT:
    case TY_ENUM: out[0] = interp_put_int(ty, (uint64_t)k->i); return;
    case TY_FLOAT:
    case TY_COMPLEX:
        for (uint32_t p = 0; p < ty->nparts; p++)
            out[p] = interp_put_float((PartKind)ty->parts[p], k->f[p]);
        return;
    case TY_STR:
    case TY_BYTES: text_parts(cx, k, out); return;
    case TY_OPTIONAL:
        if (k->seq.n) fill_const(cx, k->seq.items[0], out + 1);
        out[0] = k->seq.n != 0;
        return;
    case TY_TUPLE:
    case TY_SLICE:
    case TY_RANGE:
        for (uint32_t i = 0; i < k->seq.n; i++) {
            fill_const(cx, k->seq.items[i], out);
            out += k->seq.items[i]->ty->nparts;
        }
        return;
    case TY_UNDEF:
    case TY_NONE:
    case TY_ARRAY:
    case TY_DTYPE:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_EXC:
    case TY_PTR:
    case TY_KINDS: return; /* no parts, or null */
    }
}

static const uint64_t *const_parts(Cx *cx, const Const *k) {
    uint64_t *out = NEWN(cx, uint64_t, k->ty->nparts);
    fill_const(cx, k, out);
    return out;
}

/* --- preparing -------------------------------------------------------------------------------- */

typedef struct Preparing {
    Cx *cx;
    Interp *p;
    void *(*find_symbol)(const char *);
    VEC(Site) sites;
    Map numbers; /* Fn * -> position + 1 */
} Preparing;

static void *need_symbol(Preparing *pr, const char *name) {
    void *address = pr->find_symbol(name);
    if (!address) INTERNAL(pr->cx, (Span){0}, cx_printf(pr->cx, "the runtime has no %s", name));
    return address;
}

static uint32_t add_site(Preparing *pr, const Fn *fn, const Span *s) {
    const SourceFile *file = s->file < pr->cx->nfiles ? &pr->cx->files[s->file] : NULL;
    uint32_t shift = file ? file->dedent : 0;
    vec_push(pr->cx, &pr->sites,
             ((Site){.function = fn->name,
                     .qualname = fn->qualname,
                     .filename = file ? file->name : "<unknown>",
                     .line = s->line,
                     .end_line = s->end_line,
                     .col = s->col + shift,
                     .end_col = s->end_col + shift}));
    return pr->sites.n - 1;
}

static uint32_t add_exc_site(Preparing *pr, const Fn *fn, const Ins *i) {
    uint32_t site = add_site(pr, fn, &i->span);
    Type **types = NEWN(pr->cx, Type *, i->nargs);
    for (uint32_t k = 0; k < i->nargs; k++) types[k] = ir_at(fn, i->args[k])->ty;
    pr->sites.at[site].arg_types = types;
    pr->sites.at[site].nargs = i->nargs;
    return site;
}

static uint64_t global_slot(const Module *m, int64_t number) {
    uint64_t slot = 0;
    for (int64_t k = 0; k < number; k++) slot += m->captured_types.at[k]->nparts;
    return slot;
}

static void prepare_ins(Preparing *pr, InterpFn *f, Ref r) {
    const Fn *fn = f->fn;
    const Ins *i = ir_at(fn, r);
    Prep *prep = &f->prep[r];
    prep->slot = f->nslots;
    f->nslots += i->ty->nparts;
    uint32_t scratch = interp_scratch_slots(fn, i);
    if (scratch > f->nscratch) f->nscratch = scratch;
    bool named = i->op == OP_CALL_RT && strchr(i->rt->proto, 'c');
    if (i->op == OP_EXC_MAKE)
        prep->site = add_exc_site(pr, fn, i);
    else if (named || (ir_effects(fn, r) & RAISES))
        prep->site = add_site(pr, fn, &i->span);
    if (i->op == OP_CONST) prep->parts = const_parts(pr->cx, i->k);
    if (i->op == OP_CALL_RT) prep->address = need_symbol(pr, i->rt->name);
    if (i->op == OP_MATH) {
        PartKind kind = (PartKind)ir_at(fn, i->args[0])->ty->parts[0];
        prep->address = interp_find_math(pr->cx, (MathFn)i->sub, kind, pr->find_symbol);
    }
    if (i->op == OP_CALL_FN)
        prep->callee = &pr->p->fns[map_get(&pr->numbers, map_key(i->callee), 0)];
    if (i->op == OP_GLOBAL) prep->offset = global_slot(pr->p->m, i->imm);
    if (i->op == OP_STACK) {
        prep->offset = f->stack;
        f->stack += ((uint64_t)i->imm + 63) & ~UINT64_C(63);
    }
    if (i->op == OP_YIELD) INTERNAL(pr->cx, i->span, "generators cannot be interpreted");
}

static uint32_t edge_parts(const Fn *fn, const Edge *e) {
    uint32_t n = 0;
    for (uint32_t k = 0; e->to != NO_BLOCK && k < e->n; k++) n += ir_at(fn, e->args[k])->ty->nparts;
    return n;
}

static void prepare_block(Preparing *pr, InterpFn *f, BlockId id, uint32_t *raise_site) {
    const Block *b = &f->fn->blocks.at[id];
    for (uint32_t k = 0; k < b->params.n; k++) prepare_ins(pr, f, b->params.at[k]);
    for (uint32_t k = 0; k < b->ins.n; k++)
        if (ir_at(f->fn, b->ins.at[k])->op != OP_NOP) prepare_ins(pr, f, b->ins.at[k]);
    const Edge *edges[] = {&b->term.succ[0], &b->term.succ[1], &b->handler};
    for (int k = 0; k < 3; k++) {
        uint32_t n = edge_parts(f->fn, edges[k]);
        if (n > f->nscratch) f->nscratch = n;
    }
    if (b->term.kind == TERM_RAISE) raise_site[id] = add_site(pr, f->fn, &b->term.span);
}

static void prepare_fn(Preparing *pr, InterpFn *f) {
    const Fn *fn = f->fn;
    f->prep = NEWN(pr->cx, Prep, fn->ins.n);
    uint32_t *raise_site = NEWN(pr->cx, uint32_t, fn->blocks.n);
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead) prepare_block(pr, f, b, raise_site);
    f->raise_site = raise_site;
}

Interp *ir_interp_new(Cx *cx, const Module *m, void *(*find_symbol)(const char *name)) {
    Interp *p = NEW(cx, Interp);
    Preparing pr = {.cx = cx, .p = p, .find_symbol = find_symbol};
    p->m = m;
    p->fns = NEWN(cx, InterpFn, m->fns.n);
#define RTFN(field, symbol, result, params) \
    p->field = (result(*) params)(uintptr_t)need_symbol(&pr, symbol);
    INTERP_RUNTIME(RTFN)
#undef RTFN
    for (uint32_t i = 0; i < m->fns.n; i++) {
        p->fns[i].fn = m->fns.at[i];
        map_set(cx, &pr.numbers, map_key(m->fns.at[i]), i);
    }
    add_site(&pr, m->fns.at[0], &m->fns.at[0]->span); /* number 0: where nothing better is known */
    for (uint32_t i = 0; i < m->fns.n; i++) prepare_fn(&pr, &p->fns[i]);
    p->sites = pr.sites.at;
    p->nsites = pr.sites.n;
    const Fn *entry = m->fns.at[0];
    uint32_t nargs = 0;
    for (uint32_t i = 0; i < entry->nargs; i++) nargs += entry->args[i].ty->nparts;
    p->nslots = nargs > entry->ret->nparts ? nargs : entry->ret->nparts;
    return p;
}

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
    if (*frame_arg(fr, i, 0) < (uint64_t)n) return 0;
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
    *out = (uint64_t)(uintptr_t)fr->p->exc_make(fr->ctx, (int32_t)prep->site, (int32_t)i->imm,
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
    if (call(fr->p, fr->ctx, prep->callee, block, fr->depth + 1, prep->site)) {
        fr->p->trace(fr->ctx, (int32_t)prep->site);
        return 1;
    }
    if (i->ty->nparts) memcpy(out, block, i->ty->nparts * sizeof *out);
    return 0;
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
    }
    return old;
}

/* Blocks and threads of a kernel run one after the other here, so plain loads and stores will
 * do. */
static void do_atomic(Frame *fr, const Ins *i, uint64_t *out) {
    char *at = (char *)(uintptr_t)*frame_arg(fr, i, 0);
    uint64_t v[2] = {*frame_arg(fr, i, 1), i->nargs > 2 ? *frame_arg(fr, i, 2) : 0}, old = 0;
    load(i->ty, at, &old);
    uint64_t now = atomic_result(i, i->ty, old, v);
    store(i->ty, at, &now);
    *out = old;
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
        *out = (uint64_t)(uintptr_t)fr->p->alloc(fr->ctx, (int32_t)prep->site,
                                                 (int64_t)*frame_arg(fr, i, 0));
        return *out == 0;
    case OP_DATA: *out = *frame_arg(fr, i, 0) + OWNER_DATA; return 0;
    case OP_STACK: *out = (uint64_t)(uintptr_t)(fr->stack + prep->offset); return 0;
    case OP_RETAIN:
    case OP_RELEASE:
        each_owner(fr, frame_type(fr, i->args[0]), frame_arg(fr, i, 0), i->op == OP_RETAIN);
        return 0;
    case OP_CHECK_INDEX: return check_index(fr, i, prep->site);
    case OP_CHECK: return check(fr, i, prep->site);
    case OP_CALL_FN: return call_fn(fr, i, prep, out);
    case OP_CALL_RT: return interp_call_rt(fr, i, r);
    case OP_EXC_MAKE: return make_exception(fr, i, prep, out);
    case OP_POLL: return poll(fr, prep->site);
    case OP_SREG: *out = fr->ctx->sregs[3 * i->sub + i->imm]; return 0;
    case OP_BARRIER: return 0;
    case OP_SHARED: *out = (uint64_t)(uintptr_t)fr->ctx->shared; return 0;
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

static bool run_ins(Frame *fr, const Block *b) {
    for (uint32_t k = 0; k < b->ins.n; k++)
        if (step(fr, b->ins.at[k])) return false;
    return true;
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
            if (t->arg)
                fr->p->raise(fr->ctx, (int32_t)fr->f->raise_site[b],
                             (ExcObj *)(uintptr_t)*frame_at(fr, t->arg));
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

static bool is_too_deep(const WsCtx *ctx, uint32_t depth) {
    if (!ctx->stack_limit) return depth > MAX_DEPTH;
    return (uintptr_t)__builtin_frame_address(0) < (uintptr_t)ctx->stack_limit;
}

/* block: the arguments' slots on entry, the result's on return. */
static int call(const Interp *p, WsCtx *ctx, const InterpFn *f, uint64_t *block, uint32_t depth,
                uint32_t site) {
    if (is_too_deep(ctx, depth)) {
        p->raise_check(ctx, (int32_t)site, CHECK_RECURSION, 0, 0);
        return 1;
    }
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
