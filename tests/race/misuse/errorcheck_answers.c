// An error-checking mutex tells the program itself: what it returns stays as it is.
// EXPECT: misuse BAD
// EXPECT-STDOUT: EPERM EDEADLK
#include <stdio.h>
#include <string.h>
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int result[2] = {1};

static void *first(void *arg)
{
    pthread_mutex_lock(&mutex);
    hidden_post(0);
    BUG(hidden_wait(1));
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *second(void *arg)
{
    hidden_wait(0);
    BUG(result[0] = pthread_mutex_unlock(&mutex);) // BAD
    hidden_post(1);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&mutex);
    result[1] = pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("%s %s\n", strerrorname_np(result[0]), strerrorname_np(result[1]));
    return 0;
}
