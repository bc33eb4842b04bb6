// BUG: g_queue_pop_head g_queue_push_tail
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GQueue q = G_QUEUE_INIT;

static void *produce(void *x)
{
    for (int i = 0; i < 50; i++) {
        g_queue_push_tail(&q, &q);
        work(8);
    }
    return x;
}

static void *consume(void *x)
{
    for (int i = 0; i < 50; i++) {
        g_queue_pop_head(&q);
        work(9);
    }
    return x;
}

int main(void)
{
    both(produce, consume);
    return 0;
}
