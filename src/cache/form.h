/* Types as text that reads back in another process: by structure, their objects by number.
 *
 *   type = word                           none bool str bytes range exc int64 uint8 float32 complex128
 *        | word "(" type {"," type} ")"   tuple slice optional dtype zip iter enumerate reversed choice
 *        | "array(" type "," layout flags digits ")"     layout C, F or A; flags r (read-only), u (not
 *                                                        aligned); digits: the number of dimensions
 *        | word "#" digits                func module class: an object of the walk
 *        | "enum#" digits "(" type ")"    the type of the values
 *        | "named#" digits "(" name ":" type {"," ...} ")"    a named tuple
 */
#pragma once
#include "cache/walk.h"

typedef struct FormOut {
    Cx *cx;
    Walk *walk;
    Buf *text;
    bool add; /* objects that the walk has not met are met now */
} FormOut;

/* Appends the type. False: it cannot be found again in another process. */
bool form_write(FormOut *out, const Type *ty);

/* The type at *at, which moves behind it; NULL: no such type (or its object is of the wrong sort). GIL
 * held. */
Type *form_read(const Walk *walk, const char **at);
