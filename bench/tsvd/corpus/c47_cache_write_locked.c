// PKG: glib-2.0
// As b49; whoever moves an entry holds the lock for writing.
#include <glib.h>

#include "module.h"

static GHashTable *entries;
static GQueue used = G_QUEUE_INIT;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void put(int key)
{
    pthread_rwlock_wrlock(&lock);
    g_queue_push_head(&used, GINT_TO_POINTER(key));
    g_hash_table_insert(entries, GINT_TO_POINTER(key), used.head);
    pthread_rwlock_unlock(&lock);
}

static void *get(int key)
{
    pthread_rwlock_wrlock(&lock);
    GList *l = g_hash_table_lookup(entries, GINT_TO_POINTER(key));
    if (l) {
        g_queue_unlink(&used, l);
        g_queue_push_head_link(&used, l);
    }
    pthread_rwlock_unlock(&lock);
    return l;
}

static void *request(void *id)
{
    for (int i = 0; i < 40; i++) {
        get(1 + (i + (int)(intptr_t)id) % 5);
        work(9);
    }
    return 0;
}

int main(void)
{
    entries = g_hash_table_new(0, 0);
    for (int i = 1; i <= 5; i++)
        put(i);
    all(3, request);
    g_hash_table_destroy(entries);
    g_queue_clear(&used);
    return 0;
}
