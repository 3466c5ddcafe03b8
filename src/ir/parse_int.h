/* Inside ir/parse*.c: the reader of the text form. A line is a statement; blanks and ";" comments
 * do not count. */
#pragma once
#include "ir/text_int.h"

typedef struct Parser {
    Cx *cx;
    const char *start, *at;
    Module *module;
    Fn *fn;
    Map opaque; /* see ir_parse_type */
    Map functions; /* interned name -> Fn *, made when first mentioned */
} Parser;

/* Aborts with the line number. */
__attribute__((format(printf, 2, 3))) _Noreturn void parse_fail(Parser *p, const char *fmt, ...);

/* --- tokens (ir/parse_word.c); blanks before one are skipped ---------------------------------- */

bool parse_accept(Parser *p, const char *mark); /* punctuation */
bool parse_accept_word(Parser *p, const char *word); /* a whole word */
void parse_expect(Parser *p, const char *mark);
void parse_newline(Parser *p); /* the end of the line, and empty lines behind it */
bool parse_at(Parser *p, char c); /* is c next */
void parse_empty_lines(Parser *p); /* any number of them, also none */
const char *parse_word(Parser *p); /* interned; "" if none is next */
const char *parse_name(Parser *p); /* a word or quoted text */
const char *parse_quoted(Parser *p, size_t *n);
int64_t parse_int(Parser *p); /* also 2**63 .. 2**64-1, as its bits */
double parse_float(Parser *p);
bool parse_number_after(Parser *p, char mark, uint32_t *n); /* "%12", "b3": the mark and digits */

/* --- parts (ir/parse_word.c) ------------------------------------------------------------------ */

Type *parse_type(Parser *p);
Const *parse_const(Parser *p); /* type and value */
Span parse_span(Parser *p); /* "at ...", or no place */
uint8_t parse_fast(Parser *p); /* "fast ...", or 0 */
uint32_t parse_from(Parser *p); /* "from #3", an origin there is, or 0 */

/* --- one instruction (ir/parse_ins.c) --------------------------------------------------------- */

/* The function with that name, made empty when it is first mentioned. */
Fn *parse_fn_ref(Parser *p, const char *name);
Ref parse_ref(Parser *p); /* "%12", with room for it in fn->ins */
/* "(%1, %2)" or nothing. */
void parse_ref_list(Parser *p, Refs *out);
/* The rest of the line behind "%r = ", or all of it (r: 0, a number of its own is given), appended
 * to block b. */
void parse_ins(Parser *p, BlockId b, Ref r, Type *ty, bool typed, const char *word);
