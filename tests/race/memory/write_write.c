// Two threads write one int; the fixed twin takes a mutex.
// EXPECT: data-race RACE1/write/4 RACE2/write/4
// EXPECT-OBJECT: global counter
// EXPECT-LOCKS: RACE1 -
// EXPECT-STACK: RACE1 first
// EXPECT-STACK: RACE2 second
// EXPECT-STDOUT: 2
#include <stdio.h>
#include "invisible.h"

int counter;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    counter = 1; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    counter = 2; // RACE2
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    printf("%d\n", counter);
    return 0;
}
