// A lock that both threads take orders the accesses in this run; another run can turn them round.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// EXPECT: data-race FIRST/write SECOND/write
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: FIRST -
// EXPECT-LOCKS: SECOND -
// PEER: tsan misses: it counts the order of the lock
#include "invisible.h"

int shared, other;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    BUG(shared = 1;) // FIRST
    pthread_mutex_lock(&mutex);
    FIX(shared = 1;)
    other++;
    pthread_mutex_unlock(&mutex);
}

static void second(void)
{
    pthread_mutex_lock(&mutex);
    other++;
    FIX(shared = 2;)
    pthread_mutex_unlock(&mutex);
    BUG(shared = 2;) // SECOND
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
