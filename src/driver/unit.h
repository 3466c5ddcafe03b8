/* Making the Unit that the run time keeps. */
#pragma once
#include "codegen/codegen.h"
#include "core/loader.h"

/* What a unit is made of; all of it may go when the compile ends. */
typedef struct UnitParts {
    const Module *m;
    const CompileRequest *req;
    UnitEntry entry;
    const Site *sites;
    uint32_t nsites, nslots;
    const void *code;
    size_t code_size;
    const uint64_t *stage_ns; /* [8] */
} UnitParts;

/* A new unit in one block that is never freed, with references of its own to classes and captured
 * arrays; NULL when out of memory. GIL held. */
Unit *unit_new(const UnitParts *parts);
