// Calls that fail set errno as they do without the tool, between racing accesses or not.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global shared
// EXPECT-STDOUT: EBADF EBUSY ETIMEDOUT ENOENT
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "invisible.h"

int shared, codes[4];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t empty;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    shared = 1; // RACE1
    pthread_mutex_unlock(&mutex);
    errno = 0;
    codes[0] = close(-1) ? errno : 0;
    pthread_mutex_lock(&mutex);
    codes[1] = pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void second(void)
{
    struct timespec past = {0, 0};
    FIX(pthread_mutex_lock(&mutex));
    errno = ENOENT;
    shared = 2; // RACE2
    codes[3] = errno;
    FIX(pthread_mutex_unlock(&mutex));
    codes[2] = sem_timedwait(&empty, &past) ? errno : 0;
}

int main(void)
{
    sem_init(&empty, 0, 0);
    run_in_order(first, second);
    for (int i = 0; i < 4; i++)
        printf("%s%c", strerrorname_np(codes[i]), i < 3 ? ' ' : '\n');
    return 0;
}
