// BUG: g_array_append_vals g_array_append_vals
// BUG: g_queue_push_tail g_queue_push_tail
// BUG: g_string_append g_string_append
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GArray *a;

static GQueue q = G_QUEUE_INIT;

static GString *s;

static void *mix(void *id)
{
    for (int i = 0; i < 40; i++) {
        g_array_append_val(a, i);
        work(4);
        g_queue_push_tail(&q, id);
        work(4);
        g_string_append(s, "x");
        work(4);
    }
    return 0;
}

int main(void)
{
    a = g_array_new(0, 0, sizeof(int));
    s = g_string_new("");
    all(3, mix);
    return 0;
}
