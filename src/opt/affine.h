/* Integer values as sums, loops as ranges of their counters, and what can be proved from both.
 *
 *   Lin      c + k1*s1 + k2*s2*s3 + ...: symbols are values of the function; exact, in whole
 *            numbers, not modulo 2**64
 *   Counter  a loop's header parameter that goes up or down by a constant, with its bounds inside
 *            the body
 *   fact     a Lin that is <= 0 wherever a certain block runs
 *
 * range proves checks with them at compile time, version turns what is left into checks before the
 * loop, strip asks which elements an iteration touches. */
#pragma once
#include "base/map.h"
#include "opt/opt_int.h"

enum { LIN_TERMS = 8, BOUNDS = 4 };

/* k * a * b; b == 0: k * a. a <= b. */
typedef struct Term2 {
    Ref a, b;
    int64_t k;
} Term2;

typedef struct Lin {
    bool ok;      /* false: not expressible (too many terms, too large numbers) */
    bool assumed; /* exact only if its symbols are small (LIN_ASSUME) */
    bool condition; /* in Affine.used: it must be <= 0 */
    uint8_t n;
    int64_t c;
    Term2 t[LIN_TERMS];
} Lin;

/* Smallest and largest value; both ends belong to it. */
typedef struct Range {
    int64_t lo, hi;
} Range;

static inline Range range_unite(Range a, Range b) {
    return (Range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* In the body of `loop` (the blocks that `body` dominates):  lo <= scale * param <= each of
 * hi[0..nhi) (for a counter that goes down: lo[0..nlo) <= param <= hi). */
typedef struct Counter {
    Ref param;
    Loop *loop;
    BlockId body; /* where the loop's test has said yes */
    int64_t step; /* per iteration; not 0 */
    int64_t scale; /* >= 1, or 0: `scaled_by` */
    Ref scaled_by; /* a symbol > 0 */
    Lin lo[BOUNDS], hi[BOUNDS]; /* several: a limit that is a minimum */
    uint32_t nlo, nhi;
    bool is_bound_simpler; /* its test asks for max(n, 0) or the like, hi[0] is n - 1 */
    bool stops; /* it can not run over the ends of int64 ... */
    bool stop_assumed; /* ... provided that `limit` is small */
    Lin limit; /* what its test compares it with */
    int64_t end; /* it never goes further than this, in the header either; if it stops for sure */
} Counter;

/* How far sums are taken apart. */
typedef enum LinMode {
    LIN_EXACT, /* only where no operation can wrap around */
    LIN_MODULO, /* everywhere: right modulo 2**64, so exact if the result is proved to fit */
    LIN_ASSUME  /* also sums of counters and of values that do not change in the nest: exact if
                   those are small, which the caller must see to for the sums in `used` */
} LinMode;

enum { FACTS = 8 };

typedef struct Affine {
    Cx *cx;
    Fn *fn;
    const Cfg *cfg;
    const Loops *loops;
    Incoming in;
    Map counters; /* param -> Counter */
    Map follows; /* param -> what growth.c has found out */
    Map sizes; /* array and axis -> what reads the size; made when first asked for */
    bool has_sizes;
    Map ranges; /* Ref -> Range * (NULL while it is being found) */
    LinMode mode; /* of facts and bounds */
    const Loop *nest; /* LIN_ASSUME: what "does not change" refers to */
    VEC(Lin) used; /* LIN_ASSUME: the assumed sums that successful proofs rest on */
    Map invariant; /* Ref -> 1 no, 2 yes */
    bool *gone;       /* per block: in a nest that was versioned; not to be read from outside */
    Lin facts[FACTS]; /* of block facts_at, nearest first: from the branches that lead there */
    uint32_t nfacts;
    BlockId facts_at; /* NO_BLOCK: none yet */
    uint32_t depth; /* of the recursion at hand */
} Affine;

/* mode: how facts and bounds take sums apart: LIN_EXACT or LIN_ASSUME. */
Affine *affine_new(Cx *cx, Fn *fn, LinMode mode);
/* The same for passes that change loops: gives every loop a preheader first (a block that ends in a
 * jump to the header and is the only way in). NULL: there are no loops. */
Affine *affine_new_loops(Cx *cx, Fn *fn, LinMode mode);
/* LIN_ASSUME: sets the nest and finds the counters in it; what was found for another one is
 * forgotten. */
void affine_set_nest(Affine *af, Loop *nest);
/* Is b in the loop? */
bool affine_is_in(const Affine *af, const Loop *loop, BlockId b);
/* Does r not change in the nest: computed outside, or could be (pure, and safe to compute
 * early)? */
bool affine_is_invariant(Affine *af, Ref r);

Lin lin_const(int64_t c);
Lin lin_symbol(Ref r);
Lin lin_add(Lin a, Lin b, int64_t times); /* a + times * b */
Lin lin_mul(Lin a, Lin b);
bool lin_equal(Lin a, Lin b);
/* Value r as a sum. */
Lin affine_lin(Affine *af, Ref r, LinMode mode);

/* The array's size along an axis; 0: nothing reads it. */
Ref affine_size(Affine *af, Ref array, uint32_t axis);

Range affine_range(Affine *af, Ref r);
Counter *affine_counter(const Affine *af, Ref param);

/* opt/growth.c, about a header's parameter: q <= *most, if it grows by no more per iteration than another
 * one in its loop; q >= *least, if it does not get smaller. */
bool affine_leader(Affine *af, Ref q, Lin *most);
bool affine_least(Affine *af, Ref q, Lin *least);

/* An upper bound of d in block `at`: the counter of the innermost loop in it is replaced by its
 * bound (which < nhi or nlo: the first, second ... one). False if nothing in it can be replaced.
 * d's own symbols are never assumed to be small. */
bool affine_bound(Affine *af, Lin d, BlockId at, uint32_t which, Lin *out);
/* Is d <= 0 whenever block `at` runs? */
bool affine_prove(Affine *af, Lin d, BlockId at);
/* LIN_ASSUME: up to `max` sums of symbols that do not change in the nest, any of which being <= 0
 * means that d is. Returns how many; 0 if there is none, or none that could be true. */
uint32_t affine_reduce(Affine *af, Lin d, BlockId at, Lin *out, uint32_t max);
