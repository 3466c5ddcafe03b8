/* A switch saves what a call must preserve, changes the stack pointer and jumps. The jump is not a `ret`: the
 * processor predicts those from a stack of its own, which would be wrong each time. */
#include "simt/switch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

void simt_switch_asm(void **save, void *sp);
void simt_begin_asm(void);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden simt_switch_asm\n"
        ".globl simt_switch_asm\n"
        ".type simt_switch_asm, @function\n"
        "simt_switch_asm:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        ".size simt_switch_asm, .-simt_switch_asm\n"
        ".hidden simt_begin_asm\n"
        ".globl simt_begin_asm\n"
        ".type simt_begin_asm, @function\n"
        "simt_begin_asm:\n" /* body in rbx, its argument in r12 */
        "    movq %r12, %rdi\n"
        "    callq *%rbx\n"
        "    ud2\n"
        ".size simt_begin_asm, .-simt_begin_asm\n");

void simt_open_stack(SimtStack *s, char *low, size_t size, void (*body)(void *), void *arg) {
    uintptr_t top = ((uintptr_t)low + size) & ~(uintptr_t)63;
    void **at = (void **)top - 9; /* a multiple of 16, as calls want it, once seven are popped */
    void *begin;
    void (*f)(void) = simt_begin_asm;
    memcpy(&begin, &f, sizeof begin);
    memset(at, 0, 9 * sizeof *at);
    at[3] = arg; /* r15 r14 r13 r12 rbx rbp, the address */
    memcpy(&at[4], &body, sizeof body);
    at[6] = begin;
    s->sp = at;
}

void simt_switch(SimtStack *from, const SimtStack *to) { simt_switch_asm(&from->sp, to->sp); }
void simt_close_stack(SimtStack *s) { (void)s; }

#else

#include <ucontext.h>

static void begin(unsigned a, unsigned b, unsigned c, unsigned d) {
    uintptr_t f = (uintptr_t)a << 32 | b, arg = (uintptr_t)c << 32 | d;
    void (*body)(void *);
    memcpy(&body, &f, sizeof body);
    body((void *)arg);
}

void simt_open_stack(SimtStack *s, char *low, size_t size, void (*body)(void *), void *arg) {
    ucontext_t *c = s->context ? s->context : malloc(sizeof *c);
    uintptr_t f, a = (uintptr_t)arg;
    if (!c) abort();
    memcpy(&f, &body, sizeof f);
    s->context = c;
    getcontext(c);
    c->uc_stack.ss_sp = low;
    c->uc_stack.ss_size = size;
    c->uc_link = NULL;
    makecontext(c, (void (*)(void))begin, 4, (unsigned)(f >> 32), (unsigned)f, (unsigned)(a >> 32),
                (unsigned)a);
}

void simt_switch(SimtStack *from, const SimtStack *to) {
    if (!from->context) from->context = malloc(sizeof(ucontext_t));
    if (!from->context) abort();
    swapcontext(from->context, to->context);
}

void simt_close_stack(SimtStack *s) {
    free(s->context);
    s->context = NULL;
}

#endif
