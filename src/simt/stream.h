/* Streams: work in order, beside the program and beside other streams.
 *
 * An operation waits in its stream's queue until a thread takes it: the stream's own worker, or one that waits for the
 * stream and has nothing better to do. The default stream is in order with all others, as CUDA's legacy one: what is
 * queued there waits for what all have, and theirs for its. Nothing here needs the GIL; operations that do take it. */
#pragma once
#include "core/ctx.h"

typedef struct SimtOp SimtOp;
struct SimtOp {
    ExcObj *(*run)(SimtOp *op); /* NULL, or an exception that its stream reports; owned */
    SimtOp *next;
    uint64_t number; /* in its stream, from 1 */
    struct SimtStream *stream;
    struct SimtStream
        *after; /* first waits until this stream has done operation `after_number`; or NULL */
    uint64_t after_number;
};

typedef struct SimtStream SimtStream;

/* NULL: no memory. alone: not in order with the default stream. */
SimtStream *simt_stream_new(bool is_default, bool alone);
/* What is queued still runs; the memory is kept for the next new stream. */
void simt_stream_free(SimtStream *s);
/* Queues the operation, which is the stream's until it is among the finished; wakes a worker if it is to run beside the
 * program. Returns its number; 0: no memory, nothing was queued. */
uint64_t simt_stream_push(SimtStream *s, SimtOp *op, bool beside);
/* Queues nothing but that later operations wait for another stream. False: no memory. */
bool simt_stream_join(SimtStream *s, SimtStream *other, uint64_t number);
/* The program was interrupted while it waited: what runs is to end, what is queued is left out. */
void simt_stream_stop(SimtStream *s);
/* What is queued by now does not run. */
void simt_stream_leave_out(SimtStream *s);
/* Not 0 while the operation that runs is to end. */
const _Atomic uint32_t *simt_stream_stop_word(const SimtStream *s);
/* Number of the operation queued last. */
uint64_t simt_stream_last(SimtStream *s);
bool simt_stream_has_done(SimtStream *s, uint64_t number);
/* Takes the stream for an operation that is not queued, if it could begin at once; end gives it back. */
bool simt_stream_begin(SimtStream *s);
void simt_stream_end(SimtStream *s);
/* Waits until it is done, running what is queued; false after `ns` nanoseconds without work for this thread. */
bool simt_stream_wait(SimtStream *s, uint64_t number, uint64_t ns);
/* The exception of the first operation that failed, taken; NULL: all is well. */
ExcObj *simt_stream_take_exc(SimtStream *s);
/* All operations that are done, of any stream: a list through `next`, the caller's. */
SimtOp *simt_take_finished(void);
bool simt_has_finished(void);
/* Each stream there is, and what it had queued last: calls visit without the lock. */
uint32_t simt_streams(SimtStream **out, uint32_t room);
