/* What the parts of the affine analysis know of each other. */
#pragma once
#include "opt/affine.h"

typedef __int128 Wide;

static const Lin no_lin = {.ok = false};

static const Range range_full = {INT64_MIN, INT64_MAX};
Range range_mul(Range a, Range b); /* range_full if it does not fit */

/* Finds the counters of the loop and of those inside it. */
void affine_find_counters(Affine *af, Loop *loop);
/* Is every symbol one whose size a check before the nest can bound? */
bool affine_can_be_small(Affine *af, const Lin *l);
/* Is a divisor of integers not 0 once the division is done? */
static inline bool affine_checks_divisors(const Affine *af) {
    return !af->fn->options.numpy_errors;
}
