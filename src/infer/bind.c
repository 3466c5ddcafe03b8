/* Which argument of a call goes to which parameter: positions, keywords, stars, defaults. */
#include "infer/bind.h"

#include <string.h>

/* --- arguments as written ---------------------------------------------------------------------------------------- */

Arg infer_value_arg(const Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    return (Arg){.ref = r, .item = -1, .ty = ins->ty, .k = ins->k, .weak = ins->weak};
}

bool infer_actuals(Infer *in, Inst *inst, Ref call, Actuals *out) {
    const Ins *ins = ir_at(inst->high, call);
    const CallInfo *info = ins->call;
    VEC(Arg) args = {0};
    for (uint32_t i = 0; i < info->npos; i++) {
        Ref r = ins->args[1 + i];
        Arg a = infer_value_arg(inst, r);
        if (!info->star || !info->star[i]) {
            vec_push(in->cx, &args, a);
            continue;
        }
        if (a.ty->kind != TY_TUPLE) {
            infer_fail_about(in, inst, &r, 1, ins->span, D_TYPING,
                             cx_printf(in->cx, "only tuples can be passed with *, not %s",
                                       infer_value_text(in->cx, a.ty)));
            return false;
        }
        for (uint32_t j = 0; j < a.ty->nitems; j++) {
            Const *k = a.k ? a.k->seq.items[j] : NULL;
            vec_push(in->cx, &args,
                     ((Arg){.ref = r, .item = (int32_t)j, .ty = a.ty->items[j], .k = k}));
        }
    }
    out->npos = args.n;
    out->nkw = info->nkeywords;
    out->keywords = info->keywords;
    for (uint32_t i = 0; i < info->nkeywords; i++)
        vec_push(in->cx, &args, infer_value_arg(inst, ins->args[1 + info->npos + i]));
    out->at = args.at;
    return true;
}

static Arg pack(Cx *cx, const Arg *args, uint32_t n) {
    Type **items = NEWN(cx, Type *, n + 1);
    Const *k = NEW(cx, Const);
    k->seq.items = NEWN(cx, Const *, n + 1);
    k->seq.n = n;
    bool known = true;
    for (uint32_t i = 0; i < n; i++) {
        items[i] = args[i].ty;
        k->seq.items[i] = args[i].k;
        known = known && args[i].k;
    }
    Arg *copy = NEWN(cx, Arg, n + 1);
    if (n) memcpy(copy, args, n * sizeof *args);
    k->ty = ty_tuple(items, n);
    return (Arg){.item = -1, .ty = k->ty, .packed = copy, .k = known ? k : NULL};
}

/* --- binding --------------------------------------------------------------------------------------------------------- */

void infer_parse_params(const char *text, Params *out) {
    *out = (Params){0};
    bool after = false;
    for (const char *s = text; *s && out->n < 32;) {
        s += strspn(s, " ,");
        size_t n = strcspn(s, ",");
        Param p = {s, (uint32_t)n, false, false};
        if (n && s[n - 1] == '=') p.optional = true, p.n--;
        if (*s == '*') {
            p.rest = true;
            after = true;
        }
        if (n) {
            out->at[out->n++] = p;
            out->npositional += !after;
        }
        s += n;
    }
}

/* Behind a ufunc's own parameters; only `out` may stand without its name. */
void infer_add_ufunc_params(Params *p) {
    Params more;
    infer_parse_params("out=, where=, dtype=", &more);
    for (uint32_t i = 0; i < more.n; i++) p->at[p->n++] = more.at[i];
    p->npositional++;
}

static bool is_param(const Param *p, const char *name) {
    return strlen(name) == p->n && !strncmp(p->name, name, p->n);
}

/* "f(a, b=..., *rest)" */
static const char *signature_text(Cx *cx, const Params *params, const Called *who) {
    Buf out = {0};
    uint32_t first = who->def ? who->def->npositional - who->def->ndefaults : 0;
    buf_printf(cx, &out, "%s(", who->name);
    for (uint32_t i = 0; i < params->n; i++) {
        const Param *p = &params->at[i];
        bool optional = who->def ? i >= first && i < who->def->npositional : p->optional;
        buf_printf(cx, &out, "%s%s%.*s%s", i ? ", " : "", who->def && p->rest ? "*" : "", (int)p->n,
                   p->name, optional ? "=..." : "");
    }
    buf_printf(cx, &out, ")");
    return out.at;
}

/* The arguments do not fit. Always false. */
__attribute__((format(printf, 5, 6))) static bool
refuse_args(Infer *in, const Params *params, const Called *who, Span span, const char *fmt, ...) {
    if (!in->final) return false;
    va_list ap;
    va_start(ap, fmt);
    const char *text = cx_vprintf(in->cx, fmt, ap);
    va_end(ap);
    if (who->def)
        diag_note(in->cx, build_def_span(who->def), "%s() is defined here", who->name);
    else
        diag_note(in->cx, (Span){0}, "compiled code has %s", signature_text(in->cx, params, who));
    diag_fail(in->cx, span, D_ARG_COUNT, text);
}

/* CPython's words: "f() takes from 1 to 2 positional arguments but 3 were given". */
static bool refuse_too_many(Infer *in, const Params *params, const Called *who, Span span,
                            uint32_t given) {
    uint32_t most = params->npositional, least = 0;
    while (least < most && !params->at[least].optional) least++;
    if (who->def) least = who->def->npositional - who->def->ndefaults;
    const char *takes = least < most ? cx_printf(in->cx, "from %u to %u", least, most)
                                     : cx_printf(in->cx, "%u", most);
    return refuse_args(in, params, who, span, "%s() takes %s positional argument%s but %u %s given",
                       who->name, takes, most == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

static bool refuse_keyword(Infer *in, const Params *params, const Called *who, Span span,
                           const char *keyword) {
    Near near = {.name = keyword};
    for (uint32_t j = 0; j < params->n; j++)
        if (!params->at[j].rest)
            near_try(&near, cx_printf(in->cx, "%.*s", (int)params->at[j].n, params->at[j].name));
    infer_suggest(in, &near, NULL);
    return refuse_args(in, params, who, span, "%s() got an unexpected keyword argument '%s'",
                       who->name, keyword);
}

/* "f() missing 2 required positional arguments: 'a' and 'b'" for those in missing[0..params->n). */
static bool refuse_missing(Infer *in, const Params *params, const Called *who, Span span,
                           const bool *missing) {
    uint32_t count = 0, shown = 0;
    bool keyword_only = true; /* positional ones are told first, alone */
    for (uint32_t j = 0; j < params->npositional; j++) keyword_only = keyword_only && !missing[j];
    uint32_t from = keyword_only ? params->npositional : 0,
             to = keyword_only ? params->n : params->npositional;
    for (uint32_t j = from; j < to; j++) count += missing[j];
    Buf names = {0};
    for (uint32_t j = from; j < to; j++) {
        if (!missing[j]) continue;
        const char *joint = !shown ? "" : shown + 1 < count ? ", " : count > 2 ? ", and " : " and ";
        buf_printf(in->cx, &names, "%s'%.*s'", joint, (int)params->at[j].n, params->at[j].name);
        shown++;
    }
    return refuse_args(in, params, who, span, "%s() missing %u required %s argument%s: %s",
                       who->name, count, keyword_only ? "keyword-only" : "positional",
                       count == 1 ? "" : "s", names.at);
}

/* Keywords to parameters. */
static bool bind_keywords(Infer *in, const Params *params, const Actuals *act, Arg *args,
                          const Called *who, Span span) {
    for (uint32_t i = 0; i < act->nkw; i++) {
        uint32_t j = 0;
        while (j < params->n && (params->at[j].rest || !is_param(&params->at[j], act->keywords[i])))
            j++;
        if (j == params->n) return refuse_keyword(in, params, who, span, act->keywords[i]);
        if (args[j].ty)
            return refuse_args(in, params, who, span, "%s() got multiple values for argument '%s'",
                               who->name, act->keywords[i]);
        args[j] = act->at[act->npos + i];
    }
    return true;
}

/* Fills args[0..params->n) from the actuals; ty stays NULL where nothing was given. */
bool infer_bind(Infer *in, const Params *params, const Actuals *act, Arg *args, const Called *who,
                Span span) {
    Cx *cx = in->cx;
    bool rest = params->npositional < params->n && params->at[params->npositional].rest;
    for (uint32_t i = 0; i < act->npos && i < params->npositional; i++) args[i] = act->at[i];
    if (rest) {
        uint32_t extra = act->npos > params->npositional ? act->npos - params->npositional : 0;
        args[params->npositional] = pack(cx, act->at + act->npos - extra, extra);
    } else if (act->npos > params->npositional) {
        return refuse_too_many(in, params, who, span, act->npos);
    }
    if (!bind_keywords(in, params, act, args, who, span)) return false;
    bool missing[32] = {0}, any = false;
    for (uint32_t j = 0; j < params->n; j++) {
        missing[j] = !args[j].ty && !params->at[j].optional && !params->at[j].rest;
        any = any || missing[j];
    }
    return any ? refuse_missing(in, params, who, span, missing) : true;
}

/* --- Python functions --------------------------------------------------------------------------------------------------- */

static Params params_of_def(const FnDef *def, Cx *cx, Span span) {
    Params p = {0};
    if (def->nparams > 32)
        diag_fail(cx, span, D_CODE_SIZE, "more than 32 parameters of a called function");
    p.n = def->nparams;
    p.npositional = def->npositional;
    for (uint32_t i = 0; i < p.n; i++)
        p.at[i] = (Param){def->params[i], (uint32_t)strlen(def->params[i]), true,
                          def->has_varargs && i == def->npositional};
    return p;
}

/* The default of parameter i, as a constant; false: there is none. */
static bool default_arg(Infer *in, const FnDef *def, uint32_t i, const Arg *captures, Span span,
                        Arg *out) {
    Cx *cx = in->cx;
    if (!def->func) {
        for (uint32_t j = 0; j < def->ncaptures; j++)
            if (def->captures[j][0] == '=' && strcmp(def->captures[j] + 1, def->params[i]) == 0) {
                *out = captures[j];
                return true;
            }
        return false;
    }
    PyObject *value = NULL;
    if (i < def->npositional) {
        if (i + def->ndefaults < def->npositional) return false;
        PyObject *defaults = build_get_attr(def->func, "__defaults__");
        if (defaults && PyTuple_Check(defaults))
            value =
                PyTuple_GetItem(defaults, (Py_ssize_t)(i - (def->npositional - def->ndefaults)));
        Py_XDECREF(defaults);
    } else {
        PyObject *defaults = build_get_attr(def->func, "__kwdefaults__");
        if (defaults && PyDict_Check(defaults)) value = build_get_item(defaults, def->params[i]);
        Py_XDECREF(defaults);
    }
    build_clear_error();
    if (!value) return false;
    Const *k = build_const(cx, value);
    if (!k) {
        infer_fail(in, span, D_BAD_DEFAULT, def->params[i], def->name);
        return false;
    }
    *out = (Arg){.item = -1, .ty = k->ty, .k = k};
    return true;
}

const char *infer_short_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Binds a call of def; `captures` are its captured values. The arguments are parameters, then captures. */
bool infer_bind_def(Infer *in, const FnDef *def, const Actuals *act, const Arg *captures, Span span,
                    Callee *out) {
    Cx *cx = in->cx;
    Params params = params_of_def(def, cx, span);
    uint32_t n = def->nparams + def->ncaptures;
    Arg *args = NEWN(cx, Arg, n + 1);
    Called who = {out->public_row ? infer_short_name(out->public_row->name) : def->name, def};
    if (!infer_bind(in, &params, act, args, &who, span)) return false;
    bool missing[32] = {0}, any = false;
    for (uint32_t i = 0; i < def->nparams; i++) {
        missing[i] = !args[i].ty && !default_arg(in, def, i, captures, span, &args[i]);
        any = any || missing[i];
    }
    if (any) return refuse_missing(in, &params, &who, span, missing);
    for (uint32_t i = 0; i < def->ncaptures; i++) args[def->nparams + i] = captures[i];
    out->kind = CALLEE_INST;
    out->def = def;
    out->call.args = args;
    out->call.nargs = n;
    return true;
}
