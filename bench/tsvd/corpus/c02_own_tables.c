// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static void *fill(void *id)
{
    GHashTable *t = g_hash_table_new(0, 0);
    for (int i = 0; i < 40; i++) {
        g_hash_table_insert(t, GINT_TO_POINTER(i + 1), id);
        work(10);
    }
    g_hash_table_destroy(t);
    return 0;
}

int main(void)
{
    all(4, fill);
    return 0;
}
