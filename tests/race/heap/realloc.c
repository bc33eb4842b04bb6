// realloc gives the old block back: it races with a write of another thread to it.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: heap
#include <stdlib.h>
#include "invisible.h"

static char *block, *moved;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    block[1] = 1; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    moved = realloc(block, 1 << 20); // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    block = malloc(40);
    run_in_order(first, second);
    free(moved);
    return 0;
}
