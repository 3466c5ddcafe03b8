/* The text form, written: see docs/ir.md. What is printed, ir/parse.c reads back to the same
 * text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ctx.h"
#include "ir/rt.h"
#include "ir/text_int.h"

typedef struct Printer {
    Cx *cx;
    Buf *out;
    const Fn *fn;
    const uint32_t *uses;
    unsigned flags; /* PrintFlag */
} Printer;

#define PUT(p, ...) buf_printf((p)->cx, (p)->out, __VA_ARGS__)

static void put_type(Printer *p, const Type *ty) {
    ir_print_type(p->cx, p->out, ty ? ty : TY_OF(TY_UNDEF));
}

static bool is_untyped(const Type *ty) { return !ty || ty->kind == TY_UNDEF; }

static void put_quoted(Printer *p, const char *s) {
    ir_print_quoted(p->cx, p->out, s, strlen(s), false);
}

/* A name bare where it can be. */
static void put_name(Printer *p, const char *s) {
    if (ir_is_word(s))
        PUT(p, "%s", s);
    else
        put_quoted(p, s);
}

static void put_fn_name(Printer *p, const Fn *fn) {
    PUT(p, "@");
    put_name(p, fn->symbol ? fn->symbol : fn->name);
}

static void put_span(Printer *p, Span s) {
    if (!(p->flags & PRINT_SPANS) || !s.line) return;
    PUT(p, " at ");
    if (p->fn && s.file != p->fn->file) PUT(p, "%u/", s.file);
    PUT(p, "%u:%u-%u:%u", s.line, s.col, s.end_line, s.end_col);
}

/* --- constants -------------------------------------------------------------------------------- */

/* NaN with anything unusual in it by its bits. */
void ir_print_float(Cx *cx, Buf *out, double f) {
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (isnan(f) && bits != 0x7ff8000000000000u) {
        buf_printf(cx, out, "bits:%016llx", (unsigned long long)bits);
        return;
    }
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, f);
        if (isnan(f) || strtod(text, NULL) == f) break;
    }
    buf_printf(cx, out, "%s%s", text,
               strpbrk(text, ".ein") ? "" : ".0"); /* 2 is an int, 2.0 a float */
}

static void put_float(Printer *p, double f) { ir_print_float(p->cx, p->out, f); }

static void put_const(Printer *p, const Const *k);

static void put_const_items(Printer *p, const Const *k) {
    PUT(p, "(");
    for (uint32_t i = 0; i < k->seq.n; i++) {
        if (i) PUT(p, ", ");
        put_const(p, k->seq.items[i]);
    }
    PUT(p, ")");
}

/* Type and value. */
static void put_const(Printer *p, const Const *k) {
    put_type(p, k->ty);
    switch ((TyKind)k->ty->kind) {
    case TY_BOOL: PUT(p, k->i ? " true" : " false"); break;
    case TY_INT:
        if (!k->ty->is_signed)
            PUT(p, " %llu", (unsigned long long)k->i);
        else
            PUT(p, " %lld", (long long)k->i);
        break;
    case TY_ENUM:
    case TY_PTR: PUT(p, " %lld", (long long)k->i); break;
    case TY_FLOAT:
        PUT(p, " ");
        put_float(p, k->f[0]);
        break;
    case TY_COMPLEX:
        PUT(p, " (");
        put_float(p, k->f[0]);
        PUT(p, ", ");
        put_float(p, k->f[1]);
        PUT(p, ")");
        break;
    case TY_STR:
    case TY_BYTES:
        PUT(p, " ");
        ir_print_quoted(p->cx, p->out, k->str.s, k->str.n, k->ty->kind == TY_BYTES);
        break;
    case TY_TUPLE:
    case TY_SLICE:
    case TY_OPTIONAL:
    case TY_RANGE:
        PUT(p, " ");
        put_const_items(p, k);
        break;
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
    case TY_KINDS: break; /* the type says it all */
    }
}

/* --- instructions ----------------------------------------------------------------------------- */

static void put_fast(Printer *p, uint8_t fast) {
    if (!fast) return;
    PUT(p, " fast");
    if (fast == FAST_ALL) return;
    const char *before = "(";
    for (unsigned i = 0; i < 7; i++) {
        if (!(fast & 1u << i)) continue;
        PUT(p, "%s%s", before, ir_fast_words[i]);
        before = ", ";
    }
    PUT(p, ")");
}

static void put_refs(Printer *p, uint32_t n, const Ref *args) {
    for (uint32_t i = 0; i < n; i++) PUT(p, "%s%%%u", i ? ", " : "", args[i]);
}

/* f(a, *b, key=c) */
static void put_call(Printer *p, const Ins *i) {
    const CallInfo *call = i->call;
    PUT(p, " %%%u(", i->args[0]);
    for (uint32_t k = 1; k < i->nargs; k++) {
        if (k > 1) PUT(p, ", ");
        if (k > call->npos) {
            put_name(p, call->keywords[k - 1 - call->npos]);
            PUT(p, "=");
        } else if (call->star && call->star[k - 1]) {
            PUT(p, "*");
        }
        PUT(p, "%%%u", i->args[k]);
    }
    PUT(p, ")");
}

static void put_payload(Printer *p, const Ins *i) {
    switch ((Payload)ir_forms[i->op].payload) {
    case PAY_NONE:
    case PAY_CALL: break; /* in place of the operands */
    case PAY_NAME:
        if (!i->name) break;
        PUT(p, " ");
        put_quoted(p, i->name);
        break;
    case PAY_REFUSAL:
        PUT(p, " %s ", ir_diag_words[i->refusal->diag]);
        put_quoted(p, i->refusal->text);
        if (!i->refusal->hint) break;
        PUT(p, " hint ");
        put_quoted(p, i->refusal->hint);
        break;
    case PAY_CALLEE:
        PUT(p, " ");
        put_fn_name(p, i->callee);
        break;
    case PAY_RT: PUT(p, " %s", i->rt->name); break;
    case PAY_CONST:
        PUT(p, " ");
        put_const(p, i->k);
        break;
    case PAY_CLASS:
        if (i->imm < ir_class_word_count)
            PUT(p, " %s", ir_class_words[i->imm]);
        else
            PUT(p, " #%lld", (long long)i->imm);
        break;
    }
}

static void put_immediates(Printer *p, const Ins *i) {
    Form form = ir_forms[i->op];
    if (form.payload == PAY_CLASS) return;
    if (form.nimm > 0 || i->imm || i->imm2) PUT(p, " #%lld", (long long)i->imm);
    if (form.nimm > 1 || i->imm2) PUT(p, " #%lld", (long long)i->imm2);
}

/* "%5: int64 = ". Left out: the type that goes without saying, and the number of what yields
 * nothing. */
static void put_result(Printer *p, Ref r, const Ins *i) {
    bool low = p->fn->stage == STAGE_LOW;
    bool nothing = low && i->ty && i->ty->kind == TY_NONE;
    bool constant = i->op == OP_CONST && i->k->ty == i->ty;
    if (nothing && !constant && !p->uses[r]) return;
    PUT(p, "%%%u", r);
    if (!constant && !nothing && (low || !is_untyped(i->ty) || i->op == OP_CONST)) {
        PUT(p, ": ");
        put_type(p, i->ty);
    }
    PUT(p, " = ");
}

static void put_ins(Printer *p, Ref r) {
    const Ins *i = ir_at(p->fn, r);
    if (i->op == OP_NOP) return;
    PUT(p, "    ");
    put_result(p, r, i);
    PUT(p, "%s", op_info[i->op].text);
    if (ir_forms[i->op].sub) PUT(p, " %s", ir_sub_word((SubKind)ir_forms[i->op].sub, i->sub));
    put_immediates(p, i);
    put_payload(p, i);
    if (i->weak) PUT(p, " weak");
    put_fast(p, i->fast);
    if (i->op == OP_CALL) {
        put_call(p, i);
    } else if (i->nargs) {
        PUT(p, " ");
        put_refs(p, i->nargs, i->args);
    }
    if (i->k && i->op != OP_CONST) {
        PUT(p, " {");
        put_const(p, i->k);
        PUT(p, "}");
    }
    if (p->flags & PRINT_SPANS && i->origin) PUT(p, " from #%u", i->origin);
    put_span(p, i->span);
    PUT(p, "\n");
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void put_edge(Printer *p, const Edge *e) {
    PUT(p, "b%u", e->to);
    if (!e->n) return;
    PUT(p, "(");
    put_refs(p, e->n, e->args);
    PUT(p, ")");
}

static void put_term(Printer *p, const Term *t) {
    PUT(p, "    ");
    switch ((TermKind)t->kind) {
    case TERM_NONE: PUT(p, "unfinished"); break;
    case TERM_JUMP:
        PUT(p, "jump ");
        put_edge(p, &t->succ[0]);
        break;
    case TERM_BRANCH:
        PUT(p, "branch %%%u, ", t->arg);
        put_edge(p, &t->succ[0]);
        PUT(p, ", ");
        put_edge(p, &t->succ[1]);
        if (t->cold) PUT(p, " cold");
        break;
    case TERM_RETURN: PUT(p, "return"); break;
    case TERM_RAISE: PUT(p, "raise"); break;
    case TERM_UNREACHABLE: PUT(p, "unreachable"); break;
    }
    if (t->kind != TERM_BRANCH && t->arg) PUT(p, " %%%u", t->arg);
    if (t->arg2) PUT(p, ", %%%u", t->arg2);
    if (p->flags & PRINT_SPANS && t->kind == TERM_RAISE && t->origin)
        PUT(p, " from #%u", t->origin);
    put_span(p, t->span);
    PUT(p, "\n");
}

static void put_block(Printer *p, BlockId id) {
    const Block *b = &p->fn->blocks.at[id];
    if (b->dead) return;
    PUT(p, "b%u", id);
    if (b->label) {
        PUT(p, ".");
        put_name(p, b->label);
    }
    for (uint32_t i = 0; i < b->params.n; i++) {
        const Ins *param = ir_at(p->fn, b->params.at[i]);
        PUT(p, "%s%%%u", i ? ", " : "(", b->params.at[i]);
        if (!is_untyped(param->ty)) {
            PUT(p, ": ");
            put_type(p, param->ty);
        }
        if (param->k) {
            PUT(p, " {");
            put_const(p, param->k);
            PUT(p, "}");
        }
    }
    if (b->params.n) PUT(p, ")");
    if (b->lanes) PUT(p, " lanes");
    if (b->rest) PUT(p, " rest");
    if (b->axis) PUT(p, " axis #%u", b->axis);
    if (b->parallel) PUT(p, b->parallel == PARALLEL_ASKED ? " prange" : " parallel");
    if (b->handler.to != NO_BLOCK) {
        PUT(p, " handler ");
        put_edge(p, &b->handler);
    }
    PUT(p, ":\n");
    for (uint32_t i = 0; i < b->ins.n; i++) put_ins(p, b->ins.at[i]);
    put_term(p, &b->term);
}

/* --- functions -------------------------------------------------------------------------------- */

static void put_options(Printer *p, const Fn *fn) {
    const FnOptions *o = &fn->options;
    if (fn->symbol && strcmp(fn->symbol, fn->name) != 0) {
        PUT(p, " name ");
        put_quoted(p, fn->name);
    }
    if (fn->qualname && strcmp(fn->qualname, fn->name) != 0) {
        PUT(p, " qualname ");
        put_quoted(p, fn->qualname);
    }
    if (fn->is_entry) PUT(p, " entry");
    if (fn->is_kernel) PUT(p, " kernel");
    if (fn->block_dim[0])
        PUT(p, "(%u, %u, %u)", fn->block_dim[0], fn->block_dim[1], fn->block_dim[2]);
    if (fn->runs_blocks) PUT(p, " blocks");
    if (fn->runs_threads) PUT(p, " threads");
    if (fn->shared_bytes) PUT(p, " shared_bytes #%u", fn->shared_bytes);
    if (fn->is_slow) PUT(p, " slow");
    put_fast(p, o->fast);
    if (o->numpy_errors) PUT(p, " numpy_errors");
    if (!o->boundscheck) PUT(p, " no_boundscheck");
    if (o->parallel) PUT(p, " parallel");
    if (o->nogil) PUT(p, " nogil");
    if (o->debug) PUT(p, " debug");
    if (o->inline_always) PUT(p, " inline");
    if (fn->escapes) PUT(p, " escapes #%llu", (unsigned long long)fn->escapes);
}

/* Calls that were inlined: name, qualname, the outer origin, where. */
static void put_origins(Printer *p, const Fn *fn) {
    for (uint32_t k = 1; k < fn->origins.n; k++) {
        const Origin *o = &fn->origins.at[k];
        PUT(p, "    origin #%u ", k);
        put_quoted(p, o->name);
        PUT(p, " ");
        put_quoted(p, o->qualname);
        if (o->outer) PUT(p, " from #%u", o->outer);
        put_span(p, o->call);
        PUT(p, "\n");
    }
}

static void put_fn(Printer *p, const Fn *fn) {
    p->fn = fn;
    p->uses = ir_use_counts(p->cx, fn);
    PUT(p, "fn %s ", fn->stage == STAGE_LOW ? "low" : "high");
    put_fn_name(p, fn);
    PUT(p, "(");
    for (uint32_t i = 0; i < fn->nargs; i++) {
        if (i) PUT(p, ", ");
        put_name(p, fn->args[i].name ? fn->args[i].name : "_");
        if (is_untyped(fn->args[i].ty)) continue;
        PUT(p, ": ");
        put_type(p, fn->args[i].ty);
    }
    PUT(p, ")");
    if (!is_untyped(fn->ret)) {
        PUT(p, " -> ");
        put_type(p, fn->ret);
    }
    put_options(p, fn);
    put_span(p, fn->span);
    PUT(p, " {\n");
    if (p->flags & PRINT_SPANS) put_origins(p, fn);
    for (BlockId b = 0; b < fn->blocks.n; b++) put_block(p, b);
    PUT(p, "}\n");
}

void ir_print_fn_with(Cx *cx, Buf *out, const Fn *fn, unsigned flags) {
    Printer p = {.cx = cx, .out = out, .flags = flags};
    put_fn(&p, fn);
}

void ir_print_fn(Cx *cx, Buf *out, const Fn *fn) { ir_print_fn_with(cx, out, fn, 0); }

void ir_print_module_with(Cx *cx, Buf *out, const Module *m, unsigned flags) {
    Printer p = {.cx = cx, .out = out, .flags = flags};
    if (m->classes.n) PUT(&p, "classes #%u\n", m->classes.n);
    for (uint32_t i = 0; i < m->captured_types.n; i++) {
        PUT(&p, "captured ");
        put_type(&p, m->captured_types.at[i]);
        PUT(&p, "\n");
    }
    for (uint32_t i = 0; i < m->fns.n; i++) {
        if (i || m->classes.n || m->captured_types.n) PUT(&p, "\n");
        put_fn(&p, m->fns.at[i]);
    }
}

void ir_print_module(Cx *cx, Buf *out, const Module *m) { ir_print_module_with(cx, out, m, 0); }
