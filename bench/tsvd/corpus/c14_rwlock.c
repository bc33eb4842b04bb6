// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GHashTable *t;

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *use(void *id)
{
    for (int i = 0; i < 40; i++) {
        if (i % 8 == 0) {
            pthread_rwlock_wrlock(&l);
            g_hash_table_insert(t, GINT_TO_POINTER(i + 1), id);
        } else {
            pthread_rwlock_rdlock(&l);
            g_hash_table_lookup(t, id);
        }
        pthread_rwlock_unlock(&l);
        work(9);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    all(3, use);
    return 0;
}
