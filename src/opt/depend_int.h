/* Between opt/depend.c and its parts: what is carried over (depend_carried.c), what is read and written
 * (depend_memory.c). Each part gives true if nothing speaks against the loop; else it has left an answer. */
#pragma once
#include "opt/depend.h"

typedef struct Access {
    Ref ins, elem, root; /* what reads or writes; the ELEM of its address, or 0; see find_root */
    bool is_store;
    bool is_atomic; /* may meet others that are */
    uint32_t place; /* belongs to out.places.at[place - 1]; 0: to none */
} Access;

typedef struct Ask {
    Cx *cx;
    Fn *fn;
    Affine *af;
    const Loop *loop;
    Depend out;
    VEC(Access) accesses;
    /* depend_carried.c */
    const uint32_t *uses; /* per value: how often it is read */
    Map chain; /* values of the reduction that is being looked at */
    Refs marked; /* in chain, in this order */
    Map joined; /* parameters that a test chose -> the test, + 1 if it takes where it is true */
    Reduction reduction;
    uint32_t nextremes; /* steps of it that choose */
    Buf sums, apart; /* texts */
} Ask;

static inline const Ins *depend_at(const Ask *a, Ref r) { return ir_at(a->fn, r); }
static inline bool depend_is_inside(const Ask *a, Ref r) {
    return affine_is_in(a->af, a->loop, ir_at(a->fn, r)->block);
}

/* A definite answer counts more than a doubt, the first more than the next. All give false. */
bool depend_answer(Ask *a, DependAnswer answer, Span at, const char *why);
bool depend_refuse(Ask *a, Span at, const char *why);
bool depend_doubt(Ask *a, const char *why);
/* What stands in the source there, for messages. */
const char *depend_source(Ask *a, Ref r);

Family depend_family_of(const Ins *i); /* of one step */
/* For people: `name` is a sum, or what the family is. */
void depend_note_sum(Ask *a, const char *name, Family family, const Type *ty);

bool depend_look_at_params(Ask *a);
bool depend_look_at_body(Ask *a);
bool depend_look_at_memory(Ask *a); /* after body */
/* depend_places.c; part of memory */
void depend_find_places(Ask *a);
/* Are two ELEMs the same element, in all iterations? (depend_memory.c) */
bool depend_is_same_place(Ask *a, Ref x, Ref y);
