/* Calls: what the callee is, which argument goes to which parameter, and the type of the result. */
#include <string.h>

#include "infer/infer_int.h"
#include "py/py.h"

/* --- definitions ------------------------------------------------------------------------------------------------ */

const FnDef *infer_def(Infer *in, PyObject *func) {
    const FnDef *def = map_ptr(&in->defs, func);
    if (!def) {
        def = build_load(in->cx, func);
        map_put(in->cx, &in->defs, func, def);
        in->module->unlike_code |= def->unlike_code;
    }
    return def;
}

/* --- arguments as written ---------------------------------------------------------------------------------------- */

typedef struct Actuals {
    Arg *at; /* positional, stars expanded, then keywords */
    uint32_t npos, nkw;
    const char *const *keywords;
} Actuals;

static Arg value_arg(const Inst *inst, Ref r) {
    const Ins *ins = ir_at(inst->high, r);
    return (Arg){.ref = r, .item = -1, .ty = ins->ty, .k = ins->k, .weak = ins->weak};
}

static bool fill_actuals(Infer *in, Inst *inst, Ref call, Actuals *out) {
    const Ins *ins = ir_at(inst->high, call);
    const CallInfo *info = ins->call;
    VEC(Arg) args = {0};
    for (uint32_t i = 0; i < info->npos; i++) {
        Ref r = ins->args[1 + i];
        Arg a = value_arg(inst, r);
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
        vec_push(in->cx, &args, value_arg(inst, ins->args[1 + info->npos + i]));
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

typedef struct Param {
    const char *name;
    uint32_t n; /* length of the name */
    bool optional, rest;
} Param;

typedef struct Params {
    Param at[32];
    uint32_t n;
    uint32_t npositional; /* those before *rest, or all */
} Params;

static void parse_params(const char *text, Params *out) {
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
static void add_ufunc_params(Params *p) {
    Params more;
    parse_params("out=, where=, dtype=", &more);
    for (uint32_t i = 0; i < more.n; i++) p->at[p->n++] = more.at[i];
    p->npositional++;
}

static bool is_param(const Param *p, const char *name) {
    return strlen(name) == p->n && !strncmp(p->name, name, p->n);
}

/* What is called, for messages: a Python function, or a row. */
typedef struct Called {
    const char *name;
    const FnDef *def; /* NULL: a row */
} Called;

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
static bool bind(Infer *in, const Params *params, const Actuals *act, Arg *args, const Called *who,
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

/* "numpy.zeros": "zeros". */
static const char *short_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Binds a call of def; `captures` are its captured values. The arguments are parameters, then captures. */
static bool bind_def(Infer *in, const FnDef *def, const Actuals *act, const Arg *captures,
                     Span span, Callee *out) {
    Cx *cx = in->cx;
    Params params = params_of_def(def, cx, span);
    uint32_t n = def->nparams + def->ncaptures;
    Arg *args = NEWN(cx, Arg, n + 1);
    Called who = {out->public_row ? short_name(out->public_row->name) : def->name, def};
    if (!bind(in, &params, act, args, &who, span)) return false;
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

/* A helper in the prelude: an axis decides which way is taken, and what a loop goes along. Not one that calls itself,
 * which may count down. */
static bool is_prelude_helper(const Infer *in, const Inst *caller, const FnDef *def) {
    if (!in->cx->files[def->file].is_ours) return false;
    for (const Inst *i = caller; i; i = i->caller)
        if (i->def == def) return false;
    return true;
}

/* A constant that the callee is specialised on: texts, and whatever prelude functions are given. */
static Const *literal_of(const Callee *c, const Arg *a, bool is_helper) {
    if (!a->k) return NULL;
    if (c->literal_args || (!a->ref && !a->packed)) return a->k;
    if (is_helper && (a->ty->kind == TY_INT || a->ty->kind == TY_BOOL)) return a->k;
    return a->ty->kind == TY_STR || a->ty->kind == TY_BYTES ? a->k : NULL;
}

static void find_instance(Infer *in, const Inst *inst, Callee *c, Span span) {
    uint32_t n = c->call.nargs;
    Type **types = NEWN(in->cx, Type *, n + 1);
    Const **ks = NEWN(in->cx, Const *, n + 1);
    bool is_helper = is_prelude_helper(in, inst, c->def);
    for (uint32_t i = 0; i < n; i++) {
        types[i] = c->call.args[i].ty;
        if (types[i]->kind == TY_UNDEF) return;
        ks[i] = literal_of(c, &c->call.args[i], is_helper);
    }
    c->inst = infer_instance(in, c->def, types, ks, n, c->options, span);
    if (c->public_row && !c->inst->public_row) c->inst->public_row = c->public_row;
}

/* --- user overloads ----------------------------------------------------------------------------------------------------- */

/* whipsnake.extending._registry.<table>, borrowed; NULL if nobody has registered anything. */
static PyObject *registry(Infer *in, const char *table) {
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *mod = build_get_item(modules, "whipsnake.extending");
    if (!mod) return NULL;
    PyObject *reg = build_get_attr(mod, "_registry");
    PyObject *dict = reg ? build_get_attr(reg, table) : NULL;
    build_clear_error();
    Py_XDECREF(reg);
    if (dict) cx_defer(in->cx, (void (*)(void *))Py_DecRef, dict);
    return dict;
}

/* Python raised in a user's overload. What it says about types is told like an error of ours; anything else ends
 * the compile with that exception as it is. */
static _Noreturn void python_error(Infer *in, Span span) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *cls = py_import_attr("whipsnake.errors", "CompileError");
    bool ours = cls && value && PyObject_IsInstance(value, cls) > 0;
    build_clear_error();
    PyErr_Restore(type, value, trace);
    Py_XDECREF(cls);
    if (ours) diag_fail(in->cx, span, D_OVERLOAD, infer_python_error(in->cx));
    diag_fail(in->cx, span, D_PYTHON, "raised by an overload, for the call here");
}

/* Calls one overload with the types (positional, then keywords); the function it returns is kept alive. NULL: it declined. */
static PyObject *ask_overload(Infer *in, PyObject *impl, const Arg *self, const Actuals *act,
                              Span span) {
    uint32_t extra = self != NULL;
    PyObject *args = PyTuple_New((Py_ssize_t)act->npos + extra),
             *kw = act->nkw ? PyDict_New() : NULL, *f = NULL;
    bool good = args && (kw || !act->nkw);
    if (good && self) {
        PyObject *t = in->core->type_to_object(self->ty);
        good = t && PyTuple_SetItem(args, 0, t) == 0;
    }
    for (uint32_t i = 0; good && i < act->npos + act->nkw; i++) {
        PyObject *t = in->core->type_to_object(act->at[i].ty);
        good = t != NULL;
        if (!good) break;
        if (i < act->npos) {
            good = PyTuple_SetItem(args, (Py_ssize_t)i + extra, t) == 0;
        } else {
            good = PyDict_SetItemString(kw, act->keywords[i - act->npos], t) == 0;
            Py_DECREF(t);
        }
    }
    if (good) f = PyObject_Call(impl, args, kw);
    Py_XDECREF(args);
    Py_XDECREF(kw);
    if (!f) python_error(in, span);
    if (f == Py_None) {
        Py_DECREF(f);
        return NULL;
    }
    cx_defer(in->cx, (void (*)(void *))Py_DecRef, f);
    return f;
}

/* The same function for the same types: an overload makes a new closure each time it is asked. */
static PyObject *overload_impl(Infer *in, PyObject *impls, const Arg *self, const Actuals *act,
                               Span span) {
    uint64_t h = map_key(impls) * 31 + (self ? self->ty->id : 0);
    for (uint32_t i = 0; i < act->npos + act->nkw; i++)
        h = (h ^ act->at[i].ty->id) * 0x100000001b3u;
    uint64_t known = map_get(&in->impls, h, 1);
    if (known != 1) return (PyObject *)(uintptr_t)known;
    PyObject *f = NULL;
    Py_ssize_t n = PyList_Size(impls);
    for (Py_ssize_t i = n - 1; i >= 0 && !f; i--)
        f = ask_overload(in, PyList_GetItem(impls, i), self, act, span);
    map_set(in->cx, &in->impls, h, map_key(f));
    return f;
}

static bool bind_function(Infer *in, PyObject *func, const Actuals *act, Span span, Callee *out) {
    return bind_def(in, infer_def(in, func), act, NULL, span, out);
}

/* The arguments of a method with the object itself as the first. */
static Actuals with_self(Cx *cx, const Arg *self, const Actuals *act) {
    uint32_t n = act->npos + act->nkw;
    Actuals all = *act;
    all.at = NEWN(cx, Arg, n + 1);
    all.at[0] = *self;
    if (n) memcpy(all.at + 1, act->at, n * sizeof(Arg));
    all.npos++;
    return all;
}

static bool bind_overload(Infer *in, PyObject *impls, const Arg *self, const Actuals *act,
                          Span span, Callee *out) {
    PyObject *f = overload_impl(in, impls, self, act, span);
    if (!f) return false;
    Actuals all = self ? with_self(in->cx, self, act) : *act;
    JitOptions own;
    PyObject *plain = in->core->unwrap(f, &own);
    if (plain) out->options = infer_callee_options(in, &own);
    return bind_function(in, plain ? plain : f, &all, span, out);
}

Inst *infer_call_impls(Infer *in, Inst *inst, PyObject *impls, const Arg *self, Ref r,
                       Callee *out) {
    Actuals none = {0};
    *out = (Callee){.options = inst->options};
    Span span = ir_at(inst->high, r)->span;
    if (!bind_overload(in, impls, self, &none, span, out)) return NULL;
    find_instance(in, inst, out, span);
    return out->inst;
}

/* --- the callee ---------------------------------------------------------------------------------------------------------- */

/* "creation.linspace": the function linspace of whipsnake.prelude.creation. */
static PyObject *prelude_function(Infer *in, const char *name, Span span) {
    PyObject *known = map_ptr(&in->preludes, name);
    if (known) return known;
    const char *dot = strchr(name, '.');
    PyObject *mod =
        PyImport_ImportModule(cx_printf(in->cx, "whipsnake.prelude.%.*s", (int)(dot - name), name));
    PyObject *f = mod ? build_get_attr(mod, dot + 1) : NULL;
    Py_XDECREF(mod);
    if (!f) python_error(in, span);
    cx_defer(in->cx, (void (*)(void *))Py_DecRef, f);
    map_put(in->cx, &in->preludes, name, f);
    return f;
}

Inst *infer_prelude_call(Infer *in, Inst *inst, const char *name, const Arg *args, uint32_t n,
                         Ref user, Callee *out) {
    Span span = ir_at(inst->high, user)->span;
    Actuals act = {.at = (Arg *)args, .npos = n};
    *out = (Callee){.options = inst->options, .literal_args = true};
    if (!bind_function(in, prelude_function(in, name, span), &act, span, out)) return NULL;
    find_instance(in, inst, out, span);
    if (!out->inst) return NULL;
    Const *k;
    infer_wait(in, out->inst, inst, user, &k);
    if (in->final) infer_check(in, out->inst);
    return out->inst;
}

Inst *infer_prelude(Infer *in, Inst *inst, const char *name, Type *const *types, uint32_t n,
                    Ref user) {
    Arg *args = NEWN(in->cx, Arg, n + 1);
    for (uint32_t i = 0; i < n; i++) args[i] = (Arg){.item = -1, .ty = types[i]};
    Callee c;
    return infer_prelude_call(in, inst, name, args, n, user, &c);
}

static bool bind_row(Infer *in, Inst *inst, const Row *row, const Arg *self, const Actuals *act,
                     Ref call, Callee *out) {
    Span span = ir_at(inst->high, call)->span;
    if (row->flags & ROW_PRELUDE) {
        out->literal_args = true;
        out->public_row = row;
        Actuals all = self ? with_self(in->cx, self, act) : *act;
        out->options = inst->options;
        return bind_function(in, prelude_function(in, row->prelude, span), &all, span, out);
    }
    Params params;
    parse_params(row->params, &params);
    uint32_t n = params.n;
    if (row->flags & ROW_UFUNC) add_ufunc_params(&params);
    Arg *args = NEWN(in->cx, Arg, params.n + 1);
    if (!bind(in, &params, act, args, &(Called){short_name(row->name), NULL}, span)) return false;
    const Arg *keywords = NULL;
    for (uint32_t i = n; i < params.n; i++)
        if (args[i].ty && args[i].ty->kind != TY_NONE) keywords = args + n;
    out->kind = CALLEE_ROW;
    out->row = row;
    out->call = (Call){.in = in,
                       .inst = inst,
                       .ins = call,
                       .span = span,
                       .row = row,
                       .args = args,
                       .nargs = n,
                       .keywords = keywords};
    if (self) out->call.self = *self;
    return true;
}

/* "os.getcwd", as it is written, where the object itself says posix.getcwd. */
static const char *written_name(Infer *in, const Inst *inst, Ref call, PyObject *obj) {
    const Ins *callee = ir_at(inst->high, ir_at(inst->high, call)->args[0]);
    const Type *owner = callee->op == OP_GETATTR ? ir_at(inst->high, callee->args[0])->ty : NULL;
    if (!owner || owner->kind != TY_MODULE) {
        const char *text = callee->op == OP_CONST ? diag_source(in->cx, callee->span) : NULL;
        return text && !text[strcspn(text, " .(")] ? text : infer_object_name(in, obj);
    }
    return cx_printf(in->cx, "%s.%s", infer_object_name(in, owner->obj), callee->name);
}

/* A function or class known by identity. */
static bool resolve_object(Infer *in, Inst *inst, PyObject *obj, const Actuals *act, Ref call,
                           Callee *out) {
    Span span = ir_at(inst->high, call)->span;
    const Row *row = row_of_object(in, obj);
    if (!row) row = row_of_vectorized(in, obj);
    PyObject *functions = registry(in, "functions");
    PyObject *impls = functions ? PyDict_GetItem(functions, obj) : NULL; /* borrowed */
    build_clear_error();
    if (impls && bind_overload(in, impls, NULL, act, span, out)) return true;
    if (row) return bind_row(in, inst, row, NULL, act, call, out);
    if (impls) {
        infer_explain_args(in, inst, act->at, act->npos + act->nkw);
        infer_hint(in, "none of its overloads takes these types");
        infer_fail(in, span, D_NO_OVERLOAD, infer_object_name(in, obj),
                   infer_types_text(in->cx, act->at, act->npos + act->nkw));
        return false;
    }
    JitOptions own;
    PyObject *func = in->core->unwrap(obj, &own);
    if (func) {
        out->options = infer_callee_options(in, &own);
        return bind_function(in, func, act, span, out);
    }
    PyObject *code = build_get_attr(obj, "__code__");
    build_clear_error();
    Py_XDECREF(code);
    if (code) return bind_function(in, obj, act, span, out);
    infer_suggest_function(in, written_name(in, inst, call, obj), obj);
    infer_fail(in, infer_part(inst, call, ir_at(inst->high, call)->args[0]), D_UNKNOWN_CALL,
               written_name(in, inst, call, obj));
    return false;
}

/* Arguments for the captured values of a closure: items of the callee value. */
static Arg *capture_args(Infer *in, Arg callee) {
    Arg *args = NEWN(in->cx, Arg, callee.ty->nitems + 1);
    for (uint32_t i = 0; i < callee.ty->nitems; i++)
        args[i] = (Arg){.ref = callee.ref, .item = (int32_t)i, .ty = callee.ty->items[i]};
    return args;
}

static bool resolve(Infer *in, Inst *inst, Arg callee, const Actuals *act, Ref call, Callee *out) {
    Span span = ir_at(inst->high, call)->span;
    *out = (Callee){.options = inst->options};
    switch ((TyKind)callee.ty->kind) {
    case TY_FUNC:
    case TY_CLASS: return resolve_object(in, inst, callee.ty->obj, act, call, out);
    case TY_CLOSURE: {
        const Row *row = row_of_closure(callee.ty);
        Arg *items = capture_args(in, callee);
        if (row) return bind_row(in, inst, row, &items[0], act, call, out);
        PyObject *impls = infer_user_method(in, callee.ty);
        if (impls) {
            if (bind_overload(in, impls, &items[0], act, span, out)) return true;
            infer_explain_args(in, inst, act->at, act->npos + act->nkw);
            infer_hint(in, "none of its overloads takes these types");
            infer_fail_about(in, inst, &callee.ref, 1, span, D_NO_OVERLOAD, callee.ty->name,
                             infer_types_text(in->cx, act->at, act->npos + act->nkw));
            return false;
        }
        return bind_def(in, callee.ty->code, act, items, span, out);
    }
    default:
        infer_fail_about(in, inst, &callee.ref, 1, infer_part(inst, call, callee.ref),
                         D_NOT_CALLABLE, infer_value_text(in->cx, callee.ty));
        return false;
    }
}

uint32_t infer_callee_count(const Inst *inst, Ref call) {
    const Type *ty = ir_at(inst->high, ir_at(inst->high, call)->args[0])->ty;
    return ty->kind == TY_FUNC && ty->nitems ? ty->nitems : 1;
}

bool infer_callee(Infer *in, Inst *inst, Ref call, Callee *out) {
    return infer_callee_at(in, inst, call, 0, out);
}

bool infer_callee_at(Infer *in, Inst *inst, Ref call, uint32_t which, Callee *out) {
    const Ins *ins = ir_at(inst->high, call);
    Actuals act;
    for (uint32_t i = 0; i < ins->nargs; i++)
        if (ir_at(inst->high, ins->args[i])->ty->kind == TY_UNDEF) return false;
    if (!fill_actuals(in, inst, call, &act)) return false;
    Arg callee = value_arg(inst, ins->args[0]);
    if (callee.ty->kind == TY_FUNC && callee.ty->nitems) callee.ty = callee.ty->items[which];
    if (!resolve(in, inst, callee, &act, call, out)) return false;
    if (out->kind == CALLEE_INST) find_instance(in, inst, out, ins->span);
    return true;
}

Inst *infer_call_value(Infer *in, Inst *inst, Arg callee, const Arg *args, uint32_t n, Ref call,
                       Callee *out) {
    Actuals act = {.at = (Arg *)args, .npos = n};
    if (!resolve(in, inst, callee, &act, call, out)) return NULL;
    if (out->kind == CALLEE_INST) {
        find_instance(in, inst, out, ir_at(inst->high, call)->span);
        Const *k;
        if (out->inst) infer_wait(in, out->inst, inst, call, &k);
        if (out->inst && in->final) infer_check(in, out->inst);
    }
    return out->inst;
}

static Type *call_one(Infer *in, Inst *inst, Ref r, uint32_t which, Const **k) {
    Callee c;
    if (!infer_callee_at(in, inst, r, which, &c)) return NULL;
    if (c.kind == CALLEE_ROW) {
        Type *ty = row_type(&c.call);
        if (ty && c.row->constant) *k = c.row->constant(&c.call);
        return ty;
    }
    return c.inst ? infer_wait(in, c.inst, inst, r, k) : NULL;
}

Type *infer_call(Infer *in, Inst *inst, Ref r, Const **k) {
    uint32_t n = infer_callee_count(inst, r);
    if (n == 1) return call_one(in, inst, r, 0, k);
    Type *ty = TY_OF(TY_UNDEF);
    for (uint32_t i = 0; i < n && ty; i++) {
        Const *unused = NULL;
        Type *one = call_one(in, inst, r, i, &unused);
        if (one) ty = ty_join(ty, one);
    }
    if (!ty)
        return infer_fail(in, ir_at(inst->high, r)->span, D_TYPING,
                          "the functions called here return different types");
    return ty->kind == TY_UNDEF ? NULL : ty;
}
