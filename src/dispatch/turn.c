/* Turns: while one thread compiles a function, others that need it wait for what comes of it, instead of
 * compiling the same once more. */
#include "core/os.h"
#include "dispatch/function.h"

/* A thread that compiles does not wait for others, which could be waiting for it: overloads are Python and
 * may call anything. */
static __attribute__((tls_model("initial-exec"))) _Thread_local bool compiles;

/* In a child of fork, the thread that had the turn is not there. */
static bool is_taken(const Dispatcher *d) { return d->turn && d->turn == os_process_id(); }

int turn_take(Dispatcher *d) {
    if (compiles) return 0;
    while (is_taken(d)) {
        Py_BEGIN_ALLOW_THREADS;
        os_pause();
        Py_END_ALLOW_THREADS;
        if (PyErr_CheckSignals()) return -1;
    }
    d->turn = os_process_id();
    compiles = true;
    return 1;
}

void turn_give(Dispatcher *d, int taken) {
    if (!taken) return;
    d->turn = 0;
    compiles = false;
}
