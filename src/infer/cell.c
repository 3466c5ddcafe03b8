/* Variables that inner functions assign to (nonlocal): the type of what their cell holds.
 *
 * It is the join over all assignments. Those of its own function are found as uses of the cell. An inner function gets
 * the cell as an argument, made for its type; what it assigns that does not fit is noted for the owner's variable (by
 * its definition, name and type so far), the cell is typed again, and the inner function is then made for the wider
 * one. */
#include <string.h>

#include "infer/infer_int.h"

/* The function that the captured variable `name` of def belongs to. */
static const FnDef *find_owner(const FnDef *def, const char *name) {
    const FnDef *d = def->outer;
    for (uint32_t i = 0; d && i < d->ncaptures; i++)
        if (strcmp(d->captures[i], name) == 0) return find_owner(d, name);
    return d;
}

static bool is_wider(const Wider *w, const FnDef *def, const char *name, const Type *of) {
    return w->def == def && w->of == of && strcmp(w->name, name) == 0;
}

/* What the inner functions need the cell to hold. */
static Type *widen(const Infer *in, const FnDef *def, const char *name, Type *of) {
    for (uint32_t i = 0; i < in->wider.n; i++)
        if (is_wider(&in->wider.at[i], def, name, of)) return in->wider.at[i].to;
    return of;
}

static void type_cells_again(Infer *in, const FnDef *def) {
    for (uint32_t i = 0; i < in->insts.n; i++) {
        Inst *inst = in->insts.at[i];
        for (Ref r = 1; inst->def == def && r < inst->high->ins.n; r++)
            if (ir_at(inst->high, r)->op == OP_CELL_NEW) infer_again(in, inst, r);
    }
}

/* The inner function `inst` assigns what makes the variable `to`. */
static void note_wider(Infer *in, const Inst *inst, const Ins *cell, Type *of, Type *to) {
    const char *name = inst->def->captures[cell->imm - inst->def->nparams];
    const FnDef *def = find_owner(inst->def, name);
    for (uint32_t i = 0; i < in->wider.n; i++) {
        Wider *w = &in->wider.at[i];
        if (!is_wider(w, def, name, of)) continue;
        Type *both = ty_join(w->to, to);
        if (!both || both == w->to) return;
        w->to = both;
        type_cells_again(in, def);
        return;
    }
    vec_push(in->cx, &in->wider, ((Wider){def, name, of, to}));
    type_cells_again(in, def);
}

Type *infer_cell_new(Infer *in, Inst *inst, Ref r, const Ins *ins) {
    InstState *s = inst->state;
    Type *of = ir_at(inst->high, ins->args[0])->ty;
    for (uint32_t i = s->use_start[r]; i < s->use_start[r + 1]; i++) {
        if (s->users[i] & USER_BLOCK) continue;
        const Ins *user = ir_at(inst->high, s->users[i]);
        if (user->op != OP_CELL_SET || user->args[0] != r) continue;
        Type *ty = ir_at(inst->high, user->args[1])->ty, *join = ty_join(of, ty);
        if (!join)
            return infer_fail_about(in, inst, &user->args[1], 1, user->span, D_NO_JOIN,
                                    cx_printf(in->cx, "'%s'", ins->name),
                                    infer_type_text(in->cx, of), infer_type_text(in->cx, ty));
        of = join;
    }
    return of->kind == TY_UNDEF ? NULL : ty_cell(widen(in, inst->def, ins->name, of));
}

Type *infer_cell_set(Infer *in, Inst *inst, const Ins *ins) {
    const Ins *cell = ir_at(inst->high, ins->args[0]);
    Type *ty = ir_at(inst->high, ins->args[1])->ty;
    if (ty->kind == TY_UNDEF) return NULL;
    if (cell->op == OP_CELL_NEW) infer_again(in, inst, ins->args[0]);
    if (cell->ty->kind == TY_UNDEF || cell->op == OP_CELL_NEW) return TY_OF(TY_NONE);
    Type *of = cell->ty->of, *join = ty_join(of, ty);
    if (join == of) return TY_OF(TY_NONE);
    if (join && !in->final) {
        note_wider(in, inst, cell, of, join);
        return TY_OF(TY_NONE);
    }
    const char *name = inst->def->captures[cell->imm - inst->def->nparams];
    infer_hint(in, "give the variable a first value of this type where it is defined");
    return infer_fail_about(in, inst, &ins->args[1], 1, ins->span, D_NO_JOIN,
                            cx_printf(in->cx, "'%s'", name), infer_type_text(in->cx, of),
                            infer_type_text(in->cx, ty));
}
