// Thread-local storage and stacks of ended threads are given to new threads: no race by itself.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global last
#include "invisible.h"

_Thread_local int mine[64];
int last;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    for (int i = 0; i < 64; i++)
        mine[i] += i + (arg == NULL);
    FIX(pthread_mutex_lock(&mutex));
    if (arg)
        last = mine[63]; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
    hidden_post(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    for (long i = 0; i < 20; i++) {
        pthread_create(&t, NULL, worker, (void *)(i == 19 ? 1L : 0L));
        hidden_wait_times(0, (int)i + 1);
        if (i < 19)
            pthread_join(t, NULL);
    }
    FIX(pthread_mutex_lock(&mutex));
    last = 1; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    pthread_join(t, NULL);
    return 0;
}
