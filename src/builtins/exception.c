/* Exceptions: made by calling their classes, tested, and looked into. */
#include "builtins/tables.h"

/* --- making --------------------------------------------------------------------------------------- */

static PyObject *called_class(Call *c) {
    return ir_at(c->inst->high, ir_at(c->inst->high, c->ins)->args[0])->ty->obj;
}

static Type *type_exception(Call *c) {
    Type *args = c->args[0].ty;
    for (uint32_t i = 0; i < args->nitems; i++) {
        TyKind k = (TyKind)args->items[i]->kind;
        if (k == TY_ITER || k == TY_CLOSURE || k == TY_CELL) return rule_no_overload(c);
    }
    infer_note_made(c->in, c->inst, c->ins, called_class(c), args);
    return TY_OF(TY_EXC);
}

static Ref lower_exception(Lower *lo, Call *c) {
    Ref all = lo_arg(lo, c->args[0]);
    uint32_t n = lo_type(lo, all)->nitems;
    Ref *args = NEWN(lo->cx, Ref, n + 1);
    for (uint32_t i = 0; i < n; i++) args[i] = lo_field(lo, all, i);
    return lower_new_exception(lo, called_class(c), n, args);
}

const Row row_exception = {.name = "builtins.exception",
                           .params = "*args",
                           .type = type_exception,
                           .lower = lower_exception};

/* --- isinstance ----------------------------------------------------------------------------------- */

bool rule_is_about_exception(const Call *c) { return plain(c, 0)->kind == TY_EXC; }

/* Those of the classes that exceptions can be of; `object` is every exception's. */
static Ref match(Lower *lo, Ref exc, Type *cls) {
    if (cls->kind == TY_TUPLE) {
        Ref r = lo_bool(lo, false);
        for (uint32_t i = 0; i < cls->nitems; i++) r = lo_or(lo, r, match(lo, exc, cls->items[i]));
        return r;
    }
    if (infer_is_exception_class(cls)) return lower_exc_match(lo, exc, cls);
    bool any = cls->obj == (PyObject *)&PyBaseObject_Type;
    return any ? lower_exc_match(lo, exc, ty_object(TY_CLASS, PyExc_BaseException))
               : lo_bool(lo, false);
}

static bool takes_none(Type *cls) {
    if (cls->kind != TY_TUPLE)
        return cls->obj == (PyObject *)&PyBaseObject_Type ||
               cls->obj == (PyObject *)Py_TYPE(Py_None);
    for (uint32_t i = 0; i < cls->nitems; i++)
        if (takes_none(cls->items[i])) return true;
    return false;
}

Ref lower_is_exception(Lower *lo, Call *c) {
    Type *cls = c->args[1].ty;
    Ref v = lo_arg(lo, c->args[0]);
    if (lo_type(lo, v)->kind != TY_OPTIONAL) return match(lo, v, cls);
    return lo_select(lo, lo_field(lo, v, 0), match(lo, lo_field(lo, v, 1), cls),
                     lo_bool(lo, takes_none(cls)));
}

/* --- attributes ----------------------------------------------------------------------------------- */

static Type *type_args(Call *c) { return infer_exc_args(c->in, c->inst, c->ins); }

static Ref lower_args(Lower *lo, Call *c) {
    Ref e = lo_arg(lo, c->self);
    return lo_rt(lo, "ws_exc_args", c->result, 1, &e);
}

static Type *type_link(Call *c) { return (void)c, ty_optional(TY_OF(TY_EXC)); }

static Ref lower_link(Lower *lo, Call *c) {
    Ref e = lo_arg(lo, c->self);
    const char *name = c->row->data ? "ws_exc_get_context" : "ws_exc_get_cause";
    Ref link = lo_rt(lo, name, TY_OF(TY_EXC), 1, &e);
    Ref none = lower_exc_is(lo, link, lo_zero(lo, TY_OF(TY_EXC)));
    return lo_make(lo, c->result, 2, (Ref[]){lo_not(lo, none), link});
}

#define ATTRIBUTE(name_, type_, lower_, data_) \
    {.name = name_,                            \
     .params = "",                             \
     .type = type_,                            \
     .lower = lower_,                          \
     .flags = ROW_ATTRIBUTE,                   \
     .data = data_}

const Row rows_exception_methods[] = {
    ATTRIBUTE("exception.args", type_args, lower_args, 0),
    ATTRIBUTE("exception.__cause__", type_link, lower_link, 0),
    ATTRIBUTE("exception.__context__", type_link, lower_link, 1),
    {0},
};
