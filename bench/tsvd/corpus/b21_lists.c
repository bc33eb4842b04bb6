// BUG: g_list_append g_list_foreach
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GList *l;

static void see(gpointer a, gpointer b)
{
    (void)a, (void)b;
}

static void *grow(void *x)
{
    for (int i = 0; i < 40; i++) {
        l = g_list_append(l, l);
        work(10);
    }
    return x;
}

static void *walk(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_list_foreach(l, see, 0);
        work(11);
    }
    return x;
}

int main(void)
{
    l = g_list_append(0, 0);
    both(grow, walk);
    return 0;
}
