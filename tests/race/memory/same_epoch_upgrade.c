// A thread reads and then writes a place in one epoch; the later reader must see the write.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
#include "invisible.h"

int shared, seen, also_seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    seen = shared;
    hidden_count(0);
    shared = 1; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    also_seen = shared; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
