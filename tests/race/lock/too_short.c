// The lock is given back one statement too early.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global total
#include "invisible.h"

int total, count, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    count = 1;
    FIX(total = 10);
    pthread_mutex_unlock(&mutex);
    BUG(total = 10;) // RACE1
}

static void second(void)
{
    pthread_mutex_lock(&mutex);
    seen = count ? total : 0; // RACE2
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
