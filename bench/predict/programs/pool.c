/*
 * pool.c: a thread pool; tasks are handed in and waited for.
 * EXCLUDE: pool_take pool_submit pool_done pool_wait
 */
#include <pthread.h>
#include <stdlib.h>

#include "greeting.h"
#include "work.h"

enum { WORKERS = 3 };

struct task {
    int input, output;
    struct task *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct task *first;
    int open, stop;
};

static struct pool pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0};
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int last_log, busiest, cancelled, largest;
volatile int sink;

void pool_submit(struct pool *p, struct task *t)
{
    pthread_mutex_lock(&p->lock);
    t->next = p->first;
    p->first = t;
    p->open++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

struct task *pool_take(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (!p->first && !p->stop)
        pthread_cond_wait(&p->changed, &p->lock);
    struct task *t = p->first;
    if (t)
        p->first = t->next;
    pthread_mutex_unlock(&p->lock);
    return t;
}

void pool_done(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->open--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void pool_wait(struct pool *p, int stop)
{
    pthread_mutex_lock(&p->lock);
    while (p->open)
        pthread_cond_wait(&p->changed, &p->lock);
    p->stop = stop;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void put_log(int what)
{
    pthread_mutex_lock(&log_lock);
    last_log = what;
    pthread_mutex_unlock(&log_lock);
}

static void *work(void *p)
{
    struct task *t;
    greet(3);
    while ((t = pool_take(p))) {
        if (cancelled)
            t->input = 0;
        busiest = t->input; /* no lock, but before put_log()'s */
        put_log(t->input);
        do_work((unsigned)t->input);
        t->output = t->input * t->input;
        if (t->output > largest)
            largest = t->output; /* no lock */
        pool_done(p);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 24, sum = 0;
    struct task **task = calloc((size_t)n, sizeof *task);
    pthread_t thread[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, &pool);
    sink = greeting();
    for (int i = 0; i < n; i++) {
        task[i] = calloc(1, sizeof **task);
        task[i]->input = i;
        pool_submit(&pool, task[i]);
        if (i == n / 2) {
            put_log(-1);
            sink = busiest;
            cancelled = 0;
        }
    }
    pool_wait(&pool, 1);
    for (int i = 0; i < n; i++)
        sum += task[i]->output;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    sink = sum;
    free(task);
    return 0;
}
