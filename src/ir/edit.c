/* Making and changing IR. */
#include <string.h>

#include "base/assert.h"
#include "base/map.h"
#include "ir/ir.h"

/* --- making ----------------------------------------------------------------------------------- */

Fn *ir_new_fn(Cx *cx, const char *name, Stage stage) {
    Fn *fn = NEW(cx, Fn);
    fn->name = fn->qualname = name;
    fn->stage = stage;
    fn->options.boundscheck = true;
    vec_push(cx, &fn->ins, ((Ins){.block = NO_BLOCK})); /* Ref 0 means none */
    return fn;
}

static const Edge no_edge = {.to = NO_BLOCK};

BlockId ir_new_block(Cx *cx, Fn *fn, const char *label) {
    Block *b = vec_add(cx, &fn->blocks);
    b->label = label;
    b->handler = b->term.succ[0] = b->term.succ[1] = no_edge;
    return fn->blocks.n - 1;
}

static Ref *copy_refs(Cx *cx, uint32_t n, const Ref *args) {
    if (!n) return NULL;
    Ref *copy = NEWN(cx, Ref, n);
    memcpy(copy, args, n * sizeof *copy);
    return copy;
}

/* A new value that stands in no list yet. */
static Ref new_ins(Cx *cx, Fn *fn, BlockId b, Op op, Type *ty, Span span, uint32_t nargs,
                   const Ref *args) {
    WS_ASSERT(nargs <= UINT16_MAX);
    Ref *copy = copy_refs(cx, nargs, args);
    Ins *i = vec_add(cx, &fn->ins);
    i->op = (uint16_t)op;
    i->nargs = (uint16_t)nargs;
    i->args = copy;
    i->block = b;
    i->ty = ty;
    i->span = span;
    return fn->ins.n - 1;
}

Ref ir_add(Cx *cx, Fn *fn, BlockId b, Op op, Type *ty, Span span, uint32_t nargs, const Ref *args) {
    Ref r = new_ins(cx, fn, b, op, ty, span, nargs, args);
    vec_push(cx, &fn->blocks.at[b].ins, r);
    return r;
}

static void insert_ref(Cx *cx, Refs *list, uint32_t at, Ref r) {
    WS_ASSERT(at <= list->n);
    vec_push(cx, list, 0);
    memmove(list->at + at + 1, list->at + at, (list->n - 1 - at) * sizeof r);
    list->at[at] = r;
}

Ref ir_insert(Cx *cx, Fn *fn, BlockId b, uint32_t at, Op op, Type *ty, Span span, uint32_t nargs,
              const Ref *args) {
    Ref r = new_ins(cx, fn, b, op, ty, span, nargs, args);
    insert_ref(cx, &fn->blocks.at[b].ins, at, r);
    return r;
}

Ref ir_add_param(Cx *cx, Fn *fn, BlockId b, Type *ty) {
    Ref r = new_ins(cx, fn, b, OP_PARAM, ty, (Span){0}, 0, NULL);
    Block *block = &fn->blocks.at[b];
    ir_at(fn, r)->imm = block->params.n;
    vec_push(cx, &block->params, r);
    return r;
}

Ref ir_const(Cx *cx, Fn *fn, BlockId b, Const *k, Span span) {
    Ref r = ir_add(cx, fn, b, OP_CONST, k->ty, span, 0, NULL);
    ir_at(fn, r)->k = k;
    return r;
}

Const *ir_const_int(Cx *cx, Type *ty, int64_t i) {
    Const *k = NEW(cx, Const);
    k->ty = ty;
    k->i = i;
    return k;
}

Const *ir_const_float(Cx *cx, Type *ty, double f) {
    Const *k = NEW(cx, Const);
    k->ty = ty;
    k->f[0] = f;
    return k;
}

static bool has_equal_items(const Const *a, const Const *b) {
    if (a->seq.n != b->seq.n) return false;
    for (uint32_t i = 0; i < a->seq.n; i++)
        if (!ir_const_equal(a->seq.items[i], b->seq.items[i])) return false;
    return true;
}

static uint64_t float_bits(double f) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

bool ir_const_equal(const Const *a, const Const *b) {
    if (a == b) return true;
    if (a->ty != b->ty || a->obj != b->obj) return false;
    switch ((TyKind)a->ty->kind) {
    case TY_BOOL:
    case TY_INT:
    case TY_ENUM:
    case TY_PTR: return a->i == b->i;
    case TY_FLOAT: return float_bits(a->f[0]) == float_bits(b->f[0]);
    case TY_COMPLEX:
        return float_bits(a->f[0]) == float_bits(b->f[0]) &&
               float_bits(a->f[1]) == float_bits(b->f[1]);
    case TY_STR:
    case TY_BYTES:
        return a->str.n == b->str.n && (!a->str.n || memcmp(a->str.s, b->str.s, a->str.n) == 0);
    case TY_TUPLE:
    case TY_SLICE:
    case TY_OPTIONAL:
    case TY_RANGE: return has_equal_items(a, b);
    case TY_UNDEF:
    case TY_NONE:
    case TY_DTYPE:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_ARRAY: return true; /* the type or the object says it all */
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_EXC:
    case TY_KINDS: break; /* never constants */
    }
    return false;
}

/* --- terminators ------------------------------------------------------------------------------ */

Edge ir_edge(Cx *cx, BlockId to, uint32_t n, const Ref *args) {
    return (Edge){.to = to, .n = n, .args = copy_refs(cx, n, args)};
}

static void set_term(Fn *fn, BlockId b, Term t) { fn->blocks.at[b].term = t; }

void ir_jump(Cx *cx, Fn *fn, BlockId b, BlockId to, uint32_t n, const Ref *args) {
    Edge e = ir_edge(cx, to, n, args);
    set_term(fn, b, (Term){.kind = TERM_JUMP, .succ = {e, no_edge}});
}

void ir_branch(Cx *cx, Fn *fn, BlockId b, Ref cond, Edge yes, Edge no, Span span) {
    (void)cx;
    set_term(fn, b, (Term){.kind = TERM_BRANCH, .arg = cond, .succ = {yes, no}, .span = span});
}

void ir_return(Fn *fn, BlockId b, Ref value, Span span) {
    set_term(fn, b,
             (Term){.kind = TERM_RETURN, .arg = value, .succ = {no_edge, no_edge}, .span = span});
}

void ir_raise(Fn *fn, BlockId b, Ref exc, Ref cause, Span span) {
    set_term(fn, b,
             (Term){.kind = TERM_RAISE,
                    .arg = exc,
                    .arg2 = cause,
                    .succ = {no_edge, no_edge},
                    .span = span});
}

/* --- taking away ------------------------------------------------------------------------------ */

void ir_kill(Fn *fn, Ref r) {
    Ins *i = ir_at(fn, r);
    WS_ASSERT(i->op != OP_PARAM);
    i->op = OP_NOP;
    i->nargs = 0;
    i->block = NO_BLOCK;
}

static void remove_ref(Refs *list, uint32_t at) {
    memmove(list->at + at, list->at + at + 1, (list->n - 1 - at) * sizeof(Ref));
    list->n--;
}

void ir_delete(Fn *fn, Ref r) {
    Refs *list = &fn->blocks.at[ir_at(fn, r)->block].ins;
    uint32_t at = list->n;
    while (at > 0 && list->at[at - 1] != r) at--;
    WS_ASSERT(at > 0);
    remove_ref(list, at - 1);
    ir_kill(fn, r);
}

void ir_sweep(Fn *fn) {
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        Refs *list = &fn->blocks.at[b].ins;
        uint32_t n = 0;
        for (uint32_t i = 0; i < list->n; i++)
            if (ir_at(fn, list->at[i])->op != OP_NOP) list->at[n++] = list->at[i];
        list->n = n;
    }
}

void ir_kill_block(Fn *fn, BlockId b) {
    Block *block = &fn->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++) ir_kill(fn, block->ins.at[i]);
    for (uint32_t i = 0; i < block->params.n; i++) {
        ir_at(fn, block->params.at[i])->op = OP_NOP;
        ir_at(fn, block->params.at[i])->block = NO_BLOCK;
    }
    block->ins.n = block->params.n = 0;
    block->term = (Term){.kind = TERM_UNREACHABLE, .succ = {no_edge, no_edge}};
    block->handler = no_edge;
    block->dead = true;
}

static void drop_edge_arg(Edge *e, BlockId to, uint32_t i) {
    if (e->to != to) return;
    memmove(e->args + i, e->args + i + 1, (e->n - 1 - i) * sizeof(Ref));
    e->n--;
}

void ir_delete_param(Fn *fn, BlockId b, uint32_t i) {
    Refs *params = &fn->blocks.at[b].params;
    Ins *gone = ir_at(fn, params->at[i]);
    gone->op = OP_NOP;
    gone->block = NO_BLOCK;
    remove_ref(params, i);
    for (uint32_t k = i; k < params->n; k++) ir_at(fn, params->at[k])->imm = k;
    for (BlockId from = 0; from < fn->blocks.n; from++) {
        Block *block = &fn->blocks.at[from];
        if (block->dead) continue;
        drop_edge_arg(&block->term.succ[0], b, i);
        drop_edge_arg(&block->term.succ[1], b, i);
        if (block->handler.to == b) {
            WS_ASSERT(i > 0); /* the exception itself is not an argument */
            drop_edge_arg(&block->handler, b, i - 1);
        }
    }
}

/* --- renaming --------------------------------------------------------------------------------- */

static void visit_edge(Edge *e, RefVisitor visit, void *arg) {
    if (e->to == NO_BLOCK) return;
    for (uint32_t i = 0; i < e->n; i++) visit(arg, &e->args[i]);
}

void ir_visit_uses(Fn *fn, BlockId b, RefVisitor visit, void *arg) {
    Block *block = &fn->blocks.at[b];
    for (uint32_t i = 0; i < block->ins.n; i++) {
        Ins *in = ir_at(fn, block->ins.at[i]);
        for (uint32_t k = 0; k < in->nargs; k++) visit(arg, &in->args[k]);
    }
    if (block->term.arg) visit(arg, &block->term.arg);
    if (block->term.arg2) visit(arg, &block->term.arg2);
    visit_edge(&block->term.succ[0], visit, arg);
    visit_edge(&block->term.succ[1], visit, arg);
    visit_edge(&block->handler, visit, arg);
}

static void visit_all(Fn *fn, RefVisitor visit, void *arg) {
    for (BlockId b = 0; b < fn->blocks.n; b++)
        if (!fn->blocks.at[b].dead) ir_visit_uses(fn, b, visit, arg);
}

static void replace_one(void *arg, Ref *use) {
    const Ref *pair = arg;
    if (*use == pair[0]) *use = pair[1];
}

void ir_replace_uses(Fn *fn, Ref from, Ref to) {
    Ref pair[2] = {from, to};
    visit_all(fn, replace_one, pair);
}

static void rename_one(void *arg, Ref *use) {
    const Ref *to = arg;
    while (to[*use]) *use = to[*use];
}

void ir_rename_uses(Fn *fn, const Ref *to) { visit_all(fn, rename_one, (void *)(uintptr_t)to); }

/* --- cutting and copying ---------------------------------------------------------------------- */

BlockId ir_split(Cx *cx, Fn *fn, BlockId b, uint32_t at) {
    BlockId tail = ir_new_block(cx, fn, fn->blocks.at[b].label);
    Block *from = &fn->blocks.at[b], *to = &fn->blocks.at[tail];
    WS_ASSERT(at <= from->ins.n);
    for (uint32_t i = at; i < from->ins.n; i++) {
        Ref r = from->ins.at[i];
        ir_at(fn, r)->block = tail;
        vec_push(cx, &to->ins, r);
    }
    from->ins.n = at;
    to->term = from->term;
    to->handler = ir_edge(cx, from->handler.to, from->handler.n, from->handler.args);
    from->term = (Term){.kind = TERM_NONE, .succ = {no_edge, no_edge}};
    return tail;
}

/* A copy of one instruction, its operands not yet renamed. */
static Ref copy_ins(Cx *cx, Fn *into, const Fn *fn, Ref r, BlockId to) {
    Ins old = *ir_at(fn, r);
    Ref copy = new_ins(cx, into, to, (Op)old.op, old.ty, old.span, old.nargs, old.args);
    old.args = ir_at(into, copy)->args;
    old.block = to;
    *ir_at(into, copy) = old;
    return copy;
}

static void copy_body(Cx *cx, Fn *into, const Fn *fn, BlockId b, BlockId to, Map *refs) {
    for (uint32_t i = 0; i < fn->blocks.at[b].params.n; i++) {
        Ref r = fn->blocks.at[b].params.at[i];
        Ref copy = copy_ins(cx, into, fn, r, to);
        ir_at(into, copy)->imm = into->blocks.at[to].params.n;
        vec_push(cx, &into->blocks.at[to].params, copy);
        map_set(cx, refs, r, copy);
    }
    for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++) {
        Ref r = fn->blocks.at[b].ins.at[i];
        if (map_get(refs, r, 0) || ir_at(fn, r)->op == OP_NOP) continue;
        Ref copy = copy_ins(cx, into, fn, r, to);
        vec_push(cx, &into->blocks.at[to].ins, copy);
        map_set(cx, refs, r, copy);
    }
}

static Edge copy_edge(Cx *cx, Edge e, const Map *ids) {
    if (e.to == NO_BLOCK) return no_edge;
    return ir_edge(cx, (BlockId)map_get(ids, e.to, e.to), e.n, e.args);
}

static void rename_mapped(void *arg, Ref *use) { *use = (Ref)map_get(arg, *use, *use); }

void ir_clone(Cx *cx, Fn *into, const Fn *fn, const BlockId *blocks, uint32_t n, struct Map *refs,
              struct Map *ids) {
    VEC(BlockId) made = {0};
    for (uint32_t i = 0; i < n; i++) {
        BlockId to = (BlockId)map_get(ids, blocks[i], NO_BLOCK);
        if (to == NO_BLOCK) to = ir_new_block(cx, into, fn->blocks.at[blocks[i]].label);
        map_set(cx, ids, blocks[i], to);
        vec_push(cx, &made, to);
    }
    for (uint32_t i = 0; i < n; i++) copy_body(cx, into, fn, blocks[i], made.at[i], refs);
    for (uint32_t i = 0; i < n; i++) {
        const Block *from = &fn->blocks.at[blocks[i]];
        Term t = from->term;
        t.succ[0] = copy_edge(cx, t.succ[0], ids);
        t.succ[1] = copy_edge(cx, t.succ[1], ids);
        into->blocks.at[made.at[i]].term = t;
        into->blocks.at[made.at[i]].handler = copy_edge(cx, from->handler, ids);
        into->blocks.at[made.at[i]].axis = from->axis;
        ir_visit_uses(into, made.at[i], rename_mapped, refs);
    }
}
