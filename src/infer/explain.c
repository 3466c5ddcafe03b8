/* Errors of inference, and where types came from. */
#include <string.h>

#include "infer/infer_int.h"

/* --- types in words ------------------------------------------------------------------------------ */

/* "module math" and the like: the name alone. */
static const char *bare_name(const Type *ty) {
    const char *blank = strchr(ty->name, ' ');
    return blank ? blank + 1 : ty->name;
}

static const char *tuple_text(Cx *cx, const Type *ty) {
    enum { SHOWN = 12 };
    Buf items = {0};
    uint32_t same = 1;
    while (same < ty->nitems && ty->items[same] == ty->items[0]) same++;
    if (same == ty->nitems && ty->nitems > 4 && !ty->names)
        return cx_printf(cx, "tuple of %u %s", ty->nitems, infer_type_text(cx, ty->items[0]));
    for (uint32_t i = 0; i < ty->nitems && i < SHOWN; i++)
        buf_printf(cx, &items, "%s%s%s%s", i ? ", " : "", ty->names ? ty->names[i] : "",
                   ty->names ? "=" : "", infer_type_text(cx, ty->items[i]));
    if (ty->nitems > SHOWN) buf_printf(cx, &items, ", and %u more", ty->nitems - SHOWN);
    if (ty->nitems == 1) buf_printf(cx, &items, ",");
    const char *inside = items.at ? items.at : "";
    if (ty->names) return cx_printf(cx, "named tuple (%s)", inside);
    return cx_printf(cx, "tuple (%s)", inside);
}

const char *infer_type_text(Cx *cx, const Type *ty) {
    switch ((TyKind)ty->kind) {
    case TY_NONE: return "None";
    case TY_STR: return "str";
    case TY_BYTES: return "bytes";
    case TY_UNDEF: return "a value of unknown type";
    case TY_EXC:
        return ty->bits == EXC_ITSELF      ? "an exception"
               : ty->bits == EXC_ITS_CLASS ? "the class of an exception"
                                           : "the arguments of an exception";
    case TY_TUPLE: return tuple_text(cx, ty);
    case TY_OPTIONAL: return cx_printf(cx, "%s or None", infer_type_text(cx, ty->of));
    case TY_ENUM: return cx_printf(cx, "a member of an enum (%s)", ty->name);
    case TY_FUNC: return cx_printf(cx, "the function %s", bare_name(ty));
    case TY_MODULE: return cx_printf(cx, "the module %s", bare_name(ty));
    case TY_CLASS: return cx_printf(cx, "the class %s", bare_name(ty));
    case TY_CLOSURE: {
        const Row *row = row_of_closure(ty);
        return row ? cx_printf(cx, "the method %s", row->name)
                   : cx_printf(cx, "the inner function %s", bare_name(ty));
    }
    default: return ty->name;
    }
}

const char *infer_value_text(Cx *cx, const Type *ty) {
    const char *text = infer_type_text(cx, ty);
    switch ((TyKind)ty->kind) {
    case TY_NONE:
    case TY_UNDEF:
    case TY_EXC:
    case TY_ENUM:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_BYTES:
    case TY_CLOSURE: return text;
    default: break;
    }
    bool vowel = strchr("aeio", text[0]) || strncmp(text, "unal", 4) == 0;
    return cx_printf(cx, "%s %s", vowel ? "an" : "a", text);
}

const char *infer_types_text(Cx *cx, const Arg *args, uint32_t n) {
    Buf out = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (!args[i].ty) continue;
        if (args[i].packed) {
            const char *inside = infer_types_text(cx, args[i].packed, args[i].ty->nitems);
            if (inside[0]) buf_printf(cx, &out, "%s%s", out.n ? ", " : "", inside);
            continue;
        }
        buf_printf(cx, &out, "%s%s", out.n ? ", " : "", infer_type_text(cx, args[i].ty));
    }
    return out.at ? out.at : "";
}

const char *infer_python_error(Cx *cx) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    const char *r = s ? cx_name(cx, s) : "an error without a text";
    build_clear_error();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return r;
}

/* --- failing -------------------------------------------------------------------------------------- */

Type *infer_fail(Infer *in, Span span, DiagId id, ...) {
    if (!in->final) return NULL;
    va_list ap;
    va_start(ap, id);
    diag_vfail(in->cx, span, id, ap);
}

Type *infer_fail_about(Infer *in, Inst *inst, const Ref *about, uint32_t n, Span span, DiagId id,
                       ...) {
    if (!in->final) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!i || about[i] != about[0]) infer_explain(in, inst, about[i]);
    va_list ap;
    va_start(ap, id);
    diag_vfail(in->cx, span, id, ap);
}

void infer_hint(Infer *in, const char *text) {
    if (in->final) diag_hint(in->cx, "%s", text);
}

void infer_suggest(Infer *in, const Near *near, const char *otherwise) {
    if (!in->final) return;
    if (near->best)
        diag_hint(in->cx, "did you mean '%s'?", near->best);
    else if (otherwise)
        diag_hint(in->cx, "%s", otherwise);
}

static bool lies_in(Span in, Span outer) {
    bool starts = in.line > outer.line || (in.line == outer.line && in.col >= outer.col);
    bool ends = in.end_line < outer.end_line ||
                (in.end_line == outer.end_line && in.end_col <= outer.end_col);
    return in.line && in.file == outer.file && starts && ends;
}

Span infer_part(const Inst *inst, Ref r, Ref operand) {
    Span whole = ir_at(inst->high, r)->span, part = ir_at(inst->high, operand)->span;
    return lies_in(part, whole) ? part : whole;
}

/* --- where a value came from ------------------------------------------------------------------------ */

static bool is_identifier(const char *s) {
    for (; *s; s++)
        if (!(*s == '_' || (*s >= '0' && *s <= '9') || ((*s | 32) >= 'a' && (*s | 32) <= 'z') ||
              (unsigned char)*s >= 0x80))
            return false;
    return true;
}

/* 'name' or `expression`. */
static const char *who_is(Cx *cx, const char *name, const Ins *ins) {
    if (name) return cx_printf(cx, "'%s'", name);
    const char *text = diag_source(cx, ins->span);
    if (!text) return "this";
    return cx_printf(cx, is_identifier(text) ? "'%s'" : "`%s`", text);
}

static void explain_arg(Infer *in, Inst *inst, const Ins *ins, const char *who, const char *ty) {
    const FnDef *def = inst->def;
    uint32_t i = (uint32_t)ins->imm;
    if (i >= def->nparams) {
        diag_note(in->cx, (Span){0}, "%s is %s, captured from %s", who, ty,
                  def->outer ? def->outer->name : "outside");
        return;
    }
    Span span = ins->span; /* the parameter */
    if (def->has_varargs && i == def->npositional)
        diag_note(in->cx, span, "%s is %s: the other arguments of %s", who, ty, def->name);
    else
        diag_note(in->cx, span, "%s is %s: argument %u of %s", who, ty, i + 1, def->name);
}

/* Literals explain themselves. */
static void explain_const(Infer *in, const Ins *ins, const char *name, const char *who,
                          const char *ty) {
    const char *text = diag_source(in->cx, ins->span);
    bool is_name = text && is_identifier(text) && (text[0] < '0' || text[0] > '9');
    bool is_object =
        ins->ty->kind == TY_FUNC || ins->ty->kind == TY_MODULE || ins->ty->kind == TY_CLASS;
    if (is_name && !name && ins->ty->kind != TY_NONE && ins->ty->kind != TY_BOOL && !is_object)
        diag_note(in->cx, ins->span, "%s is %s: a variable from outside the function", who, ty);
    else if (name)
        diag_note(in->cx, ins->span, "%s is %s", who, ty);
}

static void explain_call(Infer *in, Inst *inst, Ref r, const char *who, const char *ty) {
    const Ins *ins = ir_at(inst->high, r);
    Callee c;
    bool known = infer_callee(in, inst, r, &c) && c.kind == CALLEE_INST && c.inst;
    const char *name = known && !c.public_row ? c.def->name : NULL;
    if (name && ins->ty->kind == TY_NONE)
        diag_note(in->cx, ins->span, "%s is None: %s() returns no value", who, name);
    else if (name)
        diag_note(in->cx, ins->span, "%s is %s: the result of %s()", who, ty, name);
    else
        diag_note(in->cx, ins->span, "%s is %s", who, ty);
}

static void explain_param(Infer *in, Inst *inst, Ref r, const char *who, int depth);

static void explain_at(Infer *in, Inst *inst, Ref r, const char *as, int depth) {
    Cx *cx = in->cx;
    const Ins *ins = ir_at(inst->high, r);
    const char *ty = infer_type_text(cx, ins->ty);
    const char *own = build_name_of(inst->high, r), *name = as ? as : own;
    const char *who = who_is(cx, name, ins);
    switch ((Op)ins->op) {
    case OP_ARG:
        if (as && own && strcmp(as, own) != 0) ty = cx_printf(cx, "%s, as '%s'", ty, own);
        explain_arg(in, inst, ins, who, ty);
        break;
    case OP_CONST: explain_const(in, ins, name, who, ty); break;
    case OP_SOME:
        if (ins->ty != ir_at(inst->high, ins->args[0])->ty) {
            diag_note(cx, ins->span, "%s is %s: it is not None here", who, ty);
            break;
        }
        __attribute__((fallthrough));
    case OP_STRONG: explain_at(in, inst, ins->args[0], name, depth); break;
    case OP_PARAM: explain_param(in, inst, r, who, depth); break;
    case OP_GLOBAL:
        diag_note(cx, ins->span, "%s is %s: a variable from outside the function", who, ty);
        break;
    case OP_CALL: explain_call(in, inst, r, who, ty); break;
    case OP_ITER_ITEM:
        diag_note(cx, ins->span, "%s is %s: an item of what is looped over", who, ty);
        break;
    default: diag_note(cx, ins->span, "%s is %s", who, ty); break;
    }
}

enum { SHOWN = 3 };
typedef struct Sources {
    Ref at[SHOWN];
    uint32_t n;
    Ref seen[8]; /* merges that were looked through */
    uint32_t nseen;
} Sources;

/* The values that reach a variable, a few at most, looked for through other merges. */
static void list_sources(Inst *inst, Ref param, Sources *out) {
    const Ins *ins = ir_at(inst->high, param);
    const Preds *preds = &inst->state->preds[ins->block];
    if (out->nseen == sizeof out->seen / sizeof *out->seen) return;
    for (uint32_t i = 0; i < out->nseen; i++)
        if (out->seen[i] == param) return;
    out->seen[out->nseen++] = param;
    for (uint32_t i = 0; i < preds->n && out->n < SHOWN; i++) {
        Pred p = preds->at[i];
        if (!infer_edge_taken(inst, p.block, p.succ) || p.succ == 2) continue;
        Ref v = inst->high->blocks.at[p.block].term.succ[p.succ].args[ins->imm];
        bool known = false;
        for (uint32_t j = 0; j < out->n; j++) known = known || out->at[j] == v;
        if (ir_at(inst->high, v)->op == OP_PARAM)
            list_sources(inst, v, out);
        else if (!known && ir_at(inst->high, v)->ty->kind != TY_UNDEF)
            out->at[out->n++] = v;
    }
}

/* A variable that is assigned in several places. */
static void explain_param(Infer *in, Inst *inst, Ref r, const char *who, int depth) {
    const Ins *ins = ir_at(inst->high, r);
    Sources from = {.n = 0};
    if (depth < 3) list_sources(inst, r, &from);
    bool same = true;
    for (uint32_t i = 0; i < from.n; i++)
        same = same && ir_at(inst->high, from.at[i])->ty == ins->ty;
    if (from.n && same) {
        explain_at(in, inst, from.at[0], ins->name, depth + 1);
        return;
    }
    diag_note(in->cx, (Span){0}, "%s is %s%s", who, infer_type_text(in->cx, ins->ty),
              from.n > 1 ? ", as it is assigned in several places:" : "");
    for (uint32_t i = 0; i < from.n; i++) {
        const Ins *source = ir_at(inst->high, from.at[i]);
        diag_note(in->cx, source->span, "%s here", infer_type_text(in->cx, source->ty));
    }
}

void infer_explain(Infer *in, Inst *inst, Ref r) {
    if (in->final && r) explain_at(in, inst, r, NULL, 0);
}

Ref infer_source(Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    Sources from = {.n = 0};
    if (ins->op == OP_PARAM) list_sources(inst, r, &from);
    for (uint32_t i = 0; i < from.n; i++)
        if (ir_at(inst->high, from.at[i])->ty == ins->ty) return from.at[i];
    return r;
}

void infer_explain_as(Infer *in, Inst *inst, Ref r, const char *name) {
    if (in->final && r) explain_at(in, inst, r, name, 2);
}

void infer_explain_args(Infer *in, Inst *inst, const Arg *args, uint32_t n) {
    for (uint32_t i = 0; in->final && i < n; i++) {
        if (!args[i].ty) continue;
        if (args[i].packed)
            infer_explain_args(in, inst, args[i].packed, args[i].ty->nitems);
        else
            infer_explain(in, inst, args[i].ref);
    }
}
