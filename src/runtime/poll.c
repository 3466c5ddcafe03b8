/* Signals: what compiled code does when a timer has asked it to look.
 *
 * The timer (dispatch/context.c) sets two words of each running context every 50 ms: `poll`, which
 * loops look at, and `stack_limit`, so that the test of the stack at the entry of recursive functions
 * fails. Both lead here. Python's handlers run on the main thread, with the GIL; so a thread that
 * holds it lets others have it for a moment, which may be the main one with a signal to handle.
 *
 * Ctrl-C reaches the main thread alone. If that is then waiting for others, they stop too: whether it
 * does, whipsnake/_interrupt.py knows. Threads without the GIL do not ask every time, since getting
 * it takes a while where others are busy. */
#include <Python.h>

#include "core/exceptions.h"
#include "core/os.h"
#include "runtime/pool.h"
#include "runtime/runtime.h"

enum {
#define CHECK(name, cls, text) CHECK_##name,
#include "ir/checks.def"
#undef CHECK
};
enum { LOOK_NS = 100 * 1000 * 1000 };

static _Atomic uint64_t looked; /* when a thread other than the main one did last */
static _Atomic uint64_t stopped; /* when one was stopped last */

static _Atomic bool
    ending; /* the interpreter is about to end: only the main thread may take the GIL */

void rt_end_polling(void) { atomic_store(&ending, true); }

static bool is_recent(uint64_t then, uint64_t now) { return now - then < LOOK_NS; }

/* Threads without the GIL: the main one asks every now and then; of the others one does, for all,
 * unless there was something to see. */
static bool is_time_to_look(WsCtx *ctx) {
    uint64_t now = os_now_ns();
    if (ctx->is_main) {
        if (is_recent(ctx->looked, now)) return false;
        ctx->looked = now;
        return true;
    }
    uint64_t last = atomic_load_explicit(&looked, memory_order_relaxed);
    if (is_recent(atomic_load_explicit(&stopped, memory_order_relaxed), now)) return true;
    return !is_recent(last, now) && atomic_compare_exchange_strong(&looked, &last, now);
}

/* 1: the main thread was interrupted and waits. What goes wrong in asking (the interpreter may be
 * about to end) is no reason to stop. */
static int main_was_interrupted(void) {
    PyObject *m = PyImport_ImportModule("whipsnake._interrupt");
    PyObject *answer = m ? PyObject_CallMethod(m, "main_was_interrupted", NULL) : NULL;
    int yes = answer == Py_True;
    if (!answer) PyErr_Clear();
    Py_XDECREF(answer);
    Py_XDECREF(m);
    return yes;
}

/* GIL held. 0, or -1 with an exception set. */
static int look(const WsCtx *ctx) {
    if (!ctx->nogil) PyEval_RestoreThread(PyEval_SaveThread());
    if (PyErr_CheckSignals()) return -1;
    if (ctx->is_main || !main_was_interrupted()) return 0;
    atomic_store_explicit(&stopped, os_now_ns(), memory_order_relaxed);
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return -1;
}

/* An exception that nobody sees ends what is not needed any more: a chunk of a parallel loop, a kernel. */
static Status leave_chunk(WsCtx *ctx, int32_t site) {
    rt_raise(ctx, site, EXC_KeyboardInterrupt, "%s", "");
    return 1;
}

static Status poll(WsCtx *ctx, int32_t site) {
    if (!atomic_load_explicit(&ctx->poll, memory_order_relaxed)) return 0;
    atomic_store_explicit(&ctx->poll, 0, memory_order_relaxed);
    if (ctx->stop && atomic_load_explicit(ctx->stop, memory_order_relaxed))
        return leave_chunk(ctx, site);
    if (ctx->chunk && pool_stops(ctx->chunk)) return leave_chunk(ctx, site);
    if (ctx->chunk && ctx->chunk->by_worker) return 0;
    if (!ctx->is_main && atomic_load_explicit(&ending, memory_order_relaxed)) return 0;
    if (ctx->nogil && !is_time_to_look(ctx)) return 0;
    PyGILState_STATE gil = PyGILState_Ensure();
    int rc = look(ctx);
    if (rc) rt_raise_python(ctx, site);
    if (rc && ctx->chunk) ctx->chunk->interrupted = true;
    PyGILState_Release(gil);
    return rc ? 1 : 0;
}

typedef struct Poll {
    WsCtx *ctx;
    int32_t site;
    Status rc;
} Poll;

static void poll_there(void *arg) {
    Poll *p = arg;
    p->rc = poll(p->ctx, p->site);
}

Status ws_poll(WsCtx *ctx, int32_t site) {
    Poll p = {ctx, site, 0};
    if (!ctx->thread) return poll(ctx, site);
    simt_on_big_stack(ctx, poll_there, &p);
    return p.rc;
}

Status ws_check_stack(WsCtx *ctx, int32_t site) {
    atomic_store_explicit(&ctx->stack_limit, ctx->stack_end, memory_order_relaxed);
    if ((uintptr_t)__builtin_frame_address(0) < (uintptr_t)ctx->stack_end) {
        ws_raise_check(ctx, site, CHECK_RECURSION, 0, 0);
        return 1;
    }
    atomic_store_explicit(&ctx->poll, 1, memory_order_relaxed);
    return ws_poll(ctx, site);
}

Status ws_poll_quiet(WsCtx *ctx, int32_t site) { return ws_poll(ctx, site); }
Status ws_check_stack_quiet(WsCtx *ctx, int32_t site) { return ws_check_stack(ctx, site); }
