// BUG: g_ptr_array_add g_ptr_array_add
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GPtrArray *results;

static void *collect(void *id)
{
    for (int i = 0; i < 30; i++) {
        work(13);
        g_ptr_array_add(results, id);
    }
    return 0;
}

int main(void)
{
    results = g_ptr_array_new();
    all(4, collect);
    return 0;
}
