/* Calling compiled code from Python: find the types, look up, unbox, call, box.
 *
 *   disp_typeof    object -> Type               typeof.c
 *   disp_unbox     object -> slots              unbox.c (exact type; disp_convert: one that fits)
 *   disp_box       slots -> object              box.c
 *   disp_raise     exception -> Python's        raise.c
 *   call.c         the object that does all this
 *
 * The GIL is held in all of it, but while compiled code with `nogil` runs. Functions that return an
 * object give a new reference or NULL with an exception set. */
#pragma once
#include <Python.h>

#include "core/compiler.h"
#include "core/ctx.h"
#include "core/memory.h"
#include "core/unit.h"
#include "types/promote.h"

/* --- set-up (state.c) ------------------------------------------------------------------------- */

/* NumPy element types by type number, both ways; objects looked up once. Process lifetime. */
enum { DISP_NUMS = 25 }; /* NumPy's builtin type numbers are below */
typedef struct DispState {
    Type *elem[DISP_NUMS]; /* by type number; NULL: not supported */
    PyObject *descr[DISP_NUMS]; /* the native dtype object; owned */
    PyTypeObject *scalar[DISP_NUMS]; /* np.float32 ...; owned */
    PyTypeObject *array; /* np.ndarray; borrowed from NumPy */
    PyTypeObject *memmap; /* np.memmap, once seen (owned), or NULL */
    PyTypeObject *function; /* types.FunctionType; owned */
    PyTypeObject *builtin; /* types.BuiltinFunctionType; owned */
    PyTypeObject *module; /* types.ModuleType; owned */
    PyTypeObject *ufunc; /* np.ufunc; owned */
    PyObject *method; /* types.MethodType; owned */
    PyObject *enum_base; /* enum.Enum; owned, or NULL while nobody has imported enum */
    PyTypeObject *dispatcher; /* our compiled functions; owned */
    PyTypeObject *vectorized; /* our ufuncs; owned */
    PyTypeObject *type; /* our type objects; owned */
    PyTypeObject *memory; /* what keeps an array's block alive for NumPy; owned */
} DispState;
extern DispState disp;

/* Makes the tables and the classes and adds those to the module; 0, or -1 with an exception set. */
int disp_init(PyObject *module);
/* Is obj an enum class (a subclass of enum.Enum)? */
bool disp_is_enum(PyTypeObject *cls);
/* NumPy's type number of an element type, or -1. */
int disp_type_num(const Type *elem);

/* --- types of objects (typeof.c) -------------------------------------------------------------- */

/* Type of the object, as an argument or a captured value. Result: borrowed, lives for good. NULL:
 * TypeError says why compiled code cannot hold it (OverflowError for an int beyond 64 bits). */
Type *disp_typeof(PyObject *obj);
/* Type of arrays with this dtype number and these flags (NPY_ARRAY_...), cached. */
Type *disp_array_type(int num, int ndim, int flags);
/* The Type that a dtype or scalar class stands for; NULL with an exception set. */
Type *disp_from_dtype(PyObject *dtype);

/* --- arguments (unbox.c) ---------------------------------------------------------------------- */

/* What unboxing made and the end of the call releases: owner blocks, chained through `next`. */
typedef struct Made {
    WsOwner *owners;
} Made;

/* Writes the value into slots if its type is exactly t: 1; 0 if it is another type; -1 with an
 * exception set. lasting: arrays and strings get an owner, so that compiled code may keep them. */
int disp_unbox(const Type *t, PyObject *obj, uint64_t *slots, bool lasting, Made *made);
/* The same for an object whose type fits t (ty_fit): 0, or -1 with an exception set. */
int disp_convert(const Type *t, PyObject *obj, uint64_t *slots, bool lasting, Made *made);
/* Slots of an array object of type t; owner: what to put there, or NULL. */
void disp_fill_array(const Type *t, PyObject *array, WsOwner *owner, uint64_t *slots);
void disp_release_made(Made *made);
/* The slots of a number of type t that lies in memory as NumPy keeps it. */
void disp_load(const Type *t, const void *at, uint64_t *slots);

/* --- results (box.c) -------------------------------------------------------------------------- */

/* The object for a value. Takes what the slots own, also when it fails. */
PyObject *disp_box(const Type *t, uint64_t *slots);
/* The same for a borrowed value. */
PyObject *disp_box_borrowed(const Type *t, const uint64_t *slots);
int disp_init_memory(PyObject *module);

/* --- exceptions (raise.c) --------------------------------------------------------------------- */

/* Sets the Python exception for ctx->exc, which is taken, with a traceback entry per site. */
void disp_raise(WsCtx *ctx);
/* The same for e, which is taken. */
void disp_raise_exc(ExcObj *e);
void disp_init_exceptions(void);

/* --- arrays (matmul.c) ------------------------------------------------------------------------ */

/* The RtMatmul of runtime/runtime.h. */
struct RtArray;
int disp_matmul(int kind, const struct RtArray *a, const struct RtArray *b, void *out);

/* The RtSort of runtime/runtime.h (sort.c). */
int disp_sort(void *data, int64_t n, int64_t width, int64_t form);

/* --- threads (context.c) ---------------------------------------------------------------------- */

/* What a thread that calls compiled code has. Freed when the thread ends. */
typedef struct DispThread DispThread;
struct DispThread {
    WsCtx ctx;
    _Atomic uint32_t running; /* compiled code is on the stack */
    DispThread *next; /* in the list of all */
};

/* This thread's; NULL with MemoryError set. */
DispThread *disp_thread(void);
/* The same without the GIL, and without the exception. */
DispThread *disp_thread_anyway(void);
/* Starts the thread that sets the poll words of running contexts (Ctrl-C), unless it is there. It
 * sleeps when nothing runs for a second; a call then wakes it. Both are cheap to call again. */
void disp_start_timer(void);
void disp_wake_timer(void);
extern _Atomic bool disp_timer_sleeps;

/* --- type objects of Python (type_object.c) --------------------------------------------------- */

PyObject *disp_type_object(Type *t); /* new reference to the one object of this type */
/* The Type behind a type object, or what Python classes and dtypes stand for (int, np.float32,
 * "float64[:]"); NULL with an exception set. */
Type *disp_type_from(PyObject *obj);
/* The Type of one of our own type objects, or NULL without an exception. */
Type *disp_as_type(PyObject *obj);
int disp_init_types(PyObject *module);

/* --- compiled functions (call.c, function.c) -------------------------------------------------- */

int disp_init_function(PyObject *module);
/* The Python function in a compiled-function object (borrowed) and its options; NULL: obj is not
 * one. */
PyObject *disp_unwrap(PyObject *obj, JitOptions *options);

/* The compiler, opened at the first use; NULL with an exception set. */
const CompilerApi *disp_compiler(void);
