/* The words of the text form: one table per closed set, for both directions. */
#include <string.h>

#include "base/diag.h"
#include "ir/math.h"
#include "ir/text_int.h"

const Form ir_forms[OPS] = {
    [OP_ARG] = {.nimm = 1},
    [OP_CONST] = {.payload = PAY_CONST},
    [OP_REFUSE] = {.payload = PAY_REFUSAL},
    [OP_GLOBAL] = {.nimm = 1},
    [OP_UNARY] = {.sub = SUB_UN},
    [OP_BINARY] = {.sub = SUB_BIN},
    [OP_INPLACE] = {.sub = SUB_BIN},
    [OP_COMPARE] = {.sub = SUB_CMP},
    [OP_BIND] = {.payload = PAY_NAME},
    [OP_GETATTR] = {.payload = PAY_NAME},
    [OP_SETATTR] = {.payload = PAY_NAME},
    [OP_UNPACK] = {.nimm = 2},
    [OP_CALL] = {.payload = PAY_CALL},
    [OP_ITER] = {.nimm = 1},
    [OP_CELL_GET] = {.payload = PAY_NAME},
    [OP_EXC_CONTEXT] = {.nimm = 1},
    [OP_FORMAT] = {.sub = SUB_FORMAT},
    [OP_CHECK_SET] = {.payload = PAY_NAME},
    [OP_MATCH_SEQ] = {.nimm = 2},
    [OP_MATH] = {.sub = SUB_MATH},
    [OP_FIELD] = {.nimm = 1},
    [OP_STACK] = {.nimm = 1},
    [OP_CHECK_INDEX] = {.nimm = 1},
    [OP_CHECK] = {.sub = SUB_CHECK},
    [OP_CALL_FN] = {.payload = PAY_CALLEE},
    [OP_REGION] = {.nimm = 1, .payload = PAY_CALLEE},
    [OP_CALL_RT] = {.payload = PAY_RT},
    [OP_EXC_MAKE] = {.payload = PAY_CLASS},
    [OP_SREG] = {.sub = SUB_SREG, .nimm = 1},
    [OP_BARRIER] = {.sub = SUB_BARRIER},
    [OP_WARP] = {.sub = SUB_WARP, .nimm = 1},
    [OP_FENCE] = {.sub = SUB_FENCE},
    [OP_SHARED] = {.nimm = 2},
    [OP_ATOMIC] = {.sub = SUB_ATOMIC, .nimm = 1},
};

static const char *const un_words[] = {
    [UN_NEG] = "neg", [UN_POS] = "pos", [UN_INVERT] = "invert", [UN_NOT] = "not"};
static const char *const cmp_words[CMP_OPS] = {
    [CMP_EQ] = "eq", [CMP_NE] = "ne", [CMP_LT] = "lt",       [CMP_LE] = "le", [CMP_GT] = "gt",
    [CMP_GE] = "ge", [CMP_IS] = "is", [CMP_ISNOT] = "isnot", [CMP_IN] = "in", [CMP_NOTIN] = "notin",
};
static const char *const sreg_words[] = {
    [SREG_TID] = "tid",     [SREG_CTAID] = "ctaid", [SREG_NTID] = "ntid", [SREG_NCTAID] = "nctaid",
    [SREG_FIRST] = "first", [SREG_END] = "end",     [SREG_DYN] = "dyn"};
static const char *const barrier_words[BARRIER_KINDS] = {[BARRIER_SYNC] = "sync",
                                                         [BARRIER_COUNT] = "count",
                                                         [BARRIER_AND] = "and",
                                                         [BARRIER_OR] = "or",
                                                         [BARRIER_GRID] = "grid"};
static const char *const warp_words[WARP_OPS] = {[WARP_SHFL_IDX] = "shfl.idx",
                                                 [WARP_SHFL_UP] = "shfl.up",
                                                 [WARP_SHFL_DOWN] = "shfl.down",
                                                 [WARP_SHFL_XOR] = "shfl.xor",
                                                 [WARP_ALL] = "all",
                                                 [WARP_ANY] = "any",
                                                 [WARP_UNIFORM] = "uniform",
                                                 [WARP_BALLOT] = "ballot",
                                                 [WARP_MATCH_ANY] = "match.any",
                                                 [WARP_MATCH_ALL] = "match.all",
                                                 [WARP_ADD] = "add",
                                                 [WARP_MIN] = "min",
                                                 [WARP_MAX] = "max",
                                                 [WARP_AND] = "and",
                                                 [WARP_OR] = "or",
                                                 [WARP_XOR] = "xor",
                                                 [WARP_ACTIVE] = "active",
                                                 [WARP_SYNC] = "sync"};
static const char *const fence_words[FENCE_SCOPES] = {
    [FENCE_BLOCK] = "block", [FENCE_DEVICE] = "device", [FENCE_SYSTEM] = "system"};
static const char *const atomic_words[] = {
    [ATOMIC_ADD] = "add", [ATOMIC_SUB] = "sub",  [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max",
    [ATOMIC_AND] = "and", [ATOMIC_OR] = "or",    [ATOMIC_XOR] = "xor", [ATOMIC_XCHG] = "xchg",
    [ATOMIC_CAS] = "cas", [ATOMIC_LOAD] = "load"};

const char *const ir_fast_words[7] = {"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"};

const char *const ir_diag_words[] = {
#define DIAG(name, cls, text, hint) #name,
#include "base/diag.def"
#undef DIAG
};
const uint32_t ir_diag_word_count = DIAGS;

const char *const ir_class_words[] = {
#define EXCEPTION(name, base) #name,
#include "core/exceptions.def"
#undef EXCEPTION
};
const uint32_t ir_class_word_count = sizeof ir_class_words / sizeof *ir_class_words;

#define COUNT(words) (unsigned)(sizeof(words) / sizeof *(words))

static const char *word_at(const char *const *words, unsigned n, unsigned i) {
    return i < n ? words[i] : NULL;
}

/* FORMAT's conversion: a character, or 0 for none. */
static const char *format_word(unsigned sub) {
    switch (sub) {
    case 0: return "plain";
    case 's': return "s";
    case 'r': return "r";
    case 'a': return "a";
    default: return NULL;
    }
}

const char *ir_sub_word(SubKind kind, unsigned sub) {
    switch (kind) {
    case SUB_NONE: return NULL;
    case SUB_UN: return word_at(un_words, COUNT(un_words), sub);
    case SUB_BIN: return word_at(bin_name, BIN_OPS, sub);
    case SUB_CMP: return word_at(cmp_words, CMP_OPS, sub);
    case SUB_MATH: return sub < MATHS ? math_info[sub].text : NULL;
    case SUB_CHECK: return sub < CHECKS ? check_info[sub].name : NULL;
    case SUB_SREG: return word_at(sreg_words, COUNT(sreg_words), sub);
    case SUB_ATOMIC: return word_at(atomic_words, COUNT(atomic_words), sub);
    case SUB_BARRIER: return word_at(barrier_words, COUNT(barrier_words), sub);
    case SUB_WARP: return word_at(warp_words, COUNT(warp_words), sub);
    case SUB_FENCE: return word_at(fence_words, COUNT(fence_words), sub);
    case SUB_FORMAT: return format_word(sub);
    }
    return NULL;
}

int ir_sub_number(SubKind kind, const char *word) {
    for (unsigned sub = 0; sub < 256; sub++) {
        const char *w = ir_sub_word(kind, sub);
        if (w && strcmp(w, word) == 0) return (int)sub;
    }
    return -1;
}

/* --- quoted text and words -------------------------------------------------------------------- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t ir_word_length(const char *s) {
    if (!is_letter(*s)) return 0;
    size_t n = 1;
    while (is_letter(s[n]) || is_digit(s[n]) || s[n] == '.') n++;
    return n;
}

bool ir_is_word(const char *s) { return *s && ir_word_length(s) == strlen(s); }

void ir_print_quoted(Cx *cx, Buf *out, const char *s, size_t n, bool ascii) {
    buf_add(cx, out, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\')
            buf_printf(cx, out, "\\%c", c);
        else if (c == '\n')
            buf_add(cx, out, "\\n", 2);
        else if (c < 0x20 || c == 0x7f || (ascii && c >= 0x80))
            buf_printf(cx, out, "\\x%02x", c);
        else
            buf_add(cx, out, s + i, 1);
    }
    buf_add(cx, out, "\"", 1);
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* One character after a backslash, moved over; -1: no such escape. */
static int read_escape(const char **s) {
    char c = *(*s)++;
    if (c == '"' || c == '\\') return c;
    if (c == 'n') return '\n';
    if (c != 'x' || hex_digit((*s)[0]) < 0 || hex_digit((*s)[1]) < 0) return -1;
    int value = hex_digit((*s)[0]) * 16 + hex_digit((*s)[1]);
    *s += 2;
    return value;
}

const char *ir_parse_quoted(Cx *cx, const char **at, size_t *n) {
    const char *s = *at;
    Buf out = {0};
    if (*s++ != '"') return NULL;
    while (*s != '"') {
        if (!*s || *s == '\n') return NULL;
        int c = (unsigned char)*s++;
        if (c == '\\' && (c = read_escape(&s)) < 0) return NULL;
        char byte = (char)c;
        buf_add(cx, &out, &byte, 1);
    }
    *at = s + 1;
    *n = out.n;
    return out.n ? out.at : "";
}
