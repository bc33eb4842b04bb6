// PKG: glib-2.0
// One producer, one consumer, a ring with atomic ends: the strings change hands without any lock.
#include <glib.h>
#include <stdatomic.h>

#include "module.h"

enum { ROOM = 16, ITEMS = 60 };

static GString *ring[ROOM];
static atomic_uint head, tail;

static void *produce(void *x)
{
    for (int i = 0; i < ITEMS; i++) {
        GString *s = g_string_new("item");
        g_string_append_printf(s, " %d", i);
        while (atomic_load(&head) - atomic_load(&tail) == ROOM)
            work(1);
        ring[atomic_load(&head) % ROOM] = s;
        atomic_fetch_add(&head, 1);
        work(5);
    }
    return x;
}

static void *consume(void *x)
{
    for (int i = 0; i < ITEMS; i++) {
        while (atomic_load(&head) == atomic_load(&tail))
            work(1);
        GString *s = ring[atomic_load(&tail) % ROOM];
        atomic_fetch_add(&tail, 1);
        g_string_append(s, " done");
        g_string_free(s, TRUE);
    }
    return x;
}

int main(void)
{
    both(produce, consume);
    return 0;
}
