// EXPECT: g_hash_table_insert g_hash_table_iter_next
// ALLOW: g_hash_table_insert g_hash_table_iter_init
// PKG: glib-2.0
// An iterator is a reader of its table; a GMutex, made of futexes, keeps the twin right.
#include <glib.h>
#include <stdio.h>

#include "together.h"

static GMutex mutex;
#ifdef FIXED
#define ENTER g_mutex_lock(&mutex)
#define LEAVE g_mutex_unlock(&mutex)
#else
#define ENTER (void)mutex
#define LEAVE (void)mutex
#endif

static void *write_it(void *t)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        ENTER;
        g_hash_table_insert(t, GINT_TO_POINTER(1), GINT_TO_POINTER(i));
        LEAVE;
    }
    return 0;
}

static void *walk(void *t)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        GHashTableIter iter;
        gpointer key;
        ENTER;
        g_hash_table_iter_init(&iter, t);
        g_hash_table_iter_next(&iter, &key, 0);
        LEAVE;
    }
    return 0;
}

int main(void)
{
    GHashTable *t = g_hash_table_new(0, 0);
    for (int i = 1; i < 8; i++)
        g_hash_table_insert(t, GINT_TO_POINTER(i), t);
    together(write_it, walk, t);
    g_hash_table_destroy(t);
    puts("done");
    return 0;
}
