// Asynchronous cancellation strikes a thread in the middle of a loop.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global spins
#include "invisible.h"

volatile long spins;

static void *worker(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) {
        spins++;           // RACE1
        if (spins == 1000) // RACE1
            hidden_post(0);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, worker, NULL);
    hidden_wait(0);
    pthread_cancel(t);
    FIX(pthread_join(t, &result));
    long seen = spins; // RACE2
    BUG(pthread_join(t, &result));
    return seen < 1000 || result != PTHREAD_CANCELED;
}
