/* Parallel loops, for all who know of them: the pass that makes them (opt/parallel.c), the IR's verifier and
 * interpreter, code generation (codegen/region.c), the threads that run them (runtime/pool.c).
 *
 * A region is one loop at work: iterations [0, n), cut into chunks of equal size. OP_REGION has it cut, and calls
 * the loop's body, a function over a part of the iterations, for each chunk. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REGION_CHUNKS = 64, /* most chunks of a region that has partial results */
    REGION_ALONE = 60000, /* what costs less, in simple instructions, is one chunk */
};

/* Operands of OP_REGION; the values that its body reads follow. imm: bytes of one chunk's partial results. */
enum { REGION_N, REGION_APART, REGION_COST, REGION_PARTIALS, REGION_VALUES };

/* Arguments of the body; the values follow. */
enum { REGION_LO, REGION_HI, REGION_PARTIAL, REGION_BODY_VALUES };

/* What the slots of a region begin with, 8 bytes each: those operands, and its imm. */
typedef struct RegionHead {
    int64_t n; /* iterations; on return: chunks */
    int64_t apart; /* 0: arrays overlap, all has to run in one chunk */
    double cost; /* of all iterations, in simple instructions; an estimate */
    char *partials; /* room for REGION_CHUNKS partial results; NULL: there are none */
    int64_t stride; /* bytes of one */
} RegionHead;

enum { REGION_HEAD = sizeof(RegionHead) / 8 };

#define REGION_IS_AT(operand, field) \
    _Static_assert(offsetof(RegionHead, field) == 8 * (operand), "slots follow the operands")
REGION_IS_AT(REGION_N, n);
REGION_IS_AT(REGION_APART, apart);
REGION_IS_AT(REGION_COST, cost);
REGION_IS_AT(REGION_PARTIALS, partials);
REGION_IS_AT(REGION_HEAD - 1, stride);

/* What ws_apart is told of an array beside its parts. */
typedef struct RegionArray {
    int64_t ndim, item; /* item: bytes of an element */
    bool strided;
} RegionArray;

static inline int64_t region_pack_array(RegionArray a) {
    return a.ndim | a.item << 8 | (int64_t)a.strided << 56;
}
static inline RegionArray region_unpack_array(int64_t k) {
    return (RegionArray){k & 0xff, k >> 8 & INT64_C(0xffffffffffff), k >> 56 & 1};
}
