/* Words that are others after a change: see watch.c. GIL held. */
#pragma once
#include "dispatch/disp.h"

/* Once, at import: finds out what can be watched. */
void watch_init(void);
/* The word to look at while the object lives; NULL: it has none. */
const uint64_t *watch_dict(PyObject *dict); /* counts its changes */
const uint64_t *watch_cell(PyObject *cell); /* the address of what is in it, or 0 */
const uint64_t *watch_bases(PyObject *cls); /* the address of its __mro__ */
