// The same by trylock and timedlock, and the mutex given up as not recoverable.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global data
// EXPECT-STDOUT: EOWNERDEAD EOWNERDEAD ENOTRECOVERABLE
// PEER: tsan false-alarm: a timed lock that says EOWNERDEAD is not held there
// PEER: tsan misses: the same false alarm in the build with the bug
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "invisible.h"

int data, result[3];
pthread_mutex_t mutex;

static void *dies(void *arg)
{
    int r = pthread_mutex_trylock(&mutex);
    if (arg)
        *(int *)arg = r;
    if (r && arg)
        pthread_mutex_consistent(&mutex);
    data++; // RACE1
    hidden_post(0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    struct timespec past = {0, 0};
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&a, NULL, dies, NULL);
    pthread_join(a, NULL);
    pthread_create(&b, NULL, dies, &result[0]);
    FIX(pthread_join(b, NULL));
    hidden_wait_times(0, 2);
    data++; // RACE2
    BUG(pthread_join(b, NULL));
    result[1] = pthread_mutex_timedlock(&mutex, &past);
    pthread_mutex_unlock(&mutex); /* never made consistent */
    result[2] = pthread_mutex_lock(&mutex);
    for (int i = 0; i < 3; i++)
        printf("%s%c", strerrorname_np(result[i]), i < 2 ? ' ' : '\n');
    return 0;
}
