/* Functions and their parameters, literals, and what statements that are not compiled would
 * bind. */
#include <string.h>

#include "base/diag.h"
#include "syntax/ast_int.h"

/* --- literals --------------------------------------------------------------------------------- */

static void read_int(PyObject *value, Literal *lit) {
    int overflow;
    lit->kind = LIT_INT;
    lit->i = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) return;
    lit->kind = LIT_UINT;
    uint64_t bits = PyLong_AsUnsignedLongLong(value);
    lit->i = (int64_t)bits;
    if (!PyErr_Occurred()) return;
    py_clear_error();
    lit->kind = LIT_BIG;
}

static void read_text(Reader *r, PyObject *value, Literal *lit) {
    lit->s = py_text(r->cx, value, &lit->n);
    lit->kind = lit->s ? LIT_STR : LIT_OTHER;
}

static void read_bytes(Reader *r, PyObject *value, Literal *lit) {
    char *s = NULL;
    Py_ssize_t n = 0;
    PyBytes_AsStringAndSize(value, &s, &n);
    char *copy = cx_alloc(r->cx, (size_t)n + 1);
    if (n) memcpy(copy, s, (size_t)n);
    *lit = (Literal){.kind = LIT_BYTES, .s = copy, .n = (size_t)n};
}

static void read_literal(Reader *r, PyObject *value, Node *node) {
    Literal *lit = NEW(r->cx, Literal);
    node->lit = lit;
    if (value == Py_None)
        lit->kind = LIT_NONE;
    else if (value == Py_Ellipsis)
        lit->kind = LIT_ELLIPSIS;
    else if (PyBool_Check(value))
        *lit = (Literal){.kind = LIT_BOOL, .i = value == Py_True};
    else if (PyLong_Check(value))
        read_int(value, lit);
    else if (PyFloat_Check(value))
        *lit = (Literal){.kind = LIT_FLOAT, .f = {PyFloat_AsDouble(value)}};
    else if (PyComplex_Check(value))
        *lit = (Literal){.kind = LIT_COMPLEX,
                         .f = {PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)}};
    else if (PyBytes_Check(value))
        read_bytes(r, value, lit);
    else
        read_text(r, value, lit);
}

void read_constant(Reader *r, PyObject *ast, Node *node) {
    read_literal(r, ast_get(r, ast, "value"), node);
}

void read_singleton(Reader *r, PyObject *ast, Node *node) {
    node->a = ast_new_node(r, N_LITERAL, node->span);
    read_constant(r, ast, node->a);
}

/* --- functions -------------------------------------------------------------------------------- */

static void read_param(Reader *r, PyObject *arg, PyObject *fallback, Param *out) {
    out->name = ast_name(r, ast_get(r, arg, "arg"), true);
    out->span = ast_span(r, arg);
    out->fallback = fallback ? ast_read(r, fallback) : NULL;
}

/* Default values belong to the enclosing function: they are read while r->func is still that. */
static void read_params(Reader *r, PyObject *args, Func *func) {
    PyObject *first = ast_get(r, args, "posonlyargs"), *rest = ast_get(r, args, "args");
    PyObject *only = ast_get(r, args, "kwonlyargs"), *star = ast_get(r, args, "vararg");
    PyObject *defaults = ast_get(r, args, "defaults"),
             *only_defaults = ast_get(r, args, "kw_defaults");
    Py_ssize_t nfirst = PyList_Size(first), npositional = nfirst + PyList_Size(rest),
               nonly = PyList_Size(only);
    Py_ssize_t without = npositional - PyList_Size(defaults);
    func->has_varargs = star != Py_None;
    func->npositional = (uint32_t)npositional;
    func->nparams = (uint32_t)(npositional + func->has_varargs + nonly);
    Param *p = func->params = NEWN(r->cx, Param, func->nparams + 1);
    for (Py_ssize_t i = 0; i < npositional; i++) {
        PyObject *arg = i < nfirst ? PyList_GetItem(first, i) : PyList_GetItem(rest, i - nfirst);
        read_param(r, arg, i >= without ? PyList_GetItem(defaults, i - without) : NULL, p++);
    }
    if (func->has_varargs) read_param(r, star, NULL, p++);
    for (Py_ssize_t i = 0; i < nonly; i++)
        read_param(r, PyList_GetItem(only, i), PyList_GetItem(only_defaults, i), p++);
    func->kwargs = ast_name(r, ast_get(r, ast_get(r, args, "kwarg"), "arg"), true);
}

static void add_nodes(Reader *r, Nodes *to, PyObject *list) {
    to->at = ast_read_list(r, list, &to->n);
    to->cap = to->n;
}

void read_def(Reader *r, PyObject *ast, Node *node) {
    Func *func = NEW(r->cx, Func), *outer = r->func;
    node->func = func;
    func->name = ast_name(r, ast_get(r, ast, "name"), true);
    if (outer) add_nodes(r, &func->decorators, ast_get(r, ast, "decorator_list"));
    read_params(r, ast_get(r, ast, "args"), func);
    r->func = func;
    add_nodes(r, &func->body, ast_get(r, ast, "body"));
    r->func = outer;
}

void read_lambda(Reader *r, PyObject *ast, Node *node) {
    Func *func = NEW(r->cx, Func), *outer = r->func;
    node->func = func;
    func->name = cx_name(r->cx, "<lambda>");
    read_params(r, ast_get(r, ast, "args"), func);
    r->func = func;
    Node *body = ast_read(r, ast_get(r, ast, "body"));
    r->func = outer;
    Node *ret = ast_new_node(r, N_RETURN, body->span);
    ret->a = body;
    vec_push(r->cx, &func->body, ret);
}

/* --- bound names ------------------------------------------------------------------------------ */

typedef struct Bound {
    Reader *r;
    Node *node;
    Nodes names;
} Bound;

static void add_bound(Bound *b, PyObject *str) {
    const char *name = ast_name(b->r, str, true);
    if (!name) return;
    Node *n = ast_new_node(b->r, N_NAME, b->node->span);
    n->name = name;
    vec_push(b->r->cx, &b->names, n);
}

static void collect(Bound *b, PyObject *obj, int depth);

/* `import a.b` binds a. */
static void add_alias(Bound *b, PyObject *alias) {
    PyObject *as = ast_get(b->r, alias, "asname");
    if (as != Py_None) {
        add_bound(b, as);
        return;
    }
    const char *name = py_text(b->r->cx, ast_get(b->r, alias, "name"), NULL);
    if (!name || *name == '*') return;
    const char *dot = strchr(name, '.');
    PyObject *first =
        PyUnicode_FromStringAndSize(name, dot ? dot - name : (Py_ssize_t)strlen(name));
    add_bound(b, py_keep(b->r->cx, first));
}

static void collect_fields(Bound *b, PyObject *ast, int depth) {
    PyObject *fields = ast_get(b->r, ast, "_fields");
    for (Py_ssize_t i = 0; PyTuple_Check(fields) && i < PyTuple_Size(fields); i++)
        collect(b, py_keep(b->r->cx, PyObject_GetAttr(ast, PyTuple_GetItem(fields, i))), depth + 1);
}

static void collect(Bound *b, PyObject *obj, int depth) {
    if (!obj || obj == Py_None || PyUnicode_Check(obj)) return;
    if (depth > MAX_DEPTH) diag_fail(b->r->cx, b->node->span, D_TOO_DEEP);
    if (PyList_Check(obj)) {
        for (Py_ssize_t i = 0; i < PyList_Size(obj); i++)
            collect(b, PyList_GetItem(obj, i), depth + 1);
        return;
    }
    const char *name = ast_class(b->r, obj);
    bool is_scope = strcmp(name, "FunctionDef") == 0 || strcmp(name, "AsyncFunctionDef") == 0 ||
                    strcmp(name, "ClassDef") == 0;
    if (is_scope)
        add_bound(b, ast_get(b->r, obj, "name"));
    else if (strcmp(name, "alias") == 0)
        add_alias(b, obj);
    else if (strcmp(name, "Name") == 0 && !py_is_a(ast_get(b->r, obj, "ctx"), "Load"))
        add_bound(b, ast_get(b->r, obj, "id"));
    else if (strcmp(name, "Lambda") != 0)
        collect_fields(b, obj, depth);
}

void ast_read_bound(Reader *r, PyObject *ast, Node *node) {
    static const char *const statements[] = {
        "With",     "AsyncWith",        "AsyncFor", "Import",   "ImportFrom",
        "ClassDef", "AsyncFunctionDef", "TryStar",  "TypeAlias"};
    Bound b = {.r = r, .node = node};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (strcmp(node->refused->ast_class, statements[i]) == 0) collect(&b, ast, 0);
    node->list = b.names.at;
    node->n = b.names.n;
}
