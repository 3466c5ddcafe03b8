/* Inside ir/verify*.c: what one run of the verifier carries along. */
#pragma once
#include "ir/ir.h"

typedef struct Verify {
    Cx *cx;
    const Fn *fn;
    const Cfg *cfg;
    BlockId b;         /* where we are, for the message */
    Ref at;            /* the instruction, or 0: the terminator or the block itself */
    const char *wrong; /* the first breach; later ones are not recorded */
} Verify;

/* Records a breach (a sentence without place or full stop), unless there is one already. */
__attribute__((format(printf, 2, 3))) void verify_breach(Verify *v, const char *fmt, ...);

/* Operand and result types of one LOW instruction, v->at (ir/verify_types.c). */
void verify_types(Verify *v);
