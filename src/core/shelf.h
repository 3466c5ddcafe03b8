/* Large blocks that are kept for a while when they are freed. Fresh memory from the system costs a page fault every
 * 4 KiB, several times what a simple loop over it takes; and the C library gives large blocks back at once. */
#pragma once
#include "core/memory.h"

enum {
    SHELF_LEAST =
        128 << 10, /* bytes of a block that is kept: below, the C library keeps it itself */
    SHELF_ALL = 64 << 20, /* bytes that are kept, in all */
};

/* A block with room for `size` bytes, and not much more; NULL: none is kept. */
WsOwner *shelf_take(size_t size);
/* Keeps a block that nobody uses any more, in place of older ones; false: the caller frees it. */
bool shelf_put(WsOwner *o);
/* Frees all. False: there was nothing. */
bool shelf_clear(void);
