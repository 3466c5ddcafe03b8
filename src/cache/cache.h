/* The cache of compiled code on disk: asked before the compiler is, told after.
 *
 *   CacheQuery q;
 *   cache_ask(&q, host, request)      what the function reaches, hashed: the key      (cache/walk.h)
 *   unit = cache_load(&q)             the entry of that key, if there is one          (cache/image.h)
 *   cache_store(&q, unit, object)     after a compile                                 (cache/folder.h)
 *   cache_close(&q)
 *
 * Nothing that goes wrong here reaches the user: there is no entry then, and q.problem says why. But an
 * exception that comes in between, such as KeyboardInterrupt, does. The GIL is held; it is released
 * while the disk is waited for. */
#pragma once
#include "cache/walk.h"

typedef struct CacheQuery {
    Cx cx;
    Walk walk;
    const CacheHost *host;
    const CompileRequest *req;
    bool is_open;
    bool usable; /* there is a key */
    uint8_t key[BLAKE_SIZE];
    char name[2 * BLAKE_SIZE + 8]; /* of the file */
    const char *problem; /* a sentence, or NULL; until cache_close */
} CacheQuery;

/* Once, at import. */
void cache_open(void);
/* 0, also if the cache cannot help; -1 with an exception set. To be closed in both cases. */
int cache_ask(CacheQuery *q, const CacheHost *host, const CompileRequest *req);
/* A new unit, or NULL: with an exception set (rarely), or because it has to be compiled. */
Unit *cache_load(CacheQuery *q);
/* Keeps the unit for other processes, unless something speaks against it. 0, or -1 with an exception. */
int cache_store(CacheQuery *q, const Unit *unit, const CompiledObject *object);
void cache_close(CacheQuery *q);

/* The folder: new tuple (path, why it is off or None, limit in bytes). */
PyObject *cache_folder(void);
/* Is this the content of a whole entry: new str, the name of its function; None: it is not. */
PyObject *cache_check(PyObject *bytes);
/* Makes room now. */
void cache_trim(void);
