/* One warp at a time, or all warps of a block whose threads came to the operation together. A lane whose partner does
 * not take part keeps its own value, where CUDA leaves open what it gets. */
#include "simt/warp.h"

#include <math.h>
#include <string.h>

#include "runtime/runtime.h"

enum { ALL_LANES = -1 };

SimtWarp simt_unpack_warp(int64_t code) {
    return (SimtWarp){.op = (SimtWarpOp)(code & 0xff),
                      .kind = code >> 8 & 0xff,
                      .bits = code >> 16 & 0xffff,
                      .group = (unsigned)(code >> 32)};
}

/* --- shuffles --------------------------------------------------------------------------------- */

/* The lane that lane k reads, or k. */
static unsigned partner(SimtWarp w, unsigned k, int64_t by) {
    unsigned first = k & ~(w.group - 1), last = first + w.group - 1;
    switch ((int)w.op) {
    case SIMT_SHFL_IDX: return first | ((unsigned)by & (w.group - 1));
    case SIMT_SHFL_UP: return by >= 0 && by <= (int64_t)(k - first) ? k - (unsigned)by : k;
    case SIMT_SHFL_DOWN: return by >= 0 && by <= (int64_t)(last - k) ? k + (unsigned)by : k;
    default: { /* XOR: as the hardware, which takes any group below */
        unsigned to = k ^ ((unsigned)by & 31);
        return to <= last ? to : k;
    }
    }
}

static void shuffle(SimtWarp w, SimtLanes *l) {
    for (unsigned k = 0; k < WARP_LANES; k++) {
        unsigned from = partner(w, k, l->lane[k]);
        l->out[k] = l->there & l->mask[k] & 1u << from ? l->value[from] : l->value[k];
    }
}

/* --- votes ------------------------------------------------------------------------------------ */

static void vote(SimtWarp w, SimtLanes *l) {
    uint32_t yes = 0;
    for (unsigned k = 0; k < WARP_LANES; k++) yes |= (uint32_t)(l->value[k] & 1) << k;
    for (unsigned k = 0; k < WARP_LANES; k++) {
        uint32_t all = l->there & l->mask[k], in = yes & all;
        l->out[k] = w.op == SIMT_BALLOT ? in
                    : w.op == SIMT_ALL  ? in == all
                    : w.op == SIMT_ANY  ? in != 0
                                        : in == all || !in;
    }
}

static uint32_t same_as(const SimtLanes *l, unsigned k, uint32_t all) {
    uint32_t same = 0;
    for (unsigned j = 0; j < WARP_LANES; j++)
        same |= (uint32_t)(all >> j & 1 && l->value[j] == l->value[k]) << j;
    return same;
}

static void match(SimtWarp w, SimtLanes *l) {
    for (unsigned k = 0; k < WARP_LANES; k++) {
        uint32_t all = l->there & l->mask[k], same = same_as(l, k, all);
        l->out[k] = w.op == SIMT_MATCH_ANY || same == all ? same : 0;
    }
}

/* --- sums and the like ------------------------------------------------------------------------ */

static double to_float(SimtWarp w, uint64_t bits) {
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return w.bits == 32 ? (double)f : d;
}

static uint64_t from_float(SimtWarp w, double d) {
    float f = (float)d;
    uint64_t bits;
    uint32_t low;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &d, sizeof bits);
    return w.bits == 32 ? low : bits;
}

static uint64_t join_floats(SimtWarp w, uint64_t a, uint64_t b) {
    double x = to_float(w, a), y = to_float(w, b);
    return from_float(w, w.op == SIMT_ADD ? x + y : w.op == SIMT_MIN ? fmin(x, y) : fmax(x, y));
}

/* Values are extended by their sign, or with zeros. */
static uint64_t join(SimtWarp w, uint64_t a, uint64_t b) {
    bool less = w.kind == 1 ? (int64_t)b < (int64_t)a : b < a;
    switch ((int)w.op) {
    case SIMT_ADD: return a + b;
    case SIMT_MIN: return less ? b : a;
    case SIMT_MAX: return less ? a : b;
    case SIMT_AND: return a & b;
    case SIMT_OR: return a | b;
    default: return a ^ b;
    }
}

static void reduce(SimtWarp w, SimtLanes *l) {
    for (unsigned k = 0; k < WARP_LANES; k++) {
        uint32_t all = l->there & l->mask[k];
        bool known = k && l->mask[k] == l->mask[k - 1], any = false;
        uint64_t sum = l->value[k];
        if (known) l->out[k] = l->out[k - 1];
        for (unsigned j = 0; !known && j < WARP_LANES; j++) {
            if (!(all >> j & 1)) continue;
            sum = !any          ? l->value[j]
                  : w.kind == 2 ? join_floats(w, sum, l->value[j])
                                : join(w, sum, l->value[j]);
            any = true;
        }
        if (!known) l->out[k] = sum;
    }
}

void simt_do_warp(SimtWarp w, SimtLanes *l) {
    if (w.op <= SIMT_SHFL_XOR)
        shuffle(w, l);
    else if (w.op <= SIMT_BALLOT)
        vote(w, l);
    else if (w.op <= SIMT_MATCH_ALL)
        match(w, l);
    else if (w.op <= SIMT_XOR)
        reduce(w, l);
    else
        for (unsigned k = 0; k < WARP_LANES; k++) l->out[k] = l->there;
}

/* --- all warps of a block --------------------------------------------------------------------- */

/* The threads of a block, along x, y, z; those at or behind `left` have returned. */
typedef struct Extents {
    int64_t n[3], left[3];
} Extents;

static bool is_left(const Extents *e, int64_t t) {
    int64_t x = t % e->n[0], y = t / e->n[0] % e->n[1], z = t / e->n[0] / e->n[1];
    return x < e->left[0] && y < e->left[1] && z < e->left[2];
}

static uint32_t lowest(int64_t n) {
    return n >= WARP_LANES ? (uint32_t)ALL_LANES : n <= 0 ? 0 : (1u << n) - 1;
}

/* Lanes of the warp that begins with thread `first`. */
static uint32_t lanes_left(const Extents *e, int64_t first) {
    int64_t all = e->n[0] * e->n[1] * e->n[2];
    bool layers = e->left[1] == e->n[1] && e->left[2] == e->n[2];
    if (layers && e->left[0] == e->n[0]) return lowest(all - first);
    if (layers && e->n[1] == 1 && e->n[2] == 1) return lowest(e->left[0] - first);
    uint32_t there = 0;
    for (int64_t k = 0; k < WARP_LANES && first + k < all; k++)
        there |= (uint32_t)is_left(e, first + k) << k;
    return there;
}

static uint64_t load_value(SimtWarp w, const char *at) {
    switch (w.bits) {
    case 8: return w.kind == 1 ? (uint64_t)(int64_t)*(const int8_t *)at : *(const uint8_t *)at;
    case 16: return w.kind == 1 ? (uint64_t)(int64_t)*(const int16_t *)at : *(const uint16_t *)at;
    case 32: return w.kind == 1 ? (uint64_t)(int64_t)*(const int32_t *)at : *(const uint32_t *)at;
    default: return *(const uint64_t *)at;
    }
}

static void store_value(unsigned bits, char *at, uint64_t v) {
    switch (bits) {
    case 8: *(uint8_t *)at = (uint8_t)v; return;
    case 16: *(uint16_t *)at = (uint16_t)v; return;
    case 32: *(uint32_t *)at = (uint32_t)v; return;
    default: *(uint64_t *)at = v;
    }
}

static unsigned bits_of_result(SimtWarp w) {
    if (w.op >= SIMT_ALL && w.op <= SIMT_UNIFORM) return 8;
    return w.op <= SIMT_SHFL_XOR || (w.op >= SIMT_ADD && w.op <= SIMT_XOR) ? w.bits : 64;
}

/* A whole warp with one distance for all, as reductions and scans have it. */
#define SHUFFLE_WHOLE(name, T)                                               \
    static void name(SimtWarpOp op, const T *from, T *to, unsigned by) {     \
        unsigned moved = WARP_LANES - by;                                    \
        if (op == SIMT_SHFL_XOR) {                                           \
            for (unsigned k = 0; k < WARP_LANES; k++) to[k] = from[k ^ by];  \
        } else if (op == SIMT_SHFL_DOWN) {                                   \
            for (unsigned k = 0; k < moved; k++) to[k] = from[k + by];       \
            for (unsigned k = moved; k < WARP_LANES; k++) to[k] = from[k];   \
        } else {                                                             \
            for (unsigned k = 0; k < by; k++) to[k] = from[k];               \
            for (unsigned k = by; k < WARP_LANES; k++) to[k] = from[k - by]; \
        }                                                                    \
    }
SHUFFLE_WHOLE(shuffle_words, uint32_t)
SHUFFLE_WHOLE(shuffle_longs, uint64_t)
#undef SHUFFLE_WHOLE

/* False: not so simple. */
static bool shuffle_whole(SimtWarp w, const char *from, char *to, int64_t by) {
    if (w.group != WARP_LANES || by < 0 || by >= WARP_LANES || w.op == SIMT_SHFL_IDX || w.bits < 32)
        return false;
    if (w.bits == 32)
        shuffle_words(w.op, (const uint32_t *)from, (uint32_t *)to, (unsigned)by);
    else
        shuffle_longs(w.op, (const uint64_t *)from, (uint64_t *)to, (unsigned)by);
    return true;
}

typedef struct Operand {
    int64_t value; /* for all, unless there are places */
    const int64_t *places;
} Operand;

static void do_one_warp(SimtWarp w, uint32_t there, int64_t first, int64_t n, Operand mask,
                        const char *values, Operand lane, char *out) {
    size_t size = w.bits / 8, out_bits = bits_of_result(w);
    values += first * (int64_t)size;
    out += first * (int64_t)(out_bits / 8);
    bool whole = there == (uint32_t)ALL_LANES && !mask.places && (uint32_t)mask.value == there;
    if (whole && !lane.places && w.op <= SIMT_SHFL_XOR && shuffle_whole(w, values, out, lane.value))
        return;
    SimtLanes l = {.there = there};
    for (int64_t k = 0; k < n; k++) {
        l.mask[k] = (uint32_t)(mask.places ? mask.places[first + k] : mask.value);
        l.lane[k] = lane.places ? lane.places[first + k] : lane.value;
        l.value[k] = w.op == SIMT_ACTIVE ? 0 : load_value(w, values + k * (int64_t)size);
    }
    simt_do_warp(w, &l);
    for (int64_t k = 0; k < n; k++)
        store_value((unsigned)out_bits, out + k * (int64_t)(out_bits / 8), l.out[k]);
}

void ws_simt_warp(int64_t code, const int64_t *same, const int64_t *masks, const char *values,
                  const int64_t *lanes, char *out, const int64_t *extents) {
    Extents e;
    memcpy(&e, extents, sizeof e);
    int64_t all = e.n[0] * e.n[1] * e.n[2];
    SimtWarp w = simt_unpack_warp(code);
    for (int64_t first = 0; first < all; first += WARP_LANES) {
        uint32_t there = lanes_left(&e, first);
        if (there)
            do_one_warp(w, there, first, all - first < WARP_LANES ? all - first : WARP_LANES,
                        (Operand){same[0], masks}, values, (Operand){same[1], lanes}, out);
    }
}

int64_t ws_simt_vote(int64_t kind, const uint8_t *values, const int64_t *extents) {
    Extents e;
    memcpy(&e, extents, sizeof e);
    int64_t yes = 0, all = e.left[0] * e.left[1] * e.left[2];
    for (int64_t z = 0; z < e.left[2]; z++)
        for (int64_t y = 0; y < e.left[1]; y++)
            for (int64_t x = 0; x < e.left[0]; x++)
                yes += values[x + e.n[0] * (y + e.n[1] * z)] & 1;
    return kind == SIMT_VOTE_COUNT ? yes : kind == SIMT_VOTE_AND ? yes == all : yes > 0;
}

void ws_simt_place(WsCtx *ctx, int32_t site, const int64_t *at) {
    (void)site;
    for (int k = 0; k < 6; k++) ctx->at[k] = (int32_t)at[k];
}
