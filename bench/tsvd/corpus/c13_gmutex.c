// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GMutex m;

static GString *s;

static void *add(void *id)
{
    for (int i = 0; i < 40; i++) {
        g_mutex_lock(&m);
        g_string_append(s, "x");
        g_mutex_unlock(&m);
        work(10);
    }
    return id;
}

int main(void)
{
    s = g_string_new("");
    all(3, add);
    return 0;
}
