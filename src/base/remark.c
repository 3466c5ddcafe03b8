#include "base/remark.h"

#include <string.h>

#include "base/vec.h"

const RemarkInfo remark_info[REMARKS] = {
#define REMARK(name, topic, level, fields, text, advice) \
    [REMARK_##name] = {#name, topic, LEVEL_##level, fields, text, advice},
#include "base/remark.def"
#undef REMARK
};

/* The i-th word of `fields`; its length is *n, 0: there is none. */
static const char *word_at(const char *fields, uint32_t i, size_t *n) {
    while (i-- && *fields) {
        fields += strcspn(fields, " ");
        fields += strspn(fields, " ");
    }
    *n = strcspn(fields, " ");
    return fields;
}

bool remark_has(const Cx *cx, RemarkId id, Span span, const char *via) {
    for (uint32_t k = 0; k < cx->remarks->n; k++) {
        const Remark *r = &cx->remarks->at[k];
        if (r->id == id && r->via == via && memcmp(&r->span, &span, sizeof span) == 0) return true;
    }
    return false;
}

uint32_t remark_field_count(RemarkId id) {
    size_t n = 1;
    uint32_t i = 0;
    while (n) word_at(remark_info[id].fields, i++, &n);
    return i - 1;
}

const char *remark_field(Cx *cx, RemarkId id, uint32_t i) {
    size_t n;
    const char *word = word_at(remark_info[id].fields, i, &n);
    return cx_printf(cx, "%.*s", (int)n, word);
}

Remark *remark_add(Cx *cx, RemarkId id, Span span, ...) {
    Remark *r = vec_add(cx, cx->remarks);
    *r = (Remark){.id = id, .span = span};
    va_list ap;
    va_start(ap, span);
    for (uint32_t i = 0; i < remark_field_count(id); i++) r->values[i] = va_arg(ap, const char *);
    va_end(ap);
    return r;
}

/* The value that the name s[0..n) stands for. */
static const char *find_value(const Remark *r, const char *s, size_t n) {
    for (uint32_t i = 0; i < remark_field_count(r->id); i++) {
        size_t len;
        const char *word = word_at(remark_info[r->id].fields, i, &len);
        if (len == n && memcmp(word, s, n) == 0) return r->values[i] ? r->values[i] : "";
    }
    return "";
}

static const char *fill(Cx *cx, const Remark *r, const char *text) {
    Buf out = {0};
    while (*text) {
        size_t n = strcspn(text, "{");
        buf_add(cx, &out, text, n);
        text += n;
        if (!*text) break;
        n = strcspn(++text, "}");
        const char *value = find_value(r, text, n);
        buf_add(cx, &out, value, strlen(value));
        text += n + 1;
    }
    return out.at ? out.at : "";
}

const char *remark_text(Cx *cx, const Remark *r) { return fill(cx, r, remark_info[r->id].text); }
const char *remark_advice(Cx *cx, const Remark *r) {
    return fill(cx, r, remark_info[r->id].advice);
}
