/* The interpreter: looking up and laying out, once, what each instruction needs. */
#include "base/diag.h"
#include "base/map.h"
#include "ir/interp_int.h"

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

/* Names are those of the function that the code was written in. */
static uint32_t add_site(Preparing *pr, const Fn *fn, const Span *s, uint32_t origin) {
    const SourceFile *file = s->file < pr->cx->nfiles ? &pr->cx->files[s->file] : NULL;
    const Origin *o = origin ? &fn->origins.at[origin] : NULL;
    uint32_t shift = file ? file->dedent : 0;
    vec_push(pr->cx, &pr->sites,
             ((Site){.function = o ? o->name : fn->name,
                     .qualname = o ? o->qualname : fn->qualname,
                     .filename = file ? file->name : "<unknown>",
                     .line = s->line,
                     .end_line = s->end_line,
                     .col = s->col + shift,
                     .end_col = s->end_col + shift}));
    return pr->sites.n - 1;
}

/* The inlined calls between `origin` and the block's handler, or the function's end. */
static const uint32_t *add_leave(Preparing *pr, const Fn *fn, const Block *b, uint32_t origin) {
    VEC(uint32_t) sites = {0};
    uint32_t stop = 0;
    if (b->handler.to != NO_BLOCK)
        stop = ir_at(fn, fn->blocks.at[b->handler.to].params.at[0])->origin;
    for (; origin && origin != stop; origin = fn->origins.at[origin].outer) {
        const Origin *o = &fn->origins.at[origin];
        vec_push(pr->cx, &sites, add_site(pr, fn, &o->call, o->outer));
    }
    if (!sites.n) return NULL;
    vec_push(pr->cx, &sites, 0);
    return sites.at;
}

static Where new_where(Preparing *pr, const Fn *fn, const Block *b, Span span, uint32_t origin) {
    uint32_t site = add_site(pr, fn, &span, origin);
    return (Where){site, add_leave(pr, fn, b, origin)};
}

/* Where the instruction raises. A slow copy is part of its caller: it has noted everything. */
static Where where_of(Preparing *pr, const Fn *fn, const Ins *i) {
    const Block *b = &fn->blocks.at[i->block];
    Where w = new_where(pr, fn, b, i->span, i->origin);
    if (i->op == OP_REGION || (i->op == OP_CALL_FN && i->callee->is_slow)) w.leave = NULL;
    if (i->op == OP_CALL_RT && i->rt->effects & TYPED) {
        Type **type = NEWN(pr->cx, Type *, 1);
        type[0] = ir_slots_type(fn, i);
        pr->sites.at[w.site].arg_types = type;
        pr->sites.at[w.site].nargs = 1;
    }
    if (i->op != OP_EXC_MAKE) return w;
    Type **types = NEWN(pr->cx, Type *, i->nargs);
    for (uint32_t k = 0; k < i->nargs; k++) types[k] = ir_at(fn, i->args[k])->ty;
    pr->sites.at[w.site].arg_types = types;
    pr->sites.at[w.site].nargs = i->nargs;
    return w;
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
    if (named || (ir_effects(fn, r) & RAISES)) prep->where = where_of(pr, fn, i);
    if (i->op == OP_CONST) prep->parts = const_parts(pr->cx, i->k);
    if (i->op == OP_CALL_RT) prep->address = need_symbol(pr, i->rt->name);
    if (i->op == OP_MATH) {
        PartKind kind = (PartKind)ir_at(fn, i->args[0])->ty->parts[0];
        prep->address = interp_find_math(pr->cx, (MathFn)i->sub, kind, pr->find_symbol);
    }
    if (i->op == OP_CALL_FN || i->op == OP_REGION)
        prep->callee = &pr->p->fns[map_get(&pr->numbers, map_key(i->callee), 0)];
    if (i->op == OP_GLOBAL) prep->offset = global_slot(pr->p->m, i->imm);
    if (i->op == OP_STACK || i->op == OP_SHARED) {
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

static void prepare_block(Preparing *pr, InterpFn *f, BlockId id, Where *raise) {
    const Block *b = &f->fn->blocks.at[id];
    for (uint32_t k = 0; k < b->params.n; k++) prepare_ins(pr, f, b->params.at[k]);
    for (uint32_t k = 0; k < b->ins.n; k++)
        if (ir_at(f->fn, b->ins.at[k])->op != OP_NOP) prepare_ins(pr, f, b->ins.at[k]);
    const Edge *edges[] = {&b->term.succ[0], &b->term.succ[1], &b->handler};
    for (int k = 0; k < 3; k++) {
        uint32_t n = edge_parts(f->fn, edges[k]);
        if (n > f->nscratch) f->nscratch = n;
    }
    if (b->term.kind != TERM_RAISE) return;
    raise[id] = new_where(pr, f->fn, b, b->term.span, b->term.origin);
}

static void prepare_fn(Preparing *pr, InterpFn *f) {
    const Fn *fn = f->fn;
    f->prep = NEWN(pr->cx, Prep, fn->ins.n);
    Where *raise = NEWN(pr->cx, Where, fn->blocks.n);
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead) prepare_block(pr, f, b, raise);
    f->raise = raise;
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
    add_site(&pr, m->fns.at[0], &m->fns.at[0]->span,
             0); /* number 0: where nothing better is known */
    for (uint32_t i = 0; i < m->fns.n; i++) prepare_fn(&pr, &p->fns[i]);
    p->sites = pr.sites.at;
    p->nsites = pr.sites.n;
    const Fn *entry = m->fns.at[0];
    uint32_t nargs = 0;
    for (uint32_t i = 0; i < entry->nargs; i++) nargs += entry->args[i].ty->nparts;
    p->nslots = nargs > entry->ret->nparts ? nargs : entry->ret->nparts;
    return p;
}
