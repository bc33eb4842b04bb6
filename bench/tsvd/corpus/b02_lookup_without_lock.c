// BUG: g_hash_table_insert g_hash_table_lookup
// PKG: glib-2.0
// The writer locks, the reader forgot to.
#include <glib.h>

#include "module.h"

static GHashTable *users;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *x)
{
    for (int i = 1; i < 40; i++) {
        LOCK(m);
        g_hash_table_insert(users, GINT_TO_POINTER(i), users);
        UNLOCK(m);
        work(11);
    }
    return x;
}

static void *ask(void *x)
{
    for (int i = 1; i < 40; i++) {
        g_hash_table_lookup(users, GINT_TO_POINTER(i));
        work(10);
    }
    return x;
}

int main(void)
{
    users = g_hash_table_new(0, 0);
    both(add, ask);
    return 0;
}
