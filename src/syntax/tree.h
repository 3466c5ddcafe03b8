/* The syntax tree: what a Python function says, in plain C. All its nouns are on this page.
 *
 * It is made once from CPython's own `ast` (ast.c) and never changes; it holds no Python object.
 * Everything lives until the compile ends. */
#pragma once
#include "base/cx.h"
#include "base/vec.h"

typedef enum NodeKind {
#define NODE(name, text) N_##name,
#include "syntax/tree.def"
#undef NODE
    NODES
} NodeKind;
extern const char *const node_text[NODES];

typedef struct Node Node;
typedef struct Func Func;
typedef VEC(Node *) Nodes;

typedef enum LitKind {
    LIT_NONE,
    LIT_ELLIPSIS,
    LIT_BOOL,    /* i */
    LIT_INT,     /* i */
    LIT_UINT,    /* i: the bits of a value from 2**63 to 2**64-1 */
    LIT_BIG,     /* an int beyond that; nothing is kept */
    LIT_FLOAT,   /* f[0] */
    LIT_COMPLEX, /* f[0] + f[1]j */
    LIT_STR,     /* s, n: UTF-8 */
    LIT_BYTES,   /* s, n */
    LIT_OTHER    /* a str with lone surrogates */
} LitKind;

typedef struct Literal {
    LitKind kind;
    union {
        int64_t i;
        double f[2];
        struct {
            const char *s;
            size_t n;
        };
    };
} Literal;

/* A construct that is not compiled: a row of refused.def. */
typedef struct Refused {
    const char *ast_class; /* its name in Python's `ast` */
    const char *what;      /* "list comprehensions" */
    const char *hint;      /* or NULL */
} Refused;

struct Node {
    uint8_t kind; /* NodeKind; what the fields hold for each kind is said in tree.def */
    uint8_t op;
    uint32_t n, n2; /* lengths of list and list2 */
    Span span;
    Node *a, *b, *c;
    Node **list, **list2;
    union {
        const char *name; /* interned in the Cx */
        const Literal *lit;
        const uint8_t *ops;
        Func *func;
        const Refused *refused;
        uint32_t id;
    };
};

typedef struct Param {
    const char *name;
    Span span;
    Node *fallback; /* the default value's expression, or NULL */
} Param;

/* A def or lambda. */
struct Func {
    const char *name; /* "<lambda>" */
    Param *params;    /* positional, then *args, then keyword-only */
    uint32_t nparams, npositional;
    bool has_varargs;
    const char *kwargs; /* name of **kwargs, or NULL */
    Nodes decorators;
    Nodes body;        /* of a lambda: one RETURN */
    Node *generator;   /* the first yield or await of its own (not of inner functions), or NULL */
    uint32_t nloops; /* its FORs, numbered from 1 in the text's order; inner functions' apart */
    struct Scope *scope; /* filled by the builder */
};
