/* Calls and f-strings. */
#include <string.h>

#include "build/build_int.h"

/* Positional arguments, their stars noted in *stars (NULL: there are none). */
static void add_positional(Builder *b, const Node *n, Refs *args, const bool **stars) {
    bool *is_star = NEWN(b->cx, bool, n->n);
    *stars = NULL;
    for (uint32_t i = 0; i < n->n; i++) {
        is_star[i] = n->list[i]->kind == N_STAR;
        if (is_star[i]) *stars = is_star;
        vec_push(b->cx, args, bd_expr(b, is_star[i] ? n->list[i]->a : n->list[i]));
    }
}

Ref bd_call(Builder *b, const Node *n) {
    Refs args = {0};
    CallInfo *call = NEW(b->cx, CallInfo);
    const char **keywords = NEWN(b->cx, const char *, n->n2);
    vec_push(b->cx, &args, bd_expr(b, n->a));
    add_positional(b, n, &args, &call->star);
    for (uint32_t i = 0; i < n->n2; i++) {
        const Node *keyword = n->list2[i];
        if (!keyword->name)
            return bd_refuse(b, keyword->span, D_NOT_YET, "** in a call",
                             "name the arguments one by one");
        keywords[i] = keyword->name;
        vec_push(b->cx, &args, bd_expr(b, keyword->a));
    }
    call->npos = n->n;
    call->keywords = keywords;
    call->nkeywords = n->n2;
    Ref r = bd_add(b, OP_CALL, n->span, args.n, args.at);
    ir_at(b->fn, r)->call = call;
    return r;
}

Ref bd_call_refs(Builder *b, Span span, uint32_t n, const Ref *refs) {
    CallInfo *call = NEW(b->cx, CallInfo);
    call->npos = n - 1;
    Ref r = bd_add(b, OP_CALL, span, n, refs);
    ir_at(b->fn, r)->call = call;
    return r;
}

/* A format specification that is written out; NULL if it is computed. */
static const char *literal_spec(Builder *b, const Node *spec) {
    Buf text = {0};
    for (uint32_t i = 0; i < spec->n; i++) {
        if (spec->list[i]->kind != N_LITERAL || spec->list[i]->lit->kind != LIT_STR) return NULL;
        buf_add(b->cx, &text, spec->list[i]->lit->s, spec->list[i]->lit->n);
    }
    return text.at ? text.at : "";
}

static Ref format(Builder *b, const Node *n) {
    Ref args[2] = {bd_expr(b, n->a), 0};
    const char *spec = n->b ? literal_spec(b, n->b) : "";
    if (!spec)
        args[1] = bd_expr(b, n->b);
    else if (*spec)
        args[1] = bd_const_str(b, spec, strlen(spec), n->b->span);
    Ref r = bd_add(b, OP_FORMAT, n->span, args[1] ? 2 : 1, args);
    ir_at(b->fn, r)->sub = n->op;
    return r;
}

Ref bd_fstring(Builder *b, const Node *n) {
    if (n->kind == N_FORMAT) return format(b, n);
    Refs pieces = {0};
    for (uint32_t i = 0; i < n->n; i++) vec_push(b->cx, &pieces, bd_expr(b, n->list[i]));
    if (!pieces.n) return bd_const_str(b, "", 0, n->span);
    return pieces.n == 1 ? pieces.at[0] : bd_add(b, OP_CONCAT, n->span, pieces.n, pieces.at);
}
