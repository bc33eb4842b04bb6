/*
 * server.c: an acceptor hands connections to workers through a queue; the workers keep statistics.
 * EXCLUDE: queue_*
 */
#include <pthread.h>
#include <stdlib.h>

#include "greeting.h"
#include "work.h"

enum { WORKERS = 3, ROOM = 8 };

struct connection {
    int id, bytes;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct connection *item[ROOM];
    int head, count, closed;
};

static struct queue queue;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static int last_served, served[WORKERS], reload_wanted, verbose, peak;
volatile int sink;

void queue_put(struct queue *q, struct connection *c)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == ROOM)
        pthread_cond_wait(&q->changed, &q->lock);
    q->item[(q->head + q->count++) % ROOM] = c;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

struct connection *queue_get(struct queue *q)
{
    struct connection *c = NULL;
    pthread_mutex_lock(&q->lock);
    while (!q->count && !q->closed)
        pthread_cond_wait(&q->changed, &q->lock);
    if (q->count) {
        c = q->item[q->head];
        q->head = (q->head + 1) % ROOM;
        q->count--;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return c;
}

void queue_close(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = 1;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static void note(int worker, const struct connection *c)
{
    served[worker]++;
    pthread_mutex_lock(&stats_lock);
    last_served = c->id;
    pthread_mutex_unlock(&stats_lock);
}

static void *work(void *p)
{
    int me = (int)(long)p;
    struct connection *c;
    greet(me);
    while ((c = queue_get(&queue))) {
        c->bytes += 10;
        do_work((unsigned)c->id);
        if (c->bytes > peak)
            peak = c->bytes; /* no lock */
        note(me, c);
        if (c->id == 5)
            reload_wanted = 1; /* no lock */
        free(c);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 24;
    pthread_t thread[WORKERS];
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.changed, NULL);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    sink = greeting();
    for (int i = 0; i < n; i++) {
        struct connection *c = malloc(sizeof *c);
        c->id = i;
        c->bytes = i;
        queue_put(&queue, c);
        if (reload_wanted) {
            pthread_mutex_lock(&stats_lock);
            last_served = -1;
            pthread_mutex_unlock(&stats_lock);
            verbose = 1;
        }
    }
    queue_close(&queue);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    sink = served[0] + served[1] + served[2] + verbose;
    return 0;
}
