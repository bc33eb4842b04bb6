// BUG: g_hash_table_insert g_hash_table_remove
// PKG: glib-2.0
// Both lock, but not the same lock.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *put(void *x)
{
    for (int i = 1; i < 45; i++) {
        LOCK(a);
        g_hash_table_insert(t, GINT_TO_POINTER(i), t);
        UNLOCK(a);
        work(9);
    }
    return x;
}

static void *cut(void *x)
{
    for (int i = 1; i < 45; i++) {
        LOCK(b);
        g_hash_table_remove(t, GINT_TO_POINTER(i));
        UNLOCK(b);
        work(10);
    }
    return x;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    both(put, cut);
    return 0;
}
