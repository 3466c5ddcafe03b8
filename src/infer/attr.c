/* Attributes: of modules and classes (constants), of values (rows), and those that users registered. */
#include <string.h>

#include "infer/infer_int.h"

Const *infer_object_attr(Infer *in, PyObject *obj, const char *name) {
    build_see_attr(in->cx, in->module, obj, name);
    PyObject *v = build_get_attr(obj, name);
    if (!v) {
        build_clear_error();
        return NULL;
    }
    cx_defer(in->cx, (void (*)(void *))Py_DecRef, v);
    return build_const(in->cx, v);
}

const char *infer_object_name(Infer *in, PyObject *obj) {
    static const char *const attrs[] = {"__qualname__",
                                        "__name__"}; /* modules have the second alone */
    const char *text = NULL, *mod = NULL;
    PyObject *name = NULL, *module = build_get_attr(obj, "__module__");
    build_clear_error();
    for (int i = 0; i < 2 && !name; i++) {
        name = build_get_attr(obj, attrs[i]);
        build_clear_error();
    }
    if (!name) name = PyObject_Repr(obj);
    if (name) text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (module && PyUnicode_Check(module)) mod = PyUnicode_AsUTF8AndSize(module, NULL);
    build_clear_error();
    const char *r = text ? cx_name(in->cx, text) : "this object";
    if (mod && text && strcmp(mod, "builtins") != 0 && strcmp(mod, "__main__") != 0)
        r = cx_printf(in->cx, "%s.%s", mod, text);
    Py_XDECREF(name);
    Py_XDECREF(module);
    return r;
}

/* --- users' methods and attributes --------------------------------------------------------------------------------- */

/* The list registered under (type class, name) for a class of ty's Python type object, borrowed; NULL: none. */
static PyObject *user_table(Infer *in, const Type *ty, const char *table, const char *name) {
    PyObject *mod = build_get_item(PyImport_GetModuleDict(), "whipsnake.extending");
    PyObject *find = mod ? build_get_attr(mod, "_find") : NULL;
    PyObject *t = find ? in->core->type_to_object((Type *)ty) : NULL;
    PyObject *r = t ? PyObject_CallFunction(find, "sOs", table, t, name) : NULL;
    build_clear_error();
    Py_XDECREF(find);
    Py_XDECREF(t);
    if (!r) return NULL;
    cx_defer(in->cx, (void (*)(void *))Py_DecRef, r);
    return r == Py_None ? NULL : r;
}

PyObject *infer_user_method(Infer *in, const Type *closure) {
    const UserMethod *m = map_ptr(&in->user_methods, closure->code);
    return m ? m->impls : NULL;
}

bool infer_is_user_method(Infer *in, const Type *closure) {
    return infer_user_method(in, closure) != NULL;
}

static Type *user_method(Infer *in, Type *self, const char *name) {
    PyObject *impls = user_table(in, self, "methods", name);
    if (!impls) return NULL;
    UserMethod *m = map_ptr(&in->user_methods, impls);
    if (!m) {
        m = NEW(in->cx, UserMethod);
        m->impls = impls;
        map_put(in->cx, &in->user_methods, impls, m);
    }
    return ty_closure(impls, name, &self, 1);
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

/* A module's number that changes: imm is its number in Module.captured, plus 1. NULL: it is none. */
static Type *changing_attr(Infer *in, Type *owner, Ins *ins) {
    if (!in->module->changing || owner->kind != TY_MODULE) return NULL;
    PyObject *dict = PyModule_GetDict(owner->obj); /* borrowed */
    if (!ins->imm) ins->imm = build_capture_place(in->cx, in->module, dict, ins->name) + 1;
    if (!ins->imm) return NULL;
    ins->weak = infer_is_python_number(owner->obj, ins->name);
    return infer_captured_type(in, ins->imm - 1, ins->span);
}

static Type *object_attr(Infer *in, Inst *inst, Ref r, Type *owner, Const **k) {
    Ins *ins = ir_at(inst->high, r);
    Type *changing = changing_attr(in, owner, ins);
    if (changing) return changing;
    Const *c = infer_object_attr(in, owner->obj, ins->name);
    if (c) {
        *k = c;
        /* math.pi and other plain Python numbers in modules are weak, like literals. */
        ins->weak = owner->kind == TY_MODULE && infer_is_python_number(owner->obj, ins->name);
        return c->ty;
    }
    if (PyObject_HasAttrString(owner->obj, ins->name)) {
        infer_hint(in, "compiled code reads numbers, texts, functions and classes from modules");
        return infer_fail(in, ins->span, D_UNKNOWN_CALL,
                          cx_printf(in->cx, "%s.%s", infer_object_name(in, owner->obj), ins->name));
    }
    infer_suggest_member(in, owner->obj, ins->name);
    const char *kind = owner->kind == TY_MODULE ? "module" : "class";
    return infer_fail(in, ins->span, D_NO_MODULE_ATTRIBUTE, kind, infer_object_name(in, owner->obj),
                      ins->name);
}

bool infer_is_python_number(PyObject *obj, const char *name) {
    PyObject *v = build_get_attr(obj, name);
    bool is = v && (PyLong_CheckExact(v) || PyFloat_CheckExact(v) || PyComplex_CheckExact(v));
    build_clear_error();
    Py_XDECREF(v);
    return is;
}

/* What stands in a module for something that each thread has: cuda.laneid. NULL: it is none. */
static const Row *module_row(Infer *in, const Type *module, const char *name) {
    PyObject *obj = build_get_attr(module->obj, name);
    build_clear_error();
    bool plain = !obj || PyCallable_Check(obj) || PyModule_Check(obj) || PyLong_Check(obj) ||
                 PyFloat_Check(obj) || PyUnicode_Check(obj);
    const Row *row = plain ? NULL : row_of_object(in, obj);
    Py_XDECREF(obj); /* the module keeps it */
    bool is = row && row->flags & ROW_ATTRIBUTE && !(row->flags & ROW_MEMBERS);
    return is ? row : NULL;
}

const Row *infer_attr_row(Infer *in, const Type *ty, const char *name) {
    if (ty->kind == TY_MODULE) return module_row(in, ty, name);
    if (ty->kind == TY_CLASS) {
        const Row *row = row_of_object(in, ty->obj);
        if (row && row->flags & ROW_MEMBERS) return row;
    }
    return row_of_method(ty, name);
}

Call infer_attr_call(Infer *in, Inst *inst, Ref r, const Row *row) {
    const Ins *ins = ir_at(inst->high, r), *v = ir_at(inst->high, ins->args[0]);
    return (Call){
        .in = in,
        .inst = inst,
        .ins = r,
        .span = ins->span,
        .row = row,
        .self = {.ref = ins->args[0], .item = -1, .ty = v->ty, .k = v->k, .weak = v->weak}};
}

int infer_tuple_field(const Type *ty, const char *name) {
    if (ty->kind != TY_TUPLE || !ty->names) return -1;
    for (uint32_t i = 0; i < ty->nitems; i++)
        if (strcmp(ty->names[i], name) == 0) return (int)i;
    return -1;
}

Inst *infer_user_attribute(Infer *in, Inst *inst, Ref r, Callee *out) {
    const Ins *ins = ir_at(inst->high, r);
    const Ins *v = ir_at(inst->high, ins->args[0]);
    PyObject *impls = user_table(in, v->ty, "attributes", ins->name);
    if (!impls) return NULL;
    Arg self = {.ref = ins->args[0], .item = -1, .ty = v->ty, .k = v->k, .weak = v->weak};
    return infer_call_impls(in, inst, impls, &self, r, out);
}

static void suggest_attribute(Infer *in, const Type *ty, const char *name) {
    static const char *const growing[] = {"append",    "extend", "insert",
                                          "push_back", "pop",    "remove"};
    Near near = {.name = name};
    const char *names = row_method_names(in->cx, ty, &near);
    for (uint32_t i = 0; ty->kind == TY_TUPLE && ty->names && i < ty->nitems; i++) {
        near_try(&near, ty->names[i]);
        names = cx_printf(in->cx, "%s%s%s", names ? names : "", names ? ", " : "", ty->names[i]);
    }
    const char *hint = names ? cx_printf(in->cx, "it has: %s", names) : NULL;
    for (size_t i = 0; ty->kind == TY_ARRAY && i < sizeof growing / sizeof *growing; i++)
        if (strcmp(name, growing[i]) == 0)
            hint = "arrays do not grow: make one of the final size and fill it";
    if (ty->kind == TY_ARRAY && (!strcmp(name, "length") || !strcmp(name, "len")))
        hint = "use len(a), a.size or a.shape";
    infer_suggest(in, &near, hint);
}

Type *infer_getattr(Infer *in, Inst *inst, Ref r, Const **k) {
    const Ins *ins = ir_at(inst->high, r);
    Type *ty = ir_at(inst->high, ins->args[0])->ty;
    if (ty->kind == TY_MODULE && !infer_attr_row(in, ty, ins->name))
        return object_attr(in, inst, r, ty, k);
    int field = infer_tuple_field(ty, ins->name);
    if (field >= 0) {
        const Const *t = ir_at(inst->high, ins->args[0])->k;
        if (t) *k = t->seq.items[field];
        return ty->items[field];
    }
    const Row *row = infer_attr_row(in, ty, ins->name);
    if (row && row->flags & ROW_ATTRIBUTE) {
        Call c = infer_attr_call(in, inst, r, row);
        Type *result = row->type(&c);
        if (result && row->constant) *k = row->constant(&c);
        return result;
    }
    if (row) return ty_closure(row, row->name, &ty, 1);
    Type *method = user_method(in, ty, ins->name);
    if (method) return method;
    Callee c;
    Inst *attr = infer_user_attribute(in, inst, r, &c);
    if (attr) return infer_wait(in, attr, inst, r, k);
    if (ty->kind == TY_CLASS) return object_attr(in, inst, r, ty, k);
    if (in->final) suggest_attribute(in, ty, ins->name);
    return infer_fail_about(in, inst, ins->args, 1, ins->span, D_NO_ATTRIBUTE,
                            infer_value_text(in->cx, ty), ins->name);
}
