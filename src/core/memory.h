/* Counted memory: what arrays and strings of compiled code own.
 *
 * An owner block is a 64-byte header, for heap blocks followed by the data. Compiled code counts
 * through ws_retain and ws_release and takes the data's address as owner + OWNER_DATA. Small blocks
 * go through free lists of the releasing thread, large ones are kept for a while (core/shelf.h). */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _object PyObject;

typedef enum OwnerKind {
    OWNER_HEAP,     /* data follows the header */
    OWNER_PYOBJECT, /* keeps a Python object alive (an ndarray, a str); nothing follows */
    OWNER_CELL, /* a variable of type `holds`: a word that says whether it is set, then its parts */
} OwnerKind;

enum { OWNER_DATA = 64 }; /* bytes from the block to its data, which is 64-byte aligned */

typedef struct WsOwner {
    _Alignas(64) _Atomic int64_t refs;
    uint32_t kind; /* OwnerKind */
    uint32_t bin; /* free list that it returns to; MEMORY_BINS: none */
    int64_t size; /* bytes of data asked for */
    void *raw; /* what mem_alloc gave; the header is the first 64-byte boundary in it */
    PyObject *obj; /* OWNER_PYOBJECT: owned */
    const struct Type *holds; /* OWNER_CELL: what is counted in it */
    union {
        struct WsOwner *next; /* on a free list */
        size_t room; /* MEMORY_BINS: bytes behind the header */
    };
} WsOwner;

_Static_assert(sizeof(WsOwner) == OWNER_DATA, "compiled code adds OWNER_DATA");

/* No array has more bytes, which passes rely on (one with several axes, or with strides, may have sizes that say
 * more): twice what processors can address, with room for sums of lengths to spare. */
#define MEM_MOST_BYTES (INT64_C(1) << 57)

enum { MEMORY_BINS = 17 }; /* data of at most 0, 64, 128 ... 1024 bytes */

/* A new block with refs 1 and room for `size` bytes, or NULL when out of memory (or size < 0). No
 * GIL needed. */
WsOwner *mem_new_owner(int64_t size);
/* A new owner that keeps obj alive (takes a new reference), or NULL when out of memory. GIL
 * held. */
WsOwner *mem_own_object(PyObject *obj);
/* A new cell that is not set, or NULL when out of memory. */
WsOwner *mem_new_cell(const struct Type *holds);
/* Counts down; frees at 0, taking the GIL for a Python object. NULL is allowed. */
void mem_release_owner(WsOwner *o);
/* The same with the GIL held by the caller. */
void mem_release_owner_held(WsOwner *o);

static inline void *owner_data(WsOwner *o) { return (char *)o + OWNER_DATA; }
static inline void mem_retain_owner(WsOwner *o) {
    if (o) atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
}

/* Blocks made and freed so far by this thread and by those that have ended; for leak tests. */
typedef struct MemoryStats {
    uint64_t made, freed;
} MemoryStats;
MemoryStats mem_stats(void);
