/* The arguments of exceptions: e.args, e.args[k], and attributes of Python's own classes that are one of them.
 *
 * Where all exceptions that can come have arguments of the same types, e.args is a tuple of these. Where they have
 * various ones it stands for the exception: it can be counted and shown, and e.args[k] asks at run time which of the
 * known tuples it is. Where none of the program's own can come, only checks raise: one str. That other exceptions come
 * all the same (from Python, or along a way that is not followed) is found out at run time: a TypeError.
 *
 * The types are needed when the program is typed, but are known only then: reads of e.args and the like wait until
 * nothing else changes any more. */
#include "infer/infer_int.h"

/* --- who comes ------------------------------------------------------------------------------------ */

static bool is_same_attr(PyObject *cls, PyObject *base, const char *name) {
    PyObject *a = build_get_attr(cls, name), *b = build_get_attr(base, name);
    build_clear_error();
    Py_XDECREF(a);
    Py_XDECREF(b);
    return a == b;
}

static bool is_derived(const Made *m, PyObject *cls) {
    return PyType_IsSubtype((PyTypeObject *)m->cls, (PyTypeObject *)cls);
}

/* Does Python code of its own decide what the class's args are? OSError splits long ones. */
static bool has_own_init(const Made *m) {
    if (is_derived(m, PyExc_OSError) && m->args->nitems > 2) return true;
    PyObject *bases = build_get_attr(m->cls, "__mro__"), *builtin = NULL;
    for (Py_ssize_t i = 0; bases && i < PyTuple_Size(bases) && !builtin; i++) {
        PyObject *base = PyTuple_GetItem(bases, i); /* borrowed from the tuple */
        if (!(PyType_GetFlags((PyTypeObject *)base) & Py_TPFLAGS_HEAPTYPE)) builtin = base;
    }
    bool own = builtin && !(is_same_attr(m->cls, builtin, "__init__") &&
                            is_same_attr(m->cls, builtin, "__new__"));
    build_clear_error();
    Py_XDECREF(bases);
    return own;
}

static const char *call_text(Cx *cx, const Made *m) {
    PyObject *name = build_get_attr(m->cls, "__name__");
    const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    Buf out = {0};
    buf_printf(cx, &out, "%s(", text ? text : "exception");
    for (uint32_t i = 0; i < m->args->nitems; i++)
        buf_printf(cx, &out, "%s%s", i ? ", " : "", infer_type_text(cx, m->args->items[i]));
    buf_printf(cx, &out, ")");
    build_clear_error();
    Py_XDECREF(name);
    return out.at;
}

static Type *one_str(void) { return ty_tuple((Type *[]){TY_OF(TY_STR)}, 1); }

/* --- e.args ---------------------------------------------------------------------------------------- */

/* One type for all that can come, or the arguments as such. */
static Type *find_args(Infer *in, Inst *inst, Ref exc) {
    uint32_t n;
    const Made *const *from = infer_exc_sources(in, inst, exc, &n);
    for (uint32_t i = 0; i < n; i++)
        if (has_own_init(from[i]) || from[i]->args != from[0]->args) return TY_EXC_OF(EXC_ITS_ARGS);
    return n ? from[0]->args : one_str();
}

/* --- one of them ----------------------------------------------------------------------------------- */

static Type *fail_own(Infer *in, Span span, const Made *m) {
    infer_hint(in,
               "str(e) works: it asks Python; or read e.args where Python catches the exception");
    return infer_fail(in, span, D_TYPING,
                      cx_printf(in->cx,
                                "what e.args holds is not known: %s has an __init__ of its own",
                                call_text(in->cx, m)));
}

static Type *fail_mixed(Infer *in, Span span, const Made *a, const Made *b) {
    infer_hint(in, "give each its own except, or raise both with the same types of arguments");
    return infer_fail(in, span, D_TYPING,
                      cx_printf(in->cx,
                                "what is read of e.args has no one type: %s and %s are caught here",
                                call_text(in->cx, a), call_text(in->cx, b)));
}

/* Adds what m gives; its type, or NULL: nothing that any value has. */
static Type *add_pick(Infer *in, const Made *m, int32_t item, ExcPicks *out) {
    bool known = false;
    for (uint32_t i = 0; i < out->of.n; i++) known |= out->of.at[i].args == m->args;
    if (!known) vec_push(in->cx, &out->of, ((ExcPick){m->args, item}));
    if (item == EXC_MISSING) return NULL;
    return item == EXC_NOTHING ? TY_OF(TY_NONE) : item == EXC_ALL ? m->args : m->args->items[item];
}

/* The type for m's too; NULL: there is none. */
static Type *join_pick(Infer *in, Type *ty, const Made *m, int32_t item, ExcPicks *out) {
    Type *mine = add_pick(in, m, item, out);
    return !mine ? ty : ty ? ty_join(ty, mine) : mine;
}

Type *infer_exc_item(Infer *in, Inst *inst, Ref args, int64_t k, ExcPicks *out) {
    const Ins *read = ir_at(inst->high, args);
    uint32_t n;
    bool direct = read->op == OP_GETATTR;
    Span span = read->span;
    const Made *const *from = infer_exc_sources(in, inst, direct ? read->args[0] : args, &n);
    Type *ty = NULL;
    for (uint32_t i = 0; i < n; i++) {
        int64_t count = from[i]->args->nitems, at = k < 0 ? k + count : k;
        bool first = !ty;
        if (has_own_init(from[i])) return fail_own(in, span, from[i]);
        ty = join_pick(in, ty, from[i], at < 0 || at >= count ? EXC_MISSING : (int32_t)at, out);
        if (!ty && !first) return fail_mixed(in, span, from[0], from[i]);
    }
    if (ty) return ty;
    return infer_fail(
        in, span, D_TYPING,
        cx_printf(in->cx, "no exception that comes here has an argument %lld", (long long)k));
}

/* Of Python's own classes: with `least` to `most` arguments it is that one, else None. */
static const struct {
    const char *name;
    PyObject **cls;
    uint32_t least, most;
    int32_t item;
} attributes[] = {
    {"code", &PyExc_SystemExit, 1, 1, 0},
    {"code", &PyExc_SystemExit, 2, UINT32_MAX, EXC_ALL},
    {"value", &PyExc_StopIteration, 1, UINT32_MAX, 0},
    {"errno", &PyExc_OSError, 2, 2, 0},
    {"strerror", &PyExc_OSError, 2, 2, 1},
    {"filename", &PyExc_OSError, 1, 0, 0}, /* of more than two, which nobody reads here */
    {"msg", &PyExc_ImportError, 1, 1, 0},
};

PyObject *infer_exc_owner(const char *name) {
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(attributes[i].name, name) == 0) return *attributes[i].cls;
    return NULL;
}

static int32_t pick_attribute(const char *name, uint32_t n) {
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strcmp(attributes[i].name, name) == 0 && n >= attributes[i].least &&
            n <= attributes[i].most)
            return attributes[i].item;
    return EXC_NOTHING;
}

static Type *find_attribute(Infer *in, Inst *inst, Ref r, ExcPicks *out) {
    const Ins *read = ir_at(inst->high, r);
    uint32_t n;
    const Made *const *from = infer_exc_sources(in, inst, read->args[0], &n), *first = NULL;
    Type *ty = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_derived(from[i], infer_exc_owner(read->name))) {
            out->others = true;
            continue;
        }
        if (has_own_init(from[i])) return fail_own(in, read->span, from[i]);
        if (!first) first = from[i];
        ty = join_pick(in, ty, from[i], pick_attribute(read->name, from[i]->args->nitems), out);
        if (!ty) return fail_mixed(in, read->span, first, from[i]);
    }
    if (ty) return ty;
    infer_hint(in, "of the exceptions that are raised here, none has it");
    return infer_fail_about(in, inst, read->args, 1, read->span, D_NO_ATTRIBUTE, "an exception",
                            read->name);
}

Type *infer_exc_attribute(Infer *in, Inst *inst, Ref r, ExcPicks *out) {
    return find_attribute(in, inst, r, out);
}

/* --- waiting ---------------------------------------------------------------------------------------- */

static Type *find(Infer *in, Inst *inst, Ref r) {
    const Ins *read = ir_at(inst->high, r);
    ExcPicks unused = {0};
    if (strcmp(read->name, "args") == 0) return find_args(in, inst, read->args[0]);
    return find_attribute(in, inst, r, &unused);
}

Type *infer_exc_read(Infer *in, Inst *inst, Ref r) {
    Type *known = ir_at(inst->high, r)->ty;
    if (in->final) return find(in, inst, r);
    if (known->kind != TY_UNDEF) return known;
    for (uint32_t i = 0; i < in->late.n; i++)
        if (in->late.at[i].inst == inst && in->late.at[i].user == r &&
            in->late.at[i].generation == inst->generation)
            return NULL;
    vec_push(in->cx, &in->late, ((QueueItem){inst, inst->generation, r}));
    return NULL;
}

bool infer_settle_args(Infer *in) {
    bool any = false;
    for (uint32_t i = 0; i < in->late.n; i++) {
        QueueItem q = in->late.at[i];
        if (q.generation != q.inst->generation) continue;
        Ins *read = ir_at(q.inst->high, q.user);
        if (read->ty->kind != TY_UNDEF) continue;
        in->inst = q.inst;
        Type *ty = find(in, q.inst, q.user);
        if (!ty) continue; /* an error: told by the check */
        infer_raise_value(in, q.inst, q.user, ty);
        any = true;
    }
    return any;
}
