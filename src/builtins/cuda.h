/* What the rows of CUDA's functions share (cuda_index.c). */
#pragma once
#include "builtins/tables.h"

/* True if a kernel is compiled; else the error. */
bool cuda_in_kernel(Call *c);
/* The type, if a kernel is compiled. */
Type *cuda_type(Call *c, Type *ty);
/* Refuses an argument, whose parameter is named: always NULL. */
Type *cuda_refuse(Call *c, const char *text);
/* A register of the thread: int64. */
Ref cuda_register(Lower *lo, SregKind kind, int axis);
/* The number of the thread in its block, along x, then y, then z; its number in its warp. */
Ref cuda_thread(Lower *lo);
Ref cuda_lane(Lower *lo);
/* The integer type that an argument counts as for bits: int32, uint32, int64 or uint64; NULL: it is no integer. */
Type *cuda_int(const Call *c, uint32_t i);
