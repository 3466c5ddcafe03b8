/* A block before a loop that runs only if there is a first iteration:
 *
 *     before: jump header(init)              before: branch test(init), first, header(init)
 *     header: branch test, body, out    ->   first:  ...;  jump header(init)
 *     body:   ...                            header: branch test, body, out                    */
#pragma once
#include "opt/affine.h"

typedef struct First {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const Loop *loop;
    BlockId before, block; /* the preheader; the new block, NO_BLOCK until it is made */
    Map copies;            /* value of the loop -> its copy before the loop */
} First;

/* Can the loop's test be asked before it, and is nothing done where it is asked? */
bool first_look(First *f, const Loop *loop);
/* Is r a pure function of what comes into the loop? */
bool first_can_read(const First *f, Ref r);
/* handler: where an exception raised in the block goes. */
void first_make(First *f, const Edge *handler);
/* In what follows the header's parameters are what comes in. */
void first_enter(First *f);
/* r as it is in block `to`, before the loop: itself, or a copy of what computes it. */
Ref first_read(First *f, BlockId to, Ref r);
