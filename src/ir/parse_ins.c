/* The reader of the text form: instructions. */
#include <string.h>

#include "ir/parse_int.h"
#include "ir/rt.h"

/* --- references ------------------------------------------------------------------------------- */

Fn *parse_fn_ref(Parser *p, const char *name) {
    Fn *fn = map_ptr(&p->functions, name);
    if (fn) return fn;
    fn = ir_new_fn(p->cx, name, STAGE_LOW);
    fn->symbol = name;
    fn->module = p->module;
    map_put(p->cx, &p->functions, name, fn);
    return fn;
}

static Ref make_room(Parser *p, uint32_t r) {
    if (r == 0) parse_fail(p, "%%0 is no value");
    while (p->fn->ins.n <= r)
        vec_push(p->cx, &p->fn->ins, ((Ins){.block = NO_BLOCK, .ty = TY_OF(TY_UNDEF)}));
    return r;
}

Ref parse_ref(Parser *p) {
    uint32_t r;
    if (!parse_number_after(p, '%', &r)) parse_fail(p, "a value expected");
    return make_room(p, r);
}

static void parse_refs(Parser *p, Refs *out) {
    do vec_push(p->cx, out, parse_ref(p));
    while (parse_accept(p, ","));
}

void parse_ref_list(Parser *p, Refs *out) {
    if (!parse_accept(p, "(")) return;
    parse_refs(p, out);
    parse_expect(p, ")");
}

/* --- what stands in the union ----------------------------------------------------------------- */

static uint32_t word_number(Parser *p, const char *const *words, uint32_t n, const char *what) {
    const char *word = parse_word(p);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0) return i;
    parse_fail(p, "no such %s: %s", what, word);
}

static const Refusal *parse_refusal(Parser *p) {
    Refusal *r = NEW(p->cx, Refusal);
    size_t n;
    r->diag = (int)word_number(p, ir_diag_words, ir_diag_word_count, "diagnostic");
    r->text = parse_quoted(p, &n);
    if (parse_accept_word(p, "hint")) r->hint = parse_quoted(p, &n);
    return r;
}

static void parse_rt(Parser *p, Ins *i) {
    const char *name = parse_word(p);
    i->rt = rt_find(name);
    if (!i->rt) parse_fail(p, "no such runtime function: %s", name);
}

static void parse_payload(Parser *p, Ins *i) {
    switch ((Payload)ir_forms[i->op].payload) {
    case PAY_NONE:
    case PAY_CALL: break;
    case PAY_NAME: {
        size_t n;
        if (parse_at(p, '"')) i->name = parse_quoted(p, &n);
        break;
    }
    case PAY_REFUSAL: i->refusal = parse_refusal(p); break;
    case PAY_CALLEE:
        parse_expect(p, "@");
        i->callee = parse_fn_ref(p, parse_name(p));
        break;
    case PAY_RT: parse_rt(p, i); break;
    case PAY_CONST: i->k = parse_const(p); break;
    case PAY_CLASS:
        if (parse_accept(p, "#"))
            i->imm = parse_int(p);
        else
            i->imm = word_number(p, ir_class_words, ir_class_word_count, "exception class");
        break;
    }
}

/* %1(%2, *%3, key=%4) */
static void parse_call(Parser *p, Ins *i, Refs *args) {
    CallInfo *call = NEW(p->cx, CallInfo);
    VEC(bool) star = {0};
    VEC(const char *) keywords = {0};
    bool any_star = false;
    vec_push(p->cx, args, parse_ref(p));
    parse_expect(p, "(");
    while (!parse_accept(p, ")")) {
        if (args->n > 1) parse_expect(p, ",");
        bool starred = parse_accept(p, "*");
        any_star |= starred;
        if (starred || parse_at(p, '%')) {
            if (keywords.n) parse_fail(p, "positional arguments come first");
            vec_push(p->cx, &star, starred);
        } else {
            vec_push(p->cx, &keywords, parse_name(p));
            parse_expect(p, "=");
        }
        vec_push(p->cx, args, parse_ref(p));
    }
    *call = (CallInfo){star.n, any_star ? star.at : NULL, keywords.at, keywords.n};
    i->call = call;
}

/* --- the line --------------------------------------------------------------------------------- */

static Op find_op(Parser *p, const char *word) {
    if (!*word) parse_fail(p, "an operation expected");
    for (unsigned op = 0; op < OPS; op++)
        if (strcmp(op_info[op].text, word) == 0 && op != OP_NOP && op != OP_PARAM) return (Op)op;
    parse_fail(p, "no such operation: %s", word);
}

static void parse_sub(Parser *p, Ins *i) {
    SubKind kind = (SubKind)ir_forms[i->op].sub;
    if (!kind) return;
    const char *word = parse_word(p);
    int sub = ir_sub_number(kind, word);
    if (sub < 0) parse_fail(p, "no such kind of %s: %s", op_info[i->op].text, word);
    i->sub = (uint16_t)sub;
}

static void parse_immediates(Parser *p, Ins *i) {
    if (ir_forms[i->op].payload == PAY_CLASS) return;
    if (parse_accept(p, "#")) i->imm = parse_int(p);
    if (parse_accept(p, "#")) i->imm2 = parse_int(p);
}

/* The type of a value whose text leaves it out. */
static Type *implied_type(const Parser *p, const Ins *i) {
    if (i->op == OP_CONST) return i->k->ty;
    return TY_OF(p->fn->stage == STAGE_LOW ? TY_NONE : TY_UNDEF);
}

void parse_ins(Parser *p, BlockId b, Ref r, Type *ty, bool typed, const char *word) {
    Ins i = {.op = (uint16_t)find_op(p, word), .block = b};
    Refs args = {0};
    parse_sub(p, &i);
    parse_immediates(p, &i);
    parse_payload(p, &i);
    i.weak = parse_accept_word(p, "weak");
    i.fast = parse_fast(p);
    if (i.op == OP_CALL)
        parse_call(p, &i, &args);
    else if (parse_at(p, '%'))
        parse_refs(p, &args);
    if (args.n > UINT16_MAX) parse_fail(p, "too many operands");
    if (parse_accept(p, "{")) {
        i.k = parse_const(p);
        parse_expect(p, "}");
    }
    i.origin = parse_from(p);
    i.span = parse_span(p);
    parse_newline(p);
    i.args = args.at;
    i.nargs = (uint16_t)args.n;
    i.ty = typed ? ty : implied_type(p, &i);
    if (!r) {
        r = p->fn->ins.n;
        make_room(p, r);
    }
    if (ir_at(p->fn, r)->block != NO_BLOCK) parse_fail(p, "%%%u is defined twice", r);
    *ir_at(p->fn, r) = i;
    vec_push(p->cx, &p->fn->blocks.at[b].ins, r);
}
