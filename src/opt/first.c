/* See first.h. */
#include "opt/first.h"

Ref first_read(First *f, BlockId to, Ref r) {
    Ref made = (Ref)map_get(&f->copies, r, 0);
    if (made) return made;
    if (!affine_is_in(f->af, f->loop, ir_at(f->fn, r)->block)) return r;
    Ins i = *ir_at(f->fn, r);
    Refs args = {0};
    for (uint32_t a = 0; a < i.nargs; a++) vec_push(f->cx, &args, first_read(f, to, i.args[a]));
    made = ir_add(f->cx, f->fn, to, (Op)i.op, i.ty, i.span, args.n, args.at);
    i.args = ir_at(f->fn, made)->args;
    i.block = to;
    *ir_at(f->fn, made) = i;
    map_set(f->cx, &f->copies, r, made);
    return made;
}

static bool is_simple(const First *f, Ref r, uint32_t depth) {
    const Ins *i = ir_at(f->fn, r);
    if (!affine_is_in(f->af, f->loop, i->block)) return true;
    if (i->op == OP_PARAM) return i->block == f->loop->header;
    if (!depth || !opt_is_pure(f->fn, r)) return false;
    for (uint32_t a = 0; a < i->nargs; a++)
        if (!is_simple(f, i->args[a], depth - 1)) return false;
    return true;
}

bool first_can_read(const First *f, Ref r) { return is_simple(f, r, 8); }

bool first_look(First *f, const Loop *loop) {
    const Block *header = &f->fn->blocks.at[loop->header];
    const Term *t = &header->term;
    f->loop = loop;
    f->before = loop->preheader;
    f->block = NO_BLOCK;
    f->copies = (Map){0};
    if (loop->preheader == NO_BLOCK || t->kind != TERM_BRANCH) return false;
    if (affine_is_in(f->af, loop, t->succ[0].to) == affine_is_in(f->af, loop, t->succ[1].to))
        return false;
    for (uint32_t i = 0; i < header->ins.n; i++)
        if (!opt_is_pure(f->fn, header->ins.at[i])) return false;
    return first_can_read(f, t->arg);
}

void first_enter(First *f) {
    const Refs *params = &f->fn->blocks.at[f->loop->header].params;
    BlockId from = f->block == NO_BLOCK ? f->before : f->block;
    const Edge *in = &f->fn->blocks.at[from].term.succ[0];
    f->copies = (Map){0};
    for (uint32_t i = 0; i < params->n; i++) map_set(f->cx, &f->copies, params->at[i], in->args[i]);
}

void first_make(First *f, const Edge *handler) {
    Fn *fn = f->fn;
    Edge in = fn->blocks.at[f->before].term.succ[0];
    first_enter(f);
    Ref test = first_read(f, f->before, fn->blocks.at[f->loop->header].term.arg);
    f->copies = (Map){0};
    f->block = ir_new_block(f->cx, fn, "first");
    ir_jump(f->cx, fn, f->block, in.to, in.n, in.args);
    Edge to_first = ir_edge(f->cx, f->block, 0, NULL);
    bool yes = affine_is_in(f->af, f->loop, fn->blocks.at[f->loop->header].term.succ[0].to);
    ir_branch(f->cx, fn, f->before, test, yes ? to_first : in, yes ? in : to_first, (Span){0});
    if (handler->to != NO_BLOCK)
        fn->blocks.at[f->block].handler = ir_edge(f->cx, handler->to, handler->n, handler->args);
}
