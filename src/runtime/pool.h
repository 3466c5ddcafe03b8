/* The threads that run parallel loops.
 *
 * The calling thread and idle workers take the chunks of a region one after the other. Where the cuts are depends on the loop alone, never on the number of
 * threads; so do results that are put together from one partial result a chunk. */
#pragma once
#include "core/ctx.h"
#include "core/region.h"

/* Compiled code: iterations from lo up to hi; 0, or 1 with ctx->exc set. */
typedef int32_t RegionBody(WsCtx *ctx, const RegionHead *slots, int64_t lo, int64_t hi,
                           char *partial);

/* A chunk at work: ctx->chunk. */
typedef struct PoolChunk {
    struct Region *region;
    int64_t number;
    bool by_worker; /* a thread that Python does not know, and that signals do not concern */
    bool interrupted; /* a signal handler has raised: nothing else counts */
} PoolChunk;

/* Another chunk has raised: is what this one does not needed any more? */
bool pool_stops(const PoolChunk *c);

unsigned pool_most_threads(void); /* WHIPSNAKE_NUM_THREADS, or all processors */
unsigned pool_threads(void); /* that a loop started by this thread uses */
void pool_set_threads(unsigned n); /* 1 to pool_most_threads() */
#ifdef WS_CHECKS
/* For tests: where one thread runs all chunks of a loop, the last one first. */
void pool_reverse(bool on);
#endif
int64_t pool_chunk_size(void); /* iterations a chunk, as set by this thread; 0: chosen */
void pool_set_chunk_size(int64_t n);
