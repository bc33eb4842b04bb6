// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GArray *a;

static pthread_barrier_t b;

static void *turn(void *id)
{
    for (int i = 0; i < 20; i++) {
        if (i % 2 == (int)(intptr_t)id)
            g_array_append_val(a, i);
        work(8);
        pthread_barrier_wait(&b);
    }
    return 0;
}

int main(void)
{
    a = g_array_new(0, 0, sizeof(int));
    pthread_barrier_init(&b, 0, 2);
    all(2, turn);
    return 0;
}
