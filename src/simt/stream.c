#include "simt/stream.h"

#include <string.h>

#include "base/mem.h"
#include "core/os.h"

enum {
    LOOKS = 2000, /* for work, before a worker sleeps: some 20 us */
    WORKER_STACK = 8 << 20
};

struct SimtStream {
    SimtOp *first, *last;
    uint64_t queued, done; /* numbers */
    _Atomic uint64_t pending; /* queued - done, to be looked at without the lock */
    uint64_t left_out; /* operations up to this one are not run */
    _Atomic uint32_t stop; /* the one that runs is to end */
    bool busy; /* a thread runs its first operation */
    bool has_worker, is_default, alone, unused;
    uint32_t waiting; /* the worker sleeps */
    OsCond work;
    ExcObj *exc;
    SimtStream *next; /* of all */
};

static OsMutex lock = OS_MUTEX_INIT;
static OsCond progress = OS_COND_INIT;
static uint32_t watchers; /* threads that wait for progress */
static SimtStream *streams; /* all; the default one last */
static SimtOp *_Atomic finished;
static OsOnce once = OS_ONCE_INIT;

/* --- fork: the child has no workers, and what they ran will not end there -------------------- */

static void before_fork(void) { os_lock(&lock); }
static void after_fork(void) { os_unlock(&lock); }

static void in_child(void) {
    lock = (OsMutex)OS_MUTEX_INIT;
    progress = (OsCond)OS_COND_INIT;
    watchers = 0;
    for (SimtStream *s = streams; s; s = s->next) {
        s->work = (OsCond)OS_COND_INIT;
        s->busy = s->has_worker = false;
        s->first = s->last = NULL;
        s->done = s->queued;
        s->waiting = 0;
        atomic_store(&s->pending, 0);
    }
}

static void set_up(void) { os_at_fork_child(before_fork, after_fork, in_child); }

/* --- streams ---------------------------------------------------------------------------------- */

/* One that was given back: its numbers go on, so that those who still wait for it do not wait for the new one. */
static SimtStream *find_unused(bool is_default, bool alone) {
    for (SimtStream *s = streams; s; s = s->next)
        if (s->unused && s->is_default == is_default && s->alone == alone) return s;
    return NULL;
}

SimtStream *simt_stream_new(bool is_default, bool alone) {
    os_once(&once, set_up);
    os_lock(&lock);
    SimtStream *s = find_unused(is_default, alone);
    if (s) s->unused = false;
    os_unlock(&lock);
    if (s || !(s = mem_alloc(sizeof *s))) return s;
    memset(s, 0, sizeof *s);
    s->work = (OsCond)OS_COND_INIT;
    s->is_default = is_default;
    s->alone = alone;
    os_lock(&lock);
    s->next = streams;
    streams = s;
    os_unlock(&lock);
    return s;
}

void simt_stream_free(SimtStream *s) {
    os_lock(&lock);
    ExcObj *exc = s->exc;
    s->exc = NULL;
    s->unused = true;
    os_unlock(&lock);
    exc_release(exc);
}

uint64_t simt_stream_last(SimtStream *s) {
    os_lock(&lock);
    uint64_t n = s->queued;
    os_unlock(&lock);
    return n;
}

bool simt_stream_has_done(SimtStream *s, uint64_t number) {
    os_lock(&lock);
    bool yes = s->done >= number;
    os_unlock(&lock);
    return yes;
}

ExcObj *simt_stream_take_exc(SimtStream *s) {
    os_lock(&lock);
    ExcObj *e = s->exc;
    s->exc = NULL;
    os_unlock(&lock);
    return e;
}

uint32_t simt_streams(SimtStream **out, uint32_t room) {
    uint32_t n = 0;
    os_lock(&lock);
    for (SimtStream *s = streams; s; s = s->next, n++)
        if (n < room) out[n] = s;
    os_unlock(&lock);
    return n;
}

/* --- running operations ----------------------------------------------------------------------- */

static void finish(SimtOp *op) {
    SimtOp *first = atomic_load(&finished);
    do op->next = first;
    while (!atomic_compare_exchange_weak(&finished, &first, op));
}

bool simt_has_finished(void) { return atomic_load_explicit(&finished, memory_order_relaxed); }
SimtOp *simt_take_finished(void) { return atomic_exchange(&finished, NULL); }

static void note_done(SimtStream *s, uint64_t number) {
    s->busy = false;
    s->done = number;
    atomic_store_explicit(&s->stop, 0, memory_order_relaxed);
    atomic_store_explicit(&s->pending, s->queued - s->done, memory_order_relaxed);
    if (watchers) os_wake_all(&progress);
    if (s->first && s->waiting) os_wake_all(&s->work);
}

static bool is_left_out(const SimtStream *s, uint64_t number) {
    os_lock(&lock);
    bool yes = number <= s->left_out;
    os_unlock(&lock);
    return yes;
}

/* Lock held, the stream not busy, its queue not empty. */
static void run_first(SimtStream *s) {
    SimtOp *op = s->first;
    s->first = op->next;
    if (!s->first) s->last = NULL;
    s->busy = true;
    os_unlock(&lock);
    if (op->after) simt_stream_wait(op->after, op->after_number, UINT64_MAX);
    uint64_t number = op->number;
    ExcObj *exc = op->run && !is_left_out(s, number) ? op->run(op) : NULL;
    finish(op);
    os_lock(&lock);
    if (exc && !s->exc && !atomic_load_explicit(&s->stop, memory_order_relaxed))
        s->exc = exc;
    else
        exc_release(exc);
    note_done(s, number);
}

void simt_stream_leave_out(SimtStream *s) {
    os_lock(&lock);
    s->left_out = s->queued;
    os_unlock(&lock);
}

void simt_stream_stop(SimtStream *s) {
    os_lock(&lock);
    s->left_out = s->queued;
    if (s->busy) atomic_store_explicit(&s->stop, 1, memory_order_relaxed);
    os_unlock(&lock);
}

const _Atomic uint32_t *simt_stream_stop_word(const SimtStream *s) { return &s->stop; }

bool simt_stream_begin(SimtStream *s) {
    os_lock(&lock);
    bool free = !s->busy && !s->first;
    for (const SimtStream *o = streams; free && o && !s->alone; o = o->next)
        if (o != s && (s->is_default ? !o->alone : o->is_default)) free = o->queued == o->done;
    if (free) s->busy = true;
    os_unlock(&lock);
    return free;
}

void simt_stream_end(SimtStream *s) {
    os_lock(&lock);
    note_done(s, s->done);
    os_unlock(&lock);
}

bool simt_stream_wait(SimtStream *s, uint64_t number, uint64_t ns) {
    bool done = true;
    os_lock(&lock);
    while (s->done < number) {
        if (!s->busy && s->first) {
            run_first(s);
            continue;
        }
        watchers++;
        done = ns == UINT64_MAX ? (os_wait(&progress, &lock), true)
                                : os_wait_for(&progress, &lock, ns);
        watchers--;
        if (!done) break;
    }
    done = s->done >= number;
    os_unlock(&lock);
    return done;
}

/* --- workers ---------------------------------------------------------------------------------- */

static void run_worker(void *arg) {
    SimtStream *s = arg;
    os_lock(&lock);
    for (;;) {
        if (!s->busy && s->first) {
            run_first(s);
            continue;
        }
        os_unlock(&lock);
        for (int i = 0; i < LOOKS && !atomic_load_explicit(&s->pending, memory_order_relaxed); i++)
            os_relax();
        os_lock(&lock);
        if (!s->busy && s->first) continue;
        s->waiting++;
        os_wait(&s->work, &lock);
        s->waiting--;
    }
}

/* Lock held. Without a worker the operations run when somebody waits for them. */
static void wake_worker(SimtStream *s) {
    OsThread thread;
    if (!s->has_worker) s->has_worker = os_start_thread(&thread, run_worker, s, WORKER_STACK) == 0;
    if (s->waiting) os_wake_all(&s->work);
}

/* --- queueing --------------------------------------------------------------------------------- */

static void append(SimtStream *s, SimtOp *op) {
    op->next = NULL;
    op->stream = s;
    op->number = ++s->queued;
    if (s->last)
        s->last->next = op;
    else
        s->first = op;
    s->last = op;
    atomic_store_explicit(&s->pending, s->queued - s->done, memory_order_relaxed);
}

/* Lock held. */
static bool append_join(SimtStream *s, SimtStream *other, uint64_t number) {
    SimtOp *op = mem_alloc(sizeof *op);
    if (!op) return false;
    *op = (SimtOp){.after = other, .after_number = number};
    append(s, op);
    return true;
}

/* The default stream waits for all others, and they for it. */
static bool join_default(SimtStream *s) {
    for (SimtStream *o = streams; o && !s->alone; o = o->next) {
        bool concerns = o != s && (s->is_default ? !o->alone : o->is_default);
        if (concerns && o->queued > o->done && !append_join(s, o, o->queued)) return false;
    }
    return true;
}

bool simt_stream_join(SimtStream *s, SimtStream *other, uint64_t number) {
    os_lock(&lock);
    bool good = s == other || other->done >= number || append_join(s, other, number);
    os_unlock(&lock);
    return good;
}

uint64_t simt_stream_push(SimtStream *s, SimtOp *op, bool beside) {
    uint64_t number = 0;
    os_lock(&lock);
    if (join_default(s)) {
        append(s, op);
        number = op->number;
        if (beside) wake_worker(s);
    }
    os_unlock(&lock);
    return number;
}
