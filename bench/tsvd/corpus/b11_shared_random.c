// BUG: g_rand_int g_rand_int
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GRand *r;

static void *draw(void *id)
{
    for (int i = 0; i < 60; i++) {
        g_rand_int(r);
        work(7);
    }
    return id;
}

int main(void)
{
    r = g_rand_new_with_seed(1);
    all(3, draw);
    return 0;
}
