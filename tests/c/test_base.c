/* src/base: memory, containers, the ways out of a compile. */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "check.h"

/* --- arena ------------------------------------------------------------------------------------ */

void test_arena(void) {
    Arena *a = arena_new();
    unsigned char *at[200];
    for (size_t i = 0; i < 200; i++) {
        at[i] = arena_alloc(a, i);
        EXPECT(at[i] && (uintptr_t)at[i] % 16 == 0);
        for (size_t k = 0; k < i; k++) EXPECT(at[i][k] == 0);
        memset(at[i], (int)i, i);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i; k++) EXPECT(at[i][k] == i); /* nobody wrote into a neighbour */
    EXPECT(arena_size(a) >= 199 * 200 / 2);
    arena_free(a);
    arena_free(NULL);
}

void test_arena_large(void) {
    Arena *a = arena_new();
    char *small = arena_alloc(a, 8), *large = arena_alloc(a, 1 << 20), *next = arena_alloc(a, 8);
    EXPECT(small && large && next);
    EXPECT(next - small == 16); /* a large block does not end the chunk being filled */
    memset(large, 1, 1 << 20);
    EXPECT(arena_alloc(a, SIZE_MAX) == NULL && arena_alloc(a, SIZE_MAX - 8) == NULL);
    arena_free(a);
}

/* --- map, vec, buf ---------------------------------------------------------------------------- */

static void map_body(Cx *cx, void *arg) {
    (void)arg;
    enum { KEYS = 1000 };
    uint64_t keys[KEYS], values[KEYS];
    Map m = {0};
    Rng rng = {1};
    EXPECT(map_get(&m, 5, 77) == 77);
    for (uint32_t i = 0; i < KEYS; i++) {
        keys[i] = i % 3 ? (uint64_t)rng_next(&rng) << 20
                        : (uint64_t)i << 32; /* many with equal low bits */
        bool known = false;
        for (uint32_t k = 0; k < i; k++)
            if (keys[k] == keys[i]) known = true, values[k] = i;
        values[i] = i;
        EXPECT(map_set(cx, &m, keys[i], i) == !known);
        EXPECT(map_get(&m, 12345, 9) == 9); /* also ends when the map is about to grow */
    }
    for (uint32_t i = 0; i < KEYS; i++) EXPECT(map_get(&m, keys[i], UINT64_MAX) == values[i]);
}

void test_map(void) { with_cx(map_body, NULL); }

static void map_zero_body(Cx *cx, void *arg) {
    (void)arg;
    Map m = {0};
    map_set(cx, &m, 1, 10);
    EXPECT(map_get(&m, 0, 3) == 3);
    EXPECT(map_set(cx, &m, 0, 20));
    EXPECT(map_get(&m, 0, 3) == 20 && map_get(&m, 1, 3) == 10);
    int x;
    map_put(cx, &m, &x, &m);
    EXPECT(map_ptr(&m, &x) == &m && map_ptr(&m, &m) == NULL);
}

void test_map_zero_key(void) { with_cx(map_zero_body, NULL); }

static void vec_body(Cx *cx, void *arg) {
    (void)arg;
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++) {
        vec_push(cx, &v, i);
        EXPECT(vec_last(&v) == i);
    }
    EXPECT(v.n == 1000);
    for (int i = 0; i < 1000; i++) EXPECT(v.at[i] == i);
    EXPECT(*vec_add(cx, &v) == 0);
}

void test_vec(void) { with_cx(vec_body, NULL); }

static void buf_body(Cx *cx, void *arg) {
    (void)arg;
    Buf b = {0};
    for (int i = 0; i < 300; i++) buf_printf(cx, &b, "%d,", i % 10);
    EXPECT(b.n == 600 && strlen(b.at) == 600 && memcmp(b.at, "0,1,2,", 6) == 0);
    buf_add(cx, &b, "a\0b", 3);
    EXPECT(b.n == 603 && b.at[601] == 0 && b.at[602] == 'b' && b.at[603] == 0);
}

void test_buf(void) { with_cx(buf_body, NULL); }

static void intern_body(Cx *cx, void *arg) {
    (void)arg;
    const char *a = cx_name(cx, "alpha");
    EXPECT(a == cx_intern(cx, "alphabet", 5) && a != cx_name(cx, "beta") &&
           strcmp(a, "alpha") == 0);
    char text[32];
    const char *kept[2000];
    for (int i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "name%d", i);
        kept[i] = cx_name(cx, text);
    }
    for (int i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "name%d", i);
        EXPECT(cx_name(cx, text) == kept[i]);
    }
    EXPECT(cx_intern(cx, "a\0b", 3) != cx_intern(cx, "a\0c", 3));
}

void test_intern(void) { with_cx(intern_body, NULL); }

/* --- ways out --------------------------------------------------------------------------------- */

static void fail_body(Cx *cx, void *arg) {
    diag_note(cx, (Span){0}, "a note");
    diag_fail(cx, (Span){0}, D_NAME, (const char *)arg);
}

static void nested_body(Cx *cx, void *arg) {
    (void)arg;
    EXPECT(cx_run(cx, fail_body, "inner") == -1);
    EXPECT(cx->diag && strcmp(cx->diag->text, "name 'inner' is not defined") == 0);
    EXPECT(cx_run(cx, map_body, NULL) == 0);
    fail_body(cx, "outer");
}

void test_run_nested(void) {
    Cx cx;
    cx_open(&cx);
    EXPECT(cx_run(&cx, nested_body, NULL) == -1);
    EXPECT(strcmp(cx.diag->text, "name 'outer' is not defined") == 0);
    EXPECT(cx.on_abort == NULL);
    cx_close(&cx);
}

void test_diag_after_nested(void) {
    Cx cx;
    cx_open(&cx);
    EXPECT(cx_run(&cx, nested_body, NULL) == -1);
    EXPECT(cx.diag->notes && !cx.diag->notes->next); /* not the inner one's too */
    cx_close(&cx);
}

static char order[8];
static void note_order(void *p) { strcat(order, p); }

static void defer_body(Cx *cx, void *arg) {
    (void)arg;
    cx_defer(cx, note_order, "a");
    cx_defer(cx, note_order, "b");
    cx_defer(cx, note_order, "c");
}

void test_defer_order(void) {
    order[0] = 0;
    with_cx(defer_body, NULL);
    EXPECT(strcmp(order, "cba") == 0);
}

static int registered, destroyed;
static void count_destroyed(void *p) { destroyed += p == &registered; }

static void defer_fail_body(Cx *cx, void *arg) {
    (void)arg;
    mem_fail_after(1);
    for (;;) {
        registered++;
        cx_defer(cx, count_destroyed, &registered);
    }
}

/* The one that finds no memory is destroyed at once, all others by cx_close. */
void test_defer_without_memory(void) {
    Cx cx;
    registered = destroyed = 0;
    cx_open(&cx);
    EXPECT(cx_run(&cx, defer_fail_body, NULL) == -1);
    mem_fail_after(0);
    EXPECT(cx.diag == NULL && destroyed == 1 && registered > 1);
    cx_close(&cx);
    EXPECT(destroyed == registered);
}

static void diag_body(Cx *cx, void *arg) {
    (void)arg;
    cx_add_file(cx, (SourceFile){.name = "prog.py",
                                 .text = "def f(a):\n    \xc3\xa4 = a + n\n",
                                 .first_line = 11});
    diag_note(cx, (Span){.line = 11, .end_line = 11, .col = 6, .end_col = 7}, "'a' is %s", "int64");
    diag_hint(cx, "use another name");
    diag_fail(cx, (Span){.line = 12, .end_line = 12, .col = 13, .end_col = 14}, D_NAME, "n");
}

void test_diag_text(void) {
    Cx cx;
    cx_open(&cx);
    EXPECT(cx_run(&cx, diag_body, NULL) == -1);
    cx.diag->function = "f";
    const char *want = "name 'n' is not defined\n"
                       "  File \"prog.py\", line 12, in f\n"
                       "    12 |     \xc3\xa4 = a + n\n"
                       "       |             ^\n"
                       "  - 'a' is int64\n"
                       "      11 | def f(a):\n"
                       "         |       ^\n"
                       "  hint: use another name";
    const char *got = diag_format(&cx, cx.diag);
    EXPECT(strcmp(got, want) == 0);
    if (strcmp(got, want) != 0) puts(got);
    cx_close(&cx);
}

static void starve_body(Cx *cx, void *arg) {
    (void)arg;
    diag_note(cx, (Span){0}, "collected for a message that never comes");
    mem_fail_after(1);
    for (;;) cx_alloc(cx, 64);
}

void test_out_of_memory_is_no_diagnostic(void) {
    Cx cx;
    cx_open(&cx);
    EXPECT(cx_run(&cx, starve_body, NULL) == -1);
    EXPECT(cx.diag == NULL);
    mem_fail_after(0);
    cx_close(&cx);
}
