/* What the compiler did, for whoever asked (f.explain()): a stage adds a remark where it decides.
 *
 * Cx.remarks is NULL unless a report is wanted; remark_wanted is all that it costs then. The rows of
 * remark.def say what a remark means and which values it has. */
#pragma once
#include "base/cx.h"

typedef enum RemarkId {
#define REMARK(name, topic, level, fields, text, advice) REMARK_##name,
#include "base/remark.def"
#undef REMARK
    REMARKS
} RemarkId;

typedef enum RemarkLevel { LEVEL_FACT, LEVEL_GOOD, LEVEL_COSTS } RemarkLevel;

enum { REMARK_VALUES = 3 };

typedef struct RemarkInfo {
    const char *name, *topic;
    RemarkLevel level;
    const char *fields, *text, *advice;
} RemarkInfo;
extern const RemarkInfo remark_info[REMARKS];

typedef struct Remark {
    RemarkId id;
    Span span;
    const char
        *via; /* the library function whose code it is about, seen from its call at span; or NULL */
    const char *values[REMARK_VALUES]; /* in the order of the row's fields; NULL: none */
} Remark;

typedef struct Remarks {
    Remark *at;
    uint32_t n, cap;
} Remarks;

static inline bool remark_wanted(const Cx *cx) { return cx->remarks != NULL; }
/* As many values as the row has fields, in the arena or static. Only if remark_wanted. Returns the remark, valid
 * until the next. */
Remark *remark_add(Cx *cx, RemarkId id, Span span, ...);
/* Has there been such a remark about this place? */
bool remark_has(const Cx *cx, RemarkId id, Span span, const char *via);
/* How many fields the row has; name of the i-th, in the arena. */
uint32_t remark_field_count(RemarkId id);
const char *remark_field(Cx *cx, RemarkId id, uint32_t i);
/* The row's text, or advice, with the remark's values in it. */
const char *remark_text(Cx *cx, const Remark *r);
const char *remark_advice(Cx *cx, const Remark *r);
