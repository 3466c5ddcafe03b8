/* Inside src/ir: what the printer and the parser of the text form share. docs/ir.md describes the
 * language. */
#pragma once
#include "base/map.h"
#include "ir/ir.h"

/* What Ins.sub says, and what stands in the union: which words follow the name of an operation. */
typedef enum SubKind {
    SUB_NONE,
    SUB_UN,
    SUB_BIN,
    SUB_CMP,
    SUB_MATH,
    SUB_CHECK,
    SUB_SREG,
    SUB_ATOMIC,
    SUB_BARRIER,
    SUB_WARP,
    SUB_FENCE,
    SUB_FORMAT
} SubKind;
typedef enum Payload {
    PAY_NONE,
    PAY_NAME,
    PAY_CALL,
    PAY_REFUSAL,
    PAY_CALLEE,
    PAY_RT,
    PAY_CONST,
    PAY_CLASS
} Payload;

typedef struct Form {
    uint8_t sub; /* SubKind */
    uint8_t payload; /* Payload */
    uint8_t nimm; /* how many of imm, imm2 are always written; others only when not 0 */
} Form;
extern const Form ir_forms[OPS];

/* The word for `sub`, or NULL if there is none. */
const char *ir_sub_word(SubKind kind, unsigned sub);
/* The number behind a word of that kind; -1: none. */
int ir_sub_number(SubKind kind, const char *word);

extern const char *const ir_fast_words[7]; /* of the bits of FastFlag */
extern const char *const ir_diag_words[]; /* "UNSUPPORTED", by DiagId */
extern const uint32_t ir_diag_word_count;
extern const char *const ir_class_words[]; /* Python's exception classes by number */
extern const uint32_t ir_class_word_count;

/* --- types (ir/type_text.c) ------------------------------------------------------------------- */

void ir_print_type(Cx *cx, Buf *out, const Type *ty);
/* Reads one type at **at and moves on; NULL and *wrong set if there is none. Types that name Python
 * objects (functions, classes, enums, named tuples ...) cannot be made from text: stand-ins take
 * their place, the same pointer for the same text in one `opaque` map, alive as long as the
 * compile. */
Type *ir_parse_type(Cx *cx, Map *opaque, const char **at, const char **wrong);

/* The shortest decimal that reads back as the same float. */
void ir_print_float(Cx *cx, Buf *out, double f);
/* "..." with escapes. s may hold NUL bytes; bytes from 0x80 are escaped if `ascii`. */
void ir_print_quoted(Cx *cx, Buf *out, const char *s, size_t n, bool ascii);
/* Reads what ir_print_quoted wrote at **at; NULL if it is none. NUL-terminated, in the arena. */
const char *ir_parse_quoted(Cx *cx, const char **at, size_t *n);
/* Does the text stand for itself as a word: letters, digits, _ and ., not starting with a digit. */
bool ir_is_word(const char *s);
/* Length of the word at s; 0: none. */
size_t ir_word_length(const char *s);
