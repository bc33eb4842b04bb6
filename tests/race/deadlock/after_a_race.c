// A race before the deadlock is in the same report.
// EXPECT: data-race RACE1 RACE2
// EXPECT: deadlock WAIT
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    shared = 1; // RACE1
}

static void second(void)
{
    BUG(shared = 2;) // RACE2
}

int main(void)
{
    run_in_order(first, second);
    pthread_mutex_lock(&mutex);
    BUG(pthread_mutex_lock(&mutex);) // WAIT
    pthread_mutex_unlock(&mutex);
    return 0;
}
