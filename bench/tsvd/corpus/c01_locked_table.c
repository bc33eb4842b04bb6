// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GHashTable *t;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *id)
{
    for (int i = 0; i < 40; i++) {
        LOCK(m);
        g_hash_table_insert(t, GINT_TO_POINTER(i + 1), id);
        UNLOCK(m);
        work(10);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    all(4, fill);
    return 0;
}
