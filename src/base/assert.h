/* Assertions of the WS_CHECKS build: what we rely on, never what a user's program can do wrong. */
#pragma once

#ifdef WS_CHECKS
#include <stdio.h>
#include <stdlib.h>

#define WS_ASSERT(cond) \
    ((cond) ? (void)0   \
            : (fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #cond), abort()))
#else
/* Not evaluated, but its names count as used. */
#define WS_ASSERT(cond) ((void)sizeof(!(cond)))
#endif
