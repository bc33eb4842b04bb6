// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GHashTable *t[4];

static pthread_mutex_t m[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                               PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *use(void *id)
{
    for (int i = 0; i < 40; i++) {
        int k = (i + (int)(intptr_t)id) % 4;
        LOCK(m[k]);
        g_hash_table_insert(t[k], GINT_TO_POINTER(i + 1), id);
        UNLOCK(m[k]);
        work(10);
    }
    return 0;
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        t[i] = g_hash_table_new(0, 0);
    all(4, use);
    return 0;
}
