#include "peer.h"

enum { WORD = 1, NUMBER = 2, SIGN = 3 };

static inline bool is_letter(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

int64_t run(const uint8_t *restrict text, int64_t n, uint8_t *restrict kinds, int64_t n2,
            int32_t *restrict starts, int64_t n3, int32_t *restrict ends, int64_t n4) {
    (void)n2, (void)n3, (void)n4;
    int64_t count = 0, i = 0;
    while (i < n) {
        uint8_t c = text[i];
        if (c == ' ' || c == '\n') {
            i++;
            continue;
        }
        int64_t start = i++;
        uint8_t kind = SIGN;
        if (is_letter(c)) {
            kind = WORD;
            while (i < n && (is_letter(text[i]) || is_digit(text[i]))) i++;
        } else if (is_digit(c)) {
            kind = NUMBER;
            while (i < n && (is_digit(text[i]) || text[i] == '.')) i++;
        }
        kinds[count] = kind;
        starts[count] = (int32_t)start;
        ends[count] = (int32_t)i;
        count++;
    }
    return count;
}
