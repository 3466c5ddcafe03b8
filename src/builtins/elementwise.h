/* Elementwise functions on whole arrays: an expression is a tree of nodes, computed element by element in one loop
 * nest, without arrays between (docs/architecture.md, "Array expressions").
 *
 *   loops.c        the loop of a function that takes these arguments: NumPy's types
 *   elementwise.c  the type of a call; the tree behind a value; what may wait for its use
 *   shapes.c       broadcasting: shapes of nodes, the questions asked at run time
 *   nest.c         loops over all elements of a tree: into a new array, into an existing one
 *   fused.c        reductions over a tree */
#pragma once
#include "builtins/mathrules.h"

enum { MAX_INPUTS = 16, MAX_RANK = 32, MAX_LEAVES = 64 };

/* What an elementwise function computes in. */
typedef struct ElementLoop {
    uint32_t nin; /* the row's first arguments are its inputs; those not given have no type */
    Type *in[MAX_INPUTS]; /* each input is converted to this */
    Type *out; /* an element of the result; NULL: whatever the row's own rule says */
} ElementLoop;

/* The loop for the arguments' types; false: there is none. */
bool element_loop(const Call *c, ElementLoop *loop);
/* How many inputs the row has, and is one of them, as given, an array? */
uint32_t element_inputs(const Row *row);
bool element_has_array(const Call *c);

/* Call.keywords of an elementwise function; the dtype of its loop that is asked for, or NULL. */
enum { UFUNC_OUT, UFUNC_WHERE, UFUNC_DTYPE, UFUNC_KEYWORDS };
Type *element_dtype(const Call *c);
/* Number types in the order of NumPy's same_kind casts: bool, unsigned, signed, float, complex. */
int element_kind_order(const Type *ty);

typedef struct Node Node;
struct Node {
    uint32_t rank; /* of the broadcast operands */
    Type *elem; /* what one element is */
    /* a leaf: */
    Ref leaf; /* an array of one axis or more, or a scalar of type elem */
    bool is_array;
    Ref line; /* set by the nest: the array seen with one axis, where all of them lie alike */
    Ref *flag; /* set by the nest, per axis: 0 where the axis is stretched, else 1; NULL: none is */
    /* a function, if row is not NULL: */
    const Row *row;
    Call call; /* as given: arguments that are no inputs are passed on */
    ElementLoop loop;
    Node *args[MAX_INPUTS]; /* NULL: not given */
    Span span;
};

/* elementwise.c */
bool elementwise_call(Lower *lo, Ref r, Call *out);
Node *node_of_call(Lower *lo, const Call *c);
Node *node_of_arg(Lower *lo, Arg a);
Node *node_of_array(Lower *lo, Ref array);
/* An element of the tree at these indices (of the node's rank; NULL: in a line, at line_index). */
Ref node_element(Lower *lo, Node *n, const Ref *index);
/* v as an element of type `to`: bool is truth. */
Ref element_as(Lower *lo, Ref v, Type *to);
/* The Call of a binary operator, a comparison, an operator of one operand on arrays. */
Call operator_call(Infer *in, Inst *inst, Ref r, const char *name, Arg a, Arg b);
const char *binary_name(BinOp op);
const char *compare_name(CmpOp op);
/* The type of the array that a call makes, also where it has no axes; NULL: refused. */
Type *elementwise_tree_type(Call *c);
/* The call's first argument takes its values; it is the result. */
Ref elementwise_inplace(Lower *lo, Call *c);
/* to[...] = value, an array or a number. */
void elementwise_store(Lower *lo, Ref to, Arg value);
/* Is the argument an array that is computed where it is used? */
bool elementwise_waits(Lower *lo, Arg a);
/* The type of an array computed from these nodes' arrays: a function of ranks and layouts. */
Type *elementwise_array(Type *elem, uint32_t n, Type *const *inputs);

/* shapes.c */
typedef struct Leaves {
    Node *at[MAX_LEAVES];
    uint32_t n;
} Leaves;
void node_leaves(Node *n, Leaves *out); /* the arrays */
/* The tree's shape where nothing is stretched; *equal: the question if that is so, 0 where it goes without saying. */
void shape_if_equal(Lower *lo, uint32_t rank, const Leaves *leaves, const Ref *start, Ref *shape,
                    Ref *equal);
/* The shape by broadcasting; raises ValueError. */
void shape_broadcast(Lower *lo, Node *n, Ref *shape);
/* Is this LOW value the constant 1? */
bool is_one(Lower *lo, Ref v);
/* The first byte of an array, and the first behind its last, as numbers. */
void array_extent(Lower *lo, Ref a, Ref *low, Ref *high);
/* Do a store to `to` and a load of the leaf get in each other's way, unless done element by element; 0: never. */
Ref overlap(Lower *lo, Ref to, Node *leaf);
/* Raises ValueError. */
void raise_shapes(Lower *lo, ShapeFault fault, uint32_t n, const uint32_t *ranks,
                  Ref *const *shapes);

/* nest.c */
/* The tree as a new array of this type, or as the element it is. */
Ref nest_array(Lower *lo, Node *n, Type *ty);
/* to[...] = tree. `tree_ty`: the type of the tree as an array. */
void nest_assign(Lower *lo, Ref to, Node *n, Type *tree_ty, bool in_place);

typedef struct Nest {
    uint32_t depth; /* loops */
    LoopBuild loop[MAX_RANK];
    Ref index[MAX_RANK]; /* per axis; of a line: index[0] */
} Nest;
/* Do all arrays, and `to` (or NULL), lie in the same order without gaps, so that one loop goes over them? */
bool nest_is_line(Lower *lo, const Leaves *leaves, const Type *to, const Ref *shape, uint32_t rank);
void nest_set_lines(Lower *lo, const Leaves *leaves, uint32_t rank, const Ref *shape);
void nest_clear_lines(const Leaves *leaves);
/* The factors of the indices: axes of length 1 stand still. */
void nest_set_flags(Lower *lo, const Leaves *leaves, bool stretched);
