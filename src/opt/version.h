/* Between opt/version.c, which says what checks ask for, and its parts: what may be read in any iteration
 * (version_free.c), asking before the nest (version_ask.c). */
#pragma once
#include "opt/affine.h"
#include "opt/outline.h"

enum { EITHER = 2 }; /* ways to show one thing, tried at run time */

/* One thing to be shown before the nest: any of the sums is <= 0, or the value `cond` is true (an
 * index check: would pass). */
typedef struct Goal {
    Lin any[EITHER];
    uint32_t n;
    Ref cond;
} Goal;

/* A check that the goals make needless. */
typedef struct Drop {
    Ref check; /* 0: a wrap without a check */
    Ref wrap; /* becomes its index, or index + size if `from_end`; 0: stays */
    bool from_end;
} Drop;

/* A subscript whose check goes, and would anywhere in its innermost loop. */
typedef struct Free {
    BlockId block;
    Ref index, size;
} Free;

typedef struct Version {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const OutUses *uses;
    Loop *nest;
    VEC(Goal) goals;
    VEC(Drop) drops;
    VEC(Free) frees;
    BlockId before; /* the preheader */
    Map early; /* value of the nest -> its copy in the preheader */
    Subst sub; /* of wraps that went; applied once, at the end */
    bool changed;
} Version;

/* Adds what must be shown for d <= 0 in block b; false if nothing would do. */
bool version_add_goal(Version *v, Lin d, BlockId b);
bool version_same_goal(const Goal *a, const Goal *b);

/* What has been asked for so far, to go back to. */
typedef struct Mark {
    uint32_t goals, used;
} Mark;
static inline Mark version_mark(const Version *v) { return (Mark){v->goals.n, v->af->used.n}; }
static inline bool version_forget(Version *v, Mark m) {
    v->goals.n = m.goals;
    v->af->used.n = m.used;
    return false;
}

/* A subscript i of an axis with that size, in block b, whose check goes: notes it if it is free. */
void version_note_free(Version *v, BlockId b, Ref i, Ref size);
/* Marks what may be read in every iteration, though it stands behind a condition: where conditions are
 * values, the loop can become vector code. (See opt/select.c) */
void version_mark_free_loads(Version *v);

/* The largest bound 2**bits on what does not change that keeps every sum within int64; 0: none
 * would do. */
int version_find_small(Version *v);
/* All goals, and that what does not change is within that bound, as one value in `before`; 0: there is nothing to
 * ask. */
Ref version_ask(Version *v, int bits);
