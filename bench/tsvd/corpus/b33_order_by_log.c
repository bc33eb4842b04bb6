// BUG: g_hash_table_insert g_hash_table_lookup
// PKG: glib-2.0
// Each place is reached once, and as a rule the lock of the log lies between them: it orders them by chance only.
#include <glib.h>

#include "module.h"

static GHashTable *config;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

/* A string of the thread's own. */
static GString *own_name(const char *what)
{
    GString *s = g_string_new("thread ");
    return g_string_append(s, what);
}

static void log_line(void)
{
    LOCK(log_lock);
    lines++;
    UNLOCK(log_lock);
}

static void *load(void *x)
{
    GString *name = own_name("load");
    work(40);
    g_hash_table_insert(config, "key", "value");
    log_line();
    work(250);
    g_string_free(name, TRUE);
    return x;
}

static void *use(void *x)
{
    GString *name = own_name("use");
    work(75);
    log_line();
    x = g_hash_table_lookup(config, "key");
    work(250);
    g_string_free(name, TRUE);
    return x;
}

int main(void)
{
    config = g_hash_table_new(g_str_hash, g_str_equal);
    both(load, use);
    return 0;
}
