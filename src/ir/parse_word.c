/* The reader of the text form: tokens, types, constants, places. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/parse_int.h"

void parse_fail(Parser *p, const char *fmt, ...) {
    uint32_t line = 1;
    for (const char *s = p->start; s < p->at; s++) line += *s == '\n';
    va_list ap;
    va_start(ap, fmt);
    const char *text = cx_vprintf(p->cx, fmt, ap);
    va_end(ap);
    diag_fail(p->cx, (Span){0}, D_IR_TEXT, line, text);
}

static void skip_blanks(Parser *p) {
    p->at += strspn(p->at, " \t\r");
    if (*p->at == ';') p->at += strcspn(p->at, "\n");
}

bool parse_at(Parser *p, char c) {
    skip_blanks(p);
    return *p->at == c;
}

bool parse_accept(Parser *p, const char *mark) {
    skip_blanks(p);
    size_t n = strlen(mark);
    if (strncmp(p->at, mark, n) != 0) return false;
    p->at += n;
    return true;
}

void parse_expect(Parser *p, const char *mark) {
    if (!parse_accept(p, mark)) parse_fail(p, "'%s' expected", mark);
}

void parse_newline(Parser *p) {
    skip_blanks(p);
    if (*p->at != '\n' && *p->at != 0) parse_fail(p, "end of line expected");
    parse_empty_lines(p);
}

void parse_empty_lines(Parser *p) {
    skip_blanks(p);
    while (*p->at == '\n') {
        p->at++;
        skip_blanks(p);
    }
}

const char *parse_word(Parser *p) {
    skip_blanks(p);
    size_t n = ir_word_length(p->at);
    const char *word = cx_intern(p->cx, p->at, n);
    p->at += n;
    return word;
}

bool parse_accept_word(Parser *p, const char *word) {
    skip_blanks(p);
    size_t n = strlen(word);
    if (ir_word_length(p->at) != n || strncmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

const char *parse_quoted(Parser *p, size_t *n) {
    skip_blanks(p);
    const char *s = ir_parse_quoted(p->cx, &p->at, n);
    if (!s) parse_fail(p, "quoted text expected");
    return s;
}

const char *parse_name(Parser *p) {
    size_t n;
    if (parse_at(p, '"')) {
        const char *s = parse_quoted(p, &n);
        return cx_intern(p->cx, s, n);
    }
    const char *word = parse_word(p);
    if (!*word) parse_fail(p, "a name expected");
    return word;
}

int64_t parse_int(Parser *p) {
    skip_blanks(p);
    char *end;
    int64_t i = *p->at == '-' ? strtoll(p->at, &end, 10) : (int64_t)strtoull(p->at, &end, 10);
    if (end == p->at) parse_fail(p, "a number expected");
    p->at = end;
    return i;
}

double parse_float(Parser *p) {
    char *end;
    if (parse_accept(p, "bits:")) {
        uint64_t bits = strtoull(p->at, &end, 16);
        double f;
        memcpy(&f, &bits, sizeof f);
        p->at = end;
        return f;
    }
    skip_blanks(p);
    double f = strtod(p->at, &end);
    if (end == p->at) parse_fail(p, "a number expected");
    p->at = end;
    return f;
}

bool parse_number_after(Parser *p, char mark, uint32_t *n) {
    skip_blanks(p);
    if (p->at[0] != mark || p->at[1] < '0' || p->at[1] > '9') return false;
    char *end;
    unsigned long value = strtoul(p->at + 1, &end, 10);
    if (value > 1u << 24) parse_fail(p, "the number is too large");
    p->at = end;
    *n = (uint32_t)value;
    return true;
}

/* --- parts ------------------------------------------------------------------------------------ */

Type *parse_type(Parser *p) {
    skip_blanks(p);
    const char *wrong;
    Type *ty = ir_parse_type(p->cx, &p->opaque, &p->at, &wrong);
    if (!ty) parse_fail(p, "%s", wrong);
    return ty;
}

static void parse_const_items(Parser *p, Const *k) {
    VEC(Const *) items = {0};
    parse_expect(p, "(");
    if (!parse_accept(p, ")")) {
        do vec_push(p->cx, &items, parse_const(p));
        while (parse_accept(p, ","));
        parse_expect(p, ")");
    }
    k->seq.items = items.at;
    k->seq.n = items.n;
}

static void parse_bool(Parser *p, Const *k) {
    k->i = parse_accept_word(p, "true");
    if (!k->i && !parse_accept_word(p, "false")) parse_fail(p, "true or false expected");
}

static void parse_complex(Parser *p, Const *k) {
    parse_expect(p, "(");
    k->f[0] = parse_float(p);
    parse_expect(p, ",");
    k->f[1] = parse_float(p);
    parse_expect(p, ")");
}

Const *parse_const(Parser *p) {
    Const *k = NEW(p->cx, Const);
    k->ty = parse_type(p);
    switch ((TyKind)k->ty->kind) {
    case TY_BOOL: parse_bool(p, k); break;
    case TY_INT:
    case TY_ENUM:
    case TY_PTR: k->i = parse_int(p); break;
    case TY_FLOAT: k->f[0] = parse_float(p); break;
    case TY_COMPLEX: parse_complex(p, k); break;
    case TY_STR:
    case TY_BYTES: k->str.s = parse_quoted(p, &k->str.n); break;
    case TY_TUPLE:
    case TY_SLICE:
    case TY_OPTIONAL:
    case TY_RANGE: parse_const_items(p, k); break;
    case TY_UNDEF:
    case TY_NONE:
    case TY_ARRAY:
    case TY_DTYPE:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_EXC:
    case TY_KINDS: break;
    }
    return k;
}

/* at [file/]line:column-line:column */
Span parse_span(Parser *p) {
    Span s = {0};
    if (!parse_accept_word(p, "at")) return s;
    s.file = p->fn->file;
    uint32_t first = (uint32_t)parse_int(p);
    if (parse_accept(p, "/")) {
        s.file = first;
        first = (uint32_t)parse_int(p);
    }
    s.line = first;
    parse_expect(p, ":");
    s.col = (uint32_t)parse_int(p);
    parse_expect(p, "-");
    s.end_line = (uint32_t)parse_int(p);
    parse_expect(p, ":");
    s.end_col = (uint32_t)parse_int(p);
    return s;
}

uint32_t parse_from(Parser *p) {
    if (!parse_accept_word(p, "from")) return 0;
    parse_expect(p, "#");
    int64_t origin = parse_int(p);
    if (origin <= 0 || origin >= p->fn->origins.n) parse_fail(p, "no such origin");
    return (uint32_t)origin;
}

static uint8_t fast_bit(Parser *p) {
    const char *word = parse_word(p);
    for (unsigned i = 0; i < 7; i++)
        if (strcmp(word, ir_fast_words[i]) == 0) return (uint8_t)(1u << i);
    parse_fail(p, "no such flag: %s", word);
}

uint8_t parse_fast(Parser *p) {
    if (!parse_accept_word(p, "fast")) return 0;
    if (!parse_accept(p, "(")) return FAST_ALL;
    uint8_t fast = 0;
    do fast |= fast_bit(p);
    while (parse_accept(p, ","));
    parse_expect(p, ")");
    return fast;
}
