/* Conditions that tell that a variable is not None: `x is None`, `x is not None`, and the truth of one that None is
 * assigned to. On the way where it is not, the variable is written anew, as what it is without the None. */
#include "build/build_int.h"

static bool is_none(const Node *n) { return n->kind == N_LITERAL && n->lit->kind == LIT_NONE; }

/* The variable; NULL: it is not one of this function's own. */
static const Var *find_own(const Builder *b, const Node *n) {
    const Var *v = n->kind == N_NAME ? bd_find_var(b->scope, n->name) : NULL;
    return v && v->kind == VAR_LOCAL ? v : NULL;
}

/* What is not None if the condition is *when. */
static const Var *find_narrowed(const Builder *b, const Node *n, bool *when) {
    *when = true;
    if (n->kind == N_NAME) {
        const Var *v = find_own(b, n);
        return v && v->takes_none ? v : NULL;
    }
    if (n->kind != N_COMPARE || n->n != 1 || !is_none(n->list[0])) return NULL;
    bool same = n->ops[0] == CMP_IS || n->ops[0] == CMP_EQ;
    if (!same && n->ops[0] != CMP_ISNOT && n->ops[0] != CMP_NE) return NULL;
    *when = !same;
    return find_own(b, n->a);
}

void bd_branch_on(Builder *b, const Node *n, Ref cond, BlockId yes, BlockId no) {
    bool when;
    const Var *v = find_narrowed(b, n, &when);
    if (!v) {
        bd_branch(b, cond, yes, no, n->span);
        return;
    }
    BlockId some = bd_new_block(b, "not_none");
    bd_branch(b, cond, when ? some : yes, when ? no : some, n->span);
    if (!bd_enter(b, some)) return;
    Ref value = bd_add1(b, OP_SOME, n->span, bd_read(b, v->id));
    ir_at(b->fn, value)->name = v->name;
    bd_write(b, v->id, value);
    bd_jump(b, when ? yes : no);
}
