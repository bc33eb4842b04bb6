// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GHashTable *t;

static void *read_it(void *id)
{
    for (int i = 0; i < 50; i++) {
        g_hash_table_lookup(t, id);
        work(9);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    g_hash_table_insert(t, t, t);
    all(4, read_it);
    return 0;
}
