/* The text form, read: see docs/ir.md. Checks what it must to build the data structure; whether the
 * result makes sense is the verifier's business. */
#include <stdlib.h>
#include <string.h>

#include "ir/parse_int.h"

/* --- blocks ----------------------------------------------------------------------------------- */

static BlockId make_block_room(Parser *p, uint32_t b) {
    while (p->fn->blocks.n <= b) {
        BlockId made = ir_new_block(p->cx, p->fn, NULL);
        p->fn->blocks.at[made].dead = true; /* until its text comes */
    }
    return b;
}

static BlockId parse_block_ref(Parser *p) {
    uint32_t b;
    if (!parse_number_after(p, 'b', &b)) parse_fail(p, "a block expected");
    return make_block_room(p, b);
}

static Edge parse_edge(Parser *p) {
    BlockId to = parse_block_ref(p);
    Refs args = {0};
    parse_ref_list(p, &args);
    return (Edge){.to = to, .n = args.n, .args = args.at};
}

static void parse_param(Parser *p, BlockId b) {
    Ref r = parse_ref(p);
    Ins i = {
        .op = OP_PARAM, .block = b, .imm = p->fn->blocks.at[b].params.n, .ty = TY_OF(TY_UNDEF)};
    if (parse_accept(p, ":")) i.ty = parse_type(p);
    if (parse_accept(p, "{")) {
        i.k = parse_const(p);
        parse_expect(p, "}");
    }
    if (ir_at(p->fn, r)->block != NO_BLOCK) parse_fail(p, "%%%u is defined twice", r);
    *ir_at(p->fn, r) = i;
    vec_push(p->cx, &p->fn->blocks.at[b].params, r);
}

/* b3.label(%1: int64, %2) lanes rest handler b4(%5): */
static BlockId parse_block_head(Parser *p) {
    BlockId b = parse_block_ref(p);
    if (!p->fn->blocks.at[b].dead) parse_fail(p, "b%u is defined twice", b);
    p->fn->blocks.at[b].dead = false;
    if (parse_accept(p, ".")) {
        const char *label = parse_name(p);
        p->fn->blocks.at[b].label = label;
    }
    if (parse_accept(p, "(")) {
        do parse_param(p, b);
        while (parse_accept(p, ","));
        parse_expect(p, ")");
    }
    p->fn->blocks.at[b].lanes = parse_accept_word(p, "lanes");
    p->fn->blocks.at[b].rest = parse_accept_word(p, "rest");
    if (parse_accept_word(p, "axis")) {
        parse_expect(p, "#");
        p->fn->blocks.at[b].axis = (uint8_t)parse_int(p);
    }
    if (parse_accept_word(p, "prange")) p->fn->blocks.at[b].parallel = PARALLEL_ASKED;
    if (parse_accept_word(p, "parallel")) p->fn->blocks.at[b].parallel = PARALLEL_MAY;
    if (parse_accept_word(p, "handler")) {
        Edge handler = parse_edge(p);
        p->fn->blocks.at[b].handler = handler;
    }
    parse_expect(p, ":");
    parse_newline(p);
    return b;
}

/* --- terminators ------------------------------------------------------------------------------ */

static TermKind term_kind(const char *word) {
    static const char *const words[] = {
        [TERM_JUMP] = "jump",   [TERM_BRANCH] = "branch",           [TERM_RETURN] = "return",
        [TERM_RAISE] = "raise", [TERM_UNREACHABLE] = "unreachable",
    };
    for (int kind = TERM_JUMP; kind <= TERM_UNREACHABLE; kind++)
        if (strcmp(words[kind], word) == 0) return (TermKind)kind;
    return TERM_NONE;
}

static void parse_term(Parser *p, BlockId b, TermKind kind) {
    Term t = {.kind = (uint8_t)kind, .succ = {{.to = NO_BLOCK}, {.to = NO_BLOCK}}};
    if (kind == TERM_JUMP) t.succ[0] = parse_edge(p);
    if (kind == TERM_BRANCH) {
        t.arg = parse_ref(p);
        parse_expect(p, ",");
        t.succ[0] = parse_edge(p);
        parse_expect(p, ",");
        t.succ[1] = parse_edge(p);
        t.cold = parse_accept_word(p, "cold");
    }
    if ((kind == TERM_RETURN || kind == TERM_RAISE) && parse_at(p, '%')) t.arg = parse_ref(p);
    if (kind == TERM_RAISE && parse_accept(p, ",")) t.arg2 = parse_ref(p);
    t.origin = parse_from(p);
    t.span = parse_span(p);
    parse_newline(p);
    p->fn->blocks.at[b].term = t;
}

/* Instructions up to the terminator. */
static void parse_block(Parser *p) {
    BlockId b = parse_block_head(p);
    for (;;) {
        Ref r = 0;
        Type *ty = NULL;
        if (parse_at(p, '%')) {
            r = parse_ref(p);
            if (parse_accept(p, ":")) ty = parse_type(p);
            parse_expect(p, "=");
        }
        const char *word = parse_word(p);
        TermKind kind = term_kind(word);
        if (kind == TERM_NONE && strcmp(word, "unfinished") != 0) {
            parse_ins(p, b, r, ty, ty != NULL, word);
            continue;
        }
        if (r) parse_fail(p, "a terminator yields nothing");
        parse_term(p, b, kind);
        return;
    }
}

/* --- functions -------------------------------------------------------------------------------- */

/* The largest number of a value in the function's text: those without a number get larger ones. */
static void reserve_refs(Parser *p) {
    uint32_t max = 0;
    for (const char *s = p->at; *s && !(s[0] == '\n' && s[1] == '}'); s++) {
        if (*s != '%' || s[1] < '0' || s[1] > '9') continue;
        unsigned long r = strtoul(s + 1, NULL, 10);
        if (r > max && r <= 1u << 24) max = (uint32_t)r;
    }
    while (p->fn->ins.n <= max)
        vec_push(p->cx, &p->fn->ins, ((Ins){.block = NO_BLOCK, .ty = TY_OF(TY_UNDEF)}));
}

static void parse_args(Parser *p) {
    VEC(FnArg) args = {0};
    parse_expect(p, "(");
    if (!parse_accept(p, ")")) {
        do {
            FnArg a = {.name = parse_name(p), .ty = TY_OF(TY_UNDEF)};
            if (parse_accept(p, ":")) a.ty = parse_type(p);
            vec_push(p->cx, &args, a);
        } while (parse_accept(p, ","));
        parse_expect(p, ")");
    }
    p->fn->args = args.at;
    p->fn->nargs = args.n;
}

static void parse_block_dim(Parser *p) {
    for (int axis = 0; axis < 3; axis++) {
        if (axis) parse_expect(p, ",");
        p->fn->block_dim[axis] = (uint32_t)parse_int(p);
    }
    parse_expect(p, ")");
}

static bool parse_option(Parser *p) {
    FnOptions *o = &p->fn->options;
    struct {
        const char *word;
        bool *flag;
    } flags[] = {{"entry", &p->fn->is_entry},  {"blocks", &p->fn->runs_blocks},
                 {"slow", &p->fn->is_slow},    {"threads", &p->fn->runs_threads},
                 {"parallel", &o->parallel},   {"numpy_errors", &o->numpy_errors},
                 {"nogil", &o->nogil},         {"debug", &o->debug},
                 {"inline", &o->inline_always}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (parse_accept_word(p, flags[i].word)) return *flags[i].flag = true;
    if (parse_accept_word(p, "kernel")) {
        p->fn->is_kernel = true;
        if (parse_accept(p, "(")) parse_block_dim(p);
    } else if (parse_accept_word(p, "shared_bytes")) {
        parse_expect(p, "#");
        p->fn->shared_bytes = (uint32_t)parse_int(p);
    } else if (parse_accept_word(p, "no_boundscheck")) {
        o->boundscheck = false;
    } else if (parse_accept_word(p, "name")) {
        p->fn->name = p->fn->qualname = parse_name(p);
    } else if (parse_accept_word(p, "qualname")) {
        p->fn->qualname = parse_name(p);
    } else if (parse_accept_word(p, "escapes")) {
        parse_expect(p, "#");
        p->fn->escapes = (uint64_t)parse_int(p);
    } else {
        return false;
    }
    return true;
}

static void parse_origin(Parser *p) {
    if (!p->fn->origins.n) vec_push(p->cx, &p->fn->origins, (Origin){0});
    size_t n;
    parse_expect(p, "#");
    if (parse_int(p) != p->fn->origins.n) parse_fail(p, "origins are out of order");
    Origin o = {.name = parse_quoted(p, &n)};
    o.qualname = parse_quoted(p, &n);
    o.outer = parse_from(p);
    o.call = parse_span(p);
    vec_push(p->cx, &p->fn->origins, o);
    parse_newline(p);
}

static void parse_fn(Parser *p) {
    Stage stage = parse_accept_word(p, "low") ? STAGE_LOW : STAGE_HIGH;
    if (stage == STAGE_HIGH && !parse_accept_word(p, "high")) parse_fail(p, "high or low expected");
    parse_expect(p, "@");
    Fn *fn = p->fn = parse_fn_ref(p, parse_name(p));
    if (fn->blocks.n) parse_fail(p, "@%s is defined twice", fn->name);
    fn->stage = stage;
    if (stage == STAGE_HIGH) fn->symbol = NULL;
    vec_push(p->cx, &p->module->fns, fn);
    parse_args(p);
    fn->ret = parse_accept(p, "->") ? parse_type(p) : TY_OF(TY_UNDEF);
    while (parse_option(p)) {}
    fn->options.fast = parse_fast(p);
    while (parse_option(p)) {}
    fn->span = parse_span(p);
    parse_expect(p, "{");
    parse_newline(p);
    while (parse_accept_word(p, "origin")) parse_origin(p);
    reserve_refs(p);
    while (!parse_accept(p, "}")) parse_block(p);
    if (!fn->blocks.n) parse_fail(p, "@%s has no blocks", fn->name);
    parse_newline(p);
}

static void parse_module(Parser *p) {
    parse_empty_lines(p);
    while (*p->at) {
        if (parse_accept_word(p, "classes")) {
            parse_expect(p, "#");
            int64_t n = parse_int(p);
            if (n < 0 || n > 100000) parse_fail(p, "too many classes");
            while (p->module->classes.n < n) vec_push(p->cx, &p->module->classes, NULL);
            parse_newline(p);
        } else if (parse_accept_word(p, "captured")) {
            vec_push(p->cx, &p->module->captured_types, parse_type(p));
            vec_push(p->cx, &p->module->captured, NULL);
            parse_newline(p);
        } else if (parse_accept_word(p, "fn")) {
            parse_fn(p);
        } else {
            parse_fail(p, "fn, classes or captured expected");
        }
    }
}

static void check_callees(Parser *p) {
    for (uint32_t f = 0; f < p->module->fns.n; f++) {
        const Fn *fn = p->module->fns.at[f];
        for (Ref r = 1; r < fn->ins.n; r++) {
            const Ins *i = ir_at(fn, r);
            if ((i->op == OP_CALL_FN || i->op == OP_REGION) && !i->callee->blocks.n)
                parse_fail(p, "@%s is not defined", i->callee->name);
        }
    }
}

Module *ir_parse(Cx *cx, const char *text) {
    Parser p = {.cx = cx, .start = text, .at = text, .module = NEW(cx, Module)};
    parse_module(&p);
    check_callees(&p);
    return p.module;
}
