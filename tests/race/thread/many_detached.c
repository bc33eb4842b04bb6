// Fifty detached threads, one after another; the last one races.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global count
#include "invisible.h"

int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *child(void *arg)
{
    pthread_mutex_lock(&mutex);
    count++; // RACE1
    pthread_mutex_unlock(&mutex);
    hidden_post(0);
    return arg;
}

int main(void)
{
    for (int i = 1; i <= 50; i++) {
        pthread_t t;
        pthread_create(&t, NULL, child, NULL);
        pthread_detach(t);
        hidden_wait_times(0, i);
    }
    FIX(pthread_mutex_lock(&mutex));
    int seen = count; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    return seen - 50;
}
