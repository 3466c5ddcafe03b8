#include "base/near.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 32 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static bool is_same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Insertions, deletions, changes, and swaps of neighbours that make b of a. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb) {
    unsigned row[3][LONGEST];
    for (size_t j = 0; j <= nb; j++) row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned d = last[j - 1] + !is_same(a[i - 1], b[j - 1]);
            d = least(d, least(last[j], now[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            now[j] = swapped ? least(d, before[j - 2] + 1) : d;
        }
    }
    return row[na % 3][nb];
}

void near_try(Near *n, const char *candidate) {
    size_t have = strlen(n->name), other = strlen(candidate);
    if (have < 3 || !other || have >= LONGEST || other >= LONGEST) return;
    if (strcmp(n->name, candidate) == 0) return;
    unsigned d = distance(n->name, have, candidate, other);
    unsigned limit = have < 4 ? 1 : (unsigned)(have + 1) / 3;
    if (d > limit || d >= have || d >= other || (n->best && d >= n->distance)) return;
    n->best = candidate;
    n->distance = d;
}
