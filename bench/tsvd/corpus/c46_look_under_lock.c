// PKG: glib-2.0
// As b48; the look takes the lock.
#include <glib.h>

#include "module.h"

static GQueue q = G_QUEUE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int left = 60;

static void *produce(void *x)
{
    for (int i = 0; i < 30; i++) {
        LOCK(lock);
        g_queue_push_tail(&q, &q);
        UNLOCK(lock);
        work(12);
    }
    return x;
}

static void *consume(void *x)
{
    while (left > 0) {
        LOCK(lock);
        gboolean none = g_queue_is_empty(&q);
        if (!none && g_queue_pop_head(&q))
            left--;
        UNLOCK(lock);
        if (none)
            work(3);
    }
    return x;
}

int main(void)
{
    pthread_t c;
    pthread_create(&c, 0, consume, 0);
    all(2, produce);
    pthread_join(c, 0);
    return 0;
}
