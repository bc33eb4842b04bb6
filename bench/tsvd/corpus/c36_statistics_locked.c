// PKG: glib-2.0
// As b38; the statistics take the lock, too.
#include <glib.h>

#include "module.h"

static GHashTable *connections;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *id)
{
    for (int i = 0; i < 60; i++) {
        gpointer key = GINT_TO_POINTER(1 + i % 7 + 10 * (int)(intptr_t)id);
        LOCK(lock);
        if (!g_hash_table_remove(connections, key))
            g_hash_table_insert(connections, key, key);
        UNLOCK(lock);
        work(6);
    }
    return 0;
}

static void *statistics(void *x)
{
    for (int i = 0; i < 4; i++) {
        work(70);
        GHashTableIter it;
        gpointer key, value;
        unsigned n = 0;
        LOCK(lock);
        g_hash_table_iter_init(&it, connections);
        while (g_hash_table_iter_next(&it, &key, &value))
            n++;
        UNLOCK(lock);
        if (n > 1000)
            return x;
    }
    return 0;
}

int main(void)
{
    pthread_t s;
    connections = g_hash_table_new(0, 0);
    pthread_create(&s, 0, statistics, 0);
    all(2, serve);
    pthread_join(s, 0);
    g_hash_table_destroy(connections);
    return 0;
}
