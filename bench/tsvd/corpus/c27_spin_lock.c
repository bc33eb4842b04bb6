// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static pthread_spinlock_t s;

static GHashTable *t;

static void *use(void *id)
{
    for (int i = 0; i < 40; i++) {
        pthread_spin_lock(&s);
        g_hash_table_insert(t, GINT_TO_POINTER(i % 8 + 1), id);
        pthread_spin_unlock(&s);
        work(10);
    }
    return 0;
}

int main(void)
{
    pthread_spin_init(&s, 0);
    t = g_hash_table_new(0, 0);
    all(2, use);
    return 0;
}
