/* Launches on the CPU device: a grid of blocks, run by compiled code on the threads of the pool.
 *
 *   grid.c      which blocks one call of a kernel's code runs, on which thread
 *   threads.c   blocks whose threads run one by one, stop at barriers and are resumed
 *   switch.c    from one stack to another
 *   warp.c      what the threads of a warp, or of a block, do together
 *   stream.c    queues of work: in order, beside the program */
#pragma once
#include "core/ctx.h"
#include "core/unit.h"

typedef struct SimtLaunch {
    const Unit *unit;
    uint64_t *slots; /* of the arguments */
    const uint64_t *globals; /* of the captured values */
    uint32_t grid[3], block[3]; /* along x, y, z, each at least 1 */
    uint32_t dynamic; /* bytes of shared memory beside the kernel's own arrays */
} SimtLaunch;

/* Runs the grid: 0, or 1 with ctx->exc set, which says where (ExcObj.at). ctx is the calling thread's, without the GIL. */
int32_t simt_run(WsCtx *ctx, const SimtLaunch *l);

/* One block, thread by thread (threads.c). memory: the block's shared memory. sregs are ctx's, with the number of the
 * block. */
int32_t simt_run_block(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, char *memory);
/* All blocks at once, since they wait for each other. */
int32_t simt_run_all(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, char *memory, size_t each);
