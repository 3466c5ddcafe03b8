/* Exceptions: made by calling their classes, tested, and looked into. */
#include <string.h>

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

bool rule_is_about_exception(const Call *c) { return ty_is_exc(plain(c, 0), EXC_ITSELF); }

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

Ref lower_exc_is_of(Lower *lo, Ref exc, Type *classes) { return match(lo, exc, classes); }

/* --- attributes ----------------------------------------------------------------------------------- */

/* The same exception, for what it stands for from here on. */
static Ref as_facet(Lower *lo, Ref e, ExcFacet facet) {
    return lo_rt(lo, "ws_exc_same", TY_EXC_OF(facet), 1, &e);
}

static Type *type_read(Call *c) { return infer_exc_read(c->in, c->inst, c->ins); }

static Ref lower_args(Lower *lo, Call *c) {
    Ref e = lo_arg(lo, c->self);
    if (c->result->kind == TY_EXC) return as_facet(lo, e, EXC_ITS_ARGS);
    return lo_rt(lo, "ws_exc_args", c->result, 1, &e);
}

static Ref picked(Lower *lo, Ref args, const ExcPick *p, Type *want) {
    if (p->item == EXC_NOTHING) return lo_convert(lo, lo_none(lo), want);
    if (p->item == EXC_ALL) return lo_convert(lo, args, want);
    if (p->item != EXC_MISSING) return lo_convert(lo, lo_field(lo, args, (uint32_t)p->item), want);
    lo_check(lo, lo_bool(lo, false), CHECK_TUPLE_INDEX);
    return lo_zero(lo, want);
}

/* Asks for one kind of arguments after the other; those that are none of them are a TypeError. */
static Ref pick(Lower *lo, Ref e, const ExcPicks *p, Type *want) {
    BlockId done = lo_block(lo, "argument");
    Ref result = lo_param(lo, done, want);
    for (uint32_t i = 0; i < p->of.n; i++) {
        const ExcPick *one = &p->of.at[i];
        Ref args;
        BlockId other = NO_BLOCK;
        if (i + 1 < p->of.n) {
            Ref found = lo_rt(lo, "ws_exc_args_if", ty_optional(one->args), 1, &e);
            BlockId these = lo_block(lo, "args.these");
            other = lo_block(lo, "args.other");
            lo_branch(lo, lo_field(lo, found, 0), these, other);
            lo->b = these;
            args = lo_field(lo, found, 1);
        } else {
            args = lo_rt(lo, "ws_exc_args", one->args, 1, &e);
        }
        Ref v = picked(lo, args, one, want);
        lo_jump(lo, done, 1, &v);
        lo->b = other;
    }
    lo->b = done;
    return result;
}

/* which: 0 __name__, 1 __qualname__, 2 __module__. */
static Ref class_name(Lower *lo, Ref e, int64_t which) {
    return lo_rt(lo, "ws_exc_class_name", TY_OF(TY_STR), 2,
                 (Ref[]){e, lo_number(lo, TY_I(32), which)});
}

static const char *attribute_of(const Call *c) { return strchr(c->row->name, '.') + 1; }

/* What has another class has no such attribute. */
static void check_owner(Lower *lo, Ref e, const char *name) {
    Ref has = lower_exc_match(lo, e, ty_object(TY_CLASS, infer_exc_owner(name)));
    BlockId yes = lo_block(lo, "has"), no = lo_block(lo, "has.not");
    lo_branch(lo, has, yes, no);
    lo->b = no;
    Ref pieces[] = {
        lower_text_const(lo, "'"), class_name(lo, e, 0),
        lower_text_const(lo, cx_printf(lo->cx, "' object has no attribute '%s'", name))};
    Ref text = lower_concat(lo, 3, pieces);
    lower_raise(lo, lower_new_exception(lo, PyExc_AttributeError, 1, &text));
    lo->b = yes;
}

static Ref lower_attribute(Lower *lo, Call *c) {
    ExcPicks p = {0};
    Ref e = lo_arg(lo, c->self);
    infer_exc_attribute(lo->in, c->inst, c->ins, &p);
    if (p.others) check_owner(lo, e, attribute_of(c));
    return pick(lo, e, &p, c->result);
}

/* --- e.args where it is no tuple -------------------------------------------------------------------- */

Type *rule_exc_item(Infer *in, Inst *inst, Ref r, Arg index) {
    const Ins *ins = ir_at(inst->high, r);
    ExcPicks unused = {0};
    if (index.k && ty_is_integral(index.ty))
        return infer_exc_item(in, inst, ins->args[0], index.k->i, &unused);
    infer_hint(in, "write the number of the argument");
    return infer_fail(in, ins->span, D_TYPING,
                      "the arguments have various types, so which one is asked for must be known");
}

Ref lower_exc_item(Lower *lo, Ref r, Ref args, Arg index) {
    ExcPicks p = {0};
    const Ins *ins = ir_at(lo->high, r);
    Type *ty = infer_exc_item(lo->in, lo->inst, ins->args[0], index.k->i, &p);
    return pick(lo, as_facet(lo, args, EXC_ITSELF), &p, ty);
}

Ref lower_exc_count(Lower *lo, Ref args) { return lo_rt(lo, "ws_exc_count", TY_I(64), 1, &args); }

/* --- type(e) ---------------------------------------------------------------------------------------- */

Ref lower_exc_class(Lower *lo, Ref e) { return as_facet(lo, e, EXC_ITS_CLASS); }

static Type *type_class_name(Call *c) { return (void)c, TY_OF(TY_STR); }

static Ref lower_class_name(Lower *lo, Call *c) {
    return class_name(lo, lo_arg(lo, c->self), c->row->data);
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
    ATTRIBUTE("exception.args", type_read, lower_args, 0),
    ATTRIBUTE("exception.code", type_read, lower_attribute, 0),
    ATTRIBUTE("exception.value", type_read, lower_attribute, 0),
    ATTRIBUTE("exception.errno", type_read, lower_attribute, 0),
    ATTRIBUTE("exception.strerror", type_read, lower_attribute, 0),
    ATTRIBUTE("exception.filename", type_read, lower_attribute, 0),
    ATTRIBUTE("exception.msg", type_read, lower_attribute, 0),
    ATTRIBUTE("exception.__cause__", type_link, lower_link, 0),
    ATTRIBUTE("exception.__context__", type_link, lower_link, 1),
    ATTRIBUTE("exception class.__name__", type_class_name, lower_class_name, 0),
    ATTRIBUTE("exception class.__qualname__", type_class_name, lower_class_name, 1),
    ATTRIBUTE("exception class.__module__", type_class_name, lower_class_name, 2),
    {0},
};
