/* Sums of symbols. */
#include "opt/affine_int.h"

Lin lin_const(int64_t c) { return (Lin){.ok = true, .c = c}; }
Lin lin_symbol(Ref r) { return (Lin){.ok = true, .n = 1, .t = {{r, 0, 1}}}; }

static bool add_term(Lin *l, Ref a, Ref b, int64_t k) {
    for (uint32_t i = 0; i < l->n; i++) {
        Term2 *t = &l->t[i];
        if (t->a != a || t->b != b) continue;
        if (__builtin_add_overflow(t->k, k, &t->k)) return false;
        if (t->k == 0) *t = l->t[--l->n];
        return true;
    }
    if (k == 0) return true;
    if (l->n == LIN_TERMS) return false;
    l->t[l->n++] = (Term2){a, b, k};
    return true;
}

Lin lin_add(Lin a, Lin b, int64_t times) {
    int64_t k;
    if (!a.ok || !b.ok || __builtin_mul_overflow(b.c, times, &k) ||
        __builtin_add_overflow(a.c, k, &a.c))
        return no_lin;
    a.assumed |= b.assumed;
    for (uint32_t i = 0; i < b.n; i++)
        if (__builtin_mul_overflow(b.t[i].k, times, &k) || !add_term(&a, b.t[i].a, b.t[i].b, k))
            return no_lin;
    return a;
}

static bool add_product(Lin *out, Term2 x, Term2 y) {
    int64_t k;
    if (x.b || y.b || __builtin_mul_overflow(x.k, y.k, &k)) return false;
    return add_term(out, x.a < y.a ? x.a : y.a, x.a < y.a ? y.a : x.a, k);
}

Lin lin_mul(Lin a, Lin b) {
    if (!a.ok || !b.ok) return no_lin;
    Lin out = lin_add(lin_const(0), b, a.c);
    out.assumed |= a.assumed;
    Lin rest = b.c ? lin_add(lin_const(0), a, b.c) : lin_const(0);
    if (!out.ok || !rest.ok) return no_lin;
    if (b.c) { /* a.c * b.c is in `out` already */
        int64_t twice;
        if (__builtin_mul_overflow(a.c, b.c, &twice)) return no_lin;
        rest = lin_add(rest, lin_const(twice), -1);
    }
    out = lin_add(out, rest, 1);
    for (uint32_t i = 0; out.ok && i < a.n; i++)
        for (uint32_t j = 0; j < b.n; j++)
            if (!add_product(&out, a.t[i], b.t[j])) return no_lin;
    return out;
}

bool lin_equal(Lin a, Lin b) {
    Lin d = lin_add(a, b, -1);
    return d.ok && d.n == 0 && d.c == 0;
}
