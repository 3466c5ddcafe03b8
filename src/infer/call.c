/* Calls: what the callee is, and the type of the result. */
#include <string.h>

#include "infer/bind.h"
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

/* --- instances ---------------------------------------------------------------------------------------------------------- */

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
    return infer_bind_def(in, infer_def(in, func), act, NULL, span, out);
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
    infer_parse_params(row->params, &params);
    uint32_t n = params.n;
    if (row->flags & ROW_UFUNC) infer_add_ufunc_params(&params);
    Arg *args = NEWN(in->cx, Arg, params.n + 1);
    if (!infer_bind(in, &params, act, args, &(Called){infer_short_name(row->name), NULL}, span))
        return false;
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
        /* the loops of a stencil are the caller's as much as its own */
        if (py_is_a(obj, "Stencil")) out->options.parallel |= inst->options.parallel;
        return bind_function(in, func, act, span, out);
    }
    if (py_is_a(obj, "function")) return bind_function(in, obj, act, span, out);
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
        return infer_bind_def(in, callee.ty->code, act, items, span, out);
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
    if (!infer_actuals(in, inst, call, &act)) return false;
    Arg callee = infer_value_arg(inst, ins->args[0]);
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
