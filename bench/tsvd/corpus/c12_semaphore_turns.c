// PKG: glib-2.0
#include <glib.h>
#include <semaphore.h>

#include "module.h"

static GQueue q = G_QUEUE_INIT;

static sem_t one;

static void *use(void *id)
{
    for (int i = 0; i < 40; i++) {
        sem_wait(&one);
        g_queue_push_tail(&q, id);
        g_queue_pop_head(&q);
        sem_post(&one);
        work(9);
    }
    return 0;
}

int main(void)
{
    sem_init(&one, 0, 1);
    all(3, use);
    return 0;
}
