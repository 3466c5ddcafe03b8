/* Part of sort_keys.h, for items with a key: ITEM, its key OF(item), names SORT(x). Equal keys stay in order. */

enum { SORT(RUN) = 12, SORT(FEW) = 192 };

static void SORT(insert)(ITEM *a, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        ITEM v = a[i];
        int64_t j = i;
        for (; j > 0 && OF(a[j - 1]) > OF(v); j--) a[j] = a[j - 1];
        a[j] = v;
    }
}

static void SORT(merge)(const ITEM *a, ITEM *to, int64_t middle, int64_t n) {
    int64_t i = 0, j = middle, k = 0;
    while (i < middle && j < n) {
        bool second = OF(a[j]) < OF(a[i]);
        to[k++] = second ? a[j] : a[i];
        j += second;
        i += !second;
    }
    memcpy(to + k, a + i, (size_t)(middle - i) * sizeof(ITEM));
    memcpy(to + k + (middle - i), a + j, (size_t)(n - j) * sizeof(ITEM));
}

static ITEM *SORT(few)(ITEM *a, ITEM *to, int64_t n) {
    for (int64_t i = 0; i < n; i += SORT(RUN))
        SORT(insert)(a + i, n - i < SORT(RUN) ? n - i : SORT(RUN));
    for (int64_t width = SORT(RUN); width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            int64_t rest = n - i;
            SORT(merge)
            (a + i, to + i, rest < width ? rest : width, rest < 2 * width ? rest : 2 * width);
        }
        ITEM *t = a;
        a = to;
        to = t;
    }
    return a;
}

/* One pass: by one byte. `at` counts the items of each; it is used up. */
static void SORT(pass)(const ITEM *a, ITEM *to, int64_t n, int shift, int64_t *at) {
    int64_t sum = 0;
    for (int d = 0; d < 256; d++) {
        int64_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) to[at[(uint8_t)(OF(a[i]) >> shift)]++] = a[i];
}

static bool SORT(in_order)(const ITEM *a, int64_t n) {
    int64_t i = 1;
    while (i < n && OF(a[i - 1]) <= OF(a[i])) i++;
    return i >= n;
}

/* Sorts `a` with the help of as much memory; the result is in either. */
static ITEM *SORT(sorted)(ITEM *a, ITEM *to, int64_t n) {
    if (SORT(in_order)(a, n)) return a;
    if (n <= SORT(FEW)) return SORT(few)(a, to, n);
    int64_t counts[NAME(BYTES)][256] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < NAME(BYTES); b++) counts[b][(uint8_t)(OF(a[i]) >> 8 * b)]++;
    for (int b = 0; b < NAME(BYTES); b++) {
        if (counts[b][(uint8_t)(OF(a[0]) >> 8 * b)] == n) continue;
        SORT(pass)(a, to, n, 8 * b, counts[b]);
        ITEM *t = a;
        a = to;
        to = t;
    }
    return a;
}

#undef ITEM
#undef OF
#undef SORT
