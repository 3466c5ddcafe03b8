/* Everything that asks the operating system for something: one header to rewrite for another
 * system.
 *
 * The inline part serves both shared objects; the functions are _core's. */
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* --- locks, time ------------------------------------------------------------------------------ */

typedef pthread_mutex_t OsMutex;
#define OS_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
static inline void os_lock(OsMutex *m) { pthread_mutex_lock(m); }
static inline void os_unlock(OsMutex *m) { pthread_mutex_unlock(m); }

typedef pthread_cond_t OsCond;
#define OS_COND_INIT PTHREAD_COND_INITIALIZER
static inline void os_wait(OsCond *c, OsMutex *m) { pthread_cond_wait(c, m); }
static inline void os_wake_all(OsCond *c) { pthread_cond_broadcast(c); }
/* Waits that long at most; false: the time is over. */
bool os_wait_for(OsCond *c, OsMutex *m, uint64_t ns);

typedef pthread_once_t OsOnce;
#define OS_ONCE_INIT PTHREAD_ONCE_INIT
/* Runs f if no other call with this `once` did; returns when it has run. */
static inline void os_once(OsOnce *once, void (*f)(void)) { pthread_once(once, f); }

/* Calls `before` before each fork, `after` in parent and child: a lock is taken and given back, so that
 * the child does not find it held by a thread that it does not have. */
static inline void os_at_fork(void (*before)(void), void (*after)(void)) {
    pthread_atfork(before, after, after);
}
/* The same with another function in the child, which has only the thread that forked. */
static inline void os_at_fork_child(void (*before)(void), void (*after)(void),
                                    void (*in_child)(void)) {
    pthread_atfork(before, after, in_child);
}

/* For a wait that is over soon: tells the processor that this thread only looks. */
static inline void os_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Nanoseconds since some moment; never goes back. */
static inline uint64_t os_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Lets others run for a millisecond. */
static inline void os_pause(void) {
    struct timespec t = {0, 1000000};
    nanosleep(&t, NULL);
}

/* --- threads ---------------------------------------------------------------------------------- */

typedef pthread_t OsThread;
/* Starts body(arg) on a stack of `stack` bytes, with all signals blocked (they are the main
 * thread's). 0 or -1. */
int os_start_thread(OsThread *out, void (*body)(void *), void *arg, size_t stack);
void os_join_thread(OsThread t);

typedef struct OsRun {
    void (*body)(void *);
    void *arg;
} OsRun;
static inline void *os_run_body(void *p) {
    OsRun *r = (OsRun *)p;
    r->body(r->arg);
    return NULL;
}
/* Runs body(arg) on a thread of its own with `stack` bytes of stack and waits for it; here, if
 * there can be none. */
static inline void os_run_on_stack(void (*body)(void *), void *arg, size_t stack) {
    OsRun run = {body, arg};
    pthread_attr_t attr;
    pthread_t t;
    sigset_t all, before;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, stack);
    sigfillset(&all); /* signals are for the threads of Python */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&t, &attr, os_run_body, &run);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (rc == 0)
        pthread_join(t, NULL);
    else
        body(arg);
}
/* Is this the thread that the process began with, which signals go to? */
bool os_is_main_thread(void);
/* The lowest address that this thread's stack may grow to, and its size; 0, or -1 if the system
 * won't say. */
int os_stack_bounds(const char **low, size_t *size);

/* --- memory for code -------------------------------------------------------------------------- */

size_t os_page_size(void);
/* New zeroed memory of `size` bytes (whole pages) with two views: one to write, one to execute. 0,
 * or -1 with neither mapped. Where the system refuses two views, and where `single` asks for it,
 * both are the same, writable and executable: only there can a debugger set breakpoints. */
int os_map_code(size_t size, bool single, void **write_view, void **exec_view);
/* Makes bytes just written visible to instruction fetch. */
void os_flush_code(void *exec_view, size_t size);

/* --- libraries -------------------------------------------------------------------------------- */

/* Opens a shared library, its symbols its own; NULL: *why is a text that lives until the next call.
 */
void *os_open_library(const char *path, const char **why);
/* A symbol of a library, or with NULL of the whole process; NULL: not there. */
void *os_find_symbol(void *library, const char *name);

unsigned os_process_id(void);
/* How many processors this process may use. */
unsigned os_processors(void);
