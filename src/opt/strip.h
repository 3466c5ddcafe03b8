/* Between opt/strip.c, which decides, and opt/strip_build.c, which builds the two passes over a
 * strip. */
#pragma once
#include "opt/affine.h"

enum { STRIP = 64, STRIP_SHORT = 16, STRIP_STACK = 16 << 10 }; /* iterations; bytes of buffers */

/* The first pass reads `read`, the loop writes `written`: elements of two arrays that must not
 * share memory; or they are one (the same data, the same inner sizes), if that does no harm. */
typedef struct Overlap {
    Ref read, written; /* the arrays */
    bool may_be_same;
} Overlap;

typedef struct StripPlan {
    Cx *cx;
    Fn *fn;
    Affine *af;
    Loop *loop;
    uint32_t size; /* STRIP, at most; or STRIP_SHORT, exactly */
    Ref counter, limit; /* the header goes on while counter < limit; counter += 1 at the latch */
    Map at;             /* block of the loop -> its position in loop->blocks + 1 */
    Refs checks;        /* CHECK and CHECK_INDEX instructions of the loop */
    Refs divisions;     /* of integers by what changes: done in floats, where they are small */
    Map wraps;          /* WRAP whose index is checked in the loop -> the index as written */
    Map first;          /* value -> 1: the first pass computes it */
    Refs saved;         /* those of them that it leaves in buffers for the second */
    Map is_saved;       /* value -> its number in saved + 1 */
    VEC(Overlap) overlaps;
    /* per position in loop->blocks */
    uint32_t *meet; /* where all ways from here come together again */
    bool *keeps;    /* its branch is one in the first pass too */
    bool *merges;   /* the first pass needs one of its parameters */
} StripPlan;

/* Position of block b in the loop + 1; 0: outside. */
static inline uint32_t strip_at(const StripPlan *p, BlockId b) {
    return (uint32_t)map_get(&p->at, b, 0);
}
/* A division of integers that floats can do, but no vector of integers. */
static inline bool strip_is_division(const Fn *fn, const Ins *i) {
    return (i->op == OP_FLOORDIV || i->op == OP_FLOORMOD) && i->ty->kind == TY_INT &&
           (i->ty->is_signed || i->ty->bits < 64) && !ir_is_const(fn, i->args[1]);
}
static inline bool strip_has(const StripPlan *p, Ref r) { return map_get(&p->first, r, 0) != 0; }

void strip_build(StripPlan *p);
/* In block `to`, before the loop: does no pair of arrays stand in the way? 0: there is none. */
Ref strip_ask_overlaps(const StripPlan *p, BlockId to);
