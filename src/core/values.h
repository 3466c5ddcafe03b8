/* Values of a type as 8-byte slots, one per part: counting what they own. */
#pragma once
#include "types/types.h"

/* Counts up (down) every owner in the value. An optional without a value owns nothing. Releasing
 * may take the GIL (a Python object lost its last reference). */
void val_retain(const Type *t, const uint64_t *slots);
void val_release(const Type *t, const uint64_t *slots);
