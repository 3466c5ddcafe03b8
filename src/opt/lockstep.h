/* Between opt/lockstep.c, which decides, and opt/lockstep_build.c, which builds the loops over a strip. */
#pragma once
#include "opt/depend.h"

enum {
    LOCKSTEP_STRIP = 64, /* iterations that go together, at most */
    LOCKSTEP_FEW = 4, /* fewer are not worth it */
    LOCKSTEP_LEVELS = 4,
    LOCKSTEP_KEPT = 16 /* values that need buffers: 8 KiB of stack at most */
};

/* The outer loop (0), and the loops inside it, each the only one in the one before. */
typedef struct Level {
    Loop *loop;
    Ref count; /* its counter */
    VEC(BlockId)
    pre, post; /* its blocks before and behind the loop inside it, one after the other */
} Level;

typedef struct Lockstep {
    Cx *cx;
    Fn *fn;
    Affine *af; /* its nest is the outer loop */
    Level levels[LOCKSTEP_LEVELS];
    uint32_t last; /* the innermost */
    Ref limit; /* the outer loop goes on while its counter < limit */
    Depend d; /* its iterations; all questions are ASK_APART, of arrays that are there before it */
} Lockstep;

static inline const Block *lockstep_block(const Lockstep *l, BlockId b) {
    return &l->fn->blocks.at[b];
}
/* What parameter `param` of the loop's header is in the next iteration. */
static inline Ref lockstep_next(const Lockstep *l, const Loop *loop, Ref param) {
    return lockstep_block(l, loop->latch)->term.succ[0].args[ir_at(l->fn, param)->imm];
}

void lockstep_build(Lockstep *l);
