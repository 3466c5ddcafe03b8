#include "simt/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/os.h"
#include "runtime/pool.h"
#include "runtime/runtime.h"

enum { LINE = 64 };

/* What a chunk of blocks needs, behind what the pool reads. */
typedef struct Work {
    RegionHead head;
    const SimtLaunch *l;
    int64_t first; /* number of block 0 of the region */
} Work;

static void fill_sregs(uint32_t sregs[WS_SREGS], const SimtLaunch *l) {
    memset(sregs, 0, WS_SREGS * sizeof *sregs);
    memcpy(sregs + WS_SREG_NTID, l->block, sizeof l->block);
    memcpy(sregs + WS_SREG_NCTAID, l->grid, sizeof l->grid);
    sregs[WS_SREG_DYN] = l->dynamic;
}

/* The exception says where: compiled code has noted the numbers that it knows. */
static void note_place(WsCtx *ctx) {
    ExcObj *e = ctx->exc;
    if (!e || e == exc_no_memory_borrowed() || e->in_kernel) return;
    e->in_kernel = true;
    memcpy(e->at, ctx->at, sizeof e->at);
}

/* --- boxes of blocks: for code that loops over them ------------------------------------------- */

static int32_t run_box(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, const int64_t first[3],
                       const int64_t end[3]) {
    for (int axis = 0; axis < 3; axis++) {
        sregs[WS_SREG_FIRST + axis] = (uint32_t)first[axis];
        sregs[WS_SREG_END + axis] = (uint32_t)end[axis];
    }
    memset(ctx->at, 0, sizeof ctx->at);
    int32_t rc = l->unit->entry(ctx, l->slots);
    if (rc) note_place(ctx);
    return rc;
}

/* Blocks from lo up to hi, counted along x, then y, then z, as few boxes: the rest of a row, whole rows, the rest of a
 * layer ... */
static int32_t run_boxes(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, int64_t lo, int64_t hi) {
    int64_t nx = l->grid[0], ny = l->grid[1];
    while (lo < hi) {
        int64_t x = lo % nx, y = lo / nx % ny, z = lo / nx / ny;
        int64_t first[3] = {x, y, z}, end[3] = {x + 1, y + 1, z + 1}, left = hi - lo, n;
        if (x == 0 && y == 0 && left >= nx * ny) {
            end[0] = nx, end[1] = ny, end[2] = z + (n = left / (nx * ny));
            n *= nx * ny;
        } else if (x == 0 && left >= nx) {
            n = left / nx < ny - y ? left / nx : ny - y;
            end[0] = nx, end[1] = y + n;
            n *= nx;
        } else {
            n = left < nx - x ? left : nx - x;
            end[0] = x + n;
        }
        if (run_box(ctx, l, sregs, first, end)) return 1;
        lo += n;
    }
    return 0;
}

/* --- blocks, thread by thread ----------------------------------------------------------------- */

static int32_t run_each(WsCtx *ctx, const SimtLaunch *l, uint32_t *sregs, char *memory, int64_t lo,
                        int64_t hi) {
    for (int64_t k = lo; k < hi; k++) {
        sregs[WS_SREG_CTAID] = (uint32_t)(k % l->grid[0]);
        sregs[WS_SREG_CTAID + 1] = (uint32_t)(k / l->grid[0] % l->grid[1]);
        sregs[WS_SREG_CTAID + 2] = (uint32_t)(k / l->grid[0] / l->grid[1]);
        if (!simt_run_block(ctx, l, sregs, memory)) continue;
        note_place(ctx);
        return 1;
    }
    return 0;
}

/* --- chunks ----------------------------------------------------------------------------------- */

static size_t block_memory(const SimtLaunch *l) {
    return ((size_t)l->unit->shared_bytes + l->dynamic + LINE - 1) & ~(size_t)(LINE - 1);
}

/* New memory of n lines for shared arrays; NULL with the exception set. */
static char *new_memory(WsCtx *ctx, size_t size, void **block) {
    char *p = *block = mem_alloc(size + LINE);
    if (!p) {
        exc_release(ctx->exc);
        ctx->exc = exc_no_memory();
        return NULL;
    }
    return p + (LINE - (uintptr_t)p % LINE) % LINE;
}

static int32_t run_blocks(WsCtx *ctx, const SimtLaunch *l, int64_t lo, int64_t hi) {
    uint32_t sregs[WS_SREGS];
    void *block, *outer_shared = ctx->shared;
    const uint32_t *outer = ctx->sregs;
    char *memory = new_memory(ctx, block_memory(l), &block);
    if (!memory) return 1;
    fill_sregs(sregs, l);
    ctx->sregs = sregs;
    ctx->shared = memory;
    int32_t rc = l->unit->method == UNIT_BLOCKS ? run_boxes(ctx, l, sregs, lo, hi)
                                                : run_each(ctx, l, sregs, memory, lo, hi);
    ctx->sregs = outer;
    ctx->shared = outer_shared;
    mem_free(block);
    return rc;
}

static int32_t run_chunk(WsCtx *ctx, const RegionHead *slots, int64_t lo, int64_t hi,
                         char *partial) {
    const Work *w = (const Work *)slots;
    (void)partial;
    return run_blocks(ctx, w->l, w->first + lo, w->first + hi);
}

/* Blocks that wait for each other: all in this thread. */
static int32_t run_together(WsCtx *ctx, const SimtLaunch *l, int64_t blocks) {
    uint32_t sregs[WS_SREGS];
    size_t each = block_memory(l);
    void *block, *outer_shared = ctx->shared;
    const uint32_t *outer = ctx->sregs;
    char *memory = new_memory(ctx, each * (size_t)blocks, &block);
    if (!memory) return 1;
    fill_sregs(sregs, l);
    ctx->sregs = sregs;
    int32_t rc = simt_run_all(ctx, l, sregs, memory, each);
    if (rc) note_place(ctx);
    ctx->sregs = outer;
    ctx->shared = outer_shared;
    mem_free(block);
    return rc;
}

/* How long a block takes is known when the first one is done: it decides whether more threads are worth while. */
int32_t simt_run(WsCtx *ctx, const SimtLaunch *l) {
    static const double per_ns = 3; /* simple instructions */
    int64_t blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (l->unit->method == UNIT_GRID) return run_together(ctx, l, blocks);
    if (blocks == 1 || pool_threads() == 1) return run_blocks(ctx, l, 0, blocks);
    uint64_t start = os_now_ns();
    if (run_blocks(ctx, l, 0, 1)) return 1;
    double ns = (double)(os_now_ns() - start);
    Work w = {.head = {.n = blocks - 1, .apart = 1, .cost = ns * (double)(blocks - 1) * per_ns},
              .l = l,
              .first = 1};
    RegionBody *body = run_chunk;
    void *address;
    memcpy(&address, &body, sizeof address);
    return ws_region(ctx, 0, address, &w);
}
