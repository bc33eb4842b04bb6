/*
 * Condition variables used wrongly: the predicate is set without the lock, the result is read after
 * the lock was given back, and a semaphore is posted before the data is written.
 *
 * pairs: predicate-check result-read_result late-read_late
 */
#include <semaphore.h>
#include "hidden.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
sem_t sem;
int predicate, result, late;
int seen;

static void set(void)
{
    predicate = 1; /* [predicate] */
    pthread_cond_signal(&cond);
    sem_post(&sem);
    late = 1; /* [late] */
}

static void await(void)
{
    pthread_mutex_lock(&lock);
    while (!predicate) /* [check] */
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
}

static void take(void)
{
    sem_wait(&sem);
    seen = late;    /* [read_late] */
    seen += result; /* [read_result] */
}

static void put_result(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    result = 1; /* [result] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, set}, {1, await}, {2, put_result}, {3, take}};

    sem_init(&sem, 0, 0);
    HIDDEN_RUN(steps, 4);
    return seen != 2;
}
