/* Elements that may be read in any iteration, since what is asked before the nest covers all of them. */
#include "opt/version.h"

static bool same_used(const Lin *a, const Lin *b) {
    return lin_equal(*a, *b) && a->condition == b->condition;
}

/* Is all that was asked since m asked before it already? */
static bool asks_nothing_new(const Version *v, Mark m) {
    for (uint32_t i = m.goals; i < v->goals.n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < m.goals && !known; k++)
            known = version_same_goal(&v->goals.at[k], &v->goals.at[i]);
        if (!known) return false;
    }
    for (uint32_t i = m.used; i < v->af->used.n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < m.used && !known; k++)
            known = same_used(&v->af->used.at[k], &v->af->used.at[i]);
        if (!known) return false;
    }
    return true;
}

/* Where the iterations of b's innermost loop start; NO_BLOCK: b does not stand behind a condition. */
static BlockId find_body(const Version *v, BlockId b) {
    const Loop *l = v->af->loops->of[b];
    if (!l || l->latch == NO_BLOCK || cfg_dominates(v->af->cfg, b, l->latch)) return NO_BLOCK;
    const Term *t = &v->fn->blocks.at[l->header].term;
    if (t->kind != TERM_BRANCH) return NO_BLOCK;
    BlockId body = t->succ[!affine_is_in(v->af, l, t->succ[0].to)].to;
    return v->af->in.start[body + 1] - v->af->in.start[body] == 1 ? body : NO_BLOCK;
}

/* Is 0 <= i < size shown for all iterations by what is asked already? */
static bool is_free(Version *v, Ref i, Ref size, BlockId body) {
    Mark m = version_mark(v);
    Lin at = affine_lin(v->af, i, LIN_ASSUME), end = affine_lin(v->af, size, LIN_ASSUME);
    bool good = version_add_goal(v, lin_add(lin_const(0), at, -1), body) &&
                version_add_goal(v, lin_add(lin_add(at, end, -1), lin_const(1), 1), body) &&
                asks_nothing_new(v, m);
    version_forget(v, m);
    return good;
}

void version_note_free(Version *v, BlockId b, Ref i, Ref size) {
    BlockId body = find_body(v, b);
    if (body != NO_BLOCK && is_free(v, i, size, body))
        vec_push(v->cx, &v->frees, ((Free){b, i, size}));
}

static bool is_free_axis(Version *v, BlockId b, const Ins *elem, uint32_t a) {
    Ref i = subst_get(&v->sub, elem->args[1 + a]), size = affine_size(v->af, elem->args[0], a);
    for (uint32_t k = 0; k < v->frees.n; k++) {
        const Free *f = &v->frees.at[k];
        if (f->block == b && f->index == i && f->size == size) return true;
    }
    BlockId body = find_body(v, b);
    return size && body != NO_BLOCK && is_free(v, i, size, body);
}

void version_mark_free_loads(Version *v) {
    for (uint32_t k = 0; k < v->nest->nblocks && v->frees.n; k++) {
        BlockId b = v->nest->blocks[k];
        for (uint32_t i = 0; i < v->fn->blocks.at[b].ins.n; i++) {
            Ins *load = ir_at(v->fn, v->fn->blocks.at[b].ins.at[i]);
            if (load->op != OP_LOAD) continue;
            const Ins *elem = ir_at(v->fn, load->args[0]);
            bool good = elem->op == OP_ELEM;
            for (uint32_t a = 0; good && a + 1 < elem->nargs; a++)
                good = is_free_axis(v, b, elem, a);
            if (good) load->imm2 = 1;
        }
    }
}
