// The racing write is followed by reads and writes of many other threads that are in order.
// EXPECT: data-race RACE1/read/4 RACE2/write/4
// EXPECT-OBJECT: global shared
// PEER: tsan may-miss: the first read is evicted from its four cells
#include "invisible.h"

enum { READERS = 40 };
int shared, seen[READERS + 1];
pthread_t early;

static void *first(void *arg)
{
    seen[READERS] = shared; // RACE1
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

static void *reader(void *arg)
{
    seen[(long)arg] = shared; /* in order with main: created and joined */
    return NULL;
}

int main(void)
{
    pthread_create(&early, NULL, first, NULL);
    hidden_wait(0);
    for (long i = 0; i < READERS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, reader, (void *)i);
        pthread_join(t, NULL);
    }
    FIX(hidden_post(1); pthread_join(early, NULL));
    shared = 1; // RACE2
    BUG(hidden_post(1); pthread_join(early, NULL));
    return 0;
}
