/* Loops. */
#include "build/build_int.h"

static void run_body(Builder *b, const Node *n, BlockId to_break, BlockId to_continue) {
    Frame frame = {
        .kind = FRAME_LOOP, .outer = b->frame, .to_break = to_break, .to_continue = to_continue};
    b->frame = &frame;
    bd_stmts(b, n->list, n->n);
    b->frame = frame.outer;
    bd_jump(b, to_continue);
}

/*   -> head -(false)-> else -> exit
 *      ^  \-(true)-> body -\      ^ break
 *      \--------------------/                   */
void bd_while(Builder *b, const Node *n) {
    BlockId head = bd_new_block(b, "while"), body = bd_new_block(b, "while.body");
    BlockId other = bd_new_block(b, "while.else"), exit = bd_new_block(b, "while.exit");
    bd_jump(b, head);
    bd_start(b, head);
    bd_cond(b, n->a, body, other);
    if (bd_enter(b, body)) run_body(b, n, exit, head);
    bd_seal(b, head);
    if (bd_enter(b, other)) bd_stmts(b, n->list2, n->n2);
    bd_jump(b, exit);
    bd_enter(b, exit);
}

/* --- for -------------------------------------------------------------------------------------- */

/* The loop's number: the same whatever other loops are unrolled, another in each copy of an
 * unrolled loop. */
static int64_t loop_id(const Builder *b, const Node *n) {
    return (int64_t)((b->path & 0x7ffffffffff) << 20 | (n->id & 0xfffff));
}

static uint64_t enter_path(uint64_t path, int64_t loop, uint32_t copy) {
    uint64_t x = path + (uint64_t)loop * 0x9e3779b97f4a7c15u + copy + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) | 1; /* 0 means none */
}

static const Unroll *find_unroll(const Builder *b, int64_t loop) {
    for (uint32_t i = 0; i < b->nunrolls; i++)
        if (b->unrolls[i].loop == loop) return &b->unrolls[i];
    return NULL;
}

static void take_item(Builder *b, const Node *n, Ref iter, Ref pos) {
    bd_assign(b, n->a, bd_add2(b, OP_ITER_ITEM, n->a->span, iter, pos));
}

/*   -> head(pos) -(pos == len)-> else -> exit
 *      ^  \-> body -> next -\               ^ break
 *      \---- pos + 1 --------/                  */
static void counted_loop(Builder *b, const Node *n, Ref iter, BlockId other, BlockId exit) {
    Span span = n->b->span;
    BlockId head = bd_new_block(b, "for"), body = bd_new_block(b, "for.body"),
            next = bd_new_block(b, "for.next");
    uint32_t pos = bd_new_var(b);
    Ref len = bd_add1(b, OP_ITER_LEN, span, iter);
    bd_write(b, pos, bd_const_int(b, 0, span));
    bd_jump(b, head);
    bd_start(b, head);
    Ref more = bd_add(b, OP_ITER_MORE, span, 3, (Ref[]){iter, len, bd_read(b, pos)});
    bd_branch(b, more, body, other, span);
    bd_enter(b, body);
    take_item(b, n, iter, bd_read(b, pos));
    run_body(b, n, exit, next);
    if (bd_enter(b, next)) {
        Ref one = bd_const_int(b, 1, span), old = bd_read(b, pos);
        Ref sum = bd_add2(b, OP_BINARY, span, old, one);
        ir_at(b->fn, sum)->sub = BIN_ADD;
        bd_write(b, pos, sum);
        bd_jump(b, head);
    }
    bd_seal(b, head);
}

static void unrolled_loop(Builder *b, const Node *n, Ref iter, const Unroll *unroll, BlockId other,
                          BlockId exit) {
    uint64_t path = b->path;
    for (uint32_t k = 0; k < unroll->n && b->at != NO_BLOCK; k++) {
        BlockId next = bd_new_block(b, "for.next");
        b->path = enter_path(path, unroll->loop, k);
        take_item(b, n, iter, bd_const_int(b, k, n->b->span));
        run_body(b, n, exit, next);
        bd_enter(b, next);
    }
    b->path = path;
    bd_jump(b, other);
}

void bd_for(Builder *b, const Node *n) {
    /* A list or set written here is only walked through, so a tuple does. */
    Ref value = n->b->kind == N_TUPLE && n->b->refused ? bd_tuple(b, n->b) : bd_expr(b, n->b);
    Ref iter = bd_add1(b, OP_ITER, n->b->span, value);
    ir_at(b->fn, iter)->imm = loop_id(b, n);
    const Unroll *unroll = find_unroll(b, loop_id(b, n));
    BlockId other = bd_new_block(b, "for.else"), exit = bd_new_block(b, "for.exit");
    if (unroll)
        unrolled_loop(b, n, iter, unroll, other, exit);
    else
        counted_loop(b, n, iter, other, exit);
    if (bd_enter(b, other)) bd_stmts(b, n->list2, n->n2);
    bd_jump(b, exit);
    bd_enter(b, exit);
}
