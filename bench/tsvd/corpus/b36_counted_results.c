// BUG: g_queue_pop_head g_queue_push_tail
// PKG: glib-2.0
// The number of results is kept under a lock, the queue of the results is not.
#include <glib.h>

#include "module.h"

static GQueue queue = G_QUEUE_INIT;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

/* A string of the thread's own. */
static GString *own_name(const char *what)
{
    GString *s = g_string_new("thread ");
    return g_string_append(s, what);
}

static void add(int n)
{
    LOCK(count_lock);
    count += n;
    UNLOCK(count_lock);
}

static void *make(void *x)
{
    GString *name = own_name("make");
    for (int i = 0; i < 20; i++) {
        work(18);
        add(0);
        g_queue_push_tail(&queue, &queue);
        add(1);
    }
    g_string_free(name, TRUE);
    return x;
}

static void *take(void *x)
{
    GString *name = own_name("take");
    for (int i = 0; i < 20; i++) {
        work(23);
        add(0);
        g_queue_pop_head(&queue);
        add(-1);
    }
    g_string_free(name, TRUE);
    return x;
}

int main(void)
{
    both(make, take);
    return 0;
}
