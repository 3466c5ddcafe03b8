/* Sums in NumPy's order: pairwise, in blocks of 128 with eight running sums. Same bits as np.sum of
 * a contiguous array; the error grows with log n instead of n. */
#include <string.h>

#include "runtime/runtime.h"

enum { BLOCK = 128, LANES = 8 };

#define UNROLLED _Pragma("GCC unroll 8")

#define PAIRWISE(T, name)                                                                      \
    static T at_##name(const char *p) {                                                        \
        T v;                                                                                   \
        memcpy(&v, p, sizeof v); /* elements may be misaligned */                              \
        return v;                                                                              \
    }                                                                                          \
    typedef T vector_##name __attribute__((vector_size(16)));                                  \
    enum { VECTORS_##name = LANES * sizeof(T) / 16 };                                          \
    /* The lanes of contiguous elements: kept in registers, which an array of LANES is not. */ \
    static void dense_##name(const char *p, int64_t n, T *r) {                                 \
        vector_##name v[VECTORS_##name], next;                                                 \
        UNROLLED for (int k = 0; k < VECTORS_##name; k++) memcpy(&v[k], p + 16 * k, 16);       \
        for (int64_t i = LANES; i < n; i += LANES) {                                           \
            p += LANES * sizeof(T);                                                            \
            UNROLLED for (int k = 0; k < VECTORS_##name; k++) {                                \
                memcpy(&next, p + 16 * k, 16);                                                 \
                v[k] += next;                                                                  \
            }                                                                                  \
        }                                                                                      \
        memcpy(r, v, sizeof v);                                                                \
    }                                                                                          \
    static T block_##name(const char *p, int64_t n, int64_t stride) {                          \
        T r[LANES];                                                                            \
        int64_t i = LANES, whole = n - n % LANES;                                              \
        if (stride == sizeof(T)) {                                                             \
            dense_##name(p, whole, r);                                                         \
            i = whole;                                                                         \
        } else {                                                                               \
            for (int k = 0; k < LANES; k++) r[k] = at_##name(p + k * stride);                  \
        }                                                                                      \
        for (; i < whole; i += LANES)                                                          \
            for (int k = 0; k < LANES; k++) r[k] += at_##name(p + (i + k) * stride);           \
        T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));             \
        for (; i < n; i++) sum += at_##name(p + i * stride);                                   \
        return sum;                                                                            \
    }                                                                                          \
    static T sum_##name(const char *p, int64_t n, int64_t stride) {                            \
        if (n < LANES) {                                                                       \
            T sum = n ? at_##name(p) : (T)0;                                                   \
            for (int64_t i = 1; i < n; i++) sum += at_##name(p + i * stride);                  \
            return sum;                                                                        \
        }                                                                                      \
        if (n <= BLOCK) return block_##name(p, n, stride);                                     \
        int64_t half = n / 2;                                                                  \
        half -= half % LANES;                                                                  \
        return sum_##name(p, half, stride) + sum_##name(p + half * stride, n - half, stride);  \
    }
PAIRWISE(double, f64)
PAIRWISE(float, f32)

double ws_sum_f64(const char *data, int64_t n, int64_t stride) { return sum_f64(data, n, stride); }
float ws_sum_f32(const char *data, int64_t n, int64_t stride) { return sum_f32(data, n, stride); }

/* Complex: NumPy splits where the count of floats, twice the count of numbers, passes the block
 * size. */
#define PAIRWISE_COMPLEX(T, name)                                                               \
    static void sum_##name(const char *p, int64_t n, int64_t stride, T *out) {                  \
        enum { PAIRS = LANES / 2 };                                                             \
        T r[LANES];                                                                             \
        if (2 * n < LANES) {                                                                    \
            T re = n ? at_##name##_part(p, 0) : (T)0, im = n ? at_##name##_part(p, 1) : (T)0;   \
            for (int64_t i = 1; i < n; i++) {                                                   \
                re += at_##name##_part(p + i * stride, 0);                                      \
                im += at_##name##_part(p + i * stride, 1);                                      \
            }                                                                                   \
            out[0] = re;                                                                        \
            out[1] = im;                                                                        \
            return;                                                                             \
        }                                                                                       \
        if (2 * n <= BLOCK) {                                                                   \
            for (int k = 0; k < LANES; k++) r[k] = at_##name##_part(p + k / 2 * stride, k % 2); \
            int64_t i = PAIRS;                                                                  \
            for (; i < n - n % PAIRS; i += PAIRS)                                               \
                for (int k = 0; k < LANES; k++)                                                 \
                    r[k] += at_##name##_part(p + (i + k / 2) * stride, k % 2);                  \
            out[0] = (r[0] + r[2]) + (r[4] + r[6]);                                             \
            out[1] = (r[1] + r[3]) + (r[5] + r[7]);                                             \
            for (; i < n; i++)                                                                  \
                for (int k = 0; k < 2; k++) out[k] += at_##name##_part(p + i * stride, k);      \
            return;                                                                             \
        }                                                                                       \
        int64_t half = n / 2; /* NumPy counts floats: half of 2n, less its rest by 8 */         \
        half -= half % PAIRS;                                                                   \
        T a[2], b[2];                                                                           \
        sum_##name(p, half, stride, a);                                                         \
        sum_##name(p + half * stride, n - half, stride, b);                                     \
        out[0] = a[0] + b[0];                                                                   \
        out[1] = a[1] + b[1];                                                                   \
    }

static double at_c128_part(const char *p, int k) { return at_f64(p + k * 8); }
static float at_c64_part(const char *p, int k) { return at_f32(p + k * 4); }
PAIRWISE_COMPLEX(double, c128)
PAIRWISE_COMPLEX(float, c64)

static void put_floats(const float *from, int n, uint64_t *out) {
    for (int k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &from[k], sizeof bits);
        out[k] = bits;
    }
}

void ws_sum_c128(const char *data, int64_t n, int64_t stride, double *out) {
    sum_c128(data, n, stride, out);
}

void ws_sum_c64(const char *data, int64_t n, int64_t stride, uint64_t *out) {
    float parts[2];
    sum_c64(data, n, stride, parts);
    put_floats(parts, 2, out);
}

/* --- long ones, which look for signals between the branches of the tree ----------------------- */

#define LEAF_f64(p, n, stride, out)  (*(out) = sum_f64(p, n, stride))
#define LEAF_f32(p, n, stride, out)  (*(out) = sum_f32(p, n, stride))
#define LEAF_c128(p, n, stride, out) sum_c128(p, n, stride, out)
#define LEAF_c64(p, n, stride, out)  sum_c64(p, n, stride, out)

#define LONG(T, name, parts)                                                                      \
    static Status long_##name(WsCtx *ctx, int32_t site, const char *p, int64_t n, int64_t stride, \
                              T *out) {                                                           \
        if (n <= WS_SUM_LONG) {                                                                   \
            LEAF_##name(p, n, stride, out);                                                       \
            return ws_poll(ctx, site);                                                            \
        }                                                                                         \
        int64_t half = n / 2;                                                                     \
        half -= half % (LANES / (parts));                                                         \
        T a[parts], b[parts];                                                                     \
        if (long_##name(ctx, site, p, half, stride, a) ||                                         \
            long_##name(ctx, site, p + half * stride, n - half, stride, b))                       \
            return 1;                                                                             \
        for (int k = 0; k < (parts); k++) out[k] = a[k] + b[k];                                   \
        return 0;                                                                                 \
    }
LONG(double, f64, 1)
LONG(float, f32, 1)
LONG(double, c128, 2)
LONG(float, c64, 2)

Status ws_sum_long(WsCtx *ctx, int32_t site, const char *data, int64_t n, int64_t stride,
                   int32_t kind, uint64_t *out) {
    double wide[2] = {0, 0};
    float narrow[2] = {0, 0};
    Status rc = kind == SUM_F64    ? long_f64(ctx, site, data, n, stride, wide)
                : kind == SUM_C128 ? long_c128(ctx, site, data, n, stride, wide)
                : kind == SUM_F32  ? long_f32(ctx, site, data, n, stride, narrow)
                                   : long_c64(ctx, site, data, n, stride, narrow);
    int parts = kind == SUM_C64 || kind == SUM_C128 ? 2 : 1;
    if (kind == SUM_F64 || kind == SUM_C128)
        memcpy(out, wide, (size_t)parts * sizeof *wide);
    else
        put_floats(narrow, parts, out);
    return rc;
}
