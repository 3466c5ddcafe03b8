/* Blocks whose threads are resumed: what threads.c and its parts share. */
#pragma once
#include "simt/grid.h"
#include "simt/switch.h"
#include "simt/warp.h"

typedef enum ThreadState {
    THREAD_READY,
    THREAD_AT_BARRIER,
    THREAD_AT_WARP,
    THREAD_DONE
} ThreadState;

typedef struct SimtThread SimtThread;
struct SimtThread {
    SimtStack stack;
    char *low; /* of its stack, behind the guard page */
    struct Group *group;
    uint32_t tid[3], ctaid[3];
    uint32_t block; /* number among the blocks of the group */
    char *shared; /* its block's */
    void (*asked)(void *); /* to be run on the scheduler's stack, or NULL */
    void *asked_arg;
    uint32_t round; /* barriers of its block that have opened */
    uint32_t passed,
        passed_in; /* the barrier that it was behind last, and in which round; 0: none */
    uint32_t barrier; /* number of the one where it waits */
    uint8_t state; /* ThreadState */
    int32_t site; /* where it waits */
    int64_t code; /* BarrierKind, or the operation of a warp */
    uint32_t mask;
    uint64_t value;
    int64_t lane, out;
};
