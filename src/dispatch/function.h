/* The compiled-function object, shared by the files that make it up: function.c (the class), bind.c
 * (arguments to parameters), entry.c (one compiled signature), call.c (a call), compile.c (asking
 * the compiler). */
#pragma once
#include "dispatch/disp.h"

/* How an argument is tested and unboxed in the common cases; ARG_OTHER: by its type, in unbox.c. */
typedef enum ArgHow { ARG_OTHER, ARG_F64, ARG_I64, ARG_BOOL, ARG_ARRAY } ArgHow;

typedef struct Arg {
    uint8_t how; /* ArgHow */
    uint8_t ndim;
    bool strided; /* ARG_ARRAY: strides go into the slots too */
    bool lasting; /* arrays and strings get an owner */
    int mask, want; /* ARG_ARRAY: flags & mask == want */
    PyObject *descr; /* ARG_ARRAY: the dtype's one native object; borrowed from disp */
    const Type *ty;
} Arg;

/* A global, closure value or attribute that the code was compiled for. */
typedef struct Guard {
    PyObject *home; /* dict, class or cell, as in PyRead; owned */
    PyObject *key; /* NULL: home is a cell; owned */
    PyObject *value; /* what it was; NULL: nothing, or a number that changes; owned */
    const Type
        *type; /* of a number that changes (Unit.captured): any of this type is good; or NULL */
    bool in_dict; /* home is a dict */
    uint32_t watch; /* number of the word that tells of the home; UINT32_MAX: none alone does */
} Guard;

/* A word that was `value` when the guards held: as long as it is, what it tells of has not changed. */
typedef struct Watch {
    const uint64_t *word;
    uint64_t value;
    PyObject *home; /* the dict, cell or class that the word is in; owned */
    PyObject
        *held; /* what `value` is the address of, so that nothing else gets that; owned, or NULL */
    bool is_address, is_fixed; /* fixed: its first value is the only good one */
} Watch;

/* A compiled signature, or a promised one: that was given to the decorator and is compiled when it is
 * first needed (unit is NULL; another entry takes its place then). Immutable once it is in a list, but for
 * `next`; never freed. */
typedef struct Entry Entry;
struct Entry {
    Entry *next;
    const Unit *unit;
    Type *ret; /* promised: the result asked for, or NULL */
    UnitEntry entry;
    uint32_t nargs, nslots;
    uint32_t nglobals; /* slots of the captured values, which are read at each call */
    WsOwner **owners; /* of the captured arrays, NULL for numbers; the entry's own references */
    Guard *guards;
    Watch *watches; /* of all homes that have a word, each once */
    uint32_t nguards, nwatches;
    bool unwatched; /* some have none */
    char *
        uncached; /* why it was compiled and not kept on disk, a sentence; owned. NULL: it was kept */
    Arg arg[];
};

typedef PyObject *(*VectorCall)(PyObject *self, PyObject *const *args, size_t nargsf,
                                PyObject *kwnames);

typedef struct Dispatcher {
    PyObject_HEAD VectorCall call;
    Entry *last; /* hit by the last call; NULL: none yet */
    size_t direct; /* so many positional arguments need no binding; SIZE_MAX: every call binds */
    Entry *entries; /* newest last */
    PyObject *func; /* the Python function; owned, as are the next */
    PyObject *names; /* tuple: parameters in the order of the unit's arguments */
    PyObject *defaults; /* tuple, or NULL */
    PyObject *kwdefaults; /* dict, or NULL */
    PyObject *locals; /* dict name -> type, or NULL */
    PyObject *dict, *weakrefs;
    uint32_t nparams; /* of the unit: names */
    uint32_t npositional; /* the first so many; *args, if any, follows */
    uint32_t nposonly;
    bool has_varargs, has_kwargs;
    bool keeps_constants; /* numbers that change stay constants: the code would be another */
    bool frozen; /* compiles no more signatures at calls */
    uint32_t turn; /* process in which a thread compiles it at a call; 0: none does */
    bool cache; /* compiled code is kept on disk for other processes */
    JitOptions options;
} Dispatcher;

/* --- bind.c ----------------------------------------------------------------------------------- */

/* Fills names, defaults and the counts from d->func; 0, or -1 with an exception set. */
int bind_init(Dispatcher *d);
/* Arguments as Python passes them -> one object per parameter (borrowed from args, or from *extra,
 * which is new or NULL). 0, or -1 with Python's own TypeError set. */
int bind_arguments(Dispatcher *d, PyObject *const *args, size_t n, PyObject *kwnames,
                   PyObject **out, PyObject **extra);

/* --- entry.c ---------------------------------------------------------------------------------- */

/* A new entry for the unit, which is taken, also when it fails; NULL with an exception set. */
Entry *entry_new(Unit *unit);
/* A new promised entry; NULL with an exception set. */
Entry *entry_new_promise(Type *const *types, uint32_t n, Type *ret);
bool entry_is_for(const Entry *e, Type *const *types, uint32_t n, const Type *ret);
/* Only before it is in a list. */
void entry_free(Entry *e);
/* Slots of the arguments, if all are exactly of the entry's types: 1; 0: not; -1: exception set.
 * Nothing is left in `made` unless 1. */
int entry_unbox(const Entry *e, PyObject *const *args, uint64_t *slots, Made *made);
/* The same for arguments that fit (ty_fit): 0, or -1. */
int entry_convert(const Entry *e, PyObject *const *args, uint64_t *slots, Made *made);
/* Runs it; releases what was made. The boxed result, or NULL with an exception set. */
PyObject *entry_run(const Entry *e, uint64_t *slots, Made *made);
/* The same without a box: 0 with the result in the slots, or -1 with an exception set. Releases nothing. */
int entry_run_slots(const Entry *e, uint64_t *slots);
/* Runs it where the GIL may be held or not, on a thread that Python may not know: 0 with the result in the slots, 1
 * with the thread's context holding the exception, -1: there is no memory for a context. Python's exception is left
 * as it is. */
int32_t entry_execute(const Entry *e, uint64_t *slots);
/* The same for a loop that calls it on several threads: body is a RegionBody and gets contexts to call it with, head a
 * RegionHead. The entry has no captured values. */
int32_t entry_execute_region(const Entry *e, void *body, void *head);

/* Slots of the captured values (e->nglobals): 0, or -1 with an exception set. */
int entry_read_captured(const Entry *e, uint64_t *at);

/* --- callback.c ------------------------------------------------------------------------------- */

/* The address of a C function that runs the entry, for good: its arguments are numbers and pointers, which are one-
 * dimensional arrays here. NULL with an exception set. name: what it is called where an exception is reported. */
void *callback_new(const Entry *e, PyObject *name);

/* --- guards.c --------------------------------------------------------------------------------- */

/* Fills e->guards and e->watches from the unit; 0, or -1 with an exception set. */
int guards_make(Entry *e);
void guards_free(Entry *e);
/* Looks at all places. */
bool guards_look(const Entry *e);
static inline bool guards_hold(const Entry *e) {
    bool same = !e->unwatched;
    for (uint32_t i = 0; i < e->nwatches; i++) same &= *e->watches[i].word == e->watches[i].value;
    return __builtin_expect(same, 1) || guards_look(e);
}
/* What a place (home, key) of Unit.captured holds: new, or NULL without an exception. */
PyObject *guards_place_value(PyObject *place);
/* The places of numbers that have changed since entries were compiled for these types, twice at least: a new list of
 * tuples (home, key), or NULL (none, or an exception is set). */
PyObject *guards_find_changing(const Entry *entries, Type *const *types, uint32_t n);

/* --- compile.c -------------------------------------------------------------------------------- */

/* Compiles for these types and adds the entry; NULL with an exception set. ret: NULL unless asked
 * for. */
Entry *function_compile(Dispatcher *d, Type **types, uint32_t n, Type *ret);
/* The entry for these types that there is (and whose guards hold), or function_compile's. */
Entry *function_entry(Dispatcher *d, Type **types, uint32_t n, Type *ret);
/* Adds a promised entry; 0, or -1 with an exception set. */
int function_promise(Dispatcher *d, Type **types, uint32_t n, Type *ret);
/* e, or what it promised, compiled now; NULL with an exception set. */
Entry *function_settle(Dispatcher *d, Entry *e);
/* A text about the function compiled for these types: new str. */
PyObject *function_text(Dispatcher *d, Type **types, uint32_t n, Want want, const char *ptx_target);

/* --- turn.c ----------------------------------------------------------------------------------- */

/* Waits until no other thread compiles d at a call. 1: it is this thread's turn, until turn_give; 0: no turns,
 * since it is compiling already; -1 with an exception set. */
int turn_take(Dispatcher *d);
void turn_give(Dispatcher *d, int taken);

/* --- call.c ----------------------------------------------------------------------------------- */

PyObject *function_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames);
/* The same, but `run` has the entry and the slots, which it may copy, and takes `made`. Its result is the call's. */
typedef PyObject *EntryRunner(const Entry *e, uint64_t *slots, Made *made, void *arg);
PyObject *function_call_with(PyObject *self, PyObject *const *args, size_t n, PyObject *kwnames,
                             EntryRunner *run, void *arg);
