// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GPtrArray *part[3];

static void *fill(void *id)
{
    GPtrArray *a = part[(intptr_t)id];
    for (int i = 0; i < 40; i++) {
        g_ptr_array_add(a, id);
        work(10);
    }
    return 0;
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        part[i] = g_ptr_array_new();
    all(3, fill);
    for (int i = 1; i < 3; i++)
        g_ptr_array_extend(part[0], part[i], 0, 0);
    return 0;
}
