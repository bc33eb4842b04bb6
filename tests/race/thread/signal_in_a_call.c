// Signals arrive while the program is inside interposed calls; nothing is lost or locked up.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global total
#include <signal.h>
#include <stdlib.h>
#include "invisible.h"

int total;
volatile sig_atomic_t ticks;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handler(int signal)
{
    ticks += signal > 0;
}

static void *worker(void *arg)
{
    signal(SIGUSR1, handler);
    hidden_post(0);
    do {
        free(malloc(100));
        pthread_mutex_lock(&mutex);
        total++; // RACE1
        pthread_mutex_unlock(&mutex);
    } while (hidden_count(1) == 0);
    hidden_post(2);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    hidden_wait(0);
    for (int i = 0; i < 2000; i++)
        pthread_kill(t, SIGUSR1);
    hidden_post(1);
    hidden_wait(2);
    FIX(pthread_mutex_lock(&mutex));
    total = 0; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    pthread_join(t, NULL);
    return 0;
}
