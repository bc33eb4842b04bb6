// BUG: g_ptr_array_add g_ptr_array_find
// PKG: glib-2.0
// The second thread starts late and ends early.
#include <glib.h>

#include "module.h"

static GPtrArray *a;

static void *fill(void *x)
{
    for (int i = 0; i < 60; i++) {
        g_ptr_array_add(a, &a);
        work(8);
    }
    return x;
}

static void *find(void *x)
{
    work(150);
    for (int i = 0; i < 8; i++) {
        g_ptr_array_find(a, x, 0);
        work(20);
    }
    return x;
}

int main(void)
{
    a = g_ptr_array_new();
    both(fill, find);
    return 0;
}
