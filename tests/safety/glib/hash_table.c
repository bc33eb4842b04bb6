// EXPECT: g_hash_table_insert g_hash_table_insert
// PKG: glib-2.0
// Two writers with different keys: still one table.
#include <glib.h>
#include <stdio.h>

#include "together.h"

static void fill(GHashTable *t, int from)
{
    arrive();
    for (int i = from; i < from + ROUNDS / 10; i++) {
        LOCK;
        g_hash_table_insert(t, GINT_TO_POINTER(i % 64 + from + 1), t);
        UNLOCK;
    }
}

static void *low(void *t)
{
    fill(t, 0);
    return 0;
}

static void *high(void *t)
{
    fill(t, 1000);
    return 0;
}

int main(void)
{
    GHashTable *t = g_hash_table_new(0, 0);
    together(low, high, t);
    g_hash_table_destroy(t);
    puts("done");
    return 0;
}
