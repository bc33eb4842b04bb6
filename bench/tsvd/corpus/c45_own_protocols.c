// PKG: glib-2.0
// As b47; every worker has a protocol of its own, and they are put together at the end.
#include <glib.h>

#include "module.h"

enum { ROOM = 8, JOBS = 400, WORKERS = 3 };

static int ring[ROOM], count, first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static GString *protocol[WORKERS];

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

static void *worker(void *id)
{
    for (int job; (job = take()) >= 0;) {
        work(2);
        if (job % 8 == 0)
            g_string_append_printf(protocol[(intptr_t)id], "%d\n", job);
    }
    return 0;
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
    GString *whole = g_string_new("");
    for (int i = 0; i < WORKERS; i++)
        protocol[i] = g_string_new("");
    pthread_create(&p, 0, produce, 0);
    all(WORKERS, worker);
    pthread_join(p, 0);
    for (int i = 0; i < WORKERS; i++) {
        g_string_append(whole, protocol[i]->str);
        g_string_free(protocol[i], TRUE);
    }
    g_string_free(whole, TRUE);
    return 0;
}
