/* Text: formatting values, str(), print(). */
#include <string.h>

#include "builtins/tables.h"

Ref lower_text_const(Lower *lo, const char *s) {
    Const *k = NEW(lo->cx, Const);
    k->ty = TY_OF(TY_STR);
    k->str.s = s;
    k->str.n = strlen(s);
    return lo_const(lo, k);
}

/* --- formatting -------------------------------------------------------------------------------------------------------- */

static Ref format_number(Lower *lo, Ref v, Ref spec) {
    Type *ty = lo_type(lo, v), *str = TY_OF(TY_STR), *f64 = TY_F(64);
    Ref s = spec ? spec : lower_text_const(lo, "");
    if (ty->kind == TY_BOOL) return lo_rt(lo, "ws_format_bool", str, 2, (Ref[]){v, s});
    if (ty->kind == TY_INT) {
        bool big = !ty->is_signed && ty->bits == 64;
        return lo_rt(lo, "ws_format_int", str, 3,
                     (Ref[]){lo_convert(lo, v, TY_I(64)), lo_bool(lo, big), s});
    }
    if (ty->kind == TY_FLOAT)
        return lo_rt(lo, "ws_format_float", str, 2, (Ref[]){lo_convert(lo, v, f64), s});
    Ref re = lo_convert(lo, lo_field(lo, v, 0), f64), im = lo_convert(lo, lo_field(lo, v, 1), f64);
    return lo_rt(lo, "ws_format_complex", str, 3, (Ref[]){re, im, s});
}

static Ref format_tuple(Lower *lo, Ref v) {
    Type *ty = lo_type(lo, v);
    Ref *pieces = NEWN(lo->cx, Ref, ty->nitems * 3u + 3);
    uint32_t n = 0;
    pieces[n++] = lower_text_const(lo, "(");
    for (uint32_t i = 0; i < ty->nitems; i++) {
        if (i) pieces[n++] = lower_text_const(lo, ", ");
        pieces[n++] = lower_format(lo, lo_field(lo, v, i), 'r', 0);
    }
    pieces[n++] = lower_text_const(lo, ty->nitems == 1 ? ",)" : ")");
    return lower_concat(lo, n, pieces);
}

static Ref format_optional(Lower *lo, Ref v, int conversion, Ref spec) {
    BlockId some = lo_block(lo, "some"), none = lo_block(lo, "none"), done = lo_block(lo, "text");
    Ref r = lo_param(lo, done, TY_OF(TY_STR));
    lo_branch(lo, lo_field(lo, v, 0), some, none);
    lo->b = some;
    Ref a = lower_format(lo, lo_field(lo, v, 1), conversion, spec);
    lo_jump(lo, done, 1, &a);
    lo->b = none;
    Ref b = lower_text_const(lo, "None");
    lo_jump(lo, done, 1, &b);
    lo->b = done;
    return r;
}

Ref lower_format(Lower *lo, Ref v, int conversion, Ref spec) {
    Type *ty = lo_type(lo, v), *str = TY_OF(TY_STR);
    switch ((TyKind)ty->kind) {
    case TY_NONE: return lower_text_const(lo, "None");
    case TY_OPTIONAL: return format_optional(lo, v, conversion, spec);
    case TY_TUPLE: return format_tuple(lo, v);
    case TY_EXC: {
        Ref how = lo_number(lo, TY_I(32), conversion | ty->bits << 8);
        v = lo_rt(lo, "ws_exc_text", str, 2, (Ref[]){v, how});
        return spec ? lower_format(lo, v, 0, spec) : v;
    }
    case TY_STR:
        if (conversion == 'r') v = lo_rt(lo, "ws_repr_str", str, 1, &v);
        if (conversion == 'a') v = lo_rt(lo, "ws_ascii_str", str, 1, &v);
        return spec ? lo_rt(lo, "ws_format_str", str, 2, (Ref[]){v, spec}) : v;
    default: {
        Ref r = format_number(lo, v, conversion ? 0 : spec);
        return conversion && spec ? lower_format(lo, r, 0, spec) : r;
    }
    }
}

static bool is_printable(const Type *ty) {
    ty = infer_plain((Type *)ty);
    if (ty->kind == TY_TUPLE) {
        for (uint32_t i = 0; i < ty->nitems; i++)
            if (!is_printable(ty->items[i])) return false;
        return !ty->names;
    }
    return ty_is_number(ty) || ty->kind == TY_STR || ty->kind == TY_NONE || ty->kind == TY_EXC;
}

/* --- str, repr, print --------------------------------------------------------------------------------------------------- */

static Type *type_str(Call *c) {
    if (!given(c, 0) || is_printable(c->args[0].ty)) return TY_OF(TY_STR);
    return rule_no_overload(c);
}

static Ref lower_str(Lower *lo, Call *c) {
    return given(c, 0) ? lower_format(lo, lo_arg(lo, c->args[0]), c->row->data, 0)
                       : lower_text_const(lo, "");
}

static Type *type_print(Call *c) {
    Type *all = c->args[0].ty;
    for (uint32_t i = 0; i < all->nitems; i++)
        if (!is_printable(all->items[i])) return rule_no_overload(c);
    for (uint32_t i = 1; i < 3; i++)
        if (given(c, i) && c->args[i].ty->kind != TY_STR && c->args[i].ty->kind != TY_NONE)
            return rule_no_overload(c);
    return TY_OF(TY_NONE);
}

static Ref separator(Lower *lo, Call *c, uint32_t i, const char *otherwise) {
    return given(c, i) && c->args[i].ty->kind == TY_STR ? lo_arg(lo, c->args[i])
                                                        : lower_text_const(lo, otherwise);
}

static Ref lower_print(Lower *lo, Call *c) {
    Ref all = lo_arg(lo, c->args[0]);
    uint32_t n = lo_type(lo, all)->nitems, at = 0;
    Ref *pieces = NEWN(lo->cx, Ref, 2 * n + 1), sep = separator(lo, c, 1, " ");
    for (uint32_t i = 0; i < n; i++) {
        if (i) pieces[at++] = sep;
        pieces[at++] = lower_format(lo, lo_field(lo, all, i), 0, 0);
    }
    pieces[at++] = separator(lo, c, 2, "\n");
    Ref text = at == 1 ? pieces[0] : lower_concat(lo, at, pieces);
    lo_rt(lo, "ws_print", TY_OF(TY_NONE), 1, &text);
    return lo_none(lo);
}

/* --- characters ---------------------------------------------------------------------------------------------------------- */

static Type *type_ord(Call *c) {
    TyKind k = (TyKind)c->args[0].ty->kind;
    return k == TY_STR || k == TY_BYTES ? TY_I(64) : rule_no_overload(c);
}

static Const *const_ord(Call *c) {
    const Const *k = c->args[0].k;
    bool known = k && k->ty->kind == TY_STR && k->str.n == 1; /* a longer one may be UTF-8 */
    return known ? ir_const_int(c->in->cx, TY_I(64), (uint8_t)k->str.s[0]) : NULL;
}

static Ref lower_ord(Lower *lo, Call *c) {
    Ref v = lo_arg(lo, c->args[0]);
    return lo_rt(lo, "ws_str_code", TY_I(64), 1, &v);
}

static Type *type_chr(Call *c) {
    return ty_is_integral(plain(c, 0)) ? TY_OF(TY_STR) : rule_no_overload(c);
}

static Ref lower_chr(Lower *lo, Call *c) {
    Ref v = lo_arg_as(lo, c->args[0], TY_I(64));
    return lo_rt(lo, "ws_str_of_code", TY_OF(TY_STR), 1, &v);
}

const Row rows_text[] = {
    {.name = "builtins.str", .params = "x=", .type = type_str, .lower = lower_str},
    {.name = "builtins.repr", .params = "x", .type = type_str, .lower = lower_str, .data = 'r'},
    {.name = "builtins.ord",
     .takes = "a string of one character",
     .params = "x",
     .type = type_ord,
     .lower = lower_ord,
     .constant = const_ord},
    {.name = "builtins.chr",
     .takes = "an integer",
     .params = "i",
     .type = type_chr,
     .lower = lower_chr},
    {.name = "builtins.print",
     .params = "*args, sep=, end=, flush=",
     .type = type_print,
     .lower = lower_print},
    {0},
};
