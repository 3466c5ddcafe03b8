/* Constants, and the arrays that a unit captured. */
#include <string.h>

#include "codegen/cg.h"

/* Text in the unit's read-only memory. Units are never freed, so it needs no owner. */
static Val constant_bytes(Cg *cg, const void *at, size_t n, unsigned align) {
    Val bytes = LLVMConstStringInContext2(cg->ctx, at, n, false);
    Val g = LLVMAddGlobal(cg->mod, LLVMTypeOf(bytes), "text");
    LLVMSetInitializer(g, bytes);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(g, align);
    return g;
}

/* Code points of valid UTF-8 text, as Python keeps it (lone surrogates included). */
static uint32_t *decode_utf8(Cx *cx, const char *s, size_t n, size_t *count) {
    uint32_t *out = NEWN(cx, uint32_t, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i++];
        unsigned more = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
        uint32_t code = more == 0 ? c : c & (0x3Fu >> more);
        while (more-- && i < n) code = code << 6 | ((unsigned char)s[i++] & 0x3F);
        out[k++] = code;
    }
    *count = k;
    return out;
}

static bool is_ascii(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] >= 0x80) return false;
    return true;
}

/* data, length, kind (1: a byte a character, 4: UCS4), owner. */
static void text_parts(Cg *cg, const Const *k, Val *out) {
    size_t n = k->str.n;
    bool bytes = k->ty->kind == TY_BYTES || is_ascii(k->str.s, n);
    if (bytes) {
        out[0] = constant_bytes(cg, k->str.s, n, 1);
    } else {
        uint32_t *codes = decode_utf8(cg->cx, k->str.s, n, &n);
        out[0] = constant_bytes(cg, codes, n * sizeof *codes, sizeof *codes);
    }
    out[1] = cg_i64(cg, (int64_t)n);
    out[2] = cg_i64(cg, bytes ? 1 : 4);
    out[3] = LLVMConstNull(cg->ptr);
}

/* A float constant with exactly these bits: LLVMConstReal would round a NaN's payload away. */
static Val float_const(Cg *cg, PartKind kind, double f) {
    if (kind != P_F64) return LLVMConstReal(cg->part[kind], f);
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return LLVMConstBitCast(LLVMConstInt(cg->i64, bits, false), cg->part[P_F64]);
}

static void null_parts(Cg *cg, const Type *ty, Val *out) {
    for (uint32_t k = 0; k < ty->nparts; k++) out[k] = LLVMConstNull(cg_part_type(cg, ty, k));
}

static void fill_parts(Cg *cg, const Const *k, Val *out);

static void fill_items(Cg *cg, const Const *k, Val *out) {
    for (uint32_t i = 0; i < k->seq.n; i++) {
        fill_parts(cg, k->seq.items[i], out);
        out += k->seq.items[i]->ty->nparts;
    }
}

static void fill_parts(Cg *cg, const Const *k, Val *out) {
    switch ((TyKind)k->ty->kind) {
    case TY_BOOL:
    case TY_INT:
    case TY_ENUM:
        if (k->ty->nparts) out[0] = LLVMConstInt(cg_part_type(cg, k->ty, 0), (uint64_t)k->i, true);
        return;
    case TY_FLOAT:
    case TY_COMPLEX:
        for (uint32_t p = 0; p < k->ty->nparts; p++)
            out[p] = float_const(cg, (PartKind)k->ty->parts[p], k->f[p]);
        return;
    case TY_PTR: out[0] = LLVMConstIntToPtr(cg_i64(cg, k->i), cg->ptr); return;
    case TY_STR:
    case TY_BYTES: text_parts(cg, k, out); return;
    case TY_OPTIONAL:
        null_parts(cg, k->ty, out);
        if (!k->seq.n) return;
        out[0] = LLVMConstInt(cg->part[P_I1], 1, false);
        fill_items(cg, k, out + 1);
        return;
    case TY_TUPLE:
    case TY_SLICE:
    case TY_RANGE: fill_items(cg, k, out); return;
    case TY_UNDEF:
    case TY_NONE:
    case TY_ARRAY:
    case TY_DTYPE:
    case TY_FUNC:
    case TY_MODULE:
    case TY_CLASS:
    case TY_CLOSURE:
    case TY_ITER:
    case TY_CELL:
    case TY_EXC:
    case TY_KINDS: null_parts(cg, k->ty, out); return;
    }
}

Val *cg_const(Cg *cg, const Const *k) {
    Val *out = NEWN(cg->cx, Val, k->ty->nparts + 1);
    fill_parts(cg, k, out);
    return out;
}

void cg_op_const(Cg *cg, Ref r, const Ins *i) { cg->parts[r] = cg_const(cg, i->k); }

/* Not poison: a pass may have moved a use above the check that guards it. */
void cg_op_unset(Cg *cg, Ref r, const Ins *i) { null_parts(cg, i->ty, cg_new_parts(cg, r)); }

/* Parts of a captured array: they stay the same while the unit runs. */
void cg_op_global(Cg *cg, Ref r, const Ins *i) {
    int64_t slot = 0;
    if (cg->target->global) {
        cg->target->global(cg, r, i);
        return;
    }
    for (int64_t k = 0; k < i->imm; k++) slot += cg->m->captured_types.at[k]->nparts;
    Val at = cg_offset(cg, cg->ws, offsetof(WsCtx, globals));
    Val globals = LLVMBuildLoad2(cg->b, cg->ptr, at, "");
    Val fixed = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    LLVMSetMetadata(globals, cg_md_kind(cg, "invariant.load"), fixed);
    cg_load_slots(cg, i->ty, cg_new_parts(cg, r), cg_offset(cg, globals, 8 * slot));
    for (uint32_t k = 0; k < i->ty->nparts; k++)
        if (LLVMIsALoadInst(cg->parts[r][k]))
            LLVMSetMetadata(cg->parts[r][k], cg_md_kind(cg, "invariant.load"), fixed);
}
