// PKG: glib-2.0
// Written by one, then read by many, then written again.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static void *read_it(void *id)
{
    for (int i = 0; i < 20; i++) {
        g_hash_table_lookup(t, id);
        work(5);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    for (int k = 0; k < 4; k++) {
        g_hash_table_insert(t, GINT_TO_POINTER(k + 1), t);
        all(3, read_it);
    }
    return 0;
}
