// BUG: g_key_file_get_value g_key_file_set_value
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GKeyFile *k;

static void *set(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_key_file_set_value(k, "a", "b", i & 1 ? "x" : "y");
        work(11);
    }
    return x;
}

static void *get(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_free(g_key_file_get_value(k, "a", "b", 0));
        work(10);
    }
    return x;
}

int main(void)
{
    k = g_key_file_new();
    g_key_file_set_value(k, "a", "b", "c");
    both(set, get);
    return 0;
}
