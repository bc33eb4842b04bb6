// PKG: glib-2.0
// A barrier of the program's own: who comes last lets the others go on.
#include <glib.h>
#include <stdatomic.h>

#include "module.h"

enum { THREADS = 3 };

static atomic_int arrived, phase;
static GHashTable *t;

static void meet(void)
{
    int now = atomic_load(&phase);
    if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
        atomic_store(&arrived, 0);
        atomic_fetch_add(&phase, 1);
    } else {
        while (atomic_load(&phase) == now)
            work(1);
    }
}

static void *turn(void *id)
{
    for (int i = 0; i < 20; i++) {
        if (i % THREADS == (int)(intptr_t)id)
            g_hash_table_insert(t, GINT_TO_POINTER(i + 1), id);
        work(5);
        meet();
        g_hash_table_lookup(t, GINT_TO_POINTER(i));
        work(4);
        meet();
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    all(THREADS, turn);
    g_hash_table_destroy(t);
    return 0;
}
