/* Launches on the CPU device: which blocks of the grid one call of a kernel's code runs.
 *
 * A compiled kernel loops over a box of blocks, given by its corners; a whole grid is one box. */
#pragma once
#include "core/ctx.h"

typedef struct SimtBox {
    uint32_t sregs[WS_SREGS]; /* as WsCtx.sregs */
} SimtBox;

/* The box of all blocks of a grid; grid: blocks along x, y, z, each at least 1. */
void simt_fill_box(SimtBox *box, const uint32_t grid[3]);
