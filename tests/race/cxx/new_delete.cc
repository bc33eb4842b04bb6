// delete races with a read; new is named as the origin of the block.
// EXPECT: data-race RACE1/read RACE2/free
// EXPECT-OBJECT: heap
// EXPECT-ALLOC: ALLOC
// PEER: tsan may-miss: reports the free as a write
#include "invisible.h"

static int *numbers, seen;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first()
{
    FIX(pthread_mutex_lock(&mutex));
    seen = numbers[3]; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

static void second()
{
    FIX(pthread_mutex_lock(&mutex));
    delete[] numbers; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main()
{
    numbers = new int[10](); // ALLOC
    run_in_order(first, second);
    return seen;
}
