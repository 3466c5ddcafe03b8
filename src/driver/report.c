#include "driver/report.h"

#include <string.h>

#include "codegen/codegen.h"

/* --- conversions ------------------------------------------------------------------------------ */

static bool is_wide(const Type *ty, bool is_signed) {
    return ty->kind == TY_INT && ty->bits == 64 && !ty->is_signed == !is_signed;
}

/* Is the value an integer that may have more digits than a float64? Constants are as they were written. */
static bool may_lose(const Ins *i) {
    return !i->k && i->op != OP_CONST && (is_wide(i->ty, true) || is_wide(i->ty, false));
}

static void look_at_operator(Cx *cx, const Fn *fn, const Ins *i) {
    const Ins *a = ir_at(fn, i->args[0]), *b = ir_at(fn, i->args[1]);
    if (i->ty->kind != TY_FLOAT || i->ty->bits != 64 || (!may_lose(a) && !may_lose(b))) return;
    bool mixed = (is_wide(a->ty, true) && is_wide(b->ty, false)) ||
                 (is_wide(a->ty, false) && is_wide(b->ty, true));
    bool divides = i->sub == BIN_TRUEDIV && a->ty->kind == TY_INT && b->ty->kind == TY_INT;
    RemarkId id = mixed && !divides ? REMARK_UINT64_TO_FLOAT : REMARK_INT64_TO_FLOAT;
    remark_add(cx, id, i->span, bin_symbol[i->sub], a->ty->name, b->ty->name);
}

/* Storing a number where fewer digits fit. */
static void look_at_store(Cx *cx, const Fn *fn, const Ins *i) {
    const Type *array = ir_at(fn, i->args[0])->ty, *value = ir_at(fn, i->args[2])->ty;
    const Ins *v = ir_at(fn, i->args[2]);
    if (array->kind != TY_ARRAY || v->k || v->weak) return;
    const Type *to = array->elem;
    bool numbers = (value->kind == TY_INT || value->kind == TY_FLOAT) &&
                   (to->kind == TY_INT || to->kind == TY_FLOAT);
    bool narrower = value->kind == to->kind && value->bits > to->bits;
    bool cut = value->kind == TY_FLOAT && to->kind == TY_INT;
    bool rounded = may_lose(v) && to->kind == TY_FLOAT;
    if (numbers && (narrower || cut || rounded))
        remark_add(cx, REMARK_NARROWED, i->span, value->name, to->name);
}

static void look_at_ins(Cx *cx, const Fn *fn, const Ins *i) {
    if (i->op == OP_BINARY || i->op == OP_INPLACE) look_at_operator(cx, fn, i);
    if (i->op == OP_SETITEM) look_at_store(cx, fn, i);
}

static bool is_shown(const Cx *cx, const Inst *inst) {
    return inst->high && !cx->files[inst->high->file].is_ours;
}

typedef void (*Visit)(Cx *cx, const Fn *fn, const Ins *i);
static void visit_reached(Cx *cx, const Inst *inst, Visit visit) {
    const Fn *fn = inst->high;
    for (BlockId b = 0; b < fn->blocks.n; b++)
        for (uint32_t n = 0; infer_reached(inst, b) && n < fn->blocks.at[b].ins.n; n++)
            visit(cx, fn, ir_at(fn, fn->blocks.at[b].ins.at[n]));
}

void report_conversions(Cx *cx, const Infer *in) {
    for (uint32_t i = 0; i < in->insts.n; i++)
        if (is_shown(cx, in->insts.at[i])) visit_reached(cx, in->insts.at[i], look_at_ins);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add(Cx *cx, Buf *out, const char *s) { buf_add(cx, out, s, strlen(s)); }

static void add_string_of(Cx *cx, Buf *out, const char *s, size_t n) {
    add(cx, out, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\')
            buf_printf(cx, out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(cx, out, "\\u%04x", c);
        else
            buf_add(cx, out, s + i, 1);
    }
    add(cx, out, "\"");
}

static void add_string(Cx *cx, Buf *out, const char *s) {
    if (s)
        add_string_of(cx, out, s, strlen(s));
    else
        add(cx, out, "null");
}

/* "key": "text", */
static void add_field(Cx *cx, Buf *out, const char *key, const char *text) {
    buf_printf(cx, out, "\"%s\": ", key);
    add_string(cx, out, text);
    add(cx, out, ", ");
}

static void add_span(Cx *cx, Buf *out, Span s) {
    buf_printf(cx, out, "\"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u, ",
               s.line, s.col, s.end_line, s.end_col);
}

static void begin_item(Cx *cx, Buf *out) {
    if (out->n && out->at[out->n - 1] != '[') add(cx, out, ",\n ");
    add(cx, out, "{");
}

/* --- functions -------------------------------------------------------------------------------- */

static void add_source(Cx *cx, Buf *out, const SourceFile *f) {
    add(cx, out, "\"source\": [");
    for (const char *s = f->text; s && *s; s += strcspn(s, "\n"), s += *s == '\n') {
        if (s != f->text) add(cx, out, ", ");
        add_string_of(cx, out, s, strcspn(s, "\n"));
    }
    add(cx, out, "], ");
}

static void add_function(Cx *cx, Buf *out, const Inst *inst) {
    const Fn *fn = inst->high;
    const SourceFile *f = &cx->files[fn->file];
    begin_item(cx, out);
    add_field(cx, out, "name", fn->qualname);
    add_field(cx, out, "filename", f->name);
    buf_printf(cx, out, "\"file\": %u, \"first_line\": %u, ", fn->file, f->first_line);
    add_span(cx, out, fn->span);
    add_source(cx, out, f);
    add(cx, out, "\"arguments\": [");
    for (uint32_t i = 0; i < inst->def->nparams; i++) {
        add(cx, out, i ? ", [" : "[");
        add_string(cx, out, inst->def->params[i]);
        add(cx, out, ", ");
        add_string(cx, out, infer_type_text(cx, inst->args[i]));
        add(cx, out, "]");
    }
    add(cx, out, "], \"returns\": ");
    add_string(cx, out, inst->ret->kind == TY_UNDEF ? NULL : infer_type_text(cx, inst->ret));
    add(cx, out, "}");
}

/* --- values ----------------------------------------------------------------------------------- */

/* Of expressions, those whose type is worth a word. */
static bool is_expression(const Ins *i) {
    switch ((int)i->op) {
    case OP_UNARY:
    case OP_BINARY:
    case OP_INPLACE:
    case OP_COMPARE:
    case OP_GETATTR:
    case OP_GETITEM:
    case OP_TUPLE:
    case OP_CALL: break;
    default: return false;
    }
    switch ((int)i->ty->kind) {
    case TY_UNDEF:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CLOSURE: return false;
    default: return true;
    }
}

static void add_value(Cx *cx, Buf *out, const Inst *inst, uint32_t number, const Ins *i) {
    const char *kind = "expression", *name = NULL;
    const Type *ty = i->ty;
    if (i->op == OP_ARG) {
        if (i->imm >= inst->def->nparams) return;
        kind = "argument", name = inst->high->args[i->imm].name;
    } else if (i->op == OP_BIND) {
        kind = "variable", name = i->name, ty = ir_at(inst->high, i->args[0])->ty;
    } else if (!is_expression(i)) {
        return;
    }
    if (!i->span.line || ty->kind == TY_UNDEF) return;
    begin_item(cx, out);
    buf_printf(cx, out, "\"function\": %u, ", number);
    add_span(cx, out, i->span);
    add_field(cx, out, "name", name);
    add_field(cx, out, "kind", kind);
    add(cx, out, "\"type\": ");
    add_string(cx, out, infer_type_text(cx, ty));
    add(cx, out, "}");
}

static void add_values(Cx *cx, Buf *out, const Inst *inst, uint32_t number) {
    const Fn *fn = inst->high;
    for (BlockId b = 0; b < fn->blocks.n; b++)
        for (uint32_t n = 0; infer_reached(inst, b) && n < fn->blocks.at[b].ins.n; n++)
            add_value(cx, out, inst, number, ir_at(fn, fn->blocks.at[b].ins.at[n]));
}

/* --- remarks ---------------------------------------------------------------------------------- */

static void add_remark(Cx *cx, Buf *out, const Remark *r) {
    static const char *const levels[] = {"fact", "good", "costs"};
    const RemarkInfo *info = &remark_info[r->id];
    begin_item(cx, out);
    add_field(cx, out, "kind", info->name);
    add_field(cx, out, "topic", info->topic);
    add_field(cx, out, "level", levels[info->level]);
    add_field(cx, out, "via", r->via);
    add_field(cx, out, "text", remark_text(cx, r));
    add_field(cx, out, "advice", remark_advice(cx, r));
    buf_printf(cx, out, "\"file\": %u, ", r->span.file);
    add_span(cx, out, r->span);
    add(cx, out, "\"values\": {");
    for (uint32_t i = 0; i < remark_field_count(r->id); i++) {
        if (i) add(cx, out, ", ");
        add_string(cx, out, remark_field(cx, r->id, i));
        add(cx, out, ": ");
        add_string(cx, out, r->values[i] ? r->values[i] : "");
    }
    add(cx, out, "}}");
}

const char *report_text(Cx *cx, const Infer *in) {
    Buf out = {0}, values = {0};
    uint32_t n = 0;
    buf_printf(cx, &out, "{\"target\": \"%s\",\n\"functions\": [", codegen_target_text());
    add(cx, &values, "[");
    for (uint32_t i = 0; i < in->insts.n; i++) {
        if (!is_shown(cx, in->insts.at[i])) continue;
        add_function(cx, &out, in->insts.at[i]);
        add_values(cx, &values, in->insts.at[i], n++);
    }
    buf_printf(cx, &out, "],\n\"values\": %s],\n\"remarks\": [", values.at);
    for (uint32_t i = 0; cx->remarks && i < cx->remarks->n; i++)
        add_remark(cx, &out, &cx->remarks->at[i]);
    add(cx, &out, "]}");
    return out.at;
}
