// PKG: glib-2.0
// Readers use the table that is published; the writer makes a new one and publishes that. Old ones
// are kept until the end.
#include <glib.h>
#include <stdatomic.h>

#include "module.h"

static GHashTable *_Atomic current;
static GHashTable *made[16];
static int n;

static void *renew(void *x)
{
    for (int i = 0; i < 12; i++) {
        GHashTable *t = g_hash_table_new(0, 0);
        for (int k = 0; k <= i; k++)
            g_hash_table_insert(t, GINT_TO_POINTER(k + 1), t);
        made[n++] = t;
        atomic_store(&current, t);
        work(30);
    }
    return x;
}

static void *look(void *x)
{
    for (int i = 0; i < 60; i++) {
        GHashTable *t = atomic_load(&current);
        if (t)
            g_hash_table_lookup(t, GINT_TO_POINTER(i));
        work(6);
    }
    return x;
}

int main(void)
{
    pthread_t w;
    pthread_create(&w, 0, renew, 0);
    all(2, look);
    pthread_join(w, 0);
    while (n > 0)
        g_hash_table_destroy(made[--n]);
    return 0;
}
