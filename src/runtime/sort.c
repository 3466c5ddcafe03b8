/* Sorting of contiguous arrays: elements become unsigned keys of the same order, which are sorted
 * by their bytes. Values alone are sorted by NumPy's own function where it has one, which uses what the
 * processor can do. Compiled here rather than in the prelude, since each width would be compiled again
 * by each program. */
#include <stdbool.h>
#include <string.h>

#include "runtime/runtime.h"

/* Infinity of the float of this many bytes. */
static uint64_t infinity_bits(size_t bytes) {
    return bytes == 8 ? 0x7ff0000000000000u : bytes == 4 ? 0x7f800000u : 0x7c00u;
}

#define KEY     uint8_t
#define NAME(x) x##_8
#include "runtime/sort_keys.h"
#define KEY     uint16_t
#define NAME(x) x##_16
#include "runtime/sort_keys.h"
#define KEY     uint32_t
#define NAME(x) x##_32
#include "runtime/sort_keys.h"
#define KEY     uint64_t
#define NAME(x) x##_64
#include "runtime/sort_keys.h"

RtSort rt_sort;

void ws_sort(void *data, void *scratch, int64_t n, int64_t width, int64_t form) {
    if (n > 1 && rt_sort && rt_sort(data, n, width, form) == 0) return;
    switch (width) {
    case 1: sort_8(data, scratch, n, (KeyForm)form); break;
    case 2: sort_16(data, scratch, n, (KeyForm)form); break;
    case 4: sort_32(data, scratch, n, (KeyForm)form); break;
    default: sort_64(data, scratch, n, (KeyForm)form); break;
    }
}

void ws_argsort(const void *data, int64_t *order, void *scratch, int64_t n, int64_t width,
                int64_t form) {
    switch (width) {
    case 1: argsort_8(data, order, scratch, n, (KeyForm)form); break;
    case 2: argsort_16(data, order, scratch, n, (KeyForm)form); break;
    case 4: argsort_32(data, order, scratch, n, (KeyForm)form); break;
    default: argsort_64(data, order, scratch, n, (KeyForm)form); break;
    }
}

void ws_partition(void *data, void *scratch, int64_t n, int64_t k, int64_t width, int64_t form) {
    switch (width) {
    case 1: partition_8(data, scratch, n, k, (KeyForm)form); break;
    case 2: partition_16(data, scratch, n, k, (KeyForm)form); break;
    case 4: partition_32(data, scratch, n, k, (KeyForm)form); break;
    default: partition_64(data, scratch, n, k, (KeyForm)form); break;
    }
}
