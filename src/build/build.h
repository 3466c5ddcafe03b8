/* From the syntax tree to HIGH IR: SSA built directly while walking the tree (Braun et al.,
 * 2013).
 *
 * The builder knows names, not types: it resolves which variable, global or closure value a name
 * is, marks weak constants, makes control flow and exception edges explicit, and leaves
 * everything else to inference. What cannot be compiled becomes OP_REFUSE where it stands, so
 * that code pruned for the types at hand may contain it. */
#pragma once
#include "ir/ir.h"

/* A function to compile: a def or lambda of the source with its surroundings. */
typedef struct FnDef FnDef;
struct FnDef {
    const struct Node *node; /* N_FUNCTION or N_LAMBDA */
    const char *name, *qualname;
    uint32_t file;
    bool unlike_code; /* the text is not that of the code which Python runs */
    /* The function's globals (a dict) and the Python function itself, NULL for an inner one. Both
     * borrowed: the compile keeps them alive. */
    PyObject *globals, *func;
    const FnDef *outer; /* the function it is written in, or NULL */
    /* Names in the order of the types: positional, *args, keyword-only. */
    const char **params;
    uint32_t nparams, npositional;
    bool has_varargs; /* params[npositional] is *args */
    /* How many of the positional ones, the last, have default values. Inner functions evaluate them
     * at the def: they are captured as extra values "=name". */
    uint32_t ndefaults;
    /* Inner functions: names of the outer variables it reads (or writes: cells), in the order of
     * OP_CLOSURE's operands; they follow the parameters in Fn.args. */
    const char **captures;
    uint32_t ncaptures;
};

/* Loops that inference asked to unroll: id of the loop (OP_ITER's imm) and how many items. */
typedef struct Unroll {
    int64_t loop;
    uint32_t n;
} Unroll;

/* The definition behind a Python function (its source found, parsed, and checked against the code
 * object); aborts with D_NO_SOURCE, D_SOURCE_CHANGED, D_NOT_A_FUNCTION or D_TOO_DEEP. GIL held. */
const FnDef *build_load(Cx *cx, PyObject *func);

/* Where the definition stands, from `def` or `lambda` on. */
Span build_def_span(const FnDef *def);

/* An attribute of a Python object: new, or NULL with the exception set. For names that are asked for again and again:
 * they are interned. */
PyObject *build_get_attr(PyObject *obj, const char *name);
/* dict[name]: borrowed, or NULL without an exception. */
PyObject *build_get_item(PyObject *dict, const char *name);
/* The number in module->captured of a number that changes: `name` in the dict `home`, or the value of the cell `home`
 * (name NULL). -1: the request names no such place, or there is no number now. */
int64_t build_capture_place(Cx *cx, Module *module, PyObject *home, const char *name);
/* The value in such a place: new, or NULL without an exception. */
PyObject *build_place_value(PyObject *place);
/* Notes in module->seen that `name` in the dict `home` (NULL: the cell `home`) held `value` (NULL: nothing). */
void build_see(Cx *cx, Module *module, PyObject *home, const char *name, PyObject *value);
/* The same for an attribute that is about to be read, where the owner is a module or a class that may change. */
void build_see_attr(Cx *cx, Module *module, PyObject *owner, const char *name);
/* Clears the exception that is set, if any; see py_clear_error. */
void build_clear_error(void);

/* A new HIGH function of `module`, its args untyped: parameters, then captures. GIL held. Captured
 * arrays are added to module->captured (their types are not). A loop keeps its id whatever other
 * loops are unrolled; each copy of an unrolled loop's body has loops with ids of their own. */
Fn *build_fn(Cx *cx, const FnDef *def, Module *module, const Unroll *unrolls, uint32_t nunrolls);

/* A Python object as a compile-time constant: numbers, None, str, bytes, tuples, ranges, slices,
 * functions and other callables (FUNC), modules, classes, enum members, dtypes, NumPy scalars
 * (those are not weak), Ellipsis (CLASS). NULL if it is none of these; arrays too are NULL. GIL
 * held. */
Const *build_const(Cx *cx, PyObject *obj);

/* The source name of a value: of the variable it was assigned to or of the block parameter;
 * NULL: none. */
const char *build_name_of(const Fn *fn, Ref r);
