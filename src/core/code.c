#include "core/code.h"

#include <string.h>

#include "base/mem.h"
#include "core/os.h"

enum { SLAB_SIZE = 1 << 20, IMPORT_SIZE = 16, ALIGN = 64 };

struct CodeSlab {
    CodeSlab *next;
    char *write, *exec;
    size_t size;
    size_t used;      /* from the front */
    uint32_t nimports; /* from the back: import k is at size - (k + 1) * IMPORT_SIZE */
    uint32_t ncommitted; /* imports below this are used by code that stays */
    unsigned pid;     /* who mapped it */
    bool debug;
};

static OsMutex lock = OS_MUTEX_INIT;
static CodeSlab *slabs; /* newest first; under lock */
static size_t mapped;

void code_lock(void) { os_lock(&lock); }
void code_unlock(void) { os_unlock(&lock); }

static size_t free_bytes(const CodeSlab *s) {
    return s->size - s->used - s->nimports * (size_t)IMPORT_SIZE;
}

static CodeSlab *new_slab(size_t need, bool debug) {
    size_t page = os_page_size();
    size_t size = need > SLAB_SIZE ? (need + page - 1) / page * page : SLAB_SIZE;
    CodeSlab *s = mem_alloc(sizeof *s);
    void *write, *exec;
    if (!s) return NULL;
    if (mem_fails() || os_map_code(size, debug, &write, &exec) != 0) {
        mem_free(s);
        return NULL;
    }
    *s = (CodeSlab){slabs, write, exec, size, 0, 0, 0, os_process_id(), debug};
    slabs = s;
    mapped += size;
    return s;
}

/* Not in a slab that was mapped before a fork: parent and child would write to the same pages. */
static CodeSlab *find_slab(size_t need, bool debug) {
    unsigned pid = os_process_id();
    for (CodeSlab *s = slabs; s; s = s->next)
        if (s->pid == pid && s->debug == debug && free_bytes(s) >= need) return s;
    return new_slab(need, debug);
}

int code_reserve(size_t size, uint32_t imports, bool debug, CodeRoom *out) {
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (size > SIZE_MAX / 4 || imports > UINT32_MAX / (4 * IMPORT_SIZE)) return -1;
    CodeSlab *s = find_slab(size + (size_t)imports * IMPORT_SIZE, debug);
    if (!s) return -1;
    s->nimports = s->ncommitted; /* what a failed load left behind */
    *out = (CodeRoom){s, s->write + s->used, s->exec + s->used, size};
    return 0;
}

void code_commit(const CodeRoom *room) {
    os_flush_code(room->exec, room->size);
    room->slab->used += room->size;
    room->slab->ncommitted = room->slab->nimports;
}

/* Jump through the address at +8, and that address. */
static void write_import(char *at, uint64_t address) {
#if defined(__aarch64__)
    static const uint32_t jump[] = {0x58000050, 0xD61F0200}; /* ldr x16, .+8; br x16 */
    memcpy(at, jump, sizeof jump);
#else
    static const unsigned char jump[8] = {0xFF, 0x25, 2, 0, 0, 0, 0xCC, 0xCC}; /* jmp *2(%rip) */
    memcpy(at, jump, sizeof jump);
#endif
    memcpy(at + 8, &address, sizeof address);
}

char *code_import(const CodeRoom *room, uint64_t address) {
    CodeSlab *s = room->slab;
    size_t at = s->size;
    for (uint32_t k = 0; k < s->nimports; k++) {
        uint64_t there;
        at -= IMPORT_SIZE;
        memcpy(&there, s->write + at + 8, sizeof there);
        if (there == address) return s->exec + at;
    }
    at = s->size - (++s->nimports) * (size_t)IMPORT_SIZE;
    write_import(s->write + at, address);
    os_flush_code(s->exec + at, IMPORT_SIZE);
    return s->exec + at;
}

#if defined(__aarch64__)
/* ldr x15, .+16; ldr x16, .+20; br x16; nop; data; target */
static void write_closure(char *at, const void *target, const void *data) {
    static const uint32_t jump[] = {0x5800008F, 0x580000B0, 0xD61F0200, 0xD503201F};
    memcpy(at, jump, sizeof jump);
    memcpy(at + 16, &data, sizeof data);
    memcpy(at + 24, &target, sizeof target);
}
#else
/* endbr64; movabs data, %r10; movabs target, %r11; jmp *%r11 */
static void write_closure(char *at, const void *target, const void *data) {
    static const unsigned char jump[] = {0xF3, 0x0F, 0x1E, 0xFA, 0x49, 0xBA, 0,    0,    0,
                                         0,    0,    0,    0,    0,    0x49, 0xBB, 0,    0,
                                         0,    0,    0,    0,    0,    0,    0x41, 0xFF, 0xE3};
    memcpy(at, jump, sizeof jump);
    memcpy(at + 6, &data, sizeof data);
    memcpy(at + 16, &target, sizeof target);
}
#endif

void *code_closure(const void *target, const void *data) {
    CodeRoom room;
    void *made = NULL;
    code_lock();
    if (code_reserve(32, 0, false, &room) == 0) {
        write_closure(room.write, target, data);
        code_commit(&room);
        made = room.exec;
    }
    code_unlock();
    return made;
}

size_t code_mapped(void) {
    code_lock();
    size_t n = mapped;
    code_unlock();
    return n;
}
