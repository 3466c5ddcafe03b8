/* Between opt/parallel.c, which decides, and opt/parallel_build.c, which puts a region in a loop's place. */
#pragma once
#include "opt/cut.h"
#include "opt/depend.h"

typedef struct Parallel {
    Cx *cx;
    Fn *fn;
    Affine *af;
    Loop *loop;
    Depend d;
    VEC(BlockId) blocks; /* of the loop, then those behind it that only raise */
    Piece piece; /* those */
    Ref n; /* iterations; negative: none */
    Edge out; /* of the header */
    uint32_t stride; /* bytes of a chunk's partial results */
    Refs places; /* of d.places, outside of the loop: their addresses */
    Ref apart; /* the answer to all questions */
} Parallel;

static inline bool parallel_is_in(const Parallel *p, BlockId b) {
    return affine_is_in(p->af, p->loop, b);
}
static inline const Block *parallel_header(const Parallel *p) {
    return &p->fn->blocks.at[p->loop->header];
}

/* What one iteration of the loop costs (opt_weigh), loops inside aside. */
double parallel_weigh(const Parallel *p, const Loop *loop);
/* Can what depend.c asks for be asked before the loop? */
bool parallel_can_ask(const Parallel *p);
/* The loop is gone. handler: where its exceptions go, or NULL. */
void parallel_replace(Parallel *p, const Edge *handler);
