/* Do the iterations of a loop depend on each other? For opt/parallel.c, which lets loops run on several
 * threads, and for the report. */
#pragma once
#include "opt/affine.h"

/* How a value is put together from what iterations add to it. */
typedef enum Family {
    NOT_ONE,
    SUM,
    PRODUCT,
    EXTREME, /* the larger, or the smaller; `step` or `test` says how it is chosen */
    FOLLOWS, /* whatever goes with an EXTREME: the place of it */
    BITS_AND,
    BITS_OR,
    BITS_XOR
} Family;

typedef struct Reduction {
    Ref param; /* of the loop's header */
    Family family;
    Ref step; /* one instruction that does it: its fast-math flags; a function that gives the EXTREME */
    Ref test; /* EXTREME and FOLLOWS: the comparison that chooses, or 0: step does */
    Ref so_far; /* EXTREME: the operand of the test that is the value so far */
    bool takes_if; /* a new value is taken if the test is true, or if it is false */
} Reduction;

/* The same for an element of an array, which is the same one in all iterations: each only loads it, combines it and
 * stores it. */
typedef struct PlaceSum {
    Family family; /* not EXTREME, not FOLLOWS */
    Ref step; /* one of them */
    Refs elems; /* the addresses */
} PlaceSum;

typedef enum AskKind {
    ASK_APART, /* arrays a and b share no memory */
    ASK_PLAIN, /* the subscript a (pure, of the counter and of what does not change) is never negative */
    ASK_STEP /* a, which counters are multiplied with, is not 0, and small: no product wraps around */
} AskKind;

/* What only run-time values tell: the answer is "free" if all of these hold. */
typedef struct RunTimeAsk {
    AskKind kind;
    Ref a, b;
} RunTimeAsk;

typedef enum DependAnswer {
    DEPEND_FREE,
    DEPEND_BOUND, /* one iteration needs another, or they write one place */
    DEPEND_DATA, /* where they write is read from memory: nobody can know */
    DEPEND_UNKNOWN
} DependAnswer;

typedef struct Depend {
    DependAnswer answer;
    const char *why; /* unless free */
    Span at; /* the place of `why`; line 0: the loop itself */
    Ref counter;
    VEC(Reduction) reductions;
    VEC(PlaceSum) places;
    VEC(RunTimeAsk) asks;
    const char *apart, *sums; /* for people: "; if these share no memory: ...", "; 's' is a sum" */
} Depend;

/* The affine analysis need not be set to the loop. */
Depend depend_look(Cx *cx, Fn *fn, Affine *af, Loop *loop);

/* In block b: do arrays x and y share no memory? (ASK_APART) */
Ref depend_ask_apart(Cx *cx, Fn *fn, BlockId b, Ref x, Ref y);

/* Does the block end, by jumps alone, in an exception that leaves the function? */
bool depend_only_raises(const Fn *fn, BlockId b);
