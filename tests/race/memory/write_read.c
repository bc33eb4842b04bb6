// A write, then a read by another thread.
// EXPECT: data-race RACE1/write/4 RACE2/read/4
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    shared = 1; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    seen = shared; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
