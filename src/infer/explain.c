/* Errors of inference, and where types came from. */
#include "infer/infer_int.h"

const char *infer_type_text(Cx *cx, const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_NONE: return "None";
    case TY_STR: return "str";
    case TY_BYTES: return "bytes";
    case TY_UNDEF: return "a value of unknown type";
    case TY_EXC: return "an exception";
    case TY_FUNC: return cx_printf(cx, "the function %s", ty->name);
    case TY_MODULE: return cx_printf(cx, "the module %s", ty->name);
    case TY_CLASS: return cx_printf(cx, "the class %s", ty->name);
    case TY_CLOSURE: {
        const Row *row = row_of_closure(ty);
        return row ? cx_printf(cx, "the method %s", row->name) : cx_printf(cx, "the inner function %s", ty->name);
    }
    default: return ty->name;
    }
}

Type *infer_fail(Infer *in, Span span, DiagId id, ...) {
    if (!in->final) return NULL;
    va_list ap;
    va_start(ap, id);
    diag_vfail(in->cx, span, id, ap);
}

Type *infer_fail_about(Infer *in, Inst *inst, const Ref *about, uint32_t n, Span span, DiagId id, ...) {
    if (!in->final) return NULL;
    for (uint32_t i = 0; i < n; i++) infer_explain(in, inst, about[i]);
    va_list ap;
    va_start(ap, id);
    diag_vfail(in->cx, span, id, ap);
}

static const char *ordinal(Cx *cx, uint32_t i) { return cx_printf(cx, "argument %u", i + 1); }

/* A variable that is assigned in several places: one note for each. */
static void explain_param(Infer *in, Inst *inst, const Ins *ins, int depth);

static void explain_at(Infer *in, Inst *inst, Ref r, const char *as, int depth) {
    Cx *cx = in->cx;
    const Ins *ins = ir_at(inst->high, r);
    const char *ty = infer_type_text(cx, ins->ty);
    const char *name = as ? as : build_name_of(inst->high, r);
    const char *who = name ? cx_printf(cx, "'%s' is %s", name, ty) : cx_printf(cx, "this is %s", ty);
    switch ((Op)ins->op) {
    case OP_ARG:
        if ((uint32_t)ins->imm < inst->def->nparams)
            diag_note(cx, inst->def->node ? (Span){0} : ins->span, "'%s' is %s: %s of %s",
                      inst->def->params[ins->imm], ty, ordinal(cx, (uint32_t)ins->imm), inst->def->name);
        else
            diag_note(cx, (Span){0}, "%s, captured from %s", who, inst->def->outer ? inst->def->outer->name : "outside");
        break;
    case OP_CONST:
        if (ty_is_number(ins->ty) || ins->ty->kind == TY_STR || ins->ty->kind == TY_NONE) {
            if (name) diag_note(cx, ins->span, "%s", who);
        } else {
            diag_note(cx, ins->span, "%s", who);
        }
        break;
    case OP_STRONG: explain_at(in, inst, ins->args[0], name, depth); break;
    case OP_PARAM:
        if (depth < 3) explain_param(in, inst, ins, depth);
        break;
    case OP_GLOBAL: diag_note(cx, ins->span, "%s, a global", who); break;
    default: diag_note(cx, ins->span, "%s", who); break;
    }
}

static void explain_param(Infer *in, Inst *inst, const Ins *ins, int depth) {
    InstState *s = inst->state;
    if (ins->name) diag_note(in->cx, (Span){0}, "'%s' is %s here", ins->name, infer_type_text(in->cx, ins->ty));
    uint32_t told = 0;
    for (uint32_t i = 0; i < s->preds[ins->block].n && told < 3; i++) {
        Pred p = s->preds[ins->block].at[i];
        if (!infer_edge_taken(inst, p.block, p.succ) || p.succ == 2) continue;
        Ref v = inst->high->blocks.at[p.block].term.succ[p.succ].args[ins->imm];
        if (ir_at(inst->high, v)->ty->kind == TY_UNDEF || ir_at(inst->high, v)->op == OP_PARAM) continue;
        explain_at(in, inst, v, ins->name, depth + 1);
        told++;
    }
}

void infer_explain(Infer *in, Inst *inst, Ref r) {
    if (in->final) explain_at(in, inst, r, NULL, 0);
}
