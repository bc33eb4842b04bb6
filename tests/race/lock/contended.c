// Eight threads fight for one mutex; the one that does not is found.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global counter
// EXPECT-STDOUT: 8000
#include <stdio.h>
#include "invisible.h"

int counter;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    hidden_meet(0, 8);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        counter++; // RACE1
        pthread_mutex_unlock(&mutex);
    }
    hidden_post(1);
    return arg;
}

int main(void)
{
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    hidden_wait_times(1, 8);
    FIX(pthread_mutex_lock(&mutex));
    printf("%d\n", counter); // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    return 0;
}
