// An error-checking mutex refuses the second lock, and is still held once.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// EXPECT-STDOUT: refused 1
#include <errno.h>
#include <stdio.h>
#include "invisible.h"

int shared, refused;
pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void first(void)
{
    pthread_mutex_lock(&mutex);
    refused = pthread_mutex_lock(&mutex) == EDEADLK;
    FIX(shared = 1);
    pthread_mutex_unlock(&mutex);
    BUG(shared = 1;) // RACE1
}

static void second(void)
{
    pthread_mutex_lock(&mutex);
    shared = 2; // RACE2
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    run_in_order(first, second);
    printf("refused %d\n", refused);
    return 0;
}
