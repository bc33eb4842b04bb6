// EXPECT: g_hash_table_insert g_hash_table_lookup
// PKG: glib-2.0
// Only the writer takes the lock.
#include <glib.h>
#include <stdio.h>

#include "together.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *write_it(void *t)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        g_hash_table_insert(t, GINT_TO_POINTER(1), GINT_TO_POINTER(i));
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *read_it(void *t)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        pthread_mutex_lock(&lock);
#endif
        g_hash_table_lookup(t, GINT_TO_POINTER(1));
#ifdef FIXED
        pthread_mutex_unlock(&lock);
#endif
    }
    return 0;
}

int main(void)
{
    GHashTable *t = g_hash_table_new(0, 0);
    together(write_it, read_it, t);
    g_hash_table_destroy(t);
    puts("done");
    return 0;
}
