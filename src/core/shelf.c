#include "core/shelf.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

enum { PLACES = 8 };

/* Oldest first. Threads only try the lock: who does not get it asks the system. So a child of a fork in which
 * another thread held it works too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static WsOwner *kept[PLACES];
static uint32_t nkept;
static size_t all;

static WsOwner *take_out(uint32_t at) {
    WsOwner *o = kept[at];
    all -= o->room;
    memmove(kept + at, kept + at + 1, (--nkept - at) * sizeof *kept);
    return o;
}

WsOwner *shelf_take(size_t size) {
    WsOwner *best = NULL;
    uint32_t at = 0;
    if (pthread_mutex_trylock(&lock)) return NULL;
    for (uint32_t k = 0; k < nkept; k++) {
        size_t room = kept[k]->room;
        if (room < size || room - size > size / 4 || (best && best->room <= room)) continue;
        best = kept[k];
        at = k;
    }
    if (best) take_out(at);
    pthread_mutex_unlock(&lock);
    return best;
}

bool shelf_put(WsOwner *o) {
    WsOwner *old[PLACES];
    uint32_t nold = 0;
    if (o->room < SHELF_LEAST || o->room > SHELF_ALL / 2 || pthread_mutex_trylock(&lock))
        return false;
    while (nkept == PLACES || all + o->room > SHELF_ALL) old[nold++] = take_out(0);
    kept[nkept++] = o;
    all += o->room;
    pthread_mutex_unlock(&lock);
    for (uint32_t k = 0; k < nold; k++) mem_free(old[k]->raw);
    return true;
}

bool shelf_clear(void) {
    WsOwner *old[PLACES];
    uint32_t nold = 0;
    if (pthread_mutex_trylock(&lock)) return false;
    while (nkept) old[nold++] = take_out(0);
    pthread_mutex_unlock(&lock);
    for (uint32_t k = 0; k < nold; k++) mem_free(old[k]->raw);
    return nold > 0;
}
