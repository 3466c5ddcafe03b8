/* Inside codegen/nvptx*.c. */
#pragma once
#include "codegen/cg.h"

/* A call of one of LLVM's functions for these GPUs, "llvm.nvvm...". */
Val gpu_call(Cg *cg, const char *name, unsigned n, Val *args);

/* nvptx_math.c: a function of libdevice, by the name that C has for it. scales: its second operand is an int64. */
Val gpu_math(Cg *cg, const char *name, LLVMTypeRef ty, Val *args, unsigned n, bool scales);
void gpu_link_math(Cg *cg);

/* nvptx_sync.c: what the threads of a block or a warp do together. */
void gpu_barrier(Cg *cg, Ref r, const Ins *i);
void gpu_warp(Cg *cg, Ref r, const Ins *i);
void gpu_fence(Cg *cg, Ref r, const Ins *i);
