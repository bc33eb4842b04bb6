// The same at -O0.
// FLAGS: -O0
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global total
// EXPECT-STACK: RACE1 add first
#include "invisible.h"

long total;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void add(long n)
{
    total += n; // RACE1
}

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    add(1);
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    total *= 2; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
