// BUG: g_list_prepend g_list_*
// PKG: glib-2.0
// Workers of a pool remember what failed. Jobs come through the pool's own queue, whose lock lies
// between any two of them.
#include <glib.h>

#include "module.h"

static GList *failures;

static unsigned crunch(unsigned seed)
{
    for (int i = 0; i < 200000; i++)
        seed = seed * 1664525u + 1013904223u;
    return seed;
}

static void job(gpointer item, gpointer x)
{
    unsigned r = crunch(GPOINTER_TO_UINT(item));
    (void)x;
    work(2);
    if (r % 3 == 0)
        failures = g_list_prepend(failures, item);
}

int main(void)
{
    GThreadPool *p = g_thread_pool_new(job, 0, 4, TRUE, 0);
    for (int i = 1; i <= 300; i++)
        g_thread_pool_push(p, GINT_TO_POINTER(i), 0);
    g_thread_pool_free(p, FALSE, TRUE);
    guint n = g_list_length(failures);
    g_list_free(failures);
    return n > 300;
}
