// BUG: g_tree_insert g_tree_lookup
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GTree *t;

static gint order(gconstpointer a, gconstpointer b)
{
    return a < b ? -1 : a > b;
}

static void *count(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_tree_insert(t, GINT_TO_POINTER(i % 8), t);
        work(10);
    }
    return x;
}

static void *show(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_tree_lookup(t, GINT_TO_POINTER(i % 8));
        work(11);
    }
    return x;
}

int main(void)
{
    t = g_tree_new(order);
    both(count, show);
    return 0;
}
