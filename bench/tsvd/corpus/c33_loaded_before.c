// PKG: glib-2.0
// As b33, but who uses the table waits until it is loaded.
#include <glib.h>

#include "module.h"

static GHashTable *config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;
static int is_loaded;

static void *load(void *x)
{
    work(40);
    g_hash_table_insert(config, "key", "value");
    LOCK(lock);
    is_loaded = 1;
    pthread_cond_signal(&loaded);
    UNLOCK(lock);
    work(250);
    return x;
}

static void *use(void *x)
{
    LOCK(lock);
    while (!is_loaded)
        pthread_cond_wait(&loaded, &lock);
    UNLOCK(lock);
    x = g_hash_table_lookup(config, "key");
    work(250);
    return x;
}

int main(void)
{
    config = g_hash_table_new(g_str_hash, g_str_equal);
    both(load, use);
    return 0;
}
