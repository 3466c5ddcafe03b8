/* See cut.h. */
#include "opt/cut.h"

Piece cut_piece(Cx *cx, Fn *fn, const BlockId *blocks, uint32_t nblocks) {
    Piece p = {fn, blocks, nblocks, NEWN(cx, bool, fn->blocks.n), fn->blocks.n};
    for (uint32_t k = 0; k < nblocks; k++) p.has[blocks[k]] = true;
    return p;
}

bool cut_find_handler(const Piece *p, const Edge **handler) {
    bool none = false;
    *handler = NULL;
    for (uint32_t k = 0; k < p->nblocks; k++) {
        const Block *b = &p->fn->blocks.at[p->blocks[k]];
        if (!opt_block_raises(p->fn, p->blocks[k])) continue;
        if (!opt_has_handler(b)) {
            none = true;
            continue;
        }
        if (cut_has(p, b->handler.to)) continue;
        if (*handler && !opt_same_edge(*handler, &b->handler)) return false;
        *handler = &b->handler;
        for (uint32_t i = 0; i < b->handler.n; i++)
            if (cut_computes(p, b->handler.args[i])) return false;
    }
    return !(*handler && none);
}

/* --- the new function ------------------------------------------------------------------------- */

Cut cut_begin(Cx *cx, const Piece *p, const char *word, Type *ret) {
    const Fn *fn = p->fn;
    Fn *to = ir_new_fn(cx, fn->name, STAGE_LOW);
    to->qualname = fn->qualname;
    to->symbol =
        cx_printf(cx, "%s.%s%u", fn->symbol ? fn->symbol : fn->name, word, fn->module->fns.n);
    to->file = fn->file;
    to->span = fn->span;
    to->options = fn->options;
    to->module = fn->module;
    to->ret = ret;
    for (uint32_t i = 0; i < fn->origins.n; i++) vec_push(cx, &to->origins, fn->origins.at[i]);
    ir_new_block(cx, to, "entry");
    return (Cut){.cx = cx, .piece = p, .to = to};
}

Ref cut_add_arg(Cut *c, const char *name, Type *ty) {
    Ref r = ir_add(c->cx, c->to, 0, OP_ARG, ty, (Span){0}, 0, NULL);
    ir_at(c->to, r)->imm = c->args.n;
    vec_push(c->cx, &c->args, ((FnArg){name, ty}));
    return r;
}

static void note_input(void *arg, Ref *use) {
    Cut *c = arg;
    const Ins *i = ir_at(c->piece->fn, *use);
    if (cut_has(c->piece, i->block) || map_get(&c->refs, *use, 0)) return;
    if (i->op == OP_CONST || i->op == OP_UNSET || i->op == OP_GLOBAL) {
        vec_push(c->cx, &c->consts, *use);
        map_set(c->cx, &c->refs, *use, UINT32_MAX); /* until the arguments are all there */
        return;
    }
    Ref made = cut_add_arg(c, cx_printf(c->cx, "v%u", *use), i->ty);
    vec_push(c->cx, &c->given, *use);
    map_set(c->cx, &c->refs, *use, made);
}

static void copy_consts(Cut *c) {
    for (uint32_t k = 0; k < c->consts.n; k++) {
        Ins i = *ir_at(c->piece->fn, c->consts.at[k]);
        Ref made = ir_add(c->cx, c->to, 0, (Op)i.op, i.ty, i.span, 0, NULL);
        i.block = 0;
        i.args = NULL;
        *ir_at(c->to, made) = i;
        map_set(c->cx, &c->refs, c->consts.at[k], made);
    }
}

void cut_add_inputs(Cut *c, const Edge *enter) {
    const Piece *p = c->piece;
    for (uint32_t k = 0; k < enter->n; k++) note_input(c, &enter->args[k]);
    for (uint32_t k = 0; k < p->nblocks; k++) ir_visit_uses(p->fn, p->blocks[k], note_input, c);
    copy_consts(c);
}

static void drop_outer_handlers(Cut *c) {
    const Piece *p = c->piece;
    for (uint32_t k = 0; k < p->nblocks; k++) {
        const Block *old = &p->fn->blocks.at[p->blocks[k]];
        BlockId copy = (BlockId)map_get(&c->ids, p->blocks[k], NO_BLOCK);
        if (opt_has_handler(old) && !cut_has(p, old->handler.to))
            c->to->blocks.at[copy].handler = (Edge){.to = NO_BLOCK};
    }
}

BlockId cut_finish(Cut *c) {
    const Piece *p = c->piece;
    ir_clone(c->cx, c->to, p->fn, p->blocks, p->nblocks, &c->refs, &c->ids);
    drop_outer_handlers(c);
    c->to->args = c->args.at;
    c->to->nargs = c->args.n;
    vec_push(c->cx, &p->fn->module->fns, c->to);
    return (BlockId)map_get(&c->ids, p->blocks[0], 0);
}
