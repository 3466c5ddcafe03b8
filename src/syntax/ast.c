/* One walk over Python's `ast`, driven by the rows of ast.def. */
#include <string.h>

#include "base/diag.h"
#include "syntax/ast_int.h"
#include "syntax/code.h"
#include "types/promote.h"

enum { ONLY_AST = 0x400 }; /* PyCF_ONLY_AST */

const char *const node_text[NODES] = {
#define NODE(name, text) text,
#include "syntax/tree.def"
#undef NODE
};

static const Refused refused_rows[] = {
#define REFUSED(ast_class, what, hint) {ast_class, what, hint},
#include "syntax/refused.def"
#undef REFUSED
};
enum { REFUSED_ROWS = sizeof refused_rows / sizeof *refused_rows };

/* --- operators -------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *ast_class;
    uint8_t op;
} operators[] = {
    {"Add", BIN_ADD}, {"Sub", BIN_SUB}, {"Mult", BIN_MUL}, {"Div", BIN_TRUEDIV},
    {"FloorDiv", BIN_FLOORDIV}, {"Mod", BIN_MOD}, {"Pow", BIN_POW}, {"MatMult", BIN_MATMUL},
    {"LShift", BIN_LSHIFT}, {"RShift", BIN_RSHIFT}, {"BitAnd", BIN_AND}, {"BitOr", BIN_OR},
    {"BitXor", BIN_XOR}, {"Eq", CMP_EQ}, {"NotEq", CMP_NE}, {"Lt", CMP_LT},
    {"LtE", CMP_LE}, {"Gt", CMP_GT}, {"GtE", CMP_GE}, {"Is", CMP_IS},
    {"IsNot", CMP_ISNOT}, {"In", CMP_IN}, {"NotIn", CMP_NOTIN}, {"USub", UN_NEG},
    {"UAdd", UN_POS}, {"Invert", UN_INVERT}, {"Not", UN_NOT}, {"And", N_AND},
    {"Or", N_OR},
};
/* clang-format on */

/* Operators are objects of a class each; their rows in Reader.kinds come behind those of the
 * nodes. */
static uint8_t read_operator(Reader *r, PyObject *ast) {
    uint64_t key = map_key(Py_TYPE(ast)), known = map_get(&r->kinds, key, 0);
    if (known) return (uint8_t)(known - 1);
    const char *name = ast_class(r, ast);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].ast_class, name) == 0) {
            map_set(r->cx, &r->kinds, key, operators[i].op + 1u);
            return operators[i].op;
        }
    diag_fail(r->cx, (Span){0}, D_NOT_YET, cx_printf(r->cx, "the operator %s", name));
}

/* --- what the rows' readers do ---------------------------------------------------------------- */

static void read_boolop(Reader *r, PyObject *ast, Node *node) {
    node->kind = read_operator(r, ast_get(r, ast, "op"));
}

static void read_compare(Reader *r, PyObject *ast, Node *node) {
    PyObject *list = ast_get(r, ast, "ops");
    uint8_t *ops = NEWN(r->cx, uint8_t, node->n);
    for (uint32_t i = 0; i < node->n; i++) ops[i] = read_operator(r, PyList_GetItem(list, i));
    node->ops = ops;
}

static const Refused *find_refused(const char *ast_class) {
    for (size_t i = 0; i < REFUSED_ROWS; i++)
        if (strcmp(refused_rows[i].ast_class, ast_class) == 0) return &refused_rows[i];
    return NULL;
}

static void read_display(Reader *r, PyObject *ast, Node *node) {
    node->refused = find_refused(ast_class(r, ast));
}

static void read_formatted(Reader *r, PyObject *ast, Node *node) {
    long conversion = PyLong_AsLong(ast_get(r, ast, "conversion"));
    node->op = conversion > 0 ? (uint8_t)conversion : 0;
}

/* The annotation itself means nothing to us. */
static void read_annotated(Reader *r, PyObject *ast, Node *node) {
    Node *target = ast_read(r, ast_get(r, ast, "target"));
    Node *value = ast_read(r, ast_get(r, ast, "value"));
    if (!value) {
        node->kind = N_DECLARE;
        node->a = target;
        return;
    }
    node->a = value;
    node->list = NEW(r->cx, Node *);
    node->list[0] = target;
    node->n = 1;
}

static void read_field(Reader *r, PyObject *ast, Node *node, const char *field);

/* Its number comes before those of the loops in it. */
static void read_for(Reader *r, PyObject *ast, Node *node) {
    static const char *const fields[] = {"a:target", "b:iter", "l:body", "m:orelse"};
    node->id = r->func ? ++r->func->nloops : 0;
    for (int i = 0; i < 4; i++) read_field(r, ast, node, fields[i]);
}

static void read_names(Reader *r, PyObject *ast, Node *node) {
    PyObject *names = ast_get(r, ast, "names");
    node->n = (uint32_t)PyList_Size(names);
    node->list = NEWN(r->cx, Node *, node->n);
    for (uint32_t i = 0; i < node->n; i++) {
        node->list[i] = ast_new_node(r, N_NAME, node->span);
        node->list[i]->name = ast_name(r, PyList_GetItem(names, i), true);
    }
}

static void read_class_pattern(Reader *r, PyObject *ast, Node *node) {
    PyObject *names = ast_get(r, ast, "kwd_attrs");
    node->list2 = ast_read_list(r, ast_get(r, ast, "kwd_patterns"), &node->n2);
    for (uint32_t i = 0; i < node->n2; i++) {
        Node *keyword = ast_new_node(r, N_KEYWORD, node->list2[i]->span);
        keyword->a = node->list2[i];
        keyword->name = ast_name(r, PyList_GetItem(names, i), false);
        node->list2[i] = keyword;
    }
}

/* --- the walk --------------------------------------------------------------------------------- */

static const struct {
    const char *ast_class;
    NodeKind kind;
    NodeReader read;
    const char *fields[MAX_FIELDS];
} rows[] = {
#define AST(ast_class, kind, read, ...) {ast_class, N_##kind, read, {__VA_ARGS__}},
#include "syntax/ast.def"
#undef AST
};
enum { ROWS = sizeof rows / sizeof *rows };

static PyObject *attribute_name(Reader *r, const char *name) {
    PyObject *key = map_ptr(&r->attributes, name);
    if (key) return key;
    key = py_keep(r->cx, PyUnicode_InternFromString(name));
    if (!key) cx_abort(r->cx);
    map_put(r->cx, &r->attributes, name, key);
    return key;
}

PyObject *ast_get(Reader *r, PyObject *ast, const char *name) {
    PyObject *key = attribute_name(r, name);
    if (ast != r->object) { /* its own attributes lie in its dict: much the shortest way to them */
        r->object = ast;
        r->dict = PyObject_GenericGetDict(ast, NULL);
        if (!r->dict) py_clear_error();
        Py_DecRef(r->dict);
    }
    PyObject *value = r->dict ? PyDict_GetItemWithError(r->dict, key) : NULL;
    if (value) return value;
    value = PyObject_GetAttr(ast, key);
    if (!value) py_clear_error();
    Py_DecRef(value);
    return value ? value : Py_None;
}

const char *ast_class(Reader *r, PyObject *ast) { return py_class_name(r->cx, ast); }

Node *ast_new_node(Reader *r, NodeKind kind, Span span) {
    Node *node = NEW(r->cx, Node);
    node->kind = (uint8_t)kind;
    node->span = span;
    return node;
}

static uint32_t read_number(Reader *r, PyObject *ast, const char *name) {
    PyObject *value = ast_get(r, ast, name);
    return value == Py_None ? 0 : (uint32_t)PyLong_AsLong(value);
}

/* Column in the dedented line of Cx.files. */
static uint32_t map_column(Reader *r, uint32_t line, uint32_t column) {
    int64_t at = column;
    if (line == r->source->nheader + 1) at += r->source->shift;
    at -= r->dedent;
    return at > 0 ? (uint32_t)at : 0;
}

Span ast_span(Reader *r, PyObject *ast) {
    uint32_t line = read_number(r, ast, "lineno"), end_line = read_number(r, ast, "end_lineno");
    if (!line) return (Span){0};
    uint32_t before = r->source->line - 1, header = r->source->nheader;
    return (Span){
        .line = before + line - header,
        .end_line = before + end_line - header,
        .col = map_column(r, line, read_number(r, ast, "col_offset")),
        .end_col = map_column(r, end_line, read_number(r, ast, "end_col_offset")),
        .file = r->source->file,
    };
}

const char *ast_name(Reader *r, PyObject *str, bool mangle) {
    const char *s = py_text(r->cx, str, NULL), *class_name = r->source->class_name;
    if (!s) return NULL;
    size_t n = strlen(s);
    bool is_private =
        mangle && class_name && n > 2 && s[0] == '_' && s[1] == '_' && strcmp(s + n - 2, "__") != 0;
    while (is_private && *class_name == '_') class_name++;
    return cx_name(r->cx, is_private && *class_name ? cx_printf(r->cx, "_%s%s", class_name, s) : s);
}

Node **ast_read_list(Reader *r, PyObject *list, uint32_t *n) {
    *n = list == Py_None ? 0 : (uint32_t)PyList_Size(list);
    Node **nodes = *n ? NEWN(r->cx, Node *, *n) : NULL;
    for (uint32_t i = 0; i < *n; i++) nodes[i] = ast_read(r, PyList_GetItem(list, i));
    return nodes;
}

static Node *read_block(Reader *r, PyObject *list) {
    Node *block = ast_new_node(r, N_BLOCK, (Span){0});
    block->list = ast_read_list(r, list, &block->n);
    return block->n ? block : NULL;
}

static void read_field(Reader *r, PyObject *ast, Node *node, const char *field) {
    PyObject *value = ast_get(r, ast, field + 2);
    switch (field[0]) {
    case 'a': node->a = ast_read(r, value); break;
    case 'b': node->b = ast_read(r, value); break;
    case 'c': node->c = ast_read(r, value); break;
    case 'l': node->list = ast_read_list(r, value, &node->n); break;
    case 'm': node->list2 = ast_read_list(r, value, &node->n2); break;
    case 'A': node->a = read_block(r, value); break;
    case 'B': node->b = read_block(r, value); break;
    case 'n': node->name = ast_name(r, value, true); break;
    case 'N': node->name = ast_name(r, value, false); break;
    case 'o': node->op = read_operator(r, value); break;
    }
}

/* Row of the object's class, from 0; ROWS and up: of refused.def. */
static size_t find_row(Reader *r, PyObject *ast) {
    uint64_t key = map_key(Py_TYPE(ast)), known = map_get(&r->kinds, key, 0);
    if (known) return known - 1;
    const char *name = ast_class(r, ast);
    size_t row = 0;
    while (row < ROWS && strcmp(rows[row].ast_class, name) != 0) row++;
    const Refused *refused = row == ROWS ? find_refused(name) : NULL;
    if (refused) row += (size_t)(refused - refused_rows);
    if (row == ROWS && !refused)
        diag_fail(r->cx, ast_span(r, ast), D_NOT_YET, cx_printf(r->cx, "the syntax '%s'", name));
    map_set(r->cx, &r->kinds, key, row + 1);
    return row;
}

static void read_refused(Reader *r, PyObject *ast, Node *node, const Refused *row) {
    node->kind = N_REFUSED;
    node->refused = row;
    bool makes_generator =
        strcmp(row->ast_class, "Yield") == 0 || strcmp(row->ast_class, "YieldFrom") == 0;
    if (makes_generator && r->func && !r->func->generator) r->func->generator = node;
    ast_read_bound(r, ast, node);
}

Node *ast_read(Reader *r, PyObject *ast) {
    if (ast == Py_None) return NULL;
    Node *node = ast_new_node(r, N_REFUSED, ast_span(r, ast));
    if (++r->depth > MAX_DEPTH) diag_fail(r->cx, node->span, D_TOO_DEEP);
    size_t row = find_row(r, ast);
    if (row >= ROWS) {
        read_refused(r, ast, node, &refused_rows[row - ROWS]);
    } else {
        node->kind = (uint8_t)rows[row].kind;
        for (int i = 0; i < MAX_FIELDS && rows[row].fields[i]; i++)
            read_field(r, ast, node, rows[row].fields[i]);
        if (rows[row].read) rows[row].read(r, ast, node);
    }
    r->depth--;
    return node;
}

/* --- all -------------------------------------------------------------------------------------- */

/* Down through the header's statements to the function itself. */
static PyObject *find_function(Reader *r, PyObject *module) {
    PyObject *at = module;
    for (uint32_t i = 0; i <= r->source->nwraps; i++) {
        PyObject *body = ast_get(r, at, "body");
        if (!PyList_Check(body) || PyList_Size(body) == 0) return NULL;
        at = PyList_GetItem(body, PyList_Size(body) - 1); /* an import may stand before it */
    }
    return r->source->is_lambda ? ast_get(r, at, "value") : at;
}

Node *syn_read_source(Cx *cx, const Source *source, const char *qualname) {
    Reader r = {.cx = cx, .source = source, .dedent = cx->files[source->file].dedent};
    PyObject *module =
        syn_compile(cx, source->text, source->size, source->filename, source->flags | ONLY_AST);
    PyObject *ast = module ? find_function(&r, module) : NULL;
    const char *ast_name_of = ast ? ast_class(&r, ast) : "";
    Node *node = NULL;
    if (strcmp(ast_name_of, "AsyncFunctionDef") == 0) {
        node = ast_new_node(&r, N_FUNCTION, ast_span(&r, ast));
        read_def(&r, ast, node);
        node->func->generator = ast_new_node(&r, N_REFUSED, node->span);
        node->func->generator->refused = find_refused(ast_name_of);
    } else if (strcmp(ast_name_of, source->is_lambda ? "Lambda" : "FunctionDef") == 0) {
        node = ast_read(&r, ast);
    }
    if (node) return node;
    diag_fail(cx, (Span){0}, D_NO_SOURCE,
              cx_printf(cx, "'%s' (defined in %s)", qualname, source->filename));
}
