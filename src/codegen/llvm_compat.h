/* LLVM's C API, 19 and newer, and what differs between the versions. Nothing else includes llvm-c.
 */
#pragma once
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 19
#error "LLVM 19 or newer is needed"
#endif

/* The `memory` attribute is a number with two bits (1 read, 2 write) for each kind of location. */
#define MEM_ARGS(rw)   ((uint64_t)(rw))
#define MEM_HIDDEN(rw) ((uint64_t)(rw) << 2) /* memory that the module cannot see */
#if LLVM_VERSION_MAJOR >= 21
#define MEM_OTHER(rw) \
    ((uint64_t)(rw) << 4 | (uint64_t)(rw) << 6) /* errno has a kind of its own \
                                                                   */
#else
#define MEM_OTHER(rw) ((uint64_t)(rw) << 4)
#endif
#define MEM_ALL(rw) (MEM_ARGS(rw) | MEM_HIDDEN(rw) | MEM_OTHER(rw))
enum { MEM_R = 1, MEM_W = 2, MEM_RW = 3 };
