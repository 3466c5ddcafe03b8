/* Names: variables, cells, captured values, globals. */
#include <string.h>

#include "base/near.h"
#include "build/build_int.h"
#include "py/py.h"

/* Has the decorator's locals= a type for this variable? Only the entry function's are asked. */
static bool has_type(const Builder *b, const char *name) {
    if (!b->module->locals || b->module->fns.n || !b->def->func) return false;
    PyObject *key = PyUnicode_FromString(name);
    bool has =
        key && PyDict_Check(b->module->locals) && PyDict_GetItemWithError(b->module->locals, key);
    py_clear_error();
    Py_DecRef(key);
    return has;
}

Ref bd_strong(Builder *b, Ref value, const char *name, Span span) {
    bool typed = has_type(b, name);
    if (!typed && !ir_at(b->fn, value)->weak) return value;
    Ref r = bd_add1(b, OP_STRONG, span, value);
    ir_at(b->fn, r)->name = name;
    ir_at(b->fn, r)->imm = typed;
    return r;
}

/* --- globals ---------------------------------------------------------------------------------- */

/* The cell of a closure variable of the outermost function; NULL: there is none of that name. */
static PyObject *find_closure_cell(Builder *b, const char *name) {
    PyObject *names = py_attr(b->cx, py_attr(b->cx, b->root->func, "__code__"), "co_freevars");
    PyObject *cells = py_attr(b->cx, b->root->func, "__closure__");
    if (!names || !cells || !PyTuple_Check(cells)) return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, i), name) == 0)
            return PyTuple_GetItem(cells, i);
    return NULL;
}

/* Borrowed from the dict. */
static PyObject *find_in_dict(PyObject *dict, const char *name) {
    PyObject *key = dict && PyDict_Check(dict) ? PyUnicode_FromString(name) : NULL;
    PyObject *value = key ? PyDict_GetItemWithError(dict, key) : NULL;
    Py_DecRef(key);
    if (!value) py_clear_error();
    return value;
}

/* A name looked up in a place, which a guard will watch. Our own modules do not change. */
static PyObject *look_up(Builder *b, PyObject *home, const char *name) {
    if (!home || !PyDict_Check(home)) return NULL;
    PyObject *value = find_in_dict(home, name);
    if (!b->cx->files[b->root->file].is_ours) build_see(b->cx, b->module, home, name, value);
    return value;
}

static PyObject *find_builtin(Builder *b, const char *name) {
    PyObject *builtins = py_attr(b->cx, b->root->func, "__builtins__");
    if (builtins && !PyDict_Check(builtins)) builtins = py_attr(b->cx, builtins, "__dict__");
    PyObject *value = look_up(b, builtins, name);
    return value ? value : find_in_dict(PyEval_GetBuiltins(), name);
}

static PyObject *read_cell(Builder *b, PyObject *cell) {
    PyObject *value = py_attr(b->cx, cell, "cell_contents"); /* NULL: not set yet */
    build_see(b->cx, b->module, cell, NULL, value);
    return value;
}

PyObject *bd_find_global(Builder *b, const char *name) {
    PyObject *cell = find_closure_cell(b, name);
    if (cell) return read_cell(b, cell);
    PyObject *value = look_up(b, b->root->globals, name);
    return value ? value : find_builtin(b, name);
}

/* Number of an array in Module.captured. */
static int64_t capture_array(Builder *b, PyObject *array) {
    Module *m = b->module;
    for (uint32_t i = 0; i < m->captured.n; i++)
        if (m->captured.at[i] == array) return i;
    Py_IncRef(array);
    vec_push(b->cx, &m->captured, py_keep(b->cx, array));
    return m->captured.n - 1;
}

/* A Python number adapts to what it meets, whether it is written out or has a name. */
static bool is_python_number(PyObject *obj) {
    return PyLong_CheckExact(obj) || PyFloat_CheckExact(obj) || PyComplex_CheckExact(obj);
}

/* What to do about a global of that class. */
static const char *instead_of(const char *cls, const char *name, Cx *cx) {
    if (strcmp(cls, "list") == 0)
        return cx_printf(cx, "make it an array, with numpy.array(%s), or a tuple", name);
    if (strcmp(cls, "int") == 0) return "write a float, such as 1e30";
    return "pass what is needed of it as arguments: numbers, arrays, tuples";
}

static Ref refuse_value(Builder *b, const char *name, PyObject *obj, Span span) {
    const char *cls = py_class_name(b->cx, obj);
    const char *text = cx_printf(
        b->cx, "the value of '%s' is %s %s%s, which compiled code cannot use", name,
        strchr("aeiou", cls[0]) ? "an" : "a", cls, PyLong_CheckExact(obj) ? " beyond 64 bits" : "");
    return bd_refuse(b, span, D_TYPING, text, instead_of(cls, name, b->cx));
}

static Ref add_const(Builder *b, const Const *k, bool weak, Span span) {
    Ref r = bd_const(b, k, span);
    ir_at(b->fn, r)->weak = weak;
    return r;
}

/* --- names that are nowhere ------------------------------------------------------------------- */

static void try_keys(Builder *b, PyObject *dict, Near *near) {
    PyObject *keys = dict && PyDict_Check(dict) ? py_keep(b->cx, PyDict_Keys(dict)) : NULL;
    Py_ssize_t n = keys ? PyList_Size(keys) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *key = py_text(b->cx, PyList_GetItem(keys, i), NULL);
        if (key && key[0] != '_') near_try(near, key);
    }
}

/* "np.float32", where only the module has been imported; NULL: no module has it. */
static const char *find_in_modules(Builder *b, const char *name) {
    PyObject *dict = b->root->globals;
    PyObject *keys = dict && PyDict_Check(dict) ? py_keep(b->cx, PyDict_Keys(dict)) : NULL;
    Py_ssize_t n = keys ? PyList_Size(keys) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *key = py_text(b->cx, PyList_GetItem(keys, i), NULL);
        PyObject *value = key && key[0] != '_' ? build_get_item(dict, key) : NULL;
        PyObject *found = value && PyModule_Check(value) ? build_get_attr(value, name) : NULL;
        build_clear_error();
        if (!found) continue;
        Py_DECREF(found);
        return cx_printf(b->cx, "%s.%s", key, name);
    }
    return NULL;
}

static Ref refuse_name(Builder *b, const char *name, Span span) {
    Near near = {.name = name};
    const char *in_module = find_in_modules(b, name);
    if (in_module)
        return bd_refuse(b, span, D_NAME, name, cx_printf(b->cx, "did you mean '%s'?", in_module));
    for (const Scope *s = b->scope; s; s = s->outer)
        for (uint32_t i = 0; i < s->vars.n; i++) near_try(&near, s->vars.at[i]->name);
    try_keys(b, b->root->globals, &near);
    if (!near.best) try_keys(b, PyEval_GetBuiltins(), &near);
    return bd_refuse(b, span, D_NAME, name,
                     near.best ? cx_printf(b->cx, "did you mean '%s'?", near.best) : NULL);
}

static Ref add_global(Builder *b, int64_t number, bool weak, Span span) {
    Ref r = bd_add(b, OP_GLOBAL, span, 0, NULL);
    ir_at(b->fn, r)->imm = number;
    ir_at(b->fn, r)->weak = weak;
    return r;
}

static Ref read_object(Builder *b, const char *name, PyObject *obj, Span span) {
    if (!obj) return refuse_name(b, name, span);
    if (py_is_instance(b->cx, obj, "numpy", "ndarray"))
        return add_global(b, capture_array(b, obj), false, span);
    const Const *k = build_const(b->cx, obj);
    if (!k) return refuse_value(b, name, obj, span);
    bool weak = is_python_number(obj);
    map_set(b->cx, &b->globals, map_key(name), map_key(k) | weak);
    return add_const(b, k, weak, span);
}

/* A number that changes from call to call; 0: the name is none. */
static Ref read_changing(Builder *b, const char *name, Span span) {
    if (!b->module->changing) return 0;
    PyObject *cell = find_closure_cell(b, name);
    int64_t number =
        build_capture_place(b->cx, b->module, cell ? cell : b->root->globals, cell ? NULL : name);
    if (number < 0) return 0;
    PyObject *value = py_keep(b->cx, build_place_value(b->module->captured.at[number]));
    return add_global(b, number, value && is_python_number(value), span);
}

Ref bd_read_global(Builder *b, const char *name, Span span) {
    Ref changing = read_changing(b, name, span);
    if (changing) return changing;
    uint64_t known = map_get(&b->globals, map_key(name), 0);
    if (known)
        return add_const(b, (const Const *)(uintptr_t)(known & ~(uint64_t)1), known & 1, span);
    return read_object(b, name, bd_find_global(b, name), span);
}

Ref bd_read_builtin(Builder *b, const char *name, Span span) {
    PyObject *obj = find_builtin(b, name);
    Const *k = obj ? build_const(b->cx, obj) : NULL;
    return k ? bd_const(b, k, span) : bd_refuse(b, span, D_NAME, name, NULL);
}

/* --- inner functions -------------------------------------------------------------------------- */

static Ref arg_of(Builder *b, uint32_t arg) { return b->fn->blocks.at[0].ins.at[arg]; }

/* What the inner function gets for an owner's variable: its value, or its cell. */
static Ref capture(Builder *b, const Var *owner, Span span) {
    if (owner->scope != b->scope) return arg_of(b, bd_capture_arg(b->scope, owner));
    if (owner->kind == VAR_CELL) return b->cells[owner->id];
    Ref value = bd_read(b, owner->id);
    bd_check_set(b, value, owner->name, span);
    return value;
}

static Ref add_closure(Builder *b, const Scope *inner, Refs *args, Span span) {
    for (uint32_t i = 0; i < inner->captures.n; i++)
        if (inner->captures.at[i]->kind != VAR_INNER)
            vec_push(b->cx, args, capture(b, inner->captures.at[i], span));
    Ref r = bd_add(b, OP_CLOSURE, span, args->n, args->at);
    ir_at(b->fn, r)->closure = inner->def;
    return r;
}

Ref bd_make_closure(Builder *b, const Node *n) {
    const Func *f = n->func;
    Refs args = {0};
    for (uint32_t i = 0; i < f->nparams; i++) {
        const Node *fallback = f->params[i].fallback;
        if (fallback)
            vec_push(b->cx, &args, bd_strong(b, bd_expr(b, fallback), NULL, fallback->span));
    }
    return add_closure(b, f->scope, &args, n->span);
}

/* An inner function that stands further up or down in an enclosing function, or this one itself. */
static Ref remake_closure(Builder *b, const Var *owner, Span span) {
    const Scope *inner = owner->def->func->scope;
    uint32_t ndefaults = inner->first_capture - inner->func->nparams;
    Refs args = {0};
    if (ndefaults && inner != b->scope)
        return bd_refuse(b, span, D_NOT_YET,
                         cx_printf(b->cx,
                                   "'%s', which has default values, used before its definition",
                                   owner->name),
                         "move its definition up");
    for (uint32_t i = 0; i < ndefaults; i++)
        vec_push(b->cx, &args, arg_of(b, inner->func->nparams + i));
    return add_closure(b, inner, &args, span);
}

/* --- variables -------------------------------------------------------------------------------- */

static Ref get_cell(Builder *b, Ref cell, const char *name, Span span) {
    Ref r = bd_add1(b, OP_CELL_GET, span, cell);
    ir_at(b->fn, r)->name = name;
    return r;
}

static void set_cell(Builder *b, Ref cell, Ref value, Span span) {
    Ref r = bd_add2(b, OP_CELL_SET, span, cell, value);
    if (value == b->unset)
        ir_at(b->fn, r)->ty = TY_OF(TY_NONE); /* of a value: when that has a type */
}

static Ref read_outer(Builder *b, const Var *owner, Span span) {
    if (owner->kind == VAR_INNER) return remake_closure(b, owner, span);
    Ref arg = arg_of(b, bd_capture_arg(b->scope, owner));
    return owner->kind == VAR_CELL ? get_cell(b, arg, owner->name, span) : arg;
}

Ref bd_read_name(Builder *b, const char *name, Span span) {
    const Var *v = bd_find_var(b->scope, name);
    if (!v || v->kind == VAR_GLOBAL || v->kind == VAR_NONE) return bd_read_global(b, name, span);
    if (v->kind == VAR_OUTER) return read_outer(b, v->owner, span);
    if (v->kind == VAR_CELL) return get_cell(b, b->cells[v->id], name, span);
    Ref value = bd_read(b, v->id);
    if (!v->is_param || v->is_deleted) bd_check_set(b, value, name, span);
    return value;
}

/* Which instructions can carry a variable's name for messages: those whose union is free. */
static bool can_be_named(Op op) {
    switch (op) {
    case OP_STRONG:
    case OP_PARAM:
    case OP_UNARY:
    case OP_BINARY:
    case OP_INPLACE:
    case OP_COMPARE:
    case OP_GETITEM:
    case OP_TUPLE:
    case OP_EXC_AS:
    case OP_SOME:
    case OP_ITER_ITEM: return true;
    default: return false;
    }
}

/* Says what the variable holds from here on, where somebody wants to know. */
static void bind(Builder *b, const char *name, Ref value, Span span) {
    if (!b->module->keeps_names) return;
    Ref r = bd_add1(b, OP_BIND, span, value);
    ir_at(b->fn, r)->name = name;
    ir_at(b->fn, r)->ty = TY_OF(TY_NONE);
}

void bd_write_name(Builder *b, const char *name, Ref value, Span span) {
    const Var *v = bd_find_var(b->scope, name);
    value = bd_strong(b, value, name, span);
    Ins *i = ir_at(b->fn, value);
    if (can_be_named((Op)i->op) && !i->name) i->name = name;
    bind(b, name, value, span);
    if (v->kind == VAR_LOCAL || v->kind == VAR_INNER)
        bd_write(b, v->id, value);
    else if (v->kind == VAR_CELL)
        set_cell(b, b->cells[v->id], value, span);
    else if (v->kind == VAR_OUTER)
        set_cell(b, arg_of(b, bd_capture_arg(b->scope, v->owner)), value, span);
    else if (v->kind == VAR_GLOBAL)
        bd_refuse(b, span, D_UNSUPPORTED,
                  cx_printf(b->cx, "assigning to the global variable '%s'", name),
                  "return the value, or store it in an array that is passed as an argument");
    else
        bd_refuse(b, span, D_UNSUPPORTED,
                  cx_printf(b->cx, "assigning to '%s' of a function that is not compiled", name),
                  "compile the outer function, or return the value");
}

void bd_delete_name(Builder *b, const char *name, Span span) {
    bd_read_name(b, name, span); /* must be set */
    const Var *v = bd_find_var(b->scope, name);
    if (v->kind == VAR_CELL)
        set_cell(b, b->cells[v->id], b->unset, span);
    else if (v->kind == VAR_OUTER)
        set_cell(b, arg_of(b, bd_capture_arg(b->scope, v->owner)), b->unset, span);
    else if (v->kind == VAR_LOCAL || v->kind == VAR_INNER)
        bd_write(b, v->id, b->unset);
    else
        bd_refuse(b, span, D_UNSUPPORTED,
                  cx_printf(b->cx, "deleting '%s', which is not local", name), NULL);
}

static Ref new_cell(Builder *b, Ref start, const char *name) {
    Ref r = bd_add1(b, OP_CELL_NEW, b->fn->span, start);
    ir_at(b->fn, r)->name = name;
    return r;
}

void bd_open_variables(Builder *b) {
    Scope *s = b->scope;
    b->cells = NEWN(b->cx, Ref, s->vars.n + 1);
    for (uint32_t i = 0; i < s->vars.n; i++) {
        const Var *v = s->vars.at[i];
        *vec_add(b->cx, &b->names) = v->name;
        Ref start = v->is_param ? arg_of(b, i) : b->unset;
        if (v->kind == VAR_CELL)
            b->cells[i] = new_cell(b, start, v->name);
        else if (v->is_param)
            bd_write(b, i, start);
    }
}

const char *build_name_of(const Fn *fn, Ref r) {
    const Ins *i = ir_at(fn, r);
    if (i->op == OP_ARG) return fn->args[i->imm].name;
    if (i->op == OP_CELL_GET) return i->name;
    return can_be_named((Op)i->op) ? i->name : NULL;
}
