// The same at -O2 with inlined functions; the report must still name the lines.
// FLAGS: -O2
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global total
#include "invisible.h"

long total;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static inline void add(long n)
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
