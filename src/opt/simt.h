/* Kernels on the CPU: what the files opt/simt_*.c share.
 *
 * A kernel describes one thread. simt_split rewrites it into code for many: loops over the blocks of the
 * grid, in them the parts of the kernel that all threads of a block run together ("together" blocks: uniform
 * branches, loop counters, values that are the same for all threads), and in those, loops over the
 * threads. What has no such shape runs thread by thread (simt_threads.c). */
#pragma once
#include "opt/affine.h"

enum { AXES = 3, GUARDS = 32 };

/* `if i < n:` around all that follows, where i counts threads along one axis: threads past n have
 * nothing to do any more. Instead of asking each, the loops over threads end earlier. */
typedef struct SimtGuard {
    BlockId at;   /* its branch; the block's own instructions are before the guard */
    BlockId go;   /* where the threads go that go on */
    uint32_t axis;
    Lin base;     /* i without the thread's number: terms and constant are not negative */
    Ref limit;    /* n */
    bool inclusive; /* i <= n */
    bool lower; /* n < i instead: threads before have nothing to do */
    /* All threads meet again (simt_scope.c): `base` is the number of threads that are left, `limit` unused. */
    bool scoped, loop;
    BlockId join; /* where they meet */
    BlockId other; /* not `loop`: where those go that are not left */
} SimtGuard;

typedef struct Simt {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    const Loops *loops;
    Affine *af;
    Incoming in;
    BlockId *ipdom; /* immediate post-dominator; NO_BLOCK: the end */
    BlockId *
        torn_by; /* per block that is apart: the branch that parts the threads; NO_BLOCK: by choice */
    bool *apart; /* per block: threads may be elsewhere, or the thread loop is to be around it */
    bool *forced; /* apart by choice */
    bool *varies; /* per Ref: may differ from thread to thread */
    bool *pinned; /* per Ref: varies, whatever it is made of */
    SimtGuard guards[GUARDS];
    uint32_t nguards;
    bool has_barrier;
    bool has_warp; /* threads have a place in their warp: lanes run along x */
} Simt;

/* Fills apart and varies for what is in forced and guards (simt_uniform.c). */
void simt_fill_uniform(Simt *s);
/* Must the instruction be run by each thread? (simt_uniform.c) */
bool simt_is_per_thread(const Simt *s, Ref r);
/* The guard whose branch ends block b; NULL: none. */
const SimtGuard *simt_guard_at(const Simt *s, BlockId b);

/* Fills guards (simt_guard.c). */
void simt_find_guards(Simt *s);
/* Makes counters of loops that begin with a thread number the sum of that and of one that all threads share. */
bool simt_split_counters(Cx *cx, Fn *fn);
/* Adds those that have an end (simt_scope.c), and fills apart and varies. */
void simt_find_scopes(Simt *s);
/* cond == value as `small < large` (or <=), in int64. */
bool simt_match_order(const Simt *s, Ref cond, bool value, Ref *small, Ref *large, bool *inclusive);
/* The axis along which most of the kernel's accesses to memory are next to each other (simt_guard.c). */
uint32_t simt_lane_axis(Simt *s);

/* Where the threads of a block, or of a warp, wait for each other: a barrier, what a warp does together. */
static inline bool simt_is_collective(const Fn *fn, Ref r) {
    return ir_at(fn, r)->op == OP_BARRIER || ir_at(fn, r)->op == OP_WARP;
}
/* Block b consists of one. */
static inline bool simt_has_collective(const Fn *fn, BlockId b) {
    return fn->blocks.at[b].ins.n == 1 && simt_is_collective(fn, fn->blocks.at[b].ins.at[0]);
}

/* The operation of a warp r, the kind of its value (0: bool or unsigned, 1: signed, 2: float), its bits, and the lanes
 * of a group: as simt/warp.c takes them (simt_threads.c). */
int64_t simt_warp_code(const Fn *fn, Ref r);
/* Does the thread that comes here do nothing any more? (simt_guard.c) */
bool simt_is_exit(const Simt *s, BlockId b);
/* Code for one thread in place of a kernel's loops (simt_threads.c). s: what is known of where threads are apart. */
void simt_run_threads(Cx *cx, Fn *fn, const Simt *s);

/* Builds the new function in place of s->fn (simt_emit.c); false: the parts that threads run apart cannot be
 * cut into regions; nothing was changed. */
bool simt_emit(Simt *s);
