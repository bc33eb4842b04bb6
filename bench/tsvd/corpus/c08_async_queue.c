// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GAsyncQueue *q;

static void *put(void *x)
{
    for (int i = 0; i < 40; i++) {
        GString *s = g_string_new("x");
        g_string_append(s, "y");
        g_async_queue_push(q, s);
        work(9);
    }
    return x;
}

static void *get(void *x)
{
    for (int i = 0; i < 40; i++) {
        GString *s = g_async_queue_pop(q);
        g_string_append(s, "z");
        g_string_free(s, TRUE);
    }
    return x;
}

int main(void)
{
    q = g_async_queue_new();
    both(put, get);
    return 0;
}
