#include "core/loader.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/code.h"
#include "core/os.h"

typedef struct Load {
    const LoadRequest *req;
    LoadResult *out;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    uint32_t nsections, nsymbols;
    const char *names;   /* string table of the symbols */
    size_t names_size;
    uint64_t *offset;    /* per section: where it goes in the room; NOT_LOADED */
    size_t total;        /* bytes of all loaded sections */
    uint32_t nimports;   /* at most */
    CodeRoom room;
} Load;

#define NOT_LOADED UINT64_MAX

__attribute__((format(printf, 2, 3))) static void note_error(Load *l, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(l->out->error, sizeof l->out->error, fmt, ap);
    va_end(ap);
}
#define fail(l, ...) (note_error((l), __VA_ARGS__), -1)

/* --- relocations ------------------------------------------------------------------------------ */

/* What a relocation writes. S: the symbol, A: the addend, P: the place, G: the symbol's address in
 * the imports. */
typedef enum RelocForm {
    R_NONE,
    R_ABS64, /* S + A, 8 bytes */
    R_REL32, /* S + A - P, 4 bytes */
    R_REL64, /* S + A - P, 8 bytes */
    R_CALL32, /* the same, through the imports if the symbol is outside */
    R_GOT32, /* G + A - P, 4 bytes */
    R_A64_CALL, /* (S + A - P) >> 2 in 26 bits, through the imports if the symbol is outside */
    R_A64_PAGE, /* page(S + A) - page(P), split 21 bits of ADRP */
    R_A64_LOW, /* low 12 bits of S + A, scaled by the access size, at bit 10 */
    R_A64_GOT_PAGE, /* page(G) - page(P) */
    R_A64_GOT_LOW /* low 12 bits of G, scaled by 8 */
} RelocForm;

typedef struct Reloc {
    uint32_t type;
    RelocForm form;
    uint8_t scale; /* R_A64_LOW: log2 of the access size */
} Reloc;

/* clang-format off */
#if defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
static const Reloc relocs[] = {
    {R_AARCH64_NONE, R_NONE, 0},                    {R_AARCH64_ABS64, R_ABS64, 0},
    {R_AARCH64_PREL32, R_REL32, 0},                 {R_AARCH64_PREL64, R_REL64, 0},
    {R_AARCH64_CALL26, R_A64_CALL, 0},              {R_AARCH64_JUMP26, R_A64_CALL, 0},
    {R_AARCH64_ADR_PREL_PG_HI21, R_A64_PAGE, 0},    {R_AARCH64_ADD_ABS_LO12_NC, R_A64_LOW, 0},
    {R_AARCH64_LDST8_ABS_LO12_NC, R_A64_LOW, 0},    {R_AARCH64_LDST16_ABS_LO12_NC, R_A64_LOW, 1},
    {R_AARCH64_LDST32_ABS_LO12_NC, R_A64_LOW, 2},   {R_AARCH64_LDST64_ABS_LO12_NC, R_A64_LOW, 3},
    {R_AARCH64_LDST128_ABS_LO12_NC, R_A64_LOW, 4},  {R_AARCH64_ADR_GOT_PAGE, R_A64_GOT_PAGE, 0},
    {R_AARCH64_LD64_GOT_LO12_NC, R_A64_GOT_LOW, 3},
};
#else
enum { MACHINE = EM_X86_64 };
static const Reloc relocs[] = {
    {R_X86_64_NONE, R_NONE, 0},      {R_X86_64_64, R_ABS64, 0},           {R_X86_64_PC32, R_REL32, 0},
    {R_X86_64_PC64, R_REL64, 0},     {R_X86_64_PLT32, R_CALL32, 0},       {R_X86_64_GOTPCREL, R_GOT32, 0},
    {R_X86_64_GOTPCRELX, R_GOT32, 0}, {R_X86_64_REX_GOTPCRELX, R_GOT32, 0},
};
#endif
/* clang-format on */

static const Reloc *find_reloc(uint32_t type) {
    for (size_t k = 0; k < sizeof relocs / sizeof *relocs; k++)
        if (relocs[k].type == type) return &relocs[k];
    return NULL;
}

static int put32(Load *l, char *at, int64_t v) {
    if (v != (int32_t)v) return fail(l, "a distance of %lld bytes is too far", (long long)v);
    int32_t n = (int32_t)v;
    memcpy(at, &n, sizeof n);
    return 0;
}

/* Replaces the bits of `mask` in the instruction at `at`. */
static int put_bits(char *at, uint32_t mask, uint32_t bits) {
    uint32_t ins;
    memcpy(&ins, at, sizeof ins);
    ins = (ins & ~mask) | (bits & mask);
    memcpy(at, &ins, sizeof ins);
    return 0;
}

static int put_page(Load *l, char *at, uint64_t target, uint64_t place) {
    int64_t pages = (int64_t)((target >> 12) - (place >> 12));
    if (pages < -(1 << 20) || pages >= 1 << 20) return fail(l, "a page is too far");
    return put_bits(at, 0x60FFFFE0,
                    (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7FFFF) << 5);
}

static int put_call26(Load *l, char *at, int64_t distance) {
    if (distance < -(1 << 27) || distance >= 1 << 27) return fail(l, "a call is too far");
    return put_bits(at, 0x03FFFFFF, (uint32_t)(distance >> 2));
}

typedef struct Place {
    char *write; /* where the relocation's bytes are written */
    uint64_t address; /* where they will run: P */
    uint64_t symbol; /* S */
    int64_t addend; /* A */
    bool outside; /* the symbol is not in this object */
} Place;

static uint64_t import_of(Load *l, uint64_t address) {
    return (uint64_t)(uintptr_t)code_import(&l->room, address);
}

static int apply(Load *l, const Reloc *r, const Place *p) {
    uint64_t sa = p->symbol + (uint64_t)p->addend;
    uint64_t call = p->outside && p->symbol ? import_of(l, p->symbol) + (uint64_t)p->addend : sa;
    switch (r->form) {
    case R_NONE: return 0;
    case R_ABS64: memcpy(p->write, &sa, sizeof sa); return 0;
    case R_REL32: return put32(l, p->write, (int64_t)((p->outside ? call : sa) - p->address));
    case R_REL64:
        sa -= p->address;
        memcpy(p->write, &sa, sizeof sa);
        return 0;
    case R_CALL32: return put32(l, p->write, (int64_t)(call - p->address));
    case R_GOT32:
        return put32(l, p->write,
                     (int64_t)(import_of(l, p->symbol) + 8 + (uint64_t)p->addend - p->address));
    case R_A64_CALL: return put_call26(l, p->write, (int64_t)(call - p->address));
    case R_A64_PAGE: return put_page(l, p->write, sa, p->address);
    case R_A64_LOW:
        return put_bits(p->write, 0x003FFC00, (uint32_t)((sa & 0xFFF) >> r->scale) << 10);
    case R_A64_GOT_PAGE: return put_page(l, p->write, import_of(l, p->symbol) + 8, p->address);
    case R_A64_GOT_LOW:
        return put_bits(p->write, 0x003FFC00,
                        (uint32_t)(((import_of(l, p->symbol) + 8) & 0xFFF) >> r->scale) << 10);
    }
    return 0;
}

/* --- reading the object ----------------------------------------------------------------------- */

static bool in_object(const Load *l, uint64_t at, uint64_t size) {
    return at <= l->req->size && size <= l->req->size - at;
}

static int check_head(Load *l) {
    const Elf64_Ehdr *h = l->head = (const void *)l->req->object;
    if (!l->req->object || l->req->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_REL)
        return fail(l, "not an ELF relocatable object");
    if (h->e_machine != MACHINE) return fail(l, "an object for another machine (%u)", h->e_machine);
    if (!h->e_shnum || h->e_shentsize != sizeof(Elf64_Shdr) ||
        !in_object(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return fail(l, "a broken object: section headers");
    l->sections = (const void *)(l->req->object + h->e_shoff);
    l->nsections = h->e_shnum;
    for (uint32_t k = 0; k < l->nsections; k++)
        if (l->sections[k].sh_type != SHT_NOBITS &&
            !in_object(l, l->sections[k].sh_offset, l->sections[k].sh_size))
            return fail(l, "a broken object: section %u", k);
    return 0;
}

static int find_symbols(Load *l) {
    for (uint32_t k = 0; k < l->nsections; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= l->nsections) continue;
        l->symbols = (const void *)(l->req->object + s->sh_offset);
        l->nsymbols = (uint32_t)(s->sh_size / sizeof *l->symbols);
        l->names = l->req->object + l->sections[s->sh_link].sh_offset;
        l->names_size = l->sections[s->sh_link].sh_size;
    }
    if (!l->symbols || !l->names_size || l->names[l->names_size - 1])
        return fail(l, "a broken object: symbols");
    return 0;
}

/* Code, constants, tables of addresses. Unwinding tables are for debuggers alone: nothing unwinds
 * our code, and gdb wants them near the code that they describe. */
static bool is_loaded(const Load *l, const Elf64_Shdr *s, const char *name) {
    bool empty = !s->sh_size && (s->sh_flags & SHF_WRITE); /* of constants a symbol may be there */
    return (s->sh_flags & SHF_ALLOC) && !empty && (l->req->debug || strcmp(name, ".eh_frame") != 0);
}

static int lay_out(Load *l) {
    const Elf64_Shdr *names =
        l->head->e_shstrndx < l->nsections ? &l->sections[l->head->e_shstrndx] : NULL;
    for (uint32_t k = 0; k < l->nsections; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        const char *name = names && s->sh_name < names->sh_size
                               ? l->req->object + names->sh_offset + s->sh_name
                               : "";
        l->offset[k] = NOT_LOADED;
        if (!is_loaded(l, s, name)) continue;
        if ((s->sh_flags & SHF_TLS) ||
            ((s->sh_flags & SHF_WRITE) && strncmp(name, ".data.rel.ro", 12) != 0))
            return fail(l, "the object has writable data (%s)", name);
        uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
        if (align > 4096 || (align & (align - 1)) || s->sh_size > UINT32_MAX)
            return fail(l, "a broken object: section %s", name);
        l->total = (l->total + align - 1) & ~(align - 1);
        l->offset[k] = l->total;
        l->total += s->sh_size;
    }
    return 0;
}

/* Each outside symbol, and each relocation that wants an address in memory, may need an import. */
static void count_imports(Load *l) {
    for (uint32_t k = 1; k < l->nsymbols; k++) l->nimports += l->symbols[k].st_shndx == SHN_UNDEF;
    for (uint32_t k = 0; k < l->nsections; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        if (s->sh_type != SHT_RELA || s->sh_info >= l->nsections ||
            l->offset[s->sh_info] == NOT_LOADED)
            continue;
        const Elf64_Rela *rela = (const void *)(l->req->object + s->sh_offset);
        for (size_t i = 0; i < s->sh_size / sizeof *rela; i++) {
            const Reloc *r = find_reloc((uint32_t)ELF64_R_TYPE(rela[i].r_info));
            l->nimports += r && (r->form == R_GOT32 || r->form == R_A64_GOT_PAGE);
        }
    }
}

/* --- loading ---------------------------------------------------------------------------------- */

static const char *symbol_name(const Load *l, const Elf64_Sym *s) {
    return s->st_name < l->names_size ? l->names + s->st_name : "?";
}

/* Address of a symbol; *outside: it is not in this object. */
static int resolve(Load *l, uint32_t index, uint64_t *address, bool *outside) {
    if (index >= l->nsymbols) return fail(l, "a broken object: symbol %u", index);
    const Elf64_Sym *s = &l->symbols[index];
    *outside = s->st_shndx == SHN_UNDEF;
    if (*outside) {
        *address = index ? (uint64_t)(uintptr_t)l->req->find_symbol(symbol_name(l, s)) : 0;
        return *address || !index ? 0 : fail(l, "unknown symbol '%s'", symbol_name(l, s));
    }
    if (s->st_shndx == SHN_ABS) {
        *address = s->st_value;
        return 0;
    }
    if (s->st_shndx >= l->nsections || l->offset[s->st_shndx] == NOT_LOADED)
        return fail(l, "symbol '%s' is in a section that is not loaded", symbol_name(l, s));
    *address = (uint64_t)(uintptr_t)l->room.exec + l->offset[s->st_shndx] + s->st_value;
    return 0;
}

static int relocate_one(Load *l, const Elf64_Rela *rela, uint32_t target) {
    const Reloc *r = find_reloc((uint32_t)ELF64_R_TYPE(rela->r_info));
    Place p = {.addend = rela->r_addend};
    if (!r) return fail(l, "unknown relocation %u", (unsigned)ELF64_R_TYPE(rela->r_info));
    if (rela->r_offset > l->sections[target].sh_size ||
        l->sections[target].sh_size - rela->r_offset < 4)
        return fail(l, "a broken object: a relocation outside its section");
    if (resolve(l, (uint32_t)ELF64_R_SYM(rela->r_info), &p.symbol, &p.outside) != 0) return -1;
    uint64_t at = l->offset[target] + rela->r_offset;
    p.write = l->room.write + at;
    p.address = (uint64_t)(uintptr_t)l->room.exec + at;
    return apply(l, r, &p);
}

static int relocate(Load *l) {
    for (uint32_t k = 0; k < l->nsections; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        if (s->sh_type != SHT_RELA || s->sh_info >= l->nsections ||
            l->offset[s->sh_info] == NOT_LOADED)
            continue;
        const Elf64_Rela *rela = (const void *)(l->req->object + s->sh_offset);
        for (size_t i = 0; i < s->sh_size / sizeof *rela; i++)
            if (relocate_one(l, &rela[i], s->sh_info) != 0) return -1;
    }
    return 0;
}

static int find_entry(Load *l) {
    for (uint32_t k = 1; k < l->nsymbols; k++) {
        const Elf64_Sym *s = &l->symbols[k];
        bool outside = false;
        uint64_t address = 0;
        if (s->st_shndx == SHN_UNDEF || strcmp(symbol_name(l, s), l->req->entry) != 0) continue;
        if (resolve(l, k, &address, &outside) != 0) return -1;
        l->out->entry = (void *)(uintptr_t)address;
        return 0;
    }
    return fail(l, "the object does not define '%s'", l->req->entry);
}

static void copy_sections(Load *l) {
    for (uint32_t k = 0; k < l->nsections; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        if (l->offset[k] == NOT_LOADED) continue;
        char *at = l->room.write + l->offset[k];
        if (s->sh_type == SHT_NOBITS)
            memset(at, 0, s->sh_size);
        else
            memcpy(at, l->req->object + s->sh_offset, s->sh_size);
    }
}

/* --- tools ------------------------------------------------------------------------------------ */

/* gdb's interface: it sets a breakpoint on the function and reads the descriptor. Names and layout
 * are gdb's. */
typedef struct jit_code_entry {
    struct jit_code_entry *next, *prev;
    const char *symfile;
    uint64_t size;
} jit_code_entry;

typedef struct jit_descriptor {
    uint32_t version, action;
    jit_code_entry *relevant, *first;
} jit_descriptor;

__attribute__((used)) jit_descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};
__attribute__((used, noinline)) void __jit_debug_register_code(void);
void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

/* A copy of the object whose sections say where they were loaded. Without memory gdb just does not
 * see it. */
static void show_to_gdb(Load *l) {
    char *copy = mem_alloc(l->req->size);
    jit_code_entry *e = mem_alloc(sizeof *e);
    if (!copy || !e) {
        mem_free(copy);
        mem_free(e);
        return;
    }
    memcpy(copy, l->req->object, l->req->size);
    Elf64_Shdr *s = (void *)(copy + l->head->e_shoff);
    for (uint32_t k = 0; k < l->nsections; k++)
        if (l->offset[k] != NOT_LOADED)
            s[k].sh_addr = (uint64_t)(uintptr_t)l->room.exec + l->offset[k];
    *e = (jit_code_entry){__jit_debug_descriptor.first, NULL, copy, l->req->size};
    if (e->next) e->next->prev = e;
    __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = e;
    __jit_debug_descriptor.action = 1; /* registered */
    __jit_debug_register_code();
}

/* perf reads /tmp/perf-PID.map: address, size, name. */
static void show_to_perf(Load *l) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%u.map", os_process_id());
    FILE *f = fopen(path, "a");
    if (!f) return;
    for (uint32_t k = 1; k < l->nsymbols; k++) {
        const Elf64_Sym *s = &l->symbols[k];
        bool outside = false;
        uint64_t address = 0;
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || resolve(l, k, &address, &outside) != 0 ||
            outside)
            continue;
        fprintf(f, "%llx %llx py::%s:%s\n", (unsigned long long)address,
                (unsigned long long)s->st_size, l->req->name, symbol_name(l, s));
    }
    fclose(f);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int place_and_link(Load *l) {
    if (code_reserve(l->total, l->nimports, l->req->debug, &l->room) != 0) return -1;
    copy_sections(l);
    if (relocate(l) != 0 || find_entry(l) != 0) return -1;
    code_commit(&l->room);
    l->out->code = l->room.exec;
    l->out->code_size = l->total;
    if (l->req->debug) show_to_gdb(l);
    if (getenv("WHIPSNAKE_PERF")) show_to_perf(l);
    return 0;
}

static int load_aligned(const LoadRequest *req, LoadResult *out) {
    Load l = {.req = req, .out = out};
    if (check_head(&l) != 0 || find_symbols(&l) != 0) return -1;
    l.offset = mem_alloc((l.nsections + 1u) * sizeof *l.offset);
    if (!l.offset) return -1;
    int rc = lay_out(&l);
    if (rc == 0) {
        count_imports(&l);
        code_lock();
        rc = place_and_link(&l);
        code_unlock();
    }
    mem_free(l.offset);
    return rc;
}

/* The tables inside are read in place, so the object must lie aligned. */
int loader_load(const LoadRequest *req, LoadResult *out) {
    *out = (LoadResult){0};
    if ((uintptr_t)req->object % 8 == 0) return load_aligned(req, out);
    char *copy = mem_alloc(req->size);
    if (!copy) return -1;
    memcpy(copy, req->object, req->size);
    LoadRequest aligned = *req;
    aligned.object = copy;
    int rc = load_aligned(&aligned, out);
    mem_free(copy);
    return rc;
}
