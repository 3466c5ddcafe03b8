/* Growable arrays in the compile's arena: VEC(T) v = {0}; *vec_add(cx, &v) = x; v.at[i]; v.n. */
#pragma once
#include <string.h>

#include "base/cx.h"

#define VEC(T)           \
    struct {             \
        T *at;           \
        uint32_t n, cap; \
    }

/* Room for `more` elements of `size` bytes; returns the array, moved if need be. */
void *vec_reserve(Cx *cx, void *at, uint32_t n, uint32_t *cap, uint32_t more, size_t size);

/* A pointer to a new zeroed element at the end; valid until the next growth. */
#define vec_add(cx, v)                                                                      \
    ((v)->at = vec_reserve((cx), (v)->at, (v)->n, &(v)->cap, 1, sizeof *(v)->at), (v)->n++, \
     &(v)->at[(v)->n - 1])
#define vec_push(cx, v, x) ((void)(*vec_add(cx, v) = (x)))
#define vec_last(v)        ((v)->at[(v)->n - 1])
