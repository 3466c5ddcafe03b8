#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#ifdef WS_CHECKS
enum { CHUNK = 256 }; /* small, so that growth really happens in tests */
#else
enum { CHUNK = 64 * 1024 };
#endif

typedef struct Chunk Chunk;
struct Chunk {
    Chunk *next;
    size_t used, size; /* bytes of data[] */
    _Alignas(16) unsigned char data[];
};

struct Arena {
    Chunk *head; /* the one being filled; never NULL */
    size_t total;
};

static Chunk *new_chunk(Arena *a, size_t size) {
    Chunk *c = mem_alloc(sizeof(Chunk) + size);
    if (!c) return NULL;
    c->used = 0;
    c->size = size;
    a->total += size;
    return c;
}

Arena *arena_new(void) {
    Arena *a = mem_alloc(sizeof *a);
    if (!a) return NULL;
    a->total = 0;
    a->head = new_chunk(a, CHUNK);
    if (!a->head) {
        mem_free(a);
        return NULL;
    }
    a->head->next = NULL;
    return a;
}

void arena_free(Arena *a) {
    if (!a) return;
    for (Chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        mem_free(c);
    }
    mem_free(a);
}

void *arena_alloc(Arena *a, size_t n) {
    if (n > SIZE_MAX / 2) return NULL;
    n = (n + 15) & ~(size_t)15;
    Chunk *c = a->head;
    if (n > CHUNK / 4) {
        c = new_chunk(a, n);
        if (!c) return NULL;
        c->next = a->head->next;
        a->head->next = c;
    } else if (c->size - c->used < n) {
        c = new_chunk(a, CHUNK);
        if (!c) return NULL;
        c->next = a->head;
        a->head = c;
    }
    void *p = c->data + c->used;
    c->used += n;
    return memset(p, 0, n);
}

size_t arena_size(const Arena *a) { return a->total; }
