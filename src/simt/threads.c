/* Blocks, thread by thread: each thread has a stack, runs until it waits, and is resumed when those it waits for have
 * come.
 *
 *     until all threads have returned:
 *         resume each thread that can go on
 *         let go the warps whose operation is complete, then the block if all its threads wait at one barrier
 *
 * A thread that has returned counts as arrived everywhere. Threads that wait at different barriers, or for lanes that
 * do not come, will never go on: that is reported. An exception ends the launch: the other threads are resumed with
 * one that nobody sees, so that they release what they hold. */
#include "simt/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "core/exceptions.h"
#include "core/os.h"
#include "runtime/runtime.h"

enum {
    STACK_LEAST = 64 << 10, /* besides local arrays */
    STACK_RESERVE = 24 << 10, /* left for what compiled code calls without looking at the limit */
    MOST_THREADS = 1 << 18 /* of a grid that waits for itself */
};

typedef struct Group {
    WsCtx *ctx;
    const SimtLaunch *l;
    uint32_t *sregs;
    SimtThread *threads; /* block by block, in each by their number */
    uint32_t n, each; /* threads: all, of a block */
    char *stacks; /* one mapping */
    size_t stack_size; /* of one, with its guard page */
    SimtStack scheduler;
    const char *outer_end;
    ExcObj *exc; /* of the first thread that raised; owned */
    int32_t at[6];
    bool ends; /* threads that wait are to raise */
} Group;

/* --- stacks: kept by each thread of the system for its next launch --------------------------- */

typedef struct Stacks {
    char *at;
    size_t bytes, size;
    SimtThread *threads;
    uint32_t n;
} Stacks;

static _Thread_local Stacks kept;

static void free_stacks(Stacks *s) {
    for (uint32_t i = 0; i < s->n; i++) simt_close_stack(&s->threads[i].stack);
    if (s->at) munmap(s->at, s->bytes);
    mem_free(s->threads);
    *s = (Stacks){NULL};
}

/* Stacks for n threads with a page below each that nobody may touch; false: no memory. */
static bool take_stacks(Group *g) {
    size_t page = os_page_size();
    size_t size = STACK_LEAST + STACK_RESERVE + g->l->unit->stack_bytes;
    size = ((size + page - 1) & ~(page - 1)) + page;
    if (kept.n < g->n || kept.size < size) {
        free_stacks(&kept);
        kept.threads = mem_alloc(g->n * sizeof *kept.threads);
        kept.bytes = size * g->n;
        char *at = kept.threads ? mmap(NULL, kept.bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                : MAP_FAILED;
        if (at == MAP_FAILED) {
            mem_free(kept.threads);
            kept = (Stacks){NULL};
            return false;
        }
        memset(kept.threads, 0, g->n * sizeof *kept.threads);
        kept.at = at;
        kept.size = size;
        kept.n = g->n;
        for (uint32_t i = 0; i < g->n; i++) mprotect(at + i * size, page, PROT_NONE);
    }
    g->threads = kept.threads;
    g->stacks = kept.at;
    g->stack_size = kept.size;
    for (uint32_t i = 0; i < g->n; i++) g->threads[i].low = g->stacks + i * g->stack_size + page;
    return true;
}

/* --- running a thread ------------------------------------------------------------------------- */

static void set_limit(WsCtx *ctx, const char *end) {
    ctx->stack_end = end;
    atomic_store_explicit(&ctx->stack_limit, end, memory_order_relaxed);
}

static void run_thread(void *arg) {
    SimtThread *t = arg;
    Group *g = t->group;
    WsCtx *ctx = g->ctx;
    if (g->l->unit->entry(ctx, g->l->slots)) {
        if (g->exc) {
            exc_release(ctx->exc);
        } else {
            g->exc = ctx->exc;
            memcpy(g->at, t->ctaid, sizeof t->ctaid);
            memcpy(g->at + 3, t->tid, sizeof t->tid);
        }
        ctx->exc = NULL;
        g->ends = true;
    }
    t->state = THREAD_DONE;
    simt_switch(&t->stack, &g->scheduler);
    abort(); /* it is not resumed */
}

/* Runs what the thread asks for; false: it has stopped for another reason. */
static bool serve(SimtThread *t) {
    void (*f)(void *) = t->asked;
    if (!f) return false;
    t->asked = NULL;
    f(t->asked_arg);
    return true;
}

static void resume(Group *g, SimtThread *t) {
    memcpy(g->sregs + WS_SREG_TID, t->tid, sizeof t->tid);
    memcpy(g->sregs + WS_SREG_CTAID, t->ctaid, sizeof t->ctaid);
    g->ctx->shared = t->shared;
    g->ctx->thread = t;
    do {
        g->ctx->thread = t;
        set_limit(g->ctx, t->low + STACK_RESERVE);
        simt_switch(&g->scheduler, &t->stack);
        set_limit(g->ctx, g->outer_end);
        g->ctx->thread = NULL;
    } while (serve(t));
}

static bool resume_ready(Group *g) {
    bool any = false;
    for (uint32_t i = 0; i < g->n; i++) {
        SimtThread *t = &g->threads[i];
        if (g->ends && t->state != THREAD_DONE) t->state = THREAD_READY;
        if (t->state != THREAD_READY) continue;
        resume(g, t);
        any = true;
    }
    return any;
}

/* --- warps ------------------------------------------------------------------------------------ */

static SimtThread *warp_at(Group *g, uint32_t first, uint32_t *n) {
    uint32_t in_block = first % g->each;
    *n = g->each - in_block < WARP_LANES ? g->each - in_block : WARP_LANES;
    return &g->threads[first];
}

static uint32_t live_lanes(const SimtThread *w, uint32_t n) {
    uint32_t live = 0;
    for (uint32_t k = 0; k < n; k++) live |= (uint32_t)(w[k].state != THREAD_DONE) << k;
    return live;
}

/* Lanes that wait at the same place as lane k with the same mask. */
static uint32_t lanes_with(const SimtThread *w, uint32_t n, uint32_t k) {
    uint32_t with = 0;
    for (uint32_t j = 0; j < n; j++)
        with |= (uint32_t)(w[j].state == THREAD_AT_WARP && w[j].site == w[k].site &&
                           w[j].code == w[k].code && w[j].mask == w[k].mask)
                << j;
    return with;
}

static void let_warp_go(SimtThread *w, uint32_t n, uint32_t who, SimtWarp op) {
    SimtLanes l = {.there = who};
    for (uint32_t k = 0; k < n; k++) {
        l.mask[k] = op.op == SIMT_ACTIVE ? who : w[k].mask;
        l.value[k] = w[k].value;
        l.lane[k] = w[k].lane;
    }
    simt_do_warp(op, &l);
    for (uint32_t k = 0; k < n; k++) {
        if (!(who >> k & 1)) continue;
        w[k].out = (int64_t)l.out[k];
        w[k].state = THREAD_READY;
    }
}

/* One operation of the warp that is complete: all live lanes of its mask are there. Which are active is known when none
 * can go on otherwise (`stuck`). */
static bool complete_warp(SimtThread *w, uint32_t n, bool stuck) {
    uint32_t live = live_lanes(w, n);
    for (uint32_t k = 0; k < n; k++) {
        if (w[k].state != THREAD_AT_WARP) continue;
        SimtWarp op = simt_unpack_warp(w[k].code);
        uint32_t with = lanes_with(w, n, k);
        bool active = op.op == SIMT_ACTIVE;
        if (active ? !stuck : (w[k].mask & live) & ~with) continue;
        let_warp_go(w, n, with, op);
        return true;
    }
    return false;
}

static bool complete_warps(Group *g, bool stuck) {
    bool any = false;
    uint32_t n;
    for (uint32_t first = 0; first < g->n; first += n) {
        SimtThread *w = warp_at(g, first, &n);
        any |= complete_warp(w, n, stuck);
    }
    return any;
}

/* --- faults ----------------------------------------------------------------------------------- */

static uint32_t line_of(const Group *g, const SimtThread *t) {
    const Site *s = rt_find_site(g->ctx, t->site);
    return s ? s->line : 0;
}

static const SimtThread *first_waiting(const Group *g, const SimtThread *other) {
    for (uint32_t i = 0; i < g->n; i++) {
        const SimtThread *t = &g->threads[i];
        if (t->state == THREAD_DONE) continue;
        if (!other) return t;
        if (t->block != other->block && g->l->unit->method != UNIT_GRID) continue;
        if (t->state != other->state || t->site != other->site || t->code != other->code) return t;
    }
    return NULL;
}

static void thread_text(const SimtThread *t, char *text, size_t size) {
    snprintf(text, size, "(%u, %u, %u)", t->tid[0], t->tid[1], t->tid[2]);
}

/* The exception in the context is that of a thread. */
static void take_fault(Group *g, const SimtThread *t) {
    memcpy(g->at, t->ctaid, sizeof t->ctaid);
    memcpy(g->at + 3, t->tid, sizeof t->tid);
    g->exc = g->ctx->exc;
    g->ctx->exc = NULL;
    g->ends = true;
}

/* No thread can go on. */
static void report_stuck(Group *g) {
    const SimtThread *a = first_waiting(g, NULL), *b = first_waiting(g, a);
    char one[48], other[48];
    thread_text(a, one, sizeof one);
    if (b) {
        thread_text(b, other, sizeof other);
        rt_raise(g->ctx, a->site, EXC_RuntimeError,
                 "threads wait for each other at different places: thread %s in line %u, thread %s "
                 "in line %u; all threads of a block, or all that a mask names, must come to the "
                 "same one",
                 one, line_of(g, a), other, line_of(g, b));
    } else {
        rt_raise(g->ctx, a->site, EXC_RuntimeError,
                 "thread %s waits in line %u for lanes that do not come: its mask is 0x%08x", one,
                 line_of(g, a), a->mask);
    }
    take_fault(g, a);
}

static void report_passing(Group *g, const SimtThread *waits, const SimtThread *passes) {
    char one[48], other[48];
    thread_text(waits, one, sizeof one);
    thread_text(passes, other, sizeof other);
    rt_raise(g->ctx, waits->site, EXC_RuntimeError,
             "thread %s passes a barrier by where thread %s waits, in line %u; all threads of a "
             "block that have not returned must come to it",
             other, one, line_of(g, waits));
    take_fault(g, passes);
}

/* --- barriers --------------------------------------------------------------------------------- */

/* Do all live threads from `first` on (n of them) wait at one barrier? NULL: not, or none lives. */
static SimtThread *common_barrier(SimtThread *t, uint32_t n, int64_t *yes, int64_t *live) {
    SimtThread *first = NULL;
    *yes = *live = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (t[k].state == THREAD_DONE) continue;
        if (t[k].state != THREAD_AT_BARRIER) return NULL;
        if (first && (t[k].site != first->site || t[k].code != first->code)) return NULL;
        if (!first) first = &t[k];
        *yes += t[k].value & 1;
        ++*live;
    }
    return first;
}

static int64_t outcome(int64_t kind, int64_t yes, int64_t live) {
    return kind == SIMT_VOTE_COUNT ? yes : kind == SIMT_VOTE_AND ? yes == live : yes > 0;
}

/* A thread that has gone around the barrier which opens now; NULL: none has. */
static const SimtThread *find_passing(const SimtThread *t, uint32_t n, const SimtThread *at) {
    for (uint32_t k = 0; k < n; k++)
        if (t[k].passed == at->barrier && t[k].passed_in == at->round) return &t[k];
    return NULL;
}

static bool open_barrier(Group *g, SimtThread *t, uint32_t n, bool grid) {
    int64_t yes, live;
    const SimtThread *at = common_barrier(t, n, &yes, &live);
    if (!at || (at->code == SIMT_BARRIER_GRID) != grid) return false;
    const SimtThread *passing = find_passing(t, n, at);
    if (passing) {
        report_passing(g, at, passing);
        return true;
    }
    int64_t kind = at->code;
    for (uint32_t k = 0; k < n; k++) {
        t[k].round++;
        if (t[k].state == THREAD_DONE) continue;
        t[k].out = outcome(kind, yes, live);
        t[k].state = THREAD_READY;
    }
    return true;
}

static bool open_barriers(Group *g) {
    bool any = false;
    for (uint32_t first = 0; first < g->n; first += g->each)
        any |= open_barrier(g, &g->threads[first], g->each, false);
    return any || open_barrier(g, g->threads, g->n, true);
}

/* --- a group ---------------------------------------------------------------------------------- */

static bool all_done(const Group *g) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->threads[i].state != THREAD_DONE) return false;
    return true;
}

static void open_threads(Group *g, char *memory, size_t each_block) {
    const uint32_t *dim = g->l->block, *grid = g->l->grid;
    for (uint32_t i = 0; i < g->n; i++) {
        SimtThread *t = &g->threads[i];
        uint32_t k = i % g->each, b = i / g->each;
        t->group = g;
        t->state = THREAD_READY;
        t->block = b;
        t->shared = memory + each_block * b;
        t->round = t->passed = 0;
        t->tid[0] = k % dim[0], t->tid[1] = k / dim[0] % dim[1], t->tid[2] = k / dim[0] / dim[1];
        if (g->l->unit->method == UNIT_GRID)
            t->ctaid[0] = b % grid[0], t->ctaid[1] = b / grid[0] % grid[1],
            t->ctaid[2] = b / grid[0] / grid[1];
        else
            memcpy(t->ctaid, g->sregs + WS_SREG_CTAID, sizeof t->ctaid);
        simt_open_stack(&t->stack, t->low,
                        g->stack_size - (size_t)(t->low - g->stacks) % g->stack_size, run_thread,
                        t);
    }
}

static int32_t run_group(Group *g, char *memory, size_t each_block) {
    struct SimtThread *outer_thread = g->ctx->thread;
    Stacks outer = {NULL};
    if (outer_thread) { /* a launch from within one */
        outer = kept;
        kept = (Stacks){NULL};
    }
    if (!take_stacks(g)) {
        if (outer_thread) kept = outer;
        g->ctx->exc = exc_no_memory();
        return 1;
    }
    g->outer_end = g->ctx->stack_end;
    open_threads(g, memory, each_block);
    for (;;) {
        bool any = resume_ready(g);
        if (all_done(g)) break;
        if (g->ends) continue;
        if (complete_warps(g, false) || open_barriers(g) || complete_warps(g, true)) continue;
        if (!any) report_stuck(g);
    }
    if (outer_thread) {
        free_stacks(&kept);
        kept = outer;
    }
    g->ctx->thread = outer_thread;
    g->ctx->exc = g->exc;
    if (g->exc) memcpy(g->ctx->at, g->at, sizeof g->at);
    return g->exc != NULL;
}

/* Threads that never wait need no stacks. */
static int32_t run_plainly(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs) {
    uint32_t *tid = sregs + WS_SREG_TID;
    for (tid[2] = 0; tid[2] < l->block[2]; tid[2]++)
        for (tid[1] = 0; tid[1] < l->block[1]; tid[1]++)
            for (tid[0] = 0; tid[0] < l->block[0]; tid[0]++) {
                if (!l->unit->entry(ctx, l->slots)) continue;
                memcpy(ctx->at, sregs + WS_SREG_CTAID, 3 * sizeof *sregs);
                memcpy(ctx->at + 3, tid, 3 * sizeof *tid);
                return 1;
            }
    return 0;
}

int32_t simt_run_block(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, char *memory) {
    if (l->unit->method == UNIT_THREADS) return run_plainly(ctx, l, sregs);
    uint32_t n = l->block[0] * l->block[1] * l->block[2];
    Group g = {.ctx = ctx, .l = l, .sregs = sregs, .n = n, .each = n};
    return run_group(&g, memory, 0);
}

int32_t simt_run_all(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, char *memory, size_t each) {
    uint32_t n = l->block[0] * l->block[1] * l->block[2];
    uint64_t all = (uint64_t)n * l->grid[0] * l->grid[1] * l->grid[2];
    if (all > MOST_THREADS) {
        rt_raise(ctx, 0, EXC_RuntimeError,
                 "a grid that waits for all its blocks has at most %d threads on the CPU, not %llu",
                 MOST_THREADS, (unsigned long long)all);
        return 1;
    }
    Group g = {.ctx = ctx, .l = l, .sregs = sregs, .n = (uint32_t)all, .each = n};
    int32_t rc = run_group(&g, memory, each);
    free_stacks(&kept); /* they may be very many */
    return rc;
}

void simt_on_big_stack(WsCtx *ctx, void (*f)(void *), void *arg) {
    SimtThread *t = ctx->thread;
    t->asked = f;
    t->asked_arg = arg;
    simt_switch(&t->stack, &t->group->scheduler);
}

/* --- what compiled code calls ----------------------------------------------------------------- */

/* Back to the scheduler, until the thread may go on; 1: it ends. */
static Status wait_here(WsCtx *ctx, SimtThread *t, ThreadState state, int32_t site, int64_t *out) {
    Group *g = t->group;
    t->state = (uint8_t)state;
    t->site = site;
    if (!g->ends) simt_switch(&t->stack, &g->scheduler);
    *out = t->out;
    if (!g->ends) return 0;
    rt_raise(ctx, site, EXC_KeyboardInterrupt, "%s", "");
    return 1;
}

Status ws_thread_barrier(WsCtx *ctx, int32_t site, int64_t kind, int64_t vote, int64_t *out) {
    SimtThread *t = ctx->thread;
    t->code = kind & 0xff;
    t->barrier = (uint32_t)(kind >> 8);
    t->value = (uint64_t)vote;
    return wait_here(ctx, t, THREAD_AT_BARRIER, site, out);
}

void ws_thread_pass(WsCtx *ctx, int32_t site, int64_t barrier) {
    SimtThread *t = ctx->thread;
    (void)site;
    t->passed = (uint32_t)barrier;
    t->passed_in = t->round;
}

Status ws_thread_warp(WsCtx *ctx, int32_t site, int64_t code, int64_t mask, int64_t value,
                      int64_t lane, int64_t *out) {
    SimtThread *t = ctx->thread;
    t->code = code;
    t->mask = (uint32_t)mask;
    t->value = (uint64_t)value;
    t->lane = lane;
    return wait_here(ctx, t, THREAD_AT_WARP, site, out);
}
