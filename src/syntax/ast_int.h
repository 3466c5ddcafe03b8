/* Shared by the files that read Python's `ast`. */
#pragma once
#include "base/map.h"
#include "syntax/source.h"

enum { MAX_FIELDS = 4, MAX_DEPTH = 1000 };

typedef struct Reader Reader;
typedef void (*NodeReader)(Reader *r, PyObject *ast, Node *node);

struct Reader {
    Cx *cx;
    const Source *source;
    uint32_t dedent;
    Map kinds;          /* a class (by address) -> number of its row + 1 */
    Map attributes;     /* an attribute's name (C text, by address) -> interned str, kept */
    PyObject *object, *dict; /* the last object asked, and its attributes; borrowed */
    Func *func;         /* being read; NULL outside the outermost */
    int depth;
};

/* Attribute of an `ast` object: borrowed from it (the tree of objects lives as long as the
 * reader, and nobody changes it). Never NULL: what is not there is None. `name` must be a
 * literal: it is looked up by its address. */
PyObject *ast_get(Reader *r, PyObject *ast, const char *name);
/* The object's child, or NULL for None. */
Node *ast_read(Reader *r, PyObject *ast);
/* A list of children into memory of the compile. */
Node **ast_read_list(Reader *r, PyObject *list, uint32_t *n);
Node *ast_new_node(Reader *r, NodeKind kind, Span span);
/* Its place. Objects without one (operators, match cases) give line 0. */
Span ast_span(Reader *r, PyObject *ast);
/* A str as interned text, with the class's name in front if it is private to a class; NULL for
 * None. */
const char *ast_name(Reader *r, PyObject *str, bool mangle);
/* The class's name as text, until the compile ends. */
const char *ast_class(Reader *r, PyObject *ast);

void read_constant(Reader *r, PyObject *ast, Node *node);
void read_singleton(Reader *r, PyObject *ast, Node *node);
/* A def or lambda into node->func. */
void read_def(Reader *r, PyObject *ast, Node *node);
void read_lambda(Reader *r, PyObject *ast, Node *node);
/* Names that a statement we do not compile would bind, as NAME nodes in node->list. */
void ast_read_bound(Reader *r, PyObject *ast, Node *node);
