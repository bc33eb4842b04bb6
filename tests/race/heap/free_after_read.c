// One thread reads a block, another frees it without any order between them.
// EXPECT: data-race RACE1/read RACE2/free
// EXPECT-OBJECT: heap
// PEER: tsan may-miss: reports the free as a write
#include <stdlib.h>
#include "invisible.h"

static int *block;
int seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    seen = block[7]; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    free(block); // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    block = calloc(10, sizeof(*block));
    run_in_order(first, second);
    return seen;
}
