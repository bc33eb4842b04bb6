// Sixteen bytes across an address where shadow memory begins anew: both halves count.
// FLAGS: -O2
// EXPECT: data-race RACE1 RACE2
// EXPECT: data-race RACE1 RACE3
#include "invisible.h"

enum { REGION = 1 << 24 };

typedef long vector __attribute__((vector_size(16), aligned(8)));

_Alignas(REGION) char space[2 * REGION];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long sum;

static void *at_edge(void)
{
    return space + REGION - sizeof(long);
}

static void first(void)
{
    FIX(pthread_mutex_lock(&lock));
    *(vector *)at_edge() = (vector){1, 1}; // RACE1
    FIX(pthread_mutex_unlock(&lock));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&lock));
    sum += ((long *)at_edge())[0]; // RACE2
    sum += ((long *)at_edge())[1]; // RACE3
    FIX(pthread_mutex_unlock(&lock));
}

int main(void)
{
    space[0] = 1; /* the lower part has shadow already */
    run_in_order(first, second);
    return 0;
}
