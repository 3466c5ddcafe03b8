/* The folder of the cache: the one place that touches the disk.
 *
 * Entries are files that never change: a writer makes a file of its own and renames it, so a reader finds
 * all of it or nothing, and nobody locks. Whatever goes wrong is no entry, or an entry that is not kept.
 * The folder must be the user's alone, since what is in it is run: otherwise the cache stays off. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Folder {
    int fd; /* -1: there is none */
    const char *path; /* "" if none can be named */
    const char *problem; /* why the cache is off; NULL: it is not */
    uint64_t limit; /* bytes that it may hold */
} Folder;

/* The folder, opened (and made, if need be) at the first call: WHIPSNAKE_CACHE_DIR, or whipsnake in
 * XDG_CACHE_HOME, or in ~/.cache. Lives as long as the process. */
const Folder *folder_open(void);

/* The file of that name: new memory (mem_free) and its size; NULL: there is none of ours. Marks it as used.
 */
char *folder_read(const char *name, size_t *size);
/* NULL, or what went wrong (static text): then there is no file. May make room by dropping files that were
 * not used for long. */
const char *folder_write(const char *name, const char *bytes, size_t size);
void folder_remove(const char *name);
/* Drops the least recently used entries until there is room, and what dead writers left. */
void folder_trim(void);
