// BUG: g_hash_table_lookup g_hash_table_replace
// PKG: glib-2.0
// The look-up comes after the unlock.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *put(void *x)
{
    for (int i = 0; i < 40; i++) {
        LOCK(m);
        g_hash_table_replace(t, GINT_TO_POINTER(1), t);
        UNLOCK(m);
        work(10);
    }
    return x;
}

static void *get(void *x)
{
    for (int i = 0; i < 40; i++) {
        LOCK(m);
        work(1);
        UNLOCK(m);
        g_hash_table_lookup(t, GINT_TO_POINTER(1));
        work(9);
    }
    return x;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    both(put, get);
    return 0;
}
