/* Opening the other shared object. */
#pragma once
#include "core/unit.h"

/* Opens `_compiler` beside this library, once, and hands it `core`, which must live for good.
 * Result: lives as long as the process. NULL: *problem is a sentence (static or thread-local text).
 * No GIL needed. */
const CompilerApi *compiler_open(const CoreApi *core, const char **problem);
bool compiler_is_open(void);

/* Path of a file in the folder that this library was loaded from: 0, or -1 if it does not fit. */
int compiler_sibling(char *path, size_t size, const char *file);
