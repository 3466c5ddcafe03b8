/* Memory that holds machine code, for as long as the process lives.
 *
 * A slab is mapped twice: code is written through one view and runs in the other, so no page is
 * ever writable and executable at one address. Code grows from the front, jumps to imports from the
 * back:
 *
 *   | unit | unit | unit | ..... free ..... | import | import |      distances fit 32 bits
 *
 * An import is 16 bytes: a jump through the address behind it, so that the same entry serves calls
 * (to its start) and loads of the address (GOT, at +8). One entry per address and slab. All calls
 * here need code_lock. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CodeSlab CodeSlab;

typedef struct CodeRoom {
    CodeSlab *slab;
    char *write; /* where to put it ... */
    char *exec;  /* ... and where it will be */
    size_t size;
} CodeRoom;

void code_lock(void);
void code_unlock(void);

/* Room for `size` bytes, 64-byte aligned, and for `imports` entries more in the same slab. 0, or -1
 * when out of memory. The room stays free until code_commit: a failed load just forgets it.
 * `debug`: in slabs that are mapped once, writable and executable, because debuggers cannot set
 * breakpoints in the others. */
int code_reserve(size_t size, uint32_t imports, bool debug, CodeRoom *out);
void code_commit(const CodeRoom *room);

/* The entry for an address, made if need be (at most as many as reserved): its place in the
 * executable view. */
char *code_import(const CodeRoom *room, uint64_t address);

/* A function in memory of its own that jumps to `target` with `data` in the register for closures (r10; x15 on
 * AArch64): C callbacks. NULL when out of memory. Takes code_lock itself. */
void *code_closure(const void *target, const void *data);

/* Bytes mapped for code so far. */
size_t code_mapped(void);
