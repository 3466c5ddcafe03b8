/* Stacks of threads that stop and are resumed. */
#pragma once
#include <stddef.h>

/* Where a stack that does not run goes on. */
typedef struct SimtStack {
    void *sp;
    void *context; /* systems without our own switch */
} SimtStack;

/* A stack of `size` bytes from `low`, which begins in body(arg) when it is switched to. body must not return. */
void simt_open_stack(SimtStack *s, char *low, size_t size, void (*body)(void *), void *arg);
/* Leaves the stack at hand, whose state is kept in `from`, for the other one; returns when somebody switches back. */
void simt_switch(SimtStack *from, const SimtStack *to);
void simt_close_stack(SimtStack *s);
