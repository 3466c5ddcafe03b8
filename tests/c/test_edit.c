/* src/ir/edit.c, info.c, and failing allocations all over the IR. */
#include <string.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/mem.h"
#include "check.h"
#include "ir/ir.h"
#include "ir/math.h"
#include "ir/tool.h"

static const char loop_text[] = "fn low @f(n: int64) -> int64 {\n"
                                "b0:\n"
                                "    %1: int64 = arg #0\n"
                                "    %2 = const int64 0\n"
                                "    %3 = const int64 1\n"
                                "    jump b1(%2, %3)\n"
                                "b1.for(%4: int64, %5: int64):\n"
                                "    %6: bool = lt %4, %1\n"
                                "    branch %6, b2, b3\n"
                                "b2.body:\n"
                                "    %7: int64 = add %5, %4\n"
                                "    %8: int64 = add %4, %3\n"
                                "    jump b1(%8, %7)\n"
                                "b3:\n"
                                "    return %5\n"
                                "}\n";

static const char *print(Cx *cx, const Fn *fn) {
    Buf out = {0};
    ir_print_fn(cx, &out, fn);
    return out.at;
}

static void expect_text(Cx *cx, const Fn *fn, const char *want) {
    const char *got = print(cx, fn);
    EXPECT(strcmp(got, want) == 0);
    if (strcmp(got, want) != 0) printf("--- got\n%s--- wanted\n%s", got, want);
}

static Fn *parse(Cx *cx, const char *text) { return ir_parse(cx, text)->fns.at[0]; }

/* --- changing --------------------------------------------------------------------------------- */

static void insert_body(Cx *cx, void *arg) {
    (void)arg;
    Fn *fn = parse(cx, loop_text);
    Ref args[] = {7, 7};
    Ref r = ir_insert(cx, fn, 2, 1, OP_ADD, TY_I(64), (Span){0}, 2, args);
    args[0] = 99; /* copied */
    EXPECT(r == 9 && fn->blocks.at[2].ins.at[1] == r && ir_at(fn, r)->args[0] == 7);
    EXPECT(ir_verify(cx, fn) == NULL);
    EXPECT(ir_insert(cx, fn, 2, 3, OP_POLL, TY_OF(TY_NONE), (Span){0}, 0, NULL) == 10);
    EXPECT(fn->blocks.at[2].ins.n == 4 && vec_last(&fn->blocks.at[2].ins) == 10);
    ir_delete(fn, r);
    ir_kill(fn, 10);
    EXPECT(fn->blocks.at[2].ins.n == 3);
    EXPECT(ir_verify(cx, fn) == NULL); /* killed but not swept */
    ir_sweep(fn);
    EXPECT(fn->blocks.at[2].ins.n == 2);
    expect_text(cx, fn, loop_text);
}

void test_insert_delete(void) { with_cx(insert_body, NULL); }

static void split_body(Cx *cx, void *arg) {
    (void)arg;
    Fn *fn = parse(cx, loop_text);
    BlockId tail = ir_split(cx, fn, 2, 1);
    EXPECT(fn->blocks.at[2].term.kind == TERM_NONE && fn->blocks.at[2].ins.n == 1);
    EXPECT(ir_at(fn, 8)->block == tail && fn->blocks.at[tail].term.succ[0].to == 1);
    ir_jump(cx, fn, 2, tail, 0, NULL);
    EXPECT(ir_verify(cx, fn) == NULL);
    EXPECT(ir_split(cx, fn, tail, 1) == tail + 1); /* at the end: only the terminator moves */
    EXPECT(fn->blocks.at[tail + 1].ins.n == 0);
    Fn *caught = parse(cx, "fn low @f() -> none {\n"
                           "b0:\n    %1 = const int64 1\n    jump b1\n"
                           "b1 handler b2(%1):\n    poll\n    poll\n    return\n"
                           "b2(%2: exc, %3: int64):\n    raise %2\n"
                           "}\n");
    tail = ir_split(cx, caught, 1, 1);
    ir_jump(cx, caught, 1, tail, 0, NULL);
    const Edge *h = &caught->blocks.at[tail].handler;
    EXPECT(h->to == 2 && h->n == 1 && h->args[0] == 1);
    h->args[0] = 0; /* a copy: the other block's handler keeps its argument */
    EXPECT(caught->blocks.at[1].handler.args[0] == 1);
}

void test_split(void) { with_cx(split_body, NULL); }

static void replace_body(Cx *cx, void *arg) {
    (void)arg;
    Fn *fn = parse(cx, loop_text);
    ir_replace_uses(fn, 5, 4);
    EXPECT(ir_at(fn, 7)->args[0] == 4 && fn->blocks.at[3].term.arg == 4);
    ir_replace_uses(fn, 7, 8);
    EXPECT(fn->blocks.at[2].term.succ[0].args[1] == 8);
}

void test_replace(void) { with_cx(replace_body, NULL); }

static void rename_body(Cx *cx, void *arg) {
    (void)arg;
    Fn *fn = parse(cx, loop_text);
    Ref *to = NEWN(cx, Ref, fn->ins.n);
    to[7] = 8, to[8] = 4; /* 7 -> 8 -> 4 */
    ir_rename_uses(fn, to);
    const Edge *e = &fn->blocks.at[2].term.succ[0];
    EXPECT(e->args[0] == 4 && e->args[1] == 4);
}

void test_rename_chain(void) { with_cx(rename_body, NULL); }

static void delete_param_body(Cx *cx, void *arg) {
    (void)arg;
    Fn *fn = parse(cx, loop_text);
    ir_replace_uses(fn, 5, 1);
    ir_delete_param(fn, 1, 1);
    EXPECT(fn->blocks.at[0].term.succ[0].n == 1 && fn->blocks.at[2].term.succ[0].args[0] == 8);
    EXPECT(ir_verify(cx, fn) == NULL);
    Fn *h = parse(cx, "fn low @g(n: int64) -> int64 {\n"
                      "b0 handler b1(%1, %2):\n"
                      "    poll\n"
                      "    unreachable\n"
                      "b1(%3: exc, %4: int64, %5: int64):\n"
                      "    return %5\n"
                      "b2:\n"
                      "    %1: int64 = arg #0\n"
                      "    %2: int64 = arg #0\n"
                      "    unreachable\n"
                      "}\n");
    ir_delete_param(h, 1, 1);
    EXPECT(h->blocks.at[0].handler.n == 1 && h->blocks.at[0].handler.args[0] == 2);
    EXPECT(h->blocks.at[1].params.n == 2 && ir_at(h, 5)->imm == 1);
}

void test_delete_param(void) { with_cx(delete_param_body, NULL); }

static void clone_body(Cx *cx, void *arg) {
    (void)arg;
    const Fn *fn = parse(cx, loop_text);
    Fn *copy = ir_new_fn(cx, "f", STAGE_LOW);
    copy->args = fn->args;
    copy->nargs = fn->nargs;
    copy->ret = fn->ret;
    Map refs = {0}, ids = {0};
    BlockId all[] = {0, 1, 2, 3};
    ir_clone(cx, copy, fn, all, 4, &refs, &ids);
    expect_text(cx, copy, loop_text);
    copy->blocks.at[0].term.succ[0].args[0] = 3; /* nothing is shared */
    ir_at(copy, 7)->args[0] = 4;
    expect_text(cx, fn, loop_text);
}

void test_clone(void) { with_cx(clone_body, NULL); }

/* The loop of a function copied in place, with %1 renamed and the exit redirected. */
static void clone_rename_body(Cx *cx, void *arg) {
    (void)arg;
    Fn *fn = parse(cx, loop_text);
    BlockId exit = ir_new_block(cx, fn, "exit"), loop[] = {1, 2};
    ir_return(fn, exit, 2, (Span){0});
    Map refs = {0}, ids = {0};
    map_set(cx, &refs, 1, 3);
    map_set(cx, &ids, 3, exit);
    ir_clone(cx, fn, fn, loop, 2, &refs, &ids);
    BlockId header = (BlockId)map_get(&ids, 1, NO_BLOCK),
            body = (BlockId)map_get(&ids, 2, NO_BLOCK);
    EXPECT(header == 5 && body == 6);
    const Block *h = &fn->blocks.at[header], *b = &fn->blocks.at[body];
    EXPECT(h->params.n == 2 && ir_at(fn, h->params.at[1])->imm == 1);
    EXPECT(ir_at(fn, h->ins.at[0])->args[0] == h->params.at[0] &&
           ir_at(fn, h->ins.at[0])->args[1] == 3);
    EXPECT(h->term.succ[0].to == body && h->term.succ[1].to == exit);
    EXPECT(b->term.succ[0].to == header && b->term.succ[0].args[0] == b->ins.at[1]);
    Ref first[] = {2, 2};
    ir_jump(cx, fn, 3, header, 2, first);
    EXPECT(ir_verify(cx, fn) == NULL);
}

void test_clone_renames(void) { with_cx(clone_rename_body, NULL); }

/* --- tables ----------------------------------------------------------------------------------- */

static void const_body(Cx *cx, void *arg) {
    (void)arg;
    Type *f64 = TY_F(64);
    EXPECT(ir_const_equal(ir_const_int(cx, TY_I(64), 3), ir_const_int(cx, TY_I(64), 3)));
    EXPECT(!ir_const_equal(ir_const_int(cx, TY_I(64), 3), ir_const_int(cx, TY_I(32), 3)));
    EXPECT(!ir_const_equal(ir_const_float(cx, f64, 0.0), ir_const_float(cx, f64, -0.0)));
    double nan = __builtin_nan("");
    EXPECT(ir_const_equal(ir_const_float(cx, f64, nan), ir_const_float(cx, f64, nan)));
    Const *a = NEW(cx, Const), *b = NEW(cx, Const);
    a->ty = b->ty = TY_OF(TY_STR);
    a->str.s = "ab", a->str.n = 2, b->str.s = "abc", b->str.n = 2;
    EXPECT(ir_const_equal(a, b));
    b->str.n = 3;
    EXPECT(!ir_const_equal(a, b));
}

void test_const_equal(void) { with_cx(const_body, NULL); }

/* The fields of every aggregate make up exactly its parts. */
void test_fields_make_parts(void) {
    Type *i64 = TY_I(64), *none = TY_OF(TY_NONE), *f32 = TY_F(32);
    Type *pair[] = {f32, TY_OF(TY_BOOL)};
    Type *array = ty_array(TY_F(64), 2, 'A', false, true), *tuple = ty_tuple(pair, 2);
    Type *iter_items[] = {ty_iter(ITER_PLAIN, array, NULL, 0),
                          ty_iter(ITER_PLAIN, TY_OF(TY_RANGE), NULL, 0)};
    Type *all[] = {TY_C(128),
                   TY_C(64),
                   tuple,
                   ty_tuple(NULL, 0),
                   ty_optional(tuple),
                   array,
                   ty_array(TY_F(64), 3, 'C', true, true),
                   ty_array(TY_F(64), 0, 'C', false, true),
                   ty_slice(i64, none, i64),
                   TY_OF(TY_RANGE),
                   TY_OF(TY_STR),
                   TY_OF(TY_BYTES),
                   iter_items[0],
                   iter_items[1],
                   ty_iter(ITER_REVERSED, array, NULL, 0),
                   ty_iter(ITER_ENUMERATE, array, NULL, 0),
                   ty_iter(ITER_ZIP, NULL, iter_items, 2)};
    for (size_t t = 0; t < sizeof all / sizeof *all; t++) {
        uint32_t part = 0;
        for (uint32_t i = 0; i < ir_field_count(all[t]); i++) {
            const Type *field = ir_field_type(all[t], i);
            EXPECT(ir_field_part(all[t], i) == part);
            for (uint32_t k = 0; k < field->nparts; k++, part++)
                EXPECT(part < all[t]->nparts && field->parts[k] == all[t]->parts[part]);
        }
        EXPECT(part == all[t]->nparts);
        if (part != all[t]->nparts)
            printf("%s: %u parts in fields, %u in all\n", all[t]->name, part, all[t]->nparts);
    }
}

void test_effects(void) {
    for (unsigned op = 0; op < OPS; op++) {
        unsigned e = op_info[op].effects;
        EXPECT(!((e & PURE) && (e & (READS | WRITES | RAISES))));
        EXPECT(!((e & HIGH) && (e & LOW)));
        EXPECT(!(e & COMM) || op_info[op].nargs == 2);
        for (unsigned other = 0; other < op; other++)
            EXPECT(strcmp(op_info[op].text, op_info[other].text) != 0);
    }
    for (unsigned f = 0; f < MATHS; f++) EXPECT(math_info[f].nargs >= 1 && math_info[f].nargs <= 3);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Parse, verify, analyse, clone, print: one allocation fails. */
static void busy_body(Cx *cx, void *arg) {
    static const char *const tools[] = {"print", "verify", "cfg", "live"};
    IrToolHost host = {0};
    for (int i = 0; i < 4; i++) ir_tool(cx, &host, tools[i], loop_text);
    clone_body(cx, arg);
    diag_note(cx, (Span){0}, "a note");
}

void test_every_allocation_fails_once(void) {
    uint64_t n = 1;
    for (;; n++) {
        Cx cx;
        mem_fail_after(n);
        if (cx_open(&cx) != 0) continue;
        int rc = cx_run(&cx, busy_body, NULL);
        mem_fail_after(0);
        EXPECT(rc == 0 || cx.diag == NULL);
        cx_close(&cx);
        if (rc == 0) break;
    }
    EXPECT(n > 20); /* it did fail, many times */
}
