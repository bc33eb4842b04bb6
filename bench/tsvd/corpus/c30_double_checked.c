// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static GHashTable *_Atomic table;

static GHashTable *get(void)
{
    GHashTable *t = table;
    if (!t) {
        LOCK(m);
        t = table;
        if (!t) {
            t = g_hash_table_new(0, 0);
            g_hash_table_insert(t, t, t);
            table = t;
        }
        UNLOCK(m);
    }
    return t;
}

static void *use(void *id)
{
    for (int i = 0; i < 45; i++) {
        g_hash_table_lookup(get(), id);
        work(9);
    }
    return 0;
}

int main(void)
{
    all(4, use);
    return 0;
}
