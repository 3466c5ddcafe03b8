/* Exceptions: making, matching and raising them. */
#include "core/ctx.h"
#include "core/exceptions.h"
#include "lower/lower_int.h"

/* The number of one of Python's own classes, or -1. */
static int builtin_class(PyObject *cls) {
    PyObject *name = PyObject_GetAttrString(cls, "__name__");
    const char *s = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    int number = s ? exc_find_class(s) : -1;
    PyObject *builtins = build_get_item(PyImport_GetModuleDict(), "builtins");
    PyObject *known = number >= 0 && builtins ? PyObject_GetAttrString(builtins, s) : NULL;
    build_clear_error();
    if (known != cls) number = -1;
    Py_XDECREF(known);
    Py_XDECREF(name);
    return number;
}

/* Which of Python's own classes a class is derived from. */
static uint64_t bases_of(PyObject *cls) {
    PyObject *builtins = build_get_item(PyImport_GetModuleDict(), "builtins");
    uint64_t bases = 0;
    for (int i = 0; builtins && i < EXC_CLASSES; i++) {
        PyObject *base = build_get_attr(builtins, exc_classes[i].name);
        if (base && PyType_IsSubtype((PyTypeObject *)cls, (PyTypeObject *)base))
            bases |= (uint64_t)1 << i;
        Py_XDECREF(base);
    }
    build_clear_error();
    return bases;
}

uint32_t lower_class_number(Lower *lo, PyObject *cls) {
    int known = builtin_class(cls);
    if (known >= 0) return (uint32_t)known;
    Module *m = lo->in->module;
    for (uint32_t i = 0; i < m->classes.n; i++)
        if (m->classes.at[i] == cls) return EXC_USER + i;
    vec_push(lo->cx, &m->classes, cls);
    vec_push(lo->cx, &m->class_bases, bases_of(cls));
    return EXC_USER + m->classes.n - 1;
}

Ref lower_new_exception(Lower *lo, PyObject *cls, uint32_t n, const Ref *args) {
    Ref r = lo_op(lo, OP_EXC_MAKE, TY_OF(TY_EXC), n, args);
    ir_at(lo->fn, r)->imm = lower_class_number(lo, cls);
    return r;
}

Ref lower_exc_is(Lower *lo, Ref a, Ref b) {
    return lo_rt(lo, "ws_exc_is", TY_OF(TY_BOOL), 2, (Ref[]){a, b});
}

/* Is `cls`, the class of an exception, that class; of another exception, or known? */
Ref lower_exc_class_is(Lower *lo, Ref cls, Ref other) {
    Type *ty = lo_type(lo, other);
    if (ty_is_exc(ty, EXC_ITS_CLASS))
        return lo_rt(lo, "ws_exc_same_class", TY_OF(TY_BOOL), 2, (Ref[]){cls, other});
    if (!infer_is_exception_class(ty)) return lo_bool(lo, false);
    Ref number = lo_number(lo, TY_I(32), lower_class_number(lo, ty->obj));
    return lo_rt(lo, "ws_exc_class_is", TY_OF(TY_BOOL), 2, (Ref[]){cls, number});
}

Ref lower_exc_match(Lower *lo, Ref exc, const Type *cls) {
    if (cls->kind == TY_CLASS) {
        Ref number = lo_number(lo, TY_I(32), lower_class_number(lo, cls->obj));
        return lo_rt(lo, "ws_exc_match", TY_OF(TY_BOOL), 2, (Ref[]){exc, number});
    }
    Ref r = lo_bool(lo, false);
    for (uint32_t i = 0; i < cls->nitems; i++)
        r = lo_or(lo, r, lower_exc_match(lo, exc, cls->items[i]));
    return r;
}

void lower_exc_context(Lower *lo, const Ins *ins) {
    Type *ty = ir_at(lo->high, ins->args[0])->ty;
    if (infer_plain(ty)->kind != TY_EXC) return; /* a class: the exception is still to be made */
    Ref exc = lo_get(lo, ins->args[0]);
    if (ty->kind == TY_OPTIONAL) return; /* raising it asks first whether there is one */
    lo_rt(lo, "ws_exc_set_context", TY_OF(TY_NONE), 3,
          (Ref[]){exc, lo_get(lo, ins->args[1]), lo_bool(lo, ins->imm != 0)});
}

/* Only functions that raise what their callers handle ask what that is: mostly there is none, and nothing to do. */
Ref lower_exc_enter(Lower *lo, Ref exc) {
    if (!lo->in->asks_handled) return lo_zero(lo, TY_OF(TY_EXC));
    return lo_rt(lo, "ws_exc_enter", TY_OF(TY_EXC), 1, &exc);
}

void lower_exc_leave(Lower *lo, Ref before) {
    if (lo->in->asks_handled) lo_rt(lo, "ws_exc_leave", TY_OF(TY_NONE), 1, &before);
}

/* Where a handler waits, raising is a call that does not come back: it notes this place, and the calls that inlining
 * removes, whoever catches the exception. */
void lower_raise(Lower *lo, Ref exc) {
    if (lo->handler.to == NO_BLOCK) {
        ir_raise(lo->fn, lo->b, exc, 0, lo->span);
        return;
    }
    lo_rt(lo, "ws_exc_raise", TY_OF(TY_NONE), 1, &exc);
    lo->fn->blocks.at[lo->b].term.kind = TERM_UNREACHABLE;
}

/* The exception for an operand of `raise`; of `from` (`nothing`: it may be None, the null pointer). */
static Ref operand(Lower *lo, Ref high, bool nothing) {
    Type *ty = ir_at(lo->high, high)->ty;
    if (ty->kind == TY_CLASS) return lower_new_exception(lo, ty->obj, 0, NULL);
    if (ty->kind == TY_NONE) return lo_zero(lo, TY_OF(TY_EXC));
    Ref v = lo_get(lo, high);
    if (ty->kind != TY_OPTIONAL) return v;
    if (!nothing) lo_check(lo, lo_field(lo, v, 0), CHECK_RAISE_NONE);
    return lo_field(lo, v, 1);
}

void lower_raise_term(Lower *lo, const Term *t) {
    if (!t->arg) {
        ir_raise(lo->fn, lo->b, 0, 0, t->span);
        return;
    }
    Ref exc = operand(lo, t->arg, false);
    if (t->arg2)
        lo_rt(lo, "ws_exc_set_cause", TY_OF(TY_NONE), 2, (Ref[]){exc, operand(lo, t->arg2, true)});
    lower_raise(lo, exc);
}
