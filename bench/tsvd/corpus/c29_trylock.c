// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static GString *s;

static void *use(void *id)
{
    for (int i = 0; i < 40; i++) {
        if (pthread_mutex_trylock(&m) == 0) {
            g_string_append(s, "x");
            UNLOCK(m);
        }
        work(10);
    }
    return id;
}

int main(void)
{
    s = g_string_new("");
    all(3, use);
    return 0;
}
