// EXPECT: g_string_append g_string_append
// PKG: glib-2.0
// The threads are the pool's, the calls are in its callback.
#include <glib.h>
#include <stdio.h>

#include "together.h"

static GString *text;

static void work(gpointer item, gpointer unused)
{
    (void)item, (void)unused;
    for (int i = 0; i < 100; i++) {
        LOCK;
        (g_string_append)(text, "x"); /* the function, not the macro of newer headers */
        UNLOCK;
    }
}

int main(void)
{
    text = g_string_new("");
    GThreadPool *pool = g_thread_pool_new(work, 0, 4, TRUE, 0);
    for (int i = 1; i <= 200; i++)
        g_thread_pool_push(pool, GINT_TO_POINTER(i), 0);
    g_thread_pool_free(pool, FALSE, TRUE);
    g_string_free(text, TRUE);
    puts("done");
    return 0;
}
