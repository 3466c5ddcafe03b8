/* What the threads of a warp do together. */
#pragma once
#include <stdint.h>

enum { WARP_LANES = 32 };

/* The operations, as in the IR (ir/ir.h, WarpOp). */
typedef enum SimtWarpOp {
    SIMT_SHFL_IDX,
    SIMT_SHFL_UP,
    SIMT_SHFL_DOWN,
    SIMT_SHFL_XOR,
    SIMT_ALL,
    SIMT_ANY,
    SIMT_UNIFORM,
    SIMT_BALLOT,
    SIMT_MATCH_ANY,
    SIMT_MATCH_ALL,
    SIMT_ADD,
    SIMT_MIN,
    SIMT_MAX,
    SIMT_AND,
    SIMT_OR,
    SIMT_XOR,
    SIMT_ACTIVE,
    SIMT_SYNC
} SimtWarpOp;

/* An operation as compiled code passes it: opt/simt_collective.c packs it. */
typedef struct SimtWarp {
    SimtWarpOp op;
    unsigned kind; /* 0: bool or unsigned, 1: signed, 2: float */
    unsigned bits; /* of a value; 8: of a bool */
    unsigned group; /* lanes that shuffle among each other: 1 to 32 */
} SimtWarp;
SimtWarp simt_unpack_warp(int64_t code);

/* The barriers that vote, as in the IR (BarrierKind); GRID: all blocks wait. */
typedef enum SimtBarrier {
    SIMT_BARRIER,
    SIMT_VOTE_COUNT,
    SIMT_VOTE_AND,
    SIMT_VOTE_OR,
    SIMT_BARRIER_GRID
} SimtBarrier;

/* What each lane gives and gets; values are their bits. `there`: lanes that take part at all. */
typedef struct SimtLanes {
    uint32_t there;
    uint32_t mask[WARP_LANES];
    uint64_t value[WARP_LANES], out[WARP_LANES];
    int64_t lane[WARP_LANES];
} SimtLanes;
void simt_do_warp(SimtWarp w, SimtLanes *lanes);
