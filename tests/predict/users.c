/*
 * users.c: small programs as users write them. `users NAME race` has one race that a run hardly
 * ever shows, `users NAME` is its fixed twin.
 */
#include "hidden.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int racy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void run_two(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

/* A cache whose hits are counted under the lock for readers. */
static struct {
    char key[8];
    int value, hits;
} entry = {"three", 3, 0};
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;

static void *look_up(void *p)
{
    pthread_rwlock_rdlock(&table_lock);
    if (strcmp(entry.key, "three") == 0) {
        if (racy)
            entry.hits++;
        else
            __atomic_fetch_add(&entry.hits, 1, __ATOMIC_RELAXED);
    }
    pthread_rwlock_unlock(&table_lock);
    return p;
}

/* Workers that a library hands jobs to, and a count of what they have done. */
static int jobs, met, done, seen[2];

static void *do_jobs(void *p)
{
    int *job = malloc(sizeof *job);
    hidden_wait(&jobs, 1);
    *job = 7;
    hidden_meet(&met, 2);
    if (racy)
        done++;
    pthread_mutex_lock(&lock);
    if (!racy)
        done++;
    seen[0] = *job;
    pthread_mutex_unlock(&lock);
    free(job);
    return p;
}

static void pool(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, do_jobs, NULL);
    hidden_set(&jobs, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

/* A sum in two halves; the second is looked at before its thread is joined. */
static long half[2];
volatile long total;

static void *add_up(void *p)
{
    long *sum = p;
    for (int i = 0; i < 5; i++)
        *sum += i;
    pthread_mutex_lock(&lock);
    seen[1] = 1;
    pthread_mutex_unlock(&lock);
    return p;
}

static void fork_join(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add_up, &half[i]);
    pthread_join(t[0], NULL);
    pthread_mutex_lock(&lock);
    seen[1] = 2;
    pthread_mutex_unlock(&lock);
    if (racy)
        total = half[0] + half[1];
    pthread_join(t[1], NULL);
    total = half[0] + half[1];
}

/* An event loop in a library, whose callbacks share a count. */
static int events;

static void on_event(void)
{
    if (racy)
        events++;
    pthread_mutex_lock(&lock);
    if (!racy)
        events++;
    seen[0] = 1;
    pthread_mutex_unlock(&lock);
}

static void *loop(void *p)
{
    int mine = 1;
    hidden_wait_then_call(&mine, on_event);
    hidden_meet(&met, 2);
    return p;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cache";
    racy = argc > 2;
    if (strcmp(name, "cache") == 0)
        run_two(look_up, look_up);
    else if (strcmp(name, "pool") == 0)
        pool();
    else if (strcmp(name, "forkjoin") == 0)
        fork_join();
    else
        run_two(loop, loop);
    return 0;
}
