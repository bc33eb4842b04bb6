// BUG: g_string_append g_string_append
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GString *log_text;

static void job(gpointer item, gpointer x)
{
    (void)item, (void)x;
    work(12);
    g_string_append(log_text, ".");
}

int main(void)
{
    log_text = g_string_new("");
    GThreadPool *p = g_thread_pool_new(job, 0, 3, TRUE, 0);
    for (int i = 1; i < 100; i++)
        g_thread_pool_push(p, GINT_TO_POINTER(i), 0);
    g_thread_pool_free(p, FALSE, TRUE);
    return 0;
}
