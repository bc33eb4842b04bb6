// 10,000 threads one after another; a thread from before all of them races with main after them.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global early
// TIMEOUT: 120
// PEER: tsan may-miss: the early write is evicted by its neighbour
#include "invisible.h"

int early, last;

static void *survivor(void *arg)
{
    early = 1; // RACE1
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

static void *short_lived(void *arg)
{
    last++;
    return arg;
}

int main(void)
{
    pthread_t first, t;
    pthread_create(&first, NULL, survivor, NULL);
    hidden_wait(0);
    for (int i = 0; i < 10000; i++) {
        pthread_create(&t, NULL, short_lived, NULL);
        pthread_join(t, NULL);
    }
    FIX(hidden_post(1); pthread_join(first, NULL));
    early = 2; // RACE2
    BUG(hidden_post(1); pthread_join(first, NULL));
    return last != 10000;
}
