// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GPtrArray *item;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *make(void *x)
{
    for (int i = 0; i < 30; i++) {
        GPtrArray *a = g_ptr_array_new();
        g_ptr_array_add(a, a);
        LOCK(m);
        while (item)
            pthread_cond_wait(&c, &m);
        item = a;
        pthread_cond_broadcast(&c);
        UNLOCK(m);
        work(9);
    }
    return x;
}

static void *take(void *x)
{
    for (int i = 0; i < 30; i++) {
        LOCK(m);
        while (!item)
            pthread_cond_wait(&c, &m);
        GPtrArray *a = item;
        item = 0;
        pthread_cond_broadcast(&c);
        UNLOCK(m);
        g_ptr_array_add(a, a);
        g_ptr_array_free(a, TRUE);
    }
    return x;
}

int main(void)
{
    both(make, take);
    return 0;
}
