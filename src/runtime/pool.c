/* Threads for parallel loops; see pool.h.
 *
 * One list of regions that still want workers, one lock. Workers are started when a region first wants
 * them; they look for work a little while and then sleep. The caller takes chunks too, so a region comes to
 * its end with however many workers there are: none after a fork, none when all are busy with the regions of
 * other Python threads. A region inside a chunk runs where it stands.
 *
 * Chunks are handed out in order. When one raises, those behind it are not begun and stop at their next
 * poll, those before it go on; so the exception that is left is the one of the lowest iteration, as in a
 * loop that is not parallel. What a signal handler raises stops all. */
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/os.h"
#include "runtime/pool.h"
#include "runtime/random.h"
#include "runtime/runtime.h"

enum {
    MOST_THREADS = 256,
    LOOKS = 4000, /* for work, before a worker sleeps: some 50 us */
    WAIT_NS = 50 * 1000 * 1000, /* then the caller looks for signals */
    WORKER_STACK = 8 << 20,
    STACK_RESERVE = 256 * 1024, /* as in dispatch/context.c */
};
static const double piece = 15e3; /* simple instructions that a chunk is worth */

typedef struct Region {
    struct Region *next; /* in the list */
    WsCtx *caller;
    ExcObj *handled; /* by the caller, who keeps it as long as the region is open */
    RegionBody *body;
    RegionHead *head;
    int64_t nchunks, n;
    _Atomic int64_t taken; /* chunks handed out */
    _Atomic int64_t end; /* chunks from here on are not needed: nchunks, or where one raised */
    uint32_t wanted; /* workers; lock held, as for all that follows */
    _Atomic uint32_t working;
    ExcObj *exc; /* of the lowest chunk that raised; owned */
} Region;

typedef struct Worker {
    WsCtx ctx;
    unsigned number; /* from 1 */
    Region *region; /* lock */
} Worker;

typedef struct Pool {
    Worker *workers[MOST_THREADS];
    uint32_t nworkers, asleep;
    Region *first;
    _Atomic uint32_t wanted; /* of all regions */
} Pool;

static Pool pool;
static OsMutex lock = OS_MUTEX_INIT;
static OsCond work = OS_COND_INIT, done = OS_COND_INIT;
static OsOnce once = OS_ONCE_INIT;
static unsigned most_threads;
static _Thread_local unsigned own_threads; /* 0: all */
static _Thread_local int64_t own_chunk_size;

/* --- settings --------------------------------------------------------------------------------- */

/* 0: there is no number. config.py has made Numba's variable ours. */
static unsigned threads_asked_for(void) {
    const char *text = getenv("WHIPSNAKE_NUM_THREADS");
    char *end = NULL;
    long n = text ? strtol(text, &end, 10) : 0;
    if (n < 1 || end[strspn(end, " ")]) return 0;
    return n > MOST_THREADS ? MOST_THREADS : (unsigned)n;
}

static void before_fork(void) { os_lock(&lock); }
static void after_fork(void) { os_unlock(&lock); }

/* The child has no workers, and regions of other threads will not end there. */
static void in_child(void) {
    pool = (Pool){.nworkers = 0};
    lock = (OsMutex)OS_MUTEX_INIT;
    work = done = (OsCond)OS_COND_INIT;
}

static void set_up(void) {
    most_threads = threads_asked_for();
    if (!most_threads) most_threads = os_processors();
    if (most_threads > MOST_THREADS) most_threads = MOST_THREADS;
    os_at_fork_child(before_fork, after_fork, in_child);
}

unsigned pool_most_threads(void) {
    os_once(&once, set_up);
    return most_threads;
}

unsigned pool_threads(void) { return own_threads ? own_threads : pool_most_threads(); }
void pool_set_threads(unsigned n) { own_threads = n; }
int64_t pool_chunk_size(void) { return own_chunk_size; }
void pool_set_chunk_size(int64_t n) { own_chunk_size = n; }

int64_t ws_thread_number(WsCtx *ctx, int32_t site) {
    (void)site;
    if (!ctx->chunk || !ctx->chunk->by_worker) return 0;
    return ((const Worker *)(const void *)ctx)->number; /* its first field */
}

/* --- chunks ----------------------------------------------------------------------------------- */

bool pool_stops(const PoolChunk *c) {
    return c->number >= atomic_load_explicit(&c->region->end, memory_order_acquire);
}

static void ask_to_look(WsCtx *ctx) {
    atomic_store_explicit(&ctx->stack_limit, (const char *)UINTPTR_MAX, memory_order_relaxed);
    atomic_store_explicit(&ctx->poll, 1, memory_order_relaxed);
}

/* Chunk `number` has raised (a signal: 0, for all of them). Takes the exception, which counts if no
 * chunk before has one. */
static void note_exception(Region *r, ExcObj *exc, int64_t number, bool counts) {
    ExcObj *old = exc;
    os_lock(&lock);
    if (counts && (number < atomic_load(&r->end) || number == 0)) {
        old = r->exc;
        r->exc = exc;
        atomic_store(&r->end, number);
        ask_to_look(r->caller);
        for (uint32_t i = 0; i < pool.nworkers; i++)
            if (pool.workers[i]->region == r) ask_to_look(&pool.workers[i]->ctx);
    }
    os_unlock(&lock);
    exc_release(old);
}

/* Where chunk c begins; n * c does not fit int64. */
static int64_t start_of(const Region *r, int64_t c) {
    return (int64_t)((unsigned __int128)(uint64_t)r->n * (uint64_t)c / (uint64_t)r->nchunks);
}

static int32_t run_chunk(const Region *r, WsCtx *ctx, int64_t c) {
    char *partial = r->head->partials;
    return r->body(ctx, r->head, start_of(r, c), start_of(r, c + 1),
                   partial ? partial + c * r->head->stride : NULL);
}

static void run_chunks(Region *r, WsCtx *ctx, bool by_worker) {
    PoolChunk at = {.region = r, .by_worker = by_worker};
    ctx->chunk = &at;
    for (;;) {
        at.number = atomic_fetch_add_explicit(&r->taken, 1, memory_order_relaxed);
        if (pool_stops(&at)) break;
        if (!run_chunk(r, ctx, at.number)) continue;
        ExcObj *exc = ctx->exc;
        ctx->exc = NULL;
        note_exception(r, exc, at.interrupted ? 0 : at.number, at.interrupted || !pool_stops(&at));
    }
    ctx->chunk = NULL;
}

/* --- workers ---------------------------------------------------------------------------------- */

static Region *find_region(void) {
    for (Region *r = pool.first; r; r = r->next)
        if (r->wanted) return r;
    return NULL;
}

/* The next region that wants a worker, which is then in it. */
static Region *join_region(Worker *w) {
    Region *r;
    for (int i = 0; i < LOOKS && !atomic_load_explicit(&pool.wanted, memory_order_relaxed); i++)
        os_relax();
    os_lock(&lock);
    while (!(r = find_region())) {
        pool.asleep++;
        os_wait(&work, &lock);
        pool.asleep--;
    }
    r->wanted--;
    atomic_fetch_sub_explicit(&pool.wanted, 1, memory_order_relaxed);
    atomic_fetch_add(&r->working, 1);
    w->region = r;
    os_unlock(&lock);
    return r;
}

/* The region is gone as soon as the lock is free. */
static void leave_region(Worker *w, Region *r) {
    os_lock(&lock);
    w->region = NULL;
    if (atomic_fetch_sub(&r->working, 1) == 1) os_wake_all(&done);
    os_unlock(&lock);
}

static void run_worker(void *arg) {
    Worker *w = arg;
    const char *low;
    size_t size;
    if (os_stack_bounds(&low, &size) == 0) w->ctx.stack_end = low + STACK_RESERVE;
    for (;;) {
        Region *r = join_region(w);
        w->ctx.unit = r->caller->unit;
        w->ctx.globals = r->caller->globals;
        atomic_store_explicit(&w->ctx.stack_limit, w->ctx.stack_end, memory_order_relaxed);
        atomic_store_explicit(&w->ctx.poll, 0, memory_order_relaxed);
        exc_retain(w->ctx.handled = r->handled);
        run_chunks(r, &w->ctx, true);
        exc_release(w->ctx.handled);
        w->ctx.handled = NULL;
        leave_region(w, r);
    }
}

/* Lock held. Fewer than asked for will do. */
static void start_workers(uint32_t n) {
    while (pool.nworkers < n && pool.nworkers < MOST_THREADS) {
        OsThread thread;
        Worker *w = mem_alloc(sizeof *w);
        if (!w) return;
        memset(w, 0, sizeof *w);
        w->ctx.nogil = WS_GIL_RELEASED;
        w->number = pool.nworkers + 1;
        if (os_start_thread(&thread, run_worker, w, WORKER_STACK)) {
            mem_free(w);
            return;
        }
        pool.workers[pool.nworkers++] = w;
    }
}

/* --- regions ---------------------------------------------------------------------------------- */

static void open_region(Region *r, uint32_t workers) {
    os_lock(&lock);
    start_workers(workers);
    r->wanted = workers < pool.nworkers ? workers : pool.nworkers;
    atomic_fetch_add_explicit(&pool.wanted, r->wanted, memory_order_relaxed);
    r->next = pool.first;
    pool.first = r;
    if (pool.asleep) os_wake_all(&work);
    os_unlock(&lock);
}

/* Nobody joins any more. */
static void close_region(Region *r) {
    os_lock(&lock);
    Region **at = &pool.first;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    atomic_fetch_sub_explicit(&pool.wanted, r->wanted, memory_order_relaxed);
    r->wanted = 0;
    os_unlock(&lock);
}

static bool has_workers(Region *r) {
    return atomic_load_explicit(&r->working, memory_order_relaxed) != 0;
}

static void wait_for_workers(Region *r, int32_t site) {
    WsCtx *ctx = r->caller;
    close_region(r);
    for (int i = 0; i < LOOKS && has_workers(r); i++) os_relax();
    os_lock(&lock);
    while (has_workers(r)) {
        if (os_wait_for(&done, &lock, WAIT_NS)) continue;
        os_unlock(&lock);
        if (ws_poll(ctx, site)) {
            ExcObj *exc = ctx->exc;
            ctx->exc = NULL;
            note_exception(r, exc, 0, true);
        }
        os_lock(&lock);
    }
    os_unlock(&lock);
}

static void run_with_workers(Region *r, uint32_t workers, int32_t site) {
    WsCtx *ctx = r->caller;
    open_region(r, workers);
    run_chunks(r, ctx, false);
    wait_for_workers(r, site);
    ctx->exc = r->exc;
}

/* A worker may need the GIL: this thread must not hold it while it waits. */
static void run_without_gil(Region *r, uint32_t workers, int32_t site) {
    WsCtx *ctx = r->caller;
    uint32_t outer = ctx->nogil;
    if (outer == WS_GIL_RELEASED) {
        run_with_workers(r, workers, site);
        return;
    }
    PyGILState_STATE gil = PyGILState_LOCKED;
    if (outer == WS_GIL_UNKNOWN) gil = PyGILState_Ensure();
    PyThreadState *state = PyEval_SaveThread();
    ctx->nogil = WS_GIL_RELEASED;
    run_with_workers(r, workers, site);
    ctx->nogil = outer;
    PyEval_RestoreThread(state);
    if (outer == WS_GIL_UNKNOWN) PyGILState_Release(gil);
}

#ifdef WS_CHECKS
static _Thread_local bool reversed;
void pool_reverse(bool on) { reversed = on; }
#else
enum { reversed = false };
#endif

/* In order, and an exception is the first. Where this stands in a chunk of an outer region, that one is
 * looked at when polling. */
static void run_alone(Region *r) {
    for (int64_t c = 0; c < r->nchunks; c++)
        if (run_chunk(r, r->caller, reversed ? r->nchunks - 1 - c : c)) return;
}

/* How many chunks: what the loop costs says it, and that alone. */
static int64_t count_chunks(const RegionHead *h) {
    if (!h->apart || h->n < 2) return 1;
    double chunks = own_chunk_size ? (double)h->n / (double)own_chunk_size : h->cost / piece;
    if (!own_chunk_size && h->cost < REGION_ALONE) return 1;
    double most = h->partials || !own_chunk_size ? REGION_CHUNKS : 1 << 20;
    if (chunks > most) chunks = most;
    if (chunks > (double)h->n) chunks = (double)h->n;
    return chunks < 1 ? 1 : (int64_t)chunks;
}

Status ws_region(WsCtx *ctx, int32_t site, void *body, void *slots) {
    RegionHead *h = slots;
    Region r = {
        .caller = ctx, .handled = ctx->handled, .head = h, .n = h->n, .nchunks = count_chunks(h)};
    memcpy(&r.body, &body, sizeof body);
    atomic_store_explicit(&r.end, r.nchunks, memory_order_relaxed);
    int64_t threads = ctx->chunk || r.nchunks == 1 ? 1 : pool_threads();
    if (threads > r.nchunks) threads = r.nchunks;
    if (threads > 1)
        run_without_gil(&r, (uint32_t)threads - 1, site);
    else
        run_alone(&r);
    h->n = r.nchunks;
    return ctx->exc != NULL;
}

/* --- do arrays share memory? ------------------------------------------------------------------ */

typedef struct Extent {
    const char *low, *high; /* the last byte is not in it */
} Extent;

static Extent extent_of(int64_t descriptor, const uint64_t *slots) {
    RegionArray a = region_unpack_array(descriptor);
    const int64_t *shape = (const int64_t *)slots + 2, *strides = shape + a.ndim;
    const char *data = (const char *)(uintptr_t)slots[0];
    int64_t all = a.item, below = 0, above = a.item;
    for (int64_t k = 0; k < a.ndim; k++) {
        if (shape[k] == 0) return (Extent){data, data};
        all *= shape[k];
        if (!a.strided) continue;
        int64_t reach = (shape[k] - 1) * strides[k];
        *(reach < 0 ? &below : &above) += reach;
    }
    return a.strided ? (Extent){data + below, data + above} : (Extent){data, data + all};
}

bool ws_apart(int64_t a_descriptor, const uint64_t *a, int64_t b_descriptor, const uint64_t *b) {
    Extent x = extent_of(a_descriptor, a), y = extent_of(b_descriptor, b);
    return x.low == x.high || y.low == y.high || x.high <= y.low || y.high <= x.low;
}
