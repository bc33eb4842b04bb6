// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static GPtrArray *a;

static void job(gpointer item, gpointer x)
{
    (void)x;
    work(10);
    LOCK(m);
    g_ptr_array_add(a, item);
    UNLOCK(m);
}

int main(void)
{
    a = g_ptr_array_new();
    GThreadPool *p = g_thread_pool_new(job, 0, 3, TRUE, 0);
    for (int i = 1; i < 100; i++)
        g_thread_pool_push(p, GINT_TO_POINTER(i), 0);
    g_thread_pool_free(p, FALSE, TRUE);
    return 0;
}
