/* What a function reaches, as the compiler could see it: the content that a cache key is made of.
 *
 * The walk starts at a function and follows names alone: the globals and closure cells that its code
 * names, the functions among them, attributes of modules and classes, and what users' overloads say of
 * them. So it may take in a little too much (an attribute that is called like a global), never too
 * little. Numbers and texts are hashed by value. Other objects (functions, classes, modules, arrays) are
 * numbered in the order in which they are met and hashed by what they contain, not by their place:
 * neither addresses nor file names nor line numbers get into the hash. So two processes whose hashes are
 * equal have the same objects under the same numbers, and a file can name an object by its number.
 *
 * The GIL is held; inside cx_run. The walk may ask Python for attributes of classes and arrays. */
#pragma once
#include "base/map.h"
#include "base/vec.h"
#include "cache/blake2.h"
#include "core/unit.h"
#include "py/py.h"

/* What the rooms above know of objects. */
typedef struct CacheHost {
    PyObject *(*unwrap)(PyObject *obj, JitOptions *options); /* as in CoreApi */
    Type *(*type_of)(PyObject *obj);                         /* as in CoreApi */
    Type *(*as_type)(PyObject *obj); /* the Type of one of our type objects, or NULL */
    void *(*find_symbol)(const char *name);
} CacheHost;

/* Where a function is written. */
typedef struct Home {
    const char *filename, *qualname, *code_qualname;
    uint32_t line; /* of its first line, from 1; 0: it is no function */
} Home;

typedef struct WalkNode {
    PyObject *obj;    /* kept by the Cx */
    bool python;      /* Python code that runs when compiling (an overload) may look at it */
    uint32_t looked;  /* so many of Walk.names were looked up in it */
    const Home *home; /* NULL: not asked for yet */
} WalkNode;

typedef struct Walk {
    Cx *cx;
    const CacheHost *host;
    Blake hash;
    VEC(WalkNode) nodes;
    Map numbers;         /* object -> number of its node + 1 */
    VEC(uint32_t) queue; /* nodes whose content is to be hashed */
    VEC(PyRead) found;     /* all that names led to, in order; kept by the Cx */
    VEC(PyObject *) names; /* of all code: any may be an attribute of any module or class */
    Map known_names;
    bool python;         /* the content at hand can be looked at by Python code */
    uint32_t depth, budget;
    const char *problem; /* why the hash says too little; NULL: it does not. Lives as long as cx */
    PyObject *generic, *dtype, *array, *enums; /* classes of NumPy, and Enum */
    PyObject *functions; /* users' overloads of functions; NULL: there are none */
    PyObject *by_name; /* dict: method or attribute -> list of (class, overloads); or NULL */
} Walk;

void walk_start(Walk *w, Cx *cx, const CacheHost *host);
void walk_put(Walk *w, const void *bytes, size_t n);
void walk_text(Walk *w, const char *text); /* NULL is allowed */
void walk_value(Walk *w, PyObject *obj);
void walk_type(Walk *w, const Type *ty);
void walk_options(Walk *w, const JitOptions *o);
/* Hashes the content of all that was met, and of what that meets. */
void walk_finish(Walk *w);

/* The number of an object, which is met now if it was not before. */
uint32_t walk_meet(Walk *w, PyObject *obj);
/* The number of an object, or -1 if the walk did not meet it. */
int64_t walk_number(const Walk *w, PyObject *obj);
/* Notes why there can be no entry; the first reason stays. */
void walk_give_up(Walk *w, const char *why);

/* Names and code objects (walk_code.c): what `func` (or another object with a __code__) contains. */
void walk_function(Walk *w, PyObject *func);
/* Where the node is written, if it is a function. */
const Home *walk_home(Walk *w, uint32_t node);
/* Looks up the names that are new since the last time; true if there were any. */
bool walk_look_into(Walk *w, uint32_t node);
