// BUG: g_string_append_printf g_string_append_printf
// PKG: glib-2.0
// Jobs go through a bounded queue with its lock; the workers write their protocol into one string.
#include <glib.h>

#include "module.h"

enum { ROOM = 8, JOBS = 400, WORKERS = 3 };

static int ring[ROOM], count, first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static GString *protocol;

static void put(int job)
{
    LOCK(lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    ring[(first + count++) % ROOM] = job;
    pthread_cond_signal(&not_empty);
    UNLOCK(lock);
}

static int take(void)
{
    LOCK(lock);
    while (!count)
        pthread_cond_wait(&not_empty, &lock);
    int job = ring[first];
    first = (first + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    UNLOCK(lock);
    return job;
}

static void *worker(void *x)
{
    for (int job; (job = take()) >= 0;) {
        work(2);
        if (job % 8 == 0)
            g_string_append_printf(protocol, "%d\n", job);
    }
    return x;
}

static void *produce(void *x)
{
    for (int i = 0; i < JOBS; i++)
        put(i);
    for (int i = 0; i < WORKERS; i++)
        put(-1);
    return x;
}

int main(void)
{
    pthread_t p;
    protocol = g_string_new("");
    pthread_create(&p, 0, produce, 0);
    all(WORKERS, worker);
    pthread_join(p, 0);
    g_string_free(protocol, TRUE);
    return 0;
}
