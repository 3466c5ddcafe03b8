/* What an entry of the cache looks like: one file for one compiled signature, named after its key.
 *
 *   ImageHead   magic, key, checksum of everything behind it, size of the file
 *   body        written and read in this order; texts and bytes behind their length (u32):
 *
 *     name of the function                     text, for people
 *     entry symbol                             text
 *     nslots u32, escapes u64
 *     of kernels: method, shared_bytes, stack_bytes u32
 *     result type                              text of cache/form.h
 *     number of sites u32, then for each:
 *         function name, qualified name        texts
 *         where its file is                    u32: number of a function that is written in the same
 *                                              file, or PACKAGE_FILE and a path (text) below our package
 *         line, end_line, col, end_col         u32; lines count from that function's first, which is 1;
 *                                              0: there is none
 *         argument types                       u32, then texts
 *     number of exception classes u32, each a u32: number of an object
 *     number of captured arrays u32, each a u32 and its type
 *     number of places that were read u32, each a u32: its number in Walk.found
 *     object file                              bytes
 *
 * Numbers of objects and places are those of the walk (cache/walk.h), which the key stands for. Whatever is wrong
 * with a file, it is as if it were not there. Numbers are in the machine's order: entries of other
 * machines have other keys. */
#pragma once
#include "cache/blake2.h"

#define IMAGE_MAGIC  "WSNAKE\1\n"
#define IMAGE_SUFFIX ".wsc"

enum { PACKAGE_FILE = UINT32_MAX, IMAGE_LARGEST = 256 << 20 };

typedef struct ImageHead {
    char magic[8];
    uint8_t key[BLAKE_SIZE];
    uint8_t sum[BLAKE_SIZE];
    uint64_t size; /* of the whole file */
} ImageHead;
