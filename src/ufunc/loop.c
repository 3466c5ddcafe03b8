/* From NumPy's pointers and steps to compiled code.
 *
 * NumPy may hold the GIL or not while it runs a loop, so nothing here relies on it. An exception ends
 * the call's other loops and is raised when NumPy returns (ufunc_call_numpy); where somebody else
 * called NumPy, it is set at once.
 *
 * Elementwise code takes contiguous rows, so that one compile is enough and all of it vectorizes:
 * other rows go through a buffer, a chunk at a time. */
#include "ufunc/ufunc.h"

#include <string.h>

#include "base/mem.h"
#include "py/abi.h"
#include "runtime/pool.h"
#include "runtime/runtime.h"

enum { CHUNK = 1024, MAX_SLOTS = 3 * UFUNC_MAX_ARGS };

/* --- failures --------------------------------------------------------------------------------- */

/* A call of NumPy by us on this thread, or of one loop, where somebody else called NumPy. */
typedef struct Running {
    struct Running *outer;
    ExcObj *exc; /* what a loop ended with; owned, or NULL */
} Running;

static _Thread_local Running *running;

static bool has_failed(void) { return running->exc != NULL; }

/* Takes it. */
static void fail(ExcObj *exc) {
    if (has_failed())
        exc_release(exc);
    else
        running->exc = exc;
}

/* What NumPy returned, or what a loop ended with instead. */
static PyObject *settle(Running *r, PyObject *result) {
    running = r->outer;
    if (!r->exc) return result;
    Py_XDECREF(result);
    PyErr_Clear();
    disp_raise_exc(r->exc);
    return NULL;
}

/* Nobody called NumPy for us: if the loop fails, Python's exception is set at once. */
static void begin_alone(Running *r) {
    if (!running) running = r;
}

static void end_alone(Running *r) {
    if (running != r) return;
    running = NULL;
    if (!r->exc) return;
    PyGILState_STATE gil = PyGILState_Ensure();
    if (PyErr_Occurred())
        exc_release(r->exc);
    else
        disp_raise_exc(r->exc);
    PyGILState_Release(gil);
}

PyObject *ufunc_call_numpy(PyObject *callable, PyObject *const *args, size_t n, PyObject *kwnames) {
    Running r = {.outer = running};
    running = &r;
    return settle(&r, PyObject_Vectorcall(callable, args, n, kwnames));
}

PyObject *ufunc_call_numpy_with(PyObject *callable, PyObject *args, PyObject *kwargs) {
    Running r = {.outer = running};
    running = &r;
    return settle(&r, PyObject_Call(callable, args, kwargs));
}

/* --- code ------------------------------------------------------------------------------------- */

/* The compiled code; NULL: there is none, and the failure is told. */
static const Entry *code_entry(UfuncCode *code) {
    const Entry *e = atomic_load_explicit(&code->entry, memory_order_acquire);
    if (e) return e;
    PyGILState_STATE gil = PyGILState_Ensure();
    e = PyErr_Occurred() ? NULL : function_entry(code->function, code->types, code->nparams, NULL);
    if (e)
        atomic_store_explicit(&code->entry, e, memory_order_release);
    else
        fail(rt_take_python(NULL));
    PyGILState_Release(gil);
    return e;
}

void ufunc_refresh(UfuncLoop *loop) {
    for (int i = 0; i < 2; i++) {
        const Entry *e = atomic_load_explicit(&loop->code[i].entry, memory_order_relaxed);
        if (e && e->nguards && !guards_hold(e))
            atomic_store_explicit(&loop->code[i].entry, NULL, memory_order_relaxed);
    }
}

/* What the code that has just run ended with. */
static void take_failure(void) {
    DispThread *t = disp_thread_anyway();
    fail(t ? t->ctx.exc : exc_no_memory());
    if (t) t->ctx.exc = NULL;
}

/* Runs it unless a loop has failed already. */
static void execute(UfuncCode *code, uint64_t *slots) {
    const Entry *e = has_failed() ? NULL : code_entry(code);
    if (e && entry_execute(e, slots)) take_failure();
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint32_t count_args(const UfuncLoop *l) { return l->nin + l->nout; }

/* The slots of a contiguous one-dimensional array; where the next go. */
static uint64_t *put_row(uint64_t *slots, const char *data, Py_ssize_t n) {
    slots[0] = (uint64_t)(uintptr_t)data;
    slots[1] = 0;
    slots[2] = (uint64_t)n;
    return slots + 3;
}

static void run_row(UfuncLoop *l, char **args, Py_ssize_t n) {
    uint64_t slots[MAX_SLOTS], *at = slots;
    for (uint32_t k = 0; k < count_args(l); k++) at = put_row(at, args[k], n);
    execute(&l->code[CODE_ROW], slots);
}

#define COPY_AS(type) \
    for (Py_ssize_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, sizeof(type))

static void copy(char *to, Py_ssize_t to_step, const char *from, Py_ssize_t from_step, Py_ssize_t n,
                 size_t size) {
    switch (size) {
    case 1: COPY_AS(char); return;
    case 2: COPY_AS(int16_t); return;
    case 4: COPY_AS(int32_t); return;
    case 8: COPY_AS(int64_t); return;
    default: COPY_AS(int64_t[2]); return;
    }
}

/* What lies strided goes through a buffer. */
typedef struct Chunks {
    UfuncLoop *l;
    char *direct[UFUNC_MAX_ARGS]; /* where the next chunk begins */
    char *buffer[UFUNC_MAX_ARGS]; /* NULL: contiguous */
    bool is_filled; /* the buffers of what is the same for all elements */
    const Py_ssize_t *steps;
} Chunks;

static size_t size_of(const Chunks *c, uint32_t k) { return c->l->elem[k]->size; }

static void run_chunk(Chunks *c, Py_ssize_t n) {
    char *args[UFUNC_MAX_ARGS];
    for (uint32_t k = 0; k < count_args(c->l); k++) {
        args[k] = c->buffer[k] ? c->buffer[k] : c->direct[k];
        if (c->buffer[k] && k < c->l->nin && (c->steps[k] || !c->is_filled))
            copy(args[k], (Py_ssize_t)size_of(c, k), c->direct[k], c->steps[k], n, size_of(c, k));
    }
    c->is_filled = true;
    run_row(c->l, args, n);
    if (has_failed()) return;
    for (uint32_t k = 0; k < count_args(c->l); k++) {
        if (c->buffer[k] && k >= c->l->nin)
            copy(c->direct[k], c->steps[k], args[k], (Py_ssize_t)size_of(c, k), n, size_of(c, k));
        c->direct[k] += n * c->steps[k];
    }
}

/* Does what is written reach what a later element reads? Then only one at a time is right, as in
 * np.add.accumulate. */
static bool is_carried(const UfuncLoop *l, char **args, const Py_ssize_t *steps, Py_ssize_t n) {
    for (uint32_t k = l->nin; k < count_args(l); k++)
        for (uint32_t i = 0; i < l->nin; i++) {
            const char *out = args[k], *out_end = out + (n - 1) * steps[k];
            const char *in = args[i], *in_end = in + (n - 1) * steps[i];
            if (out == in && steps[k] == steps[i] && steps[k]) continue;
            const char *low = out < out_end ? out : out_end, *high = out < out_end ? out_end : out;
            if ((in < in_end ? in : in_end) < high + l->elem[k]->size &&
                low < (in < in_end ? in_end : in) + l->elem[i]->size)
                return true;
        }
    return false;
}

static void run_chunks(UfuncLoop *l, char **args, Py_ssize_t n, const Py_ssize_t *steps) {
    Chunks c = {.l = l, .steps = steps};
    uint32_t nbuffers = 0;
    for (uint32_t k = 0; k < count_args(l); k++) nbuffers += steps[k] != l->elem[k]->size;
    char *memory = mem_alloc((size_t)nbuffers * CHUNK * 16), *next = memory;
    Py_ssize_t most = memory && !is_carried(l, args, steps, n) ? CHUNK : 1;
    char one[UFUNC_MAX_ARGS][16]; /* there is always memory for one element */
    for (uint32_t k = 0; k < count_args(l); k++) {
        c.direct[k] = args[k];
        if (steps[k] == l->elem[k]->size) continue;
        c.buffer[k] = memory ? next : one[k];
        next += memory ? CHUNK * 16 : 0;
    }
    for (Py_ssize_t done = 0; done < n && !has_failed(); done += most)
        run_chunk(&c, n - done < most ? n - done : most);
    mem_free(memory);
}

static bool is_contiguous(const UfuncLoop *l, const Py_ssize_t *steps) {
    for (uint32_t k = 0; k < count_args(l); k++)
        if (steps[k] != l->elem[k]->size) return false;
    return true;
}

/* How NumPy reduces: the first argument and the result are one place. */
static bool is_fold(const UfuncLoop *l, char **args, const Py_ssize_t *steps) {
    return l->code[CODE_FOLD].function && args[0] == args[2] && !steps[0] && !steps[2];
}

static void run_fold(UfuncLoop *l, char **args, Py_ssize_t n, const Py_ssize_t *steps) {
    uint64_t slots[8], *at = put_row(slots, args[0], 1);
    at = put_row(at, args[1], n);
    *at = (uint64_t)steps[1];
    execute(&l->code[CODE_FOLD], slots);
}

void ufunc_run_rows(char **args, const Py_ssize_t *dims, const Py_ssize_t *steps, void *data) {
    UfuncLoop *l = data;
    Running alone = {NULL};
    if (dims[0] <= 0) return;
    begin_alone(&alone);
    if (is_fold(l, args, steps))
        run_fold(l, args, dims[0], steps);
    else if (dims[0] == 1 || is_contiguous(l, steps))
        run_row(l, args, dims[0]);
    else
        run_chunks(l, args, dims[0], steps);
    end_alone(&alone);
}

/* --- generalized ------------------------------------------------------------------------------ */

/* One call of NumPy's loop: the sizes of the core dimensions, and the steps along them. */
typedef struct Cores {
    const UfuncLoop *l;
    UfuncCode *code;
    const Py_ssize_t *sizes, *steps;
} Cores;

static Py_ssize_t core_size(const Cores *c, uint32_t k, int axis) {
    return c->sizes[c->l->core[k].dims[axis]];
}

/* Do the argument's elements lie one after the other, the last dimension fastest? */
static bool is_core_contiguous(const Cores *c, uint32_t k, const Py_ssize_t *steps) {
    Py_ssize_t want = c->l->elem[k]->size;
    for (int axis = c->l->core[k].ndim; axis-- > 0;) {
        Py_ssize_t size = core_size(c, k, axis);
        if (size != 1 && steps[axis] != want) return false;
        want *= size;
    }
    return true;
}

static bool are_cores_contiguous(const Cores *c) {
    const Py_ssize_t *steps = c->steps;
    for (uint32_t k = 0; k < count_args(c->l); steps += c->l->core[k++].ndim)
        if (!is_core_contiguous(c, k, steps)) return false;
    return true;
}

/* The slots of argument k, whose data is here: a number, or an array, which for an argument without
 * core dimensions has one element. */
static uint64_t *put_core(const Cores *c, uint32_t k, const Py_ssize_t *steps, const char *data,
                          uint64_t *at) {
    const Type *t = c->code->types[k];
    if (t->kind != TY_ARRAY) {
        disp_load(t, data, at);
        return at + t->nparts;
    }
    int ndim = c->l->core[k].ndim;
    *at++ = (uint64_t)(uintptr_t)data;
    *at++ = 0;
    for (int axis = 0; axis < ndim; axis++) *at++ = (uint64_t)core_size(c, k, axis);
    if (!ndim) *at++ = 1;
    if (t->layout != 'A') return at;
    for (int axis = 0; axis < ndim; axis++) *at++ = (uint64_t)steps[axis];
    if (!ndim) *at++ = c->l->elem[k]->size;
    return at;
}

/* The slots of all arguments, whose data are there. */
static void put_cores(const Cores *c, char **args, uint64_t *slots) {
    const Py_ssize_t *steps = c->steps;
    for (uint32_t k = 0; k < count_args(c->l); steps += c->l->core[k++].ndim)
        slots = put_core(c, k, steps, args[k], slots);
}

enum { FEW = 128 };

/* One call of NumPy's loop as a loop on several threads; compiled code sees it as the slots of a region. */
typedef struct CoresOnThreads {
    RegionHead head;
    const Cores *cores;
    const Entry *entry;
    char **args;
    const Py_ssize_t *steps;
} CoresOnThreads;

/* A RegionBody. */
static int32_t run_part(WsCtx *ctx, const RegionHead *head, int64_t lo, int64_t hi, char *partial) {
    const CoresOnThreads *p = (const void *)head; /* its first field */
    uint32_t n = count_args(p->cores->l);
    uint64_t slots[FEW];
    char *at[UFUNC_MAX_ARGS];
    (void)partial;
    for (uint32_t k = 0; k < n; k++) at[k] = p->args[k] + lo * p->steps[k];
    for (int64_t i = lo; i < hi; i++) {
        put_cores(p->cores, at, slots);
        if (p->entry->entry(ctx, slots)) return 1;
        for (uint32_t k = 0; k < n; k++) at[k] += p->steps[k];
    }
    return 0;
}

/* Simple instructions, roughly: some for each number of all arguments. */
static double cost_of(const Cores *c) {
    enum { CALL = 50, EACH = 8 };
    double sum = CALL;
    for (uint32_t k = 0; k < count_args(c->l); k++) {
        double size = 1;
        for (int axis = 0; axis < c->l->core[k].ndim; axis++) size *= (double)core_size(c, k, axis);
        sum += EACH * size;
    }
    return sum;
}

/* Is each output somewhere else for each of them? NumPy has seen to it that inputs are apart from outputs. */
static bool are_outputs_apart(const UfuncLoop *l, const Py_ssize_t *steps) {
    for (uint32_t k = l->nin; k < count_args(l); k++)
        if (!steps[k]) return false;
    return l->nout != 0;
}

/* False: they have to run one after the other. */
static bool run_on_threads(const Cores *c, char **args, Py_ssize_t n, const Py_ssize_t *steps,
                           uint32_t nslots) {
    if (!c->code->function->options.parallel || nslots > FEW || !are_outputs_apart(c->l, steps))
        return false;
    const Entry *e = has_failed() ? NULL : code_entry(c->code);
    if (!e || e->nglobals) return false;
    CoresOnThreads p = {.head = {.n = n, .apart = 1, .cost = cost_of(c) * (double)n},
                        .cores = c,
                        .entry = e,
                        .args = args,
                        .steps = steps};
    RegionBody *body = run_part;
    void *code;
    memcpy(&code, &body, sizeof code);
    if (entry_execute_region(e, code, &p.head)) take_failure();
    return true;
}

static void run_in_order(const Cores *c, char **args, Py_ssize_t n, const Py_ssize_t *steps,
                         uint32_t nslots) {
    uint32_t nargs = count_args(c->l);
    uint64_t few[FEW], *slots = nslots > FEW ? mem_alloc(nslots * sizeof *slots) : few;
    char *at[UFUNC_MAX_ARGS];
    memcpy(at, args, nargs * sizeof *at);
    for (Py_ssize_t i = 0; i < n && slots && !has_failed(); i++) {
        put_cores(c, at, slots);
        execute(c->code, slots);
        for (uint32_t k = 0; k < nargs; k++) at[k] += steps[k];
    }
    if (!slots) fail(exc_no_memory());
    if (slots != few) mem_free(slots);
}

void ufunc_run_cores(char **args, const Py_ssize_t *dims, const Py_ssize_t *steps, void *data) {
    UfuncLoop *l = data;
    uint32_t nargs = count_args(l), nslots = 0;
    Cores c = {.l = l, .sizes = dims + 1, .steps = steps + nargs};
    Running alone = {NULL};
    begin_alone(&alone);
    c.code = &l->code[are_cores_contiguous(&c) ? CODE_CONTIGUOUS : CODE_STRIDED];
    for (uint32_t k = 0; k < nargs; k++) nslots += c.code->types[k]->nparts;
    if (!run_on_threads(&c, args, dims[0], steps, nslots))
        run_in_order(&c, args, dims[0], steps, nslots);
    end_alone(&alone);
}

/* --- making ----------------------------------------------------------------------------------- */

/* code from (compiled function or None, tuple of types); 0, or -1 with an exception set. */
static int fill_code(UfuncCode *code, PyObject *pair) {
    PyObject *function, *types;
    if (!PyArg_ParseTuple(pair, "OO!", &function, &PyTuple_Type, &types)) return -1;
    if (function == Py_None) return 0;
    code->nparams = (uint32_t)PyTuple_Size(types);
    code->types = mem_alloc((code->nparams + 1) * sizeof(Type *));
    if (!code->types) return PyErr_NoMemory(), -1;
    for (uint32_t i = 0; i < code->nparams; i++)
        if (!(code->types[i] = disp_type_from(PyTuple_GetItem(types, i)))) return -1;
    code->function = (Dispatcher *)Py_NewRef(function);
    return 0;
}

void ufunc_free_loop(UfuncLoop *l) {
    for (int i = 0; i < 2; i++) {
        Py_XDECREF((PyObject *)l->code[i].function);
        mem_free(l->code[i].types);
    }
    mem_free(l->core);
    mem_free(l);
}

UfuncLoop *ufunc_new_loop(PyObject *codes, PyObject *elems, uint32_t nin, UfuncCore *core) {
    uint32_t n = (uint32_t)PyTuple_Size(elems);
    UfuncLoop *l = mem_alloc(sizeof *l + n * sizeof *l->elem);
    if (!l) {
        mem_free(core);
        return (UfuncLoop *)PyErr_NoMemory();
    }
    *l = (UfuncLoop){.nin = nin, .nout = n - nin, .core = core};
    bool good = true;
    for (uint32_t k = 0; good && k < n; k++)
        good = (l->elem[k] = disp_type_from(PyTuple_GetItem(elems, k))) != NULL;
    for (int i = 0; good && i < 2; i++) good = !fill_code(&l->code[i], PyTuple_GetItem(codes, i));
    if (good) return l;
    ufunc_free_loop(l);
    return NULL;
}
