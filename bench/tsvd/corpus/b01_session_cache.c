// BUG: g_hash_table_insert g_hash_table_insert
// PKG: glib-2.0
// A cache that every request fills under its own key.
#include <glib.h>

#include "module.h"

static GHashTable *cache;

static void *request(void *id)
{
    for (int i = 0; i < 40; i++) {
        work(10);
        g_hash_table_insert(cache, GINT_TO_POINTER(i * 16 + (int)(intptr_t)id + 1), id);
    }
    return 0;
}

int main(void)
{
    cache = g_hash_table_new(0, 0);
    all(4, request);
    return 0;
}
