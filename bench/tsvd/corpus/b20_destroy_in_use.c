// BUG: g_hash_table_destroy g_hash_table_lookup
// PKG: glib-2.0
// The owner destroys the table while a reader may still look.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static void *read_it(void *x)
{
    for (int i = 0; i < 30; i++) {
        g_hash_table_lookup(t, t);
        work(5);
    }
    return x;
}

static void *drop(void *x)
{
    work(120);
    g_hash_table_ref(t);
    g_hash_table_destroy(t);
    work(250);
    return x;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    both(read_it, drop);
    return 0;
}
