// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static void *draw(void *id)
{
    GRand *r = g_rand_new_with_seed(1);
    for (int i = 0; i < 50; i++) {
        g_rand_int(r);
        work(9);
    }
    g_rand_free(r);
    return id;
}

int main(void)
{
    all(3, draw);
    return 0;
}
