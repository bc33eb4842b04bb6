// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GHashTable *t;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    t = g_hash_table_new(0, 0);
    for (int i = 1; i < 10; i++)
        g_hash_table_insert(t, GINT_TO_POINTER(i), t);
}

static void *use(void *id)
{
    pthread_once(&once, init);
    for (int i = 0; i < 45; i++) {
        g_hash_table_lookup(t, id);
        work(9);
    }
    return 0;
}

int main(void)
{
    all(4, use);
    return 0;
}
