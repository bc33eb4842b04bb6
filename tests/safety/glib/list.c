// EXPECT: g_list_append g_list_length
// PKG: glib-2.0
#include <glib.h>
#include <stdio.h>

#include "together.h"

static void *grow(void *list)
{
    arrive();
    for (int i = 0; i < 500; i++) {
        LOCK;
        list = g_list_append(list, 0);
        UNLOCK;
    }
    return 0;
}

static void *count(void *list)
{
    arrive();
    for (int i = 0; i < 500; i++) {
        LOCK;
        g_list_length(list);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    GList *list = g_list_append(0, 0);
    together(grow, count, list);
    g_list_free(list);
    puts("done");
    return 0;
}
