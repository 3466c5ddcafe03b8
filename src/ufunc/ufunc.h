/* Ufuncs made of compiled functions: what vectorize and guvectorize give.
 *
 * The object is our own, since a call of a real np.ufunc with scalars takes longer than all that the
 * function does; inside is a real one, which does NumPy's part: broadcasting, casting, out=, where=,
 * reductions. It is made anew when a loop is added, for a live one cannot be extended.
 *
 *   object.c    the class, and a call
 *   inner.c     the np.ufunc inside
 *   loop.c      what NumPy calls: from its pointers and steps to compiled code
 *
 * What needs no speed is in Python: whipsnake/_ufunc.py. */
#pragma once
#include "dispatch/function.h"

enum { UFUNC_MAX_ARGS = 32 };

/* A compiled function for given types; compiled when it is first needed. */
typedef struct UfuncCode {
    Dispatcher *function; /* owned; NULL: there is none */
    Type **types; /* of its parameters */
    uint32_t nparams;
    _Atomic(const Entry *) entry; /* NULL: not compiled yet, or a global has changed since */
} UfuncCode;

/* What stands in UfuncLoop.code. Of elementwise ufuncs: */
enum {
    CODE_ROW, /* one-dimensional contiguous arrays, inputs and outputs, all of one length */
    CODE_FOLD, /* with two inputs and one output: (acc, x), acc[0] = f(acc[0], x[i]) for all i */
};
/* Of generalized ones: the function itself, on what one step of the loop sees */
enum {
    CODE_CONTIGUOUS,
    CODE_STRIDED, /* arrays of any layout */
};

/* What one argument of a generalized ufunc is made of. */
typedef struct UfuncCore {
    int ndim;
    const int *dims; /* which of the loop's core dimensions */
} UfuncCore;

/* One signature. Lives as long as the process: any np.ufunc may hold it. */
typedef struct UfuncLoop {
    UfuncCode code[2];
    uint32_t nin, nout;
    UfuncCore *core; /* by argument; NULL: elementwise */
    Type *elem[]; /* by argument */
} UfuncLoop;

typedef struct Ufunc {
    PyObject_HEAD VectorCall call;
    Dispatcher *scalar; /* the function itself; owned, as are the next */
    PyObject *inner; /* the np.ufunc */
    PyObject *name, *doc; /* bytes that inner points to */
    PyObject *signature; /* bytes: the layout of a generalized one; or NULL */
    PyObject *identity; /* None, or an int, or the str "reorderable" */
    PyObject *dict, *weakrefs;
    UfuncLoop **loops; /* borrowed, in the order in which NumPy tries them; those of `inner` */
    uint32_t nloops;
    uint32_t nin, nout;
    bool frozen; /* no more signatures are added by calls */
    const UfuncLoop *last; /* called last with arrays of exactly its types */
} Ufunc;

/* --- loop.c ----------------------------------------------------------------------------------- */

/* A new loop. codes: a tuple of at most two (compiled function or None, tuple of types); core: by argument, taken,
 * or NULL. NULL with an exception set. */
UfuncLoop *ufunc_new_loop(PyObject *codes, PyObject *elems, uint32_t nin, UfuncCore *core);
/* Only while no np.ufunc has it. */
void ufunc_free_loop(UfuncLoop *l);
/* NumPy's interface; data: a UfuncLoop. */
void ufunc_run_rows(char **args, const Py_ssize_t *dims, const Py_ssize_t *steps, void *data);
void ufunc_run_cores(char **args, const Py_ssize_t *dims, const Py_ssize_t *steps, void *data);
/* Code whose globals have changed will be compiled again. GIL held. */
void ufunc_refresh(UfuncLoop *loop);
/* Calls something of NumPy that runs our loops: the result, or NULL with the exception set that
 * a loop ended with. */
PyObject *ufunc_call_numpy(PyObject *callable, PyObject *const *args, size_t n, PyObject *kwnames);
PyObject *ufunc_call_numpy_with(PyObject *callable, PyObject *args, PyObject *kwargs);

/* --- inner.c ---------------------------------------------------------------------------------- */

/* Looks up NumPy's interface; 0, or -1 with an exception set. */
int ufunc_init_numpy(void);
/* A new np.ufunc with u's name and layout, and these loops (borrowed); NULL with an exception set. */
PyObject *ufunc_build(const Ufunc *u, UfuncLoop *const *loops, uint32_t n);
/* Where the argument's core dimensions are, by argument, in one new block (mem_free), or NULL with an exception set. */
UfuncCore *ufunc_cores(const Ufunc *u);

/* --- object.c --------------------------------------------------------------------------------- */

/* Adds the class to the module; 0, or -1 with an exception set. */
int ufunc_init(PyObject *module);
