/* C functions that run compiled code: what cfunc makes.
 *
 * A callback is a few instructions (code_closure) that jump to enter_callback below with the Callback in a
 * register. That saves the registers that C passes arguments in and calls run_callback, which sorts them into
 * slots, runs the entry as dispatch does, and hands the result back. Callers may be threads that Python does not
 * know, and may hold the GIL or not: so the code runs as if it did not, and takes it where it needs it. */
#include "dispatch/function.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/memory.h"

/* How C passes arguments on this machine. Saved words: integer registers, floating ones, the result. */
#if defined(__x86_64__)
enum { INT_REGS = 6, FLOAT_REGS = 8 };
#else
enum { INT_REGS = 0, FLOAT_REGS = 0 };
#endif
enum { RESULT = INT_REGS + FLOAT_REGS, MAX_ARGS = 32, MAX_SLOTS = 3 * MAX_ARGS };

typedef struct Source {
    bool on_stack;
    uint8_t at; /* word, of the saved registers or of the stack */
    const Type *ty;
} Source;

typedef struct Callback {
    const Entry *entry;
    PyObject *name; /* owned: reported with an exception */
    Source args[MAX_ARGS];
} Callback;

/* --- values ----------------------------------------------------------------------------------- */

/* C leaves the upper bits of a register open. */
static uint64_t widen(const Type *t, uint64_t word) {
    if (t->kind == TY_BOOL) return (word & 0xff) != 0;
    if (t->kind == TY_ARRAY || t->bits >= 64) return word;
    unsigned unused = 64u - t->bits;
    return t->kind == TY_INT && t->is_signed ? (uint64_t)((int64_t)(word << unused) >> unused)
                                             : word << unused >> unused;
}

static uint64_t *put_argument(const Type *t, uint64_t word, uint64_t *at) {
    *at++ = widen(t, word);
    if (t->kind != TY_ARRAY) return at;
    *at++ = 0; /* no owner */
    *at++ = (uint64_t)MEM_MOST_BYTES / t->elem->size; /* its length is not known */
    return at;
}

/* --- a call ----------------------------------------------------------------------------------- */

/* The exception goes where those of destructors go; Ctrl-C to the main thread, once more. */
static void report(const Callback *cb) {
    PyObject *type, *value, *trace;
    DispThread *t = disp_thread_anyway();
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &trace); /* of whoever called C */
    if (t)
        disp_raise(&t->ctx);
    else
        PyErr_NoMemory();
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt();
    } else {
        PyErr_WriteUnraisable(cb->name);
    }
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
}

__attribute__((used)) static void run_callback(const Callback *cb, uint64_t *saved,
                                               const uint64_t *stack) {
    uint64_t slots[MAX_SLOTS], *at = slots;
    const Unit *u = cb->entry->unit;
    for (uint32_t i = 0; i < u->nargs; i++) {
        const Source *s = &cb->args[i];
        at = put_argument(s->ty, (s->on_stack ? stack : saved)[s->at], at);
    }
    int32_t rc = entry_execute(cb->entry, slots);
    if (rc) report(cb);
    saved[RESULT] = rc || u->ret->kind == TY_NONE ? 0 : widen(u->ret, slots[0]);
}

#if defined(__x86_64__)
void ws_enter_callback(void);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden ws_enter_callback\n"
        ".globl ws_enter_callback\n"
        ".type ws_enter_callback, @function\n"
        "ws_enter_callback:\n"
        "    .cfi_startproc\n"
        "    endbr64\n" /* code_closure jumps here through a register */
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    sub $128, %rsp\n"
        "    mov %rdi, (%rsp)\n"
        "    mov %rsi, 8(%rsp)\n"
        "    mov %rdx, 16(%rsp)\n"
        "    mov %rcx, 24(%rsp)\n"
        "    mov %r8, 32(%rsp)\n"
        "    mov %r9, 40(%rsp)\n"
        "    movsd %xmm0, 48(%rsp)\n"
        "    movsd %xmm1, 56(%rsp)\n"
        "    movsd %xmm2, 64(%rsp)\n"
        "    movsd %xmm3, 72(%rsp)\n"
        "    movsd %xmm4, 80(%rsp)\n"
        "    movsd %xmm5, 88(%rsp)\n"
        "    movsd %xmm6, 96(%rsp)\n"
        "    movsd %xmm7, 104(%rsp)\n"
        "    mov %r10, %rdi\n"
        "    mov %rsp, %rsi\n"
        "    lea 16(%rbp), %rdx\n"
        "    call run_callback\n"
        "    mov 112(%rsp), %rax\n"
        "    movsd 112(%rsp), %xmm0\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size ws_enter_callback, . - ws_enter_callback\n");
#else
static void ws_enter_callback(void) {}
#endif

/* --- making ----------------------------------------------------------------------------------- */

static bool is_c_number(const Type *t) {
    return t->kind == TY_BOOL || t->kind == TY_INT ||
           (t->kind == TY_FLOAT && (t->bits == 32 || t->bits == 64));
}

static bool is_pointer(const Type *t) {
    return t->kind == TY_ARRAY && t->ndim == 1 && t->layout == 'C';
}

static const char *check(const Unit *u) {
    if (!INT_REGS) return "C callbacks are not built for this processor yet";
    if (u->nargs > MAX_ARGS) return "a C callback has at most 32 arguments";
    if (u->nslots > MAX_SLOTS || (u->ret->kind != TY_NONE && !is_c_number(u->ret)))
        return "a C callback gives back a number or nothing";
    for (uint32_t i = 0; i < u->nargs; i++) {
        if (!is_c_number(u->args[i]) && !is_pointer(u->args[i]))
            return "a C callback takes numbers and pointers (types.CPointer)";
        if (is_pointer(u->args[i]) && (u->escapes >> i & 1))
            return "a C callback may not keep what its pointers point at";
    }
    return NULL;
}

static void find_sources(Callback *cb) {
    const Unit *u = cb->entry->unit;
    uint8_t ints = 0, floats = 0, stack = 0;
    for (uint32_t i = 0; i < u->nargs; i++) {
        Source *s = &cb->args[i];
        bool is_float = u->args[i]->kind == TY_FLOAT;
        s->ty = u->args[i];
        s->on_stack = is_float ? floats == FLOAT_REGS : ints == INT_REGS;
        s->at = s->on_stack ? stack++ : is_float ? (uint8_t)(INT_REGS + floats++) : ints++;
    }
}

void *callback_new(const Entry *e, PyObject *name) {
    const char *problem = check(e->unit);
    if (problem) return PyErr_SetString(PyExc_TypeError, problem), NULL;
    Callback *cb = mem_alloc(sizeof *cb);
    void *address = cb ? code_closure((const void *)(uintptr_t)ws_enter_callback, cb) : NULL;
    if (!address) {
        mem_free(cb);
        return PyErr_NoMemory();
    }
    *cb = (Callback){.entry = e, .name = Py_NewRef(name)};
    find_sources(cb);
    return address;
}
