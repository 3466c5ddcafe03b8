/* Per-thread contexts, and the timer that makes compiled loops look for signals. */
#include <Python.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/os.h"
#include "dispatch/disp.h"
#include "runtime/random.h"

enum {
    STACK_RESERVE = 256 * 1024, /* left for what compiled code calls without looking at the limit */
    TICK_MS = 50,
    IDLE_TICKS = 20, /* then the timer sleeps */
};

static __attribute__((tls_model("initial-exec"))) _Thread_local DispThread *current;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list and of the timer's start */
static DispThread *threads;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;

static void free_thread(void *p) {
    DispThread *t = p;
    pthread_mutex_lock(&lock);
    for (DispThread **at = &threads; *at; at = &(*at)->next)
        if (*at == t) {
            *at = t->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    exc_release(t->ctx.exc);
    rt_free_random(&t->ctx);
    mem_free(t);
}

/* --- the timer -------------------------------------------------------------------------------- */

_Atomic bool disp_timer_sleeps;
static bool timer_is_there;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

/* Makes all running contexts look for signals (runtime/poll.c); false if none runs. Lock held. */
static bool tick(void) {
    bool any = false;
    for (DispThread *t = threads; t; t = t->next)
        if (atomic_load_explicit(&t->running, memory_order_relaxed)) {
            atomic_store_explicit(&t->ctx.poll, 1, memory_order_relaxed);
            atomic_store_explicit(&t->ctx.stack_limit, (const char *)UINTPTR_MAX,
                                  memory_order_relaxed);
            any = true;
        }
    return any;
}

static void *run_timer(void *arg) {
    int idle = 0;
    pthread_mutex_lock(&lock);
    for (;;) {
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = TICK_MS * 1000000L}, NULL);
        pthread_mutex_lock(&lock);
        idle = tick() ? 0 : idle + 1;
        if (idle < IDLE_TICKS) continue;
        disp_timer_sleeps = true;
        while (disp_timer_sleeps) pthread_cond_wait(&wake, &lock);
        idle = 0;
    }
    return arg;
}

void disp_wake_timer(void) {
    pthread_mutex_lock(&lock);
    disp_timer_sleeps = false;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

void disp_start_timer(void) {
    pthread_t timer;
    pthread_attr_t attr;
    pthread_mutex_lock(&lock);
    if (!timer_is_there && pthread_attr_init(&attr) == 0) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attr, 64 * 1024);
        sigset_t all, old; /* signals are for the threads that Python knows */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        timer_is_there = pthread_create(&timer, &attr, run_timer, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        pthread_attr_destroy(&attr);
    }
    pthread_mutex_unlock(&lock);
}

/* --- fork: the child has neither the timer nor the other threads ------------------------------ */

static void before_fork(void) {
    code_lock();
    ty_before_fork();
    pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&lock);
    ty_after_fork();
    code_unlock();
}

static void in_child(void) {
    ty_after_fork();
    code_unlock();
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&wake, NULL);
    threads = current;
    if (current) current->next = NULL;
    if (current) current->ctx.is_main = true;
    bool was_there = timer_is_there;
    timer_is_there = false;
    disp_timer_sleeps = false;
    if (was_there) disp_start_timer();
}

static void set_up(void) {
    pthread_key_create(&at_exit, free_thread);
    pthread_atfork(before_fork, after_fork, in_child);
}

/* --- contexts --------------------------------------------------------------------------------- */

/* The lowest address that a frame of compiled code may have. */
static const char *find_stack_limit(void) {
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_destroy(&attr);
    }
    if (!size || size > (size_t)1 << 30) { /* not known, or unlimited: what is usual, from here */
        size = 8 << 20;
        low = (char *)__builtin_frame_address(0) - size;
    }
    return (char *)low + (size / 4 < STACK_RESERVE ? size / 4 : STACK_RESERVE);
}

static DispThread *new_thread(void) {
    DispThread *t = mem_alloc(sizeof *t);
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    t->ctx.stack_end = find_stack_limit();
    atomic_store_explicit(&t->ctx.stack_limit, t->ctx.stack_end, memory_order_relaxed);
    t->ctx.is_main = os_is_main_thread();
    pthread_once(&once, set_up);
    pthread_setspecific(at_exit, t);
    pthread_mutex_lock(&lock);
    t->next = threads;
    threads = t;
    pthread_mutex_unlock(&lock);
    return current = t;
}

DispThread *disp_thread_anyway(void) {
    return __builtin_expect(current != NULL, 1) ? current : new_thread();
}

DispThread *disp_thread(void) {
    DispThread *t = disp_thread_anyway();
    if (__builtin_expect(!t, 0)) PyErr_NoMemory();
    return t;
}
