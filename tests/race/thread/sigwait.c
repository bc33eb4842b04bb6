// A thread that takes signals by sigwait and passes what it learned on under a lock.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global last
#include <signal.h>
#include "invisible.h"

int last;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *signal_thread(void *arg)
{
    int got;
    sigwait(arg, &got);
    FIX(pthread_mutex_lock(&mutex));
    last = got; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
    hidden_post(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, signal_thread, &set);
    pthread_kill(t, SIGUSR2);
    hidden_wait(0);
    FIX(pthread_mutex_lock(&mutex));
    int seen = last; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
    pthread_join(t, NULL);
    return seen - SIGUSR2;
}
