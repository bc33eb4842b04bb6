// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static pthread_mutex_t m;

static GList *l;

static void add(void)
{
    LOCK(m);
    l = g_list_prepend(l, 0);
    UNLOCK(m);
}

static void *use(void *id)
{
    for (int i = 0; i < 40; i++) {
        LOCK(m);
        add();
        g_list_length(l);
        UNLOCK(m);
        work(10);
    }
    return id;
}

int main(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    all(2, use);
    return 0;
}
