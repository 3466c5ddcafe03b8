/* The threads of parallel loops under a thread sanitizer, without Python: three callers at once, loops that end and
 * loops that raise. test_pool_races.py compiles it. */
#include <Python.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pool.h"
#include "runtime/runtime.h"

enum { CALLERS = 3, LOOPS = 1500, ITERATIONS = 20000, RAISES = 15000 };

/* What the pool needs of the rest. */
void exc_retain(ExcObj *e) { (void)e; }
void exc_release(ExcObj *e) { (void)e; }
Status ws_poll(WsCtx *ctx, int32_t site) { return (void)ctx, (void)site, 0; }
PyGILState_STATE PyGILState_Ensure(void) { return PyGILState_LOCKED; }
void PyGILState_Release(PyGILState_STATE s) { (void)s; }
PyThreadState *PyEval_SaveThread(void) { return NULL; }
void PyEval_RestoreThread(PyThreadState *t) { (void)t; }

typedef struct Loop {
    RegionHead head;
    int64_t *data;
    bool raises;
} Loop;

static int32_t body(WsCtx *ctx, const RegionHead *head, int64_t lo, int64_t hi, char *partial) {
    const Loop *loop = (const void *)head;
    int64_t sum = 0;
    for (int64_t i = lo; i < hi; i++) {
        loop->data[i] += i;
        sum += i;
    }
    memcpy(partial, &sum, sizeof sum);
    if (!loop->raises || lo > RAISES || RAISES >= hi) return 0;
    ctx->exc = (ExcObj *)(uintptr_t)8;
    return 1;
}

static bool is_right(const Loop *loop, const int64_t *room, Status rc) {
    int64_t sum = 0;
    if (loop->raises) return rc == 1;
    for (int64_t c = 0; c < loop->head.n; c++) sum += room[c];
    return rc == 0 && sum == (int64_t)ITERATIONS * (ITERATIONS - 1) / 2;
}

static void *call(void *arg) {
    static _Thread_local WsCtx ctx;
    int64_t *data = calloc(ITERATIONS, sizeof *data), room[REGION_CHUNKS];
    RegionBody *f = body;
    void *code;
    memcpy(&code, &f, sizeof code);
    ctx.nogil = WS_GIL_RELEASED;
    pool_set_threads(4);
    for (int k = 0; k < LOOPS; k++) {
        Loop loop = {.head = {.n = ITERATIONS,
                              .apart = 1,
                              .cost = 1e6,
                              .partials = (char *)room,
                              .stride = sizeof *room},
                     .data = data,
                     .raises = k % 7 == 3};
        Status rc = ws_region(&ctx, -1, code, &loop.head);
        ctx.exc = NULL;
        if (!is_right(&loop, room, rc)) puts("wrong");
    }
    free(data);
    return arg;
}

int main(void) {
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++) pthread_create(&threads[i], NULL, call, NULL);
    for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
