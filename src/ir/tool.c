/* IR text in, text out. */
#include "ir/tool.h"

#include <string.h>

#include "base/diag.h"
#include "ir/live.h"
#include "ir/tool_int.h"

void tool_fail(Cx *cx, const char *text) { diag_fail(cx, (Span){0}, D_TYPING, text); }

static void put_blocks(Cx *cx, Buf *out, const BlockId *blocks, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) buf_printf(cx, out, " b%u", blocks[i]);
    buf_add(cx, out, "\n", 1);
}

static void put_block_or_none(Cx *cx, Buf *out, const char *what, BlockId b) {
    if (b == NO_BLOCK)
        buf_printf(cx, out, " %s none", what);
    else
        buf_printf(cx, out, " %s b%u", what, b);
}

static void put_loops(Cx *cx, Buf *out, const Loop *l) {
    for (; l; l = l->next) {
        buf_printf(cx, out, "  loop b%u depth %u", l->header, l->depth);
        put_block_or_none(cx, out, "preheader", l->preheader);
        put_block_or_none(cx, out, "latch", l->latch);
        buf_printf(cx, out, " blocks");
        put_blocks(cx, out, l->blocks, l->nblocks);
        put_loops(cx, out, l->child);
    }
}

static void put_cfg(Cx *cx, Buf *out, const Fn *fn) {
    const Cfg *cfg = ir_cfg(cx, fn);
    buf_printf(cx, out, "@%s\n  order", fn->symbol ? fn->symbol : fn->name);
    put_blocks(cx, out, cfg->rpo, cfg->nrpo);
    for (uint32_t i = 1; i < cfg->nrpo; i++)
        buf_printf(cx, out, "  idom b%u b%u\n", cfg->rpo[i], cfg->idom[cfg->rpo[i]]);
    put_loops(cx, out, ir_loops(cx, fn, cfg)->roots);
}

static void put_refs(Cx *cx, Buf *out, const char *what, const Refs *set) {
    if (!set->n) return;
    buf_printf(cx, out, " %s", what);
    for (uint32_t i = 0; i < set->n; i++) buf_printf(cx, out, " %%%u", set->at[i]);
}

static void put_live(Cx *cx, Buf *out, const Fn *fn) {
    const Cfg *cfg = ir_cfg(cx, fn);
    const Live *live = ir_live(cx, fn, cfg, NULL);
    buf_printf(cx, out, "@%s\n", fn->symbol ? fn->symbol : fn->name);
    for (BlockId b = 0; b < fn->blocks.n; b++) {
        if (cfg->rpo_index[b] == UINT32_MAX) continue;
        buf_printf(cx, out, "  b%u", b);
        put_refs(cx, out, "in", &live->in[b]);
        put_refs(cx, out, "out", &live->out[b]);
        buf_add(cx, out, "\n", 1);
    }
}

static void each_fn(Cx *cx, Buf *out, const Module *m, void (*put)(Cx *, Buf *, const Fn *)) {
    for (uint32_t i = 0; i < m->fns.n; i++) put(cx, out, m->fns.at[i]);
}

static const char *after(const char *what, const char *word) {
    size_t n = strlen(word);
    if (strncmp(what, word, n) != 0 || (what[n] != 0 && what[n] != ' ')) return NULL;
    return what + n + strspn(what + n, " ");
}

static void need_verified(Cx *cx, const Module *m) {
    const char *wrong = ir_verify_module(cx, m);
    if (wrong) tool_fail(cx, wrong);
}

char *ir_tool(Cx *cx, const IrToolHost *host, const char *what, const char *text) {
    Module *m = ir_parse(cx, text);
    Buf out = {0};
    buf_add(cx, &out, "", 0);
    const char *rest;
    if (strcmp(what, "print") == 0 || strcmp(what, "print-spans") == 0) {
        ir_print_module_with(cx, &out, m, what[5] ? PRINT_SPANS : 0);
        return out.at;
    }
    const char *wrong = ir_verify_module(cx, m);
    if (strcmp(what, "verify") == 0) return cx_printf(cx, "%s", wrong ? wrong : "ok");
    if (wrong) tool_fail(cx, wrong);
    if (strcmp(what, "cfg") == 0) {
        each_fn(cx, &out, m, put_cfg);
    } else if (strcmp(what, "live") == 0) {
        each_fn(cx, &out, m, put_live);
    } else if ((rest = after(what, "pass"))) {
        if (!host->run_pass || !host->run_pass(cx, m, rest))
            tool_fail(cx, cx_printf(cx, "no such pass: %s", rest));
        need_verified(cx, m);
        ir_print_module(cx, &out, m);
    } else if ((rest = after(what, "interp"))) {
        if (!host->find_symbol) tool_fail(cx, "there is no runtime to interpret with");
        tool_interp(cx, host, m, rest, &out);
    } else {
        tool_fail(cx, cx_printf(cx, "no such tool: %s", what));
    }
    return out.at;
}
