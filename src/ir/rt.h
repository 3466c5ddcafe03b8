/* Runtime functions that compiled code calls by name: rows of runtime/runtime.def. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* One letter a value: i int64, l int32, b bool, d float64, f float32, p pointer, v nothing, c Ctx (passed first,
 * unseen in the IR), A: address of a stack copy of the value's parts as 8-byte slots (any type), R: the same for
 * the result, which the callee fills (last parameter; the function itself then returns v or s), s: status
 * (int32, 0 good, else the exception is in the Ctx). */
typedef struct RtFn {
    const char *name; /* symbol, "ws_..." */
    const char *proto; /* "i(ii)", "s(cpAR)" */
    unsigned
        effects; /* Effect bits of ir.h; TYPED: with a site of its own, whose one type is that of R, else of A */
    void *address; /* in _core; NULL in _compiler's copy */
    bool inlined; /* its bitcode is linked in */
} RtFn;

extern const RtFn rt_table[];
extern const uint32_t rt_count;
/* The row, or NULL. */
const RtFn *rt_find(const char *name);
