/* All that differs between the machines that code is made for. */
#pragma once
#include "codegen/llvm_compat.h"
#include "ir/ir.h"

struct Cg;

/* One set of vector variants of SLEEF's functions, widest first in a list that ends with lanes 0.
 */
typedef struct VectorMath {
    unsigned lanes64; /* doubles per vector; twice as many floats */
    const char *suffix;
} VectorMath;

typedef struct Target {
    const char *name;
    const char *triple;
    const char *cpu, *features;
    /* SLEEF: prefix of the deterministic functions, suffix of the scalar ones, the vector ones.
     * NULL prefix: none. */
    const char *math_prefix, *math_scalar;
    const VectorMath *math_vectors;
    const char *truncate[2]; /* intrinsics from a vector with a float32, a float64 to int64; out of
                                range: the smallest one. NULL: none */
    const char *stack_register; /* NULL: no check for deep recursion */
    bool pins_context; /* the context travels in a register that calls preserve (Swift's self): 9 %
                          fewer instructions in recursive code */
    bool is_gpu; /* no context, no exceptions, no runtime */
    /* Translate OP_SREG, OP_BARRIER, OP_WARP, OP_FENCE, OP_SHARED, OP_ATOMIC. */
    void (*sreg)(struct Cg *cg, Ref r, const Ins *i);
    void (*barrier)(struct Cg *cg, Ref r, const Ins *i);
    void (*warp)(struct Cg *cg, Ref r, const Ins *i);
    void (*fence)(struct Cg *cg, Ref r, const Ins *i);
    void (*shared)(struct Cg *cg, Ref r, const Ins *i);
    void (*atomic)(struct Cg *cg, Ref r, const Ins *i);
    /* OP_GLOBAL where captured arrays are a part of the code; NULL: they come in through the context. */
    void (*global)(struct Cg *cg, Ref r, const Ins *i);
    /* A function of math that LLVM does not know, as C calls it ("sin"); of one float type, but if it `scales`: its second
     * operand is an int64. NULL: SLEEF's, or C's. */
    LLVMValueRef (*math)(struct Cg *cg, const char *name, LLVMTypeRef ty, LLVMValueRef *args,
                         unsigned n, bool scales);
    /* Makes the function that is called from outside: the entry thunk, or a kernel. */
    void (*entry)(struct Cg *cg);
} Target;

/* The machine we run on, or the one of WHIPSNAKE_CPU_NAME ("x86-64-v3", "skylake,+fma"). Made once. */
const Target *target_cpu(void);
/* A GPU: "sm_75" ... Lives as long as the compile. */
const Target *target_nvptx(Cx *cx, const char *sm);
