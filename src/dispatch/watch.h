/* Words that are others after a change: see watch.c. GIL held. */
#pragma once
#include "dispatch/disp.h"

/* Once, at import: finds out what can be watched. */
void watch_init(void);
/* The word to look at while the dict or cell lives; NULL: it has none. */
const uint64_t *watch_dict(PyObject *dict);
const uint64_t *watch_cell(PyObject *cell);
