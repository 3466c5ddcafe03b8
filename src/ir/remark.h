/* Where in the user's source a remark belongs. */
#pragma once
#include "base/remark.h"
#include "ir/ir.h"

typedef struct Place {
    Span span; /* line 0: not in the user's source */
    const char *via; /* the library function, called at span, that it is about; NULL: none */
} Place;

/* Of an instruction or terminator: the first of its span and the calls it was inlined by that is not ours. */
Place ir_place(const Cx *cx, const Fn *fn, Span span, uint32_t origin);
/* Of the line that a loop begins on. */
Place ir_place_of_loop(const Cx *cx, const Fn *fn, const Loop *loop);
