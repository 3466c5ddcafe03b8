/* Shapes of arrays: which reshapes need no copy, what does not fit. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/exceptions.h"
#include "runtime/runtime.h"

enum { MAX_RANK = 32 };

/* Axes of length 1 say nothing: they are left out. Returns the rank that remains. */
static int64_t drop_ones(int64_t rank, const int64_t *shape, const int64_t *strides, int64_t *s,
                         int64_t *t) {
    int64_t n = 0;
    for (int64_t i = 0; i < rank; i++)
        if (shape[i] != 1) {
            s[n] = shape[i];
            t[n++] = strides[i];
        }
    return n;
}

/* Groups of old axes and groups of new axes of equal size are matched from the left. Within a group of old
 * axes each must step exactly over the next; the new axes then step within it. Sizes are equal and not 0. */
static bool plan(int64_t n, const int64_t *shape, const int64_t *strides, int64_t m,
                 const int64_t *new_shape, int64_t *out) {
    int64_t i = 0, j = 0;
    while (i < n && j < m) {
        int64_t last_i = i, last_j = j, old_size = shape[i], new_size = new_shape[j];
        while (old_size != new_size)
            if (old_size < new_size)
                old_size *= shape[++last_i];
            else
                new_size *= new_shape[++last_j];
        for (int64_t k = i; k < last_i; k++)
            if (strides[k] != shape[k + 1] * strides[k + 1]) return false;
        out[last_j] = strides[last_i];
        for (int64_t k = last_j; k > j; k--) out[k - 1] = out[k] * new_shape[k];
        i = last_i + 1;
        j = last_j + 1;
    }
    for (; j < m; j++) out[j] = j > 0 ? out[j - 1] : 0; /* axes of length 1 */
    return true;
}

void ws_reshape_plan(int64_t rank, const int64_t *shape, const int64_t *strides, int64_t new_rank,
                     const int64_t *new_shape, int64_t *result) {
    int64_t s[MAX_RANK], t[MAX_RANK], n = drop_ones(rank, shape, strides, s, t), size = 1;
    for (int64_t i = 0; i < new_rank; i++) {
        result[1 + i] = 0;
        size *= new_shape[i];
    }
    result[0] = size == 0 || plan(n, s, t, new_rank, new_shape, result + 1);
}

/* --- shapes that do not fit ------------------------------------------------------------------- */

/* "(3,4) ": as NumPy writes a shape; returns what is behind the shape. */
static const int64_t *write_shape(char *out, size_t size, const int64_t *shape) {
    int64_t rank = *shape++;
    size_t n = (size_t)snprintf(out, size, "(");
    for (int64_t i = 0; i < rank && n + 24 < size; i++)
        n += (size_t)snprintf(out + n, size - n, i ? ",%lld" : "%lld", (long long)shape[i]);
    snprintf(out + n, size - n, rank == 1 ? ",)" : ")");
    return shape + rank;
}

Status ws_raise_shapes(WsCtx *ctx, int32_t site, int64_t fault, int64_t n, const int64_t *shapes) {
    char text[2][200], all[460] = "";
    for (int64_t i = 0; i < n; i++) {
        shapes = write_shape(text[i & 1], sizeof *text, shapes);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s ", text[i & 1]);
    }
    switch ((ShapeFault)fault) {
    case SHAPES_BROADCAST:
        rt_raise(ctx, site, EXC_ValueError,
                 "operands could not be broadcast together with shapes %s", all);
        break;
    case SHAPES_OUTPUT:
        rt_raise(ctx, site, EXC_ValueError,
                 "non-broadcastable output operand with shape %s doesn't match the broadcast shape "
                 "%s",
                 text[0], text[1]);
        break;
    case SHAPES_INPUT:
        rt_raise(ctx, site, EXC_ValueError,
                 "could not broadcast input array from shape %s into shape %s", text[0], text[1]);
        break;
    }
    return 1;
}

int64_t ws_powmod(int64_t base, int64_t exponent, int64_t modulus) {
    __int128 m = modulus < 0 ? -(__int128)modulus : modulus, b = base % m, r = 1 % m;
    if (b < 0) b += m;
    for (uint64_t e = (uint64_t)exponent; e; e >>= 1) {
        if (e & 1) r = r * b % m;
        b = b * b % m;
    }
    if (modulus < 0 && r > 0) r -= m; /* the sign of the modulus, as % */
    return (int64_t)r;
}
