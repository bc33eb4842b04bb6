// BUG: g_hash_table_insert g_hash_table_lookup
// PKG: glib-2.0
// The flag says "ready" before the last insert.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static _Atomic int ready;

static void *fill(void *x)
{
    for (int i = 0; i < 20; i++) {
        g_hash_table_insert(t, GINT_TO_POINTER(i + 1), t);
        work(8);
        if (i == 10)
            ready = 1;
    }
    work(200);
    return x;
}

static void *use(void *x)
{
    while (!ready)
        work(1);
    for (int i = 0; i < 20; i++) {
        g_hash_table_lookup(t, x);
        work(7);
    }
    return x;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    both(fill, use);
    return 0;
}
