// A block is filled and its address handed over unseen: reading its content races with filling it.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
// PEER: tsan misses: names the allocation, which it takes for a write
#include <stdlib.h>
#include "invisible.h"

static int *published, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    int *fresh = malloc(sizeof(*fresh)); // ALLOC
    *fresh = 42;                         // RACE1
    FIX(pthread_mutex_lock(&mutex));
    published = fresh;
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    int *got;
    FIX(pthread_mutex_lock(&mutex));
    got = hidden_load(&published);
    FIX(pthread_mutex_unlock(&mutex));
    seen = *got; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    free(published);
    return seen - 42;
}
