// BUG: g_hash_table_insert g_hash_table_insert
// PKG: glib-2.0
// A write under the read side of the lock.
#include <glib.h>

#include "module.h"

static GHashTable *t;

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *fill(void *id)
{
    for (int i = 0; i < 40; i++) {
        pthread_rwlock_rdlock(&l);
        g_hash_table_insert(t, GINT_TO_POINTER(i + 1), id);
        pthread_rwlock_unlock(&l);
        work(10);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    all(3, fill);
    return 0;
}
