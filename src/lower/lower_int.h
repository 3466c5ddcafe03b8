/* Shared by the files of lower/ and by builtins that need more than values. */
#pragma once
#include <Python.h>

#include "lower/lower.h"

uint32_t lower_class_number(Lower *lo, PyObject *cls);
/* An exception of this class with these arguments, owned. */
Ref lower_new_exception(Lower *lo, PyObject *cls, uint32_t n, const Ref *args);
/* Is it one of the class, or of a tuple of classes; bool. The null pointer is of none. */
Ref lower_exc_match(Lower *lo, Ref exc, const Type *cls);
/* Are both the same exception; bool. */
Ref lower_exc_is(Lower *lo, Ref a, Ref b);
/* Is it the class `other`, known or another exception's; bool. cls: EXC_ITS_CLASS. */
Ref lower_exc_class_is(Lower *lo, Ref cls, Ref other);
void lower_exc_context(Lower *lo, const Ins *ins);
Ref lower_exc_enter(Lower *lo, Ref exc);
void lower_exc_leave(Lower *lo, Ref before);
/* Ends the block: raises the exception here, at lo->span. */
void lower_raise(Lower *lo, Ref exc);
void lower_raise_term(Lower *lo, const Term *t);
/* Number of items of anything iterable, and the item at a position that is in range. */
Ref lower_length(Lower *lo, Ref v);
Ref lower_item(Lower *lo, Ref v, Ref pos);
/* A call of an instance with its bound arguments. */
Ref lower_call_inst(Lower *lo, const Callee *c);
/* Text of a value as f"{v!conversion:spec}" (conversion 0, 's', 'r', 'a'; spec: a str, or 0): a str. */
Ref lower_format(Lower *lo, Ref v, int conversion, Ref spec);
/* n str joined. */
Ref lower_concat(Lower *lo, uint32_t n, const Ref *pieces);
