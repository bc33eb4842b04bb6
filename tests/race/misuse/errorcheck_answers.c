// An error-checking mutex tells the program itself: what it returns stays as it is.
// EXPECT: misuse BAD
// EXPECT-STDOUT: EPERM EDEADLK
#include <stdio.h>
#include <string.h>
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int result[2] = {1};

static void first(void)
{
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    BUG(result[0] = pthread_mutex_unlock(&mutex);) // BAD
}

int main(void)
{
    run_in_order(first, second);
    FIX(pthread_mutex_lock(&mutex));
    FIX(result[1] = pthread_mutex_lock(&mutex));
    BUG(result[1] = 35);
    printf("%s %s\n", strerrorname_np(result[0]), strerrorname_np(result[1]));
    return 0;
}
