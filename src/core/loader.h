/* Loads an ELF relocatable object, as codegen makes them, into executable memory.
 *
 * Code and read-only data only: units have no state of their own. Names that the object does not
 * define come from find_symbol and are called through the slab's imports (core/code.h), so any
 * distance works. Safe from any thread; needs no GIL. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LoadRequest {
    const char *object; /* borrowed for the call; any alignment */
    size_t size;
    const char *entry; /* symbol whose address is wanted */
    const char *name;  /* for profilers: "f" */
    void *(*find_symbol)(const char *name);
    bool debug; /* show the object to gdb; keeps a copy for good */
} LoadRequest;

typedef struct LoadResult {
    void *entry;
    const void *code;
    size_t code_size;
    char error[200]; /* one line, when it failed; empty: there was no memory */
} LoadResult;

/* 0, or -1 with out->error set: not an object of this machine, an unknown symbol or relocation, or
 * with out->error empty: no memory. */
int loader_load(const LoadRequest *req, LoadResult *out);
