/* Type rules that many rows share. */
#include <string.h>

#include "builtins/tables.h"

Const *const_bool(Cx *cx, bool b) { return ir_const_int(cx, TY_OF(TY_BOOL), b); }

Ref lower_constant(Lower *lo, Call *c) { return lo_const(lo, c->row->constant(c)); }

/* What a row takes; NULL: not said. */
static const char *wanted_text(const Row *row) {
    if (row->takes || !row->sigs) return row->takes;
    bool floats = strpbrk(row->sigs, "fd"), complexes = strpbrk(row->sigs, "FD");
    return complexes ? "numbers" : floats ? "integers and floats" : "integers";
}

static bool may_be_none(const Call *c) {
    for (uint32_t i = 0; i < c->nargs; i++)
        if (c->args[i].ty && c->args[i].ty->kind == TY_OPTIONAL) return true;
    return false;
}

Type *rule_no_overload(Call *c) {
    if (!c->in->final) return NULL;
    if (c->self.ty) infer_explain(c->in, c->inst, c->self.ref);
    infer_explain_args(c->in, c->inst, c->args, c->nargs);
    const char *wanted = wanted_text(c->row);
    const char *none =
        may_be_none(c) ? ", not what may be None: ask before, as in `if x is not None`" : "";
    if (wanted) infer_hint(c->in, cx_printf(c->in->cx, "it takes %s%s", wanted, none));
    const char *name = strncmp(c->row->name, "builtins.", 9) == 0 ? c->row->name + 9 : c->row->name;
    return infer_fail(c->in, c->span, D_NO_OVERLOAD, name,
                      infer_types_text(c->in->cx, c->args, c->nargs));
}

/* --- dtypes --------------------------------------------------------------------------------------------------- */

Type *rule_object_type(Infer *in, PyObject *obj) {
    Type *t = in->core->type_from_object(obj);
    if (t) return t;
    build_clear_error();
    PyObject *np = build_get_item(PyImport_GetModuleDict(), "numpy");
    PyObject *make = np ? build_get_attr(np, "dtype") : NULL;
    PyObject *dtype = make ? PyObject_CallFunctionObjArgs(make, obj, NULL) : NULL;
    Py_XDECREF(make);
    if (dtype) t = in->core->type_of(dtype);
    build_clear_error();
    Py_XDECREF(dtype);
    return t && t->kind == TY_DTYPE ? t->of : NULL;
}

/* A dtype by a name that there is not. */
static Type *no_dtype(Call *c, const char *name) {
    static const char *const names[] = {"bool",    "int8",      "int16",     "int32",  "int64",
                                        "uint8",   "uint16",    "uint32",    "uint64", "float32",
                                        "float64", "complex64", "complex128"};
    Near near = {.name = name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) near_try(&near, names[i]);
    infer_suggest(c->in, &near, "dtypes are bool, integers, floats and complex numbers");
    return infer_fail(c->in, c->span, D_TYPING,
                      cx_printf(c->in->cx, "there is no dtype '%s' in compiled code", name));
}

Type *rule_dtype(Call *c, uint32_t i, Type *otherwise) {
    if (!given(c, i) || c->args[i].ty->kind == TY_NONE) return otherwise;
    Type *ty = c->args[i].ty, *r = NULL;
    if (ty->kind == TY_DTYPE) return ty->of;
    if ((ty->kind == TY_CLASS || ty->kind == TY_FUNC) && ty->obj)
        r = rule_object_type(c->in, ty->obj);
    if (ty->kind == TY_STR && c->args[i].k) {
        PyObject *s =
            PyUnicode_FromStringAndSize(c->args[i].k->str.s, (Py_ssize_t)c->args[i].k->str.n);
        if (!s) cx_abort(c->in->cx);
        r = rule_object_type(c->in, s);
        Py_DECREF(s);
    }
    if (r) return r;
    if (ty->kind == TY_STR && c->args[i].k) return no_dtype(c, c->args[i].k->str.s);
    infer_fail_about(c->in, c->inst, &c->args[i].ref, c->args[i].ref != 0, c->span, D_NOT_CONSTANT,
                     "dtype");
    return NULL;
}

/* --- signatures by letters -------------------------------------------------------------------------------------- */

Type *rule_letter(char c) {
    switch (c) {
    case '?': return TY_OF(TY_BOOL);
    case 'b': return TY_I(8);
    case 'B': return TY_U(8);
    case 'h': return TY_I(16);
    case 'H': return TY_U(16);
    case 'i': return TY_I(32);
    case 'I': return TY_U(32);
    case 'l': return TY_I(64);
    case 'L': return TY_U(64);
    case 'e': return TY_F(16);
    case 'f': return TY_F(32);
    case 'd': return TY_F(64);
    case 'F': return TY_C(64);
    case 'D': return TY_C(128);
    default: return NULL;
    }
}

/* Does an argument of this type go into a parameter of that one? Weak floats go into any float. */
static bool takes(Type *param, Arg a) {
    Type *ty = infer_plain(a.ty);
    if (ty->kind == TY_ENUM && ty->is_signed) ty = TY_I(64);
    if (!ty_is_number(ty)) return false;
    if (ty == param) return true;
    if (a.weak && ty->kind == TY_FLOAT && param->kind == TY_FLOAT) return true;
    if (a.weak && ty->kind == TY_INT && param->kind == TY_FLOAT) return true;
    return ty_fit(ty, param) >= FIT_SAFE ||
           (ty_is_integral(ty) && param->kind == TY_FLOAT && param->bits == 64) ||
           (ty_is_integral(ty) && param->kind == TY_COMPLEX && param->bits == 128);
}

/* The signature that fits; its result letter, and how many arguments. NULL: none. */
static const char *find_sig(Call *c, uint32_t n) {
    const Arg *args = c->args;
    /* all weak: as float64 */
    bool strong = false;
    for (uint32_t i = 0; i < n; i++) strong = strong || !args[i].weak;
    for (const char *s = c->row->sigs; *s;) {
        bool good = strcspn(s, "-") == n;
        for (uint32_t i = 0; good && i < n; i++) {
            Type *param = rule_letter(s[i]);
            good =
                takes(param, args[i]) && (strong || param->kind != TY_FLOAT || param->bits == 64);
        }
        if (good) return s;
        s += strcspn(s, " ");
        s += strspn(s, " ");
    }
    return NULL;
}

static uint32_t count_given(const Call *c) {
    uint32_t n = 0;
    while (n < c->nargs && c->args[n].ty) n++;
    return n;
}

Type *rule_sigs(Call *c) {
    uint32_t n = count_given(c);
    const char *s = find_sig(c, n);
    return s ? rule_letter(s[n + 2]) : rule_no_overload(c);
}

bool rule_sigs_types(Call *c, Type **args, uint32_t n) {
    const char *s = find_sig(c, n);
    if (!s) return false;
    for (uint32_t i = 0; i < n; i++) args[i] = rule_letter(s[i]);
    return true;
}
