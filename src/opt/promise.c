/* Takes away the checks of subscripts that the user has promised to be good (boundscheck=False).
 *
 * relies on: wrap, and all that reasons about subscripts, has run    keeps: the graph    breaks: nothing
 *
 * Until here they are checks as any other, because checks are what range, version, lockstep and select know
 * subscripts by: which are never negative, what the arrays' sizes must be for a whole nest, which elements may be read
 * even if a condition says no. Code without checks would come out slower than with them. What is left of them here
 * could only be asked in the loop. */
#include "opt/opt_int.h"

bool opt_promise(Cx *cx, Fn *fn) {
    (void)cx;
    bool any = false;
    for (Ref r = 1; r < fn->ins.n; r++) {
        if (fn->ins.at[r].block == NO_BLOCK || !opt_is_promise(&fn->ins.at[r])) continue;
        ir_kill(fn, r);
        any = true;
    }
    if (any) ir_sweep(fn);
    return any;
}
