// A handler that interrupts its own thread is a part of it: no race with what the thread does.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global count
// EXPECT-STACK: RACE1 handler
#include <signal.h>
#include "invisible.h"

volatile int count;

static void handler(int signal)
{
    count += signal > 0; // RACE1
}

static void *worker(void *arg)
{
    for (int i = 0; i < 100; i++) {
        count++; // RACE1
        raise(SIGUSR1);
    }
    hidden_post(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, worker, NULL);
    hidden_wait(0);
    FIX(pthread_join(t, NULL));
    int seen = count; // RACE2
    BUG(pthread_join(t, NULL));
    return seen - 200;
}
