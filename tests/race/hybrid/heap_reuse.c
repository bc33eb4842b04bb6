// Memory that was given back and taken again is another block, whoever had it before.
// OPTIONS: --detector hybrid
// EXPECT-EXIT: 0
// PEER: tsan may-miss: it counts the order of locks and of atomics
// EXPECT: data-race MINE/write YOURS/write
// EXPECT-OBJECT: heap
#include "invisible.h"
#include <stdlib.h>

int *block;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    int *p = malloc(24);
    *p = 1; // MINE
    pthread_mutex_lock(&mutex);
    block = p;
    FIX(free(p);)
    FIX(block = malloc(24);)
    pthread_mutex_unlock(&mutex);
}

static void second(void)
{
    pthread_mutex_lock(&mutex);
    int *p = block;
    pthread_mutex_unlock(&mutex);
    *p = 2; // YOURS
}

int main(void)
{
    run_in_order(first, second);
    free(block);
    return 0;
}
