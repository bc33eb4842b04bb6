// BUG: g_queue_is_empty g_queue_* | g_queue_get_length g_queue_*
// PKG: glib-2.0
// To spare the lock, the consumer first looks without it whether there is something.
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
        if (g_queue_is_empty(&q)) {
            work(3);
            continue;
        }
        LOCK(lock);
        if (g_queue_pop_head(&q))
            left--;
        UNLOCK(lock);
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
