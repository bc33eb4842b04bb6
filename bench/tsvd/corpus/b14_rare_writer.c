// BUG: g_hash_table_insert g_hash_table_lookup
// PKG: glib-2.0
// One write in a hundred calls.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static void *serve(void *id)
{
    for (int i = 0; i < 100; i++) {
        if (i == 50 && id)
            g_hash_table_insert(t, id, id);
        else
            g_hash_table_lookup(t, id);
        work(4);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    all(3, serve);
    return 0;
}
