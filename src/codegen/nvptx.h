/* Inside codegen/nvptx*.c. */
#pragma once
#include "codegen/cg.h"

/* A call of one of LLVM's functions for these GPUs, "llvm.nvvm...". */
Val gpu_call(Cg *cg, const char *name, unsigned n, Val *args);

/* nvptx_sync.c: what the threads of a block or a warp do together. */
void gpu_barrier(Cg *cg, Ref r, const Ins *i);
void gpu_warp(Cg *cg, Ref r, const Ins *i);
void gpu_fence(Cg *cg, Ref r, const Ins *i);
