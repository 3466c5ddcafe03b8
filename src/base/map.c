#include "base/map.h"

struct MapSlot {
    uint64_t key, value;
    bool used;
};

static uint64_t mix(uint64_t k) {
    k ^= k >> 32;
    k *= 0x9e3779b97f4a7c15u;
    return k ^ (k >> 29);
}

static struct MapSlot *find(const Map *m, uint64_t key) {
    uint32_t i = (uint32_t)mix(key) & (m->cap - 1);
    while (m->at[i].used && m->at[i].key != key) i = (i + 1) & (m->cap - 1);
    return &m->at[i];
}

uint64_t map_get(const Map *m, uint64_t key, uint64_t missing) {
    if (!m->cap) return missing;
    const struct MapSlot *s = find(m, key);
    return s->used ? s->value : missing;
}

static void grow(Cx *cx, Map *m) {
    Map big = {.cap = m->cap ? m->cap * 2 : 16};
    big.at = NEWN(cx, struct MapSlot, big.cap);
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->at[i].used) *find(&big, m->at[i].key) = m->at[i];
    big.n = m->n;
    *m = big;
}

bool map_set(Cx *cx, Map *m, uint64_t key, uint64_t value) {
    if (m->n * 4 >= m->cap * 3) grow(cx, m);
    struct MapSlot *s = find(m, key);
    bool is_new = !s->used;
    *s = (struct MapSlot){key, value, true};
    m->n += is_new;
    return is_new;
}
