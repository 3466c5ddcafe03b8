#include "core/memory.h"

#include <Python.h>

#include <pthread.h>

#include "base/mem.h"
#include "core/shelf.h"
#include "core/values.h"

/* Blocks that a thread keeps per bin. None under the address sanitizer, which then sees each misuse,
 * and where tests fail and count allocations. */
#if defined(__SANITIZE_ADDRESS__) || defined(WS_CHECKS)
enum { BIN_LIMIT = 0, KEEPS_LARGE = 0 };
#else
enum { BIN_LIMIT = 32, KEEPS_LARGE = 1 };
#endif

/* One per thread: blocks to use again, and how many were made and freed. */
typedef struct Pool {
    WsOwner *head[MEMORY_BINS];
    uint32_t count[MEMORY_BINS];
    bool registered;
    MemoryStats stats;
} Pool;

/* Reached on every array that compiled code makes: the direct TLS access saves a call. */
static __attribute__((tls_model("initial-exec"))) _Thread_local Pool pool;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static _Atomic uint64_t ended_made, ended_freed;

/* The thread ends: its blocks go back to the system, its numbers to the common sums. */
static void drain_pool(void *p) {
    Pool *dying = p;
    for (int b = 0; b < MEMORY_BINS; b++)
        for (WsOwner *o = dying->head[b], *next; o; o = next) {
            next = o->next;
            mem_free(o->raw);
        }
    atomic_fetch_add(&ended_made, dying->stats.made);
    atomic_fetch_add(&ended_freed, dying->stats.freed);
    *dying = (Pool){0};
}

static void make_key(void) { pthread_key_create(&at_exit, drain_pool); }

static void register_thread(void) {
    pthread_once(&once, make_key);
    pthread_setspecific(at_exit, &pool);
    pool.registered = true;
}

static WsOwner *new_block(int64_t size, uint32_t bin) {
    size_t room = bin < MEMORY_BINS ? bin * 64u : (size_t)size;
    WsOwner *kept = KEEPS_LARGE && room >= SHELF_LEAST ? shelf_take(room) : NULL;
    if (kept) return kept;
    char *raw = mem_alloc(room + OWNER_DATA + 63);
    if (!raw && KEEPS_LARGE && shelf_clear()) raw = mem_alloc(room + OWNER_DATA + 63);
    if (!raw) return NULL;
    WsOwner *o = (WsOwner *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
    o->raw = raw;
    o->bin = bin;
    o->room = room;
    return o;
}

WsOwner *mem_new_owner(int64_t size) {
    if (size < 0 || size > INT64_MAX - 256) return NULL;
    if (!pool.registered) register_thread();
    uint32_t bin = size <= 1024 ? (uint32_t)(size + 63) / 64 : MEMORY_BINS;
    WsOwner *o;
    if (bin < MEMORY_BINS && pool.head[bin]) {
        o = pool.head[bin];
        pool.head[bin] = o->next;
        pool.count[bin]--;
    } else {
        o = new_block(size, bin);
        if (!o) return NULL;
    }
    atomic_store_explicit(&o->refs, 1, memory_order_relaxed);
    o->kind = OWNER_HEAP;
    o->size = size;
    o->obj = NULL;
    pool.stats.made++;
    return o;
}

WsOwner *mem_own_object(PyObject *obj) {
    WsOwner *o = mem_new_owner(0);
    if (!o) return NULL;
    o->kind = OWNER_PYOBJECT;
    o->obj = Py_NewRef(obj);
    return o;
}

WsOwner *mem_new_cell(const Type *holds) {
    WsOwner *o = mem_new_owner((int64_t)(1 + holds->nparts) * 8);
    if (!o) return NULL;
    o->kind = OWNER_CELL;
    o->holds = holds;
    *(uint64_t *)owner_data(o) = 0;
    return o;
}

static void release_contents(WsOwner *o) {
    const uint64_t *data = owner_data(o);
    if (o->kind == OWNER_CELL && data[0]) val_release(o->holds, data + 1);
}

static void free_block(WsOwner *o) {
    release_contents(o);
    if (!pool.registered) register_thread();
    pool.stats.freed++;
    uint32_t bin = o->bin;
    if (bin >= MEMORY_BINS || pool.count[bin] + 1 > BIN_LIMIT) {
        if (!KEEPS_LARGE || bin < MEMORY_BINS || !shelf_put(o)) mem_free(o->raw);
        return;
    }
    o->next = pool.head[bin];
    pool.head[bin] = o;
    pool.count[bin]++;
}

/* Counts down; true if that was the last reference. */
static bool drop(WsOwner *o) {
    if (!o || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_release) != 1) return false;
    atomic_thread_fence(memory_order_acquire);
    return true;
}

void mem_release_owner_held(WsOwner *o) {
    if (!drop(o)) return;
    if (o->kind == OWNER_PYOBJECT) Py_DECREF(o->obj);
    free_block(o);
}

void mem_release_owner(WsOwner *o) {
    if (!drop(o)) return;
    if (o->kind == OWNER_PYOBJECT) {
        PyGILState_STATE gil = PyGILState_Ensure();
        Py_DECREF(o->obj);
        PyGILState_Release(gil);
    }
    free_block(o);
}

MemoryStats mem_stats(void) {
    return (MemoryStats){pool.stats.made + atomic_load(&ended_made),
                         pool.stats.freed + atomic_load(&ended_freed)};
}
