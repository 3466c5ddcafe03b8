/* Exceptions: raise, try, and the ways out of statements.
 *
 *     try: A                    A under the handler H
 *     except E as e: B    =>    H(exc): exc.match E -> B, else raise exc
 *                               B under a handler of its own, where what B raises gets exc as context
 *                               B between exc.enter and exc.leave, for functions called in B that `raise`
 *     else: C                   C behind A, not under H
 *     finally: D                D copied: behind A, B and C; on each return, break and continue
 *                               out of them; in a handler of its own, which raises again */
#include "build/build_int.h"

/* Behind the statements that handle an exception. */
static void end_handling(Builder *b, Ref before, const char *name) {
    Ref r = bd_add1(b, OP_EXC_LEAVE, (Span){0}, before);
    ir_at(b->fn, r)->ty = TY_OF(TY_NONE);
    if (name) bd_write_name(b, name, b->unset, (Span){0});
}

/* --- ways out --------------------------------------------------------------------------------- */

Way bd_way_out(Builder *b, const Frame *to) {
    Way way = {b->frame, b->handler};
    for (Frame *f = b->frame; f != to && b->at != NO_BLOCK; f = f->outer) {
        b->frame = f->outer;
        if (f->kind == FRAME_HANDLER) end_handling(b, f->before, f->name);
        if (f->kind != FRAME_FINALLY) continue;
        bd_set_handler(b, f->handler);
        bd_stmt(b, f->final);
    }
    return way;
}

void bd_back_in(Builder *b, Way way) {
    b->frame = way.frame;
    b->handler = way.handler; /* nothing is being filled: no block to end */
}

/* --- raise ------------------------------------------------------------------------------------ */

/* The exception that is being handled here; 0: none is, in this function. */
static Ref handled_here(const Builder *b) {
    const Frame *f = b->frame;
    while (f && f->kind != FRAME_HANDLER) f = f->outer;
    return f ? f->exc : 0;
}

/* An exception that has been raised already goes on: that is no new place in its traceback. */
static void go_on_raising(Builder *b, Ref exc) { bd_raise(b, exc, 0, (Span){0}); }

static void raise_again(Builder *b, Span span) {
    Ref exc = handled_here(b);
    if (!exc) {
        exc = bd_add(b, OP_EXC_HANDLED, span, 0, NULL);
        ir_at(b->fn, exc)->ty = TY_OF(TY_EXC);
    }
    go_on_raising(b, exc);
}

/* `handled`, if there is one, becomes the context of exc. */
static void add_context(Builder *b, Ref exc, Ref handled, bool anew, Span span) {
    if (!handled || exc == handled) return;
    Ref r = bd_add2(b, OP_EXC_CONTEXT, span, exc, handled);
    ir_at(b->fn, r)->imm = anew;
}

void bd_raise_stmt(Builder *b, const Node *n) {
    if (!n->a) {
        raise_again(b, n->span);
        return;
    }
    Ref exc = bd_expr(b, n->a), cause = n->b ? bd_expr(b, n->b) : 0;
    add_context(b, exc, handled_here(b), true, n->span);
    bd_raise(b, exc, cause, n->span);
}

/* --- try -------------------------------------------------------------------------------------- */

static BlockId new_handler(Builder *b, const char *label) {
    BlockId handler = bd_new_block(b, label);
    ir_add_param(b->cx, b->fn, handler, TY_OF(TY_EXC));
    return handler;
}

/* Begins a handler: its exception. */
static Ref enter_handler(Builder *b, BlockId handler, Span span) {
    bd_start(b, handler);
    Ref exc = b->fn->blocks.at[handler].params.at[0];
    add_context(b, exc, handled_here(b), false, span);
    return exc;
}

/* What an exception does that leaves the code which handles `exc`. */
static void leave_handling(Builder *b, BlockId second, const Frame *f, Span span) {
    bd_start(b, second);
    Ref raised = b->fn->blocks.at[second].params.at[0];
    add_context(b, raised, f->exc, false, span);
    end_handling(b, f->before, f->name);
    go_on_raising(b, raised);
}

/* Runs the statements while `exc` is handled. Afterwards this place is behind them, if it is reached. */
static void run_handling(Builder *b, Ref exc, const char *name, Node *const *list, uint32_t n,
                         Span span) {
    BlockId outside = b->handler, second = new_handler(b, "except.raised");
    Frame frame = {.kind = FRAME_HANDLER, .outer = b->frame, .exc = exc, .name = name};
    frame.before = bd_add1(b, OP_EXC_ENTER, span, exc);
    ir_at(b->fn, frame.before)->ty = TY_OF(TY_EXC);
    b->frame = &frame;
    bd_set_handler(b, second);
    bd_stmts(b, list, n);
    b->frame = frame.outer;
    bd_set_handler(b, outside);
    if (b->at != NO_BLOCK) end_handling(b, frame.before, name);
    BlockId behind = b->at;
    if (bd_seal_handler(b, second)) leave_handling(b, second, &frame, span);
    b->at = behind;
}

static void run_handlers(Builder *b, const Node *n, BlockId handler, BlockId done) {
    Ref exc = enter_handler(b, handler, n->span);
    for (uint32_t i = 0; i < n->n2 && b->at != NO_BLOCK; i++) {
        const Node *h = n->list2[i];
        BlockId next = bd_new_block(b, "except.next");
        Ref caught = exc;
        if (h->a) {
            BlockId body = bd_new_block(b, "except.body");
            Ref cls = bd_expr(b, h->a);
            Ref match = bd_add2(b, OP_EXC_MATCH, h->a->span, exc, cls);
            bd_branch(b, match, body, next, h->a->span);
            bd_enter(b, body);
            if (h->name) caught = bd_add2(b, OP_EXC_AS, h->span, exc, cls);
        }
        if (h->name) bd_write_name(b, h->name, caught, h->span);
        run_handling(b, exc, h->name, h->list, h->n, h->span);
        bd_jump(b, done);
        bd_enter(b, next);
    }
    if (b->at != NO_BLOCK) go_on_raising(b, exc);
}

/* try/except/else; goes on where all of them meet. */
static void try_except(Builder *b, const Node *n) {
    BlockId outside = b->handler;
    if (!n->n2) { /* only finally */
        bd_stmts(b, n->list, n->n);
        return;
    }
    BlockId handler = new_handler(b, "except"), done = bd_new_block(b, "try.done");
    bd_set_handler(b, handler);
    bd_stmts(b, n->list, n->n);
    bd_set_handler(b, outside);
    if (b->at != NO_BLOCK && n->a) bd_stmt(b, n->a);
    bd_jump(b, done);
    if (bd_seal_handler(b, handler)) run_handlers(b, n, handler, done);
    bd_enter(b, done);
}

void bd_try(Builder *b, const Node *n) {
    if (!n->b) {
        try_except(b, n);
        return;
    }
    BlockId outside = b->handler, handler = new_handler(b, "finally");
    Frame frame = {.kind = FRAME_FINALLY, .outer = b->frame, .final = n->b, .handler = outside};
    b->frame = &frame;
    bd_set_handler(b, handler);
    try_except(b, n);
    b->frame = frame.outer;
    bd_set_handler(b, outside);
    BlockId done = bd_new_block(b, "finally.done");
    if (b->at != NO_BLOCK) bd_stmt(b, n->b);
    bd_jump(b, done);
    if (bd_seal_handler(b, handler)) {
        Ref exc = enter_handler(b, handler, n->span);
        run_handling(b, exc, NULL, &n->b, 1, n->span);
        if (b->at != NO_BLOCK) go_on_raising(b, exc);
    }
    bd_enter(b, done);
}
