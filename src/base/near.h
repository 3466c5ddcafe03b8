/* "Did you mean": the name among many that is most like one that was misspelt. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Near {
    const char *name; /* as it was written */
    const char *best; /* the nearest candidate so far; NULL: none is near */
    unsigned distance;
} Near;

/* Looks at one candidate; names of 32 bytes or more are never near. Upper and lower
 * case are the same. */
void near_try(Near *n, const char *candidate);
