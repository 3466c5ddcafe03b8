/* Inside src/types: the table of types, shared by the files that make them. */
#pragma once
#include "types/types.h"

/* The interned type equal to *probe, made if need be; NULL when out of memory. The probe has its
 * identity filled in (kind, bits, pieces, object); parts, size and name are worked out here.
 * `label`: text that the name shows for obj or code, or NULL. items and names of the probe are
 * copied. Never needs the GIL. */
Type *ty_intern(const Type *probe, const char *label);
/* The same, but NULL if there is none yet. */
Type *ty_lookup(const Type *probe);

/* NULL; why, for ty_ran_out. */
Type *ty_fail(bool for_memory);

/* Text of a type for people, as Numba prints it: new, to be freed with mem_free; NULL when out of
 * memory. */
char *ty_new_name(const Type *t, const char *label);

/* Number of parts of the type, and their kinds written to out (NULL: only count). The pieces are
 * complete. */
uint32_t ty_fill_parts(const Type *t, uint8_t *out);
