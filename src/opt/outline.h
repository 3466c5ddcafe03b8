/* Between opt/version.c, which decides, and opt/outline.c, which cuts a loop nest out of its
 * function. */
#pragma once
#include "opt/affine.h"

/* Where values of loops are used outside them; once a function, before a nest is cut out. */
typedef struct OutUses OutUses;
OutUses *outline_find_uses(Cx *cx, const Affine *af);

/* Can the nest be copied into a function of its own? (edges of exceptions, operations that must not
 * be copied) */
bool outline_is_possible(const Affine *af, const OutUses *uses, const Loop *nest);

/* Makes a function of its own out of a copy of the nest and lets the preheader go there if `ok` is
 * false. Values that are used behind the nest come from whichever ran. */
void outline_slow(Cx *cx, const Affine *af, const OutUses *uses, const Loop *nest, Ref ok);
