// PKG: glib-2.0
// As b36, with the queue under the lock of its number.
#include <glib.h>

#include "module.h"

static GQueue queue = G_QUEUE_INIT;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *make(void *x)
{
    for (int i = 0; i < 20; i++) {
        work(18);
        LOCK(count_lock);
        g_queue_push_tail(&queue, &queue);
        count++;
        UNLOCK(count_lock);
    }
    return x;
}

static void *take(void *x)
{
    for (int i = 0; i < 20; i++) {
        work(23);
        LOCK(count_lock);
        g_queue_pop_head(&queue);
        count--;
        UNLOCK(count_lock);
    }
    return x;
}

int main(void)
{
    both(make, take);
    return 0;
}
