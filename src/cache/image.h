/* A unit as bytes and back: see cache/format.h. */
#pragma once
#include "cache/walk.h"

/* The whole file for a unit, in the memory of walk->cx; NULL: something of it could not be found again in
 * another process, and walk->problem says what. GIL held. */
const char *image_write(Walk *walk, const uint8_t *key, const Unit *unit,
                        const CompiledObject *object, size_t *size);

/* Is this a whole file, with this key (NULL: whichever it names)? No GIL needed. */
bool image_is_whole(const char *bytes, size_t size, const uint8_t *key);
/* The name of the function in a whole file, *n bytes. */
const char *image_name(const char *bytes, size_t size, size_t *n);

/* The unit in a whole file, with its code loaded; NULL: it cannot be used. GIL held. */
Unit *image_read(Walk *walk, const CompileRequest *req, const char *bytes, size_t size);
