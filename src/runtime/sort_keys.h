/* Sorting of keys: unsigned integers of one width. Included once for each width, with
 *
 *   KEY   the type of a key
 *   NAME(x)  x with the width at its end
 *
 *
 * Few keys are merged; many go through a radix sort, byte by byte from the lowest, which leaves out bytes
 * that all keys have in common. The same for keys with a place beside them, where equal keys stay in order. */

enum { NAME(BYTES) = (int)sizeof(KEY) };

/* --- what an array's elements are as keys: their order is that of the elements, NaN last ------------------ */

#define TOP ((KEY)((KEY)1 << (8 * sizeof(KEY) - 1)))

static KEY NAME(key)(KEY bits, KeyForm form, KEY infinity) {
    if (form == FORM_UNSIGNED) return bits;
    if (form == FORM_SIGNED) return bits ^ TOP;
    if ((KEY)(bits & ~TOP) > infinity) return bits | TOP;
    return bits & TOP ? (KEY)~bits : bits | TOP;
}

static KEY NAME(bits)(KEY key, KeyForm form) {
    if (form == FORM_UNSIGNED) return key;
    return form == FORM_SIGNED || key & TOP ? key ^ TOP : (KEY)~key;
}

static void NAME(to_keys)(KEY *a, int64_t n, KeyForm form) {
    KEY infinity = (KEY)infinity_bits(sizeof(KEY));
    if (form == FORM_SIGNED)
        for (int64_t i = 0; i < n; i++) a[i] ^= TOP;
    if (form == FORM_FLOAT)
        for (int64_t i = 0; i < n; i++) a[i] = NAME(key)(a[i], FORM_FLOAT, infinity);
}

static void NAME(from_keys)(KEY *a, int64_t n, KeyForm form) {
    if (form == FORM_SIGNED)
        for (int64_t i = 0; i < n; i++) a[i] ^= TOP;
    if (form == FORM_FLOAT)
        for (int64_t i = 0; i < n; i++) a[i] = NAME(bits)(a[i], FORM_FLOAT);
}

/* --- keys alone, and keys with their places ------------------------------------------------------------------ */

typedef struct NAME(Pair) {
    KEY key;
    int64_t place;
} NAME(Pair);

#define ITEM     KEY
#define OF(item) (item)
#define SORT(x)  NAME(x)
#include "runtime/sort_items.h"

#define ITEM     NAME(Pair)
#define OF(item) ((item).key)
#define SORT(x)  NAME(pair_##x)
#include "runtime/sort_items.h"

/* --- splitting by a pivot ----------------------------------------------------------------------------------------- */

static KEY NAME(middle)(KEY a, KEY b, KEY c) {
    if (a > b) {
        KEY t = a;
        a = b;
        b = t;
    }
    return c < a ? a : c > b ? b : c;
}

static KEY NAME(pivot)(const KEY *a, int64_t n) {
    KEY of[3];
    int64_t third = n / 3;
    for (int64_t i = 0; i < 3; i++) {
        const KEY *p = a + i * third;
        of[i] = NAME(middle)(p[0], p[third / 2], p[third - 1]);
    }
    return NAME(middle)(of[0], of[1], of[2]);
}

/* Moves keys below the pivot, or equal to it, to the front, the others by way of `to` behind them: how many there
 * are in front. Each key is written to both places: no branch to guess. */
static int64_t NAME(split)(KEY *a, KEY *to, int64_t n, KEY pivot, bool equal) {
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < n; i++) {
        KEY v = a[i];
        bool front = equal ? v <= pivot : v < pivot;
        a[low] = v;
        to[high] = v;
        low += front;
        high += !front;
    }
    memcpy(a + low, to, (size_t)high * sizeof(KEY));
    return low;
}

/* A part of *n keys, at least one less, in which what comes before `k` is known to come before the rest, too. The
 * part that does not have place k is left alone. False: all of it is equal. */
static bool NAME(narrow)(KEY **a, KEY *to, int64_t *n, int64_t *k) {
    KEY pivot = NAME(pivot)(*a, *n);
    int64_t low = NAME(split)(*a, to, *n, pivot, false);
    if (*k < low) {
        *n = low;
        return true;
    }
    if (low == 0) { /* nothing is below: what is equal goes to the front */
        low = NAME(split)(*a, to, *n, pivot, true);
        if (*k < low) return false;
    }
    *a += low;
    *n -= low;
    *k -= low;
    return true;
}

enum { NAME(SHORT) = 32, NAME(DEPTH) = 100 };

static void NAME(sort_keys)(KEY *a, KEY *scratch, int64_t n) {
    KEY *r = NAME(sorted)(a, scratch, n);
    if (r != a) memcpy(a, r, (size_t)n * sizeof(KEY));
}

static void NAME(sort)(KEY *a, KEY *scratch, int64_t n, KeyForm form) {
    NAME(to_keys)(a, n, form);
    NAME(sort_keys)(a, scratch, n);
    NAME(from_keys)(a, n, form);
}

static void NAME(argsort)(const KEY *a, int64_t *order, NAME(Pair) * scratch, int64_t n,
                          KeyForm form) {
    KEY infinity = (KEY)infinity_bits(sizeof(KEY));
    for (int64_t i = 0; i < n; i++) {
        KEY bits = form == FORM_FLOAT && a[i] == TOP ? 0 : a[i]; /* -0.0 is 0.0 */
        scratch[i] = (NAME(Pair)){NAME(key)(bits, form, infinity), i};
    }
    NAME(Pair) *r = NAME(pair_sorted)(scratch, scratch + n, n);
    for (int64_t i = 0; i < n; i++) order[i] = r[i].place;
}

/* --- the k-th -------------------------------------------------------------------------------------------------- */

/* Keys below a[k] go before it, those above behind it. */
static void NAME(select)(KEY *a, KEY *scratch, int64_t n, int64_t k) {
    for (int depth = NAME(DEPTH); n > NAME(SHORT) && depth > 0; depth--)
        if (!NAME(narrow)(&a, scratch, &n, &k)) return;
    NAME(sort_keys)(a, scratch, n);
}

static void NAME(partition)(KEY *a, KEY *scratch, int64_t n, int64_t k, KeyForm form) {
    NAME(to_keys)(a, n, form);
    NAME(select)(a, scratch, n, k);
    NAME(from_keys)(a, n, form);
}

#undef TOP
#undef KEY
#undef NAME
