// A timed wait that ran out holds the mutex again, but nothing has been produced.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global data
// EXPECT-STDOUT: ETIMEDOUT ETIMEDOUT
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "invisible.h"

int ready, data, seen, result[2];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
    struct timespec past = {0, 0};
    pthread_mutex_lock(&mutex);
    result[0] = pthread_cond_timedwait(&cond, &mutex, &past);
    result[1] = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past);
    if (PICK(1, ready))
        seen = data; // RACE1
    pthread_mutex_unlock(&mutex);
    hidden_post(0);
    return arg;
}

static void *producer(void *arg)
{
    hidden_wait(0);
    FIX(pthread_mutex_lock(&mutex));
    data = 1; // RACE2
    FIX(ready = 1);
    FIX(pthread_mutex_unlock(&mutex));
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%s %s\n", strerrorname_np(result[0]), strerrorname_np(result[1]));
    return 0;
}
