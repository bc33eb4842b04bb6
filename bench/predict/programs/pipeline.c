/*
 * pipeline.c: three stages, joined by rings of one producer and one consumer, without locks.
 * EXCLUDE: ring_*
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "greeting.h"
#include "work.h"

enum { ROOM = 4 };

struct ring {
    atomic_uint head, tail;
    int *slot[ROOM];
};

static struct ring raw, cooked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int progress, stage, worst, finished;
volatile int sink;

void ring_push(struct ring *r, int *item)
{
    unsigned tail = atomic_load(&r->tail);
    while (tail - atomic_load(&r->head) == ROOM)
        ;
    r->slot[tail % ROOM] = item;
    atomic_store(&r->tail, tail + 1);
}

int *ring_pop(struct ring *r)
{
    unsigned head = atomic_load(&r->head);
    while (head == atomic_load(&r->tail))
        ;
    int *item = r->slot[head % ROOM];
    atomic_store(&r->head, head + 1);
    return item;
}

static void mark(int who)
{
    pthread_mutex_lock(&lock);
    stage = who;
    pthread_mutex_unlock(&lock);
}

static void *cook(void *p)
{
    int n = *(int *)p;
    greet(1);
    for (int i = 0; i < n; i++) {
        int *item = ring_pop(&raw);
        *item *= 2;
        do_work((unsigned)i);
        progress = i; /* no lock, and before that of mark() */
        if (i == n / 2)
            mark(1);
        if (*item > worst)
            worst = *item; /* no lock */
        ring_push(&cooked, item);
    }
    return NULL;
}

static void *serve(void *p)
{
    int n = *(int *)p, sum = 0;
    greet(2);
    for (int i = 0; i < n; i++) {
        int *item = ring_pop(&cooked);
        sum += *item;
        do_work((unsigned)i);
        if (*item > worst)
            worst = *item; /* no lock */
        free(item);
    }
    mark(2);
    sink = progress;
    finished = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 24;
    pthread_t cook_thread, serve_thread;
    pthread_create(&cook_thread, NULL, cook, &n);
    pthread_create(&serve_thread, NULL, serve, &n);
    sink = greeting();
    for (int i = 0; i < n; i++) {
        int *item = malloc(sizeof *item);
        *item = i;
        ring_push(&raw, item);
    }
    mark(0);
    sink = progress;
    pthread_join(cook_thread, NULL);
    pthread_join(serve_thread, NULL);
    sink = finished;
    return 0;
}
