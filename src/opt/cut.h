/* A piece of a function, copied into a function of its own: the slow version of a loop nest (opt/outline.c), the
 * body of a parallel loop (opt/parallel_build.c). The new function has an entry block; what the piece reads from
 * outside are its arguments. What comes before the copy and behind it is made by who asks for it. */
#pragma once
#include "base/map.h"
#include "opt/opt_int.h"

typedef struct Piece {
    Fn *fn;
    const BlockId *blocks; /* the first is where it is entered */
    uint32_t nblocks;
    bool *has; /* per block of fn; those made since are not in it */
    uint32_t n;
} Piece;

Piece cut_piece(Cx *cx, Fn *fn, const BlockId *blocks, uint32_t nblocks);
static inline bool cut_has(const Piece *p, BlockId b) { return b < p->n && p->has[b]; }
static inline bool cut_computes(const Piece *p, Ref r) {
    return cut_has(p, ir_at(p->fn, r)->block);
}

/* Does all that raises in the piece go to one place outside, with values from outside, or all out of the function?
 * *handler: that edge, or NULL. Handlers inside come along. */
bool cut_find_handler(const Piece *p, const Edge **handler);

typedef struct Cut {
    Cx *cx;
    const Piece *piece;
    Fn *to;
    Map refs; /* value -> value in `to` */
    Map ids; /* block -> block in `to`; who asks adds targets of edges that leave the piece */
    Refs given; /* values outside that arguments stand for, in order */
    VEC(FnArg) args;
    Refs consts; /* values outside that are copied instead */
} Cut;

/* word: of the new function's symbol. */
Cut cut_begin(Cx *cx, const Piece *p, const char *word, Type *ret);
Ref cut_add_arg(Cut *c, const char *name, Type *ty);
/* Arguments, or constants, for all that the piece and the edge into it read from outside. Behind the arguments of
 * who asks. */
void cut_add_inputs(Cut *c, const Edge *enter);
/* A value outside that is an input. */
static inline Ref cut_input(const Cut *c, Ref r) { return (Ref)map_get(&c->refs, r, 0); }
/* Copies the piece, without handlers that lead out of it, and gives the function to the module. Returns where the
 * copy is entered. */
BlockId cut_finish(Cut *c);
