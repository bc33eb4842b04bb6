// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static void job(gpointer item, gpointer x)
{
    GString *s = item;
    (void)x;
    for (int i = 0; i < 5; i++) {
        g_string_append(s, "x");
        work(2);
    }
    g_string_free(s, TRUE);
}

int main(void)
{
    GThreadPool *p = g_thread_pool_new(job, 0, 3, TRUE, 0);
    for (int i = 0; i < 80; i++)
        g_thread_pool_push(p, g_string_new(""), 0);
    g_thread_pool_free(p, FALSE, TRUE);
    return 0;
}
